"""Writes bpa.json and bpa_reference.json: a step on rows 0 to 7 of a set of 12 in three clusters, and the weights that follow it."""
import math

import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

cluster = [0, 1, 2, 0, 0, 2, 1, 0, 0, -1, 2, 0]  # row 9 is not trained on
weights = [.5, 1.5, 2.5]
levels, y = images("bpa", 8, 1, 4, 4), torch.tensor([0, 1, 2, 0, 0, 2, 1, 0])
sizes = [sum(c == k for c in cluster) for k in range(3)]


def relative(table):
    seen = [[table[i] for i in range(12) if cluster[i] == k and table[i] >= 0] for k in range(3)]
    means = [sum(s) / len(s) if s else None for s in seen]
    known = [m for m in means if m is not None]
    means = [sum(known) / len(known) if m is None else m for m in means]
    return [11 / size * mean / sum(means) for size, mean in zip(sizes, means)]


for name, keep in (("bpa", .6), ("bpa_reference", 0)):
    before = [.4, -1, -1, .2, -1, -1, -1, .9, 1.1, -1, -1, .6] if name == "bpa" else [.4, 1, 2, .2, .7, .1, .3, .9, 1.1, -1, .8, .6]
    w = tiny()
    each = F.cross_entropy(tiny_forward(w, pixels(levels))[0], y, reduction="none")
    if name == "bpa":
        used = [weights[c] for c in cluster[:8]]
    else:
        raw = [weights[c] for c in cluster[:8]]
        raw = [8 * u / sum(raw) for u in raw]
        used = [u * math.exp(.05 * u) for u in raw]
    used = torch.tensor(used, dtype=torch.float64)
    used = used / used.mean()
    after = relative([*each.tolist(), *before[8:]])
    write(name, (used * each).mean(), {"refresh": 5, "momentum": .4, "reference-weights": float(name != "bpa")}, list(w.values()),
          algorithm="bpa", step=15, labelled=batch(levels, y=y), state={"cluster": cluster, "losses": before, "weights": weights},
          after=[keep * old + (1 - keep) * new for old, new in zip(weights, after)], parts={"largest_weight": used.max().item()})
