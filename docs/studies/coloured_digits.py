#!/usr/bin/env python3
"""Runs the study of docs/studies/coloured-digits.md, the problem of Arjovsky et al. (2019, section 5.2), with the leeway command alone.

    coloured_digits.py FOLDER --digits MNIST [--leeway PATH] [--seeds 5] [--jobs 1]

MNIST: a folder of its four files as published. Everything goes to FOLDER; what stands there whole is not made again. Each command
runs with one thread. The last step writes FOLDER/coloured-digits.csv; coloured_digits_tables.py reads it.
"""
import concurrent.futures
import gzip
import itertools
import json
import pathlib

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

ENVIRONMENT, VALIDATION, TEST = 5000, 2000, 10000  # images; two environments (the paper: 25,000 each)
WRONG = .25  # share of labels
OTHER_COLOUR = [.2, .1, .9]  # share of images whose colour is not their label's: two environments, test
STEPS = 501
METHODS = {"ERM": ("erm", {}), "IRM": ("irm", {"lambda": 10000, "anneal-steps": 100, "square": 1})}


def read(path):
    data = gzip.open(path).read()
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * data[3]).reshape(shape)


def environment(x, y, share, random):
    """Label: is the digit 5 or more, wrong in WRONG of them. A channel holds the picture: which, tells the label but in `share`."""
    label = (y >= 5) ^ (random.random(len(y)) < WRONG)
    colour = label ^ (random.random(len(y)) < share)
    images = numpy.zeros((len(y), 3, *x.shape[1:]), numpy.uint8)
    images[numpy.arange(len(y)), colour.astype(int)] = x
    return images, label.astype(numpy.int64)


class ColouredDigits(Study):
    def data(self, seed, digits):
        home = self.path(f"seed{seed}")
        if (home / "rows.csv").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        x, y = read(digits / "train-images-idx3-ubyte.gz")[:, ::2, ::2], read(digits / "train-labels-idx1-ubyte.gz")
        random = numpy.random.default_rng(seed)
        order = random.permutation(len(y))
        sizes = [ENVIRONMENT, ENVIRONMENT, TEST, VALIDATION // 2, VALIDATION // 2]
        parts = numpy.split(order[:sum(sizes)], numpy.cumsum(sizes)[:-1])
        shares = [*OTHER_COLOUR, *OTHER_COLOUR[:2]]
        first, second, test, *validation = [environment(x[rows], y[rows], share, random) for rows, share in zip(parts, shares)]
        train = [first, second, *validation]
        numpy.savez(home / "images.npz", x=numpy.concatenate([images for images, _ in train]), y=numpy.concatenate([labels for _, labels in train]),
                    environment=numpy.repeat([0, 1, 0, 1], [len(labels) for _, labels in train]))
        numpy.savez(home / "test.npz", x=test[0], y=test[1])
        numpy.savez(home / "seen.npz", x=second[0], y=second[1])
        with open(home / "rows.csv", "w") as file:
            file.write("index,split\n")
            file.writelines(f"{row},{'train' if row < 2 * ENVIRONMENT else 'val'}\n" for row in range(2 * ENVIRONMENT + VALIDATION))

    def accuracy(self, out, model, images):
        self.run(out, "infer", "--model", self.path(model), "--data", images)
        with numpy.load(self.path(out)) as outputs:
            return (outputs["logits"].argmax(1) == outputs["labels"]).mean()

    def train(self, seed, method):
        algorithm, parameters = METHODS[method]
        home, stem = self.path(f"seed{seed}"), f"seed{seed}/{method}"
        values = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
        model = f"{stem}.safetensors"
        self.run(model, "train", "--data", home / "images.npz", "--index", home / "rows.csv", "--arch", "mlp", "--algorithm", algorithm, *values,
                 "--batch", 2 * ENVIRONMENT, "--steps", STEPS, "--check-every", STEPS, "--epochs", STEPS, "--patience", 0, "--lr", "1e-3",
                 "--weight-decay", "1e-3", "--decay", "coupled", "--seed", seed)
        record = json.loads(self.path(model).with_suffix(".json").read_text())["results"][0]
        return {"seed": seed, "method": method, "steps": STEPS, "checks": len(record["epochs"]), "n_test": TEST,
                "test": f"{self.accuracy(f'{stem}-test.npz', model, home / 'test.npz'):.5f}",
                "seen": f"{self.accuracy(f'{stem}-seen.npz', model, home / 'seen.npz'):.5f}"}


def main():
    parser = arguments_of(__doc__, jobs=1)
    parser.add_argument("--digits", type=pathlib.Path, required=True)
    study, arguments = begun(ColouredDigits, parser)
    for seed in range(arguments.seeds):
        study.data(seed, arguments.digits)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda job: study.train(*job), itertools.product(range(arguments.seeds), METHODS)))
    write_rows(study.path("coloured-digits.csv"), rows)


if __name__ == "__main__":
    main()
