"""Real data, read from a folder laid out as `bench data fetch` leaves it. Nothing of it gets into an oracle file."""
from itertools import product
from pathlib import Path

import numpy as np


class Missing(Exception):
    """What a file is made from is not at hand."""


# The file, the column of the label, the labels that are +1, and columns that the published experiments leave out.
SETS = {
    "wine": ("wine/wine.data", 0, ("1",), ()),
    "sonar": ("sonar/sonar.dat", -1, ("R",), ()),
    "newthyroid": ("newthyroid/newthyroid.dat", -1, ("2", "3"), ()),
    "heart": ("heart/heart.data", -1, ("2",), ()),
    "bupa": ("bupa/bupa.dat", -1, ("1",), ()),
    "iono": ("ionosphere/ionosphere.data", -1, ("b",), ()),
    "wdbc": ("wdbc/wdbc.dat", -1, ("M",), ()),
    "balance": (None, 0, ("L",), ()),
    "australian": ("australian/australian.data", -1, ("1",), ()),
    "pima": ("pima/pima-indians-diabetes.data", -1, ("1",), ()),
    "vehicle": ("vehicle/vehicle.data", -1, ("van",), ()),
    "german": ("german/german.data", -1, ("2",), (0,)),
    "splice": ("splice/splice.data", 0, ("-1",), ()),
    "spambase": ("spambase/spambase.dat", -1, ("1",), ()),
    "occupancy": ("occupancy/occupancy.csv", -1, ("1",), ()),
}


def rows_of(data, path):
    if data is None:
        raise Missing("no real data: name its folder by --data, BENCH_MIRROR or BENCH_DATA")
    with open(Path(data, path)) as lines:
        return [line.strip().split(",") for line in lines if line.strip()]


def balance():
    """Every pair of weights and distances from 1 to 5, and the side that goes down."""
    for a, b, c, d in product(range(1, 6), repeat=4):
        yield ["L" if a * b > c * d else "R" if a * b < c * d else "B", a, b, c, d]


def binary(data, name):
    """The inputs of a set of the 2020 paper, and its labels -1 and 1."""
    path, label, positive, dropped = SETS[name]
    rows = rows_of(data, path) if path else list(balance())
    y = np.array([1 if row[label] in positive else -1 for row in rows])
    left = [j for j in range(len(rows[0])) if j != label % len(rows[0]) and j not in dropped]
    return np.array([[float(row[j]) for j in left] for row in rows]), y


def standardised(train, test):
    """Both parts less the training mean, over the training population's standard deviation; a deviation of 0 counts as 1."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation[deviation == 0] = 1
    return (train - mean) / deviation, (test - mean) / deviation


def libsvm(data, path, d):
    """A file of LIBSVM's format: the first d features, and the labels."""
    x, y = [], []
    for line in rows_of(data, path):
        label, *pairs = line[0].split()
        row = np.zeros(d)
        for pair in pairs:
            index, value = pair.split(":")
            if int(index) <= d:
                row[int(index) - 1] = float(value)
        x.append(row)
        y.append(float(label))
    return np.array(x), np.array(y)


def adult(data):
    """a9a and a9a.t without column 123, which only the training file has."""
    return *libsvm(data, "adult/a9a", 122), *libsvm(data, "adult/a9a.t", 122)


def epileptic(data, seed):
    """178 points of time; class 1, a seizure, against the rest; 8625 training rows."""
    rows = np.array([[float(v) for v in row[1:]] for row in rows_of(data, "epileptic/epileptic.csv")[1:]])
    rows = rows[np.random.RandomState(seed).permutation(len(rows))]
    x, y = rows[:, :-1], np.where(rows[:, -1] == 1, 1.0, -1.0)
    return x[:8625], y[:8625], x[8625:], y[8625:]


def online_news(data, seed):
    """58 inputs; the target as it is in the file; the share of training rows is 26561 of 39644, as in the paper."""
    rows = np.array([[float(v) for v in row] for row in rows_of(data, "online-news/online_news_random.csv")[1:]])
    rows = rows[np.random.RandomState(seed).permutation(len(rows))]
    n = round(len(rows) * 26561 / 39644)
    return rows[:n, :-1], rows[:n, -1], rows[n:, :-1], rows[n:, -1]
