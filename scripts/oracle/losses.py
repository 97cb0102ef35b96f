"""losses.json: the epsilon-insensitive gamma-logistic loss, and the losses that the Fourier files use."""
import numpy as np
from scipy.special import expit

EPSILON, GAMMA = 0.1, 10.0  # of the files beside losses.json
R = (-30.0, -3.0, -1.0, -0.35, -0.1, -0.01, 0.0, 0.01, 0.1, 0.35, 1.0, 3.0, 30.0)


def igll(r, epsilon=EPSILON, gamma=GAMMA):
    """(1/gamma) log((C + cosh gamma r)/(C + 1)), C = cosh gamma epsilon.

    Near 0 as log1p of 2 sinh^2(gamma r/2)/(C + 1), which loses no digits; from gamma |r| = 1 on with the largest
    exponential taken out, which does not overflow.
    """
    a, c = gamma * np.abs(r), np.cosh(gamma * epsilon)
    near = np.log1p(2 * np.sinh(np.minimum(a, 1) / 2) ** 2 / (c + 1))
    far = a + np.log((1 + np.exp(-2 * a)) / 2 + c * np.exp(-a)) - np.log(c + 1)
    return np.where(a < 1, near, far) / gamma


def igll_slope(r, epsilon=EPSILON, gamma=GAMMA):
    """sinh gamma r/(C + cosh gamma r), with the largest exponential taken out."""
    a, c = gamma * np.abs(r), np.cosh(gamma * epsilon)
    return np.sign(r) * -np.expm1(-2 * a) / (1 + np.exp(-2 * a) + 2 * c * np.exp(-a))


def igll_curvature(r, epsilon=EPSILON, gamma=GAMMA):
    """gamma (1 + C cosh gamma r)/(C + cosh gamma r)^2, likewise."""
    a, c = gamma * np.abs(r), np.cosh(gamma * epsilon)
    e = np.exp(-a)
    return gamma * e * (e + c * (1 + e**2) / 2) / (c * e + (1 + e**2) / 2) ** 2


def largest_curvature(epsilon, gamma):
    c = np.cosh(gamma * epsilon)
    return gamma * c**2 / (4 * (c**2 - 1)) if c >= 2 else gamma / (1 + c)


def sign_of_margin(f, y):
    return np.where(y * f < 1, -y, 0.0)


# Loss, its derivative and its second derivative in f, of every row. The hinge is not minimised, so it has no third.
LOSSES = {
    "halfsquare": (lambda f, y: (f - y) ** 2 / 2, lambda f, y: f - y, lambda f, y: np.ones_like(f)),
    "square": (lambda f, y: (f - y) ** 2, lambda f, y: 2 * (f - y), lambda f, y: np.full_like(f, 2)),
    "hinge": (lambda f, y: np.maximum(0, 1 - y * f), sign_of_margin, None),
    "logistic": (
        lambda f, y: np.logaddexp(0, -y * f), lambda f, y: -y * expit(-y * f), lambda f, y: expit(f) * expit(-f),
    ),
    "igll": (lambda f, y: igll(f - y), lambda f, y: igll_slope(f - y), lambda f, y: igll_curvature(f - y)),
}
# The largest second derivative.
STEEPEST = {"halfsquare": 1, "square": 2, "logistic": 0.25, "igll": largest_curvature(EPSILON, GAMMA)}


def targets(case, loss):
    return case["y_class"] if loss in ("hinge", "logistic") else case["y_regression"]


def make():
    r = np.array(R)
    return {
        "igll": [
            {
                "epsilon": epsilon, "gamma": gamma, "r": r, "value": igll(r, epsilon, gamma),
                "derivative": igll_slope(r, epsilon, gamma), "lipschitz": largest_curvature(epsilon, gamma),
            }
            for epsilon, gamma in ((0.1, 1.0), (0.1, 5.0), (0.1, 10.0), (0.0, 10.0), (0.05, 100.0))
        ]
    }
