#!/usr/bin/python3
"""Level and power of the drift test of features beside the full quadratic MMD permutation test (Gretton et al. 2012) on the same sets.

    bench/peers/feature_drift.py --leeway build/release/bin/leeway [--pairs 500] [--rows 200] [--columns 32]
    bench/peers/feature_drift.py --leeway build/release/bin/leeway --speed        # 100,000 x 2,048 on both sides

The peer has the same kernel (Gaussian, width: median distance of the pooled rows), all pairs of rows and 256 permutations. Each line
has the share of pairs of sets with p <= .05 and its 95% Clopper-Pearson interval, of both, and the share of equal decisions.
`paired`: rows i of both sets are one sample with noise; leeway then flips signs, and the peer ignores the pairs.
Needs Debian's time, python3-numpy, python3-scipy.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.stats import beta

from many_classes import timed


def stretched(rng, n, d):
    """Two components of standard deviations 3 and 1, others 1."""
    return rng.normal(size=(n, d)) * np.where(np.arange(d) == 0, 3, 1)


def rotated(x, degrees):
    angle, y = np.radians(degrees), x.copy()
    y[:, 0], y[:, 1] = np.cos(angle) * x[:, 0] - np.sin(angle) * x[:, 1], np.sin(angle) * x[:, 0] + np.cos(angle) * x[:, 1]
    return y


def sets_of(kind, n, d, rng):
    x, y = stretched(rng, n, d), stretched(rng, n, d)
    if kind == "mean":
        y[:, 1] += .5
    if kind == "scale":
        y *= 1.12
    if kind == "rotation":
        y = rotated(y, 45)
    if kind == "paired":
        y = x + .5 * rng.normal(size=x.shape)
        x += .5 * rng.normal(size=x.shape)
    return x.astype(np.float32), y.astype(np.float32)


def peer_p(x, y, rng, draws=256):
    n, m = len(x), len(y)
    distances = pdist(np.concatenate([x, y]).astype(float), "sqeuclidean")
    kernel = squareform(np.exp(-distances / (2 * np.median(distances)))) + np.eye(n + m)
    weights = np.concatenate([np.full(n, 1 / n), np.full(m, -1 / m)])
    drawn = np.array([weights] + [rng.permutation(weights) for _ in range(draws)])
    statistics = ((drawn @ kernel) * drawn).sum(1)
    return (1 + (statistics[1:] >= statistics[0] - 1e-12).sum()) / (1 + draws)


def share(hits):
    k, n = int(np.sum(hits)), len(hits)
    low, high = beta.ppf(.025, k, n - k + 1) if k else 0, beta.ppf(.975, k + 1, n - k) if k < n else 1
    return f"{k / n:.3f} ({low:.3f} to {high:.3f})"


def save(path, features, seed, labels=None):
    logits = np.random.default_rng(seed).normal(size=(len(features), 2))
    np.savez(path, logits=logits, features=features, **({} if labels is None else {"labels": labels}))


def compare(args, kind, folder):
    words, peers = [], []
    for i in range(args.pairs):
        rng = np.random.default_rng([i, len(kind)])
        x, y = sets_of(kind, args.rows, args.columns, rng)
        for name, rows, seed in ((f"s{i}.npz", x, 2 * i), (f"t{i}.npz", y, 2 * i + 1)):
            save(os.path.join(folder, name), rows, seed)
        words += ["--source", f"m{i}=s{i}.npz", "--target", f"m{i}/t=t{i}.npz"]
        peers.append(peer_p(x, y, rng))
    subprocess.run([os.path.abspath(args.leeway), "assess", *words, "--no-bounds", "--paired", "yes" if kind == "paired" else "no", "--quiet",
                    "--out", "record.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "record.json")) as file:
        ours = [one["drift"]["features"]["p_alone"] for one in json.load(file)["results"]]
    a, b = np.array(ours) <= .05, np.array(peers) <= .05
    print(f"{kind:9} leeway {share(a)}   peer {share(b)}   equal {np.mean(a == b):.3f}", flush=True)


def speed(args, folder, rows=100_000, columns=2048):
    rng = np.random.default_rng(0)
    spectrum = np.arange(1, columns + 1) ** -.5
    for name in ("s", "t"):
        save(os.path.join(folder, name + ".npz"), (rng.normal(size=(rows, columns)) * spectrum).astype(np.float32), len(name))
    seconds, memory = timed([os.path.abspath(args.leeway), "assess", "--source", "m=" + os.path.join(folder, "s.npz"), "--target",
                                "m/t=" + os.path.join(folder, "t.npz"), "--no-bounds", "--paired", "no", "--quiet"])
    print(f"{rows} x {columns} on both sides: {seconds:.1f} s, {memory:.1f} GB at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leeway", required=True)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--columns", type=int, default=32)
    parser.add_argument("--kinds", nargs="+", default=["none", "paired", "mean", "scale", "rotation"])
    parser.add_argument("--speed", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.speed:
            return speed(args, folder)
        for kind in args.kinds:
            compare(args, kind, folder)


if __name__ == "__main__":
    main()
