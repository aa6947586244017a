"""Writes sagnet.json: styles exchanged in front of the third stage, a style network beside, an adversary on scales and shifts."""
import torch
import torch.nn.functional as F

from common import Random, batch, images, pixels
from stages import resnet20, stage, write

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
other_style = whitened * (share * sigma + (1 - share) * sigma[order]) + share * mu + (1 - share) * mu[order]


told = rest(style, "style.", whitened.detach()[order] * sigma + mu)
content_loss, style_loss = F.cross_entropy(rest(network, "network.", other_style), y), F.cross_entropy(told, y)
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
write("sagnet", "resnet20-cifar", content_loss, {"stage": STAGE, "weight": WEIGHT, "clip": CLIP}, sums,
      ("network.conv1", "network.bn1", "layer1.2.bn2", "layer2.0.bn1", "layer3.2.conv2", "linear"), ("network.", "style."), algorithm="sagnet",
      step=STEP, labelled=batch(levels, y=y), parts={"style_loss": style_loss.item(), "adversarial_loss": adversarial.item()})
