"""Writes classic.json: drawn problems, and what scikit-learn's LogisticRegression, LinearDiscriminantAnalysis, KNeighborsClassifier and
KNeighborsRegressor say of them.

    python classic.py > classic.json
"""
import json
import warnings

import numpy as np
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

warnings.simplefilter("ignore")
problems = []


def case(method, scores, **params):
    scores = np.asarray(scores, float).reshape(len(rows), -1)
    cases.append({"method": method, "params": params, "scores": [[float(f"{v:.12g}") for v in row] for row in scores]})


for seed, (n, d, k) in enumerate([(40, 3, 2), (60, 5, 3), (25, 40, 2), (90, 8, 5), (200, 4, 2)]):
    rng = np.random.RandomState(seed)
    x = np.round(rng.standard_normal((n, d)) * (1 + np.arange(d) % 3), 4)
    code = np.argmax(x @ rng.standard_normal((d, k)) + rng.standard_normal((n, k)), axis=1)
    code[:k] = np.arange(k)
    y = 2.0 * code - 1 if k == 2 else code.astype(float)
    rows = np.round(rng.standard_normal((15, d)) * (1 + np.arange(d) % 3), 4)
    target = np.round(x[:, 0] ** 2 + rng.standard_normal(n), 4)
    cases = []
    for c in (0.01, 1.0, 100.0):
        fit = LogisticRegression(C=c, tol=1e-13, max_iter=100000, solver="newton-cholesky")
        case("Logistic", fit.fit(x, y).decision_function(rows), c=c)
        if k > 2:
            case("Logistic", OneVsRestClassifier(fit).fit(x, y).decision_function(rows), c=c, multinomial=False)
    for s in (0.001, 0.1, 1.0):
        case("LDA", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s).fit(x, y).decision_function(rows), shrinkage=s)
    for m in (1, 4, 7, 25):
        p = KNeighborsClassifier(m, algorithm="kd_tree").fit(x, y).predict_proba(rows)
        case("KNN", p[:, 1] - p[:, 0] if k == 2 else p, neighbours=m)
        case("KNN of targets", KNeighborsRegressor(m, algorithm="kd_tree").fit(x, target).predict(rows), neighbours=m)
    problems.append({"classes": k, "x": x.tolist(), "y": y.tolist(), "targets": target.tolist(), "rows": rows.tolist(), "cases": cases})
print(json.dumps({"made_by": f"methods/classic/testdata/classic.py with scikit-learn {sklearn.__version__}, NumPy {np.__version__}", "problems": problems}))
