#!/usr/bin/env python3
"""Writes bound_record.json and bound_evaluate_record.json beside itself: what `leeway bound` says of a made-up classifier under a
made-up shift, and `leeway bound evaluate` of made-up methods over made-up shifts. Usage: bound_records.py LEEWAY"""
import json
import pathlib
import tempfile

import numpy

from records import run, write

N, K = 5000, 10


def outputs(path, seed, skill):
    rng = numpy.random.default_rng(seed)
    labels = rng.permutation(numpy.arange(N) % K)
    logits = rng.normal(0, 1, (N, K))
    logits[numpy.arange(N), labels] += skill
    numpy.savez(path, logits=logits.astype("f4"), labels=labels)


def shifts(path):
    rng = numpy.random.default_rng(5)
    methods = {"ac": (.08, .07), "atc-ne": (.03, .06), "cot": (.02, .05), "dis2@0.01": (-.2, .07), "dis2@0.05": (-.15, .07),
               "dis2@0.2": (-.1, .07)}
    lines = [",".join(["data_set", "truth", *methods])]
    for data_set in ("office", "visda", "living17"):
        for truth in rng.uniform(.25, .95, 20):
            said = [numpy.clip(truth + rng.normal(bias, spread), 0, 1) for bias, spread in methods.values()]
            lines.append(",".join([data_set] + [f"{value:.6g}" for value in (truth, *said)]))
    path.write_text("\n".join(lines) + "\n")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    outputs(folder / "clean.npz", 1, 3.5)
    outputs(folder / "blurred.npz", 2, 2.8)
    shifts(folder / "shifts.csv")
    for record, arguments in (("bound_record", "--source clean.npz --target blurred.npz --restarts 12"),
                              ("bound_evaluate_record", "evaluate shifts.csv")):
        run(folder, "bound", *arguments.split(), "--out", f"{record}.json", "--quiet")
        write(record, json.loads((folder / f"{record}.json").read_text()))
