"""What the references of common corruptions share: pictures made by a formula, and the summary of what a corruption changed.

A reference is a function corrupt(name, levels, severity, rng) -> levels, uint8 (n,c,h,w) in and out, with the constants of CIFAR-10-C and
rounding half up. It draws numbers of its own, so that only distributions can be compared: over all pixels the mean and the standard
deviation of the change x' - x, and the texture, the root mean square difference between neighbours of x'. Each has the standard error of
one run, from the differences between runs on the same picture.
"""
import json
import pathlib

import numpy

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/data/cifar10/test_lossless_first1017.npz"


def pictures(count=200, height=32, width=32, channels=3):
    """Waves and squares of the picture's own, (n,c,h,w) uint8; tests/shift/corrupted.h makes the same."""
    n, c, y, x = numpy.ogrid[:count, :channels, :height, :width]
    wave = numpy.sin(2 * numpy.pi * ((1 + n % 5) * x + (1 + n // 5 % 7) * y) / 32 + .7 * n)
    ripple = numpy.sin(2 * numpy.pi * ((1 + n % 3) * x - (1 + n % 4) * y) / 16 + .3 * n + 1.3 * c)
    squares = numpy.where((x // (3 + n % 6) + y // (4 + n % 5)) % 2 == 0, .12, -.12)
    value = .5 + .22 * wave + .18 * ripple + squares + .15 * numpy.sin(1.1 * n)
    return numpy.floor(255 * numpy.clip(value, 0, 1) + .5).astype(numpy.uint8)


def levels_of(values):
    """[0,1] to levels, half up."""
    return numpy.floor(255 * numpy.clip(values, 0, 1) + .5).astype(numpy.uint8)


def summary(before, runs):
    """Of several runs on the same pictures: the figures, and the standard error of each for one run."""
    change, square, texture = [], [], []  # per run and picture
    for after in runs:
        difference = (after.astype(float) - before) / 255
        after = after / 255.
        change.append(difference.mean((1, 2, 3)))
        square.append((difference ** 2).mean((1, 2, 3)))
        right, down = numpy.diff(after, axis=3) ** 2, numpy.diff(after, axis=2) ** 2
        texture.append((right.sum((1, 2, 3)) + down.sum((1, 2, 3))) / (right[0].size + down[0].size))

    def figure(values):
        values = numpy.array(values)
        return values.mean(), numpy.sqrt(values.var(axis=0, ddof=1).sum()) / values.shape[1]

    (mean, mean_error), (square, square_error), (texture, texture_error) = map(figure, (change, square, texture))
    sd, texture = numpy.sqrt(square - mean ** 2), numpy.sqrt(texture)
    figures = {"mean": mean, "mean_error": mean_error, "sd": sd, "sd_error": square_error / max(2 * sd, 1e-9),
               "texture": texture, "texture_error": texture_error / (2 * texture)}
    return {key: float(f"{value:.5g}") for key, value in figures.items()}


def compare(corrupt, names, runs=4, cifar_runs=2):
    """Entries of every member and severity: on the pictures above, and on the first 1,000 of CIFAR-10's test set where they are there."""
    sets = [("formula", pictures(), runs)]
    if SHARED.exists():
        sets.append(("cifar10", numpy.load(SHARED)["x"][:1000], cifar_runs))
    else:
        print(f"{SHARED} is not there: no entries of CIFAR-10")
    entries = []
    for label, before, count in sets:
        for name in names:
            for severity in range(1, 6):
                done = [corrupt(name, before, severity, numpy.random.default_rng([run, severity])) for run in range(count)]
                entries.append({"pictures": label, "name": name, "severity": severity, "runs": count, **summary(before, done)})
                print(entries[-1], flush=True)
    return entries


def write(path, **lists):
    """One line an entry."""
    text = ",\n".join(json.dumps(key) + ": [\n" + ",\n".join(map(json.dumps, entries)) + "]" for key, entries in lists.items())
    pathlib.Path(path).write_text("{" + text + "}\n")
