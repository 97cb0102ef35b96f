from benchplugin import serve
from lightgbm import LGBMClassifier, LGBMRegressor

fixed = dict(n_estimators=50, verbosity=-1, deterministic=True, force_row_wise=True)
serve(
    LGBMClassifier(**fixed), regressor=LGBMRegressor(**fixed),
    grid={"num_leaves": [7, 15, 31], "learning_rate": [0.05, 0.1, 0.3]},
    name="LightGBM", source="Ke et al. 2017, the library itself", save=True, gaps=True,
)
