#!/usr/bin/env python3
"""The tables of docs/studies/sweep-scale.md from data/sweep-scale*.csv, which sweep_scale.py writes.

Fails where leeway/sweep has other numbers than those that were simulated.
"""
import csv
import pathlib
import statistics

import sweep_scale

DATA = pathlib.Path(__file__).resolve().parent / "data"
MEANINGS = {"lease": "seconds without a sign of life after which a remote runner counts as dead", "renewals a lease": "signs of life in that time",
            "first look": "seconds between checks of other runners, initially", "last look": "seconds between checks of other runners, at most",
            "units looked at": "units per check", "runners looked at": "runners per check"}


def read(name):
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def whole(text):
    return f"{round(float(text)):,}"


def main():
    simulated = {row["rule"]: float(row["value"]) for row in read("sweep-scale-rules.csv")}
    if simulated != sweep_scale.rules():
        raise SystemExit(f"leeway/sweep has the rules {sweep_scale.rules()}; simulated were {simulated}")
    table(["rule", "value"], [[MEANINGS[rule], f"{value:g}"] for rule, value in simulated.items()])
    pilot = read("sweep-scale-pilot.csv")
    times = sorted(float(row["unit_seconds"]) for row in pilot)
    files, size = (statistics.fmean(float(row[key]) for row in pilot) for key in ("files", "bytes"))
    table(["units of the pilot", "shortest", "median", "longest", "files per unit", "kB per unit"],
          [[f"{len(pilot)}", f"{times[0]:.1f} s", f"{statistics.median(times):.1f} s", f"{times[-1]:.1f} s", f"{files:.1f}", f"{size / 1e3:.0f}"]])
    rows = read("sweep-scale.csv")
    table(["scenario", "longest unit, s", "ideal, s", "99% done, s", "ratio", "makespan, s", "time in files", "operations", "runners", "run twice", "left to the last job"],
          [[row["scenario"], whole(row["longest_unit"]), whole(row["ideal"]), whole(row["most_done"]), f"{float(row['most_done']) / float(row['ideal']):.2f}",
            whole(row["makespan"]), f"{float(row['file_share']):.0%}", f"{float(row['operations']) / 1e6:.1f} million", whole(row["runners"]), row["twice"], row["left"]]
           for row in rows])
    shard, runners = max(int(row["largest_shard"]) for row in rows), max(int(row["runner_files"]) for row in rows)
    table(["folder", "largest number of entries", "bytes"],
          [["units/ab", f"{shard}", f"{shard * size / 1e6:.0f} MB"], ["runners", f"{runners:,}", "less than 1 MB"]])


if __name__ == "__main__":
    main()
