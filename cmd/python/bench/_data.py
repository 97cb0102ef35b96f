"""Data sets: files, frames and arrays as sets of the program."""

import os
import subprocess
import warnings

import numpy as np

from ._program import Error, INCOMPLETE, call, environment, last_words, program


def fetch(*names):
    """Gets the files of these data sets, or of all, from where $BENCH_MIRROR or their public addresses have them."""
    call("data", "fetch", *names)


def dataset(source, name=None, *, label=None, positive=None):
    """Describes data to the program and returns the file that names it, for `datasets=[...]` of `run`.

    source    the path of a CSV, TSV, ARFF or LIBSVM file, or a pandas frame, or a pair (X, y) of arrays
    name      of the set, where source is no path: NAME.csv and NAME.toml are written
    label     the column of labels; the last one if nothing else is said
    positive  labels of class +1

    What is to be checked in the data comes as warnings; what keeps it from being read is an Error.
    """
    if not isinstance(source, (str, os.PathLike)):
        if not name:
            raise ValueError("data that is no file needs a name")
        source = written(source, name + ".csv")
    toml = os.path.splitext(os.fspath(source))[0] + ".toml"
    arguments = ["data", "describe", os.fspath(source), "-o", toml]
    if label is not None:
        arguments += ["--label", str(label)]
    if positive is not None:
        arguments += ["--positive", ",".join(map(str, [positive] if isinstance(positive, str) else positive))]
    done = subprocess.run([program(), *arguments], env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == INCOMPLETE:
        raise Error(f"{toml} was written, and the set does not load yet:\n{done.stderr.strip()}")
    if done.returncode:
        raise Error(last_words(done.stderr))
    if done.stderr.strip():
        warnings.warn(done.stderr.strip(), stacklevel=2)
    return toml


def written(source, file):
    """Writes a frame or a pair of arrays as CSV."""
    if hasattr(source, "to_csv"):
        source.to_csv(file, index=False)
        return file
    X, y = (np.asarray(part) for part in source)
    if X.ndim != 2 or y.shape != (len(X),):
        raise ValueError(f"arrays of the shapes {X.shape} and {y.shape}; X has a row for each value of y")
    with open(file, "w") as f:
        f.write(",".join([f"x{j + 1}" for j in range(X.shape[1])] + ["label"]) + "\n")
        for row, target in zip(X.tolist(), y.tolist()):
            f.write(",".join([repr(v) for v in row] + [str(target)]) + "\n")
    return file
