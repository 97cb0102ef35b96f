"""What can be found out about a method that says little of itself: its tasks, and a first grid."""

import contextlib
import inspect
import io
import math
import warnings

import numpy as np

# Parameters that say how to compute and not what to learn.
FIXED = {"seed", "random_state", "n_jobs", "workers", "verbose", "verbosity", "tol", "max_iter", "cache_size", "eps", "warm_start"}
MOST = 3  # axes, so that a grid has 27 points or fewer


def guess_tasks(method):
    """The tasks of a Method for which a small fit ends in scores; all, where none does, so that the error is met by the user."""
    every = method.description["tasks"]
    return [task for task in every if small_fit(method, {}, *small(task), task) is not None] or every


def guess_grid(method):
    """The grid of a Method without one: for each of at most three parameters three values.

    A number v > 0 is tried as v / 10, v and 10 v, a count as v / 2, v and 2 v. A small fit decides which values the
    method takes, and a parameter that changes no score there is left out. Real numbers come before counts, each in
    the constructor's order.
    """
    task = [t for t in ("binary", "regression", "multiclass") if t in method.description["tasks"]][0]
    X, y = small(task)
    defaults = constructor(method)
    grid = {}
    for wanted in (float, int):
        for name, value in defaults.items():
            if len(grid) == MOST or type(value) is not wanted or not 0 < value < math.inf or name.split("__")[-1] in FIXED:
                continue
            values = taken(method, name, around(value), X, y, task)
            if len(values) > 1:
                grid[name] = values
    return grid


def constructor(method):
    """The parameters of an estimator or of a class, with their defaults."""
    if method.estimator:
        signature = list(inspect.signature(type(method.method)).parameters)
        found = {n: v for n, v in method.method.get_params().items() if n.split("__")[0] != n or n in signature}
        return dict(sorted(found.items(), key=lambda item: signature.index(item[0]) if item[0] in signature else len(signature)))
    return {n: p.default for n, p in method.given.items()}


def around(value):
    if isinstance(value, int):
        return [1, 2, 4] if value == 1 else [value // 2, value, 2 * value]
    return [float(f"{value * f:.12g}") for f in (0.1, 1, 10)]


def small(task):
    """Two features of four tell what is to be learned, and not by a line."""
    draws = np.random.RandomState(1)
    X = draws.normal(size=(80, 4))
    truth = X[:, 0] + X[:, 1] ** 2 - 1 + 0.5 * draws.normal(size=80)
    if task == "regression":
        return X, truth
    if task == "binary":
        return X, np.where(truth > 0, 1.0, -1.0)
    return X, np.digitize(truth, [-0.7, 0.7]).astype(float)


def taken(method, name, values, X, y, task):
    """The values that a fit takes, or none if all of these learn the same."""
    found = {value: small_fit(method, {name: value}, X, y, task) for value in values}
    found = {value: scores for value, scores in found.items() if scores is not None}
    first = next(iter(found.values()), None)
    return list(found) if any(not np.array_equal(scores, first) for scores in found.values()) else []


def small_fit(method, setting, X, y, task):
    """The scores of the training rows, or None where the method refuses."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            scores = method.fit(X, y, task, 3 if task == "multiclass" else 1, setting, 1, 1).scores(X)
    except Exception:
        return None
    return scores if np.isfinite(scores).all() else None
