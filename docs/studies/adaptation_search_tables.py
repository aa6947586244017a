#!/usr/bin/env python3
"""The tables of docs/studies/adaptation-search.md from data/adaptation-search.csv, which adaptation_search.py writes.

    adaptation_search_tables.py [ADAPTATION-SEARCH.csv]
"""
import collections
import csv
import itertools
import pathlib
import sys

from adaptation_tables import percent
from tables import table

RATE, PLAIN, WEAK = "1e-3", "source only", "source only, weak views"


def points(row):
    return f"{100 * float(row['target_error']):.1f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "adaptation-search.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    found = collections.defaultdict(dict)  # shift, method, rate -> seed -> row
    for row in rows:
        found[row["shift"], row["method"], row["rate"]][row["seed"]] = row
    shifts, methods, rates = (list(dict.fromkeys(row[key] for row in rows)) for key in ("shift", "method", "rate"))
    seeds = list(found[shifts[0], PLAIN, RATE])
    seeded = [shift for shift in shifts if len(found[shift, PLAIN, RATE]) == len(seeds)]

    searched = [method for method in methods if all(found[shifts[0], method, rate] for rate in rates)]

    def errors(shift, method, rate):
        return [float(found[shift, method, rate][seed]["target_error"]) for seed in seeds]

    print("Target error of five seeds, and how much less it is than the error of source only, and of weak views:\n")
    lines = []
    for rate, method, shift in itertools.product(sorted(rates, key=float, reverse=True), methods, seeded):
        if len(found[shift, method, rate]) < len(seeds):
            continue
        less = [percent([a - b for a, b in zip(errors(shift, plain, rate), errors(shift, method, rate))]) if method != plain else "" for plain in (PLAIN, WEAK)]
        lines.append([method, rate, shift, percent(errors(shift, method, rate)), *less])
    table(["method", "rate", "shift", "target error", "less than source only", "less than weak views"], lines)
    print("Target error on the first seed by learning rate, in brackets accuracy on held-out images of the source:\n")
    order = sorted(rates, key=float, reverse=True)
    lines = []
    for method in searched:
        for shift in shifts:
            of = [found[shift, method, rate].get(seeds[0]) for rate in order]
            lines.append([method, shift, *(f"{points(row)} ({100 * float(row['validation']):.1f})" for row in of)])
    table(["method", "shift", *order], lines)
    print("Other settings on the first seed, target error:\n")
    table(["method", *shifts], [[method, *(points(found[shift, method, RATE][seeds[0]]) for shift in shifts)] for method in methods if method not in searched])


if __name__ == "__main__":
    main()
