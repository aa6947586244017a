#!/usr/bin/env python3
"""Prints the tables of docs/studies/average-case.md and draws its figures, from what average_case.py left in FOLDER.

    average_case_tables.py FOLDER     reads every run and writes docs/studies/data/average-case*.csv first
    average_case_tables.py            from those files alone

Intervals are of level 95%: bootstrap over images for means and differences of means (the same images for every model and
estimator, so that differences are paired), Student's t over the splits of the case study.
"""
import collections
import csv
import json
import pathlib
import statistics
import sys

import numpy

from drawing import GRID, QUIET, STYLES, Drawing, chart
from tables import T95, table

DATA = pathlib.Path(__file__).resolve().parent / "data"
MODELS = ["linear", "cnn", "gradient-norm", "adversarial"]
METHODS = ["mmse", "mmse5", "mmse5-published", "mmse-mvs", "taylor", "taylor-mvs", "softmax"]
LONG = {"mmse": "mmse, N = 500", "mmse5": "mmse, N = 5", "mmse5-published": "mmse, N = 5, as published", "mmse-mvs": "mmse-mvs, N = 500"}
SIGMAS = ["0.025", "0.05", "0.1", "0.2", "0.3", "0.5"]
CASE_MODELS = SHOWN_CLASSES = ["cnn", "adversarial"]
UNIT = 100000  # of p in average-case.csv: five digits, as whole numbers
DRAWS = 10000
REPLICATES = 10000


# --- From the runs

def arrays(path):
    with numpy.load(path) as file:
        return {name: file[name] for name in file.files}


def write(name, head, rows):
    with open(DATA / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


def rank_correlation(a, b):
    """Spearman's."""
    def ranks(x):
        _, place, count = numpy.unique(x, return_inverse=True, return_counts=True)
        return (numpy.cumsum(count) - (count - 1) / 2)[place]
    return numpy.corrcoef(ranks(a), ranks(b))[0, 1]


def collect_probabilities(folder):
    """p of every image, and the rank correlations, which ask for more digits."""
    images, ranks = [], []
    for model in MODELS:
        p = arrays(folder / f"{model}-estimators.npz")
        assert [f"{sigma:g}" for sigma in p["sigmas"]] == SIGMAS
        for name in ("mmse5", "mmse5-published"):
            p[name] = arrays(folder / f"{model}-{name}.npz")["mmse"]
        for name in METHODS:
            ranks.append([model, name] + [round(rank_correlation(p[name][:, s], p["mc"][:, s]), 5) for s in range(len(SIGMAS))])
        for row in range(len(p["mc"])):
            cells = [p[name][row, s] for name in ("mc", *METHODS[:-1]) for s in range(len(SIGMAS))] + [p["softmax"][row, 0]]
            images.append([model, row] + [round(UNIT * float(cell)) for cell in cells])
    write("average-case.csv", ["model", "row"] + [f"{name}@{sigma}" for name in ("mc", *METHODS[:-1]) for sigma in SIGMAS] + ["softmax"], images)
    write("average-case-ranks.csv", ["model", "estimator", *SIGMAS], ranks)


def collect_classes(folder):
    models, classes = [], []  # in records of leeway.average-case/1 ends were "low" and "high"
    for model in MODELS:
        trained, found = record(folder / f"{model}.json")["results"][0], arrays(folder / f"{model}-classes.npz")
        models.append([model, trained["n_train"], len(trained["epochs"]), trained["best_epoch"], len(found["labels"]),
                       int((found["targets"] == found["labels"]).sum())])
        for of_sigma in record(folder / f"{model}-classes.json")["class_bias"]:
            if of_sigma["method"] == "mmse":
                classes += [[model, f"{of_sigma['sigma']:g}", of_sigma["p_value"], one["name"], *(round(one.get(key, one.get(key[5:])), 5) for key in ("mean", "mean_low", "mean_high")),
                             one["p_value"]] for one in of_sigma["classes"]]
    write("average-case-models.csv", ["model", "n_train", "epochs", "epoch", "n", "right"], models)
    write("average-case-classes.csv", ["model", "sigma", "kruskal_wallis_p", "class", "mean", "low", "high", "mann_whitney_p_holm"], classes)


def collect_times(folder):
    """Every repetition: in all or by estimator, seconds and those in passes of the model."""
    rows = []
    for path in sorted((folder / "times").glob("*.json")):
        model, what = next((model, path.stem[len(model) + 1:]) for model in MODELS if path.stem.startswith(f"{model}-"))
        what, repeat = what.rsplit("-", 1)
        found = record(path)
        if what == "all":
            rows.append([model, what, repeat, "all", "0.1", round(found["seconds_in_all"], 5), round(found["model_seconds_in_all"], 5)])
        else:
            rows += [[model, what, repeat, one["method"], f"{one['sigma']:g}", round(one["seconds"], 7), round(one["model_seconds"], 7)]
                     for one in found["results"] if one["method"] != "mmse-mvs"]
    write("average-case-times.csv", ["model", "run", "repeat", "estimator", "sigma", "seconds", "model_seconds"], rows)


def collect_copies(folder):
    """Error against Monte Carlo's 10,000 copies of what was timed; changes of p as copies grow."""
    errors = []
    for path in sorted((folder / "times").glob("*-error-*-0.npz")):
        model, name = path.stem[:-2].split("-error-")
        found, truth = arrays(path), arrays(folder / f"{model}-estimators.npz")["mc"]
        p = next(found[key] for key in ("mc", "taylor", "mmse") if key in found)
        for s, sigma in enumerate(f"{value:g}" for value in found["sigmas"]):
            wrong = numpy.abs(p[:, s] - truth[:len(p), SIGMAS.index(sigma)])
            errors.append([model, name, sigma, len(p), round(float(wrong.mean()), 6)])
    write("average-case-error-time.csv", ["model", "estimator", "sigma", "n", "error"], errors)
    steps = []
    for name, run in (("", "cnn-convergence"), (" as published", "cnn-convergence-published")):
        steps += [[step["method"] + name, f"{step['sigma']:g}", step["copies"], round(step["mean_change"], 6), round(step["most_change"], 6)]
                  for step in record(folder / f"{run}.json")["convergence"]]
    write("average-case-copies.csv", ["estimator", "sigma", "copies", "mean_change", "most_change"], steps)


def collect_case(folder):
    rows = []
    for path in sorted((folder / "case").glob("*-outputs.npz")):
        model, score, split, _ = path.stem.split("-")
        found = arrays(path)
        rows.append([model, score, split, len(found["labels"]), int((found["logits"].argmax(1) == found["labels"]).sum())])
    write("average-case-case.csv", ["model", "score", "split", "n", "right"], rows)


# --- From the data

def read(name):
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Images:
    """p (n, sigmas) of every model and estimator."""

    def __init__(self):
        self.p = {}
        rows = read("average-case.csv")
        for model in MODELS:
            those = [row for row in rows if row["model"] == model]
            for name in ("mc", *METHODS):
                self.p[model, name] = numpy.array([[int(row[name if name == "softmax" else f"{name}@{sigma}"]) for sigma in SIGMAS] for row in those]) / UNIT
        n = len(those)
        generator = numpy.random.default_rng(0)
        drawn = [numpy.bincount(generator.integers(0, n, n), minlength=n) for _ in range(REPLICATES)]
        self.n, self.weights = n, numpy.array(drawn) / n

    def error(self, model, name):
        return numpy.abs(self.p[model, name] - self.p[model, "mc"])

    def interval(self, values):
        """Of the mean over images."""
        return numpy.quantile(self.weights @ values, [.025, .975])

    def with_interval(self, values, digits=3):
        low, high = self.interval(values)
        return f"{values.mean():.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"

    def verdict(self, values):
        low, high = self.interval(values)
        return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]" + ("" if low <= 0 <= high else " *")


def models():
    table(["classifier", "images trained on", "epochs", "epoch kept", "accuracy on the test images"],
          [[row["model"], f"{int(row['n_train']):,}", row["epochs"], row["epoch"], f"{int(row['right']) / int(row['n']):.3f}"]
           for row in read("average-case-models.csv")])


def estimators(images):
    for model in MODELS:
        print(f"{model}: mean |p - p_mc| over {images.n} images\n")
        mc = images.p[model, "mc"]
        rows = [["mean p of Monte Carlo"] + [f"{value:.3f}" for value in mc.mean(0)],
                ["what its own chance explains"] + [f"{value:.4f}" for value in numpy.sqrt(2 * mc * (1 - mc) / numpy.pi / DRAWS).mean(0)]]
        rows += [[LONG.get(name, name)] + [images.with_interval(column) for column in images.error(model, name).T] for name in METHODS]
        table(["sigma", *SIGMAS], rows)


def claims(images):
    pairs = [("taylor", "mmse"), ("taylor", "mmse5"), ("taylor", "mmse5-published"), ("mmse5-published", "mmse5"), ("softmax", "taylor"),
             ("taylor", "taylor-mvs"), ("mmse", "mmse-mvs")]
    table(["model", "difference of errors", *SIGMAS],
          [[model, f"{LONG.get(one, one)}, minus {LONG.get(other, other)}"] +
           [images.verdict(column) for column in (images.error(model, one) - images.error(model, other)).T] for model in MODELS for one, other in pairs])
    table(["model", "estimator", *SIGMAS],
          [[row["model"], LONG.get(row["estimator"], row["estimator"])] + [f"{float(row[sigma]):.3f}" for sigma in SIGMAS]
           for row in read("average-case-ranks.csv")])
    table(["model minus cnn", "estimator", *SIGMAS],
          [[model, LONG.get(name, name)] + [images.verdict(column) for column in (images.error(model, name) - images.error("cnn", name)).T]
           for model in ("gradient-norm", "adversarial") for name in ("mmse", "mmse5", "taylor", "softmax")])


class Times:
    """Seconds of every repetition."""

    def __init__(self):
        self.of = collections.defaultdict(list)
        for row in read("average-case-times.csv"):
            self.of[row["model"], row["run"], row["estimator"], row["sigma"]].append((float(row["seconds"]), float(row["model_seconds"])))

    def seconds(self, *key):
        return [seconds for seconds, _ in self.of[key]]

    def median(self, *key):
        return statistics.median(self.seconds(*key))


def with_range(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def runtimes(times):
    names = [("mc", "table1", "mc, M = 10,000"), ("taylor", "table1", "taylor"), ("taylor-mvs", "table1", "taylor-mvs"),
             ("mmse", "table1", "mmse, N = 5"), ("mmse", "table1-500", "mmse, N = 500"), ("softmax", "table1", "softmax")]
    rows = []
    for model in MODELS:
        whole = times.seconds(model, "table1", "mc", "0.1")
        for name, run, words in names:
            seconds = times.seconds(model, run, name, "0.1")
            ratio = statistics.median(mc / one for mc, one in zip(whole, seconds)) if name not in ("mc", "softmax") else None
            rows.append([model, words, with_range([1000 * one for one in seconds], 1), f"{ratio:.0f}x" if ratio else "-"])
    table(["model", "estimator", "time, ms", "Monte Carlo takes"], rows)
    rows = []
    for model in MODELS:
        runs = times.of[model, "all", "all", "0.1"]
        outside = [1 - passes / seconds for seconds, passes in runs]
        rows.append([model, with_range([seconds for seconds, _ in runs], 2), f"{statistics.median(outside):.1%}"])
    table(["Taylor and MMSE (5) on 10,000 images", "time, s", "outside forward and backward passes"], rows)


def words_of(name):
    if name.startswith("mc-"):
        return f"mc, M = {int(name[3:]):,}"
    return "taylor" if name == "taylor" else "mmse, N = " + name[5:].replace("-", ", as ")


def error_against_time(times):
    """In the order of the time at the smaller sigma."""
    found = collections.defaultdict(dict)
    for row in read("average-case-error-time.csv"):
        found[row["model"], row["estimator"]][row["sigma"]] = float(row["error"])
    rows = []
    for (model, name), errors in found.items():
        method = name.split("-")[0]
        seconds = {sigma: times.seconds(model, f"error-{name}", method, sigma) for sigma in errors}
        cells = [cell for sigma in errors for cell in (with_range([1000 * one for one in seconds[sigma]], 1), f"{errors[sigma]:.4f}")]
        rows.append((MODELS.index(model), statistics.median(seconds["0.1"]), [model, words_of(name), *cells]))
    table(["model", "estimator", "sigma 0.1: time, ms", "error", "sigma 0.3: time, ms", "error"], [row for _, _, row in sorted(rows)])


def copies():
    steps = collections.defaultdict(dict)
    for row in read("average-case-copies.csv"):
        steps[row["estimator"], int(row["copies"])][row["sigma"]] = f"{float(row['mean_change']):.3f} (largest {float(row['most_change']):.2f})"
    most = {name: max(count for other, count in steps if other == name) for name, _ in steps}
    table(["copies", "sigma 0.1", "sigma 0.3"],
          [[f"{name}, {count:,}", cells["0.1"], cells["0.3"]] for (name, count), cells in steps.items() if count < most[name]])


def classes():
    rows = collections.defaultdict(dict)
    for row in read("average-case-classes.csv"):
        rows[row["model"], row["sigma"]][row["class"]] = row
    sigmas = sorted({sigma for _, sigma in rows})
    for model in SHOWN_CLASSES:
        print(f"{model}: mean p (MMSE, N = 5) of each class; * differs from the others together at .05 after Holm\n")
        table(["class"] + [f"sigma {sigma}" for sigma in sigmas],
              [[name] + [f"{float(row['mean']):.3f} [{float(row['low']):.3f}, {float(row['high']):.3f}]" + (" *" if float(row["mann_whitney_p_holm"]) < .05 else "")
                         for row in (rows[model, sigma][name] for sigma in sigmas)] for name in rows[model, sigmas[0]]])
    overview = []
    for (model, sigma), those in rows.items():
        ordered = sorted(those.values(), key=lambda row: float(row["mean"]))
        p = float(ordered[0]["kruskal_wallis_p"])
        overview.append([model, sigma, f"{p:.0e}" if p > 0 else "below 1e-300"] + [f"{row['class']} {float(row['mean']):.2f}" for row in (ordered[0], ordered[1], ordered[-1])] +
                        [f"{sum(float(row['mann_whitney_p_holm']) < .05 for row in ordered)} of {len(ordered)}"])
    table(["model", "sigma", "Kruskal and Wallis, p", "least", "next", "most", "classes that differ from the rest"], overview)
    return rows


def case():
    rows = []
    for model in CASE_MODELS:
        for score in ("mmse", "softmax"):
            those = [row for row in read("average-case-case.csv") if (row["model"], row["score"]) == (model, score)]
            each = [int(row["right"]) / int(row["n"]) for row in those]
            half = T95[len(each)] * statistics.stdev(each) / len(each) ** .5
            rows.append([model, score, f"{statistics.fmean(each):.3f} ({half:.3f})", len(each), statistics.median_low(int(row["n"]) for row in those)])
    table(["model", "score", "accuracy of telling high from low", "splits", "images asked about"], rows)


# --- Figures

def draw_errors(images, name, title, model, lines):
    places = numpy.log10([float(sigma) for sigma in SIGMAS])
    series = {}
    for method, words in lines.items():
        columns = images.error(model, method).T
        series[words] = [(x, column.mean(), *images.interval(column)) for x, column in zip(places, columns)]
    mc = images.p[model, "mc"]
    chance = numpy.sqrt(2 * mc * (1 - mc) / numpy.pi / DRAWS).mean(0)
    series["chance alone"] = [(x, y, y, y) for x, y in zip(places, chance)]
    highest = max(high for points in series.values() for *_, high in points)
    ticks = [(tick / 10, f"{tick / 10:.1f}") for tick in range(int(numpy.ceil(10 * highest)) + 1)]
    chart(f"average-case-{name}.svg", title, f"mean distance from Monte Carlo over {images.n} images", series, list(zip(places, SIGMAS)), ticks,
          "sigma, logarithmic")


def draw_classes(rows, model, sigma, title):
    """Mean p and its interval, least first."""
    ordered = sorted(rows[model, sigma].values(), key=lambda row: float(row["mean"]))
    left, top, width, row_height = 90, 34, 360, 20
    bottom = top + row_height * len(ordered)
    drawing = Drawing(left + width + 30, bottom + 26, title)
    drawing.text(left, 16, title, font_weight=600)
    for tick in (0, .25, .5, .75, 1):
        drawing.line(left + width * tick, top, left + width * tick, bottom, GRID)
        drawing.text(left + width * tick, bottom + 16, f"{tick:g}", "middle", QUIET)
    for place, row in enumerate(ordered):
        y, color = top + row_height * (place + .5), STYLES[float(row["mann_whitney_p_holm"]) < .05][0]
        drawing.text(left - 8, y + 4, row["class"], "end", color)
        drawing.line(left + width * float(row["low"]), y, left + width * float(row["high"]), y, color, 2)
        drawing.dot(left + width * float(row["mean"]), y, 4, color)
    drawing.save(f"average-case-{model}-classes.svg")


def main():
    if len(sys.argv) > 1:
        for part in (collect_probabilities, collect_classes, collect_times, collect_copies, collect_case):
            part(pathlib.Path(sys.argv[1]))
    images, times = Images(), Times()
    models()
    estimators(images)
    claims(images)
    runtimes(times)
    error_against_time(times)
    copies()
    of_classes = classes()
    case()
    lines = {"taylor": "taylor", "mmse5-published": "mmse, 5 as published", "mmse": "mmse, 500"}
    draw_errors(images, "cnn-error", "CNN", "cnn", lines)
    draw_errors(images, "gradient-norm-error", "CNN, gradient penalty", "gradient-norm", lines)
    draw_errors(images, "adversarial-error", "CNN, adversarial training", "adversarial", lines)
    draw_errors(images, "cnn-scores", "Scores on the CNN", "cnn", {"taylor-mvs": "taylor-mvs", "mmse-mvs": "mmse-mvs, 500", "softmax": "softmax"})
    draw_classes(of_classes, "cnn", "0.3", "CNN, mean p at sigma 0.3 (orange: differs from the rest)")
    draw_classes(of_classes, "adversarial", "0.3", "CNN, adversarial training, mean p at sigma 0.3 (orange: differs from the rest)")


if __name__ == "__main__":
    main()
