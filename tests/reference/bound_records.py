#!/usr/bin/env python3
"""Writes bound_record.json and bound_evaluate_record.json beside itself: small records of `leeway bound` and `leeway bound
evaluate` with every key that their pages draw. The bound's numbers are made up and add up; the evaluation's scores are
computed here from shifts drawn at random."""
import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent
DELTA = 0.01


def digits(value):
    return float(f"{value:.6g}")


def envelope(schema, command, inputs):
    listed = [{"path": path, "bytes": 240320, "shape": shape, "xxh3_128": f"{index:032x}"}
              for index, (path, shape) in enumerate(inputs, 1)]
    return {"schema": schema, "command": ["leeway", "bound"] + command, "inputs": listed, "seed": 0, "version": "0.1.0",
            "instruction_set": "avx512", "seconds": 1.9}


def hoeffding(n_source, n_target):
    return math.sqrt((n_source + 4 * n_target) * math.log(1 / DELTA) / (2 * n_source * n_target))


def method(name, error, assumes, fails, half=None, bound=False):
    return {"method": name, "error": error, "lower": None if half is None else digits(error - half),
            "upper": error if bound else None if half is None else digits(error + half), "is_bound": bound,
            "assumes": assumes, "fails": fails}


def bound_record():
    n = 2500
    source_error, discrepancy, term = 0.1, 0.32, digits(hoeffding(n, n))
    concentrations = [{"name": name, "term": value, "bound": digits(source_error + discrepancy + value)}
                      for name, value in [("hoeffding", term), ("empirical-bernstein", 0.05), ("betting", 0.035)]]
    critics = ("the truth contradicts the classifier no more, target over source, than the critics found on the logits do",
               "no critic found on the logits comes near the truth")
    results = [method("dis2", concentrations[0]["bound"], *critics, bound=True),
               method("dis2-estimate", digits(source_error + discrepancy), *critics)]
    for name, error, half in [("ac", 0.2, 0.012), ("doc", 0.21, 0.012), ("atc-conf", 0.26, 0.02), ("atc-ne", 0.28, 0.02),
                              ("cot", 0.24, 0.011), ("cot-corrected", 0.25, 0.011)]:
        results.append(method(name, error, f"what {name} assumes holds", f"what {name} assumes does not", half))
    restarts = [digits(discrepancy - 0.15 * abs(math.sin(1.7 * i))) for i in range(1, 12)]
    restarts.insert(5, discrepancy)
    record = envelope("leeway.bound/1", ["--source", "clean.npz", "--target", "blurred.npz", "--out", "bound.json"],
                      [("clean.npz", [5000, 10]), ("blurred.npz", [5000, 10])])
    record["results"] = results
    record["source"] = {"n": 5000, "k": 10, "error": 0.104, "error_low": 0.0957, "error_high": 0.1128}
    record["target"] = {"n": 5000, "error": 0.235}
    record["inverse_temperature"] = 0.84
    record["level"] = 0.95
    record["dis2"] = {"representation": "logits", "delta": DELTA, "holdout": 0.5, "source_error": source_error,
                      "discrepancy": discrepancy, "agreement_source": 0.93, "agreement_target": 0.61, "concentration": term,
                      "bound": concentrations[0]["bound"], "estimate": digits(source_error + discrepancy), "n_source": n,
                      "n_target": n, "validity_score": 0.87, "critic_warning": None, "concentrations": concentrations, "restarts": restarts}
    return record


def clopper_pearson(count, n, level=.95):
    from scipy.stats import beta
    low = 0. if count == 0 else float(beta.ppf((1 - level) / 2, count, n - count + 1))
    high = 1. if count == n else float(beta.ppf((1 + level) / 2, count + 1, n - count))
    return low, high


def score(points):
    n = len(points)
    over = [p["predicted"] - p["truth"] for p in points if p["predicted"] > p["truth"]]
    covered = n - len(over)
    low, high = clopper_pearson(covered, n)
    return {"n": n, "mae": digits(sum(abs(p["predicted"] - p["truth"]) for p in points) / n), "coverage": digits(covered / n),
            "coverage_low": digits(low), "coverage_high": digits(high),
            "overestimation": digits(sum(over) / len(over)) if over else None}


def evaluated(name, points, delta):
    result = {"method": name, **score(points)}
    result["violation_rate"] = digits(1 - result["coverage"])
    result["violation_low"], result["violation_high"] = digits(1 - result["coverage_high"]), digits(1 - result["coverage_low"])
    result["delta"] = delta
    if delta is not None:
        result["exceeds_delta"] = result["violation_low"] > delta
    result["adjusted"] = [{"adjustment": "shift", "level": 0.95,
                           **score([{**p, "predicted": max(0., p["predicted"] - 0.1)} for p in points])}]
    result["points"] = points
    return result


def evaluate_record():
    draw = random.Random(5)
    truths = [(data_set, digits(draw.uniform(0.25, 0.95))) for data_set in ("office", "visda", "living17") for _ in range(20)]

    def points(bias, spread):
        return [{"data_set": data_set, "truth": truth, "predicted": digits(min(1., max(0., truth + draw.gauss(bias, spread))))}
                for data_set, truth in truths]

    record = envelope("leeway.bound-evaluate/1", ["evaluate", "shifts.csv", "--out", "evaluation.json"], [("shifts.csv", [60])])
    record["results"] = [evaluated("ac", points(0.08, 0.07), None), evaluated("atc-ne", points(0.03, 0.06), None),
                         evaluated("cot", points(0.02, 0.05), None), evaluated("dis2@0.01", points(-0.2, 0.07), 0.01),
                         evaluated("dis2@0.05", points(-0.15, 0.07), 0.05), evaluated("dis2@0.2", points(-0.1, 0.07), 0.2)]
    record.update(data_sets=3, level=0.95, delta=None)
    return record


for name, record in [("bound_record", bound_record()), ("bound_evaluate_record", evaluate_record())]:
    (HERE / f"{name}.json").write_text(json.dumps(record, separators=(",", ":")) + "\n")
