#!/usr/bin/env python3
"""The tables of docs/studies/benchmark.md from data/benchmark.csv.gz, which benchmark.py writes (as benchmark.csv).

    benchmark_tables.py [BENCHMARK.csv]

Means in percent, with the half-width of the 95% t-interval over seeds; differences are paired by seed.
"""
import collections
import csv
import gzip
import itertools
import pathlib
import statistics
import sys

from tables import half_width, table

CASES = ["UNIFORM", "SC", "LDD", "UDS", "SC+LDD", "SC+UDS", "LDD+UDS", "SC+LDD+UDS"]
SINGLE, PAIRS, TRIPLE = CASES[1:4], CASES[4:7], CASES[7:]
FEW = [*CASES[:4], *TRIPLE]  # of what takes longest
FULL = 5  # seeds
MAIN = {"SC": "obj_color", "LDD": "bg_color", "UDS": "scale"}
EVERYWHERE = "0.001"  # the rate of the runs on all assignments
LEARNS = .5  # test accuracy without a shift


def read(path):
    text = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    with text as file:
        return list(csv.DictReader(file))


def name_of(row):
    return (row["augment"] or row["algorithm"]) + ("" if row["arch"] == "small-cnn" else ", batch norm")


def words(values):
    if len(values) < 2:
        return f"{100 * values[0]:.1f}" if values else "-"
    return f"{100 * statistics.mean(values):.1f} ± {100 * half_width(values):.1f}"


def signed(values):
    """A mean difference in points; in bold where its interval does not hold 0."""
    mean, half = 100 * statistics.mean(values), 100 * half_width(values)
    text = f"{mean:+.1f} ± {half:.1f}"
    return f"**{text}**" if abs(mean) > half else text


def beyond(values, sign):
    """Whether a mean difference of that sign is beyond chance."""
    return sign * statistics.mean(values) > half_width(values)


def chosen_rates(rows):
    """Method and case -> the rate with the best validation accuracy on seed 0; the larger one of equals."""
    best = {}
    for row in sorted((row for row in rows if row["seed"] == "0" and not row["variant"]), key=lambda row: -float(row["lr"])):
        key = name_of(row), row["shifts"]
        if key not in best or float(row["validation"]) > float(best[key]["validation"]):
            best[key] = row
    return {key: row["lr"] for key, row in best.items()}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.] * len(values)
    for _, group in itertools.groupby(enumerate(order), key=lambda item: values[item[1]]):
        those = list(group)
        for _, i in those:
            out[i] = statistics.mean(place for place, _ in those)
    return out


def is_main(row):
    """Of the assignment that all methods were run on, with its groups."""
    return row["groups"] == MAIN["SC"] and row["attributes"] == "+".join(MAIN[shift] for shift in row["shifts"].split("+") if shift in MAIN)


class Runs:
    def __init__(self, rows):
        rows = [row for row in rows if is_main(row)]
        rates = chosen_rates(rows)
        self.test = collections.defaultdict(dict)  # (method, case) -> seed -> accuracy
        self.variants = collections.defaultdict(dict)  # the same of (method, variant, case)
        self.everywhere = collections.defaultdict(dict)  # the same of (method, case) at that rate
        for row in rows:
            key = name_of(row), row["shifts"]
            if row["lr"] == EVERYWHERE and not row["variant"]:
                self.everywhere[key][row["seed"]] = float(row["test"])
            if row["variant"]:
                self.variants[row["algorithm"], row["variant"], row["shifts"]][row["seed"]] = float(row["test"])
            elif row["lr"] == rates[key]:
                self.test[key][row["seed"]] = float(row["test"])
        self.rates = rates
        names = list(dict.fromkeys(name_of(row) for row in rows))
        # Those that have all seeds of all cases.
        self.methods = [name for name in names if all(len(self.test[name, case]) == FULL for case in CASES)]
        self.few = [name for name in names if name not in self.methods and all(len(self.everywhere[name, case]) == FULL for case in FEW)]
        self.seeds = sorted(self.test["erm", "UNIFORM"])
        self.augmentations = [name for name in self.methods if any(row["augment"] == name for row in rows)]

    def of(self, method, case):
        return [self.test[method, case][seed] for seed in self.seeds]

    def mean(self, methods, cases):
        """Of each seed."""
        return [statistics.mean(self.test[method, case][seed] for method in methods for case in cases) for seed in self.seeds]

    def gain(self, method, case):
        """Above plain training of the same network."""
        plain = "erm, batch norm" if method.endswith(", batch norm") else "erm"
        return [a - b for a, b in zip(self.of(method, case), self.of(plain, case))]


def of_assignments(rows, seeds):
    """Case -> method -> attributes -> seed -> accuracy, where a method has all seeds."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for row in rows:
        told = row["attributes"].split("+")[0] or MAIN["SC"]
        if row["groups"] == told and row["lr"] == EVERYWHERE and row["arch"] == "small-cnn" and not row["variant"] and not row["augment"]:
            found[row["shifts"]][row["algorithm"]][row["attributes"]][row["seed"]] = float(row["test"])
    for case in found.values():
        for method, of in case.items():
            case[method] = {key: values for key, values in of.items() if len(values) == len(seeds)}
    return found


def all_assignments(rows, seeds, names):
    found, lines = of_assignments(rows, seeds), []
    for case in CASES:
        of = found[case]
        known = [key for key in of["erm"] if all(key in of[name] for name in names)]
        if not known:
            continue
        means = {name: [statistics.mean(of[name][key][seed] for key in known) for seed in seeds] for name in ("erm", *names)}
        plain = [statistics.mean(of["erm"][key].values()) for key in known]
        lines.append([case, len(known), words(means["erm"]), f"{100 * min(plain):.1f} to {100 * max(plain):.1f}",
                      *(signed(minus(means[name], means["erm"])) for name in names)])
    table(["shifts", "assignments", "erm", "erm, assignments", *(f"{name}, points" for name in names)], lines)
    mean = {case: [statistics.mean(values[seed] for values in found[case]["erm"].values()) for seed in seeds] for case in CASES if found[case]["erm"]}
    pairs = [("UDS", "LDD"), ("SC", "UDS"), ("SC+LDD", "SC"), ("SC+UDS", "SC"), ("SC+LDD+UDS", "SC"), ("LDD+UDS", "UDS"), ("LDD+UDS", "LDD")]
    table(["erm, all assignments", "minus that of", "difference"], [[a, b, signed(minus(mean[a], mean[b]))] for a, b in pairs if a in mean and b in mean])


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "benchmark.csv.gz")
    rows = read(path)
    runs = Runs(rows)
    methods, others = runs.methods, [name for name in runs.methods if name not in ("erm", "erm, batch norm")]
    # What learns nothing without a shift says nothing of shifts.
    learning = [name for name in methods if statistics.mean(runs.of(name, "UNIFORM")) > LEARNS and not name.endswith(", batch norm")]
    gaining = [name for name in learning if name != "erm"]
    augmentations = [name for name in gaining if name in runs.augmentations]
    algorithms = [name for name in gaining if name not in augmentations]
    print(f"{len(rows)} trainings, {len(methods)} methods with all seeds of all cases\n\nTest accuracy:\n")
    table(["method", *CASES], [[name, *(words(runs.of(name, case)) for case in CASES)] for name in methods])
    print("Points above plain training:\n")
    table(["method", *CASES], [[name, *(signed(runs.gain(name, case)) for case in CASES)] for name in others])
    if runs.few:
        print("Some cases, at .001, and points above plain training at that rate:\n")
        of = {name: {case: [runs.everywhere[name, case][seed] for seed in runs.seeds] for case in FEW} for name in ("erm", *runs.few)}
        table(["method", *FEW], [line for name in runs.few for line in ([name, *(words(of[name][case]) for case in FEW)],
                                                                       [f"{name}, points", *(signed(minus(of[name][case], of["erm"][case])) for case in FEW)])])
    print("Methods above and below plain training beyond chance:\n")
    table(["methods", *CASES], [[f"{len(names)} {what}", *(f"{sum(beyond(runs.gain(n, c), 1) for n in names)} above, {sum(beyond(runs.gain(n, c), -1) for n in names)} below" for c in CASES)]
                                for what, names in (("augmentations", augmentations), ("algorithms", algorithms)) if names])
    print(f"Takeaways 1 and 2, the {len(learning)} methods together that learn without a shift:\n")
    one, two, three = (runs.mean(learning, cases) for cases in (SINGLE, PAIRS, TRIPLE))
    of = {case: runs.mean(learning, [case]) for case in CASES}
    table(["test accuracy of", "mean", "minus that of", "difference"],
          [["one shift", words(one), "no shift", signed(minus(one, of["UNIFORM"]))],
           ["two shifts", words(two), "one shift", signed(minus(two, one))],
           ["three shifts", words(three), "two shifts", signed(minus(three, two))],
           *([a, words(of[a]), b, signed(minus(of[a], of[b]))]
             for a, b in [("SC", "UDS"), ("UDS", "LDD"), ("SC+LDD", "SC"), ("SC+UDS", "SC"), ("SC+LDD+UDS", "SC"), ("LDD+UDS", "UDS"), ("LDD+UDS", "LDD")])])
    print("Takeaway 3, correlation by rank (Spearman) of the methods' gains in two cases, mean over seeds:\n")
    shifts = SINGLE

    def correlation(a, b):
        out = []
        for i in range(len(runs.seeds)):
            first, second = (ranks([runs.gain(name, case)[i] for name in gaining]) for case in (a, b))
            out.append(statistics.correlation(first, second))
        return out

    table(["cases", "correlation"], [[f"{a}, {b}", f"{statistics.mean(c):.2f} ± {half_width(c):.2f}"]
                                      for a, b in [*itertools.combinations(shifts, 2), ("SC", "SC+LDD+UDS"), ("UDS", "SC+LDD+UDS")]
                                      for c in [correlation(a, b)]])
    print("Takeaways 4 and 5, mean points above plain training:\n")

    def mean_gain(names, case):
        return [statistics.mean(values) for values in zip(*(runs.gain(name, case) for name in names))]

    table(["methods", *CASES],
          [[f"{len(names)} {what}", *(signed(mean_gain(names, case)) for case in CASES)]
           for what, names in (("augmentations", augmentations), ("algorithms", algorithms)) if names])
    print("Trainings at the chosen rates that stayed at chance (validation below 30%), of methods that learn:\n")
    stayed, of_rate = collections.Counter(), collections.Counter()
    for row in rows:
        if is_main(row) and not row["variant"] and name_of(row) in learning and row["lr"] == runs.rates[name_of(row), row["shifts"]]:
            of_rate[row["lr"]] += 1
            stayed[row["lr"]] += float(row["validation"]) < .3
    table(["learning rate", "training runs", "at chance"], [[rate, of_rate[rate], stayed[rate]] for rate in sorted(of_rate, key=float, reverse=True)])
    print("All assignments, rate .001: means over them, and points above plain training:\n")
    all_assignments(rows, runs.seeds, ["lisa", "group-dro", "augmix-jsd"])
    if runs.variants:
        print("As programs have it, minus the same method as its paper states it:\n")
        variants = list(dict.fromkeys(key[:2] for key in runs.variants))
        whole = [key for key in variants if all(len(runs.variants[(*key, case)]) == FULL for case in CASES) and key[0] in methods]
        table(["method", "parameter", *CASES],
              [[name, setting, *(signed([runs.variants[name, setting, case][seed] - runs.test[name, case][seed] for seed in runs.seeds])
                                 for case in CASES)] for name, setting in whole])


if __name__ == "__main__":
    main()
