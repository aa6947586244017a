#!/usr/bin/python3
"""Writes corruptions_record.json, what `leeway shift corrupt` says of a small network. Usage: corruptions_record.py LEEWAY

The network is trained on Fashion-MNIST (Debian's package dataset-fashion-mnist) for three epochs.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TRAIN = "train --data fashion-mnist:train --arch small-cnn --epochs 3 --out cnn.safetensors --quiet"
ASSESS = "shift corrupt --data fashion-mnist:test --model cnn.safetensors --out record.json"


def main():
    leeway = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for words in (TRAIN, ASSESS):
            subprocess.run([leeway, *words.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        record = json.loads(pathlib.Path(folder, "record.json").read_text(encoding="utf-8"))
    record["command"] = ["leeway", *ASSESS.split()]
    text = json.dumps(record, separators=(",", ":"))
    (HERE / "corruptions_record.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
