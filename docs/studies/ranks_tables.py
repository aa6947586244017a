#!/usr/bin/env python3
"""The table of docs/studies/ranks.md from data/rank-coverage.csv, which bench/rank_coverage.cpp writes.

    ranks_tables.py [RANK_COVERAGE.csv]
"""
import csv
import sys

from quality_tables import DATA, lower_limit


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else DATA / "rank-coverage.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    seeds = list(dict.fromkeys(row["seeds"] for row in rows))
    print("| algorithms, scatter, algorithm, cases | " + " | ".join(f"seeds: {n}" for n in seeds) + " |\n|---|" + "---|" * len(seeds))
    cells, least = {}, (1, 0)
    for row in rows:
        missed, present = int(row["missed"]), int(row["present"])
        absent = "" if row["present"] == row["draws"] else f" ({present / int(row['draws']):.2f})"
        key = ", ".join(row[name] for name in ("algorithms", "scatter", "algorithm", "cases"))
        cells.setdefault(key, []).append(f"{1 - missed / present:.3f}{absent}")
        least = min(least, (1 - missed / present, missed, present, f"{key}, {row['seeds']} seeds"))
    for key, shown in cells.items():
        print(f"| {key} | " + " | ".join(shown) + " |")
    share, missed, present, name = least
    print(f"\nThe smallest coverage is {share:.4f} ({name}); its upper limit at 99%, corrected for {len(rows)} cells, is "
          f"{1 - lower_limit(missed, present, .01 / len(rows)):.4f}.")


if __name__ == "__main__":
    main()
