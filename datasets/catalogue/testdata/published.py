"""Writes published.json: the drawn sets of the experiments of Gautheron et al. 2020, made by NumPy and scikit-learn.

    python published.py > published.json      # NumPy 2.4, scikit-learn 1.9
"""
import json
import numpy as np
from sklearn.datasets import make_classification, make_moons


def moons(n):
    np.random.seed(55)
    x, y = make_moons(n, shuffle=False, noise=0.05)
    return 2 * (x - x.mean(axis=0)), np.where(y == 1, 1, -1)


def swiss_roll(n):
    np.random.seed(1)
    parts = []
    for shrink in (1, 0.9):
        t = 1.5 * np.pi * (1 + 2 * np.random.uniform(size=n // 2))
        parts.append(shrink * np.stack([t * np.cos(t), t * np.sin(t)], axis=1) + 0.4 * np.random.randn(n // 2, 2))
    return np.vstack(parts), np.repeat([-1, 1], n // 2)


def rings(n):
    np.random.seed(1)
    parts, labels = [], []
    for c in range(4):
        angle = np.linspace(0, 2 * np.pi, n // 4, endpoint=False)
        x = (np.cos(angle) + np.random.normal(scale=0.07, size=n // 4)) * (c + 1)
        parts.append(np.stack([x, (np.sin(angle) + np.random.normal(scale=0.07, size=n // 4)) * (c + 1)], axis=1))
        labels += [1 if c % 2 else -1] * (n // 4)
    return np.vstack(parts), np.array(labels)


def checkerboard(n):
    np.random.seed(1)
    x = np.stack([np.random.uniform(0, 4, n), np.random.uniform(0, 4, n)], axis=1)
    return x, np.where(np.floor(x).sum(axis=1) % 2 == 0, -1, 1)


def classification(n):
    x, y = make_classification(n_samples=n, n_classes=2, random_state=1)
    return x, np.where(y == 1, 1, -1)


out = {}
for name, make, sizes in [("moons", moons, (100,)), ("swiss-roll", swiss_roll, (20,)), ("rings", rings, (20,)),
                          ("checkerboard", checkerboard, (20,)), ("classification", classification, (150, 337))]:
    for n in sizes:
        x, y = make(n)
        keep = slice(0, None) if n <= 100 else slice(0, 20)
        out[f"{name}({n})"] = {"x": np.round(x[keep], 9).tolist(), "y": y[keep].tolist(), "sum": float(np.round(x.sum(), 6)), "positive": int((y == 1).sum())}
print(json.dumps(out, separators=(",", ":")))
