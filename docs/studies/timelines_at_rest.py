#!/usr/bin/env python3
"""How often a timeline raises something although nothing moved: the table of docs/guides/time.md.

    timelines_at_rest.py [--targets 600]

Each target has 50 chunks of 100 rows, the source 1,000 rows; 4 classes, logits standard normal with 1.5 added to the label's. Needs
leeway's Python package and NumPy; a second a target.
"""
import argparse
import collections

import leeway
import numpy as np

CHUNKS, ROWS, SOURCE, CLASSES, SKILL = 50, 100, 1000, 4, 1.5
MEASURES = ("accuracy", "likely_error", "confidence", "classes", "drift")


def draw(n, rng):
    labels = rng.integers(CLASSES, size=n)
    logits = rng.normal(size=(n, CLASSES))
    logits[np.arange(n), labels] += SKILL
    return {"logits": logits.astype("f4"), "labels": labels}


def raised(seed):
    rng = np.random.default_rng(seed)
    source, target = draw(SOURCE, rng), draw(CHUNKS * ROWS, rng)
    target["time"] = np.arange(CHUNKS * ROWS, dtype=float)
    record = leeway.assess(source, target, chunk=str(ROWS), paired="no", restarts=1, quiet=True, seed=seed).to_dict()
    timeline = record["over_time"]["timelines"][0]
    alarm_share = (1 - timeline["level"]) / len(MEASURES)
    found = set()
    for chunk in timeline["chunks"]:
        found.update(name for name, band in chunk["bands"].items() if band["below"] or band["above"])
        if chunk["drift"]["p_value"] <= alarm_share:
            found.add("drift")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", type=int, default=600)
    targets = parser.parse_args().targets
    counts, anything = collections.Counter(), 0
    for seed in range(targets):
        found = raised(seed)
        counts.update(found)
        anything += bool(found)
    print(f"anything: {anything} of {targets}; " + ", ".join(f"{name} {counts[name]}" for name in MEASURES))


if __name__ == "__main__":
    main()
