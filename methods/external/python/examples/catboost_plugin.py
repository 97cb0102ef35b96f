"""CatBoost looks at the memory of its own process in /proc, which the sandbox hides: run it with --allow-read /proc."""

from benchplugin import serve
from catboost import CatBoostClassifier, CatBoostRegressor

fixed = dict(iterations=200, depth=6, learning_rate=0.1, random_seed=1, thread_count=1, verbose=False,
             allow_writing_files=False)
serve(
    CatBoostClassifier(**fixed), regressor=CatBoostRegressor(**fixed),
    grid={"depth": [4, 6], "learning_rate": [0.03, 0.1]},
    name="CatBoost", source="Prokhorenkova et al. 2018, the library itself", save=True, gaps=True,
)
