#!/usr/bin/env python3
"""The tables of docs/studies/quality.md from data/quality-coverage.csv, which bench/quality_coverage.cpp writes, and
data/quality-few-rows.csv, which bench/quality_few_rows.py writes.

    quality_tables.py [QUALITY_COVERAGE.csv [QUALITY_FEW_ROWS.csv]]
"""
import csv
import pathlib
import sys


DATA = pathlib.Path(__file__).parent / "data"


def rows_of(argument, name):
    with open(sys.argv[argument] if len(sys.argv) > argument else DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def few_rows(rows):
    """With the part for few rows, and in parentheses without it."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    print(f"\n| labels, k, n | {' | '.join(metrics)} | changes: {' | '.join(metrics)} |\n|---|" + "---|" * (2 * len(metrics)))
    for cell in dict.fromkeys((row["labels"], row["k"], row["n"]) for row in rows):
        of_cell = [row for row in rows if (row["labels"], row["k"], row["n"]) == cell]
        shares = [f"{int(row[key]) / int(row['draws']):.3f} ({int(row[key + '_without']) / int(row['draws']):.3f})"
                  for key in ("held", "paired") for row in of_cell]
        print(f"| {', '.join(cell)} | {' | '.join(shares)} |")


def main():
    rows = rows_of(1, "quality-coverage.csv")
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    cells = list(dict.fromkeys((row["labels"], row["k"], row["n"]) for row in rows))
    for number, key in enumerate(["held", "paired", "unpaired"]):
        print(("" if number == 0 else "\n") + f"| {key}: labels, k, n | " + " | ".join(metrics) + " |\n|---|" + "---|" * len(metrics))
        for cell in cells:
            found = {row["metric"]: row for row in rows if (row["labels"], row["k"], row["n"]) == cell}
            print(f"| {cell[0]}, {cell[1]}, {int(cell[2]):,} | " + " | ".join(f"{int(found[m][key]) / int(found[m]['draws']):.3f}" for m in metrics if m in found) + " |")
    few_rows(rows_of(2, "quality-few-rows.csv"))


if __name__ == "__main__":
    main()
