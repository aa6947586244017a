"""Writes checkpoints/: files that torch.save made, and in expected.json what they hold.

Run with Debian's python3-torch: python3 checkpoints.py
NAME.pt are zip archives, NAME.pth are of the older form. expected.json: file -> "everything" and "weights" (see
leeway/nn/io/checkpoint.h) -> tensor -> type, shape, values.
"""
import collections
import json
import math
import pathlib

import torch
from torch import nn

HALVES = (torch.float16, torch.bfloat16)


def described(tensor):
    tensor = tensor.detach()
    name = "float32" if tensor.dtype in HALVES else str(tensor.dtype).replace("torch.", "")
    values = [v if math.isfinite(v) else str(v) for v in tensor.double().flatten().tolist()]
    if not tensor.is_floating_point():
        values = [int(v) for v in tensor.flatten().tolist()]
    return {"type": name, "shape": list(tensor.shape), "values": values}


def flattened(value, name=""):
    if isinstance(value, torch.Tensor):
        return {name: described(value)}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    found = {}
    for key, inner in items:
        found.update(flattened(inner, f"{name}.{key}" if name else str(key)))
    return found


def network():
    return nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))


def trained():
    """As training scripts save: epoch, weights of a DataParallel module, an optimizer."""
    model = nn.DataParallel(network())
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.rand(4, 3)).square().sum().backward()
    optimizer.step()
    return {"epoch": 3, "best": .5, "name": "größe", "seed": 2 ** 70, "device": torch.device("cpu"),
            "shape": torch.Size([1, 2]), "flags": (True, False, None), "state_dict": model.state_dict(),
            "optimizer": optimizer.state_dict()}


def views():
    base = torch.arange(24.).reshape(4, 6)
    cube = torch.arange(24, dtype=torch.int16).reshape(2, 3, 4)
    return {"base": base, "same": base, "transposed": base.t(), "row": base[2], "columns": base[:, 1:6:2],
            "element": base[1, 1], "expanded": base[:1, 2:3].expand(3, 2), "permuted": cube.permute(2, 0, 1),
            "part": cube[1:, 1:, 2], "none": base[:0], "half": base.half()[1:, ::3]}


def types():
    numbers = [1, -2, 100]
    content = {str(t).replace("torch.", ""): torch.tensor(numbers, dtype=t)
               for t in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32,
                         torch.int16, torch.int8)}
    content |= {"uint8": torch.tensor([0, 1, 255], dtype=torch.uint8), "bool": torch.tensor([True, False, True]),
                "scalar": torch.tensor(2.5), "counter": torch.tensor(2 ** 53 + 1),
                "limits": torch.tensor([math.inf, -math.inf, math.nan, 6e-8], dtype=torch.float16)}
    return content


def nested():
    return collections.OrderedDict(parameter=nn.Parameter(torch.ones(2)), list=[torch.zeros(1), "text", (torch.ones(1),)],
                                   deep={"a": {1: {"b": torch.tensor([7])}}}, model={"size": 3})


def main():
    torch.manual_seed(3)
    folder = pathlib.Path(__file__).parent / "checkpoints"
    folder.mkdir(exist_ok=True)
    expected = {}

    def save(content, name, weights=None, **options):
        zipped = name.endswith(".pt")
        torch.save(content, folder / name, _use_new_zipfile_serialization=zipped, **options)
        everything = flattened(content)
        expected[name] = {"everything": everything, "weights": everything if weights is None else flattened(weights)}

    state = network().state_dict()
    checkpoint = trained()
    for ending in ("pt", "pth"):
        save(state, f"state_dict.{ending}")
        save(checkpoint, f"trained.{ending}", checkpoint["state_dict"])
        save(views(), f"views.{ending}")
        save(types(), f"types.{ending}")
        save({"net": {"model_state_dict": state, "x": torch.ones(1)}}, f"nested.{ending}", state)
    save(nested(), "protocol3.pt", pickle_protocol=3)
    save(nested(), "protocol5.pt", pickle_protocol=5)
    save(nested(), "protocol4.pth", pickle_protocol=4)
    linear = nn.DataParallel(nn.Linear(4, 3)).state_dict()
    save({"epoch": 1, "model": linear}, "linear.pt", linear)
    save([torch.ones(2), torch.zeros(1)], "list.pt")
    text = json.dumps(expected, ensure_ascii=False)
    (folder / "expected.json").write_text(text.replace('}}, "', '}},\n"') + "\n", encoding="utf-8")


main()
