#!/usr/bin/env python3
"""Writes select_record.json beside itself: what `leeway select` says of the made-up epochs of one training. They grow more
accurate on clean samples, and less steady under the shift. Usage: select_record.py LEEWAY"""
import json
import pathlib
import tempfile

import numpy

from records import run, write

N, K, EPOCHS = 1000, 10, 20

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    rng = numpy.random.default_rng(0)
    labels = rng.permutation(numpy.arange(N) % K)
    noise, shift = rng.normal(0, 1, (2, N, K))
    (folder / "epochs").mkdir()
    (folder / "shifted").mkdir()
    files = []
    for epoch in range(1, EPOCHS + 1):
        t = epoch / EPOCHS
        clean = noise + rng.normal(0, .3, (N, K))
        clean[numpy.arange(N), labels] += 4 * (1 - numpy.exp(-4 * t))
        files.append(f"epoch-{epoch:02d}.npz")
        numpy.savez(folder / "epochs" / files[-1], logits=clean.astype("f4"), labels=labels)
        numpy.savez(folder / "shifted" / files[-1], logits=(clean + (1 + t ** 2) * shift).astype("f4"), labels=labels)
    run(folder, "select", "--clean", *[f"epochs/{file}" for file in files], "--shifted", *[f"shifted/{file}" for file in files],
        "--out", "select_record.json", "--quiet")
    write("select_record", json.loads((folder / "select_record.json").read_text()))
