#!/usr/bin/env python3
"""The table of docs/studies/coloured-digits.md from data/coloured-digits.csv, which coloured_digits.py writes.

    coloured_digits_tables.py [COLOURED-DIGITS.csv]
"""
import csv
import pathlib
import sys

from shortcuts_tables import words


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "coloured-digits.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    print("| method | training images | test, colors reversed | by seed |\n|---|---|---|---|")
    for method in dict.fromkeys(row["method"] for row in rows):
        seen, test = ([float(row[column]) for row in rows if row["method"] == method] for column in ("seen", "test"))
        print(f"| {method} | {words(seen)} | {words(test)} | {', '.join(f'{100 * one:.1f}' for one in test)} |")


if __name__ == "__main__":
    main()
