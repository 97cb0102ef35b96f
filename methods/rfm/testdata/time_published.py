"""Prints the processor seconds of fits by the published program (dmbeaglehole/xRFM, on PyPI xrfm) in double precision on one thread. The
sizes and settings are those of bench_test.go. Needs torch, tqdm, scikit-learn and xrfm (0.4.5 in docs/notebook/performance.md):

    OMP_NUM_THREADS=1 python time_published.py [REPEAT]
"""
import sys
import time

import torch
from xrfm.rfm_src import RFM

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)
x = torch.randn(3000, 60)
y = torch.sign(x[:, :1] + x[:, 1:2] * x[:, 2:3])
for solver in ("solve", "cholesky"):
    took = []
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        machine = RFM(kernel="l2_high_dim", bandwidth=10.0, exponent=1.0, device="cpu", verbose=False)
        start = time.process_time()
        machine.fit((x, y), (x[:2], y[:2]), iters=2, reg=0.1, return_best_params=False, early_stop_rfm=False, verbose=False, solver=solver)
        took.append(time.process_time() - start)
    print(f"RFM, 3000 x 60, three solutions, solver={solver}:", *(f"{t:.2f}" for t in sorted(took)), flush=True)
