#!/usr/bin/env python3
"""Runs the study of docs/studies/benchmark.md as sweeps of the leeway command: the learning rates on one seed, five seeds at the rate
that validation chose, variants of some methods at the same rate.

    benchmark.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 2] [--minutes M]

Everything goes to FOLDER/SET; what is done is kept, so a run that was stopped goes on. The last step writes FOLDER/benchmark.csv from the units
that are done, which benchmark_tables.py reads. With --minutes no unit is begun after that time.
"""
import itertools
import json
import math
import subprocess
import time

from study_script import arguments_of, begun, tests_done, write_rows

# Training images a cell by the shifts there are, so that every case has 960 to 1,080 of the 3D scene.
CASES = {(): 4, ("sc",): 16, ("ldd",): 5, ("uds",): 5, ("sc", "ldd"): 19, ("sc", "uds"): 21, ("ldd", "uds"): 7, ("sc", "ldd", "uds"): 26}
ATTRIBUTES = {"sc": "obj_color", "ldd": "bg_color", "uds": "scale"}
RATES = ["0.01", "0.001", "0.0001"]
AUGMENTATIONS = ["imagenet", "augmix", "randaugment", "autoaugment-cifar10"]
ALGORITHMS = ["erm", "reweight", "resample", "augmix-jsd", "gradient-norm", "pgd", "ubnet", "bpa", "group-dro", "ada", "me-ada",
              "irm", "coral", "mmd", "causirl-coral", "causirl-mmd", "mixup", "lisa", "dann", "cdan", "fixmatch"]
BEST = ["erm", "lisa", "group-dro", "augmix-jsd"]  # plain training and the three best over the eight cases, for all assignments
EVERYWHERE = "0.001"  # their learning rate there
LAST = ["erm", "l2d"]  # whose training takes eight times as long as a plain one
SLOWEST, FEW = ["erm", "pnd"], [(), ("sc",), ("ldd",), ("uds",), ("sc", "ldd", "uds")]  # eighty times: some cases, at one rate
# Beside the method of that name, at its learning rate: a parameter. Those of one environment see all images as one.
VARIANTS = [("bpa", "reference-weights=1"), ("irm", "anneal-steps=100")]
ONE_ENVIRONMENT = [(name, "single-environment=1") for name in ("irm", "causirl-coral", "causirl-mmd")]
NORMALIZED = ["erm", "sagnet"]  # on small-cnn-bn: SagNet asks for batch normalization
# A parameter without which small networks are refused; a first stage no longer than the second.
STAGE = {"sagnet": "stage=1", "pnd": "base-epochs=13"}
STEPS, CHECK, BATCH, SIZE, IMAGES = 400, 100, 32, 32, 20000


def methods(algorithms):
    """Algorithm and augmentation."""
    return [(algorithm, "") for algorithm in algorithms] + [("erm", augmentation) for augmentation in AUGMENTATIONS if algorithms is ALGORITHMS]


def conditions(case):
    given = [f"draw.{shift}={attribute if shift in case else ''}" for shift, attribute in ATTRIBUTES.items()]
    return [*given, f"draw.train={CASES[case]}"]


def assignments():
    """All ways of giving different attributes to the shifts of a case: shift -> attribute."""
    for case in CASES:
        for attributes in itertools.permutations(ATTRIBUTES.values(), len(case)):
            yield dict(zip(case, attributes))


def quoted(values):
    return "[" + ", ".join(json.dumps(value) for value in values) + "]"


def line(key, values):
    """Of the sweep's file: an axis of several values; one value, which is none; nothing for an empty one."""
    values = list(values)
    return "" if values == [""] else f"{key} = {quoted(values) if len(values) > 1 else json.dumps(values[0])}\n"


def study(seeds, rules, algorithms, settings=("",), shifted=ATTRIBUTES, groups=("obj_color",), environments=("obj_color",),
          attributes="{images.attributes}", rates=RATES, arch="small-cnn"):
    """The sweep's file. Stages: pictures and their table, unlabelled pictures, the rows of a case, training, test. `shifted`: of each shift
    the attribute that it may be of, or several."""
    settings = list(dict.fromkeys([*settings, *(STAGE[algorithm] for algorithm in algorithms if algorithm in STAGE)]))
    excluded = ["train.algorithm!=erm, train.augment!="] if algorithms is ALGORITHMS else []
    for algorithm, setting in STAGE.items():
        if algorithm in algorithms:
            excluded += [f"train.algorithm={algorithm}, train.set!={setting}", f"train.algorithm!={algorithm}, train.set={setting}"]
    rules = ",\n".join("  " + json.dumps(", ".join(rule)) for rule in rules)
    shifts = "".join(line(shift, ["", of] if isinstance(of, str) else ["", *of]) for shift, of in shifted.items())
    train = (line("group-column", groups) + line("environment-column", environments) + line("algorithm", algorithms) +
             line("augment", ["", *AUGMENTATIONS] if algorithms is ALGORITHMS else [""]) + line("set", settings) + line("lr", rates))
    return f"""[study]
only = [
{rules}
]
exclude = {quoted(excluded)}

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
{shifts}train = {sorted(set(CASES.values()))}
val = 6
seed = "{{images.seed}}"
out = "split.csv"

[train]
data = "{{images}}"
index = "{{draw}}"
attributes = "{attributes}"
unlabelled = "{{target}}"
{train}arch = "{arch}"
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


def every_assignment(seeds):
    """The sweep of BEST on all assignments. Groups and environments are the values of the first shifted attribute."""
    rules = []
    for assignment in assignments():
        told = next(iter(assignment.values()), "obj_color")
        rules.append([*(f"draw.{shift}={assignment.get(shift, '')}" for shift in ATTRIBUTES), f"draw.train={CASES[tuple(assignment)]}",
                      f"train.group-column={told}", f"train.environment-column={told}"])
    columns = list(ATTRIBUTES.values())
    return study(seeds, rules, BEST, shifted=dict.fromkeys(ATTRIBUTES, columns), groups=columns, environments=columns, rates=[EVERYWHERE])


class Benchmark:
    def __init__(self, folder, leeway):
        self.folder, self.leeway = folder, leeway
        self.sweep = folder / "sweep"
        self.end = math.inf
        self.rows = {}  # by the unit of the test

    def run(self, name, text, jobs, arch, variant=""):
        """Plans, runs and keeps the rows of what is done; True where all units are."""
        try:
            return self.run_units(name, text, jobs)
        finally:
            self.collect(arch, variant)

    def run_units(self, name, text, jobs):
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

    def collect(self, arch, variant=""):
        """A row for each training of the plan whose test is done."""
        for unit, axes, train, test in tests_done(self.sweep):
            kept = train["epochs"][train["best_epoch"] - 1]
            algorithm, setting = axes["train.algorithm"], axes.get("train.set", variant)
            self.rows[unit] = {
                "shifts": "+".join(shift.upper() for shift in ATTRIBUTES if axes[f"draw.{shift}"]) or "UNIFORM",
                "attributes": "+".join(axes[f"draw.{shift}"] for shift in ATTRIBUTES if axes[f"draw.{shift}"]),
                "groups": axes.get("train.group-column", "obj_color"), "algorithm": algorithm, "augment": axes.get("train.augment", ""),
                "variant": "" if setting == STAGE.get(algorithm) else setting, "arch": arch, "lr": axes.get("train.lr", EVERYWHERE), "seed": axes.get("images.seed", "0"), "n_train": train["n_train"], "best_check": train["best_epoch"],
                "validation": f"{kept['validation_accuracy']:.5f}", "validation_worst_group": f"{kept['validation_worst_group_accuracy']:.5f}",
                "n_test": test["n"], "test": f"{test['accuracy']:.5f}"}

    def tables(self, seeds):
        """Of each seed the images' table with a column that is the same everywhere; their names, with the seed to be filled in."""
        (self.folder / "tables").mkdir(exist_ok=True)
        for unit in [json.loads(line) for line in (self.sweep / "plan.jsonl").read_text().splitlines()[1:]]:
            if unit["stage"] == "images":
                lines = (self.sweep / "units" / unit["unit"][:2] / unit["unit"] / "table.csv").read_text().splitlines()
                text = "\n".join([lines[0] + ",everything", *(line + ",one" for line in lines[1:])]) + "\n"
                (self.folder / "tables" / f"{unit['axes'].get('images.seed', seeds[0])}.csv").write_text(text)
        return str(self.folder / "tables" / "{images.seed}.csv")

    def write(self):
        write_rows(self.folder / "benchmark.csv", self.rows.values())


def best_rates(rows, arch):
    """Method and shifts -> the rate with the best validation accuracy on seed 0; the larger one of equals. Of the main assignment."""
    chosen = {}
    main = {"+".join(case).upper() or "UNIFORM": "+".join(ATTRIBUTES[shift] for shift in case) for case in CASES}
    of_seed = [row for row in rows if row["seed"] == "0" and not row["variant"] and row["arch"] == arch and row["attributes"] == main[row["shifts"]]]
    for row in sorted(of_seed, key=lambda row: -float(row["lr"])):
        key = row["algorithm"], row["augment"], row["shifts"]
        if key not in chosen or float(row["validation"]) > float(chosen[key]["validation"]):
            chosen[key] = row
    return {key: row["lr"] for key, row in chosen.items()}


def chosen(algorithms, rates, variants=()):
    """A rule for each case and method, at its rate; with `variants`, for each of them."""
    rules = []
    for case, (algorithm, augment) in itertools.product(CASES, methods(algorithms)):
        name = "+".join(case).upper() or "UNIFORM"
        rule = [*conditions(case), f"train.algorithm={algorithm}", f"train.lr={rates[algorithm, augment, name]}"]
        if algorithms is ALGORITHMS:
            rule.append(f"train.augment={augment}")
        if not variants:
            rules.append(rule)
        rules += [[*rule, f"train.set={setting}"] if len({one for _, one in variants}) > 1 else rule
                  for of, setting in variants if (of, "") == (algorithm, augment)]
    return rules


def main():
    parser = arguments_of(__doc__, jobs=2)
    parser.add_argument("--minutes", type=float)
    benchmark, arguments = begun(Benchmark, parser)
    if arguments.minutes:
        benchmark.end = time.monotonic() + 60 * arguments.minutes
    seeds = range(arguments.seeds)

    def run(name, text, arch, variant=""):
        return benchmark.run(name, text, arguments.jobs, arch, variant)

    def varied(variants, rates, **given):
        names = [name for name, _ in variants]
        settings = list(dict.fromkeys(setting for _, setting in variants))
        return run("variants", study(seeds, chosen(names, rates, variants), names, settings, **given), "small-cnn", variants[0][1])

    def searched(algorithms, arch):
        """The grid, then all seeds at its rates."""
        if not run("grid", study([0], map(conditions, CASES), algorithms, arch=arch), arch):
            return None
        rates = best_rates(benchmark.rows.values(), arch)
        return rates if run("seeds", study(seeds, chosen(algorithms, rates), algorithms, arch=arch), arch) else None

    rates = searched(ALGORITHMS, "small-cnn")
    if rates and varied(VARIANTS, rates):
        tables = benchmark.tables(seeds)
        if (varied(ONE_ENVIRONMENT, rates, environments=["everything"], attributes=tables) and
                run("assignments", every_assignment(seeds), "small-cnn") and searched(NORMALIZED, "small-cnn-bn")):
            benchmark.write()  # the last ones take long
            if searched(LAST, "small-cnn"):
                benchmark.write()
                if run("slowest", study(seeds, map(conditions, FEW), SLOWEST, rates=[EVERYWHERE]), "small-cnn"):
                    benchmark.write()
                    searched(SLOWEST, "small-cnn")  # begun: the grid, and two seeds at its choice
    benchmark.write()


if __name__ == "__main__":
    main()
