"""random_features.json: random Fourier features, chosen by EERF, weighted by LKRF, and fitted as they come (RKS)."""
import numpy as np

import mfga
import small


def make():
    return {"cases": [case(seed) for seed in small.SEEDS]}


def case(seed):
    generator, x, regression, classes = small.draw(seed)
    s = small.width(x)
    w, b, uniforms = generator.randn(80, 5) / s, generator.uniform(0, 2 * np.pi, 80), generator.uniform(0, 1, 20)
    phi = np.cos(x @ w.T + b)
    out = {
        "seed": seed, "X": x, "y_class": classes, "y_regression": regression, "width": s, "W": w, "b": b,
        "uniforms": uniforms, "phi_rows0to2": phi[:3],
    }
    for name, y in (("class", classes), ("regression", regression)):
        for how, t in (("centred", y - y.mean()), ("raw", y)):
            out[f"{name}_{how}"] = chosen(phi, t, uniforms)
    out["rks20"] = []
    for loss, y in (("square", regression), ("logistic", classes)):
        for intercept in (False, True):
            theta, bias = small.fit(phi[:, :20], y, loss, 0.001, intercept)
            out["rks20"].append({"loss": loss, "intercept": intercept, "lam": 0.001, "theta": theta, "bias": bias})
    return out


def chosen(phi, t, uniforms):
    scores = np.abs(phi.T @ t) / len(t)
    out = {"scores": scores, "top20": mfga.largest(scores, 20)}
    for rho in (0.005, 0.05, 0.3):
        q = lkrf((len(t) * scores) ** 2, rho)
        out[f"lkrf_rho{rho}"] = {"q": q, "support": int(np.sum(q > 0)), "sampled": sample(q, uniforms)}
    return out


def lkrf(k, rho):
    """q that maximises sum q_m k_m over q >= 0, sum q = 1, sum (q_m - 1/M)^2 <= rho, in closed form.

    Only the c largest k have q > 0, and there q is linear in k: q = 1/c + a (k - their mean), where a puts q on the
    sphere. c is the largest count that leaves all c of them positive.
    """
    m, order = len(k), np.argsort(-k, kind="stable")
    for c in range(m, 0, -1):
        above = k[order[:c]] - np.mean(k[order[:c]])
        room = rho - 1 / c + 1 / m
        if room < 0:
            break
        share = 1 / c + above * np.sqrt(room / np.sum(above**2)) if np.any(above) else np.full(c, 1 / c)
        if share.min() > 0:
            q = np.zeros(m)
            q[order[:c]] = share
            return q
    raise ArithmeticError("no count of positive weights solves the problem")


def sample(q, uniforms):
    """Draws from q with replacement, one by each uniform number: how many partial sums of q are below it."""
    return [int(np.sum(np.cumsum(q) < u)) for u in uniforms]
