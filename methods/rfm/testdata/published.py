"""Writes published.json: what the recursive feature machine of the published program (dmbeaglehole/xRFM, at commit c86df5f) predicts on drawn problems and
real sets. Needs torch, tqdm, scikit-learn, a checkout of that program, and the folder of data files:

    BENCH_XRFM=xRFM BENCH_MIRROR=datasets python published.py > published.json

It runs in double precision, with labels +1 and -1 as targets, without early stopping, and answers what the last iteration predicts.
"""
import json
import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems
sys.path.insert(0, os.environ["BENCH_XRFM"])
from xrfm.rfm_src.recursive_feature_machine import RFM

torch.set_default_dtype(torch.float64)
digits = problems.digits



def predict(x, y, rows, iterations, penalty, bandwidth):
    machine = RFM(kernel="l2", bandwidth=bandwidth, exponent=1.0, device="cpu", verbose=False)
    train = (torch.tensor(x), torch.tensor(y))
    machine.fit(train, train, iters=iterations, reg=penalty, return_best_params=False, early_stop_rfm=False, verbose=False)
    return digits(machine.predict(torch.tensor(rows)))


cases = []
for seed, (n, d, outputs, iterations, penalty, bandwidth) in enumerate(
    [(60, 3, 1, 0, 0.1, 10), (60, 3, 1, 1, 0.1, 10), (80, 5, 1, 4, 0.01, 2), (90, 12, 1, 3, 1, 5), (75, 4, 3, 2, 0.1, 10), (40, 50, 1, 2, 0.001, 10), (120, 6, 1, 5, 0.001, 10)]
):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    if outputs > 1:
        label = (x[:, 0] > 0.4).astype(int) + (x[:, 1] * x[:, 2] > 0)
        y = np.where(label[:, None] == np.arange(outputs), 1.0, -1.0)
    else:
        y = (np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n + 20)).round(6)[:, None]
    scores = predict(x[:n], y[:n], x[n:], iterations, penalty, bandwidth)
    cases.append(dict(N=n, D=d, Outputs=outputs, Iterations=iterations, Lambda=penalty, Bandwidth=bandwidth,
                      X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:]), Scores=scores))
for name, iterations, penalty, bandwidth in [("wine 3 classes", 3, 0.01, 10), ("pima", 3, 0.1, 10), ("german", 2, 0.01, 5), ("occupancy", 2, 0.1, 20), ("year", 2, 1, 10)]:
    x, y, rows = problems.problem(name)
    scores = predict(x, problems.columns(name, y), rows, iterations, penalty, bandwidth)
    cases.append(dict(Set=name, Iterations=iterations, Lambda=penalty, Bandwidth=bandwidth, Scores=scores))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
