"""Writes robustbench.pt, a state dict with the buffers of a RobustBench network, and its logits in robustbench.json.

    robustbench.py [FOLDER]

Run with Debian's python3-torch. With FOLDER, writes whole networks there instead: NAME.pt, NAME-logits.npy, and images.npz.
"""
import json
import pathlib
import sys

import numpy
import torch
from torch import nn

from architectures import PreActResnet18, SiluWideResnet, WideResnet
from cifar_resnet import noise, weights

MEAN, STD = (.4914, .4822, .4465), (.2471, .2435, .2616)


class Normalized(nn.Module):
    """The tensors of a network beside its buffers, as a network has them that normalizes in forward()."""

    def __init__(self, network, names, shape):
        super().__init__()
        self.network = network
        for name, values in zip(names, (MEAN, STD)):
            network.register_buffer(name, torch.tensor(values).view(shape))
        self.names = names

    def forward(self, x):
        mean, std = (getattr(self.network, name) for name in self.names)
        return self.network((x - mean) / std)


def small(folder):
    layer = nn.Linear(12, 3)
    state = {name: weights(name, tensor) for name, tensor in layer.state_dict().items()}
    layer.load_state_dict(state)
    x = torch.tensor((noise("images", 48).reshape(4, 3, 2, 2) + 1) / 2, dtype=torch.float32)
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (MEAN, STD))
    torch.save({**state, "mu": mean, "sigma": std, "sub_block1.layer.0.bn1.weight": torch.ones(2)}, folder / "robustbench.pt")
    (folder / "robustbench.json").write_text(json.dumps(layer(((x - mean) / std).flatten(1)).tolist()) + "\n")


def large(folder):
    x = torch.tensor((noise("images", 4 * 3 * 32 * 32).reshape(4, 3, 32, 32) + 1) / 2, dtype=torch.float32)
    numpy.savez(folder / "images.npz", x=x.numpy(), y=numpy.arange(4))
    for name, network, names, shape in (("preact-resnet18", PreActResnet18(), ("mu", "sigma"), (1, 3, 1, 1)),
                                        ("wrn-28-10", WideResnet(), ("mu", "sigma"), (1, 3, 1, 1)),
                                        ("dm-wrn-28-10", SiluWideResnet(28, 10), ("mean", "std"), (3, 1, 1))):
        state = {key: weights(key, value) for key, value in network.state_dict().items() if not key.endswith("num_batches_tracked")}
        network.load_state_dict(state, strict=False)
        model = Normalized(network, names, shape).eval()
        torch.save(network.state_dict(), folder / f"{name}.pt")
        numpy.save(folder / f"{name}-logits.npy", model(x).detach().numpy())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        large(pathlib.Path(sys.argv[1]))
    else:
        small(pathlib.Path(__file__).parent)
