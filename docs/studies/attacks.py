#!/usr/bin/env python3
"""Runs the study of docs/studies/attacks.md with the leeway command: networks, curves, the right order.

    attacks.py FOLDER [--leeway PATH] [--seeds 5] [--cifar DATA]

DATA holds test_lossless_first1017.npz and weights/ of ResNet-20 and ResNet-44. What FOLDER holds already is
not made again, so the same command continues a run that was stopped. attacks_tables.py reads the records.
"""
import json
import pathlib

import numpy

from cifar_jpeg import CifarJpeg
from study_script import arguments_of, begun

EPS = [f"{eps}/255" for eps in (2, 4, 8, 16)]
IMAGES, REFERENCE_IMAGES, CIFAR_IMAGES = 1000, 500, 500
FLOOR = 0.39  # what the reverse sigmoid gives to a class of probability 0
TRAININGS = {
    "undefended": [],
    "pgd-trained": ["--algorithm", "pgd", "--eps", "8/255", "--set", "steps=7"],
    "gradient-regularized": ["--algorithm", "gradient-norm", "--set", "lambda=0.01"],
    "jpeg-rs": ["--arch", "defended-cnn"],
}


def softmax(logits):
    shifted = numpy.exp(logits - logits.max(1, keepdims=True))
    return shifted / shifted.sum(1, keepdims=True)


def reverse_sigmoid(logits):
    """Log-probabilities after the reverse sigmoid of leeway/nn/model/layers.h."""
    y = softmax(logits)
    inside = numpy.clip(y, 1e-9, 1 - 1e-9)
    moved = numpy.clip(y - 1 / (1 + ((1 - inside) / inside) ** .1) + .5, 0, 1)
    return numpy.log(moved / moved.sum(1, keepdims=True))


def last_layer(path):
    """Weight and bias of defended-cnn's last layer, from its .safetensors."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])

    def tensor(name):
        first, last = header[name]["data_offsets"]
        return numpy.frombuffer(data[start + first:start + last], "<f4").reshape(header[name]["shape"])

    return tensor("10.weight"), tensor("10.bias")


class Attacks(CifarJpeg):
    threads = 1

    def images(self, name, split, rows):
        """The first rows of Fashion-MNIST's training or test images."""
        if not self.path(f"{name}.npz").exists():
            self.run("all.npz", "shift", "brightness", "--strength", 0, "--data", f"fashion-mnist:{split}")
            self.rows(self.path("all.npz"), f"{name}.tmp.npz", slice(rows))
            self.path(f"{name}.tmp.npz").rename(self.path(f"{name}.npz"))
            self.path("all.npz").unlink()
        return self.path(f"{name}.npz")

    def curve(self, out, models, data, seed):
        named = [f"{name}={path}" for name, path in models.items()]
        self.run(out, "attack", "curve", "--model", *named, "--data", data, "--attack", "pgd,fmn", "--eps",
                 ",".join(EPS), "--steps", 100, "--shares", "0:0.1:0.01", "--shares", "0.2:1:0.1",
                 "--seed", seed, "--jobs", 1)

    def references(self, home, models, data, seed):
        """The attack that decides the right order."""
        for name, path in models.items():
            self.run(f"{home}/strong-{name}.npz", "attack", "--attack", "strong", "--model", path, "--data", data,
                     "--eps", "8/255", "--set", "targets=3", "--set", "queries=1000", "--seed", seed)

    def outputs_at(self, home, model):
        """Outputs of a model on clean images (key None) and on those of PGD, by strength."""
        curve, found = self.path(f"{home}/curve"), {}
        for unit in map(json.loads, (curve / "plan.jsonl").read_text().splitlines()[1:]):
            axes, name = unit["axes"], unit["unit"]
            seen = unit["stage"] in ("clean", "within-outputs")
            if seen and pathlib.Path(axes["clean.model"]).stem == model:
                with numpy.load(curve / "units" / name[:2] / name / "outputs.npz") as file:
                    found[axes.get("within.eps")] = dict(file)
        return found

    def map(self, home, model, name, change):
        """PA and AFR of a model's outputs after a change of their logits, on the images of PGD."""
        files = []
        for strength, outputs in self.outputs_at(home, model).items():
            files.append(self.path(f"{home}/{name}-{strength or 'clean'}.npz".replace("/255", "")))
            numpy.savez(files[-1], logits=change(outputs).astype("float32"), labels=outputs["labels"])
        self.run(f"{home}/map-{name}.json", "pa", *sorted(files, key=lambda file: "clean" not in file.name))
        for file in files:
            file.unlink()

    def maps(self, home):
        weight, bias = last_layer(self.path(f"{home}/jpeg-rs.safetensors"))
        self.map(home, "jpeg-rs", "jpeg-alone", lambda of: of["features"] @ weight.T + bias)
        self.map(home, "undefended", "undefended-rs", lambda of: reverse_sigmoid(of["logits"].astype(float)))
        self.map(home, "undefended", "undefended-floor",
                 lambda of: numpy.log(softmax(of["logits"].astype(float)) + FLOOR))

    def seed(self, seed):
        home, models = f"seed{seed}", {}
        training, test = self.images("training", "train", 30000), self.images("test", "test", IMAGES)
        for name, options in TRAININGS.items():
            models[name] = self.path(f"{home}/{name}.safetensors")
            self.run(f"{home}/{name}.safetensors", "train", "--data", training, "--epochs", 5,
                     "--validation", 0, "--patience", 0, "--select", "last", "--seed", seed, *options)
        self.curve(f"{home}/curve", models, test, seed)
        self.maps(home)
        self.references(home, models, self.images("reference", "test", REFERENCE_IMAGES), seed)

    def cifar(self, data):
        models = {name: self.model(name, sorted((data / "weights").glob(f"{name}[-.]*"))[-1])
                  for name in ("resnet20", "resnet44")}
        images = self.rows(data / "test_lossless_first1017.npz", "cifar.npz", slice(CIFAR_IMAGES))
        for name, path in models.items():
            self.curve(f"cifar-{name}/curve", {name: path}, images, 0)
        self.references("cifar", models, images, 0)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cifar", type=pathlib.Path)
    study, arguments = begun(Attacks, parser)
    for seed in range(arguments.seeds):
        study.seed(seed)
    if arguments.cifar:
        study.cifar(arguments.cifar)


if __name__ == "__main__":
    main()
