#!/usr/bin/python3
"""Writes sweep_report_record.json, what `leeway sweep report` says of made-up runs. Usage: sweep_report_record.py LEEWAY

Six algorithms, eight kinds of shift in two settings, from scratch and from other weights, three checkpoints, a grid of learning
rates on seed 0, three seeds of what it chose, four epochs, and some runs that are missing.
"""
import csv
import json
import random
import tempfile

from records import run, write

ALGORITHMS = {"erm": 0, "mixup": .02, "group-dro": -.01, "irm": -.04, "sagnet": .01, "a-long-name-of-an-algorithm": -.02}
CASES = {"uniform": .9, "sc-0": .45, "ldd-0": .8, "uds-0": .7, "sc_ldd-0": .42, "sc_uds-0": .4, "ldd_uds-0": .62,
         "sc_ldd_uds-0": .35}
RATES = {"0.01": -.05, "0.001": 0, "0.0001": -.02}
CHOICES = {"accuracy": 0, "worst-group": .01, "pa": -.01}


def rows():
    draw, epoch = random.Random(1), random.Random(2)

    def course(last):
        """Four epochs that rise to about `last`."""
        return " ".join(f"{min(1, last - .2 / (1 + 2 * i) + epoch.gauss(0, .01)):.4f}" for i in range(4))

    axes = ["train.algorithm", "train.index", "data.name", "train.start", "train.select", "train.seed", "train.lr"]
    yield ["unit", *axes, "unit_seconds", "n", "accuracy", "accuracy_low", "accuracy_high", "source_accuracy",
           "kept.validation_worst_group_accuracy", "epochs.validation_accuracy", "epochs.selection_score", "epochs.test_accuracy"]
    for data, easier in {"dsprites": 0, "digits": .05}.items():
        for start, gain in {"none": 0, "resnet.safetensors": .06}.items():
            for algorithm, better in ALGORITHMS.items():
                for case, level in CASES.items():
                    for seed in "012":
                        for select, chosen in CHOICES.items():
                            for rate, loss in RATES.items():
                                value = level + easier + gain + better + loss + chosen + draw.gauss(0, .015)
                                validation = .9 + loss + draw.gauss(0, .01)
                                if (seed != "0" and rate != "0.001") or (algorithm == "irm" and case == "uds-0"):
                                    continue
                                yield ["u", algorithm, f"splits/{case}.csv", data, start, select, seed, rate, 1, 1000,
                                       *[round(min(1, value + d), 4) for d in (0, -.03, .03)], round(validation, 4),
                                       round(validation - .1 + draw.gauss(0, .02), 4), course(validation), course(1.6), course(value)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/runs.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
        record = json.loads(run(folder, "sweep", "report", "runs.csv", "--json", "--out", "page.html"))
    record["seconds"] = 0
    write("sweep_report_record", record, ensure_ascii=False)


if __name__ == "__main__":
    main()
