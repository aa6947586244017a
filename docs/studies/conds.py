#!/usr/bin/env python3
"""Runs the study of docs/studies/conds.md: draws, shifts, trains and measures with the leeway command alone.

    conds.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 2]

Everything goes to FOLDER; what stands there whole is not made again, so a run that was stopped goes on. Each command runs
with one thread (training's bits depend on their number); --jobs runs so many at a time. conds_tables.py reads what is left.
"""
import concurrent.futures
import dataclasses
import itertools
import json
import math
import pathlib

from fashion_mnist import Study
from study_script import arguments_of, begun

ATTRIBUTES = ["obj_color", "bg_color", "scale"]
SHIFTS = ["sc", "ldd", "uds"]
STEPS, PATIENCE, BATCH = 2000, 400, 128  # PATIENCE in steps, too

# The four places in the middle of dSprites' 32.
MIDDLE = ",".join(f"{place / 31:.6g}" for place in range(14, 18))


@dataclasses.dataclass
class Set:
    drawn: str
    only: tuple = ()
    counts: dict = None  # training samples a cell by the shifts there are; none: the protocol's


SETS = {
    "dsprites": Set("dsprites"),
    "dsprites-middle": Set("dsprites", ("--only", f"pos_x={MIDDLE}", "--only", f"pos_y={MIDDLE}")),
    "shapes3d": Set("shapes3d"),
    "shapes3d-1000": Set("shapes3d", counts={(): 4, ("sc",): 16, ("ldd",): 5, ("uds",): 5, ("sc", "ldd"): 19, ("sc", "uds"): 21,
                                             ("ldd", "uds"): 7, ("sc", "ldd", "uds"): 26}),
}


def cases():
    """Uniform, then every choice of shifts on attributes of their own: 1 + 33."""
    for count in range(4):
        for shifts in itertools.combinations(SHIFTS, count):
            for attributes in itertools.permutations(ATTRIBUTES, count):
                yield dict(zip(shifts, attributes))


def name_of(case):
    return "+".join(f"{shift}-{attribute}" for shift, attribute in case.items()) or "uniform"


class Conds(Study):
    def home(self, name, seed):
        return pathlib.Path(name) / f"seed{seed}"

    def data(self, name, seed):
        """20,000 images and their table, every case's rows, and the test images, which all cases share."""
        which = SETS[name]
        home = self.home(name, seed)
        table = self.path(home / "table.csv")
        table.parent.mkdir(parents=True, exist_ok=True)
        self.run(home / "images.npz", "data", "render", which.drawn, "--protocol", *which.only, "--sample", 20000, "--size", 32, "--attributes", table,
                 "--seed", seed)
        for case in cases():
            shifts = [word for shift, attribute in case.items() for word in (f"--{shift}", attribute)]
            train = ["--train", which.counts[tuple(case)]] if which.counts else []
            self.run(home / f"{name_of(case)}.csv", "conds", "draw", "--attributes", table, "--dataset", which.drawn, *shifts, *train, "--seed", seed)
        self.run(home / "test.npz", "data", "render", which.drawn, "--table", table, "--index", self.path(home / "uniform.csv"), "--split", "test",
                 "--size", 32, "--attributes", self.path(home / "test.csv"))

    def case(self, name, seed, case):
        stem = self.home(name, seed) / name_of(case)
        drawn = json.loads(self.path(f"{stem}.json").read_text())["results"][0]
        batches = math.ceil(drawn["n_train"] / BATCH)
        self.run(f"{stem}-model.safetensors", "train", "--data", self.path(stem.parent / "images.npz"), "--index", self.path(f"{stem}.csv"),
                 "--arch", "small-cnn", "--batch", BATCH, "--lr", 0.001, "--epochs", math.ceil(STEPS / batches),
                 "--patience", math.ceil(PATIENCE / batches), "--seed", seed)
        self.run(f"{stem}-outputs.npz", "infer", "--model", self.path(f"{stem}-model.safetensors"), "--data", self.path(stem.parent / "test.npz"))


def main():
    study, arguments = begun(Conds, arguments_of(__doc__, jobs=2))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for seed, name in itertools.product(range(arguments.seeds), SETS):
            study.data(name, seed)
            list(pool.map(lambda case, name=name, seed=seed: study.case(name, seed, case), cases()))


if __name__ == "__main__":
    main()
