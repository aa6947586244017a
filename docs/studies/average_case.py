#!/usr/bin/env python3
"""Runs the study of docs/studies/average-case.md: four classifiers, their estimators beside Monte Carlo, classes, a case study.

    average_case.py FOLDER [--leeway PATH] [--rows 200] [--seeds 5]

Everything goes to FOLDER; what stands there whole is not made again, so a run that was stopped goes on. Trains on
Fashion-MNIST as it is published (a tenth of the training images chooses the epoch) and measures on its test images. Nothing else
should run beside the part that is timed, which comes last (some ten minutes); each of its commands runs REPEATS times, in rounds, so
that what else the machine does falls on all of them. average_case_tables.py reads what it leaves.
"""

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun

MODELS = {
    "linear": ["--arch", "linear", "--epochs", 10],
    "cnn": ["--epochs", 10],
    "gradient-norm": ["--epochs", 10, "--algorithm", "gradient-norm", "--set", "lambda=0.01"],
    "adversarial": ["--epochs", 5, "--algorithm", "pgd", "--eps", "8/255"],
}
SIGMAS = "0.025,0.05,0.1,0.2,0.3,0.5"
CLASS_SIGMAS = "0.1,0.2,0.3"
CASE_SIGMA = 2  # .3, by its place in CLASS_SIGMAS
TEST = "fashion-mnist:test"
REPEATS = 5  # of what is timed
# Error against time: the first 100 of the rows beside Monte Carlo, copies of another seed than the truth's.
TIMED_MODELS, TIMED_ROWS, TIMED_SIGMAS = ["linear", "cnn", "adversarial"], 100, "0.1,0.3"
TIMED = {f"mc-{draws}": ["--methods", "mc", "--draws", draws] for draws in (10, 30, 100, 300, 1000, 3000)}
TIMED["taylor"] = ["--methods", "taylor"]
TIMED["mmse-5-published"] = ["--methods", "mmse", "--copies", 5, "--copies-as-published"]
TIMED.update({f"mmse-{copies}": ["--methods", "mmse", "--copies", copies] for copies in (5, 50, 500)})


class AverageCase(Study):
    threads = 0  # all: each command is alone, and some are timed

    def weights(self, model):
        return self.path(f"{model}.safetensors")

    def train(self):
        for model, options in MODELS.items():
            self.run(f"{model}.safetensors", "train", "--data", "fashion-mnist:train", *options)

    def average_case(self, out, model, *arguments):
        self.run(f"{out}.npz", "average-case", "--model", self.weights(model), "--data", TEST, *arguments,
                 "--report", self.path(f"{out}.html"))

    def estimators(self, rows):
        """Each estimator beside Monte Carlo with 10,000 draws; MMSE with 500 copies, with 5, and with 5 as published."""
        for model in MODELS:
            both = ("--rows", rows, "--sigma", SIGMAS)
            self.average_case(f"{model}-estimators", model, *both, "--methods", "mc,taylor,taylor-mvs,mmse,mmse-mvs,softmax",
                              "--draws", 10000, "--copies", 500)
            self.average_case(f"{model}-mmse5", model, *both, "--methods", "mmse", "--copies", 5)
            self.average_case(f"{model}-mmse5-published", model, *both, "--methods", "mmse", "--copies", 5, "--copies-as-published")

    def classes(self):
        for model in MODELS:
            self.average_case(f"{model}-classes", model, "--sigma", CLASS_SIGMAS, "--methods", "mmse,softmax", "--copies", 5)

    def convergence(self):
        growing = ("--rows", 100, "--sigma", "0.1,0.3", "--copies", 100, "--convergence")
        self.average_case("cnn-convergence", "cnn", *growing, "--methods", "mc,mmse")
        self.average_case("cnn-convergence-published", "cnn", *growing, "--methods", "mmse", "--copies-as-published")

    def case_study(self, model, seeds):
        """Does a small network tell the quarter of images with the highest score from that with the lowest, among those that
        the classifier takes for one class? Seven tenths of them to learn from, the rest to be asked about."""
        with numpy.load(self.path(f"{model}-classes.npz")) as found:
            scores = {"mmse": found["mmse"][:, CASE_SIGMA], "softmax": found["confidence"]}
            predicted = found["targets"]
        images = self.path("test.npz")
        self.run("test.npz", "shift", "brightness", "--strength", 0, "--data", TEST)
        with numpy.load(images) as test:
            x = test["x"]
        for score, values in scores.items():
            label = numpy.full(len(x), -1)
            for c in range(10):
                rows = numpy.flatnonzero(predicted == c)
                order, quarter = rows[numpy.argsort(values[rows], kind="stable")], len(rows) // 4
                label[order[:quarter]], label[order[len(order) - quarter:]] = 0, 1
            chosen = numpy.flatnonzero(label >= 0)
            for seed in range(seeds):
                home = f"case/{model}-{score}-{seed}"
                order = numpy.random.default_rng(seed).permutation(chosen)
                parts = {"training": order[:len(order) * 7 // 10], "test": order[len(order) * 7 // 10:]}
                for part, rows in parts.items():
                    self.path("case").mkdir(exist_ok=True)
                    numpy.savez(self.path(f"{home}-{part}.npz"), x=x[rows], y=label[rows])
                self.run(f"{home}.safetensors", "train", "--data", self.path(f"{home}-training.npz"), "--epochs", 20, "--seed", seed)
                self.run(f"{home}-outputs.npz", "infer", "--model", self.path(f"{home}.safetensors"), "--data", self.path(f"{home}-test.npz"))

    def timings(self):
        """What is timed: all of Table 1 on 50 points, Taylor with MMSE on all 10,000, and error against time."""
        for repeat in range(REPEATS):
            for model in MODELS:
                times, weights = f"times/{model}", ("--model", self.weights(model), "--data", TEST)
                fifty = (*weights, "--rows", 50, "--sigma", "0.1")
                self.run(f"{times}-table1-{repeat}.npz", "average-case", *fifty, "--methods", "mc,taylor,taylor-mvs,mmse,mmse-mvs,softmax",
                         "--draws", 10000, "--copies", 5)
                self.run(f"{times}-table1-500-{repeat}.npz", "average-case", *fifty, "--methods", "mmse", "--copies", 500)
                self.run(f"{times}-all-{repeat}.npz", "average-case", *weights, "--sigma", "0.1", "--methods", "taylor,mmse", "--copies", 5)
                for name, options in TIMED.items() if model in TIMED_MODELS else ():
                    self.run(f"{times}-error-{name}-{repeat}.npz", "average-case", *weights, "--rows", TIMED_ROWS, "--sigma", TIMED_SIGMAS,
                             "--seed", 1, *options)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--rows", type=int, default=200, help="test images beside Monte Carlo")
    parser.add_argument("--seeds", type=int, default=5, help="of the case study")
    parser.add_argument("--only", choices=["train", "estimators", "classes", "convergence", "case", "timings"])
    study, arguments = begun(AverageCase, parser)
    parts = {"train": study.train, "estimators": lambda: study.estimators(arguments.rows), "classes": study.classes,
             "convergence": study.convergence,
             "case": lambda: [study.case_study(model, arguments.seeds) for model in ("cnn", "adversarial")], "timings": study.timings}
    for name, part in parts.items():
        if arguments.only in (None, name):
            part()


if __name__ == "__main__":
    main()
