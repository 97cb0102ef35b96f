"""Writes published.json: what the published program of RFRBoost (nikitazozoulenko/random-feature-representation-boosting) predicts on drawn
problems and real sets, with the pairs of rows that it drew. Needs torch, pytorch-minimize, SciPy, tqdm, a checkout of that program, and the
folder of data files:

    BENCH_RFRBOOST=random-feature-representation-boosting BENCH_MIRROR=datasets python published.py > published.json

It runs in double precision, and its L-BFGS for the logistic model goes on to a gradient of 1e-12, since it stops at 1e-7 otherwise.
"""
import functools
import json
import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems
sys.path.insert(0, os.environ["BENCH_RFRBOOST"])
from models import random_feature_representation_boosting as published
from models.swim import SWIMLayer

torch.set_default_dtype(torch.float64)
torch.manual_seed(1)
torch.optim.LBFGS = functools.partial(torch.optim.LBFGS, tolerance_grad=1e-12, tolerance_change=1e-30, history_size=50, line_search_fn="strong_wolfe")

drawn = []
fit, draws = SWIMLayer.fit, {name: getattr(torch, name) for name in ("arange", "randint", "multinomial")}


def recorded(layer, z, y):
    seen = {}

    def keep(name, draw):
        def wrapped(*args, **keywords):
            seen[name] = draw(*args, **keywords).long()  # torch 1 takes no other integers as indices
            return seen[name]

        return wrapped

    for name, draw in draws.items():
        setattr(torch, name, keep(name, draw))
    out = fit(layer, z, y)
    for name, draw in draws.items():
        setattr(torch, name, draw)
    n, chosen = len(z), seen["multinomial"]
    first = chosen % n
    drawn.append(torch.stack([first, (first + seen["randint"][chosen]) % n], 1).tolist())
    return out


SWIMLayer.fit = recorded
digits = problems.digits


def predict(kind, features, x, y, rows):
    common = dict(in_dim=x.shape[1], n_layers=3, randfeat_xt_dim=features, randfeat_x0_dim=features, l2_ghat=1e-3, boost_lr=0.7,
                  feature_type="SWIM", upscale_type="identity", use_batchnorm=False, SWIM_scale=0.8)
    if kind == "regression":
        model = published.GradientRFRBoostRegressor(out_dim=1, l2_reg=1e-2, **common)
    elif kind == "greedy":
        model = published.GreedyRFRBoostRegressor(out_dim=1, l2_reg=1e-2, **common)
    else:
        model = published.GradientRFRBoostClassifier(n_classes=len(set(y)), l2_cls=1e-2, lbfgs_max_iter=5000, **common)
    target = np.eye(3)[y.astype(int)] if kind == "multiclass" else y[:, None]
    drawn.clear()
    model.fit(torch.tensor(x), torch.tensor(target))
    with torch.no_grad():
        return {"kind": kind, "features": features, "pairs": list(drawn), "scores": digits(model(torch.tensor(rows)).numpy())}


cases = []
for seed, (kind, n, d, features) in enumerate([
    ("regression", 40, 3, 6), ("regression", 30, 4, 40), ("greedy", 40, 3, 6), ("greedy", 30, 4, 40),
    ("binary", 50, 3, 6), ("binary", 30, 5, 40), ("multiclass", 60, 4, 8), ("multiclass", 40, 3, 30),
]):
    rng = np.random.RandomState(seed)
    x, rows = np.round(rng.standard_normal((n, d)), 4), np.round(rng.standard_normal((9, d)), 4)
    raw = np.round(np.sin(2 * x[:, 0]) + x[:, 1] ** 2 + 0.3 * rng.standard_normal(n), 4)
    if kind == "binary":
        y = (raw > np.median(raw)).astype(float)
    elif kind == "multiclass":
        y = np.digitize(raw, np.quantile(raw, [0.3, 0.7])).astype(float)
    else:
        y = raw
    cases.append(dict(predict(kind, features, x, y, rows), d=d, x=x.ravel().tolist(), y=y.tolist(), rows=rows.ravel().tolist()))
for kind, name, features in [
    ("multiclass", "wine 3 classes", 40), ("binary", "pima", 40), ("binary", "german", 60), ("binary", "occupancy", 30), ("regression", "year", 40), ("greedy", "year", 40),
]:
    x, y, rows = problems.problem(name)
    cases.append(dict(predict(kind, features, x, (y + 1) / 2 if kind == "binary" else y, rows), set=name))
print(json.dumps({"made_by": f"methods/rfrboost/testdata/published.py with torch {torch.__version__}, the published program at commit 400aed1", "cases": cases}))
