from benchplugin import serve
from sklearn.neural_network import MLPClassifier, MLPRegressor

serve(
    MLPClassifier(max_iter=300, random_state=1), regressor=MLPRegressor(max_iter=300, random_state=1),
    grid={"alpha": [1e-4, 1e-2, 1.0], "learning_rate_init": [1e-3, 1e-2]},
    name="sklearn-MLP", source="a network of one hidden layer of 100 units, scikit-learn",
)
