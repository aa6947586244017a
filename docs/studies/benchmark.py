#!/usr/bin/env python3
"""Runs the study of docs/studies/benchmark.md as two sweeps of the leeway command: the learning rates on one seed, then five seeds
at the rate that validation chose.

    benchmark.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 2] [--minutes M]

Everything goes to FOLDER/SET; what is done is kept, so a run that was stopped goes on. The last step writes FOLDER/benchmark.csv from the units
that are done, which benchmark_tables.py reads. With --minutes no unit is begun after that time.
"""
import itertools
import json
import math
import subprocess
import time

from study_script import arguments_of, begun, write_rows

# Training images a cell by the shifts there are, so that every case has 960 to 1,080 of the 3D scene.
CASES = {(): 4, ("sc",): 16, ("ldd",): 5, ("uds",): 5, ("sc", "ldd"): 19, ("sc", "uds"): 21, ("ldd", "uds"): 7, ("sc", "ldd", "uds"): 26}
ATTRIBUTES = {"sc": "obj_color", "ldd": "bg_color", "uds": "scale"}
RATES = ["0.01", "0.001", "0.0001"]
AUGMENTATIONS = ["imagenet", "augmix", "randaugment", "autoaugment-cifar10"]
ALGORITHMS = ["erm", "reweight", "resample", "augmix-jsd", "gradient-norm", "pgd", "ubnet", "pnd", "occamnets", "bpa", "group-dro", "ada", "me-ada",
              "sagnet", "l2d", "irm", "coral", "mmd", "causirl-coral", "causirl-mmd", "mixup", "lisa", "dann", "cdan", "fixmatch"]
STEPS, CHECK, BATCH, SIZE, IMAGES = 400, 100, 32, 32, 20000


def methods():
    """Algorithm and augmentation."""
    return [(algorithm, "") for algorithm in ALGORITHMS] + [("erm", augmentation) for augmentation in AUGMENTATIONS]


def conditions(case):
    given = [f"draw.{shift}={attribute if shift in case else ''}" for shift, attribute in ATTRIBUTES.items()]
    return [*given, f"draw.train={CASES[case]}"]


def quoted(values):
    return "[" + ", ".join(json.dumps(value) for value in values) + "]"


def study(seeds, rules):
    """The sweep's file. Stages: pictures and their table, unlabelled pictures, the rows of a case, training, test."""
    rules = ",\n".join("  " + json.dumps(", ".join(rule)) for rule in rules)
    shifts = "\n".join(f'{shift} = ["", "{attribute}"]' for shift, attribute in ATTRIBUTES.items())
    return f"""[study]
only = [
{rules}
]
exclude = ["train.algorithm!=erm, train.augment!="]

[images]
command = "data render"
name = "shapes3d"
protocol = true
sample = {IMAGES}
size = {SIZE}
seed = {list(seeds)}
out = "images.npz"
attributes = "table.csv"

[target]
command = "data render"
name = "shapes3d"
protocol = true
sample = 1000
size = {SIZE}
seed = "1{{images.seed}}"
out = "target.npz"

[draw]
command = "conds draw"
attributes = "{{images.attributes}}"
dataset = "shapes3d"
{shifts}
train = {sorted(set(CASES.values()))}
val = 6
seed = "{{images.seed}}"
out = "split.csv"

[train]
data = "{{images}}"
index = "{{draw}}"
attributes = "{{images.attributes}}"
group-column = "obj_color"
environment-column = "obj_color"
unlabelled = "{{target}}"
algorithm = {quoted(ALGORITHMS)}
augment = {quoted(["", *AUGMENTATIONS])}
lr = {quoted(RATES)}
arch = "small-cnn"
steps = {STEPS}
check-every = {CHECK}
batch = {BATCH}
patience = 0
seed = "{{images.seed}}"
out = "weights.safetensors"

[test]
command = "infer"
model = "{{train}}"
data = "{{images}}"
index = "{{draw}}"
split = "test"
out = "outputs.npz"
"""


class Benchmark:
    def __init__(self, folder, leeway):
        self.folder, self.leeway = folder, leeway
        self.sweep = folder / "sweep"
        self.end = math.inf

    def run(self, name, text, jobs):
        """Plans and runs; True where all units are done."""
        file = self.folder / f"{name}.toml"
        file.write_text(text)
        subprocess.run([self.leeway, "sweep", "plan", file, "--out", self.sweep, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        left = self.end - time.monotonic()
        if left <= 0:
            return False
        command = [self.leeway, "sweep", "run", self.sweep, "--jobs", str(jobs), "--quiet"]
        process = subprocess.Popen(command)
        try:
            return process.wait(None if math.isinf(left) else left) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(2)
            process.wait()
            return False

    def record(self, unit):
        path = self.sweep / "units" / unit[:2] / unit / "record.json"
        return json.loads(path.read_text())["results"][0] if path.exists() else None

    def rows(self):
        """A row for each training whose test is done."""
        units = [json.loads(line) for line in (self.sweep / "plan.jsonl").read_text().splitlines()[1:]]
        rows = []
        for unit in units:
            if unit["stage"] != "test" or not (test := self.record(unit["unit"])):
                continue
            train = next(training for need in unit["needs"] if "best_epoch" in (training := self.record(need)))
            kept, axes = train["epochs"][train["best_epoch"] - 1], unit["axes"]
            rows.append({"shifts": "+".join(shift.upper() for shift in ATTRIBUTES if axes[f"draw.{shift}"]) or "UNIFORM",
                         "algorithm": axes["train.algorithm"], "augment": axes["train.augment"], "lr": axes["train.lr"],
                         "seed": axes.get("images.seed", "0"), "n_train": train["n_train"], "best_check": train["best_epoch"],
                         "validation": f"{kept['validation_accuracy']:.5f}", "validation_worst_group": f"{kept['validation_worst_group_accuracy']:.5f}",
                         "n_test": test["n"], "test": f"{test['accuracy']:.5f}"})
        return rows


def best_rates(rows):
    """Method and shifts -> the rate with the best validation accuracy on seed 0; the larger one of equals."""
    chosen = {}
    for row in sorted((row for row in rows if row["seed"] == "0"), key=lambda row: -float(row["lr"])):
        key = row["algorithm"], row["augment"], row["shifts"]
        if key not in chosen or float(row["validation"]) > float(chosen[key]["validation"]):
            chosen[key] = row
    return {key: row["lr"] for key, row in chosen.items()}


def main():
    parser = arguments_of(__doc__, jobs=2)
    parser.add_argument("--minutes", type=float)
    benchmark, arguments = begun(Benchmark, parser)
    if arguments.minutes:
        benchmark.end = time.monotonic() + 60 * arguments.minutes
    whole = benchmark.run("grid", study([0], map(conditions, CASES)), arguments.jobs)
    if whole:
        rates = best_rates(benchmark.rows())
        rules = [["images.seed=0", *conditions(case)] for case in CASES]
        for case, (algorithm, augment) in itertools.product(CASES, methods()):
            name = "+".join(case).upper() or "UNIFORM"
            rules.append([*conditions(case), f"train.algorithm={algorithm}", f"train.augment={augment}", f"train.lr={rates[algorithm, augment, name]}"])
        benchmark.run("seeds", study(range(arguments.seeds), rules), arguments.jobs)
    write_rows(benchmark.folder / "benchmark.csv", benchmark.rows())


if __name__ == "__main__":
    main()
