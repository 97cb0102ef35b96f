"""The published program of the 2020 paper beside our stored results, for Figures 2 to 5:

    BENCH_PUBLISHED=ECML2020-... python scripts/peers/figures.py 2 results.db --sets wine,newthyroid,heart --at 1,10,50 --splits 3

Each figure's program is imported from the checkout that BENCH_PUBLISHED names, with the data that lies there. Splits, folds,
grids and seeds are those of its main.py. One row of output for each series and point: how many cells, how many of them with
the same number of right test rows at the grid point that we chose, the mean accuracy of each side, and the difference. Of
grid points that are best together ours is the first, and theirs the last by name, as its program has it. Its support vector
machines stop after 10,000 steps, which scikit-learn warns of; ours are solved.

Figure 4 prints the processor time of one training and prediction, theirs over ours. Figure 5's program draws new rows for
each seed and has tests as small as its training sets, so only the means are compared there, with the error of theirs.
Needs NumPy, SciPy, scikit-learn, for Figures 4 and 5 also LightGBM, and a database in which the experiment is stored.
"""
import argparse
import importlib
import itertools
import json
import os
import sqlite3
import sys
import time
import warnings

import numpy as np
import sklearn.preprocessing
import sklearn.svm
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

FOLDER = {
    2: "experiment-progression-PBRFF-GBRFF1-GBRFF2",
    3: "experiment-bars-GBRFF1",
    4: "experiment-computation-time",
    5: "experiment-toy-LGBM-GBRFF2",
}
WIDTHS = [2.0**i for i in (-2, -1, 0, 1, 2)]
POWERS = [1e-2, 1e-1, 1.0, 1e1, 1e2]
PENALTIES = [0.0] + [2.0**i for i in (-5, -4, -3, -2)]


def todays_scikit_learn():
    """What the program passes and today's scikit-learn refuses: a limit that is a float, and a renamed keyword."""
    for name in ("SVC", "SVR"):
        machine = getattr(sklearn.svm, name)
        setattr(sklearn.svm, name, lambda max_iter, machine=machine, **others: machine(max_iter=int(max_iter), **others))
    encoder = sklearn.preprocessing.OneHotEncoder
    sklearn.preprocessing.OneHotEncoder = lambda sparse: encoder(sparse_output=sparse)


def published(figure):
    """The figure's modules, imported in its folder, whose data paths are relative."""
    os.chdir(os.path.join(os.environ["BENCH_PUBLISHED"], FOLDER[figure]))
    sys.path.insert(0, os.getcwd())
    return importlib.import_module


def one():
    return np.random.RandomState(1)


def grid(**values):
    return [dict(zip(values, point)) for point in itertools.product(*values.values())]


def series(figure, load):
    """Each series: its grid, and the model of a number of features, landmarks or rounds at a grid point."""
    gbrff1 = load("gbrff1").gbrff
    learned = lambda k: lambda at, d, p: gbrff1(gamma=p["gamma"] / d, T=at // (k if figure == 3 else 1), beta=p["beta"], K=k, randomState=one())
    wide = grid(gamma=WIDTHS, beta=POWERS)
    if figure == 3:
        out = {f"K={k}": (wide, learned(k)) for k in (5, 10, 20)}
        return {"K=1": (grid(gamma=WIDTHS, beta=[1.0]), learned(1)), **out}
    gbrff2, pbrff = load("gbrff2").gbrff, load("pbrff").pbrff
    return {
        "PBRFF": (
            grid(gamma=WIDTHS, beta=POWERS, c=POWERS),
            lambda at, d, p: pbrff(beta=p["beta"], K=10, gamma=p["gamma"] / d, n_landmarks=at, C=p["c"], randomState=one()),
        ),
        "GBRFF1": (wide, learned(10)),
        "GBRFF2": (
            grid(gamma=WIDTHS, **{"lambda": PENALTIES}),
            lambda at, d, p: gbrff2(Lambda=p["lambda"], gamma=p["gamma"] / d, T=at, randomState=one()),
        ),
    }


def right(model, train, test):
    scaler = StandardScaler().fit(train[0])
    model.fit(scaler.transform(train[0]), train[1])
    return int(np.sum(model.predict(scaler.transform(test[0])) == test[1]))


def theirs(x, y, seed, points, model, chosen):
    """Right test rows at the program's own choice and at the chosen point, and the number of test rows."""
    np.random.seed(seed)
    a, b, ya, yb = train_test_split(x, y, shuffle=True, stratify=y, test_size=0.3)
    folds = list(StratifiedKFold(n_splits=5, shuffle=True).split(a, ya))
    score = [np.mean([right(model(p), (a[f], ya[f]), (a[v], ya[v])) / len(v) for f, v in folds]) for p in points]
    best = max(range(len(points)), key=lambda i: (score[i], str(points[i])))
    at = lambda p: right(model(p), (a, ya), (b, yb))
    return at(points[best]), at(chosen), len(yb)


def ours(db, protocol, method, dataset):
    """Rows of split, right test rows, accuracy, grid point and processor seconds."""
    rows = db.execute(
        "SELECT split, n_correct, accuracy, params, fit_seconds + predict_seconds FROM results"
        " WHERE protocol = ? AND method = ? AND dataset = ? ORDER BY split",
        (protocol, method, dataset),
    ).fetchall()
    if not rows:
        sys.exit(f"no results of {method} on {dataset} in protocol {protocol}: bench experiment run {protocol}")
    return rows


def curves(o, db):
    load = published(o.figure)
    data = load("datasets").d
    name = {2: "landmarks", 3: "features"}[o.figure]
    print(f"| series | {name} | cells | equal counts | ours | theirs | difference |\n|---|---|---|---|---|---|---|")
    for label, (points, model) in series(o.figure, load).items():
        for at in o.at:
            equal, mean = [], []
            for dataset in o.sets:
                x, y = data[dataset]
                d = x.shape[1]
                for split, n_correct, _, params, _ in ours(db, f"ecml-figure{o.figure}", f"{label} {name}={at}", dataset)[: o.splits]:
                    stored = json.loads(params)
                    chosen = {"gamma": stored["gamma"] * d, **{k: stored.get(k, v) for k, v in points[0].items() if k != "gamma"}}
                    own, same, n = theirs(x, y, split, points, lambda p: model(at, d, p), chosen)
                    equal.append(same == n_correct)
                    mean.append((100 * n_correct / n, 100 * own / n))
            a, b = np.mean(mean, axis=0)
            print(f"| {label} | {at} | {len(mean)} | {sum(equal)} | {a:.2f} | {b:.2f} | {a - b:+.2f} |", flush=True)


def times(o, db):
    from lightgbm import LGBMClassifier
    from sklearn.datasets import make_classification

    load = published(4)
    models = {
        "LGBM": lambda d: LGBMClassifier(n_estimators=100, max_depth=5, num_leaves=32, n_jobs=1, random_state=1, verbose=-1),
        "BMKR": lambda d: load("bmkr").BMKR(T=100, C=1),
        "GFC": lambda d: load("gfc").GreedyFeatureConstruction(numFeatures=100, C=1, randomState=one()),
        "PBRFF": lambda d: load("pbrff").pbrff(beta=1, K=10, gamma=1 / d, n_landmarks=100, C=1, randomState=one()),
        "GBRFF1": lambda d: load("gbrff1").gbrff(gamma=1 / d, T=100, beta=1, K=10, randomState=one()),
        "GBRFF2": lambda d: load("gbrff2").gbrff(Lambda=0, gamma=1 / d, T=100, randomState=one()),
    }
    print("| method | rows | ours | theirs | theirs over ours |\n|---|---|---|---|---|")
    for method, model in models.items():
        for n in o.at:
            x, y = make_classification(n_samples=n, n_classes=2, random_state=1)
            start = time.process_time()
            plain(model(x.shape[1]), x, y, x, y)
            took = time.process_time() - start
            own = np.median([row[4] for row in ours(db, "ecml-figure4", method, f"classification-{n}")])
            print(f"| {method} | {n} | {own:.3g} s | {took:.3g} s | {took / own:.1f} |", flush=True)


def toys(o, db):
    from lightgbm import LGBMClassifier

    load = published(5)
    source = open("main.py").read()
    drawn = {}
    exec(compile(source[: source.index("def applyAlgo")], "main.py", "exec"), drawn)  # the three generators
    draw = {"swiss-roll": drawn["make_swiss_roll"], "rings": drawn["make_circles"], "checkerboard": drawn["make_board"]}
    gbrff2 = load("gbrff2").gbrff
    models = {
        "LGBM": (
            grid(max_depth=list(range(1, 11)), reg_lambda=PENALTIES),
            lambda p: LGBMClassifier(n_estimators=1000, num_leaves=2 ** p["max_depth"], n_jobs=1, random_state=1, verbose=-1, **p),
        ),
        "GBRFF2": (
            grid(gamma=WIDTHS, Lambda=PENALTIES),
            lambda p: gbrff2(Lambda=p["Lambda"], gamma=p["gamma"] / 2, T=1000, randomState=one()),
        ),
    }
    print("| method | set | training rows | ours | theirs | error of theirs | seeds |\n|---|---|---|---|---|---|---|")
    for method, (points, model) in models.items():
        for dataset, n in itertools.product(o.sets, o.at):
            accuracies = []
            for seed in range(1, o.splits + 1):
                np.random.seed(seed)
                x, y = draw[dataset](2 * n)
                a, b, ya, yb = train_test_split(x, y, shuffle=True, stratify=y, test_size=0.5)
                folds = list(StratifiedKFold(n_splits=5, shuffle=True).split(a, ya))
                score = [np.mean([plain(model(p), a[f], ya[f], a[v], ya[v]) for f, v in folds]) for p in points]
                best = model(points[max(range(len(points)), key=lambda i: (score[i], str(points[i])))])
                accuracies.append(100 * plain(best, a, ya, b, yb))
            own = np.mean([100 * row[2] for row in ours(db, "ecml-figure5", f"{method} rows={n}", dataset)])
            error = np.std(accuracies, ddof=1) / np.sqrt(len(accuracies)) if len(accuracies) > 1 else float("nan")
            print(f"| {method} | {dataset} | {n} | {own:.2f} | {np.mean(accuracies):.2f} | {error:.2f} | {o.splits} |", flush=True)


def plain(model, a, ya, b, yb):
    """The accuracy on b of a model of a; its rows are not standardised."""
    model.fit(a, ya)
    return np.mean(model.predict(b) == yb)


def main():
    listed = lambda kind: lambda text: [kind(part) for part in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", type=int, choices=FOLDER)
    parser.add_argument("database", type=os.path.abspath)
    parser.add_argument("--sets", type=listed(str), default=["wine", "newthyroid", "heart"])
    parser.add_argument("--at", type=listed(int), required=True, help="landmarks, features in all, or rows")
    parser.add_argument("--splits", type=int, default=3, help="splits 1 to this, or seeds")
    o = parser.parse_args()
    todays_scikit_learn()
    warnings.simplefilter("ignore")
    db = sqlite3.connect(f"file:{o.database}?mode=ro", uri=True)
    {2: curves, 3: curves, 4: times, 5: toys}[o.figure](o, db)


if __name__ == "__main__":
    main()
