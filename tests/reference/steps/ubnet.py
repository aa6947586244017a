"""Writes ubnet.json: orthogonal views of the stages of a network that stays as it is."""
import torch
import torch.nn.functional as F

from common import batch, filled, images, pixels
from stages import resnet20, stage, write

levels = images("ubnet", 6, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2])
base = resnet20("network.backbone.", 3)
head = {}
for l, maps in enumerate((16, 16, 32, 64)):
    head |= {f"taps.{l}.weight": (64, maps, 1, 1), f"taps.{l}.bias": (64,)}
head |= {"convolution.weight": (256, 64, 3, 3), "convolution.bias": (256,), "cells.weight": (256, 7, 7)}
for l in range(4):
    head |= {f"classifiers.{l}.weight": (3, 64), f"classifiers.{l}.bias": (3,)}
head = {"network." + name: filled("network." + name, *shape) for name, shape in head.items()}
w = {name.removeprefix("network."): tensor for name, tensor in head.items()}

maps, seen = pixels(levels), []
for l in range(4):
    maps = stage(base, "network.backbone.", l, maps, training=False).detach()
    cells = F.adaptive_avg_pool2d(maps, 7)
    tap = torch.einsum("nchw,oc->nohw", cells, w[f"taps.{l}.weight"][:, :, 0, 0]) + w[f"taps.{l}.bias"].view(-1, 1, 1)
    seen.append(F.leaky_relu(tap, .1))
logits = 0
for l in range(4):
    part = slice(64 * l, 64 * l + 64)
    view = F.conv2d(seen[l], w["convolution.weight"][part], w["convolution.bias"][part], padding=1)
    vector = (view * w["cells.weight"][part]).mean((2, 3))
    logits = logits + (vector @ w[f"classifiers.{l}.weight"].T + w[f"classifiers.{l}.bias"]) / 4


def overlap(rows):
    total = 0
    for i in range(4):
        for j in range(4):
            if i != j:
                total = total + F.cosine_similarity(rows[i], rows[j], dim=0) ** 2 / 16
    return total


overlaps = overlap(w["convolution.weight"].reshape(4, -1)) + overlap(w["cells.weight"].reshape(4, -1))
loss = F.cross_entropy(logits, y) + 3 * overlaps
found = torch.autograd.grad(loss, list(head.values()))
write("ubnet", "ubnet:resnet20-cifar", loss, {"orth-weight": 3}, dict(zip(head, found)),
      ("taps.0", "taps.3", "convolution.weight", "cells", "classifiers.0.bias"), labelled=batch(levels, y=y),
      parts={"overlap": 3 * overlaps.item()})
