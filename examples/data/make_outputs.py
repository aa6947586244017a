#!/usr/bin/python3
"""Makes the outputs files of this folder: what a small network, trained for two epochs on Fashion-MNIST, says about
clean.npz       test images 0..999; with labels
blurred.npz     the same images, Gaussian blur of 1.2 pixels; with labels
production.npz  test images 1000..2199 under Gaussian noise of .2; without labels

Needs dataset-fashion-mnist, python3-torch, python3-scipy. The files in the tree were made by one run; another machine's
arithmetic gives other last digits.
"""
import gzip
import pathlib

import numpy
import torch
from scipy.ndimage import gaussian_filter
from torch import nn

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
HERE = pathlib.Path(__file__).parent
NAMES = ["T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"]


def idx(name, offset):
    return numpy.frombuffer(gzip.open(DATA / f"{name}-ubyte.gz").read(), numpy.uint8, offset=offset)


def images(part):
    return idx(f"{part}-images-idx3", 16).reshape(-1, 1, 28, 28).astype(numpy.float32) / 255


def labels(part):
    return idx(f"{part}-labels-idx1", 8).astype(numpy.int64)


def trained_network():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten(),
                            nn.Linear(1568, 100), nn.ReLU(), nn.Linear(100, 10))
    x, y = torch.from_numpy(images("train")), torch.from_numpy(labels("train"))
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)
    for _ in range(2):
        for rows in torch.randperm(len(x)).split(128):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(x[rows]), y[rows]).backward()
            optimiser.step()
    return network


def main():
    network, x, y = trained_network(), images("t10k"), labels("t10k")
    noise = numpy.random.default_rng(0).normal(0, .2, x[1000:2200].shape).astype(numpy.float32)
    for name, shifted, known in [("clean", x[:1000], y[:1000]),
                                 ("blurred", gaussian_filter(x[:1000], (0, 0, 1.2, 1.2)), y[:1000]),
                                 ("production", (x[1000:2200] + noise).clip(0, 1), None)]:
        with torch.no_grad():
            logits = network(torch.from_numpy(shifted)).numpy()
        arrays = {"logits": logits, "class_names": numpy.array(NAMES)}
        if known is not None:
            arrays["labels"] = known
            print(name, (logits.argmax(1) == known).mean())
        numpy.savez_compressed(HERE / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main()
