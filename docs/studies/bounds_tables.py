#!/usr/bin/env python3
"""Figures of docs/studies/bounds.md that leeway bound evaluate does not print, from the tables in data/.

    bounds_tables.py                 prints the comparison with the paper's Table 1
    bounds_tables.py DATA            prints the others
    bounds_tables.py DATA --kinds    prints the 72 shifts as CSV with the kind of shift for the data set, so that leeway bound
                                     evaluate leaves out kinds rather than classifiers
"""
import csv
import pathlib
import sys

from tables import table

DATA = pathlib.Path(__file__).resolve().parent / "data"
# MAE and coverage in the paper; what stands for it here, and from which table.
PAPER = [("AC", ".106, .12", "ac", ""), ("DoC", ".105, .17", "doc", ""), ("ATC, negative entropy", ".067, .30", "atc-ne", ""),
         ("COT", ".069, .26", "cot", ""), ("Dis2, features", ".281, 1.00", "dis2-features", "-features"),
         ("Dis2, logits", ".150, .99", "dis2-logits", ""),
         ("Dis2, logits without the concentration term", ".083, .76", "dis2-logits-estimate", "")]
METHODS = ["ac", "doc", "atc-ne", "cot", "dis2-logits-estimate", "dis2-logits"]


def kind(row):
    name = row["shift"].split(":")[0]
    return "label shift" if name == "imbalance" or name.startswith("label-subset") else name


def scores(rows, method):
    errors = [(float(row[method]), float(row["target_error"])) for row in rows]
    return sum(abs(said - true) for said, true in errors) / len(rows), sum(said >= true for said, true in errors) / len(rows)


def read(folder, name=""):
    with open(folder / f"fashion-mnist-bounds{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def beside_the_paper():
    rows = []
    for words, theirs, method, name in PAPER:
        mae, coverage = scores(read(DATA, name), method)
        rows.append([words, theirs, f"{mae:.3f}, {coverage:.2f}".replace("0.", ".") + (" (two networks)" if name else "")])
    table(["", "paper", "here, 72 shifts"], rows)


def main():
    if len(sys.argv) > 3:
        raise SystemExit(__doc__)
    if len(sys.argv) == 1:
        beside_the_paper()
        return
    rows = read(pathlib.Path(sys.argv[1]))
    if len(sys.argv) == 3:
        writer = csv.DictWriter(sys.stdout, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "data_set": kind(row), "shift": f"{row['data_set']} {row['shift']}"} for row in rows)
        return
    bounds = [float(row["dis2-logits"]) for row in rows]
    print(f"{len(rows)} bounds: {sum(bound >= 1 for bound in bounds)} are 1, {sum(bound >= .9 for bound in bounds)} at least .9")
    print(f"\n{'MAE and coverage':24}{'all':>14}{'label shifts':>14}{'all others':>14}")
    parts = [rows, [row for row in rows if kind(row) == "label shift"], [row for row in rows if kind(row) != "label shift"]]
    for method in METHODS:
        print(f"{method:24}" + "".join(f"{mae:>8.3f} {coverage:.3f}" for mae, coverage in (scores(part, method) for part in parts)))
    print("\nBelow the true error without the concentration term:")
    for row in rows:
        if float(row["dis2-logits-estimate"]) < float(row["target_error"]):
            print(f"{row['data_set']:8}{row['shift']:22}error {float(row['target_error']):.3f}  estimate {float(row['dis2-logits-estimate']):.3f}"
                  f"  bound {float(row['dis2-logits']):.3f}")


if __name__ == "__main__":
    main()
