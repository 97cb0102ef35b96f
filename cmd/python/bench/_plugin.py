"""Classes and estimators as plugins: files that the program runs.

A class of a notebook or a script is written as a file of its own, with what it uses: its source, and that of
functions and classes beside it, the imports, and constants. The version of a method is a hash of its file, so that the same
class has the same results, and a changed one new results.
"""

import hashlib
import os
import re
import warnings

from benchplugin._guess import guess_grid, guess_tasks
from benchplugin._method import Method, is_estimator

from ._source import Source

MARK = "# Written by the Python package bench; a run with a class of this name writes it again, unless it was edited: "


class Wrapped:
    """A class or an estimator with what is said of it."""

    def __init__(self, thing, name, options):
        self.thing, self.name, self.options = thing, name, options


def method(thing, grid=None, *, name=None, **options):
    """A method from a class or an estimator, for `methods=[...]` of `run`.

    thing    a class with fit(X, y) and decision_function, predict_proba or predict, or an estimator such as SVC()
    grid     lists of values by parameter; without it the attribute `grid` of the class, or a guess that a warning shows
    options  what `benchplugin.serve` takes: version, tasks, defaults, ranges, save, gaps, probabilities, ...
    """
    name = name or (thing if isinstance(thing, type) else type(thing)).__name__
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name):
        raise ValueError(f"the method name {name!r}: use letters, digits, - and _, a letter first")
    return Wrapped(thing, name, {"grid": grid, **options} if grid is not None else options)


def marked(text):
    """A text below a line that says who wrote it, with its hash, so that a file that was edited is known."""
    return MARK + hashlib.sha256(text.encode()).hexdigest()[:16] + "\n" + text


def ours(path):
    """Reports whether this package wrote a file and nobody has changed it since."""
    with open(path) as f:
        first, text = f.readline(), f.read()
    return marked(text) == first + text


def as_plugin(thing, folder, force=False):
    """Writes the plugin of a class, an estimator or a Wrapped. Returns the method's name and the file."""
    wrapped = thing if isinstance(thing, Wrapped) else method(thing)
    options = completed(wrapped)
    source = Source()
    written = source.expression(wrapped.thing, wrapped.name)
    said = "".join(f", {key}={source.expression(value, key)}" for key, value in options.items())
    text = marked(source.text() + f'\n\nif __name__ == "__main__":\n    from benchplugin import serve\n\n    serve({written}, name="{wrapped.name}"{said})\n')
    link = os.path.join(folder, wrapped.name.lower().replace("-", "_") + ".py")
    file = link if source.folder is None else os.path.join(source.folder, "bench_" + os.path.basename(link))
    for path in {file, link}:
        if os.path.exists(path) and not force and not ours(path):
            raise FileExistsError(f"{path} is there, and this package did not write it, or it was edited since; give the method "
                                  "another name, bench.method(..., name=...), or replace the file by force=True")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(file) or content(file) != text:
        if os.path.islink(file):
            os.remove(file)  # the link of a method that lay elsewhere before
        with open(file, "w") as f:
            f.write(text)
    if file != link and not (os.path.islink(link) and os.path.realpath(link) == os.path.realpath(file)):
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(os.path.relpath(os.path.realpath(file), os.path.realpath(folder)), link)
    return wrapped.name, link


def content(path):
    with open(path) as f:
        return f.read()


def completed(wrapped):
    """What is said of a method, with a guess of its tasks and its grid where nothing is said."""
    options = dict(wrapped.options)
    known = {"grid": {}, "regressor": None, "tasks": None, "defaults": None, "ranges": None}
    known.update({key: value for key, value in options.items() if key in known})

    def described():
        return Method(wrapped.thing, known["grid"], known["regressor"], wrapped.name, "1", known["tasks"], known["defaults"], known["ranges"],
                      False, True, "", "", [], {})

    if known["tasks"] is None and is_estimator(wrapped.thing):
        every = described().description["tasks"]
        known["tasks"] = guess_tasks(described())
        if known["tasks"] != every:
            options["tasks"] = known["tasks"]
    if "grid" not in options and not isinstance(getattr(wrapped.thing, "grid", None), dict):
        options["grid"] = guess_grid(described())
        warnings.warn(f"the grid of {wrapped.name} is guessed, from the defaults of its parameters: {options['grid']}; bench.method(..., grid={{...}}) says another", stacklevel=4)
    return options
