"""splits.json: the 70/30 splits and five folds of the published protocol, and one of them with its rows standardised."""
import hashlib

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

import realdata

WHOLE = {("wine", 1), ("wine", 2), ("bupa", 1), ("bupa", 2)}  # whose indices are listed, not only hashed


def split(y, seed):
    """Training rows, test rows, and the positions of each fold within the training rows.

    Both draws are from NumPy's global generator, as in the published program.
    """
    np.random.seed(seed)
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, shuffle=True, stratify=y)
    return train, test, [valid for _, valid in StratifiedKFold(5, shuffle=True).split(train, y[train])]


def parts(data, name, seed):
    """Training inputs and labels, test inputs and labels of a split, standardised; and the numbers of the training rows."""
    x, y = realdata.binary(data, name)
    train, test, _ = split(y, seed)
    a, b = realdata.standardised(x[train], x[test])
    return a, y[train], b, y[test], train


def sha256(indices):
    return hashlib.sha256(",".join(map(str, indices)).encode()).hexdigest()


def make(data):
    rows = []
    for name in realdata.SETS:
        _, y = realdata.binary(data, name)
        for seed in range(1, 11):
            train, test, folds = split(y, seed)
            rows.append({
                "dataset": name, "seed": seed, "n": len(y), "n_train": len(train), "n_test": len(test),
                "n_train_pos": int(np.sum(y[train] > 0)), "train_sha256": sha256(train), "test_sha256": sha256(test),
                "valid_folds_sha256": [sha256(f) for f in folds],
            })
            if (name, seed) in WHOLE:
                rows[-1] |= {"train": train, "test": test, "valid_folds": folds}
    return {
        "protocol": "np.random.seed(seed); train_test_split(X, y, shuffle=True, stratify=y, test_size=0.3); "
        "StratifiedKFold(5, shuffle=True) on (Xtrain, ytrain), both drawing from the same global state",
        "rows": rows,
    }
