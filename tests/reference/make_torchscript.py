"""Writes torchscript/: two tiny TorchScript models and what Python's torch says about them.

Run with Debian's python3-torch: python3 make_torchscript.py
logits.pt returns logits; pair.pt returns (logits, features). expected.npz holds images x (6,1,8,8), labels y, the logits,
the features, the gradient of each image's cross-entropy, and the gradient of every logit (6,3,64), in float64 arithmetic
rounded to float32.
"""
import pathlib
import zipfile

import numpy as np
import torch
from torch import nn


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.hidden = nn.Linear(64, 8)
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        features = torch.tanh(self.hidden(torch.relu(self.conv(x)).flatten(1)))
        return self.last(features), features


class Logits(nn.Module):
    def __init__(self, pair):
        super().__init__()
        self.pair = pair

    def forward(self, x):
        return self.pair(x)[0]


def save(module, path):
    """Without the debug records, which hold the paths of source files."""
    torch.jit.script(module).save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if not name.endswith(".debug_pkl")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)


def main():
    torch.manual_seed(7)
    folder = pathlib.Path(__file__).parent / "torchscript"
    folder.mkdir(exist_ok=True)
    pair = Pair().eval()
    with torch.no_grad():
        for p in pair.parameters():
            p.mul_(2)
    save(pair, folder / "pair.pt")
    save(Logits(pair), folder / "logits.pt")

    rng = np.random.default_rng(7)
    x = rng.random((6, 1, 8, 8), dtype=np.float32)
    y = np.array([0, 1, 2, 0, 1, 2])
    pair.double()
    t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    logits, features = pair(t)
    loss = nn.functional.cross_entropy(logits, torch.tensor(y), reduction="sum")
    gradient = torch.autograd.grad(loss, t, retain_graph=True)[0]
    jacobian = [torch.autograd.grad(logits[:, j].sum(), t, retain_graph=True)[0].flatten(1) for j in range(3)]
    np.savez(folder / "expected.npz", x=x, y=y, logits=logits.detach().numpy().astype(np.float32),
             features=features.detach().numpy().astype(np.float32), gradient=gradient.numpy().astype(np.float32),
             jacobian=torch.stack(jacobian, 1).numpy().astype(np.float32))


main()
