#!/usr/bin/python3
"""Writes onnx/: small networks exported by Python's torch, and what it says about them.

Run with Debian's python3-torch: python3 make_onnx.py
Each network has files of several opsets, with the batch left open (any) and fixed to 1 (one); cnn_softmax.onnx ends in
a Softmax. NAME.npz holds images x (6,1,8,8), labels y, the logits, the features (the input of the last layer), the
gradient of each image's cross-entropy, and the gradient of every logit (6,3,64), in float64 arithmetic rounded to
float32.
"""
import pathlib
import warnings

import numpy as np
import torch
from torch import nn


class Cnn(nn.Module):
    """What exporters meet in networks for images: a residual block, both kinds of pooling, resizing, activations."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.inner = nn.Conv2d(6, 6, 3, padding=1, groups=2, bias=False)
        self.down = nn.Conv2d(6, 8, 3, stride=2, padding=1)
        self.act, self.swish = nn.LeakyReLU(.1), nn.Hardswish()
        self.hidden = nn.Linear(2 * 8 + 8 * 4, 10)
        self.last = nn.Linear(10, 3)

    def forward(self, x):
        x = self.act(self.norm(self.conv(x)))
        x = torch.relu(x + self.swish(self.inner(x)))
        x = self.down(x)
        up = nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")
        means = up.mean((2, 3))
        spread = torch.sqrt(((x - x.mean((2, 3), keepdim=True)) ** 2).mean((2, 3)) + 1e-3)
        pooled = nn.functional.max_pool2d(nn.functional.avg_pool2d(x, 2, 1, 1), 3, 2)
        x = torch.cat([means, spread, pooled.reshape(pooled.size(0), -1)], 1)
        features = torch.tanh(self.hidden(x))
        return self.last(features), features


class Vit(nn.Module):
    """A class token, attention, layer normalisation, GELU."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(1, 8, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, 8) * .5)
        self.place = nn.Parameter(torch.randn(1, 5, 8) * .5)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(8), nn.LayerNorm(8), nn.LayerNorm(8)
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.last = nn.Linear(8, 3)

    def attention(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4).unbind(0)
        weights = ((q @ k.transpose(-2, -1)) * (d // 2) ** -.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(n, t, d))

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.size(0), -1, -1), x], 1) + self.place
        x = x + self.attention(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        features = self.norm3(x)[:, 0]
        return self.last(features), features


class Timewise(nn.Module):
    """torch.nn.MultiheadAttention puts time first: a batch of 1 is then in the middle of its shapes."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        steps = x[:, 0].transpose(0, 1)
        features = self.attention(steps, steps, steps)[0].mean(0)
        return self.last(features), features


class Logits(nn.Module):
    def __init__(self, network, softmax=False):
        super().__init__()
        self.network, self.softmax = network, softmax

    def forward(self, x):
        logits = self.network(x)[0]
        return logits.softmax(-1) if self.softmax else logits


def export(network, path, opset, fixed):
    axes = None if fixed else {"x": {0: "n"}, "logits": {0: "n"}}
    torch.onnx.export(network, torch.rand(1 if fixed else 2, 1, 8, 8), str(path), opset_version=opset,
                      input_names=["x"], output_names=["logits"], dynamic_axes=axes)


def expected(network):
    rng = np.random.default_rng(7)
    x = rng.random((6, 1, 8, 8), dtype=np.float32)
    y = np.array([0, 1, 2, 0, 1, 2])
    network = network.double().eval()
    images = torch.tensor(x).double().requires_grad_()
    logits, features = network(images)
    loss = nn.functional.cross_entropy(logits, torch.tensor(y), reduction="sum")
    gradient = torch.autograd.grad(loss, images, retain_graph=True)[0]
    jacobian = torch.stack([torch.autograd.grad(logits[:, j].sum(), images, retain_graph=True)[0].flatten(1)
                            for j in range(3)], 1)
    f4 = lambda tensor: tensor.detach().numpy().astype(np.float32)
    return {"x": x, "y": y, "logits": f4(logits), "features": f4(features), "gradient": f4(gradient),
            "jacobian": f4(jacobian)}


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(__file__).parent / "onnx"
    folder.mkdir(exist_ok=True)
    for name, make, opsets in [("cnn", Cnn, (9, 11, 13, 17)), ("vit", Vit, (12, 17)), ("timewise", Timewise, (13,))]:
        torch.manual_seed(7)
        network = make().eval()
        with torch.no_grad():
            for key, buffer in network.named_buffers():
                if "running" in key:
                    buffer.copy_(torch.rand_like(buffer) + .5)
            for parameter in network.parameters():  # outputs that depend on images, by more than rounding
                parameter.mul_(2.5 if parameter.dim() > 1 else .5)
        for opset in opsets:
            export(Logits(network).eval(), folder / f"{name}_{opset}_any.onnx", opset, False)
            export(Logits(network).eval(), folder / f"{name}_{opset}_one.onnx", opset, True)
        if name == "cnn":
            export(Logits(network, softmax=True).eval(), folder / "cnn_softmax.onnx", 13, False)
        np.savez(folder / f"{name}.npz", **expected(network))


if __name__ == "__main__":
    main()
