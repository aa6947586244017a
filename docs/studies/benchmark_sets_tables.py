#!/usr/bin/env python3
"""The tables of docs/studies/benchmark-sets.md from data/benchmark-sets.csv.gz, which benchmark_sets.py writes (as benchmark-sets.csv).

    benchmark_sets_tables.py [BENCHMARK-SETS.csv]

Means in percent, with the half-width of the 95% t-interval over seeds; differences are paired by seed, bold where the interval does
not hold 0.
"""
import collections
import pathlib
import statistics
import sys

from benchmark import ALGORITHMS, AUGMENTATIONS, RATES
from benchmark_tables import CASES, FEW, PAIRS, SINGLE, TRIPLE, beyond, minus, read, signed, words
from tables import table

NETWORK, NORMALIZED = "resnet20-cifar", "small-cnn-bn"
BEST = ["erm", "lisa", "group-dro", "augmix-jsd", "resample", "mixup"]  # that all sets have
SEEDS = 5
LEARNS = .4  # test accuracy without a shift, a third by guessing
SMALL = "small-cnn"
RATE = "0.001"  # of everything but the search


class Runs:
    """At one rate; with `searched` each method at that of the best validation accuracy on seed 0, by case, the larger one of equals."""

    def __init__(self, rows, searched=False):
        self.test = collections.defaultdict(dict)  # set, network, frozen or not, pre-trained or not, method, case -> seed -> accuracy
        self.rates = {}
        if searched:
            best = collections.defaultdict(dict)
            for row in rows:
                if row["seed"] == "0" and not row["test_by_oracle"]:
                    best[self.key(row)][row["lr"]] = float(row["validation"])
            self.rates = {key: max(found, key=lambda rate: (found[rate], float(rate))) for key, found in best.items() if len(found) == len(RATES)}
        for row in rows:
            key = self.key(row)
            if row["lr"] == (self.rates.get(key) if searched else RATE):
                self.test[key][row["seed"]] = float(row["test"])
        self.sets = list(dict.fromkeys(row["set"] for row in rows))

    @staticmethod
    def key(row):
        return row["set"], row["arch"], row["batchnorm"], row["pretrained"], row["augment"] or row["algorithm"], row["shifts"]

    def of(self, where, method, case, arch=SMALL, batchnorm="", pretrained=""):
        """By seed; nothing where a seed is missing."""
        found = self.test.get((where, arch, batchnorm, pretrained, method, case), {})
        return [found[seed] for seed in sorted(found)] if len(found) == SEEDS else None

    def methods(self, where, cases=CASES, **given):
        order = [*BEST, *ALGORITHMS, *AUGMENTATIONS]  # others behind them
        names = sorted({key[4]: None for key in self.test if key[0] == where}, key=lambda name: order.index(name) if name in order else len(order))
        return [name for name in names if all(self.of(where, name, case, **given) for case in cases)]

    def gain(self, where, method, case, **given):
        """Above plain training."""
        return minus(self.of(where, method, case, **given), self.of(where, "erm", case, **given))

    def mean(self, where, methods, cases):
        return [statistics.mean(values) for values in zip(*(self.of(where, name, case) for name in methods for case in cases))]


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "benchmark-sets.csv.gz")
    rows = read(path)
    runs = Runs(rows)
    print(f"{len(rows)} trainings\n")
    searched = Runs(rows, searched=True)
    for where in runs.sets:
        print(f"{where}, test accuracy:\n")
        methods = runs.methods(where)
        table(["method", *CASES], [[name, *(words(runs.of(where, name, case)) for case in CASES)] for name in methods])
        print(f"{where}, points above plain training:\n")
        table(["method", *CASES],
              [[name, *(signed(runs.gain(where, name, case)) for case in CASES)] for name in methods if name != "erm"])
        few = [name for name in runs.methods(where, FEW) if name not in methods]
        if few:
            table(["method", *FEW], [[name, *(words(runs.of(where, name, case)) for case in FEW)] for name in few])
            table(["method", *FEW], [[name, *(signed(runs.gain(where, name, case)) for case in FEW)] for name in few])
        found = searched.methods(where)
        if found:
            print(f"{where}, each method at its chosen rate: plain training, and points above it:\n")
            table(["method", *CASES], [["erm", *(words(searched.of(where, "erm", case)) for case in CASES)],
                                       *([name, *(signed(searched.gain(where, name, case)) for case in CASES)] for name in found if name != "erm")])
        lines = []
        for what, of, names in (("at .001", runs, methods), ("each at its chosen rate", searched, found)):
            learning = [name for name in names if name != "erm" and statistics.mean(of.of(where, name, "UNIFORM")) > LEARNS]
            for kind, those in (("algorithms", [name for name in learning if name not in AUGMENTATIONS]), ("augmentations", [name for name in learning if name in AUGMENTATIONS])):
                if those:
                    lines.append([f"{len(those)} {kind} {what}", *(f"{sum(beyond(of.gain(where, name, case), 1) for name in those)}, {sum(beyond(of.gain(where, name, case), -1) for name in those)}" for case in CASES)])
        print(f"{where}, methods that learn without a shift: how many are above, below plain training beyond chance:\n")
        table(["above, below", *CASES], lines)
    gained = [where for where in searched.sets if searched.methods(where)]
    if gained:
        print("Accuracy at the rates that validation chose, minus that at .001, means over the methods that have both:\n")
        table(["set", "methods", *CASES],
              [[where, str(len(both)), *(signed(minus(searched.mean(where, both, [case]), runs.mean(where, both, [case]))) for case in CASES)]
               for where in gained for both in ([name for name in searched.methods(where) if runs.methods(where).count(name)],)])
    print(f"SagNet on {NORMALIZED}, points above plain training there:\n")
    given = {"arch": NORMALIZED}
    table(["set", "rate", *CASES],
          [[where, what, *(signed(of.gain(where, "sagnet", case, **given)) for case in CASES)]
           for where in runs.sets for what, of in ((".001", runs), ("the best", searched)) if "sagnet" in of.methods(where, **given)])
    print("Cases beside each other, the six methods that all sets have:\n")
    pairs = [("one shift", SINGLE, "no shift", CASES[:1]), ("two shifts", PAIRS, "one shift", SINGLE), ("three shifts", TRIPLE, "two shifts", PAIRS),
             *((a, [a], b, [b]) for a, b in (("SC", "UDS"), ("UDS", "LDD"), ("SC+LDD", "SC"), ("SC+UDS", "SC"), ("SC+LDD+UDS", "SC"), ("LDD+UDS", "UDS"), ("LDD+UDS", "LDD")))]
    table(["test accuracy of", "minus that of", *runs.sets],
          [[a, b, *(signed(minus(runs.mean(where, BEST, of_a), runs.mean(where, BEST, of_b))) for where in runs.sets)] for a, of_a, b, of_b in pairs])
    for where in runs.sets:
        networks = [(name, pretrained) for pretrained in ("", "yes") for name in runs.methods(where, FEW, arch=NETWORK, pretrained=pretrained)]
        if not networks:
            continue
        print(f"{where}, {NETWORK}:\n")
        table(["method", *FEW], [[name + (", weights of CIFAR-10" if pretrained else ""), *(words(runs.of(where, name, case, arch=NETWORK, pretrained=pretrained)) for case in FEW)]
                                 for name, pretrained in networks])
        table(["minus plain training from scratch", *FEW],
              [[name + (", weights of CIFAR-10" if pretrained else ""),
                *(signed(minus(runs.of(where, name, case, arch=NETWORK, pretrained=pretrained), runs.of(where, "erm", case, arch=NETWORK))) for case in FEW)]
               for name, pretrained in networks if name != "erm" or pretrained])
        found = searched.methods(where, FEW, arch=NETWORK)
        if len(found) > 1:
            print(f"{where}, {NETWORK}, each method at its chosen rate: plain training, and points above it:\n")
            table(["each at its chosen rate", *FEW], [["erm", *(words(searched.of(where, "erm", case, arch=NETWORK)) for case in FEW)],
                                               *([name, *(signed(searched.gain(where, name, case, arch=NETWORK)) for case in FEW)] for name in found if name != "erm")])
    for where in runs.sets:
        frozen = [name for name in runs.methods(where, FEW, arch=NORMALIZED, batchnorm="frozen") if name in runs.methods(where, FEW, arch=NORMALIZED)]
        if not frozen:
            continue
        print(f"{where}, {NORMALIZED}, statistics of the batch:\n")
        table(["method", *FEW], [[name, *(words(runs.of(where, name, case, arch=NORMALIZED)) for case in FEW)] for name in frozen])
        print("Frozen statistics less those of the batch:\n")
        table(["method", *FEW],
              [[name, *(signed(minus(runs.of(where, name, case, arch=NORMALIZED, batchnorm="frozen"), runs.of(where, name, case, arch=NORMALIZED))) for case in FEW)]
               for name in frozen])
    measured = [row for row in rows if row.get("test_by_oracle")]
    for where in dict.fromkeys(row["set"] for row in measured):
        print(f"{where}, points of test accuracy that another choice of the epoch would have got, mean over the methods:\n")
        lines = []
        for what, column in (("the worst group", "test_by_worst_group"), ("posterior agreement", "test_by_agreement"), ("the test itself", "test_by_oracle")):
            by = {case: collections.defaultdict(list) for case in CASES}
            for row in measured:
                if row["set"] == where:
                    by[row["shifts"]][row["seed"]].append(float(row[column]) - float(row["test"]))
            lines.append([what, *(signed([statistics.mean(by[case][seed]) for seed in sorted(by[case])]) for case in CASES)])
        table(["chosen by", *CASES], lines)


if __name__ == "__main__":
    main()
