"""Writes sagnet.json: styles exchanged in front of the third stage, a style network beside, an adversary on scales and shifts; and
sagnet_one_pass.json: ten times the weights after one step of gradient descent of style, adversary and content each, of one pass, whose weights
have changed by then; and sagnet_dropout.json: the first with a quarter of the last hidden layers left out."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, summary
from random_numbers import Random
from stages import resnet20, stage, write, write_json

STAGE, STEP, WEIGHT, CLIP = 2, 7, 3.0, .5
levels = images("sagnet 7", 8, 1, 8, 8)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])
network, style = resnet20("network.", 3), resnet20("style.", 3)


def rest(w, prefix, z, kept=1):
    for i in range(STAGE, 4):
        z = stage(w, prefix, i, z)
    return z.mean((2, 3)) * kept @ w[prefix + "linear.weight"].T + w[prefix + "linear.bias"]


def mask(share, draw):
    drawn = [Random(0, "sagnet dropout", draw << 24 | row) for row in range(8)]
    return torch.tensor([[float(one.bits() >= share * 2 ** 32) / (1 - share) for _ in range(64)] for one in drawn]).double()


z = pixels(levels)
for i in range(STAGE):
    z = stage(network, "network.", i, z)
random = Random(0, "exchanged styles", STEP)
order = random.shuffled(8)
share = torch.tensor([random.uniform() for _ in range(8)]).float().double().view(-1, 1, 1, 1)
mu = z.mean((2, 3), keepdim=True)
sigma = torch.sqrt(z.var((2, 3), unbiased=False, keepdim=True) + 1e-5)
whitened = (z - mu) / sigma
other_style = whitened * (share * sigma + (1 - share) * sigma[order]) + share * mu + (1 - share) * mu[order]


def losses(left_out):
    kept = [mask(left_out, 2 * STEP + i) if left_out else 1 for i in range(2)]
    told = rest(style, "style.", whitened.detach()[order] * sigma + mu, kept[1])
    content = F.cross_entropy(rest(network, "network.", other_style, kept[0]), y)
    return content, F.cross_entropy(told, y), -WEIGHT * F.log_softmax(told, 1).mean()


def gradients(loss, tensors):
    found = torch.autograd.grad(loss, list(tensors.values()), retain_graph=True, allow_unused=True)
    return {key: torch.zeros_like(w) if g is None else g for (key, w), g in zip(tensors.items(), found)}


kept = ("network.conv1", "network.bn1", "layer1.2.bn2", "layer2.0.bn1", "layer3.2.conv2", "linear")
for name, left_out in (("sagnet_dropout", .25), ("sagnet", 0)):
    content_loss, style_loss, adversarial = losses(left_out)
    sums = gradients(content_loss, network) | gradients(style_loss, style)
    moved = gradients(adversarial, {key: w for key, w in network.items() if ".bn" in key})
    norm = torch.sqrt(sum((g ** 2).sum() for g in moved.values())).item()
    for key, g in moved.items():
        sums[key] = sums[key] + g * min(1, CLIP / norm)
    print("norm of the adversarial gradient", norm)
    write(name, "resnet20-cifar", content_loss, {"stage": STAGE, "weight": WEIGHT, "clip": CLIP} | ({"dropout": left_out} if left_out else {}), sums,
          kept, ("network.", "style."), algorithm="sagnet", step=STEP,
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
