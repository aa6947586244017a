#!/usr/bin/env python3
"""The tables of docs/studies/corruptions.md from data/corruptions.csv, which corruptions.py writes.

    corruptions_tables.py [CORRUPTIONS.csv]
"""
import csv
import pathlib
import statistics
import sys

from tables import table

# Severity does not mean more harm in these: a constant gets weaker, or another kind of change takes over.
NOT_MONOTONE = {"snow", "elastic-transform", "glass-blur", "saturate", "spatter"}


def interval(row, key, scale, digits):
    return f"{scale * float(row[key]):.{digits}f} [{scale * float(row[key + '_low']):.{digits}f}, {scale * float(row[key + '_high']):.{digits}f}]"


def rank_correlation(first, second):
    """Spearman's: ties have the mean of their ranks."""
    def ranks(values):
        return [sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values]
    return statistics.correlation(ranks(first), ranks(second))


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "corruptions.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for model in dict.fromkeys(row["model"] for row in rows):
        those = [row for row in rows if row["model"] == model]
        clean, rest = those[0], those[1:]
        corruptions = list(dict.fromkeys(row["corruption"] for row in rest))
        severities = sorted({int(row["severity"]) for row in rest})

        def of(corruption, severity):
            return next(row for row in rest if row["corruption"] == corruption and int(row["severity"]) == severity)

        print(f"{model}, {clean['n']} images, accuracy {interval(clean, 'accuracy', 100, 1)}. Accuracy in percent, by severity:\n")
        table(["corruption", *map(str, severities)],
              [[corruption, *[interval(of(corruption, severity), "accuracy", 100, 1) for severity in severities]] for corruption in corruptions])
        print("Posterior agreement with the clean images, by severity:\n")
        table(["corruption", *map(str, severities)],
              [[corruption, *[interval(of(corruption, severity), "pa", 1, 3) for severity in severities]] for corruption in corruptions])
        rises = [(corruption, severity, key) for corruption in corruptions for key in ("accuracy", "pa") for severity in severities[1:]
                 if float(of(corruption, severity)[key]) > float(of(corruption, severity - 1)[key])]
        print("Severities that do less harm than the previous severity: "
              + (", ".join(f"{corruption} {severity} ({'accuracy' if key == 'accuracy' else 'PA'})" + ("" if corruption in NOT_MONOTONE else " [unexpected]")
                           for corruption, severity, key in rises) or "none") + ".\n")
        correlation = rank_correlation([float(row["accuracy"]) for row in rest], [float(row["pa"]) for row in rest])
        print(f"Rank correlation of accuracy and PA over {len(rest)} sets: {correlation:.3f}.\n")
        last = [corruption for corruption in corruptions if float(of(corruption, severities[-1])["accuracy"]) >= float(of(corruption, severities[0])["accuracy"])]
        print(f"Severity {severities[-1]} at least as accurate as severity {severities[0]}: {', '.join(last) or 'none'}.\n")


if __name__ == "__main__":
    main()
