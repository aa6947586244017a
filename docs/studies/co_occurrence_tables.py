#!/usr/bin/env python3
"""The tables of docs/studies/co-occurrence.md from data/co-occurrence.csv, which co_occurrence.py writes.

    co_occurrence_tables.py [CO_OCCURRENCE.csv]
"""
import csv
import pathlib
import statistics
import sys

from tables import half_width, table


def over_seeds(values, sign=""):
    mean = f"{100 * statistics.mean(values):{sign}.1f}"
    return mean if len(values) == 1 else f"{mean} ± {100 * half_width(values):.1f}"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "co-occurrence.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    algorithms, environments, tests = (list(dict.fromkeys(row[key] for row in rows)) for key in ("algorithm", "environment", "test"))

    def of(algorithm, environment, test):
        return [row for row in rows if (row["algorithm"], row["environment"], row["test"]) == (algorithm, environment, test)]

    head = ["training", "pairs", *[text for test in tests for text in (f"test {test}", "Δ")]]
    body = []
    for algorithm in algorithms:
        for environment in environments:
            cells = []
            for test in tests:
                those = of(algorithm, environment, test)
                cells += [over_seeds([float(row["accuracy"]) for row in those]),
                          over_seeds([float(row["accuracy_by_pa"]) - float(row["accuracy"]) for row in those], "+")]
            body.append([algorithm, environment, *cells])
    table(head, body)
    body = []
    for algorithm in algorithms:
        for environment in environments:
            those = of(algorithm, environment, tests[0])
            body.append([algorithm, environment, *[", ".join(row[f"epoch_{criterion}"] for row in those) for criterion in ("accuracy", "score")],
                         over_seeds([float(row["validation_accuracy"]) for row in those])])
    table(["training", "pairs", "epochs by accuracy", "epochs by PA", "validation accuracy"], body)


if __name__ == "__main__":
    main()
