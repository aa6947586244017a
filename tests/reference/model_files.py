"""Writes model_files/: models as people save them, and in DATA.npz what Python's torch makes of x.

Run with Debian's python3-torch: python3 model_files.py
A file is named DATA-WRAPPING.ENDING. Those named whole-*.pt and several-*.pt are refused.
"""
import argparse
import collections
import datetime
import enum
import pathlib
import warnings
import zipfile

import numpy
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).parent / "model_files"


class Mode(enum.Enum):
    FAST = "fast"


class Linear(nn.Module):
    """Named as leeway's architecture linear."""

    def __init__(self, inputs):
        super().__init__()
        layer = nn.Linear(inputs, 3)
        self.weight, self.bias = layer.weight, layer.bias

    def forward(self, x):
        return nn.functional.linear(x.flatten(1), self.weight, self.bias)


class Last(nn.Module):
    """Of images (n,h,w,c): other weights for each channel."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x).mean((1, 2))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.steps, self.layer = kind(4, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.layer(self.steps(x)[0][:, -1])


def checkpoints(model):
    state = model.state_dict()
    prefixed = {prefix: {prefix + name: value for name, value in state.items()}
                for prefix in ("module.", "_orig_mod.", "module._orig_mod.", "model.")}
    options = argparse.Namespace(lr=.1, folder=pathlib.PurePosixPath("/data"), mode=Mode.FAST, seen={1, 2})
    contents = {
        "plain": state, "parameters": dict(model.named_parameters()), "parallel": prefixed["module."],
        "compiled": prefixed["_orig_mod."], "compiled_parallel": prefixed["module._orig_mod."],
        "list": [state], "tuple": (7, state), "list_of_more": ["epoch", 7, {"model": state}],
        "state_dict": {"epoch": 3, "state_dict": state}, "other_key": {"classifier": state, "epoch": 3},
        "namespace": {"state_dict": state, "args": options},
        "lightning": {"state_dict": prefixed["model."], "hyper_parameters": options, "callbacks": {}},
        "numpy": {"net": state, "best": numpy.float64(.5), "curve": numpy.zeros(3)},
        "objects": {"model": state, "when": datetime.datetime(2020, 1, 2), "seen": collections.defaultdict(list),
                    "count": collections.Counter("abc"), "log": b"bytes"},
        "optimizer": {"model": state, "optimizer": torch.optim.Adam(model.parameters())},
    }
    for name, content in contents.items():
        torch.save(content, FOLDER / f"table-{name}.pt")
    torch.save(contents["namespace"], FOLDER / "table-namespace_old.pth", _use_new_zipfile_serialization=False)
    torch.save(contents["objects"], FOLDER / "table-objects_5.pt", pickle_protocol=5)
    torch.save(nn.Sequential(nn.Linear(4, 3)), FOLDER / "whole-module.pt")
    torch.save(nn.Sequential(nn.Linear(4, 3)), FOLDER / "whole-old.pt", _use_new_zipfile_serialization=False)
    torch.save({"epoch": 1, "model": nn.Linear(4, 3)}, FOLDER / "whole-inside.pt")
    torch.save([state, state.copy()], FOLDER / "several-states.pt")


def save_program(module, name, x):
    """Without the debug records, which hold the paths of source files."""
    path = FOLDER / f"{name}.pt"
    torch.jit.trace(module, x).save(str(path))
    with zipfile.ZipFile(path) as archive:
        members = {key: archive.read(key) for key in archive.namelist() if not key.endswith(".debug_pkl")}
    with zipfile.ZipFile(path, "w") as archive:
        for key, data in members.items():
            archive.writestr(zipfile.ZipInfo(key), data)


def export(module, name, x, opset=13, open_batch=True):
    torch.onnx.export(module, x, str(FOLDER / f"{name}.onnx"), opset_version=opset, input_names=["x"],
                      output_names=["y"], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}} if open_batch else None)


def data(name, x, module):
    with torch.no_grad():
        numpy.savez(FOLDER / f"{name}.npz", x=x.numpy(), logits=module(x).numpy())


def main():
    torch.manual_seed(11)
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    table, sequence = 3 * torch.randn(5, 4) + 1, 2 * torch.randn(5, 6, 4)
    linear = Linear(4).eval()
    data("table", table, linear)
    checkpoints(linear)
    save_program(linear, "table-program", table)
    export(linear, "table-any", table)
    export(linear, "table-one", table[:1], open_batch=False)
    export(linear, "table-many", torch.zeros(789444, 4), open_batch=False)
    for kind in (nn.RNN, nn.LSTM, nn.GRU):
        name = kind.__name__.lower()
        module = Recurrent(kind).eval()
        data(name, sequence, module)
        save_program(module, f"{name}-program", sequence)
        export(module, f"{name}-any", sequence)
        export(module, f"{name}-one", sequence[:1], 17, False)
    grey = torch.rand(5, 3, 2)
    flat = Linear(6).eval()
    data("grey", grey, flat)
    save_program(flat, "grey-program", grey)
    export(flat, "grey-any", grey)
    torch.save(flat.state_dict(), FOLDER / "grey-plain.pt")
    last = Last().eval()
    data("last", torch.rand(5, 5, 2, 3), last)
    export(last, "last-any", torch.rand(5, 5, 2, 3))
    small = torch.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).eval())
    data("int8", table[:1], small)
    save_program(small, "int8-program", table)


main()
