# Models of XGBoost and its own margins: python make_xgboost.py, with xgboost 3.2.0 and numpy. Rows hold missing values, and values
# that are split conditions themselves, which XGBoost sends to the right.
import base64
import json
import numpy
import xgboost

rng = numpy.random.default_rng(0)
x = rng.normal(size=(80, 3)).round(1)
x[rng.random(x.shape) < 0.1] = numpy.nan
targets = {
    "binary:logistic": rng.integers(0, 2, 80),
    "multi:softprob": rng.integers(0, 3, 80),
    "reg:squarederror": numpy.nan_to_num(x[:, 0]) * 3 + 10,
    "reg:absoluteerror": numpy.nan_to_num(x[:, 0]) * 3 + 10,
}
out = {"xgboost": xgboost.__version__, "cases": []}


def add(objective, booster, rounds=(0, 0)):
    dump = json.loads(booster.save_raw("json"))
    tree = dump["learner"]["gradient_booster"]["model"]["trees"][0]
    rows = x[:20].copy()
    rows[:, tree["split_indices"][0]][:3] = numpy.float32(tree["split_conditions"][0])
    margins = booster.predict(xgboost.DMatrix(rows), output_margin=True, iteration_range=rounds)
    out["cases"].append({"objective": objective, "json": booster.save_raw("json").decode(), "ubj": base64.b64encode(booster.save_raw("ubj")).decode(),
                         "x": [[None if v != v else v for v in r] for r in rows.tolist()], "scores": margins.ravel().tolist()})


for objective, y in targets.items():
    params = {"objective": objective, "max_depth": 3, "seed": 1, "nthread": 1}
    if objective == "multi:softprob":
        params["num_class"] = 3
    add(objective, xgboost.train(params, xgboost.DMatrix(x, y), 4))
    if objective == "reg:squarederror":
        params["base_score"] = -1.5
        add(objective, xgboost.train(params, xgboost.DMatrix(x, y), 2))
        valid = xgboost.DMatrix(x, -y)
        early = xgboost.train(params, xgboost.DMatrix(x, y), 9, evals=[(valid, "v")], early_stopping_rounds=3, verbose_eval=False)
        add(objective, early, (0, early.best_iteration + 1))
with open("xgboost.json", "w") as f:
    json.dump(out, f)
