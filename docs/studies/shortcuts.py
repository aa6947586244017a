#!/usr/bin/env python3
"""Runs the study of docs/studies/shortcuts.md: draws, trains and measures with the leeway command alone.

    shortcuts.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 2]

Everything goes to FOLDER; what stands there whole is not made again, so a run that was stopped goes on. Each command runs
with one thread (training's bits depend on their number); --jobs runs so many at a time. The last step writes FOLDER/shortcuts.csv;
shortcuts_tables.py reads it.
"""
import concurrent.futures
import csv
import itertools
import json

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

COLOURS = ["red", "yellow", "blue"]
AGREES = [.96, .99]  # in each environment: the share of training images whose colour is that of their shape
DRAWN, TRAIN, VALIDATION, TEST = 100000, 24000, 1500, 4000
EPOCHS = 11
RATES = ["1e-2", "1e-3", "1e-4"]
MIDDLE = ",".join(f"{place / 31:.6g}" for place in range(12, 20))  # of dSprites' 32 places
# A training: its algorithm, its options, the column that is its environment; and, where they are others, its rates.
METHODS = {
    "ERM": ("erm", [], "camera"),
    "reweighting": ("reweight", [], "camera"),
    "resampling": ("resample", [], "camera"),
    "GroupDRO": ("group-dro", [], "camera"),
    "IRM": ("irm", [], "camera"),
    "IRM, lambda 1": ("irm", ["--set", "lambda=1", "--set", "anneal-steps=0", "--set", "square=1"], "camera", ["1e-2"]),
    "IRM, lambda 1000": ("irm", ["--set", "lambda=1000", "--set", "anneal-steps=600", "--set", "square=1"], "camera", ["1e-2"]),
    "IRM, agreement": ("irm", [], "agrees"),
    "IRM, agreement, lambda 1": ("irm", ["--set", "lambda=1", "--set", "anneal-steps=0"], "agrees"),
    "IRM, agreement, lambda 100": ("irm", ["--set", "lambda=100", "--set", "anneal-steps=0"], "agrees"),
    "ERM, agreement balanced": ("erm", ["--balance", "environment"], "agrees"),
    "LISA": ("lisa", ["--balance", "groups"], "colour"),
    "LISA, balanced colours": ("lisa", [], "colour"),
    "LISA, same label": ("lisa", ["--balance", "groups", "--set", "same-label-probability=1"], "colour"),
}


def rates_of(method):
    return METHODS[method][3] if len(METHODS[method]) > 3 else RATES


class Shortcuts(Study):
    def data(self, seed):
        """The images to train and to validate on, their table and rows, and the test images."""
        home = self.path(f"seed{seed}")
        if (home / "rows.csv").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        only = [word for part in (f"pos_x={MIDDLE}", f"pos_y={MIDDLE}", "bg_color=black", "obj_color=" + ",".join(COLOURS)) for word in ("--only", part)]
        self.run(f"seed{seed}/all.npz", "data", "render", "dsprites", "--sample", DRAWN, "--size", 16, *only, "--attributes", home / "all.csv", "--seed", seed)
        with numpy.load(home / "all.npz") as drawn:
            x, y = drawn["x"], drawn["y"]
        with open(home / "all.csv", newline="") as file:
            colour = numpy.array([COLOURS.index(row["obj_color"]) for row in csv.DictReader(file)])
        order = numpy.random.default_rng(seed).permutation(len(y))
        test, validation, rest = numpy.split(order, [TEST, TEST + VALIDATION])
        agree, others = rest[y[rest] == colour[rest]], rest[y[rest] != colour[rest]]
        rows, camera = [], []
        for number, share in enumerate(AGREES):
            size = TRAIN // len(AGREES)
            first = round(size * share)
            rows += [agree[:first], others[:size - first]]
            agree, others = agree[first:], others[size - first:]
            camera += [number] * size
        rows = numpy.concatenate([*rows, validation])
        camera += [0] * VALIDATION
        numpy.savez(home / "images.npz", x=x[rows], y=y[rows])
        numpy.savez(home / "test.npz", x=x[test], y=y[test])
        with open(home / "table.csv", "w") as file:
            file.write("colour,camera,agrees\n")
            file.writelines(f"{COLOURS[colour[row]]},{number},{'yes' if y[row] == colour[row] else 'no'}\n" for row, number in zip(rows, camera))
        with open(home / "rows.csv", "w") as file:
            file.write("index,split\n")
            file.writelines(f"{row},{'train' if row < TRAIN else 'val'}\n" for row in range(len(rows)))
        numpy.save(home / "test-colour.npy", colour[test])
        (home / "all.npz").unlink()

    def train(self, seed, method, rate):
        """A row of the table: how good the epoch is that the worst group chose, on validation and test images."""
        algorithm, words, environment = METHODS[method][:3]
        home, stem = self.path(f"seed{seed}"), f"seed{seed}/{method.replace(', ', '-').replace(' ', '-')}-{rate}"
        model, outputs = f"{stem}-model.safetensors", f"{stem}-outputs.npz"
        self.run(model, "train", "--data", home / "images.npz", "--index", home / "rows.csv", "--attributes", home / "table.csv",
                 "--group-column", "colour", "--environment-column", environment, "--arch", "small-cnn", "--algorithm", algorithm, *words,
                 "--lr", rate, "--epochs", EPOCHS, "--patience", 0, "--select", "worst-group", "--seed", seed)
        self.run(outputs, "infer", "--model", self.path(model), "--data", home / "test.npz")
        training = json.loads(self.path(model).with_suffix(".json").read_text())["results"][0]
        kept = training["epochs"][training["best_epoch"] - 1]
        with numpy.load(self.path(outputs)) as found, numpy.load(home / "test.npz") as test:
            right, y = found["logits"].argmax(1) == test["y"], test["y"]
        colour = numpy.load(home / "test-colour.npy")
        groups = [right[(y == one) & (colour == other)].mean() for one, other in itertools.product(range(3), range(3))]
        return {"seed": seed, "method": method, "rate": rate, "epoch": training["best_epoch"],
                "validation_worst": f"{kept['validation_worst_group_accuracy']:.5f}", "validation": f"{kept['validation_accuracy']:.5f}",
                "validation_last": f"{training['epochs'][-1]['validation_accuracy']:.5f}",
                "test": f"{right.mean():.5f}", "test_worst": f"{min(groups):.5f}", "n_test": len(y)}


def main():
    study, arguments = begun(Shortcuts, arguments_of(__doc__, jobs=2))
    for seed in range(arguments.seeds):
        study.data(seed)
    jobs = [(seed, method, rate) for seed in range(arguments.seeds) for method in METHODS for rate in rates_of(method)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda job: study.train(*job), jobs))
    write_rows(study.path("shortcuts.csv"), rows)


if __name__ == "__main__":
    main()
