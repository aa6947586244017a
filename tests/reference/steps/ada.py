"""Writes ada.json: the images after four steps of ME-ADA's ascent, one image at a time."""
import json
import pathlib

import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward

levels, y = images("ada", 5, 1, 4, 4), torch.tensor([0, 1, 2, 0, 1])
rate, gamma, entropy = .4, 1.7, .6
w = tiny()


def ascend(x, label):
    start = tiny_forward(w, x)[1].detach()
    moved = x.clone()
    for _ in range(4):
        moved = moved.detach().requires_grad_()
        logits, z = tiny_forward(w, moved)
        p = torch.softmax(logits, 1)
        gain = F.cross_entropy(logits, label) - entropy * (p * torch.log(p)).sum() - gamma * .5 * ((z - start) ** 2).sum()
        gain.backward()
        moved = moved + rate * moved.grad
    return moved.detach().clamp(0, 1)


x = pixels(levels)
found = {"algorithm": "me-ada", "architecture": "tiny", "filled": ["network."], "rate": rate, "gamma": gamma, "entropy": entropy,
         "labelled": batch(levels, y=y)}
found["images"] = [float(f"{v:.9g}") for i in range(5) for v in ascend(x[i:i + 1], y[i:i + 1]).flatten().tolist()]
(pathlib.Path(__file__).parent / "ada.json").write_text(json.dumps(found).replace('], "', '],\n"') + "\n")
