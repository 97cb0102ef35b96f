"""Data sets: files, frames and arrays as sets of the program."""

import hashlib
import json
import os
import subprocess
import warnings

import numpy as np

from ._program import Error, INCOMPLETE, call, environment, in_python, last_words, program


def fetch(*names):
    """Gets the files of these data sets, or of all, from where $BENCH_MIRROR or their public addresses have them."""
    call("data", "fetch", *names)


def dataset(source, name=None, *, label=None, positive=None, drop=None, group=None, thousands=None, date_order=None,
            force=False):
    """Describes data to the program and returns the file that names it, for `datasets=[...]` of `run`.

    source    the path of a CSV, TSV, ARFF, LIBSVM or Parquet file, whose description is written beside it; or a pandas frame,
              or a pair (X, y) of arrays, which goes to a folder of the program's
    name      of the set, where source is no path
    label     the column of labels; the last one if nothing else is said
    positive  labels of class +1
    drop      columns that are left out
    group     the column that says which rows belong together, such as a patient's; no split and no fold divides them
    thousands what separates thousands, where the file does not show it
    date_order  "dmy" or "mdy", for dates that end with the year, where the file does not show it
    force     replaces a description that was edited, or that somebody else wrote

    What is to be checked in the data comes as warnings; what keeps it from being read is an Error.
    """
    said = []
    for flag, value in (("--label", None if label is None else [label]), ("--positive", positive), ("--drop", drop),
                        ("--group", None if group is None else [group]),
                        ("--thousands", None if thousands is None else [thousands]),
                        ("--date-order", None if date_order is None else [date_order])):
        if value is not None:
            said += [flag, ",".join(map(str, [value] if isinstance(value, str) else value))]
    if not isinstance(source, (str, os.PathLike)):
        if not name:
            raise ValueError("data that is no file needs a name")
        source = kept(text_of(source), name, said)
    toml = os.path.splitext(os.fspath(source))[0] + ".toml"
    arguments = ["data", "describe", os.fspath(source), "-o", toml, *said] + ["--force"] * force
    done = subprocess.run([program(), *arguments], env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == INCOMPLETE:
        raise Error(f"{toml} was written, and the set does not load yet:\n{in_python(done.stderr.strip())}")
    if done.returncode:
        raise Error(last_words(done.stderr))
    if done.stderr.strip():
        warnings.warn(in_python(done.stderr.strip()), stacklevel=2)
    return toml


def kept(text, name, said):
    """Writes the text of a data file into a folder of the data directory that no other text and no other description has."""
    facts = {row["what"]: row["value"] for row in json.loads(call("version", "--format", "json"))}
    content = hashlib.sha256("\0".join([text, name, *said]).encode()).hexdigest()
    file = os.path.join(facts["data"], "frames", content[:16], name + ".csv")
    os.makedirs(os.path.dirname(file), exist_ok=True)
    if not os.path.exists(file):
        with open(file + ".new", "w", newline="") as f:
            f.write(text)
        os.replace(file + ".new", file)
    return file


def text_of(source):
    """A frame or a pair of arrays as CSV."""
    if hasattr(source, "to_csv"):
        return source.to_csv(index=False)
    X, y = (np.asarray(part) for part in source)
    if X.ndim != 2 or y.shape != (len(X),):
        raise ValueError(f"arrays of the shapes {X.shape} and {y.shape}; X has a row for each value of y")
    lines = [",".join([f"x{j + 1}" for j in range(X.shape[1])] + ["label"])]
    lines += [",".join([repr(v) for v in row] + [str(target)]) for row, target in zip(X.tolist(), y.tolist())]
    return "\n".join(lines) + "\n"
