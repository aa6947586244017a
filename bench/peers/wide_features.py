#!/usr/bin/python3
"""Features of 2,048 columns: leeway's commands against NumPy and SciPy on the same two files in one run.

    bench/peers/wide_features.py --leeway build/release/bin/leeway [--rows 10000] [--columns 2048] [--rounds 3]

Each round times a command and then its peer. The output shows medians, the median of the ratios within a round, the peak memory
of the command, and by how much the values differ. Both read the files and use all cores; leeway's OpenBLAS uses two threads.

| row | peer |
|---|---|
| align | for each set the covariance (a product) and numpy.linalg.eigh, then projections |
| frechet | two covariances, two eigh: tr (C' C'')^(1/2) from the root of C' |
| mmd | squared distances by products, kernel by numpy.exp, 1,000 rows at a time |
| pa --pairing cca | numpy.linalg.qr of both sets, svd of Q' Q, solve_triangular, nearest rows by products |

Needs Debian's time, python3-numpy, python3-scipy.
"""
import argparse
import json
import os
import statistics
import tempfile
import time

import numpy as np
import scipy.linalg

from many_classes import timed


def made(rows, columns, seed=0):
    """Correlated features with a falling spectrum, as of a network, clean and shifted, with logits and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, rows)
    mixing = rng.normal(size=(columns, columns)) * np.arange(1, columns + 1) ** -.5 / 10
    clean = (rng.normal(size=(rows, columns)) @ mixing + rng.normal(size=(10, columns))[labels] / 4).astype(np.float32)
    shifted = (clean * .9 + rng.normal(size=(rows, columns)) * .05).astype(np.float32)
    logits = (rng.normal(size=(rows, 10)) + 4 * np.eye(10)[labels]).astype(np.float32)
    return [{"logits": logits, "labels": labels, "features": features} for features in (clean, shifted)]


def centred(path):
    x = np.load(path)["features"].astype(np.float64)
    return x - x.mean(0)


def align(clean, shifted):
    scores = []
    for path in (clean, shifted):
        x = centred(path)
        scores.append(x @ np.linalg.eigh(x.T @ x)[1][:, -1])
    return abs(np.corrcoef(*scores)[0, 1])


def frechet(clean, shifted):
    means = [np.load(path)["features"].astype(np.float64).mean(0) for path in (clean, shifted)]
    c, s = ((x.T @ x) / (len(x) - 1) for x in (centred(clean), centred(shifted)))
    values, vectors = np.linalg.eigh(c)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    shared = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ s @ root), 0)).sum()
    return ((means[0] - means[1]) ** 2).sum() + np.trace(c) + np.trace(s) - 2 * shared


def mean_kernel(x, y):
    total, squares = 0, (y * y).sum(1)
    for begin in range(0, len(x), 1000):
        part = x[begin:begin + 1000]
        t = np.exp(((part * part).sum(1)[:, None] + squares - 2 * part @ y.T) / -600)
        total += (t ** 30 + t ** 20 + t ** 15 + t ** 6).sum()
    return total / len(x) / len(y)


def mmd(clean, shifted):
    x, y = (np.load(path)["features"].astype(np.float64) for path in (clean, shifted))
    y, x = y - x.mean(0), x - x.mean(0)
    return mean_kernel(x, x) + mean_kernel(y, y) - 2 * mean_kernel(x, y)


def cca(clean, shifted):
    x, y = centred(clean), centred(shifted)
    (qx, rx), (qy, ry) = np.linalg.qr(x), np.linalg.qr(y)
    u, values, v = np.linalg.svd(qx.T @ qy)
    kept = (values > 1e-6).sum()
    a = x @ scipy.linalg.solve_triangular(rx, u[:, :kept])
    b = y @ scipy.linalg.solve_triangular(ry, v[:kept].T)
    squares = (a * a).sum(1)
    return np.concatenate([(squares - 2 * b[i:i + 1000] @ a.T).argmin(1) for i in range(0, len(b), 1000)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--leeway", required=True)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["align", "frechet", "mmd", "cca"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("clean.npz", "shifted.npz")]
        for path, arrays in zip(files, made(arguments.rows, arguments.columns)):
            np.savez(path, **arrays)
        pairs, record = os.path.join(folder, "pairs.csv"), os.path.join(folder, "record.json")
        work = {"align": (["align"], align, lambda found: found["correlation"]),
                "frechet": (["distances", "--only", "frechet"], frechet, lambda found: found["distances"]["frechet"]),
                "mmd": (["distances", "--only", "mmd"], mmd, lambda found: found["distances"]["mmd"]),
                "cca": (["pa", "--pairing", "cca", "--save-pairs", pairs], cca,
                        lambda _: np.loadtxt(pairs, delimiter=",", skiprows=1, dtype=int)[:, 0])}
        for name in arguments.only:
            command, peer, value_of = work[name]
            ours, theirs, most = [], [], 0
            for _ in range(arguments.rounds):
                seconds, memory = timed([arguments.leeway, *command, *files, "--out", record, "--quiet"])
                ours.append(seconds)
                most = max(most, memory)
                begin = time.perf_counter()
                expected = peer(*files)
                theirs.append(time.perf_counter() - begin)
            found = value_of(json.load(open(record))["results"][0])
            near = np.mean(found == expected) if name == "cca" else abs(found / expected - 1)
            ratio = statistics.median(t / o for o, t in zip(ours, theirs))
            print(f"{name:8} leeway {statistics.median(ours):6.2f} s, {most:.2f} GB; peer {statistics.median(theirs):6.2f} s; "
                  f"{ratio:.2f} times as fast; " + (f"{near:.2%} of the pairs equal" if name == "cca" else f"values differ by {near:.1e}"),
                  flush=True)


if __name__ == "__main__":
    main()
