#!/usr/bin/env python3
"""Runs the study of docs/studies/corruptions.md: a small CNN on Fashion-MNIST, a published ResNet-20 on CIFAR-10, 19 corruptions.

    corruptions.py FOLDER [--leeway PATH] [--cifar DATA]

DATA: a folder with test_lossless_first1017.npz (x, y) and weights/resnet20-12fca82f.npz of the published ResNet-20. Everything goes to
FOLDER; what stands there whole is not made again. The last step writes FOLDER/corruptions.csv; corruptions_tables.py reads it.
"""
import json
import pathlib

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

EPOCHS = 8


class Corruptions(Study):
    threads = 2

    def measure(self, name, *words):
        self.run(f"{name}.record.json", "shift", "corrupt", *words)
        record = json.loads(self.path(f"{name}.record.json").read_text())
        clean = record["clean"]
        rows = [{"model": name, "corruption": "none", "severity": 0, "n": clean["n"], **{key: clean[key] for key in ("accuracy", "accuracy_low", "accuracy_high")}}]
        for result in record["results"]:
            if "accuracy" in result and result["accuracy"] is not None:
                rows.append({"model": name, "corruption": result["corruption"], "severity": result["severity"], "n": result["n"],
                             **{key: result[key] for key in ("accuracy", "accuracy_low", "accuracy_high", "pa_normalized", "afr_pred")},
                             **{key: result[key] for key in ("pa", "pa_low", "pa_high")}})
        return rows


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--cifar", type=pathlib.Path)
    study, arguments = begun(Corruptions, parser)
    study.run("small-cnn.safetensors", "train", "--data", "fashion-mnist:train", "--epochs", EPOCHS, "--patience", 0)
    rows = study.measure("small-cnn on Fashion-MNIST", "--data", "fashion-mnist:test", "--model", study.path("small-cnn.safetensors"))
    if arguments.cifar:
        rows += study.measure("ResNet-20 on CIFAR-10", "--data", arguments.cifar / "test_lossless_first1017.npz", "--model", arguments.cifar / "weights/resnet20-12fca82f.npz",
                              "--arch", "resnet20-cifar", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225")
    write_rows(study.path("corruptions.csv"), [{key: f"{value:.5f}" if isinstance(value, float) else value for key, value in row.items()} for row in rows])


if __name__ == "__main__":
    main()
