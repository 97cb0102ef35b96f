"""Writes imputer.json: what scikit-learn's SimpleImputer and StandardScaler in a Pipeline make of rows with gaps.

    python imputer.py > imputer.json
"""
import json
import warnings

import numpy as np
import sklearn
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.simplefilter("ignore")
rng = np.random.RandomState(7)


def texts(a):
    return [repr(float(v)) for v in np.asarray(a, dtype=float).ravel()]


def data(n, d, share):
    x = np.round(rng.standard_normal((n, d)) * 10.0 ** rng.randint(-1, 4, d), 2)
    x[:, 0] = rng.randint(0, 3, n)  # ties of the most frequent value
    x[rng.uniform(size=x.shape) < share] = np.nan
    if d > 2:
        x[: n // 2, 2] = np.nan  # a column that the training rows know nothing of
        x[:, 1] = rng.standard_normal(n)  # and one without gaps
    return x


samples = []
for n, d, share in [(9, 1, 0.3), (40, 5, 0.1), (41, 6, 0.4), (60, 4, 0.02)]:
    x = data(n, d, share)
    train = sorted(rng.permutation(n)[: n * 2 // 3].tolist()) if d < 3 else list(range(n // 2))
    cases = []
    for how in ["median", "mean", "most-frequent", "none"]:
        for indicator in [False, True]:
            if how == "none":
                if indicator:
                    continue
                pipe = make_pipeline(StandardScaler()).fit(x[train])
                fill, marked = [], []
            else:
                imputer = SimpleImputer(strategy=how.replace("-", "_"), add_indicator=indicator, keep_empty_features=True)
                pipe = make_pipeline(imputer, StandardScaler()).fit(x[train])
                fill = texts(np.nan_to_num(imputer.statistics_))
                marked = imputer.indicator_.features_.tolist() if indicator else []
            mean, scale = pipe[-1].mean_, pipe[-1].scale_  # NaN, and so is every row, where nothing is known of a column; we leave it alone
            cases.append({"impute": how, "indicator": indicator, "fill": fill, "indicators": marked,
                          "mean": texts(np.nan_to_num(mean)), "scale": texts(np.nan_to_num(scale, nan=1)), "out": texts(np.where(np.isnan(mean), x if how == "none" else 0, pipe.transform(x)))})
    samples.append({"rows": n, "x": texts(x), "train": train, "cases": cases})
print(json.dumps({"made_by": f"datasets/testdata/imputer.py with scikit-learn {sklearn.__version__}, NumPy {np.__version__}", "samples": samples}))
