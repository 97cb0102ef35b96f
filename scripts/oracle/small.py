"""What the small files share: 60 drawn rows of 5 features, the width of their kernels, and fits of a regularised mean loss."""
import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import expit

SEEDS = (11, 12)


def draw(seed):
    """The generator after these draws, the rows X (60 x 5), targets in [-1, 1] and classes -1 and 1."""
    generator = np.random.RandomState(seed)
    x, noise = generator.randn(60, 5), generator.randn(60)
    t = x[:, 0] + 0.5 * x[:, 1] * x[:, 2] - 0.3 * x[:, 3] ** 2 + 0.1 * noise
    return generator, x, 2 * (t - t.min()) / (t.max() - t.min()) - 1, np.where(t > 0.3, 1.0, -1.0)


def width(x):
    """The mean over rows of the distance to the 50th nearest other row; the row itself is the nearest of all."""
    return np.mean(np.sort(cdist(x, x), axis=1)[:, 50])


def mean_loss(loss, f, y):
    return np.mean((f - y) ** 2) if loss == "square" else np.mean(np.logaddexp(0, -y * f))


def slope(loss, f, y):
    """dL/df of every row."""
    return 2 * (f - y) if loss == "square" else -y * expit(-y * f)


def fit(phi, y, loss, lam, intercept):
    """theta and b that minimise mean L(phi theta + b, y) + lam |theta|^2; b = 0 without an intercept.

    The square loss is a least squares problem of stacked rows, solved by singular values. The logistic loss is
    minimised by Newton steps, halved until they go down; the last one is taken where a step promises less than 1e-20.
    """
    n, m = phi.shape
    a = np.column_stack([phi, np.ones(n)]) if intercept else phi
    penalty = np.append(np.full(m, lam), 0.0)[: a.shape[1]]
    if loss == "square":
        stacked = np.vstack([a / np.sqrt(n), np.diag(np.sqrt(penalty))])
        v = np.linalg.lstsq(stacked, np.append(y / np.sqrt(n), np.zeros(len(penalty))), rcond=None)[0]
    else:
        v = newton(a, y, penalty)
    return v[:m], (float(v[m]) if intercept else 0.0)


def newton(a, y, penalty):
    def value(v):
        return mean_loss("logistic", a @ v, y) + penalty @ v**2

    v = np.zeros(a.shape[1])
    for _ in range(100):
        p = expit(-y * (a @ v))
        gradient = -a.T @ (y * p) / len(y) + 2 * penalty * v
        step = np.linalg.solve(a.T @ (a * (p * (1 - p))[:, None]) / len(y) + 2 * np.diag(penalty), gradient)
        if gradient @ step < 1e-20:
            return v - step
        size = 1.0
        while value(v - size * step) > value(v) - 0.1 * size * (gradient @ step) + 1e-15:
            size /= 2
        v = v - size * step
    raise ArithmeticError("Newton's method did not converge in 100 steps")
