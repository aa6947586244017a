#!/usr/bin/env python3
"""Writes average_case_record.json beside itself: what `leeway average-case` says of a network trained for an epoch on Fashion-MNIST
(Debian's dataset-fashion-mnist), on 200 images of its test set. Usage: average_case_record.py LEEWAY"""
import json
import tempfile

from records import run, write

with tempfile.TemporaryDirectory() as folder:
    run(folder, *"train --data fashion-mnist:train --epochs 1 --seed 1 --threads 1 --out cnn.safetensors --quiet".split())
    said = run(folder, *("average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.05,0.1,0.2 --rows 200"
                         " --methods mc,taylor,taylor-mvs,mmse,softmax --draws 100 --convergence --json --quiet").split())
write("average_case_record", json.loads(said), ensure_ascii=False)
