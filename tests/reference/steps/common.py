"""What the programs of this folder share. Each computes one step of a training algorithm by its own code, in float64 arithmetic on
float32 weights and images, and writes it beside itself as NAME.json; tests/nn/reference_step.h compares our step with it.

Run with Debian's python3-torch: python3 NAME.py
Weights come from a formula of the tensor's name (../cifar_resnet.py), images from one of bytes, so files hold results alone:
  architecture  "tiny" or "tiny-normalized" (below), or one of `leeway list architectures`
  parameters    the algorithm's that are not its defaults
  filled        tensors of the algorithm's state that get weights by the formula of their key begin with one of these
  state         other tensors of its state, by key: what `prepare` would have made
  labelled      shape of x, bytes of x (pixel = byte / 255), y and, where asked for, group, environment (rows sorted by it), views (lists of
                bytes); other and share for soft labels; unlabelled likewise
  epoch, step, steps    which step of how many it is
  loss, parts   expected
  gradients     {key of the first moment: values}: the moment after one step of Adam is .1 times the gradient. Of tensors with more than 600
                numbers: norm, product with noise("gradient"), and 16 numbers at equal distances
"""
import json
import pathlib
import sys

import numpy as np
import torch
from scipy.special import betaincinv

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from cifar_resnet import noise, weights  # noqa: E402


class Random:
    """leeway::Random (core/random.h): Philox4x32-10 of counter (block, stream, sample) under the seed."""

    def __init__(self, seed, purpose, sample=0):
        stream = 2166136261
        for byte in purpose.encode():
            stream = (stream ^ byte) * 16777619 % 2 ** 32
        self.key = (seed % 2 ** 32, seed >> 32)
        self.counter = [0, stream, sample % 2 ** 32, sample >> 32]
        self.words, self.spare = [], None

    def bits(self):
        if not self.words:
            (a, b, c, d), (k, m) = self.counter, self.key
            for _ in range(10):
                p, q = a * 0xD2511F53, c * 0xCD9E8D57
                a, b, c, d = (q >> 32) ^ b ^ k, q % 2 ** 32, (p >> 32) ^ d ^ m, p % 2 ** 32
                k, m = (k + 0x9E3779B9) % 2 ** 32, (m + 0xBB67AE85) % 2 ** 32
            self.words = [a, b, c, d]
            self.counter[0] += 1
        return self.words.pop(0)

    def below(self, m):
        product = self.bits() * m
        while product % 2 ** 32 < 2 ** 32 % m:
            product = self.bits() * m
        return product >> 32

    def uniform(self):
        high = self.bits()
        return ((high << 32 | self.bits()) // 4096 + .5) / 2 ** 52

    def normal(self):
        if self.spare is not None:
            spare, self.spare = self.spare, None
            return spare
        radius, angle = np.sqrt(-2 * np.log(self.uniform())), 2 * np.pi * self.uniform()
        self.spare = radius * np.sin(angle)
        return radius * np.cos(angle)

    def shuffled(self, m):
        order = list(range(m))
        for i in range(m, 1, -1):
            j = self.below(i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order

    def beta(self, a):
        """Beta(a, a)."""
        return float(betaincinv(a, a, self.uniform()))


def images(name, *shape):
    """Bytes, int64."""
    return torch.tensor(np.floor((noise(name, int(np.prod(shape))) + 1) * 127.99).astype(np.int64)).reshape(shape)


def pixels(levels):
    """As our float32 of bytes, in float64."""
    return (levels.float() / 255).double()


def filled(key, *shape):
    return weights(key, torch.empty(shape)).double().requires_grad_()


def tiny(classes=3, inputs=16, hidden=5, normalized=False, prefix="network."):
    """flatten - linear 5 - batch normalization, where asked for - tanh - linear: its weights in order."""
    shapes = {"hidden.weight": (hidden, inputs), "hidden.bias": (hidden,)}
    if normalized:
        shapes |= {"norm.weight": (hidden,), "norm.bias": (hidden,)}
    shapes |= {"last.weight": (classes, hidden), "last.bias": (classes,)}
    return {prefix + name: filled(prefix + name, *shape) for name, shape in shapes.items()}


def tiny_forward(w, x, prefix="network."):
    """Logits and features, batch normalization in training mode."""
    z = x.flatten(1) @ w[prefix + "hidden.weight"].T + w[prefix + "hidden.bias"]
    if prefix + "norm.weight" in w:
        z = (z - z.mean(0)) / torch.sqrt(z.var(0, unbiased=False) + 1e-5)
        z = z * w[prefix + "norm.weight"] + w[prefix + "norm.bias"]
    z = torch.tanh(z)
    return z @ w[prefix + "last.weight"].T + w[prefix + "last.bias"], z


def batch(levels, **numbers):
    """One batch for the file: images of bytes and what else is known of them."""
    found = {"shape": list(levels.shape), "x": levels.flatten().tolist()}
    for name, values in numbers.items():
        found[name] = [v.flatten().tolist() for v in values] if name == "views" else torch.as_tensor(values).tolist()
    return found


def summary(gradient):
    g = gradient.detach().flatten().numpy()
    if g.size <= 600:
        return [float(f"{v:.9g}") for v in g]
    return {"norm": float(np.linalg.norm(g)), "along": float(g @ noise("gradient", g.size)),
            "some": g[::g.size // 16][:16].tolist()}


def write(name, loss, parameters, trained, moments="first.{}", gradients=None, **rest):
    """`trained`: all tensors the optimiser has, in its order; one that the loss does not reach has gradient 0. `gradients`: where they are
    not those of the loss."""
    gradients = gradients or torch.autograd.grad(loss, trained, allow_unused=True)
    found = {"algorithm": name.replace("_", "-"), "architecture": "tiny", "filled": ["network."], "parameters": parameters,
             "loss": loss.item(), **rest, "gradients": {}}
    for i, (tensor, gradient) in enumerate(zip(trained, gradients)):
        found["gradients"][moments.format(i)] = summary(torch.zeros_like(tensor) if gradient is None else gradient)
    path = pathlib.Path(__file__).parent / f"{name}.json"
    path.write_text(json.dumps(found).replace('], "', '],\n"') + "\n")
    print(name, path.stat().st_size, "bytes, loss", loss.item())
