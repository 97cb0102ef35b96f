"""AdaBoost over stumps, in NumPy alone: a method of one's own."""

import numpy as np
from benchplugin import serve


class StumpBoost:
    def __init__(self, rounds=50, shrink=1.0):
        self.wanted, self.shrink = rounds, shrink

    def fit(self, X, y):
        n, d = X.shape
        w, self.stumps = np.full(n, 1 / n), []
        order = np.argsort(X, axis=0, kind="stable")
        ranked = np.take_along_axis(X, order, axis=0)
        for _ in range(self.wanted):
            below = np.cumsum((w * y)[order], axis=0)  # weighted labels up to a row, by feature
            gain = np.where(np.diff(ranked, axis=0) > 0, below[-1] - 2 * below[:-1], 0)  # of +1 above
            i, j = np.unravel_index(np.argmax(np.abs(gain)), gain.shape) if n > 1 else (0, 0)
            sign, edge = (np.sign(gain[i, j]), min(abs(gain[i, j]), 1 - 1e-9)) if n > 1 else (0, 0)
            cut = (ranked[i, j] + ranked[min(i + 1, n - 1), j]) / 2
            alpha = self.shrink * 0.5 * np.log((1 + edge) / (1 - edge))
            self.stumps.append((j, cut, alpha * sign))
            w = w * np.exp(-y * alpha * sign * np.where(X[:, j] > cut, 1, -1))
            w /= w.sum()
        self.rounds = len(self.stumps)
        return self

    def stages(self, X, at):
        steps = np.cumsum([a * np.where(X[:, j] > c, 1.0, -1.0) for j, c, a in self.stumps], axis=0)
        return [steps[t - 1] for t in at]

    def decision_function(self, X):
        return self.stages(X, [self.rounds])[0]


serve(StumpBoost, grid={"rounds": [10, 50, 200], "shrink": [0.1, 1.0]}, source="Freund and Schapire 1997")
