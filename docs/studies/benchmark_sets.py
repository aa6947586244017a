#!/usr/bin/env python3
"""Runs the study of docs/studies/benchmark-sets.md: the benchmark's shifts on other images and networks, as sweeps of the leeway command.

    benchmark_sets.py FOLDER --digits IDX.GZ --scenes NPZ --weights WEIGHTS [--leeway PATH] [--seeds 5] [--jobs 2]

IDX.GZ are MNIST's training images, NPZ CIFAR-10's test images (x, y), WEIGHTS those of resnet20-cifar trained on CIFAR-10; without
them their parts are left out. Everything goes to FOLDER; what is done is kept, so a run that was stopped goes on. After every sweep
FOLDER/benchmark-sets.csv has the trainings that are done, which benchmark_sets_tables.py reads.
"""
import csv
import dataclasses
import gzip
import json
import subprocess

import numpy

from benchmark import ALGORITHMS, AUGMENTATIONS, CASES, RATES, line
from study_script import arguments_of, begun, tests_done, write_rows

MIDDLE = ",".join(f"{place / 31:.6g}" for place in range(14, 18))  # of dSprites' 32 places
SIZE, IMAGES, UNLABELLED = 32, 30000, 1000
STEPS, CHECK, BATCH = 400, 100, 64
LARGER = 3  # times the protocol's training images
PROTOCOL = dict(zip(CASES, (13, 40, 18, 20, 54, 60, 27, 81)))  # training images a cell


@dataclasses.dataclass
class Images:
    label: str
    shifts: dict  # of each shift its attribute
    orders: dict  # of an attribute its values, the last is the rare or unseen one
    mean: str = ""
    std: str = ""
    dataset: str = ""


SETS = {
    "dsprites": Images("shape", {"sc": "obj_color", "ldd": "bg_color", "uds": "scale"}, {}, "0.5,0.5,0.5", "0.25,0.25,0.25", "dsprites"),
    "digits": Images("digit", {"sc": "hue", "ldd": "lightness", "uds": "scale"},
                     {"hue": "red,green,blue", "lightness": "darker,dark,brighter", "scale": "small,normal,large"},
                     "0.496,0.496,0.496", "0.0293,0.0293,0.0293"),
    "composites": Images("garment", {"sc": "scene", "ldd": "tint", "uds": "size"},
                         {"scene": "sky,water,land", "tint": "red,green,blue", "size": "small,middle,big"}, "0.5,0.5,0.5", "0.25,0.25,0.25"),
}
GARMENTS = {"top": 0, "dress": 3, "coat": 4}  # of Fashion-MNIST
SCENES = {"sky": 0, "water": 8, "land": 4}  # of CIFAR-10: aeroplanes, ships, deer
TINTS = {"red": (1, .3, .3), "green": (.3, 1, .3), "blue": (.3, .3, 1)}
PIXELS = {"small": 16, "middle": 20, "big": 26}
FASHION = "/usr/share/datasets/fashion-mnist/train-%s-idx%d-ubyte.gz"
BEST = ["erm", "lisa", "group-dro", "augmix-jsd", "resample", "mixup"]
SLOW = ["l2d", "pgd"]  # take several times as long as plain training
REST = [name for name in ALGORITHMS if name not in [*BEST, *SLOW]]
SLOWEST = "pnd"  # fifty times
STAGE = {"sagnet": "stage=1", "pnd": "base-epochs=8"}  # without which the network is refused; a first stage no longer than the second
NORMALIZED = ["erm", "group-dro", "irm", "bpa", "ada", "causirl-coral"]  # with batch statistics and with frozen ones
FEW = [(), ("sc",), ("ldd",), ("uds",), ("sc", "ldd", "uds")]  # for the networks that take long
RATE = "0.001"
SHIFT = "gaussian-noise:0.1"  # of posterior agreement, where the choice of the epoch is looked at


def idx(path, head):
    with gzip.open(path) as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=head)


def averaging(size, pixels):
    """The matrix that averages `size` pixels over `pixels` larger ones, or spreads them."""
    edges = numpy.linspace(0, size, pixels + 1)
    low, high = numpy.maximum.outer(edges[:-1], numpy.arange(size)), numpy.minimum.outer(edges[1:], numpy.arange(1, size + 1))
    weights = numpy.clip(high - low, 0, None)
    return weights / weights.sum(1, keepdims=True)


def composites(scenes, seed, count):
    """Garments of Fashion-MNIST, tinted, of three sizes, somewhere on a picture of CIFAR-10: pixels, labels and the rows of their table."""
    generator = numpy.random.default_rng([seed, count])
    garments, labels = idx(FASHION % ("images", 3), 16).reshape(-1, 28, 28), idx(FASHION % ("labels", 1), 8)
    matrices = {size: averaging(28, pixels) for size, pixels in PIXELS.items()}
    with numpy.load(scenes) as data:
        x, y = data["x"], data["y"]
    of_garment = {name: numpy.flatnonzero(labels == number) for name, number in GARMENTS.items()}
    of_scene = {name: numpy.flatnonzero(y == number) for name, number in SCENES.items()}
    out, classes, rows = numpy.empty((count, 3, SIZE, SIZE), numpy.uint8), numpy.empty(count, numpy.int64), []
    for i in range(count):
        row = [list(names)[generator.integers(len(names))] for names in (GARMENTS, SCENES, TINTS, PIXELS)]
        garment, scene, tint, size = row
        grey = garments[generator.choice(of_garment[garment])] / 255
        grey = matrices[size] @ grey @ matrices[size].T
        top, left = generator.integers(0, SIZE - PIXELS[size] + 1, 2)
        ground = x[generator.choice(of_scene[scene])] / 255
        opaque = numpy.clip(4 * grey, 0, 1)
        place = ground[:, top:top + PIXELS[size], left:left + PIXELS[size]]
        place[:] = opaque * grey * numpy.array(TINTS[tint])[:, None, None] + (1 - opaque) * place
        out[i], classes[i] = numpy.rint(255 * ground), list(GARMENTS).index(garment)
        rows.append(row)
    return out, classes, rows


def conditions(case, shifts):
    return [*(f"draw.{shift}={attribute if shift in case else ''}" for shift, attribute in shifts.items()), f"draw.train={LARGER * PROTOCOL[case]}"]


class Sets:
    def __init__(self, folder, leeway):
        self.folder, self.leeway = folder, leeway
        self.rows = {}

    def leeway_run(self, *command):
        subprocess.run([self.leeway, *map(str, command), "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def images(self, name, seed, arguments):
        """Images, their table, and unlabelled ones."""
        home = self.folder / name / str(seed)
        if (home / "target.npz").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        for file, count, drawn in (("images.npz", IMAGES, seed), ("target.npz", UNLABELLED, 100 + seed)):
            table = home / file.replace("npz", "csv")
            if name == "dsprites":
                self.leeway_run("data", "render", "dsprites", "--protocol", "--only", f"pos_x={MIDDLE}", "--only", f"pos_y={MIDDLE}", "--sample", count,
                                "--size", SIZE, "--seed", drawn, "--out", home / file, "--attributes", table)
            elif name == "digits":
                self.leeway_run("data", "diagvib", "--digits", arguments.digits, "--environment", "zso", "--factors", "position=centre", "--n", count,
                                "--size", SIZE, "--seed", drawn, "--out", home / file, "--attributes", table)
            else:
                x, y, rows = composites(arguments.scenes, drawn, count)
                with open(table, "w", newline="") as out:
                    csv.writer(out, lineterminator="\n").writerows([["garment", "scene", "tint", "size"], *rows])
                numpy.savez(home / file, x=x, y=y)

    def study(self, name, seeds, cases, algorithms, arch="small-cnn", batchnorm="", start="", measured=False, batch=BATCH,
              augment=("",), rates=(RATE,), chosen=()):
        images = SETS[name]
        home = f"{self.folder.resolve()}/{name}/{{draw.seed}}"
        tables = [f"{self.folder.resolve()}/{name}/{seed}/images.csv" for seed in seeds]
        of_seeds = [[f"draw.seed={seed}", f"draw.attributes={table}"] if len(tables) > 1 else [] for seed, table in zip(seeds, tables)]
        rules = [", ".join([*conditions(case, images.shifts), *of_seed, *of_method])
                 for case, of_method in (chosen or ((case, ()) for case in cases)) for of_seed in of_seeds]
        rules = ",\n".join("  " + json.dumps(rule) for rule in rules)
        shifts = "".join(f'{shift} = ["", "{attribute}"]\n' for shift, attribute in images.shifts.items())
        columns = "".join(f'order.{column} = "{values}"\n' for column, values in images.orders.items())
        drawn = f'dataset = "{images.dataset}"\n' if images.dataset else f'label = "{images.label}"\ncolumns = "{",".join(images.shifts.values())}"\n{columns}'
        settings = [STAGE[algorithm] for algorithm in algorithms if algorithm in STAGE]
        excluded = [f"train.algorithm{one}{algorithm}, train.set{other}{setting}" for algorithm, setting in STAGE.items() if algorithm in algorithms
                    for one, other in (("=", "!="), ("!=", "="))] if len(algorithms) > 1 else []
        tested = f'test-rows = true\nselect-shift = "{SHIFT}"\n' if measured else ""
        given = line("algorithm", algorithms) + line("augment", augment) + line("batchnorm", [batchnorm]) + line("start", [start]) + line("set", [*([""] if len(algorithms) > 1 else []), *settings] or [""])
        return f"""[study]
only = [
{rules}
]
exclude = {json.dumps(excluded)}

[draw]
command = "conds draw"
{line("attributes", tables)}{drawn}{shifts}train = {[LARGER * PROTOCOL[case] for case in cases]}
seed = {list(seeds)}
out = "split.csv"

[train]
data = "{home}/images.npz"
index = "{{draw}}"
attributes = "{home}/images.csv"
unlabelled = "{home}/target.npz"
group-column = "{images.shifts['sc']}"
environment-column = "{images.shifts['sc']}"
mean = "{images.mean}"
std = "{images.std}"
{given}{tested}{line("lr", rates)}arch = "{arch}"
steps = {STEPS}
check-every = {CHECK}
batch = {batch}
patience = 0
seed = "{{draw.seed}}"
out = "weights.safetensors"

[test]
command = "infer"
model = "{{train}}"
data = "{home}/images.npz"
index = "{{draw}}"
split = "test"
out = "outputs.npz"
"""

    def searched(self, name, jobs, seeds, cases=CASES, **options):
        """All rates on the first seed, then all seeds at the rate of each method and case that has the best validation accuracy there,
        the larger one of equals."""
        self.run(name, jobs, seeds=seeds[:1], cases=cases, rates=RATES, **options)
        best = {}
        for row in self.grid(name, str(seeds[0]), **options):
            key = row["algorithm"], row["augment"], row["shifts"]
            if key not in best or float(row["validation"]) > float(best[key]["validation"]):
                best[key] = row
        axis, of = ("augment", 1) if len(options.get("augment", [""])) > 1 else ("algorithm", 0)
        rules = [(case, (f"train.{axis}={key[of]}", f"train.lr={row['lr']}")) for case in cases for key, row in best.items()
                 if key[2] == ("+".join(case).upper() or "UNIFORM")]
        self.run(name, jobs, seeds=seeds, cases=cases, rates=RATES, chosen=rules, **options)

    def grid(self, name, seed, algorithms, arch="small-cnn", augment=("",), **_):
        """Rows of these methods on one seed, the largest rate first."""
        rows = [row for row in self.rows.values() if (row["set"], row["seed"], row["arch"], row["batchnorm"], row["pretrained"]) == (name, seed, arch, "", "")
                and row["algorithm"] in algorithms and row["augment"] in augment and "test_by_oracle" not in row]
        return sorted(rows, key=lambda row: -float(row["lr"]))

    def run(self, name, jobs, **options):
        """Plans, runs and keeps the rows of what is done."""
        sweep, file = self.folder / name / "sweep", self.folder / name / "study.toml"
        file.write_text(self.study(name, **options))
        self.leeway_run("sweep", "plan", file, "--out", sweep)
        try:
            subprocess.run([self.leeway, "sweep", "run", sweep, "--jobs", str(jobs), "--quiet"], check=True)
        finally:
            self.collect(name, sweep, options)

    def collect(self, name, sweep, options):
        for unit, axes, train, test in tests_done(sweep):
            kept = train["epochs"][train["best_epoch"] - 1]
            self.rows[unit] = {
                "set": name, "shifts": "+".join(shift.upper() for shift in SETS[name].shifts if axes[f"draw.{shift}"]) or "UNIFORM",
                "algorithm": axes.get("train.algorithm", options["algorithms"][0]), "augment": axes.get("train.augment", options.get("augment", [""])[0]), "arch": options.get("arch", "small-cnn"),
                "batchnorm": options.get("batchnorm", ""), "pretrained": "yes" if options.get("start") else "", "lr": axes.get("train.lr", options.get("rates", [RATE])[0]), "seed": axes.get("draw.seed", str(options["seeds"][0])), "n_train": train["n_train"], "best_check": train["best_epoch"],
                "validation": f"{kept['validation_accuracy']:.5f}", "validation_worst_group": f"{kept['validation_worst_group_accuracy']:.5f}",
                "n_test": test["n"], "test": f"{test['accuracy']:.5f}"}
            if train.get("n_test"):
                for name_of, best in (("worst_group", "best_by_worst_group"), ("agreement", "best_by_score"), ("oracle", "best_by_test")):
                    self.rows[unit][f"check_by_{name_of}"] = train[best]
                    self.rows[unit][f"test_by_{name_of}"] = f"{train['epochs'][train[best] - 1]['test_accuracy']:.5f}"
        write_rows(self.folder / "benchmark-sets.csv", self.rows.values())


def main():
    parser = arguments_of(__doc__, jobs=2)
    for name in ("digits", "scenes", "weights"):
        parser.add_argument(f"--{name}")
    sets, arguments = begun(Sets, parser)
    seeds, jobs = range(arguments.seeds), arguments.jobs
    names = ["dsprites", *(["digits"] if arguments.digits else []), *(["composites"] if arguments.scenes else [])]
    for name in names:
        for seed in seeds:
            sets.images(name, seed, arguments)
        sets.run(name, jobs, seeds=seeds, cases=CASES, algorithms=BEST)
    # A larger network, with weights of other images and without; with blocks that decide. Each beside plain training.
    for start in ("", arguments.weights) if arguments.weights else ():
        sets.run(names[-1], jobs, seeds=seeds, cases=FEW, algorithms=["erm"], arch="resnet20-cifar", start=start, batch=32)
    sets.run(names[-1], jobs, seeds=seeds, cases=CASES, algorithms=BEST, measured=True)  # what would have chosen another epoch
    for name in names:
        sets.run(name, jobs, seeds=seeds, cases=FEW, algorithms=["erm", "occamnets"], arch="resnet20-cifar", batch=32)
    sets.searched(names[-1], jobs, seeds, cases=FEW, algorithms=["erm", "occamnets"], arch="resnet20-cifar", batch=32)
    for batchnorm in ("", "frozen"):
        sets.run("dsprites", jobs, seeds=seeds, cases=FEW, algorithms=NORMALIZED, arch="small-cnn-bn", batchnorm=batchnorm)
    for name in names:
        sets.run(name, jobs, seeds=seeds, cases=CASES, algorithms=[*REST, *SLOW])
        sets.run(name, jobs, seeds=seeds, cases=CASES, algorithms=["erm"], augment=AUGMENTATIONS)
    for name in names:
        sets.searched(name, jobs, seeds, algorithms=[*BEST, *REST])
        sets.searched(name, jobs, seeds, algorithms=["erm"], augment=AUGMENTATIONS)
        for method in SLOW:
            sets.searched(name, jobs, seeds, algorithms=["erm", method])
        normalized = {"algorithms": ["erm", "sagnet"], "arch": "small-cnn-bn"}
        sets.run(name, jobs, seeds=seeds, cases=CASES, **normalized)
        sets.searched(name, jobs, seeds, **normalized)
    for name in names:
        sets.searched(name, jobs, seeds, cases=FEW, algorithms=["erm", SLOWEST])


if __name__ == "__main__":
    main()
