"""Fits other libraries' estimators for BenchmarkBeside. A line of standard input is a request in JSON; its answer is the
processor time of one fit in seconds, or the library that is not there."""
import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402, after the threads


def estimator(library, d):
    if library == "LightGBM":
        from lightgbm import LGBMClassifier
        return LGBMClassifier(n_jobs=1, verbose=-1, deterministic=True, n_estimators=100, max_depth=5, num_leaves=31)
    if library == "XGBoost":
        from xgboost import XGBClassifier
        return XGBClassifier(n_jobs=1, tree_method="exact", n_estimators=100, max_depth=5, learning_rate=0.3)
    from sklearn import ensemble, linear_model, svm, tree
    return {
        "scikit-learn's RandomForestClassifier": lambda: ensemble.RandomForestClassifier(100, random_state=1),
        "scikit-learn's DecisionTreeClassifier": lambda: tree.DecisionTreeClassifier(random_state=1),
        "scikit-learn's SVC": lambda: svm.SVC(C=1, gamma=1 / d, cache_size=1000),
        "scikit-learn's LogisticRegression": lambda: linear_model.LogisticRegression(C=1, tol=1e-10, max_iter=10000),
    }[library]()


def fit(r):
    model = estimator(r["library"], r["d"])
    x, y = np.fromfile(r["x"]).reshape(-1, r["d"]), np.fromfile(r["y"]) > 0
    start = time.process_time()
    model.fit(x, y)
    return {"seconds": time.process_time() - start}


for line in sys.stdin:
    try:
        answer = fit(json.loads(line))
    except ImportError as e:
        answer = {"missing": str(e)}
    print(json.dumps(answer), flush=True)
