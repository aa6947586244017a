#!/usr/bin/env python3
"""Prints the tables of docs/studies/fashion-mnist.md from the records that fashion_mnist.py left in FOLDER.

    tables.py FOLDER

Over the seeds: mean and, in brackets, the half-width of the 95% t-interval of the mean.
"""
import json
import math
import pathlib
import statistics
import sys

MODELS = ["standard", "selected", "robust"]
T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}  # two-sided, n - 1 degrees


def over_seeds(values, digits=3):
    if any(isinstance(value, str) for value in values):
        return "/".join(str(value) for value in values)
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.{digits}f}"
    half = T95[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.{digits}f} ({half:.{digits}f})"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


def load(folders, name):
    return [json.loads((folder / name).read_text()) for folder in folders]


def results(records, model):
    """Of each shift in order: the results of all seeds."""
    return list(zip(*[[r for r in record["results"] if r["model"] == model] for record in records]))


def robustness(folders, name, labels):
    records = load(folders, name)
    of = {model: results(records, model) for model in MODELS}
    rows, gaps = [], []
    for i, label in enumerate(labels):
        for model in MODELS:
            those = of[model][i]
            rows.append([label, model] + [over_seeds([r[key] for r in those]) for key in ("afr_true", "afr_pred", "pa")] +
                        [over_seeds([r["beta"] for r in those], 2)])
        for model in MODELS[1:]:
            row = [label, model]
            for key in ("afr_true", "afr_pred", "pa_normalized"):
                differences = [two[key] - one[key] for one, two in zip(of["standard"][i], of[model][i])]
                row.append(over_seeds(differences) + f", {sum(d > 0 for d in differences)}/{len(differences)}")
            gaps.append(row)
    table(["shift", "model", "AFR(T)", "AFR(P)", "PA", "beta"], rows)
    print("Less the standard model's, PA as a share of log k; seeds in which it is above it:\n")
    table(["shift", "model", "AFR(T)", "AFR(P)", "PA / log k"], gaps)


def decomposition(folders, name, labels):
    records = load(folders, name)
    rows = []
    for model in MODELS:
        for label, those in zip(labels, results(records, model)):
            n = those[0]["n"]
            row = [label, model]
            for group in ("err", "mis", "adv", "rest"):
                share = statistics.fmean(r["decomposition"][group]["n"] / n for r in those)
                part = statistics.fmean(r["decomposition"][group]["sum"] / n for r in those)
                row.append(f"{share:.3f}: {part:+.3f}")
            rows.append(row)
    table(["shift", "model", "right before and after", "wrong before and after, alike", "right, then moved", "the rest"], rows)


def sweep(folders, name, labels):
    records = load(folders, name)
    head = [f"{point['ratio']:g}" for point in records[0]["results"][0]["ratios"]]
    for key, words in (("pa", "PA"), ("afr_true", "AFR(T)"), ("afr_pred", "AFR(P)")):
        rows = []
        for model in MODELS:
            for label, those in zip(labels, results(records, model)):
                by_ratio = list(zip(*[r["ratios"] for r in those]))
                rows.append([label, model] + [f"{statistics.fmean(p[key] for p in point):.2f}" for point in by_ratio])
        table([f"{words} at ratio", "model"] + head, rows)
    rows = []
    for label, those in zip(labels, zip(*[pairs(record) for record in records])):
        gaps = [largest_gap(pair) for pair in those]
        known = [gap for gap in gaps if gap is not None]
        rows.append([label, over_seeds(known, 2) if known else "-", f"{len(known)}/{len(gaps)}"])
    table(["shift", "largest AR gap", "seeds that have one"], rows)


def pairs(record):
    """Of each shift: the AR gap between the standard and the robust model."""
    return [gap for gap in record["ar_gap"] if {gap["model_plus"], gap["model_minus"]} == {"standard", "robust"}]


def largest_gap(pair):
    """Above 0 where the robust model takes more shifted samples to fall to the same PA."""
    sign = 1 if pair["model_plus"] == "robust" else -1
    known = [sign * point["gap"] for point in pair["points"] if point["gap"] is not None]
    return max(known, key=abs) if known else None


def selection(folders):
    trained = load(folders, "erm.json")
    chosen = [(t["results"][0]["best_by_score"], t["results"][0]["best_by_accuracy"]) for t in trained]
    print("Epochs chosen by PA and by accuracy, seed by seed: " + ", ".join(f"{pa}/{acc}" for pa, acc in chosen) + "\n")
    rows = []
    files = sorted(path.name for path in folders[0].glob("select-*.json"))

    def row(label, key, records):
        at = [[r[key] for r in record["results"]] for record in records]
        by_pa = [values[pa - 1] for values, (pa, _) in zip(at, chosen)]
        by_accuracy = [values[acc - 1] for values, (_, acc) in zip(at, chosen)]
        return [label, over_seeds(by_accuracy), over_seeds(by_pa), over_seeds([p - a for p, a in zip(by_pa, by_accuracy)]),
                over_seeds([max(values) for values in at])]

    rows.append(row("none", "accuracy", load(folders, files[0])))
    for file in files:
        rows.append(row(file[len("select-"):-len(".json")],
                        "accuracy_shifted", load(folders, file)))
    table(["shift of the test images", "accuracy, chosen by accuracy", "chosen by PA", "difference", "best epoch"], rows)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folders = sorted(path for path in pathlib.Path(sys.argv[1]).glob("seed*") if (path / "noisy.json").exists())
    for name, labels in (("attacked.json", [f"PGD {eps}/255" for eps in (2, 4, 8, 16)]),
                         ("noisy.json", [f"noise {sigma}" for sigma in (0.1, 0.2, 0.3, 0.4)])):
        print(f"### {name}\n")
        robustness(folders, name, labels)
        decomposition(folders, name, labels)
        sweep(folders, name, labels)
    print("### selection\n")
    selection([folder for folder in folders if list(folder.glob("select-*.json"))])


if __name__ == "__main__":
    main()
