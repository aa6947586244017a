"""Writes diagvib.json: glyphs and pictures of a digit made up here, computed with numpy and scipy.

Run with Debian's python3-scipy: /usr/bin/python3 diagvib.py. Follows the description of DiagViB-6 (Eulig et al., ICCV 2021): scipy's
zoom for the digit (cubic spline) and for the object (linear, after gaussian_filter where it shrinks), colorsys for colours. Digit
and texture are the formulas below, which tests/data/diagvib_test.cpp repeats.
"""
import colorsys
import json
import math
import pathlib

import numpy as np
from scipy import ndimage


def digit(kind):
    """A crooked ring, or a slanted bar, of soft edges."""
    y, x = np.mgrid[0:28, 0:28].astype(float)
    if kind == "ring":
        distance = np.abs(np.hypot(1.3 * (x - 13), y - 14) - 7.5)
        return np.clip(np.floor(255 * (2.6 - distance) / 1.6), 0, 255)
    distance = np.abs(0.9 * (x - 14) + 0.5 * (y - 12))
    inside = np.abs(y - 12) < 9
    return np.where(inside, np.clip(np.floor(255 * (2.2 - distance) / 1.5), 0, 255), 0)


def resized(picture, shape, order):
    zoom = [n / m for n, m in zip(shape, picture.shape)]
    return ndimage.zoom(picture, zoom, order=order, mode="mirror", grid_mode=True)


def glyph(picture):
    rows, columns = np.nonzero(picture > 100)
    box = picture[rows.min():rows.max() + 1, columns.min():columns.max() + 1]
    longer = max(box.shape)
    shape = [math.floor(28 * side / longer + .5) for side in box.shape]
    large = np.floor(np.clip(resized(box, shape, 3), 0, 255) + 1e-6)
    out = np.zeros((40, 40))
    top, left = (int(19.5 - (side - 1) / 2) for side in shape)
    out[top:top + shape[0], left:left + shape[1]] = large
    return out > 150


texture = np.fromfunction(lambda y, x: (7 * y + 13 * x + (x * y) % 31) % 256, (256, 256))


def scaled(square, side):
    sigma = max(0, (40 / side - 1) / 2)
    if sigma > 0:
        square = ndimage.gaussian_filter(square, sigma, mode="mirror")
    return np.floor(resized(square, (side, side), 1) + 1e-6)


def picture(alpha, look, size):
    side = math.floor(40 * look["scale"] * size / 128 + .5)
    crop = texture[look["crop_row"]:look["crop_row"] + 40, look["crop_column"]:look["crop_column"] + 40]
    alpha = scaled(255. * alpha, side)
    out = np.full((3, size, size), 127)
    top, left = (int((size - 1) * look[axis] - (side - 1) / 2) for axis in ("row", "column"))
    colors = [[int(255 * v + 1e-6) for v in colorsys.hls_to_rgb(look["hue"] / 360 % 1, lightness, 1)]
              for lightness in (look["lightness1"], look["lightness2"])]
    for c in range(3):
        square = scaled((colors[0][c] * crop + colors[1][c] * (255 - crop)) // 255, side)
        for y in range(max(0, -top), min(side, size - top)):
            for x in range(max(0, -left), min(side, size - left)):
                a = alpha[y, x]
                out[c, top + y, left + x] = (a * square[y, x] + (255 - a) * 127) // 255
    return out


looks = [
    dict(lightness1=.05, lightness2=.4, hue=-9, row=.5, column=.47, scale=1.03, crop_row=3, crop_column=215),
    dict(lightness1=.6, lightness2=.97, hue=128.5, row=.8, column=.16, scale=.71, crop_row=100, crop_column=0),
    dict(lightness1=.3, lightness2=.55, hue=240.2, row=.145, column=.85, scale=1.449, crop_row=17, crop_column=55),
]
glyphs = {kind: glyph(digit(kind)) for kind in ("ring", "bar")}
cases = []
for kind, alpha in glyphs.items():
    for look in looks:
        for size in (128, 64):
            flat = picture(alpha, look, size).flatten()
            at = np.flatnonzero(flat != 127)[::max(1, int((flat != 127).sum()) // 40)]
            cases.append({"digit": kind, "size": size, **look, "changed": int((flat != 127).sum()), "sum": int(flat.sum()),
                          "at": at.tolist(), "values": flat[at].tolist()})
written = {"glyphs": {kind: "".join("01"[int(v)] for v in alpha.flatten()) for kind, alpha in glyphs.items()}, "cases": cases}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(written).replace("]}, ", "]},\n") + "\n")
