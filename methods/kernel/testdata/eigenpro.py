"""Writes eigenpro.json: what the published programs of EigenPro 2 (EigenPro/EigenPro-pytorch, at commit bec4927) and EigenPro 3
(EigenPro/EigenPro3, at commit a1da2d3)
predict on drawn problems and real sets. Needs torch, scipy before 1.14, a checkout of each program, and the folder of data files:

    EIGENPRO2=EigenPro-pytorch EIGENPRO3=EigenPro3 BENCH_MIRROR=datasets python eigenpro.py > eigenpro.json

Both run in double precision, on batches in the order of the rows, with the first rows as landmarks and subsample, and with the q, batch
and step that a case names: their own draws and choices are left out. EigenPro 2 raises ratios of eigenvalues to the power of 1, as in its
paper, where the program has 0.95; its eigenvectors are found to 1e-13. EigenPro 3 projects by solving the system of the landmarks, where the
program makes two passes of EigenPro 2. torchvision, which it imports for its data sets, is left out.
"""
import contextlib
import functools
import json
import os
import sys
import types

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/fits"))
import problems

sys.modules["torchvision"] = types.ModuleType("torchvision")
sys.modules["torchvision.datasets"] = types.ModuleType("torchvision.datasets")
for name in ["MNIST", "EMNIST", "FashionMNIST", "KMNIST", "CIFAR10"]:
    setattr(sys.modules["torchvision.datasets"], name, None)
sys.path[:0] = [os.environ["EIGENPRO2"], os.environ["EIGENPRO3"]]
import eigenpro2.kernels
import eigenpro2.models as two
import eigenpro3.models as three

torch.set_default_dtype(torch.float64)
torch.lobpcg = functools.partial(torch.lobpcg, tol=1e-13, niter=5000)
digits = problems.digits


def second(x, y, kernel, s, q, batch, step, epochs):
    model = two.KernelModel(kernel, x, y.shape[1], device="cpu")
    precondition, *_ = two.asm_eigenpro_fn(x[:s], kernel, q, len(x), alpha=1)
    for _ in range(epochs):
        for ids in torch.split(torch.arange(len(x)), batch):
            model.eigenpro_iterate(x[:s], x[ids], y[ids], precondition, step, torch.arange(s), ids)
    return model.forward


def third(x, y, kernel, m, s, q, batch, step, epochs):
    model = three.KernelModel(y.shape[1], x[:m], kernel, y=y, X=x, make_dataloader=False, nystrom_samples=x[:s], data_preconditioner_level=q - 1)
    model.batch_size, model.lr = batch, step * batch
    among = kernel(x[:m], x[:m])
    model.inexact_projector.fit_hilbert_projection = lambda h, mem_gb: torch.linalg.solve(among, h)
    for _ in range(epochs):
        for ids in torch.split(torch.arange(len(x)), batch):
            model.fit_batch(x[ids], y[ids])
    return lambda rows: kernel(rows, x[:m]) @ model.weights


def predict(x, y, rows, m, s, q, batch, bandwidth, step, epochs):
    kernel = lambda a, b: eigenpro2.kernels.gaussian(a, b, bandwidth)
    x, y = torch.tensor(x), torch.tensor(y)
    with contextlib.redirect_stdout(sys.stderr):
        if m == len(x):
            f = second(x, y, kernel, s, q, batch, step, epochs)
        else:
            f = third(x, y, kernel, m, s, q, batch, step, epochs)
    return dict(Landmarks=m, Sample=s, Q=q, Batch=batch, Gamma=1 / (2 * bandwidth**2), Step=step, Epochs=epochs, Scores=digits(f(torch.tensor(rows))))


cases = []
for seed, (n, d, outputs, *setting) in enumerate(
    [(150, 4, 1, 150, 150, 20, 64, 1.0, 0.4, 5), (200, 8, 3, 200, 120, 30, 64, 2.0, 0.3, 4), (300, 5, 1, 300, 90, 12, 128, 1.5, 0.2, 10),
     (300, 4, 1, 80, 80, 10, 64, 1.0, 0.4, 5), (260, 10, 3, 100, 60, 15, 128, 2.0, 0.3, 6), (400, 6, 1, 120, 90, 25, 64, 1.5, 0.4, 3)]
):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n + 20, d)).round(6)
    if outputs > 1:
        label = (x[:, 0] > 0.4).astype(int) + (x[:, 1] * x[:, 2] > 0)
        y = np.where(label[:, None] == np.arange(outputs), 1.0, -1.0)
    else:
        y = (np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n + 20)).round(6)[:, None]
    cases.append(dict(predict(x[:n], y[:n], x[n:], *setting), N=n, D=d, Outputs=outputs, X=digits(x[:n]), Y=digits(y[:n]), Rows=digits(x[n:])))
for name, m, *setting in [
    ("wine 3 classes", 0, 134, 20, 64, 3.0, 0.4, 5), ("pima", 0, 200, 20, 64, 2.0, 0.4, 5), ("german", 0, 250, 30, 128, 4.0, 0.3, 5),
    ("occupancy", 0, 300, 15, 64, 1.5, 0.3, 4), ("year", 0, 200, 30, 64, 8.0, 0.3, 5),
    ("wine 3 classes", 60, 60, 10, 64, 3.0, 0.3, 5), ("pima", 100, 80, 15, 64, 2.0, 0.3, 5), ("german", 120, 100, 20, 128, 4.0, 0.3, 5),
    ("occupancy", 60, 60, 10, 64, 0.3, 0.3, 4), ("year", 100, 90, 20, 64, 8.0, 0.3, 5),
]:
    x, y, rows = problems.problem(name)
    cases.append(dict(predict(x, problems.columns(name, y), rows, m or len(x), *setting), Set=name))
json.dump({"Cases": cases}, sys.stdout, separators=(",", ":"))
