from benchplugin import serve
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

serve(
    RandomForestClassifier(n_estimators=200, random_state=1), regressor=RandomForestRegressor(n_estimators=200, random_state=1),
    grid={"min_samples_leaf": [1, 3, 10]}, name="sklearn-RandomForest", source="Breiman 2001, scikit-learn",
)
