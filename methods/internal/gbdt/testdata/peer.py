"""Trains LightGBM or XGBoost on the requests of JSON files and writes what the
Go tests compare with: the model, and the raw scores of the training rows.

    echo requests.json | python peer.py

One process serves all tests, since its imports take seconds.
"""
import json
import sys

import lightgbm as lgb
import numpy as np
import sklearn  # noqa: F401, the estimators of both libraries need it
import xgboost as xgb


def other(r, predict):
    return predict(np.fromfile(r["other"]).reshape(-1, r["d"])) if r["other"] else None


def lightgbm(r, x, y):
    lib = lgb
    estimator = {"binary": lib.LGBMClassifier, "multiclass": lib.LGBMClassifier, "regression": lib.LGBMRegressor}[r["task"]]
    m = estimator(n_jobs=1, verbose=-1, deterministic=True, **r["layout"], **r["params"]).fit(x, y)
    m.booster_.save_model(r["model"])
    again = lib.Booster(model_file=r["load"]).predict(x, raw_score=True) if r["load"] else None
    return lib.__version__, m.predict(x, raw_score=True), again, other(r, lambda rows: m.predict(rows, raw_score=True))


def xgboost(r, x, y):
    lib = xgb
    estimator = {"binary": lib.XGBClassifier, "multiclass": lib.XGBClassifier, "regression": lib.XGBRegressor}[r["task"]]
    m = estimator(n_jobs=1, tree_method="exact", **r["params"]).fit(x, y)
    m.get_booster().save_model(r["model"])
    return lib.__version__, m.predict(x, output_margin=True), None, other(r, lambda rows: m.predict(rows, output_margin=True))


def main():
    print("ready", flush=True)
    for file in sys.stdin:
        with open(file.rstrip("\n")) as f:
            requests = json.load(f)
        answer(requests)


def answer(requests):
    for r in requests:
        x = np.fromfile(r["x"]).reshape(r["n"], r["d"])
        y = np.fromfile(r["y"])
        if r["task"] == "binary":
            y = (y > 0).astype(int)
        elif r["task"] == "multiclass":
            y = y.astype(int)
        version, scores, again, others = {"lightgbm": lightgbm, "xgboost": xgboost}[r["library"]](r, x, y)
        np.asarray(scores, dtype=float).tofile(r["scores"])
        if r["other"]:
            np.asarray(others, dtype=float).tofile(r["scores"] + ".other")
        if again is not None:
            np.asarray(again, dtype=float).tofile(r["scores"] + ".again")
        print(json.dumps({"version": version}), flush=True)


if __name__ == "__main__":
    main()
