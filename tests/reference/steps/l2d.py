"""Writes l2d.json: both turns of learning to diversify on l2d:small-cnn, pictures of 12 x 12, so that the augmenter has kernels 9 and 5.

Loss and gradients of the network's turn, in which the augmenter's convolutions are new and its branches weighted at random; `augmenter`: the
gradients of its own turn, with the network as it was.
"""
import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

from common import Random, batch, filled, images, pixels, summary, write

torch.set_default_dtype(torch.float64)
n, side, step, beta = 6, 12, 4, .3
levels, y = images("l2d", n, 1, side, side), torch.tensor([0, 2, 2, 0, 0, 2])  # class 1 is not there
x = pixels(levels)


def normal(shape, purpose, number):
    rows = [Random(0, purpose, number << 24 | row) for row in range(shape[0])]
    return torch.tensor([[random.normal() for _ in range(int(np.prod(shape[1:])))] for random in rows]).reshape(shape)


def kernel(size, at, number):
    random, bound = Random(0, "l2d convolutions", at << 8 | number), 1 / size
    values = [(2 * random.uniform() - 1) * bound for _ in range(size * size + 1)]
    return torch.tensor(values[:-1]).reshape(1, 1, size, size), torch.tensor(values[-1:])


def augment(w, x, diverse):
    draw, at = 2 * step + diverse, step if diverse else 0
    random = Random(0, "l2d branches", step)
    share = torch.tensor([random.normal() for _ in range(3)] if diverse else [1.] * 3)
    share = share / share.sum()
    x = x + .01 * w["augmenter.noise"] * normal(x.shape, "l2d noise", draw)
    total = 0
    for j, size in enumerate((9, 5)):
        z = F.conv2d(x, *kernel(size, at, 2 * j))
        z = (z - z.mean((2, 3), keepdim=True)) / torch.sqrt(z.var((2, 3), unbiased=False, keepdim=True) + 1e-5)
        z = z * w[f"augmenter.scale{size}"] + w[f"augmenter.shift{size}"]
        total = total + share[j] * torch.tanh(F.conv_transpose2d(z, *kernel(size, at, 2 * j + 1)))
    colour = F.conv2d(x, *kernel(1, at, 4))
    if diverse:
        masks = [Random(0, "l2d dropout", draw << 24 | row) for row in range(n)]
        colour = colour * torch.tensor([[(random.bits() >= int(.2 * 2 ** 32)) / .8 for _ in range(side * side)] for random in masks]).reshape(x.shape)
    total = total + share[2] * torch.tanh(colour)
    return .6 * torch.sigmoid(total) + .4 * x_of_batch


def embed(w, images_, diverse):
    z = F.relu(F.conv2d(images_, w["network.backbone.0.weight"], w["network.backbone.0.bias"], 2, 1))
    z = F.relu(F.conv2d(z, w["network.backbone.2.weight"], w["network.backbone.2.bias"], 2, 1)).flatten(1)
    z = F.relu(F.linear(z, w["network.backbone.5.weight"], w["network.backbone.5.bias"]))
    mean = F.leaky_relu(F.linear(z, w["network.mean.weight"], w["network.mean.bias"]), .01)
    log_variance = F.relu(F.linear(z, w["network.log_variance.weight"], w["network.log_variance.bias"]))
    return mean, log_variance, mean + .2 * torch.exp(log_variance / 2) * normal(mean.shape, "l2d embedding", 2 * step + diverse)


def contrast(h, labels):
    h, terms = h / h.norm(dim=1, keepdim=True), []
    for i in range(len(h)):
        others = [j for j in range(len(h)) if j != i]
        scores = {j: h[i] @ h[j] / .07 for j in others}
        alike = [j for j in others if labels[j] == labels[i]]
        terms.append(-sum(scores[j] - torch.logsumexp(torch.stack(list(scores.values())), 0) for j in alike) / len(alike))
    return sum(terms) / len(terms)


def mmd(a, b):
    points = [*a, *b]
    distances = [[((p - q) ** 2).sum() for q in points] for p in points]
    width = sum(float(d) for row in distances for d in row) / (len(points) * (len(points) - 1))
    k = torch.stack([torch.stack([sum(torch.exp(-d / (width * 2. ** (i - 2))) for i in range(5)) for d in row]) for row in distances])
    m = len(a)
    return k[:m, :m].mean() + k[m:, m:].mean() - 2 * k[:m, m:].mean()


x_of_batch = x
shapes = {"backbone.0.weight": (16, 1, 4, 4), "backbone.0.bias": (16,), "backbone.2.weight": (32, 16, 4, 4), "backbone.2.bias": (32,),
          "backbone.5.weight": (100, 288), "backbone.5.bias": (100,), "mean.weight": (512, 100), "mean.bias": (512,),
          "log_variance.weight": (512, 100), "log_variance.bias": (512,), "classifier.weight": (3, 512), "classifier.bias": (3,)}
w = {"network." + name: filled("network." + name, *shape) for name, shape in shapes.items()}
augmenter = {"noise": (1,), "scale9": (1, 4, 4), "shift9": (1, 4, 4), "scale5": (1, 8, 8), "shift5": (1, 8, 8)}
w |= {"augmenter." + name: filled("augmenter." + name, *shape) for name, shape in augmenter.items()}
trained = [tensor for name, tensor in w.items() if name.startswith("network.")]
learnt = [tensor for name, tensor in w.items() if name.startswith("augmenter.")]

mean, log_variance, h = embed(w, torch.cat([augment(w, x, True).detach(), x]), True)
logits = F.linear(h, w["network.classifier.weight"], w["network.classifier.bias"])
class_loss = F.cross_entropy(logits, torch.cat([y, y]))
likeness = contrast(h, torch.cat([y, y]))
misfit = ((mean[n:] - h[:n]) ** 2 / torch.exp(log_variance[n:]) + log_variance[n:]).mean()

own_mean, own_variance, own_h = embed(w, torch.cat([augment(w, x, False), x]), False)
order = Random(0, "l2d permutation", step).shuffled(n)
spread = torch.exp(own_variance[n:])
information = sum((((own_mean[n + i] - own_h[order[i]]) ** 2 - (own_mean[n + i] - own_h[i]) ** 2) / spread[i]).sum() for i in range(n)) / (2 * n)
class_mmd = sum(mmd(own_h[:n][y == c], own_h[n:][y == c]) for c in (0, 2)) / 2
gradients = torch.autograd.grad(class_mmd + beta * information, learnt)

write("l2d", class_loss + 1.5 * likeness + .7 * misfit,
      {"contrast": 1.5, "likelihood": .7, "information": beta, "augmenter-lr": 50}, trained, architecture="l2d:small-cnn",
      filled=["network.", "augmenter."], step=step, labelled=batch(levels, y=y),
      parts={"class_loss": class_loss.item(), "contrast": likeness.item(), "misfit": misfit.item(), "class_mmd": class_mmd.item(),
             "information": information.item()},
      augmenter={name: summary(gradient) for name, gradient in zip(augmenter, gradients)})
