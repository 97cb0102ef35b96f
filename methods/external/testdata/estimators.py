"""Compares the classes that benchplugin makes of an estimator's scores with what the estimator predicts itself.

    python estimators.py [sklearn]

Prints a line for each estimator of the table whose counts differ, and how many were compared. Without an argument only
the wrappers are tried, which need NumPy alone; `sklearn` adds estimators of scikit-learn.
"""

import sys
import warnings

import numpy as np

from benchplugin._method import Method


class Centroids:
    """The nearest mean, whose labels, classes_ and scores are given in the way that a subclass says."""

    kind, order, scale = int, slice(None), 1.0  # of the labels; of classes_ and of the columns; of the scores

    def fit(self, X, y):
        self.known = np.unique(y)[self.order]
        self.means = np.stack([X[y == c].mean(axis=0) for c in self.known])
        self.classes_ = self.known.astype(self.kind)
        return self

    def near(self, X):
        return -((X[:, None, :] - self.means) ** 2).sum(axis=2) * self.scale

    def predict(self, X):
        return self.classes_[np.argmax(self.near(X), axis=1)]


class Estimator:
    def get_params(self, deep=True):
        return {}

    def set_params(self, **settings):
        return self


class Proba(Centroids):
    def predict_proba(self, X):
        p = np.exp(self.near(X))
        return p / p.sum(axis=1, keepdims=True)


class Decision(Centroids):
    def decision_function(self, X):
        near = self.near(X)
        return near[:, 1] - near[:, 0] if near.shape[1] == 2 else near


class Columns(Centroids):
    """A column of decision values for each class, of two classes too."""

    def decision_function(self, X):
        return self.near(X)


class Single(Proba):
    """Of two classes the probability of the second alone."""

    def predict_proba(self, X):
        p = super().predict_proba(X)
        return p[:, 1] if p.shape[1] == 2 else p


class Tall(Centroids):
    """Labels as a column, as CatBoost gives them."""

    def predict(self, X):
        return super().predict(X).reshape(-1, 1)


class Unnamed(Proba):
    """Without classes_."""

    def fit(self, X, y):
        super().fit(X, y)
        self.hidden = self.__dict__.pop("classes_")
        return self

    def predict(self, X):
        return self.hidden[np.argmax(self.near(X), axis=1)]


class Ties(Proba):
    """Scores that are often equal, where the first of classes_ is predicted."""

    def near(self, X):
        return np.round(super().near(X) / 3)


class Threshold(Proba):
    """A threshold of its own: the first class needs a probability of 0.9."""

    def predict(self, X):
        p = self.predict_proba(X)
        return self.classes_[np.where(p[:, 0] > 0.9, 0, 1 + np.argmax(p[:, 1:], axis=1))]


class Turned(Decision):
    """Decision values whose sign contradicts predict."""

    scale = -1.0

    def predict(self, X):
        return self.classes_[np.argmin(self.near(X), axis=1)]


class Blind(Proba):
    """Learns the first two classes alone, of which classes_ tells; of two classes the first."""

    def fit(self, X, y):
        keep = np.unique(y)[:max(1, len(np.unique(y)) - 1)]
        return super().fit(X[np.isin(y, keep)], y[np.isin(y, keep)])


class Odd(Proba):
    """Has the classes_ that a test wants."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_ if self.said is None else self.said
        return self


class OddLabels:
    """Predicts what a test wants."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.resize(np.array(self.gives, dtype=object), len(X))


def variant(base, **fields):
    """A class of one's own, and an estimator."""
    return type("Own", (base,), fields), type("Theirs", (Estimator, base), fields)()


def wrappers():
    backwards = slice(None, None, -1)
    table = {kind.__name__: variant(kind) for kind in (Centroids, Proba, Decision, Columns, Single, Tall, Unnamed, Ties, Threshold, Turned, Blind)}
    for base in (Centroids, Proba, Decision, Columns, Single, Ties, Threshold):
        table[base.__name__ + " reversed"] = variant(base, order=backwards)
    for kind in (float, str, object, "S8"):
        table[f"Proba, labels {kind}"] = variant(Proba, kind=kind)
        table[f"Centroids reversed, labels {kind}"] = variant(Centroids, kind=kind, order=backwards)
    table["Decision reversed, text"] = variant(Decision, kind=str, order=backwards)
    out = {name: theirs for name, (own, theirs) in table.items()}
    # The scores of a class of one's own decide, whatever it predicts.
    out.update({name + ", own": own for name, (own, theirs) in table.items() if name.split()[0] not in ("Ties", "Threshold", "Turned")})
    for base in (Proba, Decision, Centroids):
        out[base.__name__ + " reversed, bool"] = variant(base, kind=bool, order=backwards)[1], "binary"
    return out


def of_sklearn():
    from sklearn import base, calibration, discriminant_analysis, dummy, ensemble, gaussian_process, linear_model, model_selection, naive_bayes
    from sklearn import multiclass, neighbors, neural_network, semi_supervised, svm, tree
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    logistic, stump = linear_model.LogisticRegression(), tree.DecisionTreeClassifier(max_depth=1)
    few = dict(random_state=0, n_estimators=4)  # an even number, so that votes are equal
    turned = type("Reversed", (base.ClassifierMixin, base.BaseEstimator, Proba), {"order": slice(None, None, -1)})()
    every = [
        logistic, linear_model.LogisticRegression(C=1e-9), linear_model.RidgeClassifier(), linear_model.SGDClassifier(random_state=0),
        linear_model.Perceptron(random_state=0),
        svm.SVC(), svm.SVC(decision_function_shape="ovo", C=100), svm.SVC(break_ties=True), svm.NuSVC(nu=0.1), svm.LinearSVC(),
        neighbors.KNeighborsClassifier(2), neighbors.KNeighborsClassifier(4, weights="distance"), neighbors.NearestCentroid(),
        neighbors.NearestCentroid(metric="manhattan"), neighbors.RadiusNeighborsClassifier(5.0),
        tree.DecisionTreeClassifier(max_depth=2, random_state=0), tree.ExtraTreeClassifier(random_state=0), stump,
        ensemble.RandomForestClassifier(**few), ensemble.ExtraTreesClassifier(**few), ensemble.BaggingClassifier(logistic, **few),
        ensemble.GradientBoostingClassifier(**few), ensemble.AdaBoostClassifier(**few), ensemble.HistGradientBoostingClassifier(max_iter=3, random_state=0),
        ensemble.VotingClassifier([("a", logistic), ("b", stump)]), ensemble.VotingClassifier([("a", logistic), ("b", stump)], voting="soft"),
        ensemble.StackingClassifier([("a", logistic), ("b", stump)]),
        naive_bayes.GaussianNB(), naive_bayes.BernoulliNB(), discriminant_analysis.LinearDiscriminantAnalysis(),
        discriminant_analysis.QuadraticDiscriminantAnalysis(), gaussian_process.GaussianProcessClassifier(random_state=0),
        neural_network.MLPClassifier((3,), random_state=0, max_iter=30), semi_supervised.LabelSpreading(),
        dummy.DummyClassifier(), dummy.DummyClassifier(strategy="stratified", random_state=0),
        multiclass.OneVsOneClassifier(logistic), multiclass.OneVsRestClassifier(svm.LinearSVC()), multiclass.OutputCodeClassifier(logistic, random_state=0),
        calibration.CalibratedClassifierCV(svm.LinearSVC(), cv=2), calibration.CalibratedClassifierCV(naive_bayes.GaussianNB(), method="isotonic", cv=2),
        calibration.CalibratedClassifierCV(stump, cv=3),
        model_selection.GridSearchCV(logistic, {"C": [0.01, 1]}, cv=2), model_selection.GridSearchCV(svm.SVC(), {"C": [1, 10]}, cv=2),
        model_selection.RandomizedSearchCV(neighbors.KNeighborsClassifier(), {"n_neighbors": [2, 4]}, n_iter=2, cv=2, random_state=0),
        make_pipeline(StandardScaler(), logistic), make_pipeline(StandardScaler(), svm.SVC()), make_pipeline(StandardScaler(), turned),
        make_pipeline(StandardScaler(), model_selection.GridSearchCV(make_pipeline(StandardScaler(), stump), {"decisiontreeclassifier__max_depth": [1, 3]}, cv=2)),
    ]
    table = {f"{i} {e}": e for i, e in enumerate(every)}
    table["threshold"] = model_selection.FixedThresholdClassifier(logistic, threshold=0.8), "binary"
    table["tuned threshold"] = model_selection.TunedThresholdClassifierCV(logistic, cv=3, random_state=0), "binary"
    return table


def data(classes, seed):
    """Rows of classes whose means lie on a line; half of them are for training."""
    draws = np.random.RandomState(seed)
    y = draws.randint(classes, size=160)
    X = draws.normal(size=(160, 3)) + 0.9 * y[:, None] * [1, -0.5, 0]
    return X[:80], y[:80], X[80:], y[80:]


def problems(tasks):
    if "binary" in tasks:
        X, y, T, t = data(2, 1)
        yield "binary", 1, X, 2.0 * y - 1, T, 2 * t - 1
    if "multiclass" in tasks:
        for classes, lacking in ((3, ()), (5, (0,)), (4, (1, 2))):
            X, y, T, t = data(classes, classes)
            there = ~np.isin(y, lacking)
            yield f"{classes} classes without {lacking}", classes, X[there], y[there].astype(float), T, t


def method_of(thing):
    return Method(thing, {}, None, "M", "1", None, None, None, False, True, "", "", [], {})


def counts(estimator, task, outputs, X, y, T, t):
    """The confusions by bench, and by the estimator's own predict."""
    kind = "binary" if outputs == 1 else "multiclass"
    method = method_of(estimator)
    scores = method.fit(X, y, kind, outputs, {}, 1, 1).scores(T)
    ours = np.where(scores[:, 0] >= 0, 1, -1) if kind == "binary" else np.argmax(scores, axis=1)
    seen, encoded = np.unique(y, return_inverse=True)
    theirs = method.make({}, kind, 1, 1).fit(X, encoded if method.estimator else y.astype(int)).predict(T)
    theirs = [v.decode() if isinstance(v, bytes) else v for v in np.ravel(theirs)]
    theirs = np.array([int(v == "True" if v in ("True", "False") else float(v)) for v in theirs])
    theirs = seen[theirs].astype(int) if method.estimator else theirs
    pairs = [sorted(zip(t.tolist(), given.tolist())) for given in (ours, theirs)]
    return [{pair: got.count(pair) for pair in got} for got in pairs]


def refusals():
    """What is no label, or no column, is an error that says so."""
    for fields, own, theirs in (
        (dict(said=[0, 7]), "classes_ has 0, which is none of the labels that fit got: -1, 1", "classes_ has 7, which is none of the labels that fit got: 0, 1"),
        (dict(said=["good", "bad"]), "classes_ has 'good', which is none", "classes_ has 'good', which is none"),
        (dict(said=[1, 1]), "each label must be there once", "each label must be there once"),
        (dict(said=[[1, 1]]), "classes_ has an array of the shape (1, 2)", "classes_ has an array of the shape (1, 2)"),
        (dict(gives=[0, 1]), "predict gave 0, which is none of the labels that fit got: -1, 1; scores belong into decision_function", None),
        (dict(gives=[1, 2]), "predict gave 2, which is none", "predict gave 2, which is none of the labels that fit got: 0, 1; scores"),
        (dict(gives=[0.25]), "predict gave 0.25, which is none", "predict gave 0.25, which is none"),
        (dict(gives=["yes"]), "predict gave 'yes', which is none", "predict gave 'yes', which is none"),
        (dict(gives=[None, 1]), "predict gave None, which is none", "predict gave None, which is none"),
        (dict(gives=[float("nan")]), "predict gave nan, which is none", "predict gave nan, which is none"),
        (dict(gives=[True, False]), None, None),
        (dict(gives=["+1", "1.0"]), None, None),
    ):
        for thing, want in zip(variant(OddLabels if "gives" in fields else Odd, **fields), (own, theirs)):
            X, y, T, t = data(2, 1)
            try:
                method_of(thing).fit(X, 2.0 * y - 1, "binary", 1, {}, 1, 1).scores(T)
                said = None
            except ValueError as e:
                said = str(e)
            if (said is None) != (want is None) or want is not None and want not in said:
                print(f"{fields}: {said}; want {want}")
    for width, said in ((2, None), (4, None), (2, [0, 1, 2]), (4, [0, 1, 2]), (3, [0, 1])):
        X, y, T, t = data(3, 1)
        thing = variant(Odd, said=said, predict_proba=lambda self, X: np.ones((len(X), width)))[1]
        try:
            method_of(thing).fit(X, y.astype(float), "multiclass", 3, {}, 1, 1).scores(T)
            print(f"{width} columns for classes_ {said} are no error")
        except ValueError as e:
            if f"scores of the shape (80, {width})" not in str(e):
                print(f"{width} columns for classes_ {said}: {e}")


def main():
    table = wrappers()
    if "sklearn" in sys.argv[1:]:
        table.update(of_sklearn())
    for name, entry in table.items():
        estimator, tasks = entry if isinstance(entry, tuple) else (entry, "binary multiclass")
        for problem in problems(tasks):
            try:
                ours, theirs = counts(estimator, *problem)
            except Exception as e:
                ours, theirs = f"{type(e).__name__}: {e}", "no error"
            if ours != theirs:
                print(f"{name}, {problem[0]}: {ours}; it predicts {theirs}")
    refusals()
    print(len(table), "estimators")


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    main()
