"""Writes published.json: what the recursive feature machine of the published program (dmbeaglehole/xRFM) predicts on drawn problems. Needs
torch, tqdm, scikit-learn, and a checkout of that program:

    BENCH_XRFM=xRFM python published.py > published.json

It runs in double precision, with labels +1 and -1 as targets, without early stopping, and answers what the last iteration predicts.
"""
import json
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.environ["BENCH_XRFM"])
from xrfm.rfm_src.recursive_feature_machine import RFM

torch.set_default_dtype(torch.float64)
digits = lambda array: [float(f"{v:.12g}") for v in np.asarray(array).ravel()]

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
    machine = RFM(kernel="l2", bandwidth=bandwidth, exponent=1.0, device="cpu", verbose=False)
    train = (torch.tensor(x[:n]), torch.tensor(y[:n]))
    machine.fit(train, train, iters=iterations, reg=penalty, return_best_params=False, early_stop_rfm=False, verbose=False)
    scores = machine.predict(torch.tensor(x[n:]))
    cases.append(dict(N=n, D=d, Outputs=outputs, Iterations=iterations, Lambda=penalty, Bandwidth=bandwidth,
                      X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:]), Scores=digits(scores)))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
