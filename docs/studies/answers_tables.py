#!/usr/bin/env python3
"""The tables and the figure of docs/studies/answers.md.

    answers_tables.py

Reads data/answers.csv.gz (bench/answer_features on worlds 0 to 239 of the held-out half of shift_worlds.py and on real_shifts.py),
answers-cbpe.csv (bench/peers/cbpe.py on the same), answers-bounds.csv.gz (bench/answer_features on worlds 240 to 1049, real and
adversarial shifts; some columns) and answers-at-rest.csv (bench/estimates_at_rest).
"""
import csv
import gzip
import math
import pathlib
import random
import re
import statistics

from drawing import GRID, QUIET, STYLES, Drawing
from shift_worlds import KINDS
from tables import table

DATA = pathlib.Path(__file__).resolve().parent / "data"
INVISIBLE = ("mistakes", "concept")
FRESH = 510  # the first world that was drawn after the level of the range had been set
WARNED = 750  # and after the level of the warning's test had been set
METHODS = ("combined", "ac", "doc", "atc-conf", "atc-ne", "cot", "cot-published", "cbpe")
SHOWN = ("combined", "doc", "cot", "ac")
MEANING = {"none": "nothing", "label": "class shares", "drop": "classes missing", "mean": "mean of the inputs",
           "rotation": "inputs rotated", "noise": "noise on the inputs", "label-noise": "class shares and noise",
           "scale": "scale of the logits", "mistakes": "confident mistakes", "concept": "labels alone"}


def wilson(count, n):
    """The 95% interval of a proportion."""
    z, p = 1.959963984540054, count / n
    centre, half = (p + z * z / 2 / n) / (1 + z * z / n), z * (p * (1 - p) / n + z * z / 4 / n / n) ** .5 / (1 + z * z / n)
    return max(0, centre - half), min(1, centre + half)


def short(value):
    return f"{value:.3f}".replace("0.", ".", 1)


def off(row, method):
    return abs(row[method] - row["error"])


def held(row):
    return row["likely_low"] <= row["error"] <= row["likely_high"]


def mean(values):
    return sum(values) / len(values)


def width(rows):
    return statistics.median(row["likely_high"] - row["likely_low"] for row in rows)


TEXT = ("world", "family", "model", "kind")


def read_rows(name):
    with gzip.open(DATA / name, "rt", newline="") as file:
        return [{key: value if key in TEXT else float(value or "nan") for key, value in row.items()} for row in csv.DictReader(file)]


def read():
    rows = read_rows("answers.csv.gz")
    with open(DATA / "answers-cbpe.csv", newline="") as file:
        cbpe = {(row["world"], row["kind"]): float(row["cbpe"]) for row in csv.DictReader(file)}
    for row in rows:
        row["cbpe"] = cbpe.get((row["world"], row["kind"]), math.nan)
    return [row for row in rows if row["family"] != "real"], [row for row in rows if row["family"] == "real"]


def errors_table(groups):
    table(["", *METHODS, "n"], [[name, *(short(mean([off(row, method) for row in rows if not math.isnan(row[method])]))
                                       for method in METHODS), len(rows)] for name, rows in groups])


def ranges_table(groups):
    lines = []
    for name, rows in groups:
        low, high = wilson(sum(map(held, rows)), len(rows))
        lines.append([name, f"{short(mean([held(row) for row in rows]))} ({short(low)} to {short(high)})",
                      short(mean([row["error"] > row["likely_high"] for row in rows])), short(width(rows)), len(rows)])
    table(["", "error in the range", "error above it", "median width", "n"], lines)


def differences_table(simulated, real):
    """Mean over shifts; interval by 2,000 bootstrap draws of worlds, Bonferroni over the methods."""
    lines = []
    for method in METHODS[1:]:
        cells = []
        for rows in (simulated, real):
            worlds = {}
            for row in rows:
                if not math.isnan(row[method]):
                    worlds.setdefault(row["world"], []).append(off(row, method) - off(row, "combined"))
            sums = [(sum(values), len(values)) for values in worlds.values()]
            rng = random.Random(0)
            drawn = []
            for _ in range(2000):
                chosen = rng.choices(sums, k=len(sums))
                drawn.append(sum(one for one, _ in chosen) / sum(n for _, n in chosen))
            drawn.sort()
            tail = .025 / (len(METHODS) - 1)
            value = sum(one for one, _ in sums) / sum(n for _, n in sums)
            cells.append(f"{short(value)} ({short(drawn[int(tail * 2000)])} to {short(drawn[-1 - int(tail * 2000)])})")
        lines.append([method, *cells])
    table(["instead of combined", "240 simulated worlds", "7 real models"], lines)


def ac_range(rows):
    """The median width of a range ac +- c that holds as many errors as the likely range."""
    wanted = mean([held(row) for row in rows])
    c = sorted(off(row, "ac") for row in rows)[math.ceil(wanted * len(rows)) - 1]
    return statistics.median(min(1, row["ac"] + c) - max(0, row["ac"] - c) for row in rows)


def moved(row):
    """As Movement::margins_moved of leeway/error_bound/movement.h."""
    return row["distance"] > 1.224 * (1 / row["source"] + 1 / row["target"]) ** .5


def warned(row, bound="bound"):
    return moved(row) and row["likely_high"] > row[bound]


def bound_table(groups):
    """The bound of Dis2 (99%, linear critics on logits, 3 restarts), and its warning."""
    lines = []
    for name, rows in groups:
        broken = [row for row in rows if row["error"] > row["bound"]]
        quiet = [row for row in rows if not warned(row)]
        missed = [row for row in quiet if row["error"] > row["bound"]]
        rate = f"{len(missed)} of {len(quiet)}"
        if quiet:
            low, high = wilson(len(missed), len(quiet))
            rate += f" ({short(low)} to {short(high)})"
        lines.append([name, f"{len(broken)} of {len(rows)}", rate,
                      f"{sum(warned(row) for row in rows if row['error'] <= row['bound'])} of {len(rows) - len(broken)}"])
    table(["", "error above the bound", "of those without a warning", "warnings where the bound holds"], lines)


def critics_table(groups):
    """Errors above the bound, and the median bound, by class of critics, where all were run."""
    lines = []
    for name, rows in groups:
        rows = [row for row in rows if not math.isnan(row["kernel_bound"])]
        if rows:
            cells = (f"{sum(row['error'] > row[bound] for row in rows)}, {short(statistics.median(row[bound] for row in rows))}"
                     for bound in ("bound", "kernel_bound", "features_bound", "kernel_features_bound"))
            lines.append([name, *(cell.replace("0, nan", "-") for cell in cells), len(rows)])
    table(["", "logits", "kernel:logits", "features", "kernel:features", "n"], lines)


def auc(rows):
    """The chance that a broken bound has more of the likely range beyond it than a bound that holds; without a movement, none."""
    beyond = {broken: [row["likely_high"] - row["bound"] if moved(row) else -1. for row in rows if (row["error"] > row["bound"]) == broken]
              for broken in (True, False)}
    pairs = [(a > b) + (a == b) / 2 for a in beyond[True] for b in beyond[False]]
    return short(mean(pairs)) if pairs else "-"


def at_rest_table():
    with open(DATA / "answers-at-rest.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = []
    for row in rows:
        same = [r for r in rows if all(r[name] == row[name] for name in ("classes", "source", "margin"))]
        if row is not same[0]:
            continue
        covered = max(same, key=lambda r: int(r["bootstrap"]))
        true, cot, published = (float(row[name]) for name in ("error", "cot", "published"))
        lines.append([row["classes"], f"{int(row['source']):,} and {int(row['target']):,}", short(true), f"{cot - true:+.4f}",
                      f"{published - true:+.4f}", row["draws"],
                      f"{short(float(covered['coverage']))} ({covered['draws']})" if int(covered["bootstrap"]) else "-"])
    table(["classes", "source and target rows", "true error", "bias of cot", "bias of cot-published", "draws",
           "coverage of cot's interval (draws)"], lines)


def figure(simulated, fresh):
    left, top, step, width_ = 170, 46, 24, 330
    drawing = Drawing(left + width_ + 150, top + step * len(KINDS) + 60, "Mean absolute error and coverage by kind of shift")
    drawing.text(10, 16, "Mean absolute error of the estimates, 240 held-out shifts of each kind", font_weight=600)
    most = .25

    def at(value):
        return left + width_ * min(value, most) / most

    for tick in (0, .05, .1, .15, .2, .25):
        drawing.line(at(tick), top - 8, at(tick), top + step * len(KINDS) - 8, GRID)
        drawing.text(at(tick), top + step * len(KINDS) + 8, short(tick), "middle", QUIET)
    drawing.text(left + width_ + 20, 36, "error in the likely range", color=QUIET)
    for place, kind in enumerate(KINDS):
        rows = [row for row in simulated if row["kind"] == kind]
        y = top + step * place + 6
        drawing.text(left - 12, y + 4, MEANING[kind], "end")
        for index, method in reversed(list(enumerate(SHOWN))):
            drawing.dot(at(mean([off(row, method) for row in rows])), y, 5 if method == "combined" else 3.5, STYLES[index][0])
        drawing.text(left + width_ + 60, y + 4, f"{100 * mean([held(row) for row in fresh if row['kind'] == kind]):.0f}%")
    for index, method in enumerate(SHOWN):
        x = left + 90 * index
        drawing.dot(x, top + step * len(KINDS) + 30, 4, STYLES[index][0])
        drawing.text(x + 10, top + step * len(KINDS) + 34, method)
    drawing.save("answers-kinds.svg")


def groups_of_bounds(simulated, real, adversarial):
    turned = [row for row in simulated if row["family"] == "teacher" and row["kind"] == "rotation"]
    kinds = [(MEANING[kind], [row for row in simulated if row["kind"] == kind and row not in turned]) for kind in KINDS]
    visible = [row for row in simulated if row["kind"] not in INVISIBLE and row not in turned]
    kinds[-2:-2] = [("*all of these*", visible)]
    kinds.append(("rotation, teacher worlds", turned))
    families = [(f"visible, {name} worlds", [row for row in visible if row["family"] == name]) for name in sorted({row["family"] for row in visible})]
    return visible, [*kinds, *families, ("real shifts", real), ("fgsm and pgd", adversarial)]


def bounds(real, adversarial, worlds):
    visible, groups = groups_of_bounds([row for row in worlds if int(row["world"]) >= WARNED], real, adversarial)
    bound_table(groups)
    table(["area under the ROC curve of the warning", ""],
          [["visible shifts", auc(visible)], ["fgsm and pgd", auc(adversarial)], ["visible, real, fgsm and pgd", auc([*visible, *real, *adversarial])]])
    critics_table(groups_of_bounds(worlds, real, adversarial)[1])


def groups_of(simulated, visible, real):
    kinds = [(MEANING[kind], [row for row in simulated if row["kind"] == kind]) for kind in KINDS]
    kinds[-2:-2] = [("*all of these*", visible)]
    models = [(name, [row for row in real if row["world"] == name]) for name in dict.fromkeys(row["world"] for row in real)]
    return [*kinds, *models, ("*all real shifts*", real)]


def ranges(worlds, real):
    fresh = [row for row in worlds if int(row["world"]) >= FRESH]
    visible = [row for row in fresh if row["kind"] not in INVISIBLE]
    ranges_table([*groups_of(fresh, visible, real), ("*all ten kinds*", fresh)])
    ranges_table([(f"{name} ({words})", [row for row in visible if row[key] == name]) for key, words in
                  (("family", "world"), ("model", "classifier")) for name in sorted({row[key] for row in visible})])
    rest = [row for row in fresh if row["kind"] == "none"]
    lines = [["no shift, both sets of 1,000 rows or more: median",
              short(width([row for row in rest if min(row["source"], row["target"]) >= 1000]))],
             ["all visible shifts: median", short(width(visible))],
             ["a range ac +- c that contains as many of these errors: median", short(ac_range(visible))]]
    for most in (.1, .2):  # the gate likely_error.high>0.2
        good = [row for row in worlds if row["kind"] == "none" and row["error"] < most]
        above = sum(row["likely_high"] > .2 for row in good)
        low, high = wilson(above, len(good))
        lines.append([f"no shift, worlds 240 to 749, error below {short(most)[:2]}: upper endpoints above .2",
                      f"{above} of {len(good)} ({short(low)} to {short(high)})"])
    table(["width, and the gate `likely_error.high>0.2`", ""], lines)
    return fresh


def main():
    simulated, real = read()
    visible = [row for row in simulated if row["kind"] not in INVISIBLE]
    errors_table(groups_of(simulated, visible, real))
    differences_table(visible, real)
    rows = read_rows("answers-bounds.csv.gz")
    adversarial = [row for row in rows if re.match("(fgsm|pgd)[0-9]+$", row["kind"])]
    real = [row for row in rows if row["family"] == "real" and row not in adversarial]
    worlds = [row for row in rows if row["family"] != "real"]
    fresh = ranges([row for row in worlds if int(row["world"]) < WARNED], real)
    bounds(real, adversarial, worlds)
    at_rest_table()
    figure(simulated, fresh)


if __name__ == "__main__":
    main()
