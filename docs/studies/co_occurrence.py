#!/usr/bin/env python3
"""Runs the study of docs/studies/co-occurrence.md: draws, trains and measures with the leeway command.

    co_occurrence.py FOLDER --digits MNIST [--leeway PATH] [--seeds 5] [--jobs 1]

MNIST: a folder of its four files as published. Everything goes to FOLDER; finished files are not made again, so a run that was
stopped goes on. Each command runs with one thread; --jobs runs several at a time. The last step writes FOLDER/co-occurrence.csv;
co_occurrence_tables.py reads it.
"""
import concurrent.futures
import itertools
import json
import pathlib

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

SIZE = 32
TRAIN = 3000  # images of each of the two training environments; validation and tests in proportion
EPOCHS = 12
ENVIRONMENTS = ["zgo", "1-cgo", "2-cgo", "3-cgo", "zso"]
ALGORITHMS = {"ERM": ["erm"], "IRM": ["irm", "--set", "lambda=1", "--set", "anneal-steps=0"]}
TESTS = range(1, 6)


class CoOccurrence(Study):
    def draw(self, seed, environment, digits):
        """All parts, and the five tests in one file."""
        home = self.path(f"seed{seed}/{environment}")
        self.run(f"seed{seed}/{environment}", "data", "diagvib", "--digits", digits / "train-images-idx3-ubyte.gz",
                 "--environment", environment, "--part", "all", "--size", SIZE, "--n", TRAIN, "--seed", seed)
        if (home / "tests.npz").exists():
            return
        tests = [dict(numpy.load(home / f"test-{number}.npz")) for number in TESTS]
        numpy.savez(home / "tests.tmp.npz", class_names=tests[0]["class_names"],
                    **{name: numpy.concatenate([test[name] for test in tests]) for name in ("x", "y")})
        (home / "tests.tmp.npz").rename(home / "tests.npz")

    def measure(self, seed, environment, algorithm):
        """One training keeps all epochs; validation accuracy chooses one, and posterior agreement of the validation pair another."""
        home, stem = self.path(f"seed{seed}/{environment}"), f"seed{seed}/{environment}-{algorithm}"
        drawn = json.loads(home.with_suffix(".json").read_text())["results"][0]
        words = [word for name in ("mean", "std") for word in (f"--{name}", ",".join(f"{value:.5f}" for value in drawn[name]))]
        self.run(f"{stem}.safetensors", "train", "--data", home / "train.npz", "--validation-data", home / "val-0.npz",
                 "--select", "pa", "--select-shifted", home / "val-1.npz", "--keep-epochs", self.path(f"{stem}-epochs"),
                 "--arch", "small-cnn", "--algorithm", *ALGORITHMS[algorithm], *words, "--lr", "2e-3", "--epochs", EPOCHS, "--patience", 0, "--seed", seed)
        training = json.loads(self.path(f"{stem}.json").read_text())["results"][0]
        row = {"seed": seed, "environment": environment, "algorithm": algorithm}
        accuracy = {}
        for criterion in ("accuracy", "score"):
            epoch = training[f"best_by_{criterion}"]
            out = self.outputs(f"{stem}-{epoch:03}.npz", self.path(f"{stem}-epochs/epoch-{epoch:03}.safetensors"), home / "tests.npz")
            with numpy.load(out) as outputs:
                right = (outputs["logits"].argmax(1) == outputs["labels"]).reshape(len(TESTS), -1)
            accuracy[criterion] = right.mean(1)
            row |= {f"epoch_{criterion}": epoch, f"validation_{criterion}": f"{training['epochs'][epoch - 1]['validation_accuracy']:.5f}"}
        return [row | {"test": test, "n": right.shape[1], "accuracy": f"{accuracy['accuracy'][i]:.5f}", "accuracy_by_pa": f"{accuracy['score'][i]:.5f}"}
                for i, test in enumerate(TESTS)]


def main():
    parser = arguments_of(__doc__, jobs=1)
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    study, arguments = begun(CoOccurrence, parser)
    rows = []
    for seed in range(arguments.seeds):
        for environment in ENVIRONMENTS:
            study.draw(seed, environment, arguments.digits)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for those in pool.map(lambda job, seed=seed: study.measure(seed, *job), itertools.product(ENVIRONMENTS, ALGORITHMS)):
                rows += those
    write_rows(study.path("co-occurrence.csv"), rows)


if __name__ == "__main__":
    main()
