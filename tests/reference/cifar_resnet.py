"""CIFAR ResNets defined in Python's torch, and weights by a formula of the tensor's name and the element's number, which
tests/nn/reference_weights.h repeats."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Shortcut(nn.Module):
    def forward(self, x):
        padding = torch.zeros_like(x[:, : x.shape[1] // 2, ::2, ::2])
        return torch.cat([padding, x[:, :, ::2, ::2], padding], 1)


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, 1 if inputs == outputs else 2, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity() if inputs == outputs else Shortcut()

    def forward(self, x):
        return F.relu(self.shortcut(x) + self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))


class Resnet(nn.Module):
    def __init__(self, depth):
        super().__init__()
        blocks = (depth - 2) // 6
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(*[Block(16, 16) for _ in range(blocks)])
        self.layer2 = nn.Sequential(*[Block(16 if i == 0 else 32, 32) for i in range(blocks)])
        self.layer3 = nn.Sequential(*[Block(32 if i == 0 else 64, 64) for i in range(blocks)])
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.linear(F.adaptive_avg_pool2d(x, 1).flatten(1))


def noise(name, count):
    """In [-1, 1): the FNV-1a hash of the name and multiples of 2^32 over the golden ratio."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 % 2 ** 32
    values = (np.uint64(value) + np.arange(count, dtype=np.uint64) * np.uint64(2654435761)) % np.uint64(2 ** 32)
    return values.astype(np.float64) / 2 ** 31 - 1


def weights(name, tensor):
    v = noise(name, tensor.numel())
    if tensor.dim() > 1:
        v = 1.5 * v / np.sqrt(tensor[0].numel())
    elif name.endswith("running_var"):
        v = 1 + .5 * v
    elif name.endswith("weight"):
        v = 1 + .2 * v
    else:
        v = .1 * v
    return torch.tensor(v.astype(np.float32)).reshape(tensor.shape)
