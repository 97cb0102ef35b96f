"""objectives.json: every loss with every penalty, and the gradients in the weights and the inverse widths."""
import numpy as np

import embeddings
import losses
import small

LAM, RHO = 0.7, 0.3


def penalty(name, v, blocks):
    """Value and gradient of |v|^2, |v|_1 or the sum of |v| over blocks."""
    if name == "l2":
        return v @ v, 2 * v
    if name == "l1":
        return np.sum(np.abs(v)), np.sign(v)
    norms = [np.linalg.norm(b) for b in np.split(v, blocks)]
    return sum(norms), np.concatenate([b / norm for b, norm in zip(np.split(v, blocks), norms)])


def make():
    out = []
    for seed in small.SEEDS:
        case = embeddings.inputs(seed)
        for kind in embeddings.KINDS:
            for form, blocks in (("single", 1), ("concat", 3)):
                psi, derivative = embeddings.embed(case, kind, form, case["sigma"])
                w = case["w_" + form]
                for loss in ("halfsquare", "square", "hinge", "logistic", "igll"):
                    value, slope, _ = losses.LOSSES[loss]
                    y = losses.targets(case, loss)
                    d = slope(psi @ w, y)
                    for on_w, on_sigma in (("l2", "l2"), ("l2", "l1"), ("l1", "l2"), ("l21", "l2")):
                        pw, gw = penalty(on_w, w, blocks)
                        ps, gs = penalty(on_sigma, case["sigma"], 1)
                        out.append({
                            "seed": seed, "kind": kind, "form": form, "loss": loss, "penalty_w": on_w,
                            "penalty_sigma": on_sigma, "lam": LAM, "rho": RHO,
                            "value": np.sum(value(psi @ w, y)) + LAM * pw + RHO * ps,
                            "grad_sigma": np.array([d @ (part @ w) for part in derivative]) + RHO * gs,
                            "grad_w": psi.T @ d + LAM * gw,
                        })
    return {"cases": out}
