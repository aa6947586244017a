#!/usr/bin/env python3
"""The tables of docs/studies/shortcuts.md from data/shortcuts.csv, which shortcuts.py writes.

    shortcuts_tables.py [SHORTCUTS.csv]
"""
import csv
import pathlib
import statistics
import sys

from tables import half_width


def words(values):
    """Mean in percent, with the half-width of the 95% t-interval over the seeds."""
    return f"{100 * statistics.mean(values):.1f} ± {100 * half_width(values):.1f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "shortcuts.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    rates = list(dict.fromkeys(row["rate"] for row in rows))
    seeds = list(dict.fromkeys(row["seed"] for row in rows))
    print("| method | test accuracy | of the worst group | epochs kept | in the last epoch | rates chosen |\n|---|---|---|---|---|---|")
    for method in methods:
        chosen = []
        for seed in seeds:
            those = [row for row in rows if row["method"] == method and row["seed"] == seed]
            chosen.append(max(those, key=lambda row: (float(row["validation_worst"]), float(row["validation"]))))
        counts = ", ".join(f"{rate} ({sum(row['rate'] == rate for row in chosen)})" for rate in rates if any(row["rate"] == rate for row in chosen))
        test, worst = (words([float(row[key]) for row in chosen]) for key in ("test", "test_worst"))
        if all(float(row["validation_worst"]) == 0 for row in chosen):
            test, worst = "none is better", "0 in every epoch"
        epochs = sorted(int(row["epoch"]) for row in chosen)
        print(f"| {method} | {test} | {worst} | {', '.join(map(str, epochs))} | {words([float(row['validation_last']) for row in chosen])} | {counts} |")
    print()
    print("| method | " + " | ".join(rates) + " |\n|---|" + "---|" * len(rates))
    for method in methods:
        cells = []
        for rate in rates:
            those = [float(row["test_worst"]) for row in rows if row["method"] == method and row["rate"] == rate]
            cells.append(words(those) if those else "not run")
        print(f"| {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
