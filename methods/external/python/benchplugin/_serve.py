"""The loop that answers requests."""

import json
import multiprocessing
import os
import sys
import traceback
import warnings

import numpy as np

from ._method import Method, loaded_code, per_feature

__all__ = ["serve", "per_feature"]


def private_streams():
    """Keeps standard input and output for the protocol alone: what prints, in C too, prints to standard error."""
    ours = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return ours


# Before a script imports libraries that print.
streams = private_streams() if os.environ.pop("BENCH_PLUGIN", None) else None


def serve(method, grid=None, *, regressor=None, name=None, version="1", tasks=None, defaults=None, ranges=None,
          save=False, deterministic=True, summary=None, source=None, files=None, libraries=None, probabilities=None):
    """Serves a method to bench until bench ends.

    method         an estimator, such as SVC(), or a class with fit(X, y) and decision_function(X),
                   predict_proba(X) or predict(X)
    grid           lists of values by the parameter's name; per_feature([...]) divides by the number of features
    regressor      the estimator for regression, if the method is one for classes
    name, version  as tables print them; raise the version when results change though no file did
    tasks          of "binary", "multiclass", "regression"; a class of one's own is taken to solve "binary"
    defaults       values of further parameters that a protocol may set
    ranges         values that parameters may have, such as {"C": "(0,)"}
    save           whether models can be saved; they are pickles, which only those should load who trust them
    deterministic  False says that two fits may differ
    probabilities  "logit" says that decision values of two classes are log-odds, as LogisticRegression's are;
                   predict_proba without decision_function is known to give probabilities, and False denies it
    files, libraries  what the method is made of, where it is more than what the script imports

    A class gets -1 and +1 (binary) or 0, 1, ... (multiclass) as y, an estimator its classes numbered from 0.
    A class whose constructor takes `seed` gets the protocol's. One with a static method
    fit_path(X, y, settings) fits a whole grid at once; models with `rounds` and stages(X, at) have stages.
    """
    if multiprocessing.parent_process() is not None or getattr(multiprocessing.current_process(), "_inheriting", False):
        return  # a process that the method started imports the script again
    if streams is None:
        print("This is a plugin for bench. Try: bench plugin check", sys.argv[0], file=sys.stderr)
        sys.exit(2)
    found, versions = loaded_code(sys.modules["__main__"])
    versions["benchplugin"] = sys.modules["benchplugin"].__version__
    versions.update({m: getattr(__import__(m), "__version__", "unknown") for m in libraries or ()})
    m = Method(method, grid, regressor, name, version, tasks, defaults, ranges, save, deterministic, summary, source,
               sorted(set(found) | set(files or ())), versions, probabilities)
    Server(m).run(*streams)
    sys.stdout.flush()
    os._exit(0)  # threads of libraries must not keep the process


class Server:
    def __init__(self, method):
        self.method = method
        self.models = {}
        self.arrays = {}  # by file, since fits and scores of a grid share them

    def run(self, requests, answers):
        for line in requests:
            request = json.loads(line)
            answer = {"id": request.get("id")}
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("default")
                try:
                    answer.update(self.answer(request))
                except (Exception, SystemExit) as e:
                    answer["error"] = f"{type(e).__name__}: {e}"
                    answer["trace"] = "".join(traceback.format_tb(e.__traceback__)[-2:])
            texts = dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in said if not issubclass(w.category, (DeprecationWarning, FutureWarning)))
            if texts:
                answer["warnings"] = list(texts)[:20]
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()

    def answer(self, r):
        for model in r.get("drop", ()):
            self.models.pop(model, None)
        op = getattr(self, "op_" + r["op"], None)
        if op is None:
            raise ValueError(f"the operation {r['op']} is not known")
        return op(r) or {}

    def array(self, file):
        if file not in self.arrays:
            while len(self.arrays) > 3:
                del self.arrays[next(iter(self.arrays))]
            self.arrays[file] = np.load(file, allow_pickle=False)
        return self.arrays[file]

    def write(self, file, scores):
        np.save(file, np.ascontiguousarray(scores, dtype="<f8"), allow_pickle=False)

    def op_describe(self, r):
        return self.method.description

    def common(self, r):
        return self.array(r["x"]), self.array(r["y"]), r["task"], r["outputs"]

    def op_fit(self, r):
        model = self.method.fit(*self.common(r), r["setting"], r["seed"], r["workers"])
        self.models[r["model"]] = model
        return self.rounds([model])

    def op_path(self, r):
        models = self.method.path(*self.common(r), r["settings"], r["seed"], r["workers"])
        self.models.update(zip(r["models"], models))
        return self.rounds(models)

    def rounds(self, models):
        if "stages" not in self.method.description["ops"]:
            return {}
        return {"rounds": [m.rounds() if hasattr(m, "rounds") else 0 for m in models]}

    def op_score(self, r):
        self.write(r["out"], self.models[r["model"]].scores(self.array(r["x"]).copy()))

    def op_stages(self, r):
        self.write(r["out"], self.models[r["model"]].stages(self.array(r["x"]).copy(), r["at"]))

    def op_save(self, r):
        self.method.dump(self.models[r["model"]], r["out"])

    def op_load(self, r):
        self.models[r["model"]] = self.method.load(r["in"])
