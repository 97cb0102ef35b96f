from benchplugin import serve
from xgboost import XGBClassifier, XGBRegressor

fixed = dict(n_estimators=50, tree_method="hist")
serve(
    XGBClassifier(**fixed), regressor=XGBRegressor(**fixed),
    grid={"max_depth": [2, 4, 6], "learning_rate": [0.05, 0.1, 0.3]},
    name="XGBoost", source="Chen and Guestrin 2016, the library itself", save=True, gaps=True,
)
