#!/usr/bin/python3
"""The exact transport of COT: leeway against POT's network simplex (ot.emd2) in one run, and its growth with n.

    bench/peers/transport.py --build BUILD [--rounds 7] [--threads N] [--largest 1000000] [--plot growth.svg]

BUILD is a release build with LEEWAY_BENCH=ON (bench/README.md). n = 10000, k = 10: every round times both, one after the
other; shown are medians and the median of the ratios within a round. The arrays are in memory on both sides; POT gets the
cost matrix made. Then leeway alone from 1e4 to the largest n. Both costs must agree to 1e-9.

Needs Debian's python3-pot, python3-numpy; python3-matplotlib for --plot.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import ot


def make(n, k, seed=0):
    """Softmax rows of a classifier that is right in about two of three rows, labels drawn evenly."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    logits = 1.5 * rng.standard_normal((n, k))
    logits[np.arange(n), rng.integers(0, k, n)] += 1
    logits[np.arange(n), labels] += 2.5
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    source = rng.dirichlet(np.full(k, 8.))
    return np.ascontiguousarray(p), source


class Bench:
    def __init__(self, build, threads):
        self.command, self.threads = os.path.join(build, "bin", "transport_bench"), threads

    def __call__(self, folder, p, masses, repeats):
        paths = [os.path.join(folder, name) for name in ("gains.npy", "masses.npy")]
        for path, array in zip(paths, (p, masses)):
            np.save(path, array)
        said = subprocess.run([self.command, *paths, str(repeats), str(self.threads)], check=True, capture_output=True, text=True)
        return json.loads(said.stdout)


def against_pot(bench, folder, rounds):
    p, masses = make(10_000, 10)
    rows, cost_matrix = np.full(len(p), 1 / len(p)), 1 - p
    ours, theirs = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        cost = ot.emd2(rows, masses, cost_matrix, numItermax=10 ** 7)
        theirs.append(time.perf_counter() - start)
        found = bench(folder, p, masses, 5)
        ours.append(found["seconds"])
        if abs(found["cost"] - cost) > 1e-9:
            raise SystemExit(f"costs differ: leeway {found['cost']}, POT {cost}")
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    print(f"n = 10000, k = 10, {found['threads']} threads, cost {found['cost']:.12f}, gap {found['gap']:.1e}")
    print(f"POT emd2 {1e3 * statistics.median(theirs):8.2f} ms\nleeway   {1e3 * statistics.median(ours):8.2f} ms"
          f"   {ratio:.1f}x faster")


def growth(bench, folder, largest):
    sizes = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000) if n <= largest]
    print(f"{'n':>9} {'ms':>9} {'ns a row':>9} {'gap':>9}")
    points = []
    for n in sizes:
        found = bench(folder, *make(n, 10), 5)
        points.append((n, found["seconds"]))
        print(f"{n:>9} {1e3 * found['seconds']:>9.2f} {1e9 * found['seconds'] / n:>9.1f} {found['gap']:>9.1e}")
    (n0, s0), (n1, s1) = points[0], points[-1]
    if n1 > n0:
        print(f"grows as n^{math.log(s1 / s0) / math.log(n1 / n0):.2f}")
    return points


def plot(points, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(5, 3.2))
    axes.loglog(*zip(*points), "o-", color="#0072B2", label="leeway")
    (n0, s0), (n1, _) = points[0], points[-1]
    axes.loglog([n0, n1], [s0, s0 * n1 / n0], "--", color="#999999", label="linear")
    axes.set_xlabel("rows (k = 10)")
    axes.set_ylabel("seconds")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0, help="0: one per core")
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--plot", help="write the growth as a figure to this file")
    flags = parser.parse_args()
    bench = Bench(flags.build, flags.threads)
    with tempfile.TemporaryDirectory() as folder:
        against_pot(bench, folder, flags.rounds)
        points = growth(bench, folder, flags.largest)
    if flags.plot:
        plot(points, flags.plot)


if __name__ == "__main__":
    main()
