"""Writes published_tree.json: what the published program of xRFM (dmbeaglehole/xRFM) predicts on drawn problems, with the rows that it drew
for its splits. Needs torch, tqdm, scikit-learn, and a checkout of that program:

    BENCH_XRFM=xRFM python published_tree.py > published_tree.json

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

sys.path.insert(0, os.environ["BENCH_XRFM"])
from xrfm import xrfm as published

torch.set_default_dtype(torch.float64)
torch.Tensor.float = torch.Tensor.double  # for its targets, which it converts to single precision otherwise
digits = lambda array: [float(f"{v:.12g}") for v in np.asarray(array).ravel()]

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
cases = []
for seed, (n, d, outputs, iterations, penalty, bandwidth, leaf, subset, temperature) in enumerate([
    (120, 3, 1, 0, 0.1, 10, 70, 100, 0), (160, 5, 1, 2, 0.01, 10, 50, 60, 0), (200, 4, 1, 1, 0.1, 5, 30, 1000, 0.3),
    (160, 4, 3, 2, 0.1, 10, 45, 100, 0.05), (240, 6, 1, 1, 0.001, 10, 12, 80, 2.0), (203, 5, 1, 3, 0.1, 10, 60, 90, 0.5),
]):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    if outputs > 1:
        label = (x[:, 0] > 0.4).astype(int) + (x[:, 1] * x[:, 2] > 0)
        y = np.where(label[:, None] == np.arange(outputs), 1.0, -1.0)
    else:
        y = (np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n + 20)).round(6)[:, None]
    published.xRFM._get_agop_on_subset = functools.partialmethod(subset_of, subset_size=subset)
    model = published.xRFM(
        rfm_params=dict(model=machine(bandwidth), fit=dict(fit, reg=penalty, iters=iterations)), max_leaf_size=leaf, device="cpu", verbose=False,
        default_rfm_params=dict(model=machine(bandwidth), fit=dict(fit, reg=1e-3, iters=0, get_agop_best_model=True)), tuning_metric="mse",
        split_temperature=temperature or None, use_temperature_tuning=False, refill_size=0)
    drawn.clear()
    model.fit(torch.tensor(x[:n]), torch.tensor(y[:n]), torch.tensor(x[:n]), torch.tensor(y[:n]))
    scores = model.predict(torch.tensor(x[n:]))
    cases.append(dict(N=n, D=d, Outputs=outputs, Iterations=iterations, Lambda=penalty, Bandwidth=bandwidth, MaxLeafSize=leaf,
                      Temperature=temperature, X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:]), Subsets=list(drawn), Scores=digits(scores)))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
