"""Writes gaps.json: a file with gaps, rows of two folds and of a test, and how many rows LightGBM, XGBoost and scikit-learn's SVC get right
behind scikit-learn's SimpleImputer and StandardScaler in a Pipeline, fitted to the training rows of each alone.

    python gaps.py > gaps.json
"""
import json
import warnings

import lightgbm
import numpy as np
import sklearn
import xgboost
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

warnings.simplefilter("ignore")
rng = np.random.RandomState(3)
n, d = 260, 6
x = np.round(rng.standard_normal((n, d)) * [1, 10, 100, 1, 3, 1] + [0, 5, -40, 0, 0, 2], 3)
x[:, 5] = rng.randint(0, 4, n)
y = np.where(x[:, 0] + (x[:, 1] - 5) / 10 * (x[:, 5] > 1) + rng.standard_normal(n) / 2 > 0, "yes", "no")
text = "a;b;c;d;e;f;class\n"
marks = ["", "?", "NA", "-999"]
for i in range(n):
    gone = rng.uniform(size=d) < [0.3, 0.1, 0.02, 0, 0.1, 0.2]
    if y[i] == "yes":
        gone[4] = rng.uniform() < 0.6  # a gap that says something
    row = [marks[rng.randint(4)] if gone[j] else repr(float(x[i, j])).replace(".", ",") for j in range(d)]
    text += ";".join(row + [y[i]]) + "\n"
rows = [line.split(";") for line in text.splitlines()[1:]]
x = np.array([[np.nan if v in marks else float(v.replace(",", ".")) for v in row[:d]] for row in rows])
train, test = train_test_split(np.arange(n), test_size=0.3, random_state=1, stratify=y)
folds = [v for _, v in StratifiedKFold(2, shuffle=True, random_state=1).split(train, y[train])]

methods = {
    "LGBM": lambda: lightgbm.LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1, deterministic=True, force_col_wise=True),
    "XGB": lambda: xgboost.XGBClassifier(n_estimators=30, max_depth=3, n_jobs=1, tree_method="exact"),
    "SVM": lambda: SVC(C=1, gamma=0.2),
}
cases = []
for how in ["median", "mean", "most-frequent", "none"]:
    for indicator in [False, True]:
        for name, make in methods.items():
            if how == "none" and (indicator or name == "SVM"):
                continue
            steps = [] if how == "none" else [SimpleImputer(strategy=how.replace("-", "_"), add_indicator=indicator, keep_empty_features=True)]
            counts = []
            for learn, score in [(np.delete(train, f), train[f]) for f in folds] + [(train, test)]:
                pipe = make_pipeline(*steps, StandardScaler(), make()).fit(x[learn], y[learn] == "yes")
                if name == "SVM":  # the solvers stop at 1e-3, so that nothing may depend on less
                    assert abs(pipe.decision_function(x[score])).min() > 1e-3
                counts.append(int((pipe.predict(x[score]) == (y[score] == "yes")).sum()))
            cases.append({"method": name, "impute": how, "indicator": indicator, "counts": counts})
print(json.dumps({"made_by": f"methods/testdata/gaps.py with scikit-learn {sklearn.__version__}, LightGBM {lightgbm.__version__}, XGBoost {xgboost.__version__}",
                  "csv": text, "train": train.tolist(), "test": test.tolist(), "folds": [f.tolist() for f in folds], "cases": cases}))
