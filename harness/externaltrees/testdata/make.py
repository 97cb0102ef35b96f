# Models of LightGBM and its own raw scores: python make.py, with lightgbm 4.7.0 and numpy.
import json
import lightgbm
import numpy

rng = numpy.random.default_rng(0)
x = rng.normal(size=(80, 3))
x[rng.random(x.shape) < 0.1] = numpy.nan
targets = {
    "binary": rng.integers(0, 2, 80),
    "multiclass": rng.integers(0, 3, 80),
    "regression": numpy.nan_to_num(x[:, 0]) * 3 + 10,
}
out = {"lightgbm": lightgbm.__version__, "cases": []}
for objective, y in targets.items():
    params = {"objective": objective, "num_leaves": 5, "min_data_in_leaf": 5, "verbosity": -1, "deterministic": True, "num_threads": 1}
    if objective == "multiclass":
        params["num_class"] = 3
    booster = lightgbm.train(params, lightgbm.Dataset(x, y), 4)
    raw = booster.predict(x[:20], raw_score=True)
    out["cases"].append({"objective": objective, "model": booster.model_to_string(), "x": [[None if v != v else v for v in r] for r in x[:20].tolist()], "scores": raw.ravel().tolist()})
with open("lightgbm.json", "w") as f:
    json.dump(out, f, indent=1)
