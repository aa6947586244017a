#!/usr/bin/python3
"""Writes ResNet-20 for CIFAR as an ONNX file, from named weights.

Usage: export_resnet20.py WEIGHTS.npz OUT.onnx [OPSET]          (needs Debian's python3-torch)
The batch is left open. The same weights run built in with --arch resnet20-cifar.
"""
import pathlib
import sys

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/reference"))
from cifar_resnet import Resnet  # noqa: E402


def main():
    weights, out, opset = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 13
    network = Resnet(20).eval()
    tensors = {name.removeprefix("module."): torch.tensor(value) for name, value in np.load(weights).items()}
    missing = network.load_state_dict(tensors, strict=False)
    if missing.unexpected_keys or any(not key.endswith("num_batches_tracked") for key in missing.missing_keys):
        sys.exit(f"{weights}: {missing}")
    torch.onnx.export(network, torch.rand(2, 3, 32, 32), out, opset_version=opset, input_names=["x"],
                      output_names=["logits"], dynamic_axes={"x": {0: "n"}, "logits": {0: "n"}})


if __name__ == "__main__":
    main()
