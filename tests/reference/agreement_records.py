#!/usr/bin/env python3
"""Writes pa_record.json and select_record.json beside itself: small records of `leeway pa` and `leeway select` with every
key that the page draws. The numbers are made up from smooth formulas; only their shapes and their order are as in a run."""
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


def ratio_at(ratio, strength):
    lost = strength * ratio ** 1.3
    pa = LOG_K * (1 - lost)
    return {"ratio": round(ratio, 2), "shifted": round(ratio * N), **around("pa", pa, 0.004 + 0.03 * lost), "beta": digits(2.5 * (1 - lost) + 0.2),
            "gap": 4e-10, "afr_pred": digits(1 - 0.95 * lost), "afr_true": digits(0.91 - 0.86 * lost)}


def part(n, each, delta, off):
    total = each * n
    return {"n": n, "sum": digits(total), "delta": delta, "approximation": None if off is None else digits(total * off)}


def pa_result(model, shifted, strength):
    ratios = [ratio_at(step / 10, strength) for step in range(11)]
    last = ratios[-1]
    adv, mis, rest = round(0.8 * strength * N), round(0.06 * N), round(0.03 * N)
    err = N - adv - mis - rest
    share = LOG_K * strength * N
    beta = last["beta"]
    curve = [{"beta": digits(0.02 * 1.2 ** i), "value": digits(-LOG_K + last["pa"] * math.exp(-math.log(0.02 * 1.2 ** i / beta) ** 2 / 3))} for i in range(50)]
    return {"model": model, "shifted": shifted, "pairing": PAIRS, "n": N, "k": K, "pa": last["pa"], "pa_low": last["pa_low"], "pa_high": last["pa_high"], "beta": beta,
            "pa_normalized": digits(last["pa"] / LOG_K), "log_pa_mean": digits(last["pa"] - LOG_K), "log_pa_sum": digits((last["pa"] - LOG_K) * N),
            "gap": 4e-10, "converged": True, "evaluations": 11,
            **around("afr_pred", last["afr_pred"], 0.009), **around("afr_true", last["afr_true"], 0.009), "asr": digits(1 - last["afr_true"]),
            "curve": curve, "local_maxima": [{"beta": beta, "value": digits(last["pa"] - LOG_K)}], "ratios": ratios,
            "decomposition": {"err": part(err, -0.12 * share / err, 0.07, 1.1), "mis": part(mis, -0.05 * share / mis, 0.2, 0.85),
                              "adv": part(adv, -0.75 * share / adv, 0.55 if strength > 0.7 else 0.31, None if strength > 0.7 else 1.25),
                              "rest": part(rest, -0.08 * share / rest, 0.6, None)},
            "entropy": {"samples": 9100, "over": "right", "at": [
                {"beta": 1, "clean": 0.31, "shifted": digits(0.4 + 0.5 * strength), "clean_plain": 3.31, "shifted_plain": digits(3.3 - 0.6 * strength)},
                {"beta": beta, "clean": 0.62, "shifted": digits(0.9 + strength), "clean_plain": 3.32, "shifted_plain": digits(3.32 - 0.5 * strength)}]},
            "confidence": {"clean_right": {"n": 9100, "at": [{"beta": 1, "mean": 0.943, "se": 0.0011}, {"beta": beta, "mean": 0.871, "se": 0.0016}]},
                           "moved": {"n": adv + rest, "at": [{"beta": 1, "mean": digits(0.55 + 0.4 * strength), "se": 0.0042},
                                                             {"beta": beta, "mean": digits(0.45 + 0.3 * strength), "se": 0.0051}]}}}


def pa_record():
    sets = {"pgd 4/255": (0.55, 0.16), "pgd 8/255": (0.86, 0.31), "noise 0.2": (0.27, 0.22)}
    results, gaps = [], []
    for shifted, (weak, steady) in sets.items():
        results += [pa_result("cnn", shifted, weak), pa_result("robust", shifted, steady)]
        points = []
        for step in range(1, 11):
            plus = step / 10
            minus = (steady / weak) ** (1 / 1.3) * plus
            points.append({"pa": digits(LOG_K * (1 - steady * plus ** 1.3)), "ratio_plus": plus, "ratio_minus": digits(minus), "gap": digits(plus - minus)})
        gaps.append({"shifted": shifted, "model_plus": "robust", "model_minus": "cnn", "points": points})
    record = envelope("leeway.pa/1", ["pa", "cnn=clean.npz", "robust=robust_clean.npz", "--ratios", "0:1:0.1"], ["clean.npz", "robust_clean.npz"])
    return {**record, "results": results, "ar_gap": gaps}


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


for file, record in {"pa_record.json": pa_record(), "select_record.json": select_record()}.items():
    (HERE / file).write_text(json.dumps(record, separators=(",", ":")) + "\n")
