from benchplugin import serve
from perpetual import PerpetualClassifier

serve(
    PerpetualClassifier(num_threads=1), grid={"budget": [0.2, 0.5]}, name="Perpetual",
    source="the library itself, boosting with a budget instead of a learning rate",
    libraries=["perpetual", "sklearn"],  # perpetual's classifier imports scikit-learn, which its package does not ask for
)
