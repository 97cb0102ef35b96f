"""Prints the processor seconds of fits by the published program (dmbeaglehole/xRFM, on PyPI xrfm) on one thread. The sizes and settings
are those of bench_test.go. Needs torch, tqdm, scikit-learn and xrfm (0.4.5 in docs/notebook/performance.md):

    OMP_NUM_THREADS=1 python time_published.py RFM|xRFM [REPEAT]

RFM is in double precision. xRFM is in double and in single precision, which is its default, with 200 validation rows.
"""
import functools
import sys
import time

import torch
from xrfm import xRFM
from xrfm.rfm_src import RFM

torch.set_num_threads(1)


def data(n, d):
    torch.manual_seed(1)
    x = torch.randn(n, d)
    return x, torch.sign(x[:, :1] + x[:, 1:2] * x[:, 2:3])


def timed(name, fit):
    took = []
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        start = time.process_time()
        fit()
        took.append(time.process_time() - start)
    print(f"{name}:", *(f"{t:.2f}" for t in sorted(took)), flush=True)


def machine(x, y, solver):
    m = RFM(kernel="l2_high_dim", bandwidth=10.0, exponent=1.0, device="cpu", verbose=False)
    m.fit((x, y), (x[:2], y[:2]), iters=2, reg=0.1, return_best_params=False, early_stop_rfm=False, verbose=False, solver=solver)


def tree(x, y, solver):
    model = dict(kernel="l2_high_dim", bandwidth=10.0, exponent=1.0, diag=False, bandwidth_mode="constant")
    fit = dict(return_best_params=False, early_stop_rfm=False, verbose=False, solver=solver)
    m = xRFM(rfm_params=dict(model=model, fit=dict(fit, reg=0.1, iters=3)), max_leaf_size=3000, device="cpu", verbose=False,
             default_rfm_params=dict(model=model, fit=dict(fit, reg=1e-3, iters=0, get_agop_best_model=True)), tuning_metric="mse",
             use_temperature_tuning=False, refill_size=0)
    m.fit(x, y, x[:200], y[:200])


# The program fits 95 % of a subset.
xRFM._get_agop_on_subset = functools.partialmethod(xRFM._get_agop_on_subset, subset_size=2105)
single = torch.Tensor.float
for precision in ("double", "single") if sys.argv[1] == "xRFM" else ("double",):
    torch.set_default_dtype(torch.float64 if precision == "double" else torch.float32)
    torch.Tensor.float = torch.Tensor.double if precision == "double" else single
    for solver in ("solve", "cholesky"):
        if sys.argv[1] == "RFM":
            timed(f"RFM, 3000 x 60, three solutions, {precision} precision, solver={solver}", lambda: machine(*data(3000, 60), solver))
        else:
            timed(f"xRFM, 12000 x 20, four leaves, {precision} precision, solver={solver}", lambda: tree(*data(12000, 20), solver))
