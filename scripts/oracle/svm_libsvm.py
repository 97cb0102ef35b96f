"""svm_libsvm.json: what libsvm, through scikit-learn, makes of split 1 of three sets."""
import numpy as np
from sklearn.svm import SVC, SVR

import splits

EPSILON = 0.1


def make(data):
    out = []
    for name in ("wine", "heart", "pima"):
        parts = splits.parts(data, name, 1)
        for c in (0.01, 1.0, 100.0):
            out.append(classify(parts, c, {"kernel": "linear"}, name))
            for gamma in (0.0625, 1.0):
                out.append(classify(parts, c, {"kernel": "rbf", "gamma": gamma}, name))
                out.append(regress(parts, c, {"kernel": "rbf", "gamma": gamma}, name))
            out.append(regress(parts, c, {"kernel": "linear"}, name))
    return out


def classify(parts, c, kernel, name):
    x, y, z, truth, _ = parts
    m = SVC(C=c, tol=1e-8, **kernel).fit(x, y)
    row = {"kind": "C-SVC", **kernel, "dataset": name, "seed": 1, "C": c} | solution(m)
    if kernel["kernel"] == "linear":
        loss = np.sum(np.maximum(0, 1 - y * m.decision_function(x)))
        row["primal_objective"] = np.sum(m.coef_**2) / 2 + c * loss
    else:
        row["sum_abs_dual"] = np.sum(np.abs(m.dual_coef_))
    return row | {"test_accuracy": np.mean(m.predict(z) == truth), "decision_test_first3": m.decision_function(z[:3])}


def regress(parts, c, kernel, name):
    x, y, z, _, _ = parts
    m = SVR(C=c, epsilon=EPSILON, tol=1e-6 if kernel["kernel"] == "linear" else 1e-8, **kernel).fit(x, y)
    row = {"kind": "epsilon-SVR", **kernel, "epsilon": EPSILON, "dataset": name, "seed": 1, "C": c} | solution(m)
    if kernel["kernel"] == "rbf":
        row["sum_abs_dual"] = np.sum(np.abs(m.dual_coef_))
    return row | {"train_sq_error": np.sum((m.predict(x) - y) ** 2), "predict_test_first3": m.predict(z[:3])}


def solution(m):
    return {"intercept": m.intercept_[0], "n_support": len(m.support_)}
