from benchplugin import serve
from sklearn.linear_model import LogisticRegression

serve(
    LogisticRegression(max_iter=1000), grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    name="sklearn-Logistic", source="logistic regression with an l2 penalty, scikit-learn", probabilities="logit",
)
