"""embeddings.json: quantiles, Fourier embeddings (eq. 4 and 13) and their kernels, and the inputs of the files beside it."""
import numpy as np
from scipy.special import ndtri

import small

KINDS = ("gaussian", "chi2", "intersection")
GROUPS = np.array([0, 0, 1, 1, 2])  # the channel of every feature
C = 0.5

QUANTILE = {
    "gaussian": ndtri,
    "chi2": lambda u: 2 / np.pi * np.log(np.tan(np.pi * u / 2)),
    "intersection": lambda u: np.tan(np.pi * (u - 0.5)),
}
# Kernels of one feature, by its difference times sigma.
KERNEL = {
    "gaussian": lambda d: np.exp(-(d**2) / 2),
    "chi2": lambda d: 1 / np.cosh(d),
    "intersection": lambda d: np.exp(-np.abs(d)),
}


def inputs(seed):
    """The draws of a case: what embeddings.json holds beside `kinds`."""
    generator, x, regression, classes = small.draw(seed)
    out = {"seed": seed, "X": x, "y_regression": regression, "y_class": classes}
    out["U"], out["b"] = generator.uniform(0, 1, (12, 5)), generator.uniform(0, 1, 12)
    out["U_channels"] = [generator.uniform(0, 1, (8, np.sum(GROUPS == j))) for j in range(3)]
    out["b_channels"] = [generator.uniform(0, 1, 8) for _ in range(3)]
    out["sigma"] = 0.2 + generator.uniform(0, 1, 3)
    out["w_single"], out["w_concat"] = generator.randn(12), generator.randn(24)
    return out | {"groups": GROUPS, "c": C}


def mapped(case, kind):
    """The rows as the kernel sees them."""
    return case["X"] if kind == "gaussian" else np.log(np.abs(case["X"]) + C)


def embed(case, kind, form, sigma):
    """The embedding (rows x columns) and its derivative in every sigma (channels x rows x columns).

    single: sqrt(2/12) cos(sum_j sigma_group(j) h(U_kj) a_j + 2 pi b_k). concat: eight columns for every channel, of
    its features and draws alone.
    """
    a, h = mapped(case, kind), QUANTILE[kind]
    if form == "single":
        parts = [(slice(0, 5), h(case["U"]), case["b"])]
    else:
        parts = [(GROUPS == j, h(case["U_channels"][j]), case["b_channels"][j]) for j in range(3)]
    psi, derivative = [], [[], [], []]
    for features, frequencies, shifts in parts:
        scale = np.sqrt(2 / len(shifts))
        rows, group = a[:, features], GROUPS[features]
        angle = rows @ (frequencies * sigma[group]).T + 2 * np.pi * shifts
        psi.append(scale * np.cos(angle))
        for j in range(3):
            derivative[j].append(-scale * np.sin(angle) * (rows[:, group == j] @ frequencies[:, group == j].T))
    return np.hstack(psi), np.array([np.hstack(d) for d in derivative])


def kernel(case, kind, form, sigma):
    """The kernel that the embedding approximates: a product over features, for concat summed over channels."""
    a = mapped(case, kind)
    each = KERNEL[kind]((a[:, None, :] - a[None, :, :]) * sigma[GROUPS])
    if form == "single":
        return each.prod(axis=2)
    return sum(each[:, :, GROUPS == j].prod(axis=2) for j in range(3))


def make():
    out = []
    for seed in small.SEEDS:
        case = inputs(seed)
        kinds = {}
        for kind in KINDS:
            sigma = case["sigma"]
            kinds[kind] = {
                "quantiles_row0": QUANTILE[kind](case["U"][0]),
                "psi_single_rows0to3": embed(case, kind, "single", sigma)[0][:4],
                "psi_concat_rows0to1": embed(case, kind, "concat", sigma)[0][:2],
                "exact_kernel_rows0to3": kernel(case, kind, "single", sigma)[:4, :4],
                "exact_sum_kernel_rows0to3": kernel(case, kind, "concat", sigma)[:4, :4],
            }
        out.append(case | {"kinds": kinds})
    return {"cases": out}
