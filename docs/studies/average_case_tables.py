#!/usr/bin/env python3
"""Prints the tables of docs/studies/average-case.md from what average_case.py left in FOLDER.

    average_case_tables.py FOLDER

Intervals are of level 95%: bootstrap over images for means and differences of means (the same images for every model and
estimator, so that differences are paired), Student's t over the splits of the case study.
"""
import json
import pathlib
import sys

import numpy
from scipy import stats

from tables import table

MODELS = ["linear", "cnn", "gradient-norm", "adversarial"]
METHODS = ["mmse", "mmse5", "mmse-mvs", "taylor", "taylor-mvs", "softmax"]
LONG = {"mmse": "mmse, N = 500", "mmse5": "mmse, N = 5", "mmse-mvs": "mmse-mvs, N = 500"}
REPLICATES = 10000


def interval(values):
    """Of the mean over images."""
    generator = numpy.random.default_rng(0)
    values = numpy.asarray(values)
    means = [values[generator.integers(0, len(values), len(values))].mean() for _ in range(REPLICATES)]
    return numpy.quantile(means, [.025, .975])


def with_interval(values, digits=3):
    low, high = interval(values)
    return f"{numpy.mean(values):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def probabilities(folder, model):
    with numpy.load(folder / f"{model}-estimators.npz") as found:
        p = {name: found[name] for name in ("mc", *METHODS) if name != "mmse5"}
        sigmas = found["sigmas"]
    with numpy.load(folder / f"{model}-mmse5.npz") as found:
        p["mmse5"] = found["mmse"]
    return sigmas, p


def errors(p):
    return {name: numpy.abs(p[name] - p["mc"]) for name in METHODS}


def accuracy(folder, model):
    """On the test images, by the predictions in the study of classes."""
    with numpy.load(folder / f"{model}-classes.npz") as found:
        right = found["targets"] == found["labels"]
    return right.mean()


def estimators(folder):
    print("### Estimators beside Monte Carlo\n")
    for model in MODELS:
        sigmas, p = probabilities(folder, model)
        wrong = errors(p)
        n = len(p["mc"])
        print(f"{model}, accuracy {accuracy(folder, model):.3f}; mean |p - p_mc| over {n} images.\n")
        rows = [["mean p of Monte Carlo"] + [f"{value:.3f}" for value in p["mc"].mean(0)],
                ["what its own chance explains"] + [f"{value:.4f}" for value in numpy.sqrt(2 * p["mc"] * (1 - p["mc"]) / numpy.pi / 10000).mean(0)]]
        rows += [[LONG.get(name, name)] + [with_interval(wrong[name][:, s]) for s in range(len(sigmas))] for name in METHODS]
        table(["sigma"] + [f"{sigma:g}" for sigma in sigmas], rows)


def verdict(values):
    low, high = interval(values)
    return f"{numpy.mean(values):+.3f} [{low:+.3f}, {high:+.3f}]" + ("" if low <= 0 <= high else " *")


def claims(folder):
    print("### Is MMSE the best, Taylor next, softmax the worst?\n")
    pairs = [("taylor", "mmse"), ("taylor", "mmse5"), ("softmax", "taylor"), ("taylor", "taylor-mvs"), ("mmse", "mmse-mvs")]
    rows = []
    for model in MODELS:
        sigmas, p = probabilities(folder, model)
        wrong = errors(p)
        for worse, better in pairs:
            rows.append([model, f"{worse} less {LONG.get(better, better)}"] + [verdict(wrong[worse][:, s] - wrong[better][:, s]) for s in range(len(sigmas))])
    table(["model", "difference of errors"] + [f"{sigma:g}" for sigma in sigmas], rows)
    print("Rank correlation with Monte Carlo (Spearman)\n")
    rows = []
    for model in MODELS:
        sigmas, p = probabilities(folder, model)
        for name in METHODS:
            rows.append([model, LONG.get(name, name)] +
                        [f"{stats.spearmanr(p[name][:, s], p['mc'][:, s])[0]:.3f}" for s in range(len(sigmas))])
    table(["model", "estimator"] + [f"{sigma:g}" for sigma in sigmas], rows)
    print("### Does robust training make the estimators better?\n")
    sigmas, cnn = probabilities(folder, "cnn")
    rows = []
    for model in ("gradient-norm", "adversarial"):
        _, p = probabilities(folder, model)
        for name in ("mmse", "mmse5", "taylor", "softmax"):
            rows.append([model, LONG.get(name, name)] + [verdict(errors(p)[name][:, s] - errors(cnn)[name][:, s]) for s in range(len(sigmas))])
    table(["model less cnn", "estimator"] + [f"{sigma:g}" for sigma in sigmas], rows)


def runtimes(folder):
    print("### Runtimes on 50 images, sigma .1\n")
    rows = []
    for model in MODELS:
        record = json.loads((folder / f"{model}-table1.json").read_text())
        more = json.loads((folder / f"{model}-table1-500.json").read_text())
        seconds = {r["method"]: r["seconds"] for r in record["results"]}
        seconds["mmse500"] = more["results"][0]["seconds"]
        names = [("mc", "mc, M = 10,000"), ("taylor", "taylor"), ("taylor-mvs", "taylor-mvs"), ("mmse", "mmse, N = 5"), ("mmse500", "mmse, N = 500"), ("softmax", "softmax")]
        rows += [[model, words, f"{seconds[name] * 1e3:.1f} ms", "-" if name in ("mc", "softmax") else f"{seconds['mc'] / seconds[name]:.0f}x"]
                 for name, words in names]
    table(["model", "estimator", "time", "Monte Carlo takes"], rows)
    rows = []
    for model in MODELS:
        record = json.loads((folder / f"{model}-all.json").read_text())
        outside = 1 - record["model_seconds_in_all"] / record["seconds_in_all"]
        rows.append([model, f"{record['seconds_in_all']:.1f} s", f"{outside:.1%}"])
    table(["Taylor and MMSE (5) on 10,000 images", "time", "outside forward and backward passes"], rows)


def convergence(folder):
    print("### Copies\n")
    record = json.loads((folder / "cnn-convergence.json").read_text())
    steps = record["convergence"]
    sigmas = sorted({step["sigma"] for step in steps})
    rows = []
    for method in ("mc", "mmse"):
        for copies in sorted({step["copies"] for step in steps if step["method"] == method})[:-1]:
            found = {step["sigma"]: step for step in steps if step["method"] == method and step["copies"] == copies}
            rows.append([f"{method}, {copies:,}"] + [f"{found[sigma]['mean_change']:.3f} (largest {found[sigma]['most_change']:.2f})" for sigma in sigmas])
    table(["copies"] + [f"sigma {sigma:g}" for sigma in sigmas], rows)


def classes(folder):
    print("### Classes\n")
    for model in MODELS:
        record = json.loads((folder / f"{model}-classes.json").read_text())
        comparisons = [c for c in record["class_bias"] if c["method"] == "mmse"]
        head = ["class"] + [f"sigma {c['sigma']:g}" for c in comparisons]
        rows = []
        for position, one in enumerate(comparisons[0]["classes"]):
            cells = []
            for comparison in comparisons:
                c = comparison["classes"][position]
                cells.append(f"{c['mean']:.3f} [{c['low']:.3f}, {c['high']:.3f}]" + (" *" if c["p_value"] is not None and c["p_value"] < .05 else ""))
            rows.append([one["name"], *cells])
        print(f"{model}: mean p (MMSE, N = 5) of each class; * differs from the others together at .05 after Holm.\n")
        table(head, rows)


def case(folder):
    print("### Case study\n")
    rows = []
    for model in ("cnn", "adversarial"):
        for score in ("mmse", "softmax"):
            right = asked = 0
            each = []
            for path in sorted((folder / "case").glob(f"{model}-{score}-*-outputs.npz")):
                with numpy.load(path) as found:
                    hits = found["logits"].argmax(1) == found["labels"]
                each.append(hits.mean())
                right, asked = right + hits.sum(), asked + len(hits)
            half = stats.t.ppf(.975, len(each) - 1) * numpy.std(each, ddof=1) / len(each) ** .5
            rows.append([model, score, f"{numpy.mean(each):.3f} ({half:.3f})", len(each), asked // len(each)])
    table(["model", "score", "accuracy of telling high from low", "splits", "images asked about"], rows)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    for part in (estimators, claims, runtimes, convergence, classes, case):
        part(folder)


if __name__ == "__main__":
    main()
