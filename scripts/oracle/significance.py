"""statistics.json: tests of significance on published tables.

published.json holds what is printed elsewhere, with its source. What follows from its tables is computed here, and where
the source prints the same quantity, the program stops unless it has computed that, to the last digit printed.
"""
import json
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import integrate, optimize, stats
from scipy.special import ndtr


def make():
    text = Path(__file__).with_name("published.json").read_text()
    printed, out = json.loads(text, parse_float=Decimal), json.loads(text)
    out["demsar2006_table6"] |= demsar_tests(printed["demsar2006_table6"])
    out["garcia_herrera_2008"]["calc"] = garcia_tests(printed["garcia_herrera_2008"])
    bayesian(printed["baycomp_single"], printed["baycomp_nb_unit"])
    blocks(printed["scikit_posthocs_df_bn"])
    for entry in out.values():
        del entry["source"]
    alphas, counts, holm = ("0.01", "0.05", "0.1"), range(2, 21), [0.01, 0.04, 0.03]
    return {
        "_note": "Numbers to test against. pub: printed in the sources that scripts/oracle/published.json names; "
        "everything else but the tables is computed by scripts/oracle/significance.py.",
        **out,
        "wilcoxon_crit_05_two_sided": {str(n): wilcoxon_critical(n) for n in (*range(6, 17), 20)},
        "holm_unit": {"p": holm, "adj": [rounded(p, 4) for p in holm_adjusted(np.array(holm))]},
        "nemenyi_q_inf_over_sqrt2": {a: {str(k): round(nemenyi_q(float(a), k), 6) for k in counts} for a in alphas},
        "bonferroni_dunn_q": {
            a: {str(k): round(stats.norm.isf(float(a) / (2 * (k - 1))), 6) for k in counts} for a in alphas
        },
    }


def agree(what, printed, computed):
    """Stops unless the computed number rounds to the printed one: half a unit of its last digit, and a double's rounding."""
    unit = 10.0 ** Decimal(printed).as_tuple().exponent
    if abs(computed - float(printed)) > max(0.5 * unit, 1e-12 * abs(float(printed))) * (1 + 1e-9):
        raise ArithmeticError(f"{what}: {computed} is computed, {printed} is printed")


def rounded(x, digits):
    return float(f"{x:.{digits}g}")


def friedman(ranks):
    """Mean ranks, Friedman's statistic and Iman and Davenport's of ranks (data sets x methods)."""
    n, k = ranks.shape
    mean = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(mean**2) - k * (k + 1) ** 2 / 4)
    return mean, chi2, (n - 1) * chi2 / (n * (k - 1) - chi2)


def nemenyi_q(alpha, k):
    """The quantile of the range of k normal variables, over sqrt 2."""
    return optimize.brentq(lambda q: range_tail(q, k) - alpha, 1, 10, xtol=1e-13) / np.sqrt(2)


def range_tail(q, k):
    """How often the range of k standard normal variables exceeds q."""
    density = lambda x: k * np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (ndtr(x) - ndtr(x - q)) ** (k - 1)
    return 1 - integrate.quad(density, -9, 9 + q, epsabs=1e-14, epsrel=1e-13, limit=200)[0]


def demsar_tests(table):
    auc, pub = np.array(table["auc"], float), table["pub"]
    n, k = auc.shape
    se = np.sqrt(k * (k + 1) / (6 * n))
    mean, chi2, ff = friedman(np.array(table["published_ranks"], float))
    z = (mean[0] - mean[[3, 1, 2]]) / se  # C4.5 against +m+cf, +m, +cf
    cd05, cd10 = nemenyi_q(0.05, k) * se, nemenyi_q(0.1, k) * se
    for name, value in (("chi2", chi2), ("FF", ff), ("CD05", cd05), ("CD10", cd10)):
        agree("Demsar, " + name, pub[name], value)
    for printed, value in zip(pub["avg_ranks"], mean):
        agree("Demsar, mean ranks", printed, value)
    from_ranks = {
        "chi2": chi2, "p_chi2": stats.chi2.sf(chi2, k - 1), "FF": ff, "p_FF": stats.f.sf(ff, k - 1, (k - 1) * (n - 1)),
        "F_crit_3_39_05": stats.f.isf(0.05, k - 1, (k - 1) * (n - 1)), "SE": se, "z": [round(v, 10) for v in z],
        "p": [round(2 * stats.norm.sf(v), 10) for v in z], "CD05": round(cd05, 10), "CD10": round(cd10, 10),
    }
    mean, chi2, ff = friedman(stats.rankdata(-auc, axis=1))
    plus, minus, z, p = wilcoxon(auc[:, 0], auc[:, 1])
    for name, value in (("R+", plus), ("R-", minus), ("crit_05_N14", wilcoxon_critical(n))):
        agree("Demsar, " + name, pub["wilcoxon_C4.5_vs_+m"][name], value)
    from_auc = {
        "avg_ranks": mean, "chi2": chi2, "chi2_tie_corrected": stats.friedmanchisquare(*auc.T).statistic, "FF": ff,
        "wilcoxon_zsplit_z": z, "wilcoxon_zsplit_p2": p,
    }
    return {"calc_from_published_ranks": from_ranks, "calc_from_auc_midranks": from_auc}


def wilcoxon(a, b):
    """Sums of the ranks of |b - a| with b > a, and with b < a; the smaller one's z and two-sided p.

    Differences of 0 count half on either side.
    """
    difference = np.round(b - a, 9)  # the tables have three decimals
    ranks, n = stats.rankdata(np.abs(difference)), len(a)
    zero = np.sum(ranks[difference == 0]) / 2
    plus, minus = np.sum(ranks[difference > 0]) + zero, np.sum(ranks[difference < 0]) + zero
    z = (min(plus, minus) - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return plus, minus, z, 2 * stats.norm.cdf(z)


def wilcoxon_critical(n):
    """The largest sum of ranks w with P(sum <= w) <= 0.025, over all 2^n signs."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    return int(np.sum(np.cumsum(ways) <= 0.025 * 2**n)) - 1


def garcia_tests(table):
    values, pub = np.array([row[1:] for row in table["rows"]], float), table["pub_scmamp_vignette"]
    n, k = values.shape
    mean, chi2, ff = friedman(stats.rankdata(-values, axis=1))
    se = np.sqrt(k * (k + 1) / (6 * n))
    names = ["NB" if name == "NaiveBayes" else name for name in table["methods"]]
    pairs = list(combinations(range(k), 2))
    p = np.array([2 * stats.norm.sf(abs(mean[i] - mean[j]) / se) for i, j in pairs])
    agree("Garcia, Friedman", pub["chi2"], chi2)
    agree("Garcia, its p", pub["p_chi2"], stats.chi2.sf(chi2, k - 1))
    agree("Garcia, Iman and Davenport", pub["ID"], ff)
    agree("Garcia, its p", pub["p_ID"], stats.f.sf(ff, k - 1, (k - 1) * (n - 1)))
    for printed, value in zip((pub["quade_T"], pub["quade_p"]), quade(values)):
        agree("Garcia, Quade", printed, value)
    # The vignette takes the quantile of a studentised range with 145 = n k - k degrees of freedom.
    agree("Garcia, CD", pub["CD05_with_df_145"], stats.studentized_range.isf(0.05, k, n * k - k) / np.sqrt(2) * se)
    for (i, j), value in zip(pairs, p):
        agree("Garcia, raw p", pub["friedman_raw_p"][f"{names[i]}-{names[j]}"], value)
    columns = p, holm_adjusted(p), shaffer(p, k), bergmann_hommel(p, pairs, k)
    return {
        "avg_ranks": mean, "chi2": chi2, "FF": ff, "CD05_inf_df": nemenyi_q(0.05, k) * se,
        "adjusted": [
            [names[pairs[h][0]], names[pairs[h][1]], *(rounded(column[h], 4) for column in columns)] for h in np.argsort(p)
        ],
        "adjusted_columns": ["a", "b", "raw_p", "holm", "shaffer_static", "bergmann_hommel"],
    }


def quade(values):
    """Quade's statistic and its p: ranks within data sets, weighted by the rank of the data set's range.

    The sum of squares is that without ties, as scmamp has it.
    """
    n, k = values.shape
    weights = stats.rankdata(np.round(np.ptp(values, axis=1), 9))
    s = weights[:, None] * (stats.rankdata(-values, axis=1) - (k + 1) / 2)
    total, between = n * (n + 1) * (2 * n + 1) * k * (k + 1) * (k - 1) / 72, np.sum(s.sum(axis=0) ** 2) / n
    t = (n - 1) * between / (total - between)
    return t, stats.f.sf(t, k - 1, (k - 1) * (n - 1))


def stepped(p, factors):
    """Adjusted p of a step-down procedure: the largest factor times p so far, in the order of p, and at most 1."""
    out = np.empty(len(p))
    order = np.argsort(p)
    out[order] = np.minimum(1, np.maximum.accumulate(np.array(factors) * p[order]))
    return out


def holm_adjusted(p):
    return stepped(p, range(len(p), 0, -1))


def shaffer(p, k):
    """The factor of step i is the largest number of hypotheses that can be true together when i - 1 are false."""
    possible = sorted({sum(len(block) * (len(block) - 1) // 2 for block in blocks) for blocks in partitions(list(range(k)))})
    return stepped(p, [max(c for c in possible if c <= len(p) - i) for i in range(len(p))])


def bergmann_hommel(p, pairs, k):
    """Adjusted p: the largest |I| min p over I, of the exhaustive sets I that the hypothesis is in; at most 1.

    A hypothesis with a larger p gets no smaller one.
    """
    out = np.zeros(len(p))
    for blocks_of_equals in partitions(list(range(k))):
        together = [h for h, (i, j) in enumerate(pairs) if any(i in block and j in block for block in blocks_of_equals)]
        for h in together:
            out[h] = max(out[h], len(together) * p[together].min())
    order = np.argsort(p)
    out[order] = np.maximum.accumulate(out[order])
    return np.minimum(1, out)


def partitions(items):
    """Every way to divide the items into blocks of equals."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for i, block in enumerate(rest):
            yield [*rest[:i], [items[0], *block], *rest[i + 1 :]]


def bayesian(single, unit):
    """The posterior of the mean difference: Student's t with the variance of correlated folds (Nadeau and Bengio)."""
    difference = np.array(single["j48"], float) - np.array(single["nbc"], float)
    t = posterior(difference, single["runs"])
    for printed, value in zip(single["pub"]["rope0"], (t.cdf(0), t.sf(0))):
        agree("baycomp, no rope", printed, value)
    for printed, value in zip(single["pub"]["rope0.5"], (t.cdf(-0.5), t.cdf(0.5) - t.cdf(-0.5), t.sf(0.5))):
        agree("baycomp, rope 0.5", printed, value)
    t = posterior(np.array(unit["y"], float) - np.array(unit["x"], float), unit["runs"])
    for name, value in zip(("df", "mean", "var"), (t.args[0], t.args[1], t.args[2] ** 2)):
        agree("baycomp, " + name, unit["pub"][name], value)


def posterior(difference, runs):
    n = len(difference)
    share = runs / n  # of the rows that each fold tests
    return stats.t(n - 1, np.mean(difference), np.sqrt(np.var(difference, ddof=1) * (1 / n + share / (1 - share))))


def blocks(table):
    """All pairs after Friedman's test: Nemenyi's and Siegel and Castellan's p."""
    ranks = stats.rankdata(np.array(table["rows_blocks"], float), axis=1)
    n, k = ranks.shape
    z = np.abs(np.subtract.outer(ranks.mean(axis=0), ranks.mean(axis=0))) / np.sqrt(k * (k + 1) / (6 * n))
    for i, row in enumerate(table["pub_nemenyi_lower"]):
        for printed, value in zip(row, z[i]):
            agree("scikit-posthocs, Nemenyi", printed, range_tail(value * np.sqrt(2), k))
    for printed, value in zip(table["pub_siegel_first_row"], z[0]):
        agree("scikit-posthocs, Siegel", printed, 2 * stats.norm.sf(value))
