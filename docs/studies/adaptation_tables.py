#!/usr/bin/env python3
"""The tables of docs/studies/adaptation.md from data/adaptation.csv, which adaptation.py writes.

    adaptation_tables.py [ADAPTATION.csv]
"""
import csv
import pathlib
import statistics
import sys

from tables import half_width, table

ESTIMATES = ["ac", "doc", "atc-conf", "atc-ne", "cot", "cot-corrected"]
ADVERSARIAL = ["DANN", "CDAN"]


def percent(values):
    """Mean in percent, with the half-width of the 95% t-interval over the seeds."""
    return f"{100 * statistics.mean(values):.1f} ± {100 * half_width(values):.1f}"


def numbers(rows, key):
    return [float(row[key]) for row in rows]


def below(rows, key):
    """In how many of the rows it lies below the target's error."""
    return sum(float(row[key]) < float(row["target_error"]) for row in rows)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "adaptation.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    shifts = list(dict.fromkeys(row["shift"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for shift in shifts:
        print(f"{shift}:\n")
        lines = []
        for method in methods:
            those = [row for row in rows if (row["shift"], row["method"]) == (shift, method)]
            plain = {row["seed"]: float(row["target_error"]) for row in rows if (row["shift"], row["method"]) == (shift, "source only")}
            less = [plain[row["seed"]] - float(row["target_error"]) for row in those]
            lines.append([method, percent(numbers(those, "source_error")), percent(numbers(those, "target_error")), percent(less) if method != "source only" else "",
                          percent(numbers(those, "logits_bound")), percent(numbers(those, "features_bound")), percent(numbers(those, "dis2-estimate"))])
        table(["method", "source error", "target error", "less than source only", "bound, logits", "bound, features", "Dis2 without the concentration term"], lines)
    print("The bound below the error, over all shifts and seeds:\n")
    lines = []
    for method in methods:
        those = [row for row in rows if row["method"] == method]
        lines.append([method, len(those), below(those, "logits_bound"), below(those, "features_bound"), below(those, "dis2-estimate")])
    table(["method", "networks", "bound, logits", "bound, features", "without the concentration term"], lines)
    print("Estimates: mean of |estimate - error|, and how often the estimate lies below the error.\n")
    lines = []
    for name, chosen in (("DANN, CDAN", ADVERSARIAL), ("the others", [method for method in methods if method not in ADVERSARIAL])):
        those = [row for row in rows if row["method"] in chosen]
        for estimate in [*ESTIMATES, "dis2-estimate"]:
            wrong = [abs(float(row[estimate]) - float(row["target_error"])) for row in those]
            lines.append([name, estimate, f"{100 * statistics.mean(wrong):.1f}", f"{below(those, estimate)} of {len(those)}"])
    table(["networks", "estimate", "mean distance, points", "below the error"], lines)


if __name__ == "__main__":
    main()
