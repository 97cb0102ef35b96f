"""Prints the processor seconds of fits by the published program of RFRBoost (nikitazozoulenko/random-feature-representation-boosting) on
one thread, in single precision, which is its own, and in double. Sizes and settings are those of bench_test.go. Needs torch,
pytorch-minimize, SciPy, tqdm, and a checkout of that program:

    BENCH_RFRBOOST=random-feature-representation-boosting OMP_NUM_THREADS=1 python time_published.py [REPEAT]
"""
import os
import sys
import time

import torch

sys.path.insert(0, os.environ["BENCH_RFRBOOST"])
from models import random_feature_representation_boosting as published

torch.set_num_threads(1)
for n, d in ((700, 23), (3217, 57)):
    for precision in (torch.float32, torch.float64):
        torch.set_default_dtype(precision)
        torch.manual_seed(1)
        x = torch.randn(n, d)
        y = (torch.arange(n) % 2).to(precision)[:, None]
        x[:, :1] = 0.3 * x[:, :1] + 2 * y - 1
        took = []
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
            model = published.GradientRFRBoostClassifier(
                in_dim=d, n_classes=2, n_layers=5, randfeat_xt_dim=512, randfeat_x0_dim=512, l2_cls=1e-4, l2_ghat=1e-2, boost_lr=1.0,
                feature_type="SWIM", upscale_type="identity", use_batchnorm=False, SWIM_scale=0.5)
            start = time.process_time()
            model.fit(x, y)
            took.append(time.process_time() - start)
        print(f"RFRBoost, {n} x {d}, {precision}:", *(f"{t:.3f}" for t in sorted(took)), flush=True)
