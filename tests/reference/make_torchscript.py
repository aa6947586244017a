"""Writes torchscript/: tiny TorchScript models of images (1,8,8), and what Python's torch says about two of them.

Run with Debian's python3-torch: python3 make_torchscript.py
logits.pt returns logits; pair.pt returns (logits, features). expected.npz holds images x (6,1,8,8), labels y, the logits,
the features, the gradient of each image's cross-entropy, and the gradient of every logit (6,3,64), in float64 arithmetic
rounded to float32. The others are models that mislead:
dropout_on.pt and statistics_on.pt were traced before eval(); signs.pt has a layer of signs, whose gradient is 0; no_gradient.pt detaches its logits;
in_place.pt scales its input in place; one_logit.pt and one_probability.pt have a single output, one_logit_pair.pt is the first
as two classes; unknown_operator.pt calls an operator that LibTorch does not have.
softmax.pt is logits.pt with a softmax behind it. writes.pt saves its input to ./written-by-the-model when it runs,
writes_when_read.pt when it is loaded; clip_names.pt holds the modules of a CLIP in float16; loops.pt prints and never returns; fork_prints.pt prints in a forked task.
"""
import pathlib
import zipfile
from typing import Tuple

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


class Changed(nn.Module):
    """A linear layer on flat images, between two functions."""

    def __init__(self, outputs, before=nn.Identity(), after=nn.Identity()):
        super().__init__()
        self.before, self.layer, self.after = before, nn.Linear(64, outputs), after

    def forward(self, x):
        return self.after(self.layer(self.before(x.flatten(1) - .5)))


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Softmax(nn.Module):
    def __init__(self, logits):
        super().__init__()
        self.logits = logits
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.softmax(self.logits(x))


class Writes(nn.Module):
    def forward(self, x):
        torch.save(x, "written-by-the-model")
        return x.flatten(1)


class WritesWhenRead(nn.Module):
    @torch.jit.export
    def __getstate__(self):
        return torch.zeros(1), self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]):
        torch.save(state[0], "written-by-the-model")
        self.training = state[1]

    def forward(self, x):
        return x.flatten(1)


class Loops(nn.Module):
    def forward(self, x):
        print("a line of the model's own")
        total = x.sum()
        while bool(total > -1):
            total = total.abs()
        return x.flatten(1)


class ClipNames(nn.Module):
    """Names by which OpenAI's archive of CLIP is known."""

    def __init__(self):
        super().__init__()
        self.visual = nn.Linear(3, 2)
        self.text_projection = nn.Parameter(torch.arange(6.).view(2, 3) / 4)
        self.register_buffer("context_length", torch.tensor(77))

    def forward(self, x):
        return self.visual(x) @ self.text_projection


def printed(x):
    print("a line of the model's own")
    return x.flatten(1)


class ForkPrints(nn.Module):
    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(printed, x))


def save(module, path, edit=lambda code: code):
    """Without the debug records, which hold the paths of source files. `edit` changes the code."""
    traced = module if isinstance(module, torch.jit.ScriptModule) else torch.jit.script(module)
    traced.save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if not name.endswith(".debug_pkl")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), edit(data) if name.endswith(".py") else data)


def misleading(folder):
    """Models that lead to wrong answers where nobody looks."""
    torch.manual_seed(8)
    x = torch.rand(2, 1, 8, 8)

    def trace(name, module, edit=lambda code: code):
        save(torch.jit.trace(module, x, check_trace=False), folder / name, edit)

    trace("dropout_on.pt", Changed(3, after=nn.Dropout(.5)).train())
    trace("statistics_on.pt", Changed(3, after=nn.BatchNorm1d(3)).train())
    signs = nn.Sequential(Call(torch.sign), nn.Linear(40, 3))
    trace("signs.pt", Changed(40, after=signs).eval())
    trace("no_gradient.pt", Changed(3, after=Call(torch.detach)).eval())
    trace("in_place.pt", nn.Sequential(Call(lambda x: x.mul_(4)), Changed(3)).eval())
    trace("unknown_operator.pt", Changed(3, after=nn.Tanh()).eval(),
          lambda code: code.replace(b"torch.tanh(", b"ops.forest.ash("))
    one = Changed(1).eval()
    with torch.no_grad():
        one.layer.weight.mul_(10)
    trace("one_logit.pt", one)
    trace("one_logit_pair.pt", nn.Sequential(one, Call(lambda v: torch.cat([torch.zeros_like(v), v], 1))))
    trace("one_probability.pt", nn.Sequential(one, Call(lambda v: torch.sigmoid(v).squeeze(1))))


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
    save(Softmax(Logits(pair)), folder / "softmax.pt")
    save(Writes(), folder / "writes.pt")
    save(WritesWhenRead(), folder / "writes_when_read.pt")
    save(Loops(), folder / "loops.pt")
    save(ForkPrints(), folder / "fork_prints.pt")
    misleading(folder)
    torch.manual_seed(9)
    save(ClipNames().half(), folder / "clip_names.pt")

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
