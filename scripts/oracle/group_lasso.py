"""group_lasso.json: min over w of sum loss(Psi w, y) + lam sum_j |w_j| on the embedding of three channels.

The proximal gradient method finds which blocks are zero; Newton's method solves the smooth problem of the others. Both
take turns until the duality gap is below 1e-11.
"""
import numpy as np
from scipy.special import xlogy

import embeddings
import losses
import small

GAP = 1e-11


def conjugate(loss, v, y):
    """sup over f of v f - loss(f, y), of every row."""
    if loss == "halfsquare":
        return v**2 / 2 + v * y
    if loss == "square":
        return v**2 / 4 + v * y
    if loss == "logistic":
        p = -v * y
        return xlogy(p, p) + xlogy(1 - p, 1 - p)
    c = np.cosh(losses.GAMMA * losses.EPSILON)
    r = np.log((v * c + np.sqrt(v**2 * c**2 + 1 - v**2)) / (1 - v)) / losses.GAMMA
    return v * r - losses.igll(r) + v * y


def solve(psi, y, loss, lam):
    """The weights, their objective and its duality gap."""
    value, slope, curvature = losses.LOSSES[loss]
    size = 1 / (np.linalg.norm(psi, 2) ** 2 * losses.STEEPEST[loss])
    w = np.zeros(psi.shape[1])
    for _ in range(100):
        for _ in range(300):
            w = shrunk(w - size * psi.T @ slope(psi @ w, y), size * lam)
        positive = np.repeat(norms(w), 8) > 0
        if np.any(positive):
            w[positive] = newton(psi[:, positive], y, w[positive], lam, value, slope, curvature)
        f = psi @ w
        objective = np.sum(value(f, y)) + lam * sum(norms(w))
        v = slope(f, y)
        v = v * min(1, lam / max(norms(psi.T @ v)))
        gap = objective + np.sum(conjugate(loss, v, y))
        if gap < GAP:
            return w, objective, gap
    raise ArithmeticError(f"the duality gap is {gap}")


def shrunk(w, by):
    """Every block made shorter by so much, and zero where it is not longer."""
    return np.concatenate([b * (1 - by / s) if s > by else 0 * b for b, s in zip(np.split(w, 3), norms(w))])


def norms(v):
    return [np.linalg.norm(b) for b in np.split(v, len(v) // 8)]


def newton(psi, y, w, lam, value, slope, curvature):
    """The minimum from w on, or the last point from which a step went down, where some block goes to zero."""

    def objective(w):
        return np.sum(value(psi @ w, y)) + lam * sum(norms(w))

    for _ in range(30):
        f, lengths = psi @ w, norms(w)
        unit = w / np.repeat(lengths, 8)
        gradient = psi.T @ slope(f, y) + lam * unit
        hessian = psi.T @ (psi * curvature(f, y)[:, None])
        for j, length in enumerate(lengths):
            u = slice(8 * j, 8 * j + 8)
            hessian[u, u] += lam / length * (np.eye(8) - np.outer(unit[u], unit[u]))
        step = np.linalg.solve(hessian, gradient)
        promised = gradient @ step
        if promised < 1e-22:
            return w - step
        size = 1.0
        while objective(w - size * step) > objective(w) - 0.1 * size * promised + 1e-14:
            size /= 2
            if size < 1e-3:
                return w
        w = w - size * step
    return w


def make():
    out = []
    for seed in small.SEEDS:
        case = embeddings.inputs(seed)
        for kind in embeddings.KINDS:
            psi, derivative = embeddings.embed(case, kind, "concat", case["sigma"])
            for loss in ("halfsquare", "square", "logistic", "igll"):
                y, slope = losses.targets(case, loss), losses.LOSSES[loss][1]
                lambda_max = max(norms(psi.T @ slope(np.zeros(len(y)), y)))
                for fraction in (0.7, 0.3, 0.05):
                    w, objective, gap = solve(psi, y, loss, fraction * lambda_max)
                    row = {
                        "seed": seed, "kind": kind, "loss": loss, "lambda_max": lambda_max, "lam": fraction * lambda_max,
                        "objective": objective, "duality_gap": gap, "block_norms": norms(w), "w": w,
                    }
                    if loss == "square" and fraction == 0.3:
                        row["grad_sigma_profiled"] = [slope(psi @ w, y) @ (part @ w) for part in derivative]
                    out.append(row)
    return {"cases": out}
