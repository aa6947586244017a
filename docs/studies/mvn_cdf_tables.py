#!/usr/bin/env python3
"""The tables of docs/studies/mvn-cdf.md from data/mvn-cdf-coverage.csv, which bench/mvn_cdf_coverage.cpp writes.

    mvn_cdf_tables.py [MVN_CDF_COVERAGE.csv]
"""
import csv
import math
import pathlib
import sys

FILE = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "mvn-cdf-coverage.csv"
MISSES = .01  # share of draws that may exceed the certified error
LEVEL = .01   # of the test of all cells together


def chance_of_so_many(outside, draws):
    """P(X >= outside), X binomial with probability MISSES."""
    below = sum(math.exp(math.lgamma(draws + 1) - math.lgamma(i + 1) - math.lgamma(draws - i + 1) + i * math.log(MISSES)
                         + (draws - i) * math.log1p(-MISSES)) for i in range(outside))
    return max(0., 1 - below)


def main():
    with open(FILE, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def corrected(row):  # Bonferroni
        return min(1., len(rows) * chance_of_so_many(int(row["outside"]), int(row["draws"])))

    def held(row):
        return f"{1 - int(row['outside']) / int(row['draws']):.4f}" + (" (fails)" if corrected(row) < LEVEL else "")

    sizes = sorted({int(row["d"]) for row in rows})
    for title, shown in (("coverage", held), ("converged", lambda row: f"{int(row['converged']) / int(row['draws']):.1%}")):
        print(f"| {title}: bounds, conditioning, rank | " + " | ".join(f"d = {d}" for d in sizes) + " |\n|---|" + "---|" * len(sizes))
        for cell in dict.fromkeys((row["bounds"], row["conditioning"], row["rank"]) for row in rows):
            found = {int(row["d"]): shown(row) for row in rows if (row["bounds"], row["conditioning"], row["rank"]) == cell}
            print(f"| {', '.join(cell)} | " + " | ".join(found.get(d, "-") for d in sizes) + " |")
        print()
    worst = min(rows, key=corrected)
    print("| cells | draws | cells that fail | most significant cell | outside | P(as many or more at 1%) x cells |\n|---|---|---|---|---|---|")
    print(f"| {len(rows)} | {sum(int(row['draws']) for row in rows):,} | {sum(corrected(row) < LEVEL for row in rows)} | "
          f"{worst['bounds']}, {worst['conditioning']}, rank {worst['rank']}, d = {worst['d']} | "
          f"{worst['outside']} of {int(worst['draws']):,} | {corrected(worst):.2g} |")


if __name__ == "__main__":
    main()
