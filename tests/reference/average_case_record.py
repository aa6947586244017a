#!/usr/bin/env python3
"""Writes average_case_record.json beside itself: what `leeway average-case` says of a network trained for an epoch on Fashion-MNIST
(Debian's dataset-fashion-mnist), on 200 images of its test set. Usage: average_case_record.py LEEWAY"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

leeway = str(pathlib.Path(sys.argv[1]).resolve())
with tempfile.TemporaryDirectory() as folder:
    for command in ("train --data fashion-mnist:train --epochs 1 --seed 1 --threads 1 --out cnn.safetensors",
                    "average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.05,0.1,0.2 --rows 200"
                    " --methods mc,taylor,taylor-mvs,mmse,softmax --draws 100 --convergence --json"):
        done = subprocess.run([leeway, *command.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.PIPE)
(HERE / "average_case_record.json").write_text(json.dumps(json.loads(done.stdout), separators=(",", ":"), ensure_ascii=False) + "\n")
