"""Writes sagnet.json: styles exchanged in front of the third stage, a style network beside, an adversary on scales and shifts; and
sagnet_one_pass.json: ten times the weights after one step of gradient descent of style, adversary and content each, of one pass, whose weights
have changed by then."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, summary
from random_numbers import Random
from stages import resnet20, stage, write, write_json

STAGE, STEP, WEIGHT, CLIP = 2, 7, 3.0, .5
levels = images("sagnet 7", 8, 1, 8, 8)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])
network, style = resnet20("network.", 3), resnet20("style.", 3)


def rest(w, prefix, z):
    for i in range(STAGE, 4):
        z = stage(w, prefix, i, z)
    return z.mean((2, 3)) @ w[prefix + "linear.weight"].T + w[prefix + "linear.bias"]


z = pixels(levels)
for i in range(STAGE):
    z = stage(network, "network.", i, z)
random = Random(0, "exchanged styles", STEP)
order = random.shuffled(8)
share = torch.tensor([random.uniform() for _ in range(8)]).float().double().view(-1, 1, 1, 1)
mu = z.mean((2, 3), keepdim=True)
sigma = torch.sqrt(z.var((2, 3), unbiased=False, keepdim=True) + 1e-5)
whitened = (z - mu) / sigma
content = rest(network, "network.", whitened * (share * sigma + (1 - share) * sigma[order]) + share * mu + (1 - share) * mu[order])
told = rest(style, "style.", whitened.detach()[order] * sigma + mu)
content_loss, style_loss = F.cross_entropy(content, y), F.cross_entropy(told, y)
adversarial = -WEIGHT * F.log_softmax(told, 1).mean()


def gradients(loss, tensors):
    found = torch.autograd.grad(loss, list(tensors.values()), retain_graph=True, allow_unused=True)
    return {key: torch.zeros_like(w) if g is None else g for (key, w), g in zip(tensors.items(), found)}


sums = gradients(content_loss, network) | gradients(style_loss, style)
moved = gradients(adversarial, {key: w for key, w in network.items() if ".bn" in key})
norm = torch.sqrt(sum((g ** 2).sum() for g in moved.values())).item()
for key, g in moved.items():
    sums[key] = sums[key] + g * min(1, CLIP / norm)
print("norm of the adversarial gradient", norm)
kept = ("network.conv1", "network.bn1", "layer1.2.bn2", "layer2.0.bn1", "layer3.2.conv2", "linear")
write("sagnet", "resnet20-cifar", content_loss, {"stage": STAGE, "weight": WEIGHT, "clip": CLIP}, sums,
      kept, ("network.", "style."), step=STEP,
      labelled=batch(levels, y=y), parts={"style_loss": style_loss.item(), "adversarial_loss": adversarial.item()})

# Through .data the graph does not notice that its weights change.
RATE = .1
for weight, found in zip(style.values(), gradients(style_loss, style).values()):
    weight.data.sub_(RATE * found)
moved = {key: w for key, w in network.items() if ".bn" in key}
found = gradients(adversarial, moved)
norm = torch.sqrt(sum((g ** 2).sum() for g in found.values())).item()
for key, weight in moved.items():
    weight.data.sub_(RATE * min(1, CLIP / norm) * found[key])
for weight, found in zip(network.values(), gradients(content_loss, network).values()):
    weight.data.sub_(RATE * found)
weights = {key: summary(10 * w.detach()) for key, w in (network | style).items() if any(k in key for k in kept)}
write_json("sagnet_one_pass", {"algorithm": "sagnet", "architecture": "resnet20-cifar", "filled": ["network.", "style."], "step": STEP,
                               "parameters": {"stage": STAGE, "weight": WEIGHT, "clip": CLIP, "separate": 2, "style-held": 1},
                               "loss": content_loss.item(), "labelled": batch(levels, y=y), "gradients": weights,
                               "parts": {"style_loss": style_loss.item(), "adversarial_loss": adversarial.item()}})
