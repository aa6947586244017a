#!/usr/bin/env python3
"""The tables of docs/studies/quality.md from data/quality-coverage.csv, which bench/quality_coverage.cpp writes.

    quality_tables.py [QUALITY_COVERAGE.csv]
"""
import csv
import pathlib
import sys

DATA = pathlib.Path(__file__).parent / "data"


def lower_limit(hits, n, alpha):
    """Clopper and Pearson's one-sided lower limit of a share below 1/2: where hits or more have the probability alpha."""
    low, high = 0., hits / n
    for _ in range(60):
        p = (low + high) / 2
        term, below = (1 - p) ** n, 0.
        for k in range(hits):
            below += term
            term *= p / (1 - p) * (n - k) / (k + 1)
        low, high = (low, p) if 1 - below > alpha else (p, high)
    return low


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else DATA / "quality-coverage.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    cells = list(dict.fromkeys((row["labels"], row["k"], row["n"]) for row in rows))
    kinds = {"": "target", "paired_": "change, same rows", "unpaired_": "change, other rows"}
    least, count = None, len(rows) * len(kinds)
    for kind, title in kinds.items():
        print(("" if kind == "" else "\n") + f"| {title}: labels, k, n | " + " | ".join(metrics) + " |\n|---|" + "---|" * len(metrics))
        for cell in cells:
            shown = []
            for row in (row for row in rows if (row["labels"], row["k"], row["n"]) == cell):
                draws, present, missed = (int(row[key]) for key in ("draws", f"{kind}present", f"{kind}missed"))
                share = "" if present == draws else f" ({present / draws:.2f})"
                shown.append(f"{1 - missed / draws:.3f}{share}" if present else "-")
                if present:
                    least = min(least or (1, 1, ""), (1 - missed / draws, missed, f"{row['metric']}, {title}, {', '.join(cell)}"))
            print(f"| {cell[0]}, {cell[1]}, {int(cell[2]):,} | " + " | ".join(shown) + " |")
    draws = int(rows[0]["draws"])
    print(f"\nThe smallest coverage is {least[0]:.4f} ({least[2]}); its upper limit at 99%, corrected for {count} cells, is "
          f"{1 - lower_limit(least[1], draws, .01 / count):.4f}.")


if __name__ == "__main__":
    main()
