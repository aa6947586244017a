"""Writes dann.json, cdan.json, cdan_entropy.json and cdan_random.json, without a layer that reverses gradients. The network's gradients are
those of CE - c w (domain loss), the discriminator's those of w (domain loss)."""
import numpy as np
import torch
import torch.nn.functional as F

from common import batch, filled, images, pixels, tiny, tiny_forward, write

n, width, weight = 7, 4, 1.5
source, target = images("source", n, 1, 4, 4), images("target", 6, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2])
domain = torch.tensor([0] * n + [1] * 6)
c = 2 / (1 + np.exp(-10 * 29 / 100)) - 1


def discriminator(inputs):
    shapes = {"0.weight": (width, inputs), "0.bias": (width,), "1.weight": (width, width), "1.bias": (width,), "2.weight": (2, width),
              "2.bias": (2,)}
    return {name: filled("discriminator." + name, *shape) for name, shape in shapes.items()}


def told(d, x):
    for layer in "01":
        x = torch.relu(x @ d[layer + ".weight"].T + d[layer + ".bias"])
    return x @ d["2.weight"].T + d["2.bias"]


for name, shown, parameters in (("dann", 5, {}), ("cdan", 15, {}), ("cdan_entropy", 15, {"entropy-conditioning": 1}),
                                ("cdan_random", 9, {"map": 1, "random-dim": 9})):
    w, d = tiny(normalized=True), discriminator(shown)
    logits, z = tiny_forward(w, pixels(torch.cat([source, target])))
    p = torch.softmax(logits, 1).detach()
    if name == "dann":
        seen = z
    elif name == "cdan_random":
        seen = (z @ filled("map.features", 5, 9).detach()) * (p @ filled("map.classes", 3, 9).detach()) / 3
    else:
        seen = torch.stack([torch.cat([p_row[k] * z_row for k in range(3)]) for z_row, p_row in zip(z, p)])
    sure = 1 + torch.exp((p * torch.log(p)).sum(1))
    each = F.cross_entropy(told(d, seen), domain, reduction="none")
    domain_loss = each.mean()
    if name == "cdan_entropy":
        domain_loss = sum((sure[domain == t] * each[domain == t]).sum() / sure[domain == t].sum() for t in (0, 1)) / 2
    classes = F.cross_entropy(logits[:n], y)
    network, beside = list(w.values()), list(d.values())
    gradients = torch.autograd.grad(classes - c * weight * domain_loss, network, retain_graph=True)
    gradients += torch.autograd.grad(weight * domain_loss, beside)
    write(name, classes + weight * domain_loss, {"weight": weight, "discriminator-width": width, "dropout": 0, **parameters},
          network + beside, gradients=gradients, algorithm=name.split("_")[0], architecture="tiny-normalized",
          filled=["network.", "discriminator.", "map."], step=30, steps=100, labelled=batch(source, y=y), unlabelled=batch(target),
          parts={"domain_loss": domain_loss.item(), "reversal": c})
