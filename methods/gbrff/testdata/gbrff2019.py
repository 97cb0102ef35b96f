"""Writes gbrff2019.json: GBRFF and GBRFF-random (Gautheron et al. 2019, Algorithm 1 with
equations 5, 7 and 8) in plain NumPy and SciPy, on data drawn from NumPy's legacy generator.

    python gbrff2019.py > gbrff2019.json      # NumPy 2.4, SciPy 1.17
"""
import json
import numpy as np
from scipy.optimize import fmin_l_bfgs_b
from scipy.special import logsumexp

N, D, T, K = 80, 4, 20, 10


def sample():
    rng = np.random.RandomState(5)
    X = rng.randn(N, D)
    y = np.where(np.sin(2 * X[:, 0]) + 0.5 * rng.randn(N) < 0, -1.0, 1.0)
    return X, y


def fit(X, y, c, v, random):
    rng = np.random.RandomState(1)
    omegas = rng.randn(T, K, D)
    chosen = rng.choice(N, T)
    h0 = np.mean(y)
    H = np.full(N, h0)
    out = dict(c=c, v=v, random=random, h0=h0, alpha=[], loss=[], landmark=[], weight=[])
    for t in range(T):
        W, r = omegas[t], y - H

        def features(x):
            return W @ (x - X).T  # K x N

        def loss(x):
            z = features(x)
            e = r - np.mean(np.cos(z), axis=0)
            slope = np.mean(np.sin(z)[:, :, None] * W[:, None, :], axis=0)  # N x D
            return np.mean(e**2), 2 * np.mean(e[:, None] * slope, axis=0)

        x = X[chosen[t]] if random else fmin_l_bfgs_b(loss, np.zeros(D), maxiter=10)[0]
        single = np.cos(features(x))
        f = np.mean((r - single) ** 2, axis=1)
        q = np.exp(-c * f - logsumexp(-c * f))
        h = q @ single
        alpha = r @ h / (h @ h)
        H = H + v * alpha * h
        out["alpha"].append(alpha)
        out["loss"].append(np.mean((y - H) ** 2))
        out["landmark"].append(list(x))
        out["weight"].append(list(q))
    out["landmark"], out["weight"] = out["landmark"][:3], out["weight"][:3]
    return out


X, y = sample()
print(json.dumps([fit(X, y, c, v, random) for c, v in [(0, 1), (4, 0.5), (64, 0.1)] for random in (False, True)], indent=1))
