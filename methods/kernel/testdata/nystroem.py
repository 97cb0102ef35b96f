"""Writes nystroem.json: what scikit-learn's Nystroem features with its Ridge or LogisticRegression predict on real sets. Needs scikit-learn
and the folder of data files:

    BENCH_MIRROR=datasets python nystroem.py > nystroem.json

Its seed draws the landmarks that ours draws. Its penalties count once for all rows: alpha is n lambda, and C is 1/(2 n lambda).
"""
import json
import os
import sys

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems

cases = []
for name, m, gamma in [("wine 3 classes", 60, 0.05), ("pima", 100, 0.1), ("german", 150, 0.03), ("occupancy", 60, 0.5), ("year", 120, 0.01)]:
    x, y, rows = problems.problem(name)
    for seed, penalty in enumerate([1e-2, 1e-4]):
        features = Nystroem(gamma=gamma, n_components=m, random_state=np.random.RandomState(seed)).fit(x)
        scores = []
        for target in problems.columns(name, y).T:
            if name == "year":
                model = Ridge(alpha=len(x) * penalty).fit(features.transform(x), target)
                scores.append(model.predict(features.transform(rows)))
            else:
                model = LogisticRegression(C=1 / (2 * len(x) * penalty), solver="newton-cholesky", tol=1e-13, max_iter=1000).fit(features.transform(x), target)
                scores.append(model.decision_function(features.transform(rows)))
        cases.append(dict(Set=name, Landmarks=m, Lambda=penalty, Gamma=gamma, Seed=seed, Scores=problems.digits(np.stack(scores, 1))))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
