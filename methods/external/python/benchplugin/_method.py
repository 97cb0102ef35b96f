"""What a method says of itself, and how its models are made and scored."""

import ast
import copy
import importlib.util
import inspect
import itertools
import math
import os
import pickle
import sys
import warnings

import numpy as np


class per_feature(list):
    """Values of a grid that are divided by the number of features: grid={"gamma": per_feature([0.5, 1, 2])}."""


def plain(value):
    """A number of NumPy as one of Python, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def kind(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"the value {value} in a grid is not finite")
        return "number"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    raise TypeError(f"the value {value!r} in a grid is not a number, a string, True, False or None")


def parameter(name, default, values, allowed):
    """The description of a parameter by its default and its values in the grid."""
    if isinstance(default, float) and not math.isfinite(default):
        raise ValueError(f"the default {default} of the parameter {name} is not finite, and parameters are stored as JSON; give it a finite default or None")
    kinds = {kind(v) for v in [default] + values}
    out = {"name": name, "default": default}
    if kinds == {"integer"}:
        out["integer"] = True
    elif kinds - {"integer", "number"} and len(kinds) > 1:
        out["mixed"] = True
    elif kinds == {"null"}:
        out["mixed"] = True
    if name in allowed:
        out["range"] = allowed[name]
    return out


def is_estimator(thing):
    return all(hasattr(thing, a) for a in ("get_params", "set_params", "fit"))


class Constant:
    """The model of a training set with one class, which few libraries accept."""

    def __init__(self, label, task, outputs):
        self.label, self.task, self.outputs = label, task, outputs

    def scores(self, X):
        out = np.zeros((len(X), self.outputs))
        if self.task == "binary":
            out[:] = self.label / 2  # as a sure probability less one half
        else:
            out[:, int(self.label)] = 1
        return out


# Estimators of scikit-learn whose predict is the sign or the place of the largest of their scores.
PLAIN = {"LogisticRegression", "RidgeClassifier", "SGDClassifier", "Perceptron", "LinearSVC", "DecisionTreeClassifier",
         "ExtraTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"}


class Fitted:
    """A fitted object, and which of its labels and columns belong to which class of bench.

    `labels` are those that the object may name, in rising order, `classes` the class of each: 0 and 1 for -1 and +1, or
    its number. `seen` are the places in `labels` of those that had training rows. An estimator decides by `predict`;
    its scores are made to agree, as they need not where there are ties or where it has a threshold of its own.
    """

    def __init__(self, made, task, outputs, labels, classes, seen, agrees):
        self.made, self.task, self.outputs = made, task, outputs
        self.labels, self.classes, self.seen = labels, classes, seen
        self.agrees = agrees and hasattr(made, "predict") and not hasattr(made, "stages")

    def scores(self, X):
        made = self.made
        if self.task == "regression":
            return self.shaped(made.predict(X), len(X))
        name = next((f for f in ("decision_function", "predict_proba") if hasattr(made, f)), "predict")
        given = getattr(made, name)(X)
        if name == "predict":
            return self.of_labels(self.named(given, "predict gave"))
        scores = self.of_classes(name, given, len(X))
        if not self.agrees:
            return scores
        if not self.plain():
            return self.agreeing(scores, made.predict(X))
        # Only equal scores leave open what such an estimator predicts.
        tied = scores[:, 0] == 0 if self.task == "binary" else (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if tied.any():
            scores = np.array(scores)
            scores[tied] = self.agreeing(scores[tied], made.predict(X[tied]))
        return scores

    def plain(self):
        """Whether predict is known to follow from the scores, but for equal ones, so that it need not be asked for each row."""
        made = self.made
        while type(made).__module__.startswith("sklearn.") and type(made).__name__ in ("Pipeline", "GridSearchCV", "RandomizedSearchCV"):
            made = made.steps[-1][1] if hasattr(made, "steps") else made.best_estimator_
        name = type(made).__name__
        return type(made).__module__.startswith("sklearn.") and (
            name in PLAIN or name in ("SVC", "NuSVC") and len(self.seen) == 2
            or name == "KNeighborsClassifier" and made.weights == "uniform")

    def named(self, labels, what):
        """The classes of labels, which may be numbers, texts of numbers, or for two classes False and True."""
        given = np.asarray(labels)
        if given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        if given.ndim != 1:
            raise ValueError(f"{what} an array of the shape {given.shape}; a list of labels is expected")
        values = given.astype(float) if given.dtype.kind in "iuf" else np.array([self.number(v) for v in given], dtype=float)
        at = np.minimum(np.searchsorted(self.labels, values), len(self.labels) - 1)
        strange = given[self.labels[at] != values]
        if len(strange):
            raise ValueError(f"{what} {plain(strange[0])!r}, which is none of the labels that fit got: "
                             + ", ".join(f"{v:g}" for v in self.labels[self.seen])
                             + ("" if what.startswith("classes_") else "; scores belong into decision_function or predict_proba"))
        return self.classes[at]

    def number(self, label):
        """The value of a label that may be no number."""
        text = label.decode() if isinstance(label, bytes) else str(label)
        if text in ("False", "True") and len(self.labels) == 2:
            return self.labels[int(text == "True")]
        try:
            return float(text)
        except ValueError:
            return math.nan

    def order(self):
        """The classes of the columns of scores, as classes_ says; None without it."""
        said = getattr(self.made, "classes_", None)
        if said is None:
            return None
        order = self.named(said, "classes_ has")
        if len(set(order)) != len(order) or not len(order):
            raise ValueError(f"classes_ is {list(map(plain, said))}; each label must be there once")
        return order

    def of_classes(self, name, scores, n):
        """Decision values or probabilities as scores of bench."""
        scores, order = np.asarray(scores, dtype=float), self.order()
        if order is not None and len(order) == 1:  # the object saw one class only
            return self.of_labels(np.full(n, order[0]))
        if self.outputs > 1:
            return self.spread(name, scores, n, self.columns(scores, order, n))
        return self.two_classes(0.5 if name == "predict_proba" else 0.0, scores, n, order)

    def two_classes(self, zero, scores, n, order):
        turned = order is not None and order[0] == 1
        if scores.shape == (n, 2) and (zero or order is not None):
            first, second = scores.T[::-1] if turned else scores.T
            return self.shaped(second - (zero or first), n)
        return self.shaped(zero - scores if turned else scores - zero, n)

    def columns(self, scores, order, n):
        """The classes of the columns of scores of more than two classes."""
        if order is not None:
            return order
        return self.classes[self.seen] if scores.ndim == 1 or scores.shape[1] == len(self.seen) else self.classes

    def spread(self, name, scores, n, columns):
        """Scores of some classes as those of all; classes without a column get less than all others."""
        k = len(columns)
        if scores.size == n and k == 2:
            scores = np.stack([-scores.ravel(), scores.ravel()], axis=1)
            if name == "predict_proba":
                scores += [1, 0]
        if self.agrees and name == "decision_function" and scores.shape == (n, k * (k - 1) // 2) and k > 3:
            warnings.warn(f"decision_function compares pairs of {k} classes; the labels of predict are taken in its place")
            return np.zeros((n, self.outputs))
        if scores.shape != (n, k):
            return self.shaped(scores, n) if k == self.outputs else self.misshaped(scores, n, k)
        if k == self.outputs and np.array_equal(columns, np.arange(k)):
            return scores
        whole = np.repeat(scores.min(axis=1, keepdims=True) - 1, self.outputs, axis=1)
        whole[:, columns] = scores
        return whole

    def of_labels(self, classes):
        if self.task == "binary":
            return np.where(classes == 1, 0.5, -0.5).reshape(-1, 1)  # as a sure probability less one half
        out = np.zeros((len(classes), self.outputs))
        out[np.arange(len(classes)), classes] = 1
        return out

    def agreeing(self, scores, labels):
        """Scores by which each row is of the class that predict says. Of two classes their order stays."""
        classes = self.named(labels, "predict gave")
        scores = np.array(scores)
        if self.task == "binary":
            s, sign = scores[:, 0], np.where(classes == 1, 1.0, -1.0)
            wrong = (s >= 0) != (sign > 0)
            s[wrong] = sign[wrong] * 1e-300 / (1 + np.abs(s[wrong]))
        else:
            wrong = np.argmax(scores, axis=1) != classes
            scores[wrong, classes[wrong]] = np.nextafter(scores[wrong].max(axis=1), np.inf)
        return scores

    def shaped(self, scores, n):
        """Scores as one row of `outputs` a row."""
        scores = np.asarray(scores, dtype=float)
        if scores.ndim == 1:
            scores = scores.reshape(-1, 1)
        return scores if scores.shape == (n, self.outputs) else self.misshaped(scores, n, self.outputs)

    def misshaped(self, scores, n, wanted):
        raise ValueError(f"scores of the shape {scores.shape} for {n} rows; {(n, wanted)} is expected")

    def rounds(self):
        """How many stages the model has, or 0."""
        if hasattr(self.made, "stages"):
            return int(self.made.rounds)
        if not self.staged():
            return 0
        return int(getattr(self.made, "n_iter_", 0) or len(getattr(self.made, "estimators_", ())))

    def staged(self):
        return getattr(self.made, "staged_predict" if self.task == "regression" else "staged_decision_function", None)

    def stages(self, X, at):
        """The scores after each round of `at`, one row a round."""
        made = self.made
        if hasattr(made, "stages"):
            each = ((s, None) for s in made.stages(X, at))
        else:
            labels = made.staged_predict(X) if self.agrees and hasattr(made, "staged_predict") else itertools.repeat(None)
            each = (pair for t, pair in enumerate(zip(self.staged()(X), labels), 1) if t in set(at))
        return np.stack([self.stage(s, labels, len(X)).ravel() for s, labels in each])

    def stage(self, scores, labels, n):
        if self.task == "regression":
            return self.shaped(scores, n)
        scores = self.of_classes("decision_function", scores, n)
        return scores if labels is None else self.agreeing(scores, labels)


class Method:
    """A method: an object or a class, and what was said about it."""

    def __init__(self, method, grid, regressor, name, version, tasks, defaults, ranges, save, deterministic, summary, source, files, libraries, probabilities=None, network=False, gaps=False):
        if inspect.isclass(method) and is_estimator(method):
            method = method()
        self.method, self.regressor, self.save = method, regressor, save
        self.estimator, self.open = is_estimator(method), {}
        if grid is None and isinstance(getattr(method, "grid", None), dict):
            grid = method.grid
        of = method if inspect.isclass(method) else type(method)
        makes = callable(method) and not inspect.isclass(method)  # a function that returns the object
        lacks = [] if makes or hasattr(of, "fit") else ["fit"]
        learns = ("predict", "predict_proba", "decision_function")  # some estimators have them only once they are fitted
        if self.estimator and not any(hasattr(method, a) or hasattr(of, a) for a in learns):
            lacks.append("predict")
        if lacks:
            raise TypeError(f"{of.__name__} has no {lacks[0]}, so that it is no method that learns to predict")
        self.fit_path = None if self.estimator else getattr(method, "fit_path", None)
        self.given = inspect.signature(method).parameters if not self.estimator and callable(method) else {}
        self.parameters, axes = self.describe_parameters(grid or {}, defaults or {}, ranges or {})
        self.numbers = {p["name"] for p in self.parameters if not p.get("mixed") and not p.get("integer") and kind(p["default"]) in ("integer", "number")}
        listed = {axis["name"]: axis["values"] for axis in axes}
        self.reals = {p["name"]: [v for v in [p["default"], *listed.get(p["name"], [])] if type(v) is float] for p in self.parameters}
        staged = any(hasattr(m, a) for m in (of, type(regressor)) for a in ("stages", "staged_decision_function", "staged_predict"))
        ops = [op for op, can in (("path", self.fit_path), ("stages", staged), ("save", save), ("fork", hasattr(os, "fork"))) if can]
        self.description = {
            "protocol": [1, 1], "name": name or of.__name__, "version": str(version), "tasks": list(tasks or self.likely_tasks()),
            "parameters": self.parameters, "grid": axes, "ops": ops, "deterministic": bool(deterministic),
            "summary": summary or f"{of.__module__}.{of.__name__} through benchplugin".replace("__main__.", ""),
            "source": source or "", "files": files, "libraries": libraries,
        }
        # score() takes probabilities where there are no decision values.
        if probabilities is None and hasattr(method, "predict_proba") and not hasattr(method, "decision_function"):
            probabilities = "shifted"
        if probabilities:
            self.description["probabilities"] = probabilities
        if gaps:
            self.description["gaps"] = True
        if network:
            self.description["network"] = True

    def default(self, name):
        """The value of a parameter where nothing is said of it, or ... if there is none."""
        if self.estimator:
            return self.method.get_params().get(name, ...)
        if name in self.given:
            value = self.given[name].default
            return ... if value is inspect.Parameter.empty else value
        return getattr(self.method, name, ...)

    def typed(self, setting):
        """A setting as the grid has it: on the way here 1.0 may have become 1, which means something else to some."""
        return {n: float(v) if n in self.numbers or type(v) is int and v in self.reals.get(n, ()) else v for n, v in setting.items()}

    def describe_parameters(self, grid, defaults, ranges):
        if not isinstance(grid, dict):
            raise TypeError(f"grid is {grid!r}; write a dictionary: a list of values for each parameter's name")
        for n, values in grid.items():
            if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
                raise TypeError(f"the grid of {n} is {values!r}; write a list of values")
        names = list(grid) + [n for n in defaults if n not in grid]
        for n, p in self.given.items():  # a class of one's own: all that its constructor takes
            if n not in names + ["seed", "random_state", "workers", "n_jobs"] and isinstance(p.default, (bool, int, float, str)):
                names.append(n)
        parameters, axes = [], []
        for n in names:
            values = [plain(v) for v in grid.get(n, [])]
            if n in grid and not values:
                raise ValueError(f"the grid of {n} is empty")
            default = plain(defaults.get(n, self.default(n)))
            if self.given and n not in self.given and not any(p.kind is p.VAR_KEYWORD for p in self.given.values()):
                raise ValueError(f"the constructor has no parameter {n}")
            if default is ...:
                if not values or self.estimator:
                    raise ValueError(f"the method has no parameter {n}")
                default = values[0]
            if not isinstance(default, (bool, int, float, str, type(None))):
                if not values:
                    raise ValueError(f"the default {default!r} of {n} is not a number, a string, True, False or None")
                default = values[0]
            parameters.append(parameter(n, default, values, ranges))
            if values:
                axis = {"name": n, "values": values}
                if isinstance(grid[n], per_feature):
                    axis["per"] = "feature"
                    parameters[-1].pop("integer", None)
                axes.append(axis)
        return parameters, axes

    def likely_tasks(self):
        classes = ["binary", "multiclass"]
        if not self.estimator:
            return ["binary"]
        if self.regressor is not None:
            return classes + ["regression"]
        try:
            from sklearn.base import is_regressor
            regressor = is_regressor(self.method)
        except Exception:  # another library's estimator: what it can do tells
            regressor = not any(hasattr(self.method, a) for a in ("predict_proba", "decision_function"))
        return ["regression"] if regressor else classes

    def make(self, setting, task, seed, workers):
        """A fresh object with the parameters of a setting."""
        setting = self.typed(setting)
        if not self.estimator:
            extra = {"seed": seed, "random_state": seed, "workers": workers, "n_jobs": workers}
            if self.given or inspect.isclass(self.method):
                return self.method(**setting, **{n: v for n, v in extra.items() if n in self.given and n not in setting})
            made = copy.deepcopy(self.method)
            for n, v in setting.items():
                setattr(made, n, v)
            return made
        original = self.regressor if task == "regression" and self.regressor is not None else self.method
        for n in self.open_parameters(original):
            setting.setdefault(n, seed if n.endswith("random_state") else workers)
        return copy.deepcopy(original).set_params(**setting)

    def open_parameters(self, estimator):
        """The names of an estimator's seeds and numbers of threads that nobody has set; asked once."""
        if id(estimator) not in self.open:
            self.open[id(estimator)] = [n for n, v in estimator.get_params().items() if v is None and n.split("__")[-1] in ("random_state", "n_jobs")]
        return self.open[id(estimator)]

    def targets(self, y, task, outputs):
        """The targets as the object wants them, and what a Fitted needs to know of them."""
        if task == "regression":
            return y, (None, None, None)
        seen, encoded = np.unique(y, return_inverse=True)
        classes = (seen > 0).astype(int) if task == "binary" else seen.astype(int)
        if self.estimator:  # some libraries want classes 0, 1, ... without gaps
            return encoded, (np.arange(len(seen)), classes, np.arange(len(seen)))
        if task == "binary":
            return y, (np.array([-1.0, 1.0]), np.arange(2), classes)
        return y.astype(int), (np.arange(outputs), np.arange(outputs), classes)

    def fit(self, X, y, task, outputs, setting, seed, workers):
        if task != "regression" and (y == y[0]).all():
            return Constant(y[0], task, outputs)
        targets, labels = self.targets(y, task, outputs)
        made = self.make(setting, task, seed, workers)
        fitted = made.fit(X.copy(), targets.copy())
        return Fitted(made if fitted is None else fitted, task, outputs, *labels, self.estimator)

    def path(self, X, y, task, outputs, settings, seed, workers):
        if task != "regression" and (y == y[0]).all():
            return [Constant(y[0], task, outputs) for _ in settings]
        targets, labels = self.targets(y, task, outputs)
        takes = inspect.signature(self.fit_path).parameters
        extra = {n: v for n, v in (("seed", seed), ("workers", workers)) if n in takes}
        made = list(self.fit_path(X.copy(), targets.copy(), [self.typed(s) for s in settings], **extra))
        if len(made) != len(settings):
            raise ValueError(f"fit_path gave {len(made)} models for {len(settings)} settings")
        return [Fitted(m, task, outputs, *labels, False) for m in made]

    def dump(self, model, file):
        with open(file, "wb") as f:
            pickle.dump(model, f)

    def load(self, file):
        with open(file, "rb") as f:
            return pickle.load(f)


def own_files(main):
    """The script and the files beside it that it has imported, as absolute paths."""
    script = os.path.abspath(main.__file__)
    home, ours = os.path.dirname(script) + os.sep, os.path.dirname(os.path.abspath(__file__)) + os.sep
    found = {script}
    for module in list(sys.modules.values()):
        file = os.path.abspath(getattr(module, "__file__", None) or os.sep)
        # PyTorch makes modules that name a file which does not exist.
        if (file.endswith((".py", ".so")) and file.startswith(home) and not file.startswith(ours)
                and not installed(file) and os.path.isfile(file)):
            found.add(file)
    return sorted(found)


def installed(file):
    return any(f"{os.sep}{folder}{os.sep}" in file for folder in ("site-packages", "dist-packages"))


def made_of(main, declared=None):
    """The files beside the script that it imports, by their paths from its folder, and the versions of its libraries by name.
    These are the declared ones. Where none are declared they are those that the files import themselves, inside functions too;
    what a library imports in turn does not count."""
    files = own_files(main)
    home = os.path.dirname(os.path.abspath(main.__file__))
    if declared is None:
        names = {name for file in files if file.endswith(".py") for name in imported(file)}
        libraries = {name: version_of(name) or "unknown" for name in names if is_library(name, home)}
    else:
        libraries = {name: version_of(name) for name in declared}
        for name, version in libraries.items():
            if version is None:
                raise ValueError(f"libraries: the version of {name!r} is not known here; give names by which libraries are imported or installed")
    libraries["benchplugin"] = sys.modules["benchplugin"].__version__
    return [os.path.relpath(f, home) for f in files if f != os.path.abspath(main.__file__)], libraries


def imported(file):
    """The top-level names that a source file imports."""
    with open(file, "rb") as f:
        tree = ast.parse(f.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def is_library(name, home):
    """Whether an imported name is there and is neither part of Python nor of the script's folder."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # __main__
        return False
    places = [] if spec is None else [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    standard = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
    return any(installed(p) or not p.startswith((standard, home + os.sep)) for p in map(os.path.abspath, places))


def version_of(name):
    """The version of a library that is imported or installed under a name, or None."""
    version = getattr(sys.modules.get(name), "__version__", None)
    if isinstance(version, str) and version:
        return "_".join(version.replace(",", " ").split())  # it stands in the method's version, with blanks around it
    from importlib import metadata  # its import takes time, and most libraries say their versions themselves

    def distributions():
        yield name
        yield from getattr(metadata, "packages_distributions", dict)().get(name, ())  # since Python 3.10

    for distribution in distributions():
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            pass
    return None
