#!/usr/bin/env python3
"""The tables of docs/studies/drift.md from data/drift-level.csv, which bench/drift_level.cpp writes.

    drift_tables.py [DRIFT_LEVEL.csv]
"""
import csv
import pathlib
import sys


def wilson(count, n):
    """The 95% interval of a proportion."""
    z, p = 1.959963984540054, count / n
    centre, half = (p + z * z / 2 / n) / (1 + z * z / n), z * (p * (1 - p) / n + z * z / 4 / n / n) ** .5 / (1 + z * z / n)
    return max(0, centre - half), min(1, centre + half)


def rate(row, key):
    return f"{int(row[key]) / int(row['pairs']):.3f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "drift-level.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    sizes = list(dict.fromkeys((row["n"], row["m"]) for row in rows))
    kinds = list(dict.fromkeys((row["k"], row["confidence"]) for row in rows if row["moved"] == "nothing"))
    print("| classes, confidence | " + " | ".join(f"{int(n):,} and {int(m):,}" for n, m in sizes) + " |\n|---|" + "---|" * len(sizes))
    for k, confidence in sorted(kinds, key=lambda kind: (int(kind[0]), kind[1])):
        cells = []
        for n, m in sizes:
            row = next(r for r in rows if (r["n"], r["m"], r["k"], r["confidence"], r["moved"]) == (n, m, k, confidence, "nothing"))
            low, high = wilson(int(row["family"]), int(row["pairs"]))
            cells.append(f"{rate(row, 'family')} ({low:.3f} to {high:.3f})")
        print(f"| {k}, {confidence} | " + " | ".join(cells) + " |")
    still = [row for row in rows if row["moved"] == "nothing"]
    print("\n| test alone | minimum | mean | maximum |\n|---|---|---|---|")
    for key, name in [("classes", "predicted classes"), ("sureness", "confidence"), ("few", "group of 3 values"), ("many", "group of 40 values")]:
        shares = [int(row[key]) / int(row["pairs"]) for row in still if key != "sureness" or row["confidence"] == "continuous"]
        print(f"| {name} | {min(shares):.3f} | {sum(shares) / len(shares):.3f} | {max(shares):.3f} |")
    print("\n| shift | " + " | ".join(f"{int(n):,} and {int(m):,}" for n, m in sizes) + " |\n|---|" + "---|" * len(sizes))
    for moved in ["mix", "sure", "new"]:
        print(f"| {moved} | " + " | ".join(rate(next(r for r in rows if (r["n"], r["m"], r["moved"]) == (n, m, moved)), "family") for n, m in sizes) + " |")
    held = [int(row["held"]) / int(row["pairs"]) for row in rows]
    print(f"\nThe interval of the total variation held the true one in {min(held):.3f} to {max(held):.3f} of the pairs of a cell.")


if __name__ == "__main__":
    main()
