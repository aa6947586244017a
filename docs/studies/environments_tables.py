#!/usr/bin/env python3
"""The tables of docs/studies/environments.md from data/environments.csv, which environments.py writes.

    environments_tables.py [ENVIRONMENTS.csv]
"""
import csv
import math
import pathlib
import statistics
import sys

from tables import half_width, table


def over_seeds(values, digits):
    return f"{statistics.mean(values):.{digits}f} ± {half_width(values):.{digits}f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "environments.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    trainings = list(dict.fromkeys(row["training"] for row in rows))
    shifts = sorted({int(row["shift"]) for row in rows})

    def of(training, shift):
        return [row for row in rows if row["training"] == training and int(row["shift"]) == shift]

    print("Accuracy in percent:\n")
    table(["training", *map(str, shifts)],
          [[training, *[over_seeds([100 * float(row["accuracy"]) for row in of(training, shift)], 1) for shift in shifts]] for training in trainings])
    print("PA, in shares of log 2:\n")
    table(["training", *map(str, shifts[1:])],
          [[training, *[over_seeds([float(row["pa"]) / math.log(2) for row in of(training, shift)], 3) for shift in shifts[1:]]] for training in trainings])
    print("Pairs of which both predictions agree, in percent:\n")
    table(["training", *map(str, shifts[1:])],
          [[training, *[over_seeds([100 * float(row["afr_pred"]) for row in of(training, shift)], 1) for shift in shifts[1:]]] for training in trainings])


if __name__ == "__main__":
    main()
