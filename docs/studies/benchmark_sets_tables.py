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

from benchmark_tables import CASES, FEW, PAIRS, SINGLE, TRIPLE, beyond, minus, read, signed, words
from tables import table

NETWORK, NORMALIZED = "resnet20-cifar", "small-cnn-bn"
BEST = ["erm", "lisa", "group-dro", "augmix-jsd", "resample", "mixup"]  # that all sets have
SEEDS = 5
LEARNS = .4  # test accuracy without a shift, a third by guessing
SMALL = "small-cnn"


class Runs:
    def __init__(self, rows):
        self.test = collections.defaultdict(dict)  # set, network, frozen or not, pre-trained or not, method, case -> seed -> accuracy
        for row in rows:
            key = (row["set"], row["arch"], row["batchnorm"], row["pretrained"], row["augment"] or row["algorithm"], row["shifts"])
            self.test[key][row["seed"]] = float(row["test"])
        self.sets = list(dict.fromkeys(row["set"] for row in rows))

    def of(self, where, method, case, arch=SMALL, batchnorm="", pretrained=""):
        """By seed; nothing where a seed is missing."""
        found = self.test.get((where, arch, batchnorm, pretrained, method, case), {})
        return [found[seed] for seed in sorted(found)] if len(found) == SEEDS else None

    def methods(self, where, cases=CASES, **given):
        names = list(dict.fromkeys(key[4] for key in self.test if key[0] == where))
        return [name for name in names if all(self.of(where, name, case, **given) for case in cases)]

    def gain(self, where, method, case):
        """Above plain training."""
        return minus(self.of(where, method, case), self.of(where, "erm", case))

    def mean(self, where, methods, cases):
        return [statistics.mean(values) for values in zip(*(self.of(where, name, case) for name in methods for case in cases))]


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "benchmark-sets.csv.gz")
    rows = read(path)
    runs = Runs(rows)
    print(f"{len(rows)} trainings\n")
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
        augmentations = {row["augment"] for row in rows}
        gaining = [name for name in [*methods, *few] if name != "erm" and statistics.mean(runs.of(where, name, "UNIFORM")) > LEARNS]
        print(f"{where}, methods that learn without a shift, above and below plain training beyond chance:\n")
        table(["methods", *FEW],
              [[f"{len(names)} {what}", *(f"{sum(beyond(runs.gain(where, name, case), 1) for name in names)} above, {sum(beyond(runs.gain(where, name, case), -1) for name in names)} below" for case in FEW)]
               for what, names in (("algorithms", [name for name in gaining if name not in augmentations]), ("augmentations", [name for name in gaining if name in augmentations])) if names])
    print("Cases beside each other, the six methods that all sets have:\n")
    pairs = [("one shift", SINGLE, "no shift", CASES[:1]), ("two shifts", PAIRS, "one shift", SINGLE), ("three shifts", TRIPLE, "two shifts", PAIRS),
             *((a, [a], b, [b]) for a, b in (("SC", "UDS"), ("UDS", "LDD"), ("SC+LDD", "SC"), ("SC+UDS", "SC"), ("SC+LDD+UDS", "SC"), ("LDD+UDS", "UDS"), ("LDD+UDS", "LDD")))]
    table(["test accuracy of", "less that of", *runs.sets],
          [[a, b, *(signed(minus(runs.mean(where, BEST, of_a), runs.mean(where, BEST, of_b))) for where in runs.sets)] for a, of_a, b, of_b in pairs])
    for where in runs.sets:
        networks = [(name, pretrained) for pretrained in ("", "yes") for name in runs.methods(where, FEW, arch=NETWORK, pretrained=pretrained)]
        if not networks:
            continue
        print(f"{where}, {NETWORK}:\n")
        table(["method", *FEW], [[name + (", weights of CIFAR-10" if pretrained else ""), *(words(runs.of(where, name, case, arch=NETWORK, pretrained=pretrained)) for case in FEW)]
                                 for name, pretrained in networks])
        table(["less plain training from scratch", *FEW],
              [[name + (", weights of CIFAR-10" if pretrained else ""),
                *(signed(minus(runs.of(where, name, case, arch=NETWORK, pretrained=pretrained), runs.of(where, "erm", case, arch=NETWORK))) for case in FEW)]
               for name, pretrained in networks if name != "erm" or pretrained])
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
