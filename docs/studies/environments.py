#!/usr/bin/env python3
"""Runs the study of docs/studies/environments.md: draws, trains and measures with the leeway command.

    environments.py FOLDER --digits MNIST [--leeway PATH] [--seeds 5] [--jobs 1]

MNIST: a folder of its four files as published. Everything goes to FOLDER; what stands there whole is not made again, so a run
that was stopped goes on. Each command runs with one thread; --jobs runs so many at a time. The last step writes
FOLDER/environments.csv; environments_tables.py reads it.
"""
import concurrent.futures
import itertools
import json
import pathlib

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

SIZE = 64
TRAIN, TEST = 3000, 4000  # pictures an environment; the paper has 40,000 and 10,000 of 128 x 128
RARE = 150  # of the second training environment, where it is rare
EPOCHS = 10
TRAININGS = {  # what is trained on, how
    "ERM": ("even", "erm"),
    "ERM, blue rare": ("rare", "erm"),
    "balanced, blue rare": ("rare", "resample"),
}
SHIFTS = range(6)


class Environments(Study):
    def draw(self, seed, digits):
        """The training sets, even and with few of the second environment; six tests, row by row the same digits."""
        home = self.path(f"seed{seed}")
        options = ["--digits", digits / "train-images-idx3-ubyte.gz", "--environment", "discriminability", "--size", SIZE, "--seed", seed]
        self.run(f"seed{seed}/even.npz", "data", "diagvib", *options, "--part", "train", "--n", TRAIN)
        for shift in SHIFTS:
            self.run(f"seed{seed}/test{shift}.npz", "data", "diagvib", *options, "--part", f"test:{shift}", "--n", TEST)
        if (home / "rare.npz").exists():
            return
        with numpy.load(home / "even.npz") as even:
            arrays = dict(even)
        kept = numpy.concatenate([numpy.arange(TRAIN), TRAIN + numpy.arange(RARE)])
        numpy.savez(home / "rare.tmp.npz", **{name: values[kept] if len(values) == 2 * TRAIN else values for name, values in arrays.items()})
        (home / "rare.tmp.npz").rename(home / "rare.npz")

    def measure(self, seed, training):
        data, algorithm = TRAININGS[training]
        stem = f"seed{seed}/{training.replace(', ', '-').replace(' ', '-')}"
        statistics = json.loads(self.path(f"seed{seed}/even.json").read_text())["results"][0]
        words = [word for name in ("mean", "std") for word in (f"--{name}", ",".join(f"{value:.5f}" for value in statistics[name]))]
        groups = ["--attributes", self.groups(seed, data), "--group-column", "environment"] if algorithm == "resample" else []
        self.run(f"{stem}.safetensors", "train", "--data", self.path(f"seed{seed}/{data}.npz"), "--arch", "small-cnn", "--algorithm", algorithm,
                 *groups, *words, "--epochs", EPOCHS, "--patience", 0, "--seed", seed)
        files = [self.outputs(f"{stem}-{shift}.npz", self.path(f"{stem}.safetensors"), self.path(f"seed{seed}/test{shift}.npz")) for shift in SHIFTS]
        self.run(f"{stem}-pa.json", "pa", *files)
        found = json.loads(self.path(f"{stem}-pa.json").read_text())["results"]
        accuracy = []
        for file in files:
            with numpy.load(file) as outputs:
                accuracy.append((outputs["logits"].argmax(1) == outputs["labels"]).mean())
        rows = [{"seed": seed, "training": training, "shift": 0, "n": TEST, "accuracy": f"{accuracy[0]:.5f}"}]
        for shift, result in zip(SHIFTS[1:], found):
            rows.append({"seed": seed, "training": training, "shift": shift, "n": TEST, "accuracy": f"{accuracy[shift]:.5f}",
                         **{key: f"{result[key]:.5f}" for key in ("pa", "pa_low", "pa_high", "pa_normalized", "afr_pred", "afr_true")},
                         "beta": result["beta"]})
        return rows

    def groups(self, seed, data):
        path = self.path(f"seed{seed}/{data}-groups.csv")
        with numpy.load(self.path(f"seed{seed}/{data}.npz")) as images:
            path.write_text("environment\n" + "".join(f"e{number}\n" for number in images["environment"]))
        return path


def main():
    parser = arguments_of(__doc__, jobs=1)
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    study, arguments = begun(Environments, parser)
    for seed in range(arguments.seeds):
        study.draw(seed, arguments.digits)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        several = pool.map(lambda job: study.measure(*job), itertools.product(range(arguments.seeds), TRAININGS))
        rows = [row for those in several for row in those]
    write_rows(study.path("environments.csv"), rows)


if __name__ == "__main__":
    main()
