#!/usr/bin/env python3
"""Prints the tables of docs/studies/cifar-jpeg.md, from what cifar_jpeg.py left in FOLDER.

    cifar_jpeg_tables.py FOLDER       reads the record and the rows, and writes docs/studies/data/cifar-jpeg*.csv first
    cifar_jpeg_tables.py              from those files alone

A change of accuracy on the same images has the interval of Bonett and Price (2012), level .95.
"""
import collections
import csv
import json
import math
import pathlib
import sys

from tables import table

DATA = pathlib.Path(__file__).resolve().parent / "data"
MODELS = {"resnet20": "ResNet-20", "resnet44": "ResNet-44"}
ESTIMATES = ["ac", "doc", "atc-conf", "atc-ne", "cot", "cot-corrected"]
SET_KEYS = ["n", "source_n", "source_accuracy", "accuracy", "accuracy_low", "accuracy_high", "accuracy_change", "accuracy_change_low",
            "accuracy_change_high", "afr_pred", "afr_pred_low", "afr_pred_high", "pa", "pa_low", "pa_high", "beta", "error_bound"]
PAIRS, OTHERS = "jpeg75", "jpeg75-others"


def collect(folder):
    record = json.loads((folder / "assess.json").read_text())
    with open(DATA / "cifar-jpeg.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["model", "target", *SET_KEYS, *ESTIMATES], lineterminator="\n")
        writer.writeheader()
        for result in record["results"]:
            numbers = {key: result[key] for key in SET_KEYS} | {key: result["estimates"][key] for key in ESTIMATES}
            rounded = {key: round(value, 6) if isinstance(value, float) else value for key, value in numbers.items()}
            writer.writerow({"model": result["model"], "target": result["target"]} | rounded)
    counts = collections.Counter()
    with open(folder / "rows.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["target"] == PAIRS:
                before, after = row["clean_pred"] == row["label"], row["shifted_pred"] == row["label"]
                counts[row["model"], int(row["label"]), before, after] += 1
    names = record["class_names"]
    with open(DATA / "cifar-jpeg-classes.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "class", "right_twice", "lost", "gained", "wrong_twice"])
        for model in MODELS:
            for c, name in enumerate(names):
                writer.writerow([model, name] + [counts[model, c, before, after]
                                                 for before, after in ((True, True), (True, False), (False, True), (False, False))])


def read(name):
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def change(lost, gained, n):
    """In points, as text with its interval."""
    down, up = (lost + 1) / (n + 2), (gained + 1) / (n + 2)
    half = 1.959964 * math.sqrt((down + up - (up - down) ** 2) / (n + 2))
    return f"{100 * (gained - lost) / n:+.0f} [{100 * (up - down - half):.0f}, {100 * (up - down + half):.0f}]"


def percent(value):
    return f"{100 * float(value):.1f}%"


def within(row, key, scale=100, digits=1, unit="%"):
    value, low, high = (scale * float(row[name]) for name in (key, f"{key}_low", f"{key}_high"))
    return f"{value:.{digits}f}{unit} [{low:.{digits}f}, {high:.{digits}f}]"


def main():
    if len(sys.argv) > 1:
        collect(pathlib.Path(sys.argv[1]))
    sets = {(row["model"], row["target"]): row for row in read("cifar-jpeg.csv")}
    pairs, others = ([sets[model, target] for model in MODELS] for target in (PAIRS, OTHERS))
    n_pairs, n_others = (f"{int(rows[0]['n']):,}" for rows in (pairs, others))
    table(["", *MODELS.values()], [
        [f"right on the lossless {n_pairs}", *(percent(row["source_accuracy"]) for row in pairs)],
        ["right on the same images after JPEG", *(within(row, "accuracy") for row in pairs)],
        ["change, points", *(within(row, "accuracy_change", unit="") for row in pairs)],
        [f"right on {n_others} others after JPEG", *(within(row, "accuracy") for row in others)],
        ["predictions that stay the same (AFR)", *(within(row, "afr_pred") for row in pairs)],
        ["posterior agreement, 0 to log 10 = 2.303", *(within(row, "pa", 1, 3, "") for row in pairs)],
        ["beta at which they agree most", *(f"{float(row['beta']):.3f}" for row in pairs)]])
    classes = read("cifar-jpeg-classes.csv")
    for row in classes:
        row.update({key: int(row[key]) for key in ("right_twice", "lost", "gained", "wrong_twice")})
        row["n"] = row["right_twice"] + row["lost"] + row["gained"] + row["wrong_twice"]
    by_class = collections.defaultdict(list)
    for row in classes:
        by_class[row["class"]].append(row)
    worst_first = sorted(by_class.items(), key=lambda item: sum(row["gained"] - row["lost"] for row in item[1]) / item[1][0]["n"])
    table(["class", "images", *(f"{name}: right before" for name in MODELS.values()), *(f"{name}: change, points" for name in MODELS.values())],
          [[name, rows[0]["n"], *(f"{100 * (row['right_twice'] + row['lost']) / row['n']:.0f}%" for row in rows),
            *(change(row["lost"], row["gained"], row["n"]) for row in rows)] for name, rows in worst_first])
    table([f"error on the {n_others} others, in %", "bound (99%)", "AC", "DoC", "ATC-conf", "ATC-NE", "COT", "COT corrected", "true"],
          [[name, *(f"{100 * float(row[key]):.1f}" for key in ("error_bound", *ESTIMATES)), f"{100 * (1 - float(row['accuracy'])):.1f}"]
           for name, row in zip(MODELS.values(), others)])


if __name__ == "__main__":
    main()
