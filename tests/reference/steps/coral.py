"""Writes coral.json, deep_coral.json, mmd.json, causirl_coral.json and causirl_mmd.json: three environments of unequal sizes in one pass
with batch normalization, distances row by row and number by number."""
import itertools

import torch
import torch.nn.functional as F

from common import Random, batch, images, pixels, tiny, tiny_forward, write

BANDWIDTHS = (.001, .01, .1, 1, 10, 100, 1000)


def coral(a, b):
    d = a.shape[1]
    mean = sum((a[:, i].mean() - b[:, i].mean()) ** 2 for i in range(d)) / d
    return mean + ((torch.cov(a.T) - torch.cov(b.T)) ** 2).sum() / d ** 2


def deep_coral(a, b):
    return ((torch.cov(a.T) - torch.cov(b.T)) ** 2).sum() / (4 * a.shape[1] ** 2)


def mmd(a, b):
    def kernel(x, y):
        return sum(torch.exp(-g * ((p - q) ** 2).sum()) for p in x for q in y for g in BANDWIDTHS) / (len(x) * len(y))
    return kernel(a, a) + kernel(b, b) - 2 * kernel(a, b)


def pairs(distance, parts):
    found = [distance(a, b) for a, b in itertools.combinations(parts, 2)]
    return sum(found) / len(found)


def mixtures(distance, parts, step):
    random = Random(0, "two mixtures", step)
    cuts = [random.below(len(part)) for part in parts]
    first, second = (torch.cat([part[rows(cut)] for part, cut in zip(parts, cuts)])
                     for rows in (lambda cut: slice(0, cut), lambda cut: slice(cut, None)))
    assert len(first) > 1 < len(second)
    return distance(first, second)


levels = images("coral", 13, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 0, 2])
environment = torch.tensor([0] * 6 + [1] * 3 + [2] * 4)
for name, penalty, parameters in (
        ("coral", lambda parts: pairs(coral, parts), {"weight": 2}),
        ("deep_coral", lambda parts: pairs(deep_coral, parts), {"weight": 5, "deep-coral": 1}),
        ("mmd", lambda parts: pairs(mmd, parts), {"weight": .7}),
        ("causirl_coral", lambda parts: mixtures(coral, parts, 5), {"weight": 3}),
        ("causirl_mmd", lambda parts: mixtures(mmd, parts, 5), {"weight": .4})):
    w = tiny(normalized=True)
    logits, z = tiny_forward(w, pixels(levels))
    risk = sum(F.cross_entropy(logits[environment == e], y[environment == e]) for e in range(3)) / 3
    distance = penalty([z[environment == e] for e in range(3)])
    write(name, risk + parameters["weight"] * distance, parameters, list(w.values()), architecture="tiny-normalized", step=5,
          labelled=batch(levels, y=y, environment=environment), parts={"risk": risk.item(), "penalty": distance.item()},
          **({"algorithm": "coral"} if name == "deep_coral" else {}))
