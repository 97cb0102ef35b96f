"""traces.json: runs of the published program of ECML 2020, whose checkout BENCH_PUBLISHED names.

    git clone https://github.com/LeoGautheron/ECML2020-GradientBoostingRandomFourierFeatures published

Nothing of that program is here: it fits, and this reads the fitted objects.
"""
import os
import sys
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

import realdata
import splits


def make(data):
    checkout = os.environ.get("BENCH_PUBLISHED")
    if not checkout:
        raise realdata.Missing("BENCH_PUBLISHED names no checkout of the published program")
    folder = Path(checkout, "experiment-latex-array-results")
    if not (folder / "gbrff2.py").is_file():
        raise FileNotFoundError(f"{folder} has no gbrff2.py: BENCH_PUBLISHED is no checkout of the published program")
    sys.path.append(str(folder))
    import gbrff1
    import gbrff2
    import gfc
    import pbrff

    # Both pass max_iter=1e4, a float, which today's scikit-learn refuses.
    gfc.SVC = pbrff.SVC = lambda max_iter, **others: SVC(max_iter=int(max_iter), **others)
    out = []
    for name in ("wine", "bupa", "heart"):
        parts = splits.parts(data, name, 1)
        d = parts[0].shape[1]
        for gamma, lam in ((1.0, 0), (0.5, 0.0625)):
            m = gbrff2.gbrff(gamma=gamma / d, Lambda=lam, T=100, randomState=np.random.RandomState(1))
            out.append(boosted(m, "GBRFF2", name, parts, {"gamma_times_d": gamma, "lambda_": lam}))
        for gamma, beta in ((1.0, 1.0), (0.25, 100.0)):
            m = gbrff1.gbrff(gamma=gamma / d, beta=beta, T=100, K=10, randomState=np.random.RandomState(1))
            out.append(boosted(m, "GBRFF1", name, parts, {"K": 10, "gamma_times_d": gamma, "beta": beta}))
        out.append(landmarks(pbrff.pbrff, name, parts))
        out.append(greedy(gfc.GreedyFeatureConstruction, name, parts))
    return out


def votes(m, x):
    """H after every round (rounds x rows), from what the fitted object holds."""
    if hasattr(m, "Qls"):
        weak = [q @ np.cos(omega @ (landmark - x).T) for q, omega, landmark in zip(m.Qls, m.omegas, m.xts)]
    else:
        weak = np.cos(m.omegas @ x.T - m.xts[:, None])
    return m.initPred + np.cumsum(m.alphas[:, None] * weak, axis=0)


def boosted(m, method, name, parts, settings):
    x, y, z, truth, _ = parts
    m.fit(x, y)
    train, test = votes(m, x), votes(m, z)
    row = {"method": method, "dataset": name, "seed": 1, "T": 100} | settings | {"method_seed": 1, "H0": m.initPred}
    if method == "GBRFF1":
        row |= {"landmark_0": m.xts[0], "q_0": m.Qls[0]}
    else:
        row |= {"b": m.xts, "omega_0": m.omegas[0]}
    return row | {
        "alpha": m.alphas, "train_exp_loss": np.mean(np.exp(-y * train), axis=1),
        "test_accuracy_by_t": np.mean(np.where(test < 0, -1, 1) == truth, axis=1), "decision_test_first5": test[-1, :5],
    }


def landmarks(PBRFF, name, parts):
    x, y, z, truth, _ = parts
    m = PBRFF(gamma=1 / x.shape[1], beta=1.0, C=1.0, K=10, n_landmarks=100, randomState=np.random.RandomState(1))
    m.fit(x, y)
    return {
        "method": "PBRFF", "dataset": name, "seed": 1, "n_landmarks": 100, "K": 10, "gamma_times_d": 1.0, "beta": 1.0,
        "C": 1.0, "method_seed": 1, "landmark_rows_first5": np.random.RandomState(1).choice(len(x), 100)[:5],
        "Q_first_landmark": m.Q[0], "features_test_row0_first5": m.transform(z[:1])[0, :5],
        "test_accuracy_capped_10000_iterations": np.mean(m.predict(z) == truth),
    }


def greedy(GFC, name, parts):
    x, y, z, truth, _ = parts
    m = GFC(numFeatures=100, C=1.0, randomState=np.random.RandomState(1))
    m.fit(x, y)
    return {
        "method": "GFC", "dataset": name, "seed": 1, "num_features": 100, "C": 1.0, "method_seed": 1,
        "init_spectrum_0": np.random.RandomState(1).randn(x.shape[1]) / np.sqrt(x.shape[1]), "W_0": m.W[0],
        "test_accuracy": np.mean(m.predict(z) == truth),
    }
