from benchplugin import per_feature, serve
from sklearn.svm import SVC

serve(
    SVC(), grid={"C": [0.1, 1, 10, 100], "gamma": per_feature([0.25, 1, 4])},
    name="sklearn-SVC", source="Cortes and Vapnik 1995, scikit-learn",
)
