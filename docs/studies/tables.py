#!/usr/bin/env python3
"""Prints the tables of docs/studies/fashion-mnist.md and draws its figures, from the records that fashion_mnist.py left in FOLDER.

    tables.py FOLDER      reads the records of seeds that are whole, and writes docs/studies/data/fashion-mnist-*.csv first
    tables.py             from those files alone

Over the seeds: mean and, in brackets, the half-width of the 95% t-interval of the mean.
"""
import collections
import csv
import json
import math
import pathlib
import statistics
import sys

from drawing import QUIET, STYLES, Drawing, chart

DATA = pathlib.Path(__file__).resolve().parent / "data"
MODELS = ["standard", "selected", "robust"]
SETS = {"attacked": [f"PGD {eps}/255" for eps in (2, 4, 8, 16)], "noisy": [f"noise {sigma}" for sigma in (0.1, 0.2, 0.3, 0.4)]}
MEASURES = {"afr_true": "AFR(T)", "afr_pred": "AFR(P)", "pa": "PA"}
GROUPS = {"err": "right before and after", "mis": "wrong before and after, alike", "adv": "right, then moved", "rest": "the rest"}
SELECTION_SHIFT = "gaussian-noise-0.2"
T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}  # two-sided, n - 1 degrees


def half_width(values):
    return T95[len(values)] * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0


def over_seeds(values, digits=3):
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ({half_width(values):.{digits}f})"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


# --- From the records

def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def number(value):
    return round(value, 6) if isinstance(value, float) else value


def write(name, rows):
    with open(DATA / f"fashion-mnist-{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: number(value) for key, value in row.items()} for row in rows)


def largest_gap(pair):
    """Above 0 where the robust model takes more shifted samples to fall to the same PA."""
    sign = 1 if pair["model_plus"] == "robust" else -1
    known = [sign * point["gap"] for point in pair["points"] if point["gap"] is not None]
    return max(known, key=abs) if known else None


def measured(seed, record, labels):
    """Of each model and shift: what was measured, the groups of the samples, and how it grows with the share of shifted ones."""
    models, ratios, gaps = [], [], []
    for model in MODELS:
        for label, result in zip(labels, [r for r in record["results"] if r["model"] == model]):
            key = {"seed": seed, "shift": label, "model": model}
            models.append(key | {name: result[name] for name in ("n", *MEASURES, "pa_normalized", "beta")} |
                          {f"{group}_{part}": result["decomposition"][group][part] for group in GROUPS for part in ("n", "sum")})
            ratios += [key | {"ratio": point["ratio"]} | {name: round(point[name], 4) for name in MEASURES} for point in result["ratios"]]
    of_pair = [gap for gap in record["ar_gap"] if {gap["model_plus"], gap["model_minus"]} == {"standard", "robust"}]
    gaps += [{"seed": seed, "shift": label, "largest_gap": largest_gap(gap)} for label, gap in zip(labels, of_pair)]
    return models, ratios, gaps


def epochs(seed, folder):
    """Of each shift and epoch of the training by empirical risk; and the epochs that were chosen."""
    rows = []
    for path in sorted(folder.glob("select-*.json")):
        rows += [{"seed": seed, "shift": path.stem[len("select-"):], "epoch": epoch, "accuracy": r["accuracy"], "accuracy_shifted": r["accuracy_shifted"],
                  "pa": r["pa"]} for epoch, r in enumerate(load(path)["results"], 1)]
    trained = load(folder / "erm.json")["results"][0]
    return rows, {"seed": seed, "by_pa": trained["best_by_score"], "by_accuracy": trained["best_by_accuracy"]}


def collect(folder, shifts_of_selection=12):
    homes = [home for home in sorted(folder.glob("seed*")) if len(list(home.glob("select-*.json"))) == shifts_of_selection]
    parts, of_epochs, chosen = ([], [], []), [], []
    for home in homes:
        seed = int(home.name[len("seed"):])
        for name, labels in SETS.items():
            for part, rows in zip(parts, measured(seed, load(home / f"{name}.json"), labels)):
                part += rows
        rows, one = epochs(seed, home)
        of_epochs += rows
        chosen.append(one)
    for name, rows in zip(("models", "ratios", "gaps", "epochs", "chosen"), (*parts, of_epochs, chosen)):
        write(name, rows)


# --- From the data

def read(name):
    """Rows, their numbers as such; what is empty is None."""
    def value(text):
        try:
            return float(text) if text else None
        except ValueError:
            return text

    with open(DATA / f"fashion-mnist-{name}.csv", newline="", encoding="utf-8") as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def by(rows, *keys):
    """Lists of the rows with the same keys, seeds in order."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def robustness(of, labels):
    rows, gaps = [], []
    for label in labels:
        for model in MODELS:
            those = of[label, model]
            rows.append([label, model] + [over_seeds([r[key] for r in those]) for key in MEASURES] + [over_seeds([r["beta"] for r in those], 2)])
        for model in MODELS[1:]:
            row = [label, model]
            for key in ("afr_true", "afr_pred", "pa_normalized"):
                differences = [two[key] - one[key] for one, two in zip(of[label, "standard"], of[label, model])]
                row.append(over_seeds(differences) + f", {sum(d > 0 for d in differences)}/{len(differences)}")
            gaps.append(row)
    table(["shift", "model", *MEASURES.values(), "beta"], rows)
    print("Less the standard model's, PA as a share of log k; seeds in which it is above it:\n")
    table(["shift", "model", "AFR(T)", "AFR(P)", "PA / log k"], gaps)


def decomposition(of, labels):
    rows = []
    for model in MODELS:
        for label in labels:
            row = [label, model]
            for group in GROUPS:
                share = statistics.fmean(r[f"{group}_n"] / r["n"] for r in of[label, model])
                part = statistics.fmean(r[f"{group}_sum"] / r["n"] for r in of[label, model])
                row.append(f"{share:.3f}: {part:+.3f}")
            rows.append(row)
    table(["shift", "model", *GROUPS.values()], rows)


def sweep(of, gaps, labels):
    ratios = sorted({ratio for _, _, ratio in of})
    for key, words in MEASURES.items():
        table([f"{words} at ratio", "model"] + [f"{ratio:g}" for ratio in ratios],
              [[label, model] + [f"{statistics.fmean(r[key] for r in of[label, model, ratio]):.2f}" for ratio in ratios] for model in MODELS for label in labels])
    rows = []
    for label in labels:
        known = [row["largest_gap"] for row in gaps[label,] if row["largest_gap"] is not None]
        rows.append([label, over_seeds(known, 2) if known else "-", f"{len(known)}/{len(gaps[label,])}"])
    table(["shift", "largest AR gap", "seeds that have one"], rows)


def selection(of, chosen):
    """of: shift -> seed -> rows by epoch."""
    table(["epoch chosen"] + [f"seed {one['seed']:g}" for one in chosen],
          [[f"by {words}"] + [f"{one[key]:g}" for one in chosen] for words, key in (("PA", "by_pa"), ("validation accuracy", "by_accuracy"))])

    def row(label, key, seeds):
        at = [[r[key] for r in rows] for rows in seeds]
        by_pa, by_accuracy = ([values[int(one[way]) - 1] for values, one in zip(at, chosen)] for way in ("by_pa", "by_accuracy"))
        return [label, over_seeds(by_accuracy), over_seeds(by_pa), over_seeds([p - a for p, a in zip(by_pa, by_accuracy)]),
                over_seeds([max(values) for values in at])]

    table(["shift of the test images", "accuracy, chosen by accuracy", "chosen by PA", "difference", "best epoch"],
          [row("none", "accuracy", of[min(of)])] + [row(shift, "accuracy_shifted", seeds) for shift, seeds in sorted(of.items())])


# --- Figures

def mean_and_range(x, values):
    half = half_width(values)
    mean = statistics.fmean(values)
    return x, mean, mean - half, mean + half


def draw_ratios(of, name, label, title):
    ratios = sorted({ratio for _, _, ratio in of})
    chart(name, title, "PA, of at most 2.30: mean over the seeds, 95% interval",
          {model: [mean_and_range(ratio, [r["pa"] for r in of[label, model, ratio]]) for ratio in ratios] for model in MODELS},
          [(ratio, f"{ratio:g}") for ratio in (0, .2, .4, .6, .8, 1)], [(tick, f"{tick:g}") for tick in (0, .5, 1, 1.5, 2, 2.5)], "share of samples shifted")


def draw_groups(of, name, label):
    """What each group of samples costs the mean log agreement."""
    left, width, row, top = 270, 330, 15, 34
    drawing = Drawing(left + width + 60, top + row * (len(MODELS) + 1) * len(GROUPS) + 10, f"What each group costs under {label}")
    drawing.text(left, 16, f"Agreement lost under {label}, by group", font_weight=600)
    lost = {(group, model): -statistics.fmean(r[f"{group}_sum"] / r["n"] for r in of[label, model]) for group in GROUPS for model in MODELS}
    for g, (group, words) in enumerate(GROUPS.items()):
        y = top + row * (len(MODELS) + 1) * g
        drawing.text(left - 76, y + row * 2 - 3, words, "end", font_weight=600)
        for m, model in enumerate(MODELS):
            length = width * lost[group, model] / max(lost.values())
            drawing.text(left - 8, y + row * (m + 1) - 3, model, "end", QUIET)
            drawing.cell(left, y + row * m + 2, max(length, .5), row - 4, STYLES[m][0])
            drawing.text(left + length + 6, y + row * (m + 1) - 3, f"{lost[group, model]:.3f}")
    drawing.save(name)


def draw_epochs(seeds):
    count = len(seeds[0])
    x_ticks = [(epoch, f"{epoch}") for epoch in range(1, count + 1, 2)]
    of_epoch = [[rows[epoch] for rows in seeds] for epoch in range(count)]
    of_key = {key: [mean_and_range(epoch, [r[key] for r in those]) for epoch, those in enumerate(of_epoch, 1)] for key in ("accuracy", "accuracy_shifted", "pa")}
    note = "mean over the seeds, 95% interval"
    chart("selection-accuracy.svg", "Accuracy of each epoch", note, {"clean": of_key["accuracy"], "under noise of 0.2": of_key["accuracy_shifted"]}, x_ticks,
          [(tick / 10, f"{10 * tick}%") for tick in range(4, 11)], "epoch")
    chart("selection-pa.svg", "PA of each epoch under noise of 0.2", note, {"PA": of_key["pa"]}, x_ticks,
          [(tick / 10, f"{tick / 10:g}") for tick in range(8, 23, 2)], "epoch")


def main():
    if len(sys.argv) > 1:
        collect(pathlib.Path(sys.argv[1]))
    models, ratios = by(read("models"), "shift", "model"), by(read("ratios"), "shift", "model", "ratio")
    gaps, of_epochs = by(read("gaps"), "shift"), by(read("epochs"), "shift", "seed")
    seeds_of = collections.defaultdict(list)
    for (shift, _), rows in sorted(of_epochs.items()):
        seeds_of[shift].append(rows)
    for name, labels in SETS.items():
        print(f"{name}, {len(seeds_of[SELECTION_SHIFT])} seeds\n")
        robustness(models, labels)
        sweep(ratios, gaps, labels)
        decomposition(models, labels)
    selection(seeds_of, read("chosen"))
    draw_ratios(ratios, "pgd8-ratios.svg", "PGD 8/255", "PGD 8/255")
    draw_ratios(ratios, "noise0.3-ratios.svg", "noise 0.3", "Noise of 0.3")
    draw_groups(models, "pgd8-groups.svg", "PGD 8/255")
    draw_epochs(seeds_of[SELECTION_SHIFT])


if __name__ == "__main__":
    main()
