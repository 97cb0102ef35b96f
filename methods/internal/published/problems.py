"""The problems on real sets that published programs are given: the rule of real.go, which the tests read the same rows by.

The scripts in testdata folders import it. BENCH_MIRROR names the folder of data files.
"""
import csv
import os

import numpy as np

# The set's file, its first column that is a feature, the column of its target, and what is +1 of two classes; None for classes, "" for numbers.
TABLES = {
    "wine 3 classes": ("wine/wine.data", 1, 0, None),
    "pima": ("pima/pima-indians-diabetes.data", 0, 8, "1"),
    "german": ("german/german.data", 1, 24, "2"),
    "occupancy": ("occupancy/occupancy.csv", 0, 5, "1"),
    "year": ("year-prediction/year_prediction_subset.csv", 1, 0, ""),
}
MOST = 400  # rows, of which every fourth is for predictions


def problem(name):
    """Returns x, y, rows: training rows, their targets, and rows to predict. Features, and targets that are numbers, have mean 0 and
    deviation 1 over the training rows. Of two classes the targets are +1 and -1, of more their codes in the order of appearance."""
    file, first, target, positive = TABLES[name]
    with open(os.path.join(os.environ["BENCH_MIRROR"], file)) as f:
        records = list(csv.reader(f))
    keep = min(MOST, len(records))
    records = [records[i * len(records) // keep] for i in range(keep)]
    x = np.array([[float(v) for j, v in enumerate(r) if j >= first and j != target] for r in records])
    label = [r[target].strip() for r in records]
    if positive is None:
        y = np.array([list(dict.fromkeys(label)).index(v) for v in label], dtype=float)
    elif positive:
        y = np.array([1.0 if v == positive else -1.0 for v in label])
    else:
        y = np.array([float(v) for v in label])
    train = np.arange(keep) % 4 != 3
    mean, deviation = x[train].mean(axis=0), x[train].std(axis=0)
    x = (x - mean) / np.where(deviation > 0, deviation, 1)
    if positive == "":
        y = (y - y[train].mean()) / y[train].std()
    return x[train], y[train], x[~train]


def columns(name, y):
    """Returns the targets (n x outputs) of a method that takes classes one against the rest: for three classes +1 and -1 in three columns."""
    if TABLES[name][3] is not None:
        return y[:, None]
    return np.where(y[:, None] == np.arange(y.max() + 1), 1.0, -1.0)


def digits(array):
    """Returns the array's numbers, as a file holds them."""
    return [float(f"{v:.12g}") for v in np.asarray(array).ravel()]


def case(name, **numbers):
    """Returns a case of a file: the set instead of its rows, and the numbers."""
    return dict(Set=name, **numbers)
