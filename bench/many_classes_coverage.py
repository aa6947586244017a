#!/usr/bin/env python3
"""Coverage of the estimates' bootstrap intervals at 1,000 classes: how often they hold the mean estimate over all draws.

    PYTHON bench/many_classes_coverage.py FILE [--draws 500] [--rows 10000]

PYTHON has leeway. Each draw makes a source and a target (peers/many_classes.py) and adds a line to FILE; lines that are there are not
computed again. 500 draws take 20 minutes.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

import leeway

sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))
from many_classes import made  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--rows", type=int, default=10_000)
    arguments = parser.parse_args()
    arguments.file.touch()
    with arguments.file.open("a") as file:
        for draw in range(len(arguments.file.read_text().splitlines()), arguments.draws):
            source, target = made(arguments.rows, 1000, draw)
            found = leeway.estimates(source, target, methods=["ac", "doc", "atc-conf", "atc-ne"], seed=draw)
            file.write(json.dumps({e.method: [e.error, e.error_low, e.error_high] for e in found.results}) + "\n")
            file.flush()
    draws = [json.loads(line) for line in arguments.file.read_text().splitlines()]
    for method in draws[0]:
        error, low, high = np.array([draw[method] for draw in draws]).T
        held = int(((low <= error.mean()) & (error.mean() <= high)).sum())
        print(f"{method:8} mean {error.mean():.4f}, deviation {error.std(ddof=1):.4f}, mean width {np.mean(high - low):.4f}: "
              f"{held} of {len(draws)} intervals hold the mean")


if __name__ == "__main__":
    main()
