from benchplugin import serve
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

serve(
    KNeighborsClassifier(), regressor=KNeighborsRegressor(),
    grid={"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]},
    name="sklearn-kNN", source="nearest neighbours, scikit-learn",
)
