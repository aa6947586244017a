"""Writes ResNet-18, ViT-B/16 and an LSTM with random weights to a folder, in the formats that the torch at hand can write.

Run by hand: python3 large_models.py FOLDER (needs torch and torchvision). Then compare logits and gradients with
LEEWAY_WRITTEN_MODELS=FOLDER nn_test --gtest_filter='*WrittenByPyTorch*' --gtest_output=json:gaps.json
"""
import pathlib
import sys

import numpy as np
import torch
import torchvision
from torch import nn

NEW = int(torch.__version__.split(".")[0]) >= 2


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(16, 64, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(128, 5)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def write(folder, name, model, x):
    model.eval()
    x.requires_grad_(True)
    logits = model(x)
    gradient, = torch.autograd.grad(logits[:, 0].sum(), x)
    np.savez(folder / f"{name}.npz", x=x.detach().numpy(), logits=logits.detach().numpy(), gradient_class0=gradient.numpy())
    writers = {
        "state_dict.pth": lambda file: torch.save(model.state_dict(), file),
        "trace.pt": lambda file: torch.jit.trace(model, x[:1], check_trace=False).save(file),
        "script.pt": lambda file: torch.jit.script(model).save(file),
        "legacy.onnx": lambda file: torch.onnx.export(model, x[:1].detach(), file, opset_version=16, input_names=["x"],
                                                      dynamic_axes={"x": {0: "n"}}, **({"dynamo": False} if NEW else {})),
    }
    if NEW:
        dynamic = ({0: torch.export.Dim.DYNAMIC},)
        writers["export.pt2"] = lambda file: torch.export.save(
            torch.export.export(model, (x.detach(),), dynamic_shapes=dynamic), file)
        writers["dynamo.onnx"] = lambda file: torch.onnx.export(model, (x.detach(),), file, dynamo=True, dynamic_shapes=dynamic)
    for ending, writer in writers.items():
        try:
            writer(str(folder / f"{name}_{ending}"))
        except Exception as error:
            print(f"{name}_{ending}: not written: {str(error).splitlines()[0]}")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    print("torch", torch.__version__)
    x = torch.rand(4, 3, 224, 224)
    write(folder, "resnet18", torchvision.models.resnet18(num_classes=10), x)
    transformer = torchvision.models.vit_b_16(num_classes=10)
    nn.init.normal_(transformer.heads.head.weight, std=.02)  # zero at first
    write(folder, "vit-b-16", transformer, x.detach())
    write(folder, "lstm", Lstm(), torch.randn(4, 12, 16))


if __name__ == "__main__":
    main()
