"""Prints the lines of harness/experiments/published.csv that hold the results of RFRBoost's paper.

Usage: python rfrboost_published.py CHECKOUT, a checkout of nikitazozoulenko/random-feature-representation-boosting.

The paper's program keeps the score of each of five folds, for each set of OpenML and each method: minus the share of right labels,
or the root of the mean squared error of a target of variance one. A line holds the mean of the five folds, their standard
deviation (divided by five, as in the paper) and the folds themselves, in percent for shares.
"""

import json
import pathlib
import statistics
import sys

TABLES = {
    "classification": ("OpenMLClassification", -100, "percent of correct labels", {
        "RFRBoost_ID_batchnormFalse": "RFRBoost", "LogisticRegression": "Logistic", "XGBoostClassifier": "XGB", "RFNN": "RFNN",
        "End2End_cpu": "MLP-ResNet"}),
    "regression": ("OpenMLRegression", 1, "root mean squared error in standard deviations of the target", {
        "GradientRFRBoost_ID_batchnormFalse": "RFRBoost", "GreedyRFRBoostDense_ID_batchnormFalse": "RFRBoost-greedy", "Ridge": "Ridge",
        "XGBoostRegressor": "XGB", "RFNN": "RFNN", "End2End_cpu": "MLP-ResNet"}),
}


def main(checkout):
    for task, (folder, size, unit, methods) in TABLES.items():
        files = pathlib.Path(checkout, "save", folder)
        sets = sorted({int(f.name.split("_")[1]) for f in files.glob("*.json")})
        for number in sets:
            for theirs, ours in methods.items():
                file = files / f"{task}_{number}_{theirs}.json"
                folds = json.loads(file.read_text())[str(number)][theirs]["score_test"]
                if len(folds) != 5:
                    sys.exit(f"{file}: {len(folds)} folds, not 5")
                scores = [size * s for s in folds]
                mean, deviation = statistics.fmean(scores), statistics.pstdev(scores)
                print(f"zozoulenko2025-{task},openml-{number},{ours},{unit},{mean:.4g},{deviation:.3g},standard deviation,"
                      + " ".join(f"{s:.6g}" for s in scores))


main(*sys.argv[1:])
