#!/usr/bin/env python3
"""How large a discrepancy the critics of Dis2 reach, beside random neighbours of the classifier and the paper's recipe.

    critics.py measure FOLDER CELLS.csv --leeway PATH --bench PATH [--classes 2,10,...] [--rows 200,...] [--pairs NAME=SOURCE,TARGET ...]
    critics.py draws DRAWS.csv --bench PATH [--jobs 2] [--draws 1000]
    critics.py tables CELLS.csv DRAWS.csv

measure writes a row for each cell as it is done: normal logits of k classes, the true class 2.2 + log(k)/2 above the others, .8 less
on the target, all times 1.3; the same reflected, with 8 columns of noise, as features; and given pairs of outputs files. --bench is
bench/critics_bench. tables needs neither program.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import time

RESTARTS, MOST_RECIPE = 3, 3
REPRESENTATIONS = ["logits", "features", "pca:4"]
CELLS = ["data", "k", "n", "representation", "true_error", "found",
         "agreement", "validity", "bound", "seconds", "neighbours", "recipe", "recipe_agreement", "recipe_seconds", "imitation", "largest"]
DELTAS = ["0.01", "0.05", "0.1", "0.2"]
DRAWS = ["k", "n", "draws", "mean_found", "assumed", "target_error", "estimate_too_low"] + [f"violated@{delta}" for delta in DELTAS]


def made(folder, k, n):
    """Outputs files of a source and a target."""
    import numpy as np
    rng = np.random.default_rng(1000 * k + n)
    axis = rng.standard_normal(k)
    axis /= np.linalg.norm(axis)
    files = []
    for name, lower in (("source", 0.), ("target", .8)):
        labels = rng.integers(k, size=n)
        logits = rng.standard_normal((n, k), dtype=np.float32)
        logits[np.arange(n), labels] += 2.2 + np.log(k) / 2 - lower
        logits *= 1.3
        features = np.hstack([logits - 2 * np.outer(logits @ axis, axis), rng.standard_normal((n, 8))]).astype(np.float32)
        files.append(folder / f"{name}-{k}-{n}.npz")
        np.savez(files[-1], logits=logits, labels=labels, features=features)
    return files


def bound(leeway, source, target, representation, restarts=RESTARTS):
    command = [leeway, "bound", "--source", source, "--target", target, "--methods", "dis2", "--restarts", restarts, "--quiet", "--no-digest", "--json",
               "--representation", representation.replace("pca:", "pca:1/")]
    begun = time.monotonic()
    said = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return json.loads(said.stdout), time.monotonic() - begun


def cell(arguments, name, files, representation, neighbours):
    record, seconds = bound(arguments.leeway, *files, representation)
    k, n = record["source"]["k"], record["source"]["n"]
    d = k // 4 if representation.startswith("pca") else k
    recipe = "0" if n * k * d > arguments.most_recipe else str(MOST_RECIPE)
    beside = json.loads(subprocess.run(
        [arguments.bench, "cell", *map(str, files), representation, str(arguments.largest), recipe] + (["0"] if neighbours is not None else []),
        capture_output=True, text=True, check=True).stdout)
    new = record["dis2"]
    row = {"data": name, "k": k, "n": n, "representation": representation,
           "true_error": record["target"]["error"], "found": new["discrepancy"], "agreement": new["agreement_source"],
           "validity": new["validity_score"], "bound": new["bound"], "seconds": seconds,
           "neighbours": beside["neighbours"] if neighbours is None else neighbours, "recipe": beside.get("recipe"),
           "recipe_agreement": beside.get("recipe_agreement_source"), "recipe_seconds": beside.get("recipe_seconds"),
           "imitation": beside["imitation"]}
    row["largest"] = max(x for x in (row["found"], row["neighbours"], row["recipe"], beside["search"]) if x is not None)
    return {key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()}


def measure(arguments):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cells = [("normal", None, int(k), int(n)) for n in arguments.rows.split(",") if n for k in arguments.classes.split(",") if k]
    cells += [(pair.split("=")[0], pair.split("=")[1].split(","), 0, 0) for pair in arguments.pairs]
    with open(arguments.cells, "a", newline="") as file:
        writer = csv.DictWriter(file, CELLS, lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        for name, files, k, n in cells:
            temporary = files is None
            files = files or made(arguments.folder, k, n)
            neighbours = None
            for representation in REPRESENTATIONS:
                row = cell(arguments, name, files, representation, neighbours if representation == "features" else None)
                neighbours = float(row["neighbours"])  # of features that give the logits back, the same critics
                writer.writerow(row)
                file.flush()
                print(row, flush=True)
            if temporary:
                for path in files:
                    path.unlink()


def draws(arguments):
    each = 50
    jobs = [(k, n, first) for k, n in arguments.cases for first in range(0, arguments.draws, each)]

    def one(job):
        k, n, first = job
        said = subprocess.run([arguments.bench, "draws", str(k), str(n), "1", str(first), str(each)], capture_output=True, text=True, check=True)
        return job, json.loads(said.stdout)

    totals = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (k, n, _), said in pool.map(one, jobs):
            total = totals.setdefault((k, n), {key: 0 for key in DRAWS} | {"k": k, "n": n, "target_error": said["target_error"]})
            total["mean_found"] += said["found"] * said["draws"] / arguments.draws
            for key in ("draws", "assumed", "estimate_too_low"):
                total[key] += said[key]
            for delta, one_level in zip(DELTAS, said["violations"]):
                total[f"violated@{delta}"] += one_level["count"]
            with open(arguments.drawn, "w", newline="") as file:
                writer = csv.DictWriter(file, DRAWS, lineterminator="\n")
                writer.writeheader()
                writer.writerows({key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()} for row in totals.values())


def tables(arguments):
    def share(text):
        return f"{float(text):6.3f}" if text else "     -"

    def seconds(text):
        return f"{float(text):7.2f}" if text else "      -"

    with open(arguments.cells, newline="") as file:
        rows = list(csv.DictReader(file))
    print(f"{'':19}{'k':>5} {'n':>6} {'sees':<9}{'found':>6} {'random':>6} {'recipe':>6} {'known':>6}  {'agrees':>6} {'bound':>6} {'error':>6}"
          f"  {'search':>7} {'recipe':>7}")
    for row in rows:
        print(f"{row['data']:19}{row['k']:>5} {row['n']:>6} {row['representation']:<9}" +
              " ".join(share(row[key]) for key in ("found", "neighbours", "recipe", "largest")) + "  " +
              " ".join(share(row[key]) for key in ("agreement", "bound", "true_error")) + "  " +
              " ".join(seconds(row[key]) for key in ("seconds", "recipe_seconds")))
    below = [row for row in rows if float(row["found"]) < float(row["neighbours"])]
    low = [row for row in rows if float(row["bound"]) < float(row["true_error"])]
    print(f"{len(rows)} cells. Below the best of 100 random neighbours: {len(below)}. Bounds below the true error: {len(low)}.")
    with open(arguments.drawn, newline="") as file:
        rows = list(csv.DictReader(file))
    print(f"\n{'k':>5} {'n':>6} {'draws':>6} {'holds':>6} {'found':>6}  violations at delta " + " ".join(f"{delta:>6}" for delta in DELTAS))
    for row in rows:
        print(f"{row['k']:>5} {row['n']:>6} {row['draws']:>6} {row['assumed']:>6} {share(row['mean_found'])}  {'':19} " +
              " ".join(f"{row[f'violated@{delta}']:>6}" for delta in DELTAS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("folder", type=pathlib.Path)
    one.add_argument("cells")
    one.add_argument("--leeway", default="leeway")
    one.add_argument("--bench", default="critics_bench")
    one.add_argument("--classes", default="2,10,30,100,300,1000")
    one.add_argument("--rows", default="200,2000,20000")
    one.add_argument("--largest", type=int, default=12)
    one.add_argument("--most-recipe", type=float, default=3e9, help="rows times classes times columns beyond which the recipe is left out")
    one.add_argument("--pairs", nargs="*", default=[])
    one.set_defaults(run=measure)
    one = commands.add_parser("draws")
    one.add_argument("drawn")
    one.add_argument("--bench", default="critics_bench")
    one.add_argument("--jobs", type=int, default=2)
    one.add_argument("--draws", type=int, default=1000)
    one.add_argument("--cases", type=lambda text: [tuple(map(int, case.split("x"))) for case in text.split(",")],
                     default=[(2, 200), (10, 200), (100, 200), (10, 2000), (100, 2000)])
    one.set_defaults(run=draws)
    one = commands.add_parser("tables")
    one.add_argument("cells")
    one.add_argument("drawn")
    one.set_defaults(run=tables)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
