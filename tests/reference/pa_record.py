#!/usr/bin/env python3
"""Writes pa_record.json beside itself: what `leeway pa` says of two made-up models under three made-up shifts.
Usage: pa_record.py LEEWAY"""
import json
import pathlib
import tempfile

import numpy

from records import run, write

N, K = 2000, 10
# of each shift: how far it moves the logits of cnn and of robust
SHIFTS = {"pgd-4": (1.6, .6), "pgd-8": (3.5, 1.1), "noise": (.8, .7)}

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    files = {}
    for m, model in enumerate(("cnn", "robust")):
        rng = numpy.random.default_rng(m)
        labels = rng.permutation(numpy.arange(N) % K)
        clean = rng.normal(0, 1, (N, K))
        clean[numpy.arange(N), labels] += 3.5 - m
        (folder / model).mkdir()
        numpy.savez(folder / model / "clean.npz", logits=clean.astype("f4"), labels=labels)
        files[model] = [f"{model}/clean.npz"]
        for shift, strengths in SHIFTS.items():
            step = rng.normal(0, strengths[m], (N, K))
            norms = numpy.linalg.norm(step, axis=1)
            numpy.savez(folder / model / f"{shift}.npz", logits=(clean + step).astype("f4"), labels=labels, norms=norms)
            files[model].append(f"{model}/{shift}.npz")
    run(folder, "pa", *files["cnn"], "--name", "cnn", "--model", "robust=" + ",".join(files["robust"]),
        "--ratios", "0:1:0.1", "--summaries", "--out", "pa_record.json", "--quiet")
    write("pa_record", json.loads((folder / "pa_record.json").read_text()))
