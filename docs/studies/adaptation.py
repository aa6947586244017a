#!/usr/bin/env python3
"""Runs the study of docs/studies/adaptation.md: draws, trains and bounds with the leeway command.

    adaptation.py FOLDER [--digits MNIST] [--leeway PATH] [--seeds 5] [--jobs 1] [--shifts noise,...]

Everything goes to FOLDER; what stands there whole is not made again, so a run that was stopped goes on. Each command runs
with one thread (training's bits depend on their number); --jobs runs so many trainings at a time. The last step writes
FOLDER/adaptation.csv; adaptation_tables.py reads it. The digits need --digits, a folder of MNIST's four files.
"""
import concurrent.futures
import itertools
import json
import pathlib

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

LABELLED, UNLABELLED = 8000, 8000  # of the training images; bounds take the last 10,000, which nothing is trained on
EPOCHS = 15
NOISE = {"weak noise": 0.15, "noise": 0.3}
METHODS = {  # a training: its algorithm, what it is told besides; "adapt" changes the source's own network
    "source only": ("erm", []),
    "source only, weak views": ("erm", ["--augment", "weak"]),
    "DANN": ("dann", []),
    "CDAN": ("cdan", []),
    "FixMatch": ("fixmatch", ["--augment", "weak"]),  # as it is without the option
    "BN-adapt": ("adapt", []),
}
ESTIMATES = ["dis2-estimate", "ac", "doc", "atc-conf", "atc-ne", "cot", "cot-corrected"]
REPRESENTATIONS = ["logits", "features"]


def coloured(x, seed):
    """Grey levels (n,1,h,w) between two random colours of each image: a dark one for the ground, a bright one."""
    random = numpy.random.default_rng(seed)
    ground = random.uniform(0, .6, (len(x), 3, 1, 1))
    garment = random.uniform(.4, 1, (len(x), 3, 1, 1))
    return numpy.round(255 * (ground + (garment - ground) * (x / 255))).astype(numpy.uint8)


class Adaptation(Study):
    digits = None  # folder of MNIST's files

    def drawn(self, name, part, hue, n, seed):
        """Rendered digits 1, 4, 7 and 9 of that hue, n of them in all."""
        environments = 1 if ":" in part else 2
        self.run(name, "data", "diagvib", "--digits", self.digits / "train-images-idx3-ubyte.gz", "--environment", "selection", "--part", part, "--size", 32,
                 "--factors", f"hue={hue}", "--n", n // environments, "--seed", seed)

    def save(self, name, x, y):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        numpy.savez(self.path(f"{name}.tmp.npz"), x=x, y=y)
        self.path(f"{name}.tmp.npz").rename(self.path(name))

    def grey(self, part):
        """Levels (n,1,28,28) and labels of Fashion-MNIST."""
        whole = f"{part}-all.npz"
        self.run(whole, "shift", "brightness", "--strength", 0, "--data", f"fashion-mnist:{part}")
        with numpy.load(self.path(whole)) as images:
            return numpy.round(255 * images["x"]).astype(numpy.uint8), images["y"]

    def sets(self, shift, seed):
        """Four files: labelled source to train on, source to bound with, target to train on, target to be judged on."""
        home = f"{shift}/seed{seed}"
        names = [f"{home}/{name}.npz" for name in ("train", "validation", "unlabelled", "target")]
        if self.path(names[-1]).exists():
            return names
        if shift == "digits":
            self.drawn(names[0], "train", "red", LABELLED, seed)
            self.drawn(names[1], "val-sd", "red", 10000, seed)
            self.drawn(names[2], "train", "green", UNLABELLED, seed + 100)
            self.drawn(names[3], "test:0", "green", 10000, seed)
            return names
        x, y = self.grey("train")
        test_x, test_y = self.grey("test")
        rows = numpy.random.default_rng(seed).permutation(50000)
        labelled, unlabelled = rows[:LABELLED], rows[LABELLED:LABELLED + UNLABELLED]
        source = [(x[labelled], y[labelled]), (x[50000:], y[50000:])]
        target = [(x[unlabelled], y[unlabelled]), (test_x, test_y)]
        if shift == "color":
            source = [(numpy.repeat(images, 3, 1), labels) for images, labels in source]
            target = [(coloured(images, 1000 * seed + place), labels) for place, (images, labels) in enumerate(target)]
        for name, (images, labels) in zip(names[:2], source):
            self.save(name, images, labels)
        for name, (images, labels) in zip(names[2:], target):
            if shift == "color":
                self.save(name, images, labels)
                continue
            plain = name.replace(".npz", "-plain.npz")
            self.save(plain, images, labels)
            self.run(name, "shift", "gaussian-noise", "--strength", NOISE[shift], "--data", self.path(plain), "--seed", seed)
        return names

    def model(self, home, method, train, unlabelled):
        algorithm, words = METHODS[method]
        stem = f"{home}/{method.replace(', ', '-').replace(' ', '-')}"
        if algorithm == "adapt":
            self.run(f"{stem}.safetensors", "adapt", "--model", self.path(f"{home}/source-only.safetensors"), "--data", self.path(unlabelled))
            return stem
        target = [] if algorithm == "erm" else ["--unlabelled", self.path(unlabelled)]
        self.run(f"{stem}.safetensors", "train", "--data", self.path(train), "--arch", "small-cnn-bn", "--algorithm", algorithm, *target, *words,
                 "--epochs", EPOCHS, "--patience", 0, "--seed", home[-1])
        return stem

    def row(self, shift, seed, method):
        home = f"{shift}/seed{seed}"
        train, validation, unlabelled, target = self.sets(shift, seed)
        stem = self.model(home, method, train, unlabelled)
        weights = self.path(f"{stem}.safetensors")
        errors, files = [], []
        for name, images in (("source", validation), ("target", target)):
            files.append(self.outputs(f"{stem}-{name}.npz", weights, self.path(images)))
            with numpy.load(files[-1]) as outputs:
                errors.append((outputs["logits"].argmax(1) != outputs["labels"]).mean())
        row = {"shift": shift, "seed": seed, "method": method, "source_error": errors[0], "target_error": errors[1]}
        for representation in REPRESENTATIONS:
            wanted = "all" if representation == "logits" else "dis2"
            methods = [] if wanted == "all" else ["--methods", wanted]
            record = f"{stem}-{representation}.json"
            self.run(record, "bound", "--source", files[0], "--target", files[1], "--representation", representation, "--bootstrap", 0, *methods)
            found = json.loads(self.path(record).read_text())
            dis2 = found["dis2"]
            row.update({f"{representation}_{key}": dis2[key] for key in ("source_error", "discrepancy", "concentration", "bound")})
            if wanted == "all":
                row["n_source"], row["n_target"] = dis2["n_source"], dis2["n_target"]
                row.update({result["method"]: result["error"] for result in found["results"] if result["method"] in ESTIMATES})
        return {key: f"{value:.5f}" if isinstance(value, float) else value for key, value in row.items()}


def main():
    parser = arguments_of(__doc__, jobs=1)
    parser.add_argument("--digits", type=pathlib.Path)
    parser.add_argument("--shifts", help="of weak noise, noise, color, digits")
    study, arguments = begun(Adaptation, parser)
    study.digits = arguments.digits
    shifts = arguments.shifts.split(",") if arguments.shifts else [*NOISE, "color", *(["digits"] if arguments.digits else [])]
    cases = list(itertools.product(shifts, range(arguments.seeds)))
    for case in cases:
        study.sets(*case)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:  # the source's network first: another is made of it
        several = pool.map(lambda case: [study.row(*case, method) for method in METHODS], cases)
        rows = [row for those in several for row in those]
    write_rows(study.path("adaptation.csv"), rows)


if __name__ == "__main__":
    main()
