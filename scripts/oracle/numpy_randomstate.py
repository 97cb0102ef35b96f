"""numpy_randomstate.json: draws of NumPy's legacy generator, each from a fresh one unless the name says otherwise."""
from numpy import uint32
from numpy.random import RandomState


def make():
    mixed = RandomState(7)
    shuffled = list(range(7))
    RandomState(1).shuffle(shuffled)
    return {
        "seed": 1,
        "uint32": RandomState(1).randint(0, 2**32, 8, dtype=uint32),
        "random_sample": RandomState(1).random_sample(8),
        "randn": RandomState(1).randn(9),
        "permutation10": RandomState(1).permutation(10),
        "shuffle_arange7": shuffled,
        "choice_100_5_replace": RandomState(1).choice(100, 5, replace=True),
        "uniform_-1_3": RandomState(1).uniform(-1, 3, 4),
        "seed_42_randn": RandomState(42).randn(5),
        "seed_20_permutation_13": RandomState(20).permutation(13),
        "seed_7_mixed": {
            "randn3": mixed.randn(3),
            "then_permutation5": mixed.permutation(5),
            "then_randn2": mixed.randn(2),
            "then_random_sample2": mixed.random_sample(2),
        },
    }
