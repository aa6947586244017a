"""Writes corruptions_weather.json: the corruptions of weather, of digital processing, spatter and saturate by numpy, scipy and Pillow.

Run with Debian's python3-scipy and python3-pil: /usr/bin/python3 corruptions_weather.py (some minutes). What is compared and how:
corruption_pictures.py. "levels" has the members without random numbers, level by level. Frost takes the two pictures of frost() in place of
a pool, as tests/shift/corruption_reference_test.cpp does.
"""
import io
import math
import pathlib

import numpy as np
from PIL import Image
from scipy import ndimage

from corruption_pictures import compare, levels_of, pictures, write

BRIGHTNESS = (.05, .1, .15, .2, .3)
SATURATE = ((.3, 0), (.1, 0), (1.5, 0), (2, .1), (2.5, .2))
CONTRAST = (.75, .5, .4, .3, .15)
PIXELATE = (.95, .9, .85, .75, .65)
QUALITY = (80, 65, 58, 50, 40)
FOG = ((.2, 3), (.5, 3), (.75, 2.5), (1, 2), (1.5, 1.75))
FROST = ((1, .2), (1, .3), (.9, .4), (.85, .4), (.75, .45))
SNOW = ((.1, .2, 1, .6, 8, 3, .95), (.1, .2, 1, .5, 10, 4, .9), (.15, .3, 1.75, .55, 10, 4, .9), (.25, .3, 2.25, .6, 12, 6, .85),
        (.3, .3, 1.25, .65, 14, 12, .8))
ELASTIC = ((0, 0, .08), (.05, .2, .07), (.08, .06, .06), (.1, .04, .05), (.1, .03, .03))
SPATTER = ((.62, .1, .7, .7, .5, 0), (.65, .1, .8, .7, .5, 0), (.65, .3, 1, .69, .5, 0), (.65, .1, .7, .69, .6, 1), (.65, .1, .5, .68, .6, 1))


def to_hsv(x):
    """(...,h,w,3) in [0,1]; where a hue is not defined it is 0."""
    v, low = x.max(-1), x.min(-1)
    delta = v - low
    d = np.where(delta == 0, 1, delta)
    r, g, b = np.moveaxis(x, -1, 0)
    h = np.where(v == b, 4 + (r - g) / d, 0)
    h = np.where(v == g, 2 + (b - r) / d, h)
    h = np.where(v == r, (g - b) / d, h)
    h = np.where(delta == 0, 0, h / 6 % 1)
    s = np.where(v == 0, 0, delta / np.where(v == 0, 1, v))
    return h, s, v


def from_hsv(h, s, v):
    sector = np.floor(h * 6)
    f = h * 6 - sector
    p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
    table = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)]
    return np.stack([np.choose(sector.astype(int) % 6, [row[c] for row in table]) for c in range(3)], -1)


def brightness(x, c, rng):
    if x.shape[-1] == 1:
        return x + c
    h, s, v = to_hsv(x)
    return from_hsv(h, s, np.minimum(v + c, 1))


def saturate(x, constants, rng):
    if x.shape[-1] == 1:
        return x
    h, s, v = to_hsv(x)
    return from_hsv(h, np.clip(s * constants[0] + constants[1], 0, 1), v)


def contrast(x, c, rng):
    mean = x.mean((-3, -2), keepdims=True)
    return (x - mean) * c + mean


def picture_of(x):
    levels = (x * 255).round().astype(np.uint8)
    return Image.fromarray(levels[..., 0] if x.shape[-1] == 1 else levels)


def pixels_of(image, x):
    return np.asarray(image, dtype=float).reshape(x.shape) / 255


def pixelate(x, fraction, rng):
    height, width = x.shape[:2]
    small = picture_of(x).resize((int(width * fraction), int(height * fraction)), Image.BOX)
    return pixels_of(small.resize((width, height), Image.BOX), x)


def jpeg_compression(x, quality, rng):
    file = io.BytesIO()
    picture_of(x).save(file, "JPEG", quality=quality)
    return pixels_of(Image.open(file), x)


def plasma(n, decay, rng):
    m, step, amp = np.zeros((n, n)), n, 100.
    while step >= 2:
        h = step // 2
        noise = lambda: amp * rng.uniform(-amp, amp, (n // step, n // step))
        corners = m[::step, ::step]
        rows = corners + np.roll(corners, -1, 0)
        m[h::step, h::step] = (rows + np.roll(rows, -1, 1)) / 4 + noise()
        centres = m[h::step, h::step]
        m[::step, h::step] = (corners + np.roll(corners, -1, 1) + centres + np.roll(centres, 1, 0)) / 4 + noise()
        m[h::step, ::step] = (corners + np.roll(corners, -1, 0) + centres + np.roll(centres, 1, 1)) / 4 + noise()
        step //= 2
        amp /= decay
    return (m - m.min()) / (m.max() - m.min())


def fog(x, constants, rng):
    weight, decay = constants
    n = 2 ** math.ceil(math.log2(max(x.shape[:2])))
    most = x.max()
    return (x + weight * plasma(n, decay, rng)[:x.shape[0], :x.shape[1], None]) * most / (most + weight)


def frost_pictures():
    """Two, (h,w,3) levels; the test makes the same."""
    made = []
    for p, (height, width) in enumerate(((200, 260), (180, 300))):
        y, x, c = np.ogrid[:height, :width, :3]
        made.append(np.floor(150 - 50 * p + 60 * np.sin(.13 * x + .07 * y + p) + 20 * np.cos(.4 * y - .3 * x) + 10 * c + .5).astype(np.uint8))
    return made


FROST_PICTURES = frost_pictures()


def frost(x, constants, rng):
    picture = FROST_PICTURES[rng.integers(2)].astype(float)
    scaled = [round(.2 * side) for side in picture.shape[:2]]
    corner = [rng.integers(whole - side) for whole, side in zip(scaled, x.shape)]
    places = [np.clip((first + np.arange(side) + .5) / .2 - .5, 0, whole - 1) for first, side, whole in zip(corner, x.shape, picture.shape)]
    grid = np.meshgrid(*places, indexing="ij")
    part = np.stack([ndimage.map_coordinates(picture[..., c], grid, order=1, mode="nearest") for c in range(3)], -1) / 255
    if x.shape[-1] == 1:
        part = part @ np.array([[.2989], [.587], [.114]])
    return constants[0] * x + constants[1] * part


def zoomed(layer, factor):
    h = layer.shape[0]
    part = math.ceil(h / factor)
    top = (h - part) // 2
    layer = ndimage.zoom(layer[top:top + part, top:top + part], factor, order=1)
    trim = (layer.shape[0] - h) // 2
    return layer[trim:trim + h, trim:trim + h]


def motion(layer, radius, sigma, angle):
    weights = np.exp(-np.arange(2 * math.ceil(radius) + 1) ** 2 / (2 * sigma ** 2))
    y, x = np.indices(layer.shape)
    out = np.zeros(layer.shape)
    for i, k in enumerate(weights / weights.sum()):
        dy, dx = (math.ceil(i * f(math.radians(angle)) - .5) for f in (math.sin, math.cos))
        out += k * layer[np.clip(y + dy, 0, layer.shape[0] - 1), np.clip(x + dx, 0, layer.shape[1] - 1)]
    return np.floor(out * 255 + .5) / 255


def snow(x, constants, rng):
    mean, sd, zoom, threshold, radius, sigma, mix = constants
    layer = zoomed(rng.normal(mean, sd, x.shape[:2]), zoom)
    layer[layer < threshold] = 0
    layer = np.floor(np.clip(layer, 0, 1) * 255) / 255
    layer = motion(layer, radius, sigma, rng.uniform(-135, -45))[..., None]
    grey = x if x.shape[-1] == 1 else x @ np.array([[.299], [.587], [.114]])
    return mix * x + (1 - mix) * np.maximum(x, grey * 1.5 + .5) + layer + layer[::-1, ::-1]


def elastic_transform(x, constants, rng):
    alpha, sigma, affine = (32 * c for c in constants)
    height, width = x.shape[:2]
    c, q = np.array([width // 2, height // 2]), min(height, width) // 3
    before = np.array([c + q, [c[0] + q, c[1] - q], c - q], dtype=float)
    after = before + rng.uniform(-affine, affine, before.shape)
    back = np.linalg.solve(np.c_[after, np.ones(3)], before)  # (x, y, 1) of the result -> (x, y) of the source
    gy, gx = np.indices((height, width)).astype(float)
    source = np.stack([gx, gy, np.ones_like(gx)], -1) @ back
    moved = [ndimage.map_coordinates(x[..., k], [source[..., 1], source[..., 0]], order=1, mode="mirror") for k in range(x.shape[-1])]
    if alpha == 0:
        return np.stack(moved, -1)
    dx, dy = (alpha * ndimage.gaussian_filter(rng.uniform(-1, 1, (height, width)), sigma, mode="reflect", truncate=3) for _ in range(2))
    return np.stack([ndimage.map_coordinates(m, [gy + dy, gx + dx], order=1, mode="reflect") for m in moved], -1)


def canny(levels, low, high):
    wide = levels.astype(int)
    smooth, slope = np.array([1, 2, 1]), np.array([-1, 0, 1])
    dx = ndimage.correlate(wide, np.outer(smooth, slope), mode="nearest")
    dy = ndimage.correlate(wide, np.outer(slope, smooth), mode="nearest")
    size = np.pad(abs(dx) + abs(dy), 1)
    at = lambda j, i: size[1 + j:size.shape[0] - 1 + j, 1 + i:size.shape[1] - 1 + i]
    here = at(0, 0)
    angle = np.degrees(np.arctan2(abs(dy), abs(dx)))
    along_x = (here > at(0, -1)) & (here >= at(0, 1))
    along_y = (here > at(-1, 0)) & (here >= at(1, 0))
    falling = (here > at(-1, -1)) & (here > at(1, 1))
    rising = (here > at(-1, 1)) & (here > at(1, -1))
    ridge = np.where(angle < 22.5, along_x, np.where(angle > 67.5, along_y, np.where((dx < 0) ^ (dy < 0), rising, falling)))
    weak = ridge & (here > low)
    label, _ = ndimage.label(weak, np.ones((3, 3)))
    return np.isin(label, np.unique(label[weak & (here > high)]))


def chamfer(edges):
    """The least sum of steps 1, 1.4 and 2.1969 (straight, diagonal, a knight's) to an edge, in closed form."""
    where = np.argwhere(edges)
    if len(where) == 0:
        return np.full(edges.shape, 8192.)
    y, x = np.indices(edges.shape)
    dy, dx = abs(y[..., None] - where[:, 0]), abs(x[..., None] - where[:, 1])
    far, near = np.maximum(dy, dx), np.minimum(dy, dx)
    one, two, three = (math.floor(65536 * w + .5) / 65536 for w in (1, 1.4, 2.1969))
    return np.where(far >= 2 * near, near * three + (far - 2 * near) * one, (far - near) * three + (2 * near - far) * two).min(-1)


def mean3(plane):
    return ndimage.correlate(plane.astype(float), np.ones((3, 3)), mode="mirror")


def equalize(levels):
    counts = np.bincount(levels.ravel(), minlength=256)
    least = np.nonzero(counts)[0][0]
    if counts[least] == levels.size:
        return levels
    table = np.round(255 * (np.cumsum(counts) - counts[least]) / (levels.size - counts[least]))
    return table[levels].astype(np.uint8)


def spatter(x, constants, rng):
    mean, sd, sigma, threshold, strength, is_mud = constants
    layer = ndimage.gaussian_filter(rng.normal(mean, sd, x.shape[:2]), sigma, mode="nearest", truncate=4)
    layer[layer < threshold] = 0
    grey = np.array([.2989, .587, .114])
    if not is_mud:
        levels = np.floor(layer * 255).astype(np.uint8)
        depth = np.minimum(chamfer(canny(levels, 50, 150)), 20)
        depth = equalize((mean3(depth) / 9 + 1e-9).astype(np.uint8))
        kernel = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
        depth = np.clip(ndimage.correlate(depth.astype(int), kernel, mode="mirror"), 0, 255)
        depth = np.round(mean3(depth) / 9)
        m = levels * depth
        if m.max() == 0:
            return x
        colour = np.array([175, 238, 238]) / 255
        return x + (m / m.max() * strength)[..., None] * (colour if x.shape[-1] == 3 else colour @ grey)
    m = ndimage.gaussian_filter((layer > threshold).astype(float), strength, mode="nearest", truncate=4)
    m[m < .8] = 0
    colour = np.array([63, 42, 20]) / 255
    return x * (1 - m[..., None]) + m[..., None] * (colour if x.shape[-1] == 3 else colour @ grey)


MEMBERS = {"snow": (snow, SNOW), "frost": (frost, FROST), "fog": (fog, FOG), "brightness": (brightness, BRIGHTNESS),
           "contrast": (contrast, CONTRAST), "elastic-transform": (elastic_transform, ELASTIC), "pixelate": (pixelate, PIXELATE),
           "jpeg-compression": (jpeg_compression, QUALITY), "spatter": (spatter, SPATTER), "saturate": (saturate, SATURATE)}
WHOLE_SETS = ("brightness", "contrast", "saturate")  # their functions take (n,h,w,c), too
WITHOUT_DRAWS = ("brightness", "contrast", "pixelate", "jpeg-compression", "saturate")


def corrupt(name, levels, severity, rng):
    member, constants = MEMBERS[name]
    channels_last = np.moveaxis(levels, 1, -1) / 255
    constants = constants[severity - 1]
    if name in WHOLE_SETS:
        changed = member(channels_last, constants, rng)
    else:
        changed = np.stack([member(x, constants, rng) for x in channels_last])
    return np.moveaxis(levels_of(changed + 1e-9), -1, 1)  # halves go up, though double is a little off


def level_by_level():
    for shape in ((12, 16, 3), (28, 28, 1), (32, 32, 1)):
        before = pictures(2, *shape)[1:]
        for name in WITHOUT_DRAWS:
            for severity in range(1, 6):
                if shape[0] == 32 and name != "pixelate":
                    continue
                yield {"name": name, "severity": severity, "shape": [shape[2], shape[0], shape[1]],
                       "levels": corrupt(name, before, severity, None).tobytes().hex()}


if __name__ == "__main__":
    write(pathlib.Path(__file__).with_suffix(".json"), figures=compare(corrupt, MEMBERS), levels=list(level_by_level()))
