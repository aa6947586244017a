#!/usr/bin/env python3
"""Prints the tables of docs/studies/conds.md and draws its figures, from what conds.py left in FOLDER.

    conds_tables.py FOLDER            reads every run and writes docs/studies/data/conds.csv first
    conds_tables.py                   from that file alone

A mean is over the assignments of its shifts; in brackets the half-width of the 95% t-interval over the seeds.
"""
import collections
import csv
import json
import pathlib
import statistics
import sys

from conds import ATTRIBUTES, SETS, SHIFTS, cases, name_of
from drawing import Drawing
from tables import T95, over_seeds, table

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["uniform", "ldd", "uds", "ldd+uds", "sc", "sc+ldd", "sc+uds", "sc+ldd+uds"]
TITLES = {"dsprites": "dSprites", "dsprites-middle": "dSprites, in the middle", "shapes3d": "3D scene", "shapes3d-1000": "3D scene, 1,000 images"}


def kind_of(case):
    return "+".join(case) or "uniform"


# --- From the runs

def values_of(conds, attribute):
    return next(column["values"] for column in conds["attributes"] if column["name"] == attribute)


def own_value(rows, attribute, conds):
    """Of each test row: whether the attribute has the value that goes with the label."""
    labels, values = conds["label"]["values"], values_of(conds, attribute)
    return [labels.index(row["shape"]) % len(values) == values.index(row[attribute]) for row in rows]


def share(flags, chosen):
    chosen = list(chosen)
    return sum(flag for flag, one in zip(flags, chosen) if one) / max(sum(chosen), 1)


def measure(folder, name, seed, case):
    import numpy  # what follows needs it, the tables alone do not
    home = folder / name / f"seed{seed}"
    conds = json.loads((home / f"{name_of(case)}.json").read_text())
    trained = json.loads((home / f"{name_of(case)}-model.json").read_text())["results"][0]
    with numpy.load(home / f"{name_of(case)}-outputs.npz") as outputs:
        right = outputs["logits"].argmax(axis=1) == outputs["labels"]
    with open(home / "test.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result = {"set": name, "seed": seed, **{shift: case.get(shift, "") for shift in SHIFTS}, "n_train": trained["n_train"],
              "epochs": len(trained["epochs"]), "epoch": trained["best_epoch"],
              "validation": trained["epochs"][trained["best_epoch"] - 1]["validation_accuracy"], "accuracy": right.mean()}
    if "sc" in case:
        own = own_value(rows, case["sc"], conds)
        result["own_value"], result["other_value"] = share(right, own), share(right, [not one for one in own])
    for shift in ("ldd", "uds"):
        if shift in case:
            last = [row[case[shift]] == values_of(conds, case[shift])[-1] for row in rows]
            result[f"{shift}_last"], result[f"{shift}_others"] = share(right, last), share(right, [not one for one in last])
    return {key: round(float(value), 6) if isinstance(value, float) else value for key, value in result.items()}


COLUMNS = ["set", "seed", "sc", "ldd", "uds", "n_train", "epochs", "epoch", "validation", "accuracy", "own_value", "other_value",
           "ldd_last", "ldd_others", "uds_last", "uds_others"]


def collect(folder):
    seeds = sorted(int(path.name[4:]) for path in (folder / "dsprites").glob("seed*"))
    with open(HERE / "data/conds.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name in SETS:
            for seed in seeds:
                for case in cases():
                    writer.writerow(measure(folder, name, seed, case))


# --- Tables

class Runs:
    """Numbers of a set's runs by case; means over assignments, a seed each."""

    def __init__(self, rows):
        self.of = collections.defaultdict(dict)
        for row in rows:
            case = {shift: row[shift] for shift in SHIFTS if row[shift]}
            self.of[name_of(case)][int(row["seed"])] = row
        self.seeds = sorted(self.of["uniform"])
        self.cases = [case for case in cases() if name_of(case) in self.of]

    def value(self, case, seed, column="accuracy"):
        return float(self.of[name_of(case)][seed][column])

    def means(self, number, kind):
        """number(case, seed), averaged over the cases of a kind: one a seed."""
        those = [case for case in self.cases if kind_of(case) == kind]
        return [statistics.fmean(number(case, seed) for case in those) for seed in self.seeds]

    def accuracy(self, kind, column="accuracy"):
        return self.means(lambda case, seed: self.value(case, seed, column), kind)

    def drop(self, case, seed):
        return self.value({}, seed) - self.value(case, seed)

    def beyond(self, how):
        """What shifts cost together beyond `how` (sum, max) of what each costs on its attribute."""
        return lambda case, seed: self.drop(case, seed) - how(self.drop({shift: on}, seed) for shift, on in case.items())


def by_kind(all_runs):
    rows = []
    for kind in KINDS:
        row = [kind.upper().replace("UNIFORM", "none")]
        for runs in all_runs.values():
            drops = runs.means(runs.drop, kind)
            row.append(over_seeds([100 * a for a in runs.accuracy(kind)], 1) + ("" if kind == "uniform" else f", {-100 * statistics.fmean(drops):+.1f}"))
        rows.append(row)
    table(["shifts", *(TITLES[name] for name in all_runs)], rows)


def by_number(all_runs):
    rows = []
    for count in range(4):
        row = [count]
        for runs in all_runs.values():
            kinds = [kind for kind in KINDS if kind != "uniform" and kind.count("+") + 1 == count] if count else ["uniform"]
            row.append(over_seeds([100 * statistics.fmean(one) for one in zip(*(runs.accuracy(kind) for kind in kinds))], 1))
        rows.append(row)
    table(["number of shifts", *(TITLES[name] for name in all_runs)], rows)


def together(all_runs):
    all_runs = {name: runs for name, runs in all_runs.items() if name != "dsprites"}  # where there is nothing to lose
    rows = []
    for kind in KINDS:
        if "+" in kind:
            row = [kind.upper()]
            for runs in all_runs.values():
                row += [over_seeds([100 * one for one in runs.means(runs.beyond(how), kind)], 1) for how in (sum, max)]
            rows.append(row)
    table(["shifts", *(f"{TITLES[name]}: beyond the {how}" for name in all_runs for how in ("sum", "worst"))], rows)


def where(all_runs):
    rows = []
    for name, runs in all_runs.items():
        row = [TITLES[name]]
        for kind, columns in (("sc", ("own_value", "other_value")), ("ldd", ("ldd_last", "ldd_others")), ("uds", ("uds_last", "uds_others"))):
            row += [over_seeds([100 * one for one in runs.accuracy(kind, column)], 1) for column in columns]
        rows.append(row)
    table(["data", "SC: the label's own value", "SC: another value", "LDD: rare value", "LDD: others", "UDS: unseen value", "UDS: others"], rows)


def by_attribute(all_runs):
    rows = []
    for shift in SHIFTS:
        for attribute in ATTRIBUTES:
            rows.append([shift.upper(), attribute] + [over_seeds([-100 * runs.drop({shift: attribute}, seed) for seed in runs.seeds], 1)
                                                      for runs in all_runs.values()])
    table(["shift", "on", *(TITLES[name] for name in all_runs)], rows)


# --- Figures

def half_width(values):
    return T95[len(values)] * statistics.stdev(values) / len(values) ** .5 if len(values) > 1 else 0


def draw_kinds(all_runs):
    """A panel a set: every kind's mean with its interval, and behind it the mean of each assignment."""
    left, panel, row, top = 100, 190, 24, 40
    drawing = Drawing(left + panel * len(all_runs) + 12, top + row * len(KINDS) + 34, "Accuracy on the uniform test set by shifts in the training set")
    for k, kind in enumerate(KINDS):
        drawing.text(left - 10, top + row * (k + .5) + 4, kind.upper().replace("UNIFORM", "none"), "end")
    for p, (name, runs) in enumerate(all_runs.items()):
        begin, width = left + panel * p, panel - 40
        place = lambda accuracy, begin=begin, width=width: begin + width * accuracy
        chance = 1 / (4 if SETS[name].drawn == "shapes3d" else 3)
        drawing.text(begin, 18, TITLES[name], font_weight=600)
        for tick in (0, .25, .5, .75, 1):
            drawing.line(place(tick), top, place(tick), top + row * len(KINDS), "#e3e6ea")
            drawing.text(place(tick), top + row * len(KINDS) + 14, f"{100 * tick:.0f}%", "middle", "#5b6470")
        drawing.line(place(chance), top, place(chance), top + row * len(KINDS), "#9aa3ad")
        drawing.text(place(chance), top - 5, "chance", "middle", "#5b6470", font_size="10px")
        for k, kind in enumerate(KINDS):
            y = top + row * (k + .5)
            for case in runs.cases:
                if kind_of(case) == kind:
                    drawing.dot(place(statistics.fmean(runs.value(case, seed) for seed in runs.seeds)), y, 2.5, "#b8c0c8")
            values = runs.accuracy(kind)
            mean, color = statistics.fmean(values), "#c2410c" if "sc" in kind else "#1d4ed8"
            half = half_width(values)
            drawing.line(place(max(mean - half, 0)), y, place(min(mean + half, 1)), y, color, 2)
            drawing.dot(place(mean), y, 4, color)
    drawing.save("conds-kinds.svg")


def draw_number(all_runs):
    """Accuracy by the number of shifts, with SC among them and without."""
    left, panel, height, top = 46, 200, 170, 40
    drawing = Drawing(left + panel * len(all_runs), top + height + 44, "Accuracy by the number of concurrent shifts")
    for p, (name, runs) in enumerate(all_runs.items()):
        begin, width = left + panel * p, panel - 50
        x = lambda count, begin=begin, width=width: begin + width * count / 3
        y = lambda accuracy: top + height * (1 - accuracy)
        drawing.text(begin, 18, TITLES[name], font_weight=600)
        for tick in (0, .25, .5, .75, 1):
            drawing.line(x(0), y(tick), x(3), y(tick), "#e3e6ea")
            if p == 0:
                drawing.text(x(0) - 8, y(tick) + 4, f"{100 * tick:.0f}%", "end", "#5b6470")
        for count in range(4):
            drawing.text(x(count), top + height + 16, count, "middle", "#5b6470")
        for with_sc, color, words in ((False, "#1d4ed8", "without SC"), (True, "#c2410c", "with SC")):
            points = []
            for count in range(4):
                kinds = [kind for kind in KINDS if len(kind.split("+")) == count and kind != "uniform" and ("sc" in kind.split("+")) == with_sc] if count else ["uniform"]
                if kinds:
                    values = [statistics.fmean(one) for one in zip(*(runs.accuracy(kind) for kind in kinds))]
                    points.append((x(count), statistics.fmean(values), half_width(values)))
            for (x1, a1, _), (x2, a2, _) in zip(points, points[1:]):
                drawing.line(x1, y(a1), x2, y(a2), color, 1.5)
            for at, accuracy, half in points:
                drawing.line(at, y(min(accuracy + half, 1)), at, y(max(accuracy - half, 0)), color, 1.5)
                drawing.dot(at, y(accuracy), 3.5, color)
            if p == 0:
                drawing.text(left + (0 if with_sc else 70), top + height + 36, words, color=color)
    drawing.text(left + 170, top + height + 36, "number of shifts at once, each on an attribute of its own", color="#5b6470")
    drawing.save("conds-number.svg")


def draw_map(name, runs):
    """Every assignment: SC down, LDD and UDS across; change of accuracy against no shift, in points."""
    across = [{}, *({"ldd": a} for a in ATTRIBUTES), *({"uds": a} for a in ATTRIBUTES),
              *({"ldd": a, "uds": b} for a in ATTRIBUTES for b in ATTRIBUTES if a != b)]
    down = [{}, *({"sc": a} for a in ATTRIBUTES)]
    left, top, width, height = 118, 66, 46, 26
    drawing = Drawing(left + width * len(across) + 10, top + height * len(down) + 12, f"{TITLES[name]}: change of accuracy by shifts and their attributes")
    short = {"obj_color": "object", "bg_color": "ground", "scale": "scale"}
    drawing.text(8, 18, f"{TITLES[name]}: change of accuracy against no shift, in points", font_weight=600)
    for j, column in enumerate(across):
        for shift, y in (("ldd", top - 24), ("uds", top - 9)):
            if shift in column:
                drawing.text(left + width * (j + .5), y, short[column[shift]], "middle")
    drawing.text(left - 8, top - 24, "LDD on", "end", "#5b6470")
    drawing.text(left - 8, top - 9, "UDS on", "end", "#5b6470")
    for i, row in enumerate(down):
        drawing.text(left - 8, top + height * (i + .5) + 4, f"SC on {short[row['sc']]}" if row else "no SC", "end")
        for j, column in enumerate(across):
            case = {**row, **column}
            if len(set(case.values())) < len(case):
                continue
            change = -statistics.fmean(runs.drop(case, seed) for seed in runs.seeds)
            strength = min(1, abs(change) / .7)
            fade = [round(255 - strength * (255 - one)) for one in ((194, 65, 12) if change < 0 else (29, 78, 216))]
            drawing.cell(left + width * j, top + height * i, width - 1, height - 1, f"rgb({fade[0]},{fade[1]},{fade[2]})")
            drawing.text(left + width * (j + .5), top + height * (i + .5) + 4, f"{round(100 * change):+d}" if round(100 * change) else "0", "middle",
                         "#fff" if strength > .55 else "#1b1f24")
    drawing.save(f"conds-map-{name}.svg")


def main():
    if len(sys.argv) > 1:
        collect(pathlib.Path(sys.argv[1]))
    with open(HERE / "data/conds.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    all_runs = {name: Runs([row for row in rows if row["set"] == name]) for name in SETS}
    for print_table in (by_kind, by_number, together, where, by_attribute):
        print_table(all_runs)
    draw_kinds(all_runs)
    draw_number(all_runs)
    for name, runs in all_runs.items():
        draw_map(name, runs)


if __name__ == "__main__":
    main()
