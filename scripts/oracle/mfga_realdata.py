"""mfga_realdata.json: MFGA, RKS, EERF and LKRF on three data sets of the MFGA paper, in a few minutes."""
import numpy as np

import mfga
import random_features
import realdata
import small

SPLIT_SEED = 0


def make(data):
    return [
        classification("adult", realdata.adult(data), (0.0001, 0.001, 0.01), 10),
        classification("epileptic", realdata.epileptic(data, SPLIT_SEED), (0.00001, 0.0001), 2),
        regression(realdata.online_news(data, SPLIT_SEED)),
    ]


def width(x):
    """small.width for many rows: squared distances by matrix products find the 50th nearest row, whose distance is exact."""
    squares, total = np.sum(x**2, axis=1), 0.0
    for at in range(0, len(x), 500):
        block = x[at : at + 500]
        distances = squares - 2 * block @ x.T  # and the row's own square, which is the same for all its distances
        nearest = np.argpartition(distances, 50, axis=1)[:, 50]
        total += np.sum(np.linalg.norm(block - x[nearest], axis=1))
    return total / len(x)


def classification(name, parts, lams, per_step):
    x, y, z, truth = parts
    x, z = realdata.standardised(x, z)
    n, d = x.shape
    s = width(x)
    a, b = (np.sqrt(0.5) * np.column_stack([mfga.taylor(v, s, 1), v]) for v in (x, z))
    out = {
        "dataset": name, "split_seed": SPLIT_SEED, "n_train": n, "n_test": len(z), "d": d, "width_nn50": s,
        "mean_y_train": y.mean(), "mfga": [], "random": [],
    }
    for lam in lams:
        steps = []
        for step in mfga.path(a, y, "logistic", lam, True, per_step, 10):
            scores = b[:, step["selected"]] @ step["theta"] + step["intercept"]
            steps.append({
                "new": step["new"], "boundary_margin": step["boundary"], "objective": step["objective"],
                "n_wrong_test": wrong(scores, truth),
            })
        out["mfga"].append({"lam": lam, "features_per_step": per_step, "order": 1, "intercept": True, "steps": steps})
    for seed in (1000, 1001):
        generator = np.random.RandomState(seed)
        features = generator.randn(2000, d) / s, generator.uniform(0, 2 * np.pi, 2000)
        uniforms = generator.rand(10 * per_step)
        for centred in (True, False):
            row, sets = choices(x, y - y.mean() if centred else y, features, uniforms)
            if not centred:
                del sets["RKS"]  # has no target, so it is what it was
            row = {"seed": seed, "centred": centred} | row | {"wrong": {}}
            for method, chosen in sets.items():
                theta, bias = small.fit(cosines(x, features, chosen), y, "logistic", 0.0001, True)
                row["wrong"][method] = wrong(cosines(z, features, chosen) @ theta + bias, truth)
            out["random"].append(row)
    return out


def wrong(scores, truth):
    return int(np.sum((scores >= 0) != (truth > 0)))


def cosines(x, features, chosen):
    w, b = features
    return np.cos(x @ w[chosen].T + b[chosen])


def choices(x, t, features, uniforms):
    """What scores, EERF and LKRF make of the features, and the columns of the three methods."""
    count, m = len(features[1]), len(uniforms)
    scores = np.concatenate([np.abs(cosines(x, features, at).T @ t) / len(t) for at in np.split(np.arange(count), count // 100)])
    q = random_features.lkrf((len(t) * scores) ** 2, 0.005)
    sampled = random_features.sample(q, uniforms)
    row = {
        "score_of_feature_0to9": scores[:10], "top10": mfga.largest(scores, 10), "lkrf_support": int(np.sum(q > 0)),
        "lkrf_largest": q.max(), "lkrf_sampled_first10": sampled[:10],
    }
    return row, {"RKS": list(range(m)), "EERF": mfga.largest(scores, m), "LKRF": sampled}


def regression(parts):
    x, y, z, truth = parts
    low, high = min(y.min(), truth.min()), max(y.max(), truth.max())
    y, truth = (2 * (v - low) / (high - low) - 1 for v in (y, truth))
    x, z = realdata.standardised(x, z)
    s = width(x)
    out = {
        "dataset": "online-news", "split_seed": SPLIT_SEED, "n_train": len(x), "n_test": len(z), "target_min": low,
        "target_max": high, "width_nn50": s, "constant_mse": np.mean((y.mean() - truth) ** 2), "mfga": [], "random": [],
    }
    for name, squares, linear in (
        ("gaussian_merged", True, False),
        ("gaussian_cross_plus_linear", False, True),
        ("gaussian_merged_plus_linear", True, True),
    ):
        a, b = (mfga.taylor(v, s, 2, squares) for v in (x, z))
        if linear:
            a, b = (np.sqrt(0.5) * np.column_stack([columns, v]) for columns, v in ((a, x), (b, z)))
        for intercept in (False, True):
            for lam in (0.00001, 0.001):
                steps = list(mfga.path(a, y, "square", lam, intercept, 20, 10))
                errors = [np.mean((b[:, p["selected"]] @ p["theta"] + p["intercept"] - truth) ** 2) for p in steps]
                out["mfga"].append({
                    "candidates": name, "count": a.shape[1], "intercept": intercept, "lam": lam, "features_per_step": 20,
                    "first20": steps[0]["new"], "mse_test": errors,
                })
    generator = np.random.RandomState(1000)
    features = generator.randn(4000, x.shape[1]) / s, generator.uniform(0, 2 * np.pi, 4000)
    row, sets = choices(x, y, features, generator.rand(200))
    errors = {}
    for method, chosen in sets.items():
        for intercept in (False, True):
            theta, bias = small.fit(cosines(x, features, chosen), y, "square", 0.001, intercept)
            fitted = cosines(z, features, chosen) @ theta + bias
            errors[method + "_intercept" * intercept] = np.mean((fitted - truth) ** 2)
    out["random"].append({"seed": 1000, "M0": 4000, "M": 200, "lam": 0.001} | {k: row[k] for k in ("top10", "lkrf_support")})
    out["random"][0]["mse_test"] = errors
    return out
