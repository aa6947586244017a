"""Writes augment.json: pictures after one operation each, magnitudes and policies, all by torchvision 0.14.

Run with Debian's python3-torchvision: /usr/bin/python3 augment.py. Level i of a picture is (7 i^2 + 13 i) mod 256, or 251 - that
mod 40, as tests/nn/augment/operation_test.cpp repeats.

torchvision computes in float32, so that a number which is whole is now and then cut to the one below, and a pixel that lies between
two goes to either. Each result is therefore computed a second time in exact fractions (rotations and hues in double). The exact
one is written, with the count of levels that torchvision has otherwise; a difference that rounding does not explain ends the program.
"""
import json
import math
import pathlib
from fractions import Fraction as Q

import torch
from torchvision.transforms import AutoAugment, AutoAugmentPolicy, InterpolationMode, RandAugment
from torchvision.transforms import functional as F
from torchvision.transforms.autoaugment import _apply_op

NEAR = Q(1, 2000)  # more than float32 is off
MODES = {"nearest": InterpolationMode.NEAREST, "bilinear": InterpolationMode.BILINEAR}
NAMES = {"shear-x": "ShearX", "shear-y": "ShearY", "translate-x": "TranslateX", "translate-y": "TranslateY", "autocontrast": "AutoContrast"}
FACTORS = ("brightness", "color", "contrast", "sharpness")


def torchvision_name(op):
    return NAMES.get(op, op.capitalize())


def by_torchvision(picture, op, m, mode):
    if op == "hue":
        return F.adjust_hue(picture, float(m))
    if op == "gray":
        return F.rgb_to_grayscale(picture, picture.shape[0])
    return _apply_op(picture, torchvision_name(op), float(m) - (1 if op in FACTORS else 0), MODES[mode], None)


def clipped(value):
    return min(max(value, 0), 255)


def down(value):
    """The level, and whether float32 may have another."""
    if isinstance(value, float):
        value = Q(round(value * 10 ** 9), 10 ** 9)
    return math.floor(clipped(value)), abs(value - round(value)) < NEAR


def grays(p, i, area):
    return Q(2989 * p[i] + 5870 * p[area + i] + 1140 * p[2 * area + i], 10000) if len(p) == 3 * area else Q(p[i])


def hues(rgb, turn):
    high, low = max(rgb), min(rgb)
    chroma, (r, g, b) = high - low, rgb
    if chroma == 0:
        return list(map(float, rgb))
    h = ((g - b) / chroma if high == r else 2 + (b - r) / chroma if high == g else 4 + (r - g) / chroma) + 6 * float(turn)
    # the cosine-free form: each channel is a clipped triangle wave of the hue
    return [high - chroma * max(0., min(1., min((n + h) % 6, 4 - (n + h) % 6))) for n in (5, 3, 1)]


def source(op, m, x, y, w, h):
    if op == "shear-x":
        return x + m * (y + Q(1, 2)), y
    if op == "shear-y":
        return x, y + m * (x + Q(1, 2))
    if op == "translate-x":
        return x - int(m), y
    if op == "translate-y":
        return x, y - int(m)
    a, dx, dy = math.radians(m), x - (w - 1) / 2, y - (h - 1) / 2
    return (Q(dx * math.cos(a) - dy * math.sin(a) + (w - 1) / 2).limit_denominator(10 ** 9),
            Q(dx * math.sin(a) + dy * math.cos(a) + (h - 1) / 2).limit_denominator(10 ** 9))


def by_table(p, shape, op, m, mode):
    """Levels, and for each whether rounding decides."""
    c, h, w = shape
    area, out = h * w, []
    at = lambda k, y, x: p[k * area + y * w + x] if 0 <= x < w and 0 <= y < h else 0
    gray = [math.floor(grays(p, i, area)) for i in range(area)]
    gray_near = [down(grays(p, i, area))[1] and grays(p, i, area) != 0 for i in range(area)]
    mean = Q(sum(gray), area)
    for i, v in enumerate(p):
        k, y, x = i // area, i % area // w, i % w
        channel = p[k * area:(k + 1) * area]
        if op == "brightness":
            out.append(down(m * v))
        elif op == "color":
            out.append(down(m * v + (1 - m) * gray[i % area]) if c == 3 else (v, False))
            out[-1] = (out[-1][0], out[-1][1] or gray_near[i % area])
        elif op == "contrast":
            out.append(down(m * v + (1 - m) * mean))
        elif op == "sharpness":
            inner = 0 < x < w - 1 and 0 < y < h - 1
            b = round(Q(sum(at(k, y + j, x + l) for j in (-1, 0, 1) for l in (-1, 0, 1)) + 4 * v, 13)) if inner else v
            out.append(down(m * v + (1 - m) * b))
        elif op == "posterize":
            out.append((v >> (8 - m) << (8 - m), False))
        elif op == "solarize":
            out.append((255 - v if v >= m else v, False))
        elif op == "autocontrast":
            low, high = min(channel), max(channel)
            out.append((v, False) if low == high else down(Q((v - low) * 255, high - low)))
        elif op == "equalize":
            s = (area - channel.count(max(channel))) // 255
            below = sum(u < v for u in channel)
            out.append((v if s == 0 else 0 if v == 0 else min(255, (below + s // 2) // s), False))
        elif op == "invert":
            out.append((255 - v, False))
        elif op == "hue":
            out.append((v, False) if c == 1 else down(hues([p[i % area + j * area] for j in range(3)], m)[k]))
        elif op == "gray":
            out.append((gray[i % area], gray_near[i % area]))
        else:
            sx, sy = source(op, m, x, y, w, h)
            if mode == "nearest":
                near = any(abs(s - math.floor(s) - Q(1, 2)) < NEAR for s in (sx, sy))
                out.append((at(k, round(sy), round(sx)), near))
            else:
                i0, j0 = math.floor(sx), math.floor(sy)
                u, t = sx - i0, sy - j0
                value = ((1 - t) * ((1 - u) * at(k, j0, i0) + u * at(k, j0, i0 + 1))
                         + t * ((1 - u) * at(k, j0 + 1, i0) + u * at(k, j0 + 1, i0 + 1)))
                out.append((round(value), abs(value - math.floor(value) - Q(1, 2)) < 2 * NEAR))
    return out


def picture(shape, narrow):
    i = torch.arange(math.prod(shape))
    v = (7 * i * i + 13 * i) % 256
    return (251 - v % 40 if narrow else v).to(torch.uint8).reshape(shape)


def case(shape, op, m=0, mode="nearest", narrow=False):
    before = picture(shape, narrow)
    torchvision = by_torchvision(before, op, m, mode).flatten().tolist()
    table = by_table(before.flatten().tolist(), shape, op, m, mode)
    differs = [i for i, (mine, near) in enumerate(table) if mine != torchvision[i]]
    for i in differs:
        assert table[i][1], (shape, op, float(m), mode, i, table[i], torchvision[i])
    return {"shape": shape, "narrow": narrow, "operation": op, "magnitude": float(m), "sampling": mode,
            "torchvision_differs": len(differs), "levels": bytes(mine for mine, _ in table).hex()}


def cases():
    for shape in ((3, 9, 7), (1, 6, 5), (3, 2, 2), (1, 1, 1)):
        small = shape[1] < 5
        for op in FACTORS:
            for f in ("0.7",) if small else ("0.1", "0.55", "0.82", "1", "1.27", "1.9"):
                yield case(shape, op, Q(f))
        for n in (4,) if small else (0, 1, 4, 7, 8):
            yield case(shape, "posterize", n)
        for t in ("85",) if small else ("0", "85", "127.5", "255"):
            yield case(shape, "solarize", Q(t))
        for op in ("autocontrast", "equalize", "invert", "gray"):
            yield case(shape, op)
        for op, magnitudes in (("shear-x", "-0.2 0.07 0.3"), ("shear-y", "-0.07 0.3"), ("translate-x", "-2.7 1 3"),
                               ("translate-y", "-1 2.9"), ("rotate", "-20 3.3333 30"), ("hue", "-0.3 0 0.1 0.5")):
            for m in magnitudes.split()[:1] if small else magnitudes.split():
                for mode in ("nearest",) if op == "hue" else MODES:
                    yield case(shape, op, Q(m), mode)
    yield case((3, 20, 16), "equalize")
    yield case((1, 24, 33), "equalize")
    yield case((1, 24, 33), "equalize", narrow=True)
    yield case((3, 9, 7), "autocontrast", narrow=True)
    yield case((3, 9, 7), "contrast", Q("1.9"), narrow=True)


def space(transform, bins, size):
    found = {}
    for name, (m, signed) in transform._augmentation_space(bins, size).items():
        magnitudes = m.tolist() if m.ndim else []
        found[name] = {"magnitudes": [round(v, 5) for v in magnitudes], "signed": signed}
    return found


def main():
    size = (24, 37)
    spaces = {"randaugment": space(RandAugment(), 31, size), "autoaugment": space(AutoAugment(), 10, size)}
    policies = {p.value: AutoAugment(p).policies for p in (AutoAugmentPolicy.IMAGENET, AutoAugmentPolicy.CIFAR10)}
    found = {"cases": list(cases()), "size": size, "spaces": spaces, "policies": policies}
    total = sum(len(one["levels"]) // 2 for one in found["cases"])
    print(len(found["cases"]), "cases,", total, "levels,", sum(one["torchvision_differs"] for one in found["cases"]), "otherwise in torchvision")
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(found).replace("}, {", "},\n{").replace('}, "', '},\n"') + "\n")


if __name__ == "__main__":
    main()
