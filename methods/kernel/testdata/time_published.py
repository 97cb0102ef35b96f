"""Prints the processor seconds of fits by the published programs on one thread: FalkonML/falkon, EigenPro/EigenPro3, and scikit-learn's
Nystroem with LogisticRegression. Sizes and settings are those of BenchmarkLarge. Needs torch, scikit-learn, a build of falkon for processors alone, and
a checkout of EigenPro3:

    FALKON=falkon EIGENPRO3=EigenPro3 OMP_NUM_THREADS=1 python time_published.py FALKON|EIGENPRO|NYSTROEM ROWS [REPEAT]

falkon and EigenPro3 run in double and in single precision, which is EigenPro3's own. TOL is the tolerance of LogisticRegression's
gradient, by default its own.
"""
import contextlib
import io
import os
import sys
import time
import types

import numpy as np
import torch

torch.set_num_threads(1)
D, GAMMA = 20, 0.05


def timed(name, fit):
    took = []
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            right = fit()
        took.append(time.process_time() - start)
    print(f"{name}:", *(f"{t:.2f}" for t in sorted(took)), f"s, {100 * right:.1f} % of the training rows right", flush=True)


def data(n, dtype):
    torch.manual_seed(1)
    x = torch.randn(n, D, dtype=dtype)
    return x, torch.sign(x[:, :1] + x[:, 1:2] * x[:, 2:3])


def falkon_fit(x, y):
    options = falkon.FalkonOptions(use_cpu=True, keops_active="no", num_fmm_streams=1)
    kernel = falkon.kernels.GaussianKernel(sigma=(1 / (2 * GAMMA)) ** 0.5, opt=options)
    model = falkon.Falkon(kernel=kernel, penalty=1e-6, M=1000, maxiter=20, options=options)
    model.fit(x, y)
    return (model.predict(x[:1000]).sign() == y[:1000]).double().mean()


def eigenpro_fit(x, y):
    kernel = lambda a, b: gaussian(a, b, (1 / (2 * GAMMA)) ** 0.5)
    torch.set_default_dtype(x.dtype)
    model = three.KernelModel(1, x[:2000], kernel, X=x, y=y, nystrom_samples=x[:1000], data_preconditioner_level=100)
    model.fit(model.train_loaders, epochs=10)
    return ((kernel(x[:1000], model.centers) @ model.weights).sign() == y[:1000]).double().mean()


def nystroem_fit(x, y):
    model = make_pipeline(Nystroem(gamma=GAMMA, n_components=300, random_state=1), LogisticRegression(C=1 / (2e-4 * len(x)), max_iter=10000, tol=float(os.environ.get("TOL", "1e-4"))))
    model.fit(x.numpy(), y.numpy().ravel())
    return np.mean(np.sign(model.predict(x[:1000].numpy())) == y[:1000].numpy().ravel())


what, n = sys.argv[1], int(sys.argv[2])
if what == "FALKON":
    sys.path.insert(0, os.environ["FALKON"])
    import falkon
elif what == "EIGENPRO":
    sys.modules["torchvision"] = types.ModuleType("torchvision")
    sys.modules["torchvision.datasets"] = types.ModuleType("torchvision.datasets")
    for name in ["MNIST", "EMNIST", "FashionMNIST", "KMNIST", "CIFAR10"]:
        setattr(sys.modules["torchvision.datasets"], name, None)
    sys.path.insert(0, os.environ["EIGENPRO3"])
    import eigenpro3.models as three
    from eigenpro3.kernels import gaussian
else:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
fit = {"FALKON": falkon_fit, "EIGENPRO": eigenpro_fit, "NYSTROEM": nystroem_fit}[what]
for precision in [torch.float64, torch.float32] if what != "NYSTROEM" else [torch.float64]:
    x, y = data(n, precision)
    timed(f"{what}, {n} x {D}, {precision}", lambda: fit(x, y))
