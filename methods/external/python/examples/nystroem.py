import warnings

from benchplugin import per_feature, serve
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

warnings.filterwarnings("ignore", message="n_components > n_samples")  # then every row is a centre

serve(
    make_pipeline(Nystroem(n_components=200, random_state=1), LogisticRegression(max_iter=1000)),
    grid={"nystroem__gamma": per_feature([0.25, 1.0, 4.0]), "logisticregression__C": [0.1, 1.0, 10.0, 100.0]},
    name="sklearn-Nystroem", source="Williams and Seeger 2001 with logistic regression, scikit-learn", probabilities="logit",
)
