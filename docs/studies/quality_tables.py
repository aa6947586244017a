#!/usr/bin/env python3
"""The tables of docs/studies/quality.md from data/quality-coverage.csv, which bench/quality_coverage.cpp writes.

    quality_tables.py [QUALITY_COVERAGE.csv]
"""
import csv
import pathlib
import sys


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "quality-coverage.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    cells = list(dict.fromkeys((row["labels"], row["k"], row["n"]) for row in rows))
    for number, key in enumerate(["held", "paired", "unpaired"]):
        print(("" if number == 0 else "\n") + f"| {key}: labels, k, n | " + " | ".join(metrics) + " |\n|---|" + "---|" * len(metrics))
        for cell in cells:
            found = {row["metric"]: row for row in rows if (row["labels"], row["k"], row["n"]) == cell}
            print(f"| {cell[0]}, {cell[1]}, {int(cell[2]):,} | " + " | ".join(f"{int(found[m][key]) / int(found[m]['draws']):.3f}" for m in metrics if m in found) + " |")


if __name__ == "__main__":
    main()
