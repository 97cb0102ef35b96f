"""The loop that answers requests."""

import ctypes
import gc
import json
import multiprocessing
import os
import struct
import sys
import threading
import traceback
import warnings

import numpy as np

from ._guess import guess_grid, guess_tasks
from ._method import Method, made_of, per_feature

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
          save=False, deterministic=True, summary=None, source=None, files=None, libraries=None, probabilities=None, network=False, gaps=False):
    """Serves a method to bench until bench ends.

    method         an estimator, such as SVC(), or a class with fit(X, y) and decision_function(X),
                   predict_proba(X) or predict(X)
    grid           lists of values by the parameter's name; per_feature([...]) divides by the number of features;
                   without it the attribute `grid` of the method; "guess" takes values around the defaults of numbers
    regressor      the estimator for regression, if the method is one for classes
    name, version  as tables print them; raise the version when results change though no file did
    tasks          of "binary", "multiclass", "regression"; a class of one's own is taken to solve "binary";
                   "guess" tries each on small data
    defaults       values of further parameters that a protocol may set
    ranges         values that parameters may have, such as {"C": "(0,)"}
    save           whether models can be saved; they are pickles, which only those should load who trust them
    deterministic  False says that two fits may differ
    probabilities  "logit" says that decision values of two classes are log-odds, as LogisticRegression's are;
                   predict_proba without decision_function is known to give probabilities, and False denies it
    gaps           True says that rows may have NaN where a value is missing; other methods get no such rows
    network        True says that fits need the network, which --allow-network gives
    files          what the method is made of beside the script and the modules of its folder that it has imported; it sees
                   no other file of its folder
    libraries      names of the libraries whose versions are part of the method's; where it is not given, those that the
                   script and these files import themselves. Their versions stand in the method's version by name

    A class gets -1 and +1 (binary) or 0, 1, ... (multiclass) as y, an estimator its classes numbered from 0. Columns of
    scores follow classes_, if it is there. Each row is of the class that the method predict of an estimator says.
    A class whose constructor takes `seed` gets the protocol's. One with a static method
    fit_path(X, y, settings) fits a whole grid at once; models with `rounds` and stages(X, at) have stages.
    """
    if multiprocessing.parent_process() is not None or getattr(multiprocessing.current_process(), "_inheriting", False):
        return  # a process that the method started imports the script again
    if streams is None:
        print("This is a plugin for bench. Try: bench methods check", sys.argv[0], file=sys.stderr)
        sys.exit(2)
    found, versions = made_of(sys.modules["__main__"], libraries)

    def described(grid, tasks):
        return Method(method, grid, regressor, name, version, tasks, defaults, ranges, save, deterministic, summary, source,
                      sorted(set(found) | set(files or ())), versions, probabilities, network, gaps)

    if tasks == "guess":
        tasks = guess_tasks(described({}, None))
    m = described(guess_grid(described({}, tasks)) if grid == "guess" else grid, tasks)
    find_threads_without_proc()
    Server(m).run(*streams)
    sys.stdout.flush()
    os._exit(0)  # threads of libraries must not keep the process


def find_threads_without_proc():
    """Lets threadpoolctl, by which scikit-learn limits threads, look for libraries as its older versions do: newer ones read
    /proc/self/maps, and nothing below /proc can be read in the sandbox."""
    if "sklearn" not in sys.modules and "threadpoolctl" not in sys.modules:
        return
    try:
        from threadpoolctl import ThreadpoolController as controller
    except ImportError:
        return
    read = getattr(controller, "_find_libraries_with_linux", None)
    if read is None or not hasattr(controller, "_find_libraries_with_dl_iterate_phdr"):
        return

    def find(self):
        try:
            read(self)
        except PermissionError:
            self._find_libraries_with_dl_iterate_phdr()

    controller._find_libraries_with_linux = find


def write_below(folder, devices):
    """Takes from this process, by Landlock, the right to write anywhere but in a folder and to devices, and to signal others."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(444, None, 0, 1)
    if version < 1:
        return
    rights = 0x1FF2 | (0x2000 if version > 1 else 0) | (0x4000 if version > 2 else 0)
    size = 24 if version > 5 else 8
    rules = libc.syscall(444, struct.pack("QQQ", rights, 0, 3), size, 0)
    for path, allowed in ((folder, rights), *((device, 2) for device in devices)):
        try:
            at = os.open(path, os.O_PATH)
        except FileNotFoundError:
            continue
        if libc.syscall(445, rules, 1, struct.pack("=Qi", allowed, at), 0):
            raise OSError(ctypes.get_errno(), "no rule of Landlock could be made", path)
        os.close(at)
    if libc.syscall(446, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock does not bind this process")
    os.close(rules)


def readable(e):
    """What an exception says, and what to do about it where its words are the system's."""
    said = f"{type(e).__name__}: {e}"
    frames = "".join(traceback.format_tb(e.__traceback__))
    ended = isinstance(e, EOFError) and f"{os.sep}multiprocessing{os.sep}" in frames  # a process of a manager
    if ended or any(word in frames for word in ("SemLock", "synchronize.py", "shared_memory.py")):
        return said + (" (the sandbox: locks, pools and shared memory of multiprocessing need memory that all programs share; use "
                       "threads, or Process with Pipe)")
    return said


class Server:
    def __init__(self, method):
        self.method = method
        self.models = {}
        self.copies = []  # of this process, that were not waited for yet
        self.arrays = {}  # by file, since fits and scores of a grid share them

    def run(self, requests, answers):
        self.streams = requests, answers
        for line in requests:
            request = json.loads(line)
            answer = {"id": request.get("id")}
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("default")
                try:
                    answer.update(self.answer(request))
                except (Exception, SystemExit) as e:
                    answer["error"] = readable(e)
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

    def op_fork(self, r):
        """Answers with the number of a copy of this process, which has imported everything and seen no data. It serves the streams
        of the request."""
        if threading.active_count() > 1:
            raise RuntimeError("a process with several threads cannot be copied")
        if not self.copies:
            gc.collect()
            gc.freeze()  # else the first collection of each copy would copy all that was imported
        self.copies = [pid for pid in self.copies if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        ready, started = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(ready)
                self.become(r, started)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        self.copies.append(pid)
        os.close(started)
        started = os.read(ready, 1)
        os.close(ready)
        if not started:
            raise RuntimeError("the copy of the process did not start")
        return {"process": pid}

    def become(self, r, started):
        """Serves the streams of a request in this new process, in a folder of its own, until they end."""
        os.setpgid(0, 0)
        err, out = os.open(r["err"], os.O_WRONLY), os.open(r["out"], os.O_WRONLY)
        requests = os.open(r["in"], os.O_RDONLY)
        os.dup2(err, 1), os.dup2(err, 2)
        os.close(err)
        for stream in self.streams:
            os.close(stream.fileno())
        for name in ("HOME", "TMPDIR", "TMP", "TEMP"):
            os.environ[name] = r["folder"]
        if "tempfile" in sys.modules:
            sys.modules["tempfile"].tempdir = None
        write_below(r["folder"], r["devices"])
        os.write(started, b"!")
        os.close(started)
        self.run(os.fdopen(requests, "rb"), os.fdopen(out, "wb"))
        os._exit(0)

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
