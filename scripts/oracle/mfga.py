"""mfga.json: paths of Multi Feature Greedy Approximation on explicit features of a Gaussian and a linear kernel."""
import numpy as np

import small


def make():
    return {"cases": [case(seed) for seed in small.SEEDS]}


def case(seed):
    _, x, regression, classes = small.draw(seed)
    s = small.width(x)
    features = taylor(x, s, 2)
    paths = []
    for loss, order in (("square", 2), ("logistic", 1), ("logistic", 2)):
        columns = np.sqrt(0.5) * np.column_stack([taylor(x, s, order), x])
        for intercept in (False, True):
            for per_step, lam in ((1, 0.01), (1, 0.0001), (3, 0.001)):
                y = regression if loss == "square" else classes
                steps = list(path(columns, y, loss, lam, intercept, per_step, 10 if per_step == 1 else 3))
                paths.append({
                    "loss": loss, "order": order, "intercept": intercept, "features_per_step": per_step, "lam": lam,
                    "selected": steps[-1]["selected"], "selection_margin": min(s["margin"] for s in steps),
                    "steps": [{k: s[k] for k in ("objective", "theta", "intercept")} for s in steps],
                })
    return {
        "seed": seed, "X": x, "y_regression": regression, "y_class": classes, "width_nn50": s,
        "taylor_order2_rows0to3": features[:4], "taylor_order2_column_sums": features.sum(axis=0), "paths": paths,
    }


def taylor(x, width, order, squares=True):
    """Gaussian Taylor features: 1, x_j, then x_j x_k with j <= k, or j < k without squares."""
    d = x.shape[1]
    gauss = np.exp(-np.sum(x**2, axis=1) / (2 * width**2))
    columns = [gauss] + [gauss * x[:, j] / width for j in range(d)]
    for j in range(d if order == 2 else 0):
        for k in range(j if squares else j + 1, d):
            columns.append(gauss * x[:, j] * x[:, k] / width**2 / (np.sqrt(2) if j == k else 1))
    return np.column_stack(columns)


def path(columns, y, loss, lam, intercept, per_step, steps):
    """Yields every step of MFGA: its columns, margins, fit and objective.

    A step adds the inactive columns with the largest |gradient of the mean loss|, and fits all that are active.
    `margin` is the least gap between a column that was added and the next, `boundary` that between the last one
    added and the first that was not; both over the largest of the step.
    """
    selected, f = [], np.full(len(y), start(y, loss) if intercept else 0.0)
    for _ in range(steps):
        scores = np.abs(columns.T @ small.slope(loss, f, y)) / len(y)
        scores[selected] = -1
        new = largest(scores, per_step)
        ordered = np.sort(scores)[::-1][: per_step + 1]
        gaps = (ordered[:-1] - ordered[1:]) / ordered[0]
        selected = selected + new
        theta, bias = small.fit(columns[:, selected], y, loss, lam, intercept)
        f = columns[:, selected] @ theta + bias
        yield {
            "selected": selected, "new": new, "margin": min(gaps), "boundary": gaps[-1], "theta": theta,
            "intercept": bias, "objective": small.mean_loss(loss, f, y) + lam * (theta @ theta),
        }


def start(y, loss):
    """The best constant."""
    return np.mean(y) if loss == "square" else np.log((1 + np.mean(y)) / (1 - np.mean(y)))


def largest(scores, count):
    """The indices of the largest scores, in their order; of scores within 1e-9 the lowest index is the first."""
    scores, chosen = scores.copy(), []
    for _ in range(count):
        chosen.append(int(np.flatnonzero(scores >= (1 - 1e-9) * scores.max())[0]))
        scores[chosen[-1]] = -1
    return chosen
