"""Makes harness/externaltrees/testdata/models.tar.gz: model files of LightGBM and XGBoost, and what the libraries say of rows.

    python scripts/oracle/model_files.py OUT.tar.gz PYTHON...   with the libraries of each interpreter
    PYTHON scripts/oracle/model_files.py                        writes a tar of the libraries that this one has to standard output

The committed file is of LightGBM 3.3.5, 4.3.0, 4.7.0 and XGBoost 1.7.6, 2.1.4, 3.2.0, each in an environment of its own
with NumPy and pandas. A folder of the archive is a library in a version. Its cases.json has the rows of its sets and the cases; a
case names its files, the names of the columns, the sums of trees (margins), the predictions and labels, or a word of the reason for
which the file is refused.
"""
import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile

import numpy as np

ROWS, TESTED = 240, 24
NAMES = ["a", "b", "c", "k", "m"]


def sets():
    """The inputs by name: numbers; numbers with gaps; numbers, categories and gaps. Columns k and m hold whole numbers."""
    r = np.random.RandomState(7)
    x = r.normal(size=(ROWS, 5)).round(3)
    x[:, 3], x[:, 4] = r.randint(0, 5, ROWS), r.randint(0, 60, ROWS)
    gaps = x.copy()
    gaps[r.rand(*x.shape) < 0.15] = np.nan
    gaps[:, 1] = np.where(r.rand(ROWS) < 0.4, 0.0, gaps[:, 1])
    return {"numbers": x, "gaps": gaps, "categories": gaps}


def targets(x):
    """What objectives predict, by a word for what they need."""
    r = np.random.RandomState(11)
    z = np.nan_to_num(x[:, 0]) + np.isin(x[:, 3], [1, 4]) - 0.5 * np.isin(x[:, 4] % 7, [2, 3]) + 0.3 * r.normal(size=len(x))
    return {
        "class": (z > 0.3).astype(float), "three": np.digitize(z, [0.0, 0.7]).astype(float), "real": 10 + 3 * z,
        "positive": np.exp(z), "share": 1 / (1 + np.exp(-z)), "count": np.floor(np.exp(z)),
    }


def doubtful(y):
    """Targets of which a third are others, for training to stop early after some rounds."""
    return np.where(np.arange(len(y)) % 3 == 0, np.roll(y, 7), y)


class Cases:
    """The cases of one library, and their files."""

    def __init__(self, library):
        self.name, self.files, self.cases, self.sets = f"{library.__name__}-{library.__version__}", {}, [], sets()

    def add(self, name, files, data, task, margins, predictions, labels=None, columns=None):
        kept = [self.keep(name + ending, content) for ending, content in files.items()]
        numbers = lambda v: np.asarray(v, dtype=float).ravel().tolist()
        case = {"name": name, "files": kept, "set": data, "task": task, "margins": numbers(margins), "predictions": numbers(predictions)}
        if labels is not None:
            case["labels"] = [int(v) for v in labels]
        if columns is not None:
            case["columns"] = columns
        self.cases.append(case)

    def refused(self, name, files, because):
        self.cases.append({"name": name, "files": [self.keep(name + e, c) for e, c in files.items()], "refused": because})

    def keep(self, name, content):
        name = name.replace(":", "-").replace(" ", "-")
        assert name not in self.files, name
        self.files[name] = content.encode() if isinstance(content, str) else bytes(content)
        return name

    def tar(self, out):
        rows = {k: [[None if v != v else v for v in row] for row in x[:TESTED].tolist()] for k, x in self.sets.items()}
        about = json.dumps({"sets": rows, "cases": self.cases}, separators=(",", ":")).encode()
        for name, content in [("cases.json", about), *self.files.items()]:
            entry = tarfile.TarInfo(f"{self.name}/{name}")
            entry.size = len(content)
            out.addfile(entry, io.BytesIO(content))


def lightgbm_cases(lgb):
    import pandas as pd

    out = Cases(lgb)
    objectives = [
        ("binary", "class", {}), ("binary", "class", {"sigmoid": 2.5}), ("cross_entropy", "class", {}),
        ("cross_entropy", "share", {}), ("multiclass", "three", {"num_class": 3}), ("multiclassova", "three", {"num_class": 3}),
        ("regression", "real", {}), ("regression", "real", {"reg_sqrt": True}), ("regression_l1", "real", {}), ("huber", "real", {}),
        ("fair", "real", {}), ("quantile", "real", {"alpha": 0.7}), ("mape", "real", {}), ("poisson", "count", {}),
        ("gamma", "positive", {}), ("tweedie", "count", {}),
    ]
    boosters = {"gbdt": {}, "dart": {"drop_rate": 0.5, "skip_drop": 0.0}, "goss": {}, "rf": {"bagging_freq": 1, "bagging_fraction": 0.7}}
    fixed = {"num_leaves": 5, "min_data_in_leaf": 5, "learning_rate": 0.3, "verbosity": -1, "deterministic": True, "num_threads": 1,
             "min_data_per_group": 5, "cat_smooth": 1, "seed": 3}

    def train(objective, target, data="numbers", rounds=3, frame=None, keep=None, init=None, **more):
        x = out.sets[data]
        y = target if isinstance(target, np.ndarray) else targets(x)[target]
        given = {"categorical_feature": [3, 4]} if data == "categories" and frame is None else {}
        params = {**fixed, "objective": objective, **more}
        return lgb.train(params, lgb.Dataset(x if frame is None else frame, y, params={"verbosity": -1}, **given), rounds, init_model=init,
                         **(keep or {}))

    def add(name, booster, target, data="numbers", columns=None, text=None, shown=None):
        text = text or booster.model_to_string()
        library = lgb.Booster(model_str=text)
        shown = out.sets[data][:TESTED] if shown is None else shown
        margins, predictions = library.predict(shown, raw_score=True), library.predict(shown)
        if "\naverage_output" in text:  # raw scores are the sums there, and predictions are of the averages
            margins = margins / library.num_trees() * library.num_model_per_iteration()
        task = {"class": "binary", "three": "multiclass"}.get(target, "regression")
        labels = {"binary": lambda: predictions > 0.5, "multiclass": lambda: predictions.argmax(axis=1)}.get(task, lambda: None)()
        out.add(name, {".txt": text}, data, task, margins, predictions, labels, columns)

    for kind, of_kind in boosters.items():
        for objective, target, more in objectives:
            for data in out.sets:
                name = "-".join([kind, objective, *more, target, data])
                rounds = 3 if "num_class" not in more else 2
                add(name, train(objective, target, data, rounds, boosting=kind, **of_kind, **more), target, data)

    for more in [{"zero_as_missing": True}, {"use_missing": False}, {"boost_from_average": False}, {"is_unbalance": True}, {"max_bin": 6},
                 {"monotone_constraints": [1, 0, 0, 0, 0]}, {"extra_trees": True}, {"path_smooth": 2.0}, {"max_cat_to_onehot": 64},
                 {"min_data_in_leaf": ROWS}, {"linear_tree": True, "max_depth": 1, "min_data_in_leaf": ROWS // 2 + 1}]:
        for data in out.sets:
            if not (data == "categories" and ("monotone_constraints" in more or "linear_tree" in more)):
                add("-".join(["setting", *more, data]), train("binary", "class", data, **more), "class", data)
    add("deep", train("binary", "class", "categories", 2, num_leaves=60, min_data_in_leaf=1, min_data_per_group=1), "class", "categories")
    alternate = np.arange(ROWS) % 2 * 1.0
    add("zero margins", train("binary", alternate, min_data_in_leaf=ROWS), "class")

    # Early stopping, with rounds saved up to the best one, all of them, and from a later one on; training that goes on; a refit.
    x = out.sets["gaps"]
    for objective, target, more in [("binary", "class", {}), ("multiclass", "three", {"num_class": 3})]:
        other = lgb.Dataset(x, doubtful(targets(x)[target]))
        early = train(objective, target, "gaps", 30, keep={"valid_sets": [other], "callbacks": [lgb.early_stopping(2, verbose=False)]}, **more)
        assert 1 < early.best_iteration < 30
        add(f"early {objective}", early, target, "gaps")
        add(f"early all {objective}", early, target, "gaps", text=early.model_to_string(num_iteration=-1))
        add(f"from the second {objective}", early, target, "gaps", text=early.model_to_string(start_iteration=1))
        add(f"to the first {objective}", early, target, "gaps", text=early.model_to_string(num_iteration=1))
    first = train("regression", "real")
    add("continued", train("regression", "real", init=first), "real")
    add("refit", first.refit(x, targets(x)["real"]), "real")

    # Names: another order, blanks, names that say nothing.
    numbers = out.sets["numbers"]
    order = [3, 0, 4, 2, 1]
    shown = lambda columns: np.ascontiguousarray(numbers[:TESTED][:, columns])
    frame = pd.DataFrame(numbers[:, order], columns=[NAMES[j] for j in order])
    add("names", train("binary", "class", frame=frame), "class", columns=NAMES, shown=shown(order))
    add("fewer names", train("binary", "class", frame=frame[["k", "a"]]), "class", columns=NAMES, shown=shown([3, 0]))
    frame.columns = ["my " + n for n in frame.columns]
    add("blanks", train("binary", "class", frame=frame), "class", columns=["my " + n for n in NAMES], shown=shown(order))
    add("no names", train("binary", "class", frame=pd.DataFrame(numbers)), "class", columns=NAMES)
    out.refused("other names", {".txt": train("binary", "class", frame=frame).model_to_string()}, 'is called "my_k"')

    # Categories of pandas: by their numbers, and by values that are not these numbers.
    def categories(values):
        return pd.DataFrame({n: pd.Categorical(values[numbers[:, 3].astype(int)]) if n == "k" else numbers[:, j] for j, n in enumerate(NAMES)})

    add("pandas codes", train("binary", "class", frame=categories(np.arange(5))), "class", columns=NAMES)
    out.refused("pandas numbers", {".txt": train("binary", "class", frame=categories(np.arange(5) * 10)).model_to_string()}, "categories of a data frame")
    out.refused("pandas words", {".txt": train("binary", "class", frame=categories(np.array(list("vwxyz")))).model_to_string()}, "categories of a data frame")

    groups = {"group": [ROWS // 4] * 4}
    y = targets(numbers)
    for objective in ["lambdarank", "rank_xendcg"]:
        ranked = lgb.train({**fixed, "objective": objective}, lgb.Dataset(numbers, y["three"], **groups), 2)
        out.refused(objective, {".txt": ranked.model_to_string()}, "orders rows")
    out.refused("cross_entropy_lambda", {".txt": train("cross_entropy_lambda", "class").model_to_string()}, "cross_entropy_lambda")
    if lgb.__version__ < "4":
        custom = lgb.train({**fixed, "objective": "none"}, lgb.Dataset(numbers, y["real"]), 2, fobj=lambda p, d: (p - y["real"], np.ones(ROWS)))
    else:
        custom = lgb.train({**fixed, "objective": lambda p, d: (p - y["real"], np.ones(ROWS))}, lgb.Dataset(numbers, y["real"]), 2)
    out.refused("custom", {".txt": custom.model_to_string()}, "objective")
    out.refused("linear leaves", {".txt": train("regression", "real", linear_tree=True).model_to_string()}, "linear models")
    one = train("binary", "class")
    out.refused("dump", {".json": json.dumps(one.dump_model())}, "LightGBM's dump_model")
    out.refused("pickle", {".pkl": pickle.dumps(one)}, "pickle of Python")
    return out


def xgboost_cases(xgb):
    import pandas as pd

    xgb.set_config(verbosity=0)
    out = Cases(xgb)
    version = tuple(map(int, xgb.__version__.split(".")[:2]))
    objectives = [
        ("binary:logistic", "class", {}), ("binary:logistic", "class", {"base_score": 0.2, "scale_pos_weight": 2.0}),
        ("binary:logitraw", "class", {}), ("binary:hinge", "class", {}), ("multi:softprob", "three", {"num_class": 3}),
        ("multi:softmax", "three", {"num_class": 3}), ("multi:softprob", "three", {"num_class": 3, "base_score": 0.7}),
        ("reg:logistic", "share", {}), ("reg:squarederror", "real", {}), ("reg:squarederror", "real", {"base_score": -1.5}),
        ("reg:squaredlogerror", "positive", {}), ("reg:pseudohubererror", "real", {}), ("reg:absoluteerror", "real", {}),
        ("count:poisson", "count", {}), ("reg:gamma", "positive", {}), ("reg:tweedie", "count", {}),
        ("reg:gamma", "positive", {"base_score": 2.0}),
    ] + ([("reg:quantileerror", "real", {"quantile_alpha": 0.7})] if version >= (2, 0) else [])
    boosters = {"gbtree": {}, "dart": {"rate_drop": 0.5, "skip_drop": 0.0}, "gblinear": {"updater": "coord_descent"}}

    def matrix(x, y=None, data="numbers", names=None):
        types = {"feature_types": ["q", "q", "q", "c", "c"], "enable_categorical": True} if data == "categories" else {}
        return xgb.DMatrix(x, y, feature_names=names, **types)

    def train(objective, target, data="numbers", rounds=3, names=None, kept=None, **more):
        x = out.sets[data]
        y = target if isinstance(target, np.ndarray) else targets(x)[target]
        params = {"objective": objective, "max_depth": 2, "eta": 0.4, "seed": 3, "nthread": 1, **more}
        if data == "categories":
            params.setdefault("tree_method", "hist")
        if more.get("booster") == "gblinear":
            del params["max_depth"]
        return xgb.train(params, matrix(x, y, data, names), rounds, **(kept or {}))

    def add(name, booster, objective, target, data="numbers", columns=None, names=None, shown=None, rounds=(0, 0), by_frame=None):
        rows = matrix(out.sets[data][:TESTED] if shown is None else shown, None, data, names)
        if by_frame is not None:
            rows = by_frame
        margins = booster.predict(rows, output_margin=True, iteration_range=rounds)
        predictions = booster.predict(rows, iteration_range=rounds)
        task = {"class": "binary", "three": "multiclass"}.get(target, "regression")
        labels = None
        if task == "binary":
            labels = predictions > (0 if objective == "binary:logitraw" else 0.5)
        elif task == "multiclass":
            labels = predictions if objective == "multi:softmax" else predictions.argmax(axis=1)
        files = {".json": booster.save_raw("json"), ".ubj": booster.save_raw("ubj")}
        if not np.isfinite(margins).all():  # training of a linear booster may diverge
            out.refused(name, files, "are no numbers")
        elif "gblinear" in name and task == "multiclass" and version >= (3, 1) and "base_score" not in name:
            out.refused(name, files, "several base_score")
        else:
            out.add(name, files, data, task, margins, predictions, labels, columns)

    for kind, of_kind in boosters.items():
        for objective, target, more in objectives:
            for data in out.sets:
                if kind == "gblinear" and (data == "categories" or objective == "reg:absoluteerror" or objective == "reg:quantileerror"):
                    continue  # XGBoost refuses to train these
                name = "-".join([kind, objective, *(f"{k}={v}" for k, v in more.items()), data])
                add(name, train(objective, target, data, 3 if target != "three" else 2, booster=kind, **of_kind, **more), objective, target, data)

    for more in [{"tree_method": "exact", "gamma": 3.0, "max_depth": 6}, {"tree_method": "approx"}, {"tree_method": "hist", "max_bin": 4},
                 {"grow_policy": "lossguide", "max_leaves": 5, "tree_method": "hist"}, {"monotone_constraints": "(1,0,0,0,0)"},
                 {"max_delta_step": 0.3}, {"min_child_weight": 1e9}, {"colsample_bynode": 0.5}, {"max_cat_to_onehot": 64},
                 {"max_cat_to_onehot": 1, "max_cat_threshold": 20, "max_depth": 5}]:
        for data in out.sets:
            if not (data == "categories" and ("exact" in more.values() or "monotone_constraints" in more)) and not (data != "categories" and "max_cat_to_onehot" in more):
                add("-".join(["setting", *(f"{k}={v}" for k, v in more.items()), data]), train("binary:logistic", "class", data, **more), "binary:logistic", "class", data)
    alternate = np.arange(ROWS) % 2 * 1.0
    add("zero margins", train("binary:logistic", alternate, base_score=0.5, min_child_weight=1e9), "binary:logistic", "class")

    # Forests and early stopping. In versions before 2 every model has a best_iteration.
    forest = {"num_parallel_tree": 4, "subsample": 0.6, "colsample_bynode": 0.6}
    for objective, target, more in [("binary:logistic", "class", {}), ("multi:softprob", "three", {"num_class": 3}), ("reg:squarederror", "real", {})]:
        for kind, of_kind in boosters.items():
            x = out.sets["gaps"]
            valid = {"evals": [(matrix(x, doubtful(targets(x)[target])), "v")], "verbose_eval": False}
            for trees in [{}, forest] if kind != "gblinear" else [{}]:
                name = "-".join([kind, objective, "forest" if trees else "trees"])
                if trees:
                    add(name, train(objective, target, "gaps", 2, booster=kind, **of_kind, **trees, **more), objective, target, "gaps")
                early = train(objective, target, "gaps", 30, kept={**valid, "early_stopping_rounds": 2}, booster=kind, **{**of_kind, **trees, **more, "eta": 1.0})
                rounds = (0, early.best_iteration + 1) if kind != "gblinear" else (0, 0)
                assert kind != "gbtree" or early.best_iteration < early.num_boosted_rounds() - 1, name
                add(name + "-early", early, objective, target, "gaps", rounds=rounds)
    one_round = train("binary:logistic", "class", "numbers", 1, num_parallel_tree=9, subsample=0.6, eta=1.0)
    add("random forest", one_round, "binary:logistic", "class")
    first = train("binary:logistic", "class")
    add("continued", train("binary:logistic", "class", kept={"xgb_model": first}), "binary:logistic", "class")
    add("sliced", first[:2], "binary:logistic", "class")
    refreshed = train("binary:logistic", "class", "gaps", 3, kept={"xgb_model": first}, process_type="update", updater="refresh", refresh_leaf=True)
    add("refreshed", refreshed, "binary:logistic", "class")

    # Names: another order, names that say nothing, fewer columns; a data frame.
    numbers = out.sets["numbers"]
    order = [3, 0, 4, 2, 1]
    frame = pd.DataFrame(numbers[:, order], columns=[NAMES[j] for j in order])
    y = targets(numbers)
    params = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}

    def framed(f):
        return xgb.train(params, xgb.DMatrix(f, y["class"], enable_categorical=True), 3)

    for name, f in [("names", frame), ("fewer names", frame[["k", "a"]]), ("no names", pd.DataFrame(numbers))]:
        add(name, framed(f), "binary:logistic", "class", columns=NAMES, by_frame=xgb.DMatrix(f[:TESTED]))
    out.refused("other names", {".json": framed(frame.add_prefix("my ")).save_raw("json")}, 'is called "my k"')

    def categories(values):
        return pd.DataFrame({n: pd.Categorical(values[numbers[:, 3].astype(int)]) if n == "k" else numbers[:, j] for j, n in enumerate(NAMES)})

    codes = categories(np.arange(5))
    params["tree_method"] = "hist"
    add("pandas codes", framed(codes), "binary:logistic", "class", columns=NAMES, by_frame=xgb.DMatrix(codes[:TESTED], enable_categorical=True))
    if version >= (3, 1):
        for name, values in [("pandas numbers", np.arange(5) * 10), ("pandas words", np.array(list("vwxyz")))]:
            b = framed(categories(values))
            out.refused(name, {".json": b.save_raw("json"), ".ubj": b.save_raw("ubj")}, "categories of a data frame")

    for objective in ["rank:pairwise", "rank:ndcg", "rank:map"]:
        d = xgb.DMatrix(numbers, y["class"])
        d.set_group([ROWS // 4] * 4)
        out.refused(objective, {".json": xgb.train({"objective": objective}, d, 1).save_raw("json")}, "orders rows")
    out.refused("survival:cox", {".json": train("survival:cox", "positive", rounds=1).save_raw("json")}, "survival")
    two = xgb.train({"objective": "reg:squarederror", "max_depth": 2}, xgb.DMatrix(numbers, np.column_stack([y["real"], y["share"]])), 2)
    out.refused("two targets", {".json": two.save_raw("json"), ".ubj": two.save_raw("ubj")}, "predicts 2 targets")
    if version >= (2, 0):
        vector = train("multi:softprob", "three", num_class=3, multi_strategy="multi_output_tree", tree_method="hist")
        out.refused("vector leaves", {".json": vector.save_raw("json"), ".ubj": vector.save_raw("ubj")}, "each leaf has 3 outputs")
    if version < (3, 0):
        out.refused("binary", {".model": first.save_raw("deprecated")}, "binary form that XGBoost had before JSON")
    out.refused("dump", {".json": "[" + ",".join(first.get_dump(dump_format="json")) + "]"}, "XGBoost's dump_model")
    out.refused("text dump", {".txt": "".join(first.get_dump())}, "XGBoost's dump_model")
    out.refused("configuration", {".json": first.save_config()}, "save_config")
    out.refused("state", {".ubj": first.__getstate__()["handle"]}, "state of a Booster")
    out.refused("pickle", {".pkl": pickle.dumps(first)}, "pickle of Python")
    return out


def main():
    if len(sys.argv) > 2:
        with open(sys.argv[1], "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as packed, tarfile.open(fileobj=packed, mode="w") as out:
            for python in sys.argv[2:]:
                made = subprocess.run([python, "-W", "ignore", __file__], stdout=subprocess.PIPE, check=True).stdout
                with tarfile.open(fileobj=io.BytesIO(made)) as part:
                    for entry in part:
                        out.addfile(entry, part.extractfile(entry))
        return
    standard_output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the libraries write messages there
    with tarfile.open(fileobj=standard_output, mode="w|") as out:
        for name, make in [("lightgbm", lightgbm_cases), ("xgboost", xgboost_cases)]:
            try:
                library = __import__(name)
            except ImportError:
                continue
            make(library).tar(out)


main()
