from benchplugin import serve
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

serve(
    HistGradientBoostingClassifier(max_iter=100, early_stopping=False),
    regressor=HistGradientBoostingRegressor(max_iter=100, early_stopping=False),
    grid={"learning_rate": [0.05, 0.1, 0.3], "max_depth": [None, 2, 4]},
    name="sklearn-HGB", source="histogram boosting, scikit-learn", save=True, gaps=True,
)
