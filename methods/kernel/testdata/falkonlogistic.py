"""Writes falkonlogistic.json: what logistic FALKON of the published program (FalkonML/falkon) predicts on drawn problems. Needs torch, scipy, and
that program, built for processors alone:

    FALKON=falkon python falkonlogistic.py > falkonlogistic.json

It runs in double precision with the given landmarks, with ten Newton steps at the last penalty and a hundred conjugate-gradient steps in each,
so that it comes to the minimum. Its penalty is half of lambda |f|^2, ours is lambda |f|^2: it gets 2 lambda.
"""
import contextlib
import json
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.environ["FALKON"])
import falkon
from falkon.center_selection import FixedSelector

digits = lambda array: [float(f"{v:.12g}") for v in np.asarray(array).ravel()]

cases = []
for seed, (n, d, m, penalty, gamma) in enumerate([(150, 4, 30, 1e-1, 0.3), (200, 3, 60, 1e-3, 0.5), (300, 8, 100, 1e-5, 0.1), (120, 2, 120, 1e-4, 1.0)]):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    y = np.where(np.sin(2 * x[:, 0]) + x[:, 1] * x[:, -1] + 0.3 * rng.normal(size=n + 20) > 0, 1.0, -1.0)
    options = falkon.FalkonOptions(use_cpu=True, keops_active="no", cg_tolerance=1e-14)
    kernel = falkon.kernels.GaussianKernel(sigma=(1 / (2 * gamma)) ** 0.5, opt=options)
    path = [mu for mu in [1e-1, 1e-2, 1e-3, 1e-4] if mu > 2 * penalty]
    model = falkon.LogisticFalkon(
        kernel=kernel, penalty_list=path + [2 * penalty] * 10, iter_list=[100] * (len(path) + 10), loss=falkon.gsc_losses.LogisticLoss(kernel), M=m,
        center_selection=FixedSelector(centers=torch.tensor(x[:m]), y_centers=torch.tensor(y[:m, None])), error_fn=None, options=options)
    with contextlib.redirect_stdout(sys.stderr):
        model.fit(torch.tensor(x[:n]), torch.tensor(y[:n, None]))
        scores = model.predict(torch.tensor(x[n:]))
    cases.append(dict(N=n, D=d, Landmarks=m, Lambda=penalty, Gamma=gamma, X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:]), Scores=digits(scores)))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
