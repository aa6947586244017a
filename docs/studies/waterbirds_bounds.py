#!/usr/bin/env python3
"""Bounds and estimates for two classifiers of Waterbirds, without the target's labels: docs/studies/bounds.md.

    waterbirds_bounds.py OUTPUTS FOLDER [--leeway PATH]

OUTPUTS holds resnet_waterbirds_avg_results.csv and jtt_waterbirds_avg_results.csv (y_true, attr_true, p_0, p_1) as published
with github.com/ulkaraslanovaa/comparative-bias-mitigation-public. The source is the birds before their usual background; targets
are those before the other one, those of each kind of bird, and, as no shift at all, every second row of the source. Writes
FOLDER/waterbirds.csv for `leeway bound evaluate`.
"""
import argparse
import csv
import json
import pathlib
import subprocess

from fashion_mnist_bounds import METHODS, write


def rows_of(path, wanted):
    with open(path, newline="") as file:
        return [row for i, row in enumerate(csv.DictReader(file)) if wanted(i, row)]


def usual(row):
    return row["y_true"] == row["attr_true"]


TARGETS = {
    "no shift": lambda i, row: usual(row) and i % 2 == 1,
    "other background": lambda i, row: not usual(row),
    "landbirds on water": lambda i, row: not usual(row) and row["y_true"].startswith("0"),
    "waterbirds on land": lambda i, row: not usual(row) and row["y_true"].startswith("1"),
}


def save(path, rows, labelled):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((["label"] if labelled else []) + ["p_0", "p_1"])
        for row in rows:
            writer.writerow(([int(float(row["y_true"]))] if labelled else []) + [row["p_0"], row["p_1"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outputs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--leeway", default="leeway")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for model in ("resnet", "jtt"):
        published = arguments.outputs / f"{model}_waterbirds_avg_results.csv"
        source, target = arguments.folder / f"{model}-source.csv", arguments.folder / f"{model}-target.csv"
        save(source, rows_of(published, lambda i, row: usual(row) and i % 2 == 0), labelled=True)
        for shift, wanted in TARGETS.items():
            rows = rows_of(published, wanted)
            save(target, rows, labelled=False)
            said = subprocess.run([arguments.leeway, "bound", "--source", source, "--target", target, "--bootstrap", "0", "--quiet", "--json"],
                                  capture_output=True, text=True, check=True)
            errors = {result["method"]: result["error"] for result in json.loads(said.stdout)["results"]}
            wrong = sum((float(row["p_1"]) > float(row["p_0"])) != (float(row["y_true"]) == 1) for row in rows)
            results.append({"data_set": model, "shift": shift, "target_error": wrong / len(rows), **{m: errors[m] for m in METHODS},
                            "dis2-logits": errors["dis2"], "dis2-logits-estimate": errors["dis2-estimate"]})
            print(model, shift, len(rows), {key: round(value, 3) for key, value in list(results[-1].items())[2:]})
    write(arguments.folder / "waterbirds.csv", results)


if __name__ == "__main__":
    main()
