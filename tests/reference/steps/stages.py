"""A residual network of 20 layers in stages, by the names of its weights, for the programs of this folder whose algorithms look inside a
network."""
import json
import pathlib

import torch
import torch.nn.functional as F

from common import filled, summary


def resnet20(prefix, classes, channels=1):
    shapes, c = {"conv1.weight": (16, channels, 3, 3), "bn1.weight": (16,), "bn1.bias": (16,)}, 16
    for layer, to in ((1, 16), (2, 32), (3, 64)):
        for block in range(3):
            for i in (1, 2):
                p = f"layer{layer}.{block}."
                shapes |= {f"{p}conv{i}.weight": (to, c, 3, 3), f"{p}bn{i}.weight": (to,), f"{p}bn{i}.bias": (to,)}
                c = to
    shapes |= {"linear.weight": (classes, 64), "linear.bias": (classes,)}
    return {prefix + name: filled(prefix + name, *shape) for name, shape in shapes.items()}


def normalized(w, name, x, training=True):
    """Batch normalization of maps or rows; statistics of nothing where it does not train."""
    shape = (1, -1, 1, 1)[:x.dim()]
    if training:
        over = [d for d in range(x.dim()) if d != 1]
        mean = x.mean(over, keepdim=True)
        x = (x - mean) / torch.sqrt(((x - mean) ** 2).mean(over, keepdim=True) + 1e-5)
    else:
        x = x / (1 + 1e-5) ** .5
    return x * w[name + ".weight"].view(shape) + w[name + ".bias"].view(shape)


def stage(w, prefix, number, x, training=True):
    if number == 0:
        return F.relu(normalized(w, prefix + "bn1", F.conv2d(x, w[prefix + "conv1.weight"], padding=1), training))
    for block in range(3):
        p = f"{prefix}layer{number}.{block}."
        shrinks = number > 1 and block == 0
        inner = F.relu(normalized(w, p + "bn1", F.conv2d(x, w[p + "conv1.weight"], stride=1 + shrinks, padding=1), training))
        inner = normalized(w, p + "bn2", F.conv2d(inner, w[p + "conv2.weight"], padding=1), training)
        if shrinks:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, x.shape[1] // 2, x.shape[1] // 2))
        x = F.relu(inner + x)
    return x


def write(name, architecture, loss, parameters, gradients, keep, filled=("network.",), **rest):
    """`gradients` by key, in the optimiser's order; kept are those whose key contains one of `keep`."""
    found = {"algorithm": name, "architecture": architecture, "filled": list(filled), "parameters": parameters, "loss": loss.item(), **rest,
             "gradients": {f"first.{i}": summary(g) for i, (key, g) in enumerate(gradients.items()) if any(k in key for k in keep)}}
    write_json(name, found)


def write_json(name, found):
    path = pathlib.Path(__file__).parent / f"{name}.json"
    path.write_text(json.dumps(found).replace('], "', '],\n"') + "\n")
    print(name, path.stat().st_size, "bytes,", len(found["gradients"]), "gradients, loss", found["loss"])
