"""Writes published_tree.json: what the published program of xRFM (dmbeaglehole/xRFM, at commit c86df5f) predicts on drawn problems and real sets, with the rows
that it drew for its splits. Needs torch, tqdm, scikit-learn, a checkout of that program, and the folder of data files:

    BENCH_XRFM=xRFM BENCH_MIRROR=datasets python published_tree.py > published_tree.json

It runs in double precision, with labels +1 and -1 as targets, without early stopping, and answers what the last iteration of each leaf
predicts. The validation rows are the training rows once more, so that no leaf sets rows aside; nothing is chosen by them. Directions
get the sign with which their element of the largest size is positive, since an eigenvector's is arbitrary.
"""
import functools
import json
import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems
sys.path.insert(0, os.environ["BENCH_XRFM"])
from xrfm import xrfm as published

torch.set_default_dtype(torch.float64)
torch.Tensor.float = torch.Tensor.double  # for its targets, which it converts to single precision otherwise
digits = problems.digits

drawn, subset = [], 0
draw, vector, subset_of = torch.randperm, published.get_top_eigenvector, published.xRFM._get_agop_on_subset


def recorded(n):
    out = draw(n)
    drawn.append(out[: int(0.95 * min(n, subset))].tolist())
    return out


def signed(matrix):
    v = vector(matrix)
    return v * torch.sign(v[v.abs().argmax()])


torch.randperm, published.get_top_eigenvector = recorded, signed
machine = lambda bandwidth: dict(kernel="l2", bandwidth=bandwidth, exponent=1.0, diag=False, bandwidth_mode="constant")
fit = dict(return_best_params=False, early_stop_rfm=False, verbose=False)


def predict(seed, x, y, rows, iterations, penalty, bandwidth, leaf, most, temperature):
    global subset
    torch.manual_seed(seed)
    subset = most
    published.xRFM._get_agop_on_subset = functools.partialmethod(subset_of, subset_size=subset)
    model = published.xRFM(
        rfm_params=dict(model=machine(bandwidth), fit=dict(fit, reg=penalty, iters=iterations)), max_leaf_size=leaf, device="cpu", verbose=False,
        default_rfm_params=dict(model=machine(bandwidth), fit=dict(fit, reg=1e-3, iters=0, get_agop_best_model=True)), tuning_metric="mse",
        split_temperature=temperature or None, use_temperature_tuning=False, refill_size=0)
    drawn.clear()
    x, y = torch.tensor(x), torch.tensor(y)
    model.fit(x, y, x, y)
    scores = digits(model.predict(torch.tensor(rows)))
    return dict(Iterations=iterations, Lambda=penalty, Bandwidth=bandwidth, MaxLeafSize=leaf, Temperature=temperature, Subsets=list(drawn), Scores=scores)


cases = []
for seed, (n, d, outputs, *setting) in enumerate([
    (120, 3, 1, 0, 0.1, 10, 70, 100, 0), (160, 5, 1, 2, 0.01, 10, 50, 60, 0), (200, 4, 1, 1, 0.1, 5, 30, 1000, 0.3),
    (160, 4, 3, 2, 0.1, 10, 45, 100, 0.05), (240, 6, 1, 1, 0.001, 10, 12, 80, 2.0), (203, 5, 1, 3, 0.1, 10, 60, 90, 0.5),
]):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    if outputs > 1:
        label = (x[:, 0] > 0.4).astype(int) + (x[:, 1] * x[:, 2] > 0)
        y = np.where(label[:, None] == np.arange(outputs), 1.0, -1.0)
    else:
        y = (np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n + 20)).round(6)[:, None]
    cases.append(dict(predict(seed, x[:n], y[:n], x[n:], *setting), N=n, D=d, Outputs=outputs, X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:])))
for name, *setting in [
    ("wine 3 classes", 2, 0.1, 10, 50, 100, 0.05), ("pima", 2, 0.1, 10, 90, 80, 0), ("german", 1, 0.01, 10, 120, 100, 0.5), ("occupancy", 1, 0.1, 10, 60, 100, 0),
    ("year", 2, 1, 10, 90, 200, 0.3),
]:
    x, y, rows = problems.problem(name)
    cases.append(dict(predict(1, x, problems.columns(name, y), rows, *setting), Set=name))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
