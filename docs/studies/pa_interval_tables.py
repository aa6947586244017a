#!/usr/bin/env python3
"""Prints the tables of docs/studies/pa-interval.md from docs/studies/data/pa-interval-*.csv.

    pa_interval_tables.py [FOLDER]

The page says with which commands bench/pa_interval_coverage wrote them.
"""
import collections
import csv
import math
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data")


def rows_of(name):
    """Of the cells measured so far; none where there is no file."""
    path = FOLDER / f"pa-interval-{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def least(cells, key):
    return f"{min(float(cell[key]) for cell in cells):.3f}"


def mean(cells, key):
    return f"{sum(float(cell[key]) for cell in cells) / len(cells):.3f}"


def grouped(rows, *keys):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def coverage_by_size(rows):
    groups = grouped(rows, "share", "n")
    sizes = sorted({int(row["n"]) for row in rows})
    shares = sorted({row["share"] for row in rows}, key=float)
    cells_of = collections.Counter(int(row["n"]) for row in rows)
    head = ["share that disagrees"] + [f"n = {n}, {cells_of[n]} cells" for n in sizes]

    def shown(cells):
        return f"{least(cells, 'coverage')} ({least(cells, 'plain_coverage')})" if cells else "-"

    table(head, [[share] + [shown(groups[share, str(n)]) for n in sizes] for share in shares])


def wilson(cell, z=1.959964):
    """The interval of a coverage from its draws (Wilson's)."""
    p, n = float(cell["coverage"]), int(cell["draws"])
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return f"{(centre - half) / (1 + z * z / n):.3f} to {(centre + half) / (1 + z * z / n):.3f}"


def short(rows):
    low = [row for row in rows if float(row["coverage"]) < .93]
    if not low:
        print("None is below .93.\n")
        return
    table(["population", "k", "n", "share that disagrees", "draws", "coverage", "its interval"],
          [[row["population"], row["k"], row["n"], row["share"], row["draws"], row["coverage"][:5], wilson(row)] for row in low])


def draws(rows):
    counts = collections.Counter(int(row["draws"]) for row in rows)
    return ", ".join(f"{cells} cells of {count}" for count, cells in sorted(counts.items()))


def widths(rows):
    out = []
    for (share, n), cells in grouped([row for row in rows if row["population"] == "soft" and row["k"] == "10"], "share", "n").items():
        if n not in ("1000", "10000"):
            continue
        cell = cells[0]
        out.append([n, share, cell["pa"], cell["low_side"], cell["high_side"], cell["plain_side"]])
    table(["n", "share that disagrees", "PA", "lower side", "upper side", "z s / sqrt(n)"], sorted(out, key=lambda r: (int(r[0]), float(r[1]))))


def main():
    delta, bootstrap, surer = rows_of("delta"), rows_of("bootstrap"), rows_of("surer")
    print("Smallest coverage over populations and numbers of classes; in brackets, the coverage of PA +- z s / sqrt(n).\n")
    coverage_by_size(delta)
    print(f"Draws: {draws(delta)}. Cells below .93:\n")
    short(delta)
    print("By population: smallest and mean coverage, and how often each endpoint misses.\n")
    table(["population", "cells", "smallest", "mean", "lower endpoint above PA, mean", "upper endpoint below PA, mean"],
          [[kind, str(len(cells)), least(cells, "coverage"), mean(cells, "coverage"), mean(cells, "low_above"), mean(cells, "high_below")]
           for (kind,), cells in grouped(delta, "population").items()])
    print("Median lengths of the two sides; soft logits, k = 10.\n")
    widths(delta)
    print("Bootstrap with 200 replicates: smallest coverage.\n")
    coverage_by_size(bootstrap)
    print(f"Draws: {draws(bootstrap)}. Cells below .93:\n")
    short(bootstrap)
    if surer:
        print("Disagreeing pairs are more confident than the others by this factor: smallest coverage.\n")
        table(["factor", "cells", "smallest", "mean"],
              [[scale, str(len(cells)), least(cells, "coverage"), mean(cells, "coverage")] for (scale,), cells in grouped(surer, "surer").items()])


main()
