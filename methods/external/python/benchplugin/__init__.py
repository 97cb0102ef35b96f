"""Makes a learning method in Python a method of `bench`.

    from benchplugin import serve
    from sklearn.svm import SVC

    serve(SVC(), grid={"C": [0.1, 1, 10, 100]})

That is a whole plugin: `bench methods check svc.py` tries it, `bench run --plugin svc.py ...` compares
it. `serve` takes an estimator in the manner of scikit-learn, or a class of one's own that has `fit(X, y)`
and one of `decision_function(X)`, `predict_proba(X)` and `predict(X)`.

It needs NumPy alone. What passes between the two programs is in docs/reference/plugin-protocol.md.
"""

from ._serve import per_feature, serve

__all__ = ["serve", "per_feature"]
__version__ = "1.1"
