"""Writes kinds.json: splits of the kinds kfold and given, and some of the training rows of stratified ones, drawn with scikit-learn.

    python kinds.py > kinds.json      # NumPy 2.4, scikit-learn 1.9
"""
import json
import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

FOLDS = 3


def targets(task, n):
    rng = np.random.RandomState(n)
    if task == "regression":
        return np.round(rng.randn(n), 3)
    if task == "binary":
        return np.where(rng.rand(n) < 0.4, 1, -1)
    return rng.randint(0, 3, n)


def folds(task, k, stream):
    return (KFold if task == "regression" else StratifiedKFold)(k, shuffle=True, random_state=stream)


def split(task, y, train, test, s):
    inner = folds(task, FOLDS, np.random.RandomState(s)).split(train, y[train])
    return dict(train=train.tolist(), test=test.tolist(), folds=[valid.tolist() for _, valid in inner])


rows = []
for task, n in [("binary", 41), ("multiclass", 50), ("regression", 37)]:
    y, every = targets(task, n), np.arange(n)
    for parts in (2, 4):
        for s in range(1, 2 * parts + 1):
            turn = list(folds(task, parts, (s - 1) // parts + 1).split(every, y))
            train, test = turn[(s - 1) % parts]
            rows.append(dict(task=task, y=y.tolist(), kind="kfold", parts=parts, train_rows=0, number=s, split=split(task, y, train, test, s)))
    for s in (1, 2):
        rows.append(dict(task=task, y=y.tolist(), kind="given", parts=0, train_rows=30, number=s, split=split(task, y, every[:30], every[30:], s)))
    classes = task != "regression"
    for s in (1, 2, 3):  # one stream draws the test part, then some of the training rows, then the folds
        stream = np.random.RandomState(s)
        train, test = train_test_split(every, test_size=0.3, stratify=y if classes else None, random_state=stream)
        train, _ = train_test_split(train, train_size=20, stratify=y[train] if classes else None, random_state=stream)
        inner = folds(task, FOLDS, stream).split(train, y[train])
        of = dict(train=train.tolist(), test=test.tolist(), folds=[valid.tolist() for _, valid in inner])
        rows.append(dict(task=task, y=y.tolist(), kind="stratified", parts=0, train_rows=0, some=20, number=s, split=of))
print(json.dumps(rows, separators=(",", ":")))
