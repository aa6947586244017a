#!/usr/bin/python3
"""Writes corruptions_record.json, what `leeway shift corrupt` says of a small network. Usage: corruptions_record.py LEEWAY

The network is trained on Fashion-MNIST (Debian's package dataset-fashion-mnist) for three epochs.
"""
import json
import pathlib
import tempfile

from records import run, write

TRAIN = "train --data fashion-mnist:train --arch small-cnn --epochs 3 --out cnn.safetensors --quiet"
ASSESS = "shift corrupt --data fashion-mnist:test --model cnn.safetensors --out record.json"

with tempfile.TemporaryDirectory() as folder:
    for words in (TRAIN, ASSESS):
        run(folder, *words.split())
    record = json.loads(pathlib.Path(folder, "record.json").read_text(encoding="utf-8"))
record["command"] = ["leeway", *ASSESS.split()]
write("corruptions_record", record)
