#!/usr/bin/env python3
"""Runs the study of docs/studies/fashion-mnist.md: trains, shifts, attacks and measures with the leeway command alone.

    fashion_mnist.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 1]

Everything goes to FOLDER; what stands there whole is not made again, so a run that was stopped goes on. Each command runs
with one thread (training's bits depend on their number); --jobs runs so many seeds at a time. tables.py reads the records.
"""
import concurrent.futures
import json
import subprocess

import numpy

from study_script import arguments_of, begun

EPS = [2, 4, 8, 16]  # / 255, l_inf
NOISE = [0.1, 0.2, 0.3, 0.4]
SELECTION_SHIFT = "gaussian-noise:0.2"
# What the two choices of an epoch are compared under: none of it is the shift that chose.
OTHER_SHIFTS = ["gaussian-noise:0.1", "gaussian-noise:0.3", "gaussian-noise:0.4", "gaussian-blur:1", "gaussian-blur:2", "contrast:0.4",
                "brightness:0.2", "rotation:15", "rotation:30", "pixelation:2", "pixelation:4"]
TRAININGS = {
    "erm": ["--epochs", "15", "--select", "pa", "--select-shift", SELECTION_SHIFT],
    "adversarial": ["--epochs", "8", "--algorithm", "pgd", "--eps", "8/255"],
}


class Study:
    threads = 1  # of a command

    def __init__(self, folder, leeway):
        self.folder, self.leeway = folder, leeway

    def path(self, name):
        return self.folder / name

    def run(self, out, *arguments):
        """leeway ARGUMENTS --out OUT, unless OUT stands already; what it prints becomes OUT's .json, written last."""
        record = self.path(out).with_suffix(".json")
        if self.path(out).exists() and record.exists():
            return
        self.path(out).parent.mkdir(parents=True, exist_ok=True)
        command = [self.leeway, *map(str, arguments), "--out", str(self.path(out)), "--threads", str(self.threads), "--quiet", "--no-digest", "--json"]
        print(" ".join(command[1:]), flush=True)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        record.with_suffix(".tmp").write_text(done.stdout)
        record.with_suffix(".tmp").rename(record)

    def split(self):
        """fashion-mnist:train in 50,000 to train on and 10,000 that nothing is trained on, for the bounds."""
        if self.path("validation.npz").exists():
            return
        self.run("all.npz", "shift", "brightness", "--strength", 0, "--data", "fashion-mnist:train")
        with numpy.load(self.path("all.npz")) as all_images:
            x, y = all_images["x"], all_images["y"]
        numpy.savez(self.path("training.npz"), x=x[:50000], y=y[:50000])
        numpy.savez(self.path("validation.tmp.npz"), x=x[50000:], y=y[50000:])
        self.path("validation.tmp.npz").rename(self.path("validation.npz"))
        self.path("all.npz").unlink()

    def shifted(self, shift):
        """The test images under NAME:STRENGTH, the same for every model and seed."""
        name, strength = shift.split(":")
        out = f"images/{name}-{strength}.npz"
        self.run(out, "shift", name, "--strength", strength, "--data", "fashion-mnist:test")
        return self.path(out)

    def outputs(self, out, weights, images):
        self.run(out, "infer", "--model", weights, "--data", images)
        return self.path(out)

    def train(self, seed):
        for name, options in TRAININGS.items():
            self.run(f"seed{seed}/{name}.safetensors", "train", "--data", self.path("training.npz"), "--patience", 0, "--seed", seed,
                     "--keep-epochs", self.path(f"seed{seed}/{name}-epochs"), *options)

    def models(self, seed):
        """One training by empirical risk gives two models: the epoch that accuracy chooses and the one that PA does."""
        home = self.path(f"seed{seed}")
        by_accuracy = json.loads((home / "erm.json").read_text())["results"][0]["best_by_accuracy"]
        return {"standard": home / f"erm-epochs/epoch-{by_accuracy:03}.safetensors", "selected": home / "erm.safetensors",
                "robust": home / "adversarial.safetensors"}

    def measure(self, seed):
        sets = {"attacked": [], "noisy": []}
        for model, weights in self.models(seed).items():
            clean = self.outputs(f"seed{seed}/{model}-clean.npz", weights, "fashion-mnist:test")
            attacked, noisy = [], []
            for eps in EPS:
                images = f"seed{seed}/{model}-pgd{eps}-images.npz"
                self.run(images, "attack", "--model", weights, "--data", "fashion-mnist:test", "--eps", f"{eps}/255")
                attacked.append(self.outputs(f"seed{seed}/{model}-pgd{eps}.npz", weights, self.path(images)))
            for sigma in NOISE:
                noisy.append(self.outputs(f"seed{seed}/{model}-noise{sigma}.npz", weights, self.shifted(f"gaussian-noise:{sigma}")))
            sets["attacked"].append((model, [clean, *attacked]))
            sets["noisy"].append((model, [clean, *noisy]))
        for name, ((first, files), *others) in sets.items():
            beside = [f"--model={model}=" + ",".join(map(str, those)) for model, those in others]
            self.run(f"seed{seed}/{name}.json", "pa", *files, "--name", first, *beside, "--ratios", "0:1:0.1", "--summaries")

    def select(self, seed):
        """Every epoch of the training by empirical risk on the test images and their shifts: what each choice would have given."""
        epochs = sorted(self.path(f"seed{seed}/erm-epochs").glob("epoch-*.safetensors"))
        for shift in ["none", SELECTION_SHIFT, *OTHER_SHIFTS]:
            images = "fashion-mnist:test" if shift == "none" else self.shifted(shift)
            for weights in epochs:
                self.outputs(f"seed{seed}/epochs/{weights.stem}-{shift.replace(':', '-')}.npz", weights, images)
        for shift in [SELECTION_SHIFT, *OTHER_SHIFTS]:
            clean = [self.path(f"seed{seed}/epochs/{weights.stem}-none.npz") for weights in epochs]
            moved = [self.path(f"seed{seed}/epochs/{weights.stem}-{shift.replace(':', '-')}.npz") for weights in epochs]
            self.run(f"seed{seed}/select-{shift.replace(':', '-')}.json", "select", "--clean", *clean, "--shifted", *moved,
                     "--names", *[weights.stem for weights in epochs])

    def seed(self, seed):
        self.train(seed)
        self.measure(seed)
        self.select(seed)


def main():
    study, arguments = begun(Study, arguments_of(__doc__, jobs=1))
    study.split()
    for sigma in NOISE:
        study.shifted(f"gaussian-noise:{sigma}")
    for shift in OTHER_SHIFTS:
        study.shifted(shift)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(study.seed, range(arguments.seeds)))


if __name__ == "__main__":
    main()
