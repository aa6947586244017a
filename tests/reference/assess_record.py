#!/usr/bin/env python3
"""Writes assess_record.json beside itself: what `leeway assess` says of two simulated classifiers and six targets.
Usage: assess_record.py LEEWAY

The logits are drawn so that classes that look alike (shirt, T-shirt, pullover, coat) are confused first and the robust
model starts lower and falls less. The sixth target has neither labels nor pairs.
"""
import json
import pathlib
import tempfile

import numpy as np

from records import run, write

NAMES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
LIKE = {0: [6, 3], 2: [4, 6], 3: [0, 4], 4: [2, 6], 5: [7, 9], 6: [0, 2, 4], 7: [9, 5], 8: [6], 9: [7], 1: [3]}
TARGETS = ["noise 0.3", "blur 2", "contrast 0.4", "rotation 30", "pgd 8/255", "shop photos"]
# Standard deviation of what a shift adds to the logits' features, and how much it shrinks the right one.
SEVERITY = {"CNN": [2.2, 1.3, .5, 2.6, 4.2, 1.8], "robust CNN": [.9, 1.0, .6, 2.0, 1.1, 1.5]}
SCALE = {"CNN": 2.4, "robust CNN": 1.1}
MARGIN = {"CNN": 4.6, "robust CNN": 4.0}
N = 10000
LEVELS = np.array(["bright", "dark", "medium"])


def draw(rng, model, y, base, severity):
    """Logits of a model: evidence for the label and its look-alikes, worn down by the shift."""
    f = base + rng.normal(0, .25 + severity * .55, base.shape)
    for c, others in LIKE.items():
        for other in others:
            f[y == c, other] += severity * (.5 if c in (0, 2, 4, 6) else .22)
    f[np.arange(y.size), y] -= severity * .45
    return f * SCALE[model]


def main(folder):
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(10), N // 10)
    groups = rng.choice(3, N, p=[.3, .25, .45])
    rest = {"labels": y, "groups": LEVELS[groups][:, None], "group_names": np.array(["brightness"]),
            "class_names": np.array(NAMES)}
    sources, targets = [], []
    for model in SEVERITY:
        base = rng.normal(0, 1., (N, 10))
        hard = np.array([1.5, .2, 1.3, .8, 1.2, .4, 2.3, .5, .3, .4])
        base[np.arange(N), y] += MARGIN[model] - hard[y] - .5 * (groups == 1)
        for c, others in LIKE.items():
            for other in others:
                base[y == c, other] += .9
        place = model.split()[0].lower()
        (folder / place).mkdir()
        np.savez(folder / place / "clean.npz", logits=base * SCALE[model], **rest)
        sources.append(f"{model}={place}/clean.npz")
        for target, severity in zip(TARGETS, SEVERITY[model]):
            file = f"{place}/{target.split()[0]}.npz"
            if target == "shop photos":
                pick = rng.integers(0, N, 3000)
                np.savez(folder / file, logits=draw(rng, model, y[pick], base[pick], severity))
            else:
                np.savez(folder / file, logits=draw(rng, model, y, base, severity), **rest)
            targets.append(f"{model}/{target}={file}")
    run(folder, "assess", "--source", *sources, "--target", *targets, "--unit", "images", "--bootstrap", "50",
        "--fail-if", "accuracy<0.5", "--out", "assess_record.json", "--quiet", check=False)  # the gate fails
    write("assess_record", json.loads((folder / "assess_record.json").read_text()), ensure_ascii=False)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(pathlib.Path(name))
