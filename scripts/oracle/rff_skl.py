"""rff_skl.json: the joint form of RFF-SKL (eq. 9), its weights in closed form, and a local minimum in the inverse widths."""
import numpy as np
from scipy.optimize import minimize

import embeddings
import small


def profile(case, kind, form, lam, rho, sigma):
    """min over w of |Psi w - y|^2/2 + lam |w|^2 + rho |sigma|^2, its gradient in sigma (envelope theorem), and w."""
    psi, derivative = embeddings.embed(case, kind, form, sigma)
    y = case["y_regression"]
    w = np.linalg.solve(psi.T @ psi + 2 * lam * np.eye(psi.shape[1]), psi.T @ y)
    r = psi @ w - y
    gradient = np.array([r @ (part @ w) for part in derivative]) + 2 * rho * sigma
    return r @ r / 2 + lam * (w @ w) + rho * (sigma @ sigma), gradient, w


def make():
    out = []
    for seed in small.SEEDS:
        case = embeddings.inputs(seed)
        y, sigma = case["y_regression"], case["sigma"]
        for kind in embeddings.KINDS:
            for form in ("single", "concat"):
                for lam, rho in ((0.05, 0.01), (1.0, 0.0)):
                    value, gradient, w = profile(case, kind, form, lam, rho, sigma)
                    k = embeddings.kernel(case, kind, form, sigma)
                    exact = lam * (y @ np.linalg.solve(k + 2 * lam * np.eye(len(y)), y)) + rho * (sigma @ sigma)
                    low = minimize(
                        lambda s: profile(case, kind, form, lam, rho, s)[:2], sigma, jac=True, method="L-BFGS-B",
                        options={"maxiter": 10000, "maxfun": 100000, "ftol": 0, "gtol": 1e-9},
                    )
                    out.append({
                        "seed": seed, "kind": kind, "form": form, "lam": lam, "rho": rho, "value": value,
                        "grad_sigma": gradient, "w": w, "exact_kernel_value": exact,
                        "local_minimum": {
                            "start": "sigma of embeddings.json", "value": low.fun, "sigma": low.x,
                            "grad_norm": np.max(np.abs(low.jac)),
                        },
                    })
    return {"cases": out}
