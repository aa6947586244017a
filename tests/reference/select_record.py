#!/usr/bin/env python3
"""Writes select_record.json beside itself: a small record of `leeway select` with every key that the page draws. The numbers
are made up from smooth formulas; only their shapes and their order are as in a run."""
import json
import math
import pathlib

HERE = pathlib.Path(__file__).parent
K = 10
LOG_K = math.log(K)
N = 10000
PAIRS = {"evidence": "labels", "chance": 1e-300, "words": "their labels are equal (chance of that below 1e-12)"}


def digits(value):
    return float(f"{value:.6g}")


def around(name, value, half):
    return {name: digits(value), f"{name}_low": digits(value - half), f"{name}_high": digits(value + half)}


def envelope(schema, command, files):
    inputs = [{"path": path, "bytes": 400128, "shape": [N, K], "xxh3_128": f"{index:032x}"} for index, path in enumerate(files, 1)]
    return {"schema": schema, "command": ["leeway"] + command, "inputs": inputs, "seed": 0, "version": "0.1.0",
            "instruction_set": "avx512", "seconds": 0.31}


def select_record():
    names = [f"epochs/epoch-{epoch:02d}.npz" for epoch in range(1, 21)]
    results = []
    for index, name in enumerate(names):
        t = (index + 1) / 20
        pa = LOG_K * (0.35 + 0.9 * t * math.exp(-1.4 * t) + 0.006 * math.sin(7.0 * index))
        accuracy = 0.93 - 0.22 * math.exp(-6 * t) + 0.002 * math.cos(5.0 * index)
        shifted = 0.48 + 0.55 * t * math.exp(-1.6 * t) + 0.004 * math.sin(3.0 * index)
        results.append({"checkpoint": name, "pairing": PAIRS, "n": N, "k": K, **around("pa", pa, 0.019), "beta": digits(1 + t), "gap": 3e-10,
                        **around("accuracy", accuracy, 0.006), **around("accuracy_shifted", shifted, 0.0095), "afr_pred": digits(shifted + 0.04)})
    best = {key: max(range(20), key=lambda i: results[i][key]) for key in ("pa", "accuracy", "accuracy_shifted")}
    selected = {key: {"index": index, "checkpoint": names[index]} for key, index in best.items()}
    ahead = results[best["pa"]]["pa"] - results[best["accuracy"]]["pa"]
    selected["pa_difference"] = {"value": digits(ahead), "low": digits(ahead - 0.009), "high": digits(ahead + 0.009)}
    record = envelope("leeway.select/1", ["select", "--clean", "epochs", "--shifted", "shifted"], names[:2])
    return {**record, "results": results, "selected": selected}


(HERE / "select_record.json").write_text(json.dumps(select_record(), separators=(",", ":")) + "\n")
