"""The published side of bench-peers: fits by the modules of a checkout of the 2020 paper's
program, timed in processor seconds. One JSON request a line on stdin, one answer a line on
stdout. Nothing of that program is here; the parameters below restate its main.py and the
defaults of our methods (gamma = 1/d, beta = 1, lambda = 0, C = 1).
"""
import itertools
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["BENCH_PUBLISHED"], "experiment-latex-array-results"))

import numpy as np
import scipy
import sklearn
import bmkr
import gfc
import pbrff
from gbrff1 import gbrff as gbrff1
from gbrff2 import gbrff as gbrff2
from sklearn.svm import SVC, SVR


def whole_iterations(machine):
    """The machine as the modules call it: they pass 1e4, which today's scikit-learn refuses."""
    return lambda max_iter, **others: machine(max_iter=int(max_iter), **others)


gfc.SVC = pbrff.SVC = whole_iterations(SVC)
bmkr.SVR = whole_iterations(SVR)


def rng():
    return np.random.RandomState(1)


FIT = {
    "GBRFF1": lambda d: gbrff1(gamma=1 / d, T=100, beta=1, K=10, randomState=rng()),
    "GBRFF2": lambda d: gbrff2(gamma=1 / d, T=100, Lambda=0, randomState=rng()),
    "PBRFF": lambda d, gamma=1, beta=1, C=1: pbrff.pbrff(
        gamma=gamma / d, beta=beta, C=C, K=10, n_landmarks=100, randomState=rng()
    ),
    "BMKR": lambda d, C=1: bmkr.BMKR(T=100, C=C),
    "GFC": lambda d, C=1: gfc.GreedyFeatureConstruction(numFeatures=100, C=C, randomState=rng()),
}
POWERS = [1e-2, 1e-1, 1.0, 1e1, 1e2]
GRID = {
    "PBRFF": dict(gamma=[0.25, 0.5, 1, 2, 4], beta=POWERS, C=POWERS),
    "BMKR": dict(C=POWERS),
    "GFC": dict(C=POWERS),
}


def read(part):
    rows = np.fromfile(part["file"], dtype="<f8").reshape(part["rows"], part["cols"] + 1)
    return np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])


def fit(method, grid):
    d = X.shape[1]
    start = time.process_time()
    if not grid:
        FIT[method](d).fit(X, y)
        return time.process_time() - start
    names = list(GRID[method])
    for values in itertools.product(*GRID[method].values()):
        model = FIT[method](d, **dict(zip(names, values)))
        model.fit(X, y)
        model.predict(V)
    return time.process_time() - start


answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the modules print is no answer
print_answer = lambda value: print(json.dumps(value), file=answers, flush=True)
print_answer(
    {"versions": f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"}
)
for line in sys.stdin:
    request = json.loads(line)
    if "train" in request:
        (X, y), (V, _) = read(request["train"]), read(request["valid"])
        print_answer({})
    else:
        print_answer({"seconds": fit(request["method"], request["grid"])})
