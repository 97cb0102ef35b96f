"""The published xRFM. It chooses its iterations on a fifth of the training rows, as its authors do. It computes in single
precision, so that the score of a row depends in the fourth digit on the rows that are scored with it."""

import numpy as np
import torch
from benchplugin import serve
from xrfm import xRFM


class Published:
    def __init__(self, bandwidth=10.0, reg=1e-3, exponent=1.0, seed=1):
        self.model = dict(kernel="l2_high_dim", exponent=exponent, bandwidth=bandwidth, diag=False,
                          bandwidth_mode="constant")
        self.reg, self.seed = reg, seed

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        order = np.random.default_rng(self.seed).permutation(len(X))
        held = np.zeros(len(X), bool)
        for k in range(len(self.classes_)):  # a fifth of each class, so that both parts have all classes
            rows = order[codes[order] == k]
            held[rows[: max(1, len(rows) // 5)]] = len(rows) > 1
        fit = dict(reg=self.reg, iters=5, verbose=False, early_stop_rfm=True)
        self.machine = xRFM(dict(model=self.model, fit=fit), device=torch.device("cpu"), tuning_metric="accuracy",
                            n_threads=1, random_state=self.seed, verbose=False)
        X = X.astype(np.float32)
        self.machine.fit(X[~held], codes[~held], X[held], codes[held])

    def predict_proba(self, X):
        return self.machine.predict_proba(X.astype(np.float32))


serve(
    Published, grid={"bandwidth": [2.0, 10.0, 50.0], "reg": [1e-4, 1e-2, 1.0]}, tasks=["binary", "multiclass"],
    name="xRFM-published", source="Beaglehole et al. 2025, the library itself",
)
