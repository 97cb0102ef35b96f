"""Writes falkon.json: what the published program of FALKON (FalkonML/falkon, at commit 387d456), with the square and with the logistic loss,
predicts on real sets, and with the logistic loss on drawn problems. Needs torch, scipy, that program, built for processors alone, and the
folder of data files:

    FALKON=falkon BENCH_MIRROR=datasets python falkon.py > falkon.json

It runs in double precision with the first rows as landmarks, and goes on to the minimum: two hundred steps of conjugate gradients with
the square loss; with the logistic loss ten Newton steps at the last penalty and a hundred conjugate-gradient steps in each. Its penalty of
the logistic loss is half of lambda |f|^2, ours is lambda |f|^2: it gets 2 lambda.
"""
import contextlib
import json
import os
import sys

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems

sys.path.insert(0, os.environ["FALKON"])
import falkon
from falkon.center_selection import FixedSelector

digits = problems.digits


def predict(loss, x, y, rows, m, penalty, gamma):
    options = falkon.FalkonOptions(use_cpu=True, keops_active="no", cg_tolerance=1e-14)
    kernel = falkon.kernels.GaussianKernel(sigma=(1 / (2 * gamma)) ** 0.5, opt=options)
    x, rows, columns = torch.tensor(x), torch.tensor(rows), []
    for target in torch.tensor(y).T[:, :, None]:
        common = dict(kernel=kernel, M=m, center_selection=FixedSelector(centers=x[:m], y_centers=target[:m]), error_fn=None, options=options)
        if loss == "square":
            model = falkon.Falkon(penalty=penalty, maxiter=200, **common)
        else:
            path = [mu for mu in [1e-1, 1e-2, 1e-3, 1e-4] if mu > 2 * penalty]
            model = falkon.LogisticFalkon(
                penalty_list=path + [2 * penalty] * 10, iter_list=[100] * (len(path) + 10), loss=falkon.gsc_losses.LogisticLoss(kernel), **common)
        with contextlib.redirect_stdout(sys.stderr):
            model.fit(x, target)
            columns.append(model.predict(rows).ravel().numpy())
    return dict(Loss=loss, Landmarks=m, Lambda=penalty, Gamma=gamma, Scores=digits(np.stack(columns, 1)))


cases = []
for seed, (n, d, *setting) in enumerate([(150, 4, 30, 1e-1, 0.3), (200, 3, 60, 1e-3, 0.5), (300, 8, 100, 1e-5, 0.1), (120, 2, 120, 1e-4, 1.0)]):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    y = np.where(np.sin(2 * x[:, 0]) + x[:, 1] * x[:, -1] + 0.3 * rng.normal(size=n + 20) > 0, 1.0, -1.0)
    cases.append(dict(predict("logistic", x[:n], y[:n, None], x[n:], *setting), N=n, D=d, X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:])))
for name, *setting in [("wine 3 classes", 60, 1e-4, 0.05), ("pima", 100, 1e-3, 0.1), ("german", 150, 1e-4, 0.03), ("occupancy", 40, 1e-3, 1.0), ("year", 120, 1e-2, 0.01)]:
    x, y, rows = problems.problem(name)
    for loss in ["square", "logistic"] if name != "year" else ["square"]:
        cases.append(dict(predict(loss, x, problems.columns(name, y), rows, *setting), Set=name))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
