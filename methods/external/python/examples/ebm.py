from benchplugin import serve
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

fixed = dict(outer_bags=4, max_rounds=1000, interactions=0, learning_rate=0.05, random_state=1, n_jobs=1)
serve(
    ExplainableBoostingClassifier(**fixed), regressor=ExplainableBoostingRegressor(**fixed),
    grid={"interactions": [0, 5]},
    name="EBM", source="Lou et al. 2013, InterpretML", probabilities="logit", save=True, gaps=True,
)
