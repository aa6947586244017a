"""Writes corruptions.json: noises and blurs of the common corruptions, programmed again in numpy and scipy from their description.

"figures" compares distributions (corruption_pictures.py); "pixels" are levels of pictures that blurs without chance made, every
`every`-th pixel as two hexadecimal digits. tests/shift/corruption_reference_test.cpp reads it. /usr/bin/python3 corruptions.py
"""
import pathlib

import numpy
from scipy import ndimage

import corruption_pictures

CONSTANTS = {  # cifar, tiny, imagenet; five severities
    "gaussian-noise": ((.04, .06, .08, .09, .10), (.04, .08, .12, .15, .18), (.08, .12, .18, .26, .38)),
    "shot-noise": ((500, 250, 100, 75, 50), (250, 100, 50, 30, 15), (60, 25, 12, 5, 3)),
    "impulse-noise": ((.01, .02, .03, .05, .07), (.01, .02, .05, .08, .14), (.03, .06, .09, .17, .27)),
    "speckle-noise": ((.06, .1, .12, .16, .2), (.15, .2, .25, .3, .35), (.15, .2, .35, .45, .6)),
    "gaussian-blur": ((.4, .6, .7, .8, 1), (.5, .75, 1, 1.25, 1.5), (1, 2, 3, 4, 6)),
    "glass-blur": (((.05, 1, 1), (.25, 1, 1), (.4, 1, 1), (.25, 1, 2), (.4, 1, 2)),
                   ((.1, 1, 1), (.5, 1, 1), (.6, 1, 2), (.7, 2, 1), (.9, 2, 2)),
                   ((.7, 1, 2), (.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2))),
    "defocus-blur": (((.3, .4), (.4, .5), (.5, .6), (1, .2), (1.5, .1)), ((.5, .6), (1, .1), (1.5, .1), (2.5, .01), (3, .1)),
                     ((3, .1), (4, .5), (6, .5), (8, .5), (10, .5))),
    "motion-blur": (((6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)), ((10, 1), (10, 1.5), (10, 2), (10, 2.5), (12, 3)),
                    ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))),
    "zoom-blur": (((1.06, .01), (1.11, .01), (1.16, .01), (1.21, .01), (1.26, .01)),) * 2
                 + (((1.11, .01), (1.16, .01), (1.21, .02), (1.26, .02), (1.31, .03)),),
}
SETS = ("cifar", "tiny", "imagenet")
SIDES = {"cifar": 32, "tiny": 64, "imagenet": 224}


def gaussian(x, sigma):
    return ndimage.gaussian_filter(x, (0, 0, sigma, sigma), mode="nearest", truncate=4)


def glass(x, constants, lengths, rng):
    sigma, delta, passes = constants
    sigma, delta = sigma * lengths, max(1, int(numpy.floor(delta * lengths + .5)))
    n, channels, height, width = x.shape
    x = numpy.floor(gaussian(x, sigma) * 255 + 1e-9)
    every = numpy.arange(n)
    for _ in range(passes):
        for h in range(height - delta, delta, -1):
            for w in range(width - delta, delta, -1):
                dx, dy = rng.integers(-delta, delta, (2, n))
                partner = x[every, :, h + dy, w + dx]  # a copy
                if channels == 1:
                    x[every, :, h + dy, w + dx] = x[:, :, h, w]
                x[:, :, h, w] = partner
    return gaussian(x / 255, sigma)


def disc(radius, alias, lengths):
    reach = int(numpy.ceil(radius * lengths)) + 4
    if lengths == 1:
        i, j = numpy.mgrid[-reach:reach + 1, -reach:reach + 1]
        cells = (i ** 2 + j ** 2 <= radius ** 2).astype(float)
    else:  # the share of 8 x 8 parts
        side = 2 * reach + 1
        places = (numpy.arange(8 * side) + .5) / 8 - side / 2
        inside = places[:, None] ** 2 + places ** 2 <= (radius * lengths) ** 2
        cells = inside.reshape(side, 8, side, 8).mean((1, 3))
        cells[reach, reach] = cells[reach, reach] or 1  # a disc smaller than a part
    cells /= cells.sum()
    smooth = numpy.exp(-numpy.arange(-2 if radius * lengths > 8 else -1, 3 if radius * lengths > 8 else 2) ** 2 / (2 * alias ** 2))
    smooth /= smooth.sum()
    return ndimage.convolve1d(ndimage.convolve1d(cells, smooth, axis=0, mode="constant"), smooth, axis=1, mode="constant")


def motion(x, radius, sigma, rng):
    n, _, height, width = x.shape
    i = numpy.arange(2 * int(numpy.ceil(radius)) + 1)
    weights = numpy.exp(-i ** 2 / (2 * sigma ** 2))
    weights /= weights.sum()
    angle = numpy.deg2rad(rng.uniform(-45, 45, n))
    out = numpy.zeros_like(x)
    for picture in range(n):
        down = numpy.ceil(i * numpy.sin(angle[picture]) - .5).astype(int)
        right = numpy.ceil(i * numpy.cos(angle[picture]) - .5).astype(int)
        for k, weight in enumerate(weights):
            rows = numpy.clip(numpy.arange(height) + down[k], 0, height - 1)
            columns = numpy.clip(numpy.arange(width) + right[k], 0, width - 1)
            out[picture] += weight * x[picture][:, rows[:, None], columns]
    return numpy.floor(out * 255 + .5) / 255


def zoom(x, stop, step):
    height, width = x.shape[2:]
    factors = numpy.arange(1, stop, step)
    out = x.copy()
    for factor in factors:
        h, w = int(numpy.ceil(height / factor)), int(numpy.ceil(width / factor))
        top, left = (height - h) // 2, (width - w) // 2
        part = ndimage.zoom(x[:, :, top:top + h, left:left + w], (1, 1, factor, factor), order=1)
        top, left = (part.shape[2] - height) // 2, (part.shape[3] - width) // 2
        out += part[:, :, top:top + height, left:left + width]
    return out / (len(factors) + 1)


def corrupt(name, levels, severity, rng, constants="cifar", lengths=1):
    own = CONSTANTS[name][SETS.index(constants)][severity - 1]
    x = levels / 255.
    if name == "gaussian-noise":
        x = x + rng.normal(0, own, x.shape)
    elif name == "shot-noise":
        x = rng.poisson(x * own) / own
    elif name == "impulse-noise":
        hit, white = rng.random(x.shape) < own, rng.random(x.shape) < .5
        x = numpy.where(hit, white, x)
    elif name == "speckle-noise":
        x = x + x * rng.normal(0, own, x.shape)
    elif name == "gaussian-blur":
        x = gaussian(x, own * lengths)
    elif name == "glass-blur":
        x = glass(x, own, lengths, rng)
    elif name == "defocus-blur":
        x = ndimage.correlate(x, disc(*own, lengths)[None, None], mode="mirror")
    elif name == "motion-blur":
        x = motion(x, own[0] * lengths, own[1] * lengths, rng)
    elif name == "zoom-blur":
        x = zoom(x, *own)
    return corruption_pictures.levels_of(x)


def scale_for(height, width):
    side = min(height, width)
    constants = "cifar" if side <= 45 else "tiny" if side <= 119 else "imagenet"
    factor = side / SIDES[constants]
    return constants, 1 if abs(factor - 1) <= .15 else factor


def pixels():
    entries = []
    for picture, height, width, channels, every in ((3, 32, 32, 3, 4), (9, 28, 30, 1, 1), (5, 41, 48, 1, 3), (2, 7, 9, 1, 1), (8, 64, 70, 1, 9),
                                                    (7, 90, 81, 1, 13), (11, 130, 151, 1, 31), (4, 224, 256, 1, 97)):
        before = corruption_pictures.pictures(picture + 1, height, width, channels)[picture:]
        constants, lengths = scale_for(height, width)
        for name in ("gaussian-blur", "defocus-blur", "zoom-blur"):
            for severity in range(1, 6):
                after = corrupt(name, before, severity, None, constants, lengths)
                entries.append({"name": name, "severity": severity, "picture": picture, "height": height, "width": width,
                                "channels": channels, "every": every, "levels": after.ravel()[::every].tobytes().hex()})
    return entries


if __name__ == "__main__":
    corruption_pictures.write(pathlib.Path(__file__).with_suffix(".json"), pixels=pixels(),
                              figures=corruption_pictures.compare(corrupt, CONSTANTS))
