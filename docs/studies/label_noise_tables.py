#!/usr/bin/env python3
"""The tables of docs/studies/label-noise.md from data/label-noise.csv, which label_noise.py writes.

    label_noise_tables.py [LABEL-NOISE.csv]
"""
import csv
import pathlib
import statistics
import sys

from tables import half_width, table

RANKINGS = {"margin": "margin", "self_confidence": "self-confidence", "agreement_label": "PA, rows of one label",
            "agreement_trained": "PA, held out and trained", "agreement_turned": "PA, turned images"}


def over_seeds(values):
    """Mean with the half-width of the 95% t-interval over the seeds."""
    return f"{statistics.mean(values):.3f} ± {half_width(values):.3f}"


def percent(values):
    return f"{100 * statistics.mean(values):.1f} ± {100 * half_width(values):.1f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "label-noise.csv"
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    rates = sorted({row["rate"] for row in rows})
    of = {rate: [row for row in rows if row["rate"] == rate] for rate in rates}
    table(["ranking", *(f"{100 * rate:.0f}% noise" for rate in rates)],
          [[name, *(over_seeds([row[key] for row in of[rate]]) for rate in rates)] for key, name in RANKINGS.items()])
    table(["rows from the top", "ranking", *(f"{100 * rate:.0f}% noise" for rate in rates)],
          [[words, RANKINGS[key], *(percent([row[f"{key}_{first}"] for row in of[rate]]) for rate in rates)]
           for first, words in (("100", "100"), ("all", "as many as labels changed")) for key in ("margin", "self_confidence")])
    table(["noise", "labels changed", "estimated noise", "precision of suspects", "recall of suspects"],
          [[f"{100 * rate:.0f}%", percent([row["changed"] / row["n"] for row in of[rate]]), percent([row["noise_rate"] for row in of[rate]]),
            percent([row["suspects_wrong"] / row["suspects"] for row in of[rate]]), percent([row["suspects_wrong"] / row["changed"] for row in of[rate]])]
           for rate in rates])


if __name__ == "__main__":
    main()
