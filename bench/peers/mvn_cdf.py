#!/usr/bin/python3
"""The multivariate normal distribution function: leeway beside scipy and R's mvtnorm in one run, at equal actual error.

    bench/peers/mvn_cdf.py --build BUILD [--rounds 3] [--no-r] [--large]

BUILD is a release build with LEEWAY_BENCH=ON (bench/README.md). One thread each. Problems are those of a classifier with k
classes: R = U U^T of the normalised differences of gradients, from random Jacobians (rows independent, 784 inputs) and from
structured ones (eight shared directions of unequal strength, rows of unequal size), bounds |N(0, s^2)|.

leeway runs at a list of tolerances, the peers at a list of maxpts with tolerances that never stop them, all on the same
problems; errors are distances from a run of leeway at a far smaller tolerance and another seed, whose own error is printed. A
peer's row says how much faster leeway is at the same root mean square error, and at the same largest error: leeway's time is
interpolated on the logarithms between its rows. Rounds take turns; times are medians.

Needs Debian's python3-numpy, python3-scipy, r-cran-mvtnorm.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
from scipy.stats._mvn import mvnun

R_PROGRAM = """
library(mvtnorm)
a <- commandArgs(TRUE); folder <- a[1]; m <- as.integer(a[2]); d <- as.integer(a[3]); points <- as.integer(a[4])
z <- matrix(readBin(file.path(folder, "z.bin"), "double", m * d), d); r <- readBin(file.path(folder, "r.bin"), "double", m * d * d)
set.seed(as.integer(a[5])); p <- numeric(m); method <- GenzBretz(maxpts = points, abseps = 1e-12, releps = 0)
invisible(pmvnorm(upper = z[, 1], corr = diag(d), algorithm = GenzBretz(maxpts = 1000)))
start <- proc.time()[["elapsed"]]
for (i in 1:m) p[i] <- pmvnorm(upper = z[, i], corr = matrix(r[((i - 1) * d * d + 1):(i * d * d)], d), algorithm = method)[1]
cat(proc.time()[["elapsed"]] - start, format(p, digits = 16))
"""


def problems(m, k, scale, structured, inputs=784):
    rng = np.random.default_rng(k)
    z, r = np.empty((m, k - 1)), np.empty((m, k - 1, k - 1))
    for i in range(m):
        jacobian = rng.standard_normal((k, inputs))
        if structured:
            shared = rng.standard_normal((8, inputs)) * np.array([4, 3, 2, 2, 1, 1, 1, 1])[:, None]
            jacobian = .4 * jacobian * rng.uniform(.5, 2, (k, 1)) + .8 * rng.standard_normal((k, 8)) @ shared / np.sqrt(8)
        u = jacobian[0] - jacobian[1:]
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        z[i], r[i] = np.abs(scale * rng.standard_normal(k - 1)), u @ u.T
        np.fill_diagonal(r[i], 1)
    return z, r


class Leeway:
    def __init__(self, build, folder, z, r):
        self.command, self.folder = os.path.join(build, "bin", "mvn_cdf_bench"), folder
        np.save(os.path.join(folder, "z.npy"), z)
        np.save(os.path.join(folder, "r.npy"), r)

    def __call__(self, tolerance, repeats=5, threads=1, points=1 << 20, log_tolerance=1e9, seed=0):
        words = [self.command, "z.npy", "r.npy", *map(str, (tolerance, repeats, threads, points, log_tolerance, seed))]
        return json.loads(subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True).stdout)


def scipy_run(z, r, points):
    low, mean = np.full(z.shape[1], -np.inf), np.zeros(z.shape[1])
    start = time.perf_counter()
    p = [mvnun(low, upper, mean, matrix, maxpts=points, abseps=1e-12, releps=1e-12)[0] for upper, matrix in zip(z, r)]
    return time.perf_counter() - start, np.array(p)


def r_run(folder, z, r, points, seed):
    z.tofile(os.path.join(folder, "z.bin"))
    r.tofile(os.path.join(folder, "r.bin"))
    said = subprocess.run(["Rscript", "-e", R_PROGRAM, folder, *map(str, (*z.shape, points, seed))], check=True,
                          capture_output=True, text=True).stdout.split()
    return float(said[0]), np.array(said[1:], float)


def errors(p, exact):
    return float(np.sqrt(np.mean((p - exact) ** 2))), float(np.abs(p - exact).max())


def seconds_at(rows, column, error):
    """leeway's time at that error, between its rows; beyond them the nearest row's."""
    rows = sorted(rows, key=lambda row: row[column])
    return float(np.exp(np.interp(np.log(error), np.log([row[column] for row in rows]), np.log([row[0] for row in rows]))))


def compare(flags, folder, title, z, r, tolerances, scipy_points, r_points, reference):
    m = len(z)
    leeway = Leeway(flags.build, folder, z, r)
    exact_run = leeway(reference, 1, 0, 1 << 21, seed=99)
    exact = np.array(exact_run["probability"])
    print(f"\n{title}: {m} problems, p from {exact.min():.2g} to {exact.max():.2g}, reference within {max(exact_run['error']):.1e}")
    print(f"{'':>8} {'setting':>10} {'ms a point':>11} {'rms error':>10} {'largest':>10} {'leeway is':>10} {'at largest':>10}")
    spent = {}
    for round_ in range(flags.rounds):  # taking turns
        for tolerance in tolerances:
            found = leeway(tolerance, 3, seed=round_)
            spent.setdefault(("leeway", tolerance), []).append((found["seconds"], np.array(found["probability"])))
        for points in scipy_points:
            spent.setdefault(("scipy", points), []).append(scipy_run(z, r, points))
        for points in () if flags.no_r else r_points:
            spent.setdefault(("R", points), []).append(r_run(folder, z, r, points, round_ + 1))
    ours = []
    for (name, setting), runs in spent.items():
        seconds = statistics.median(run[0] for run in runs) / m
        rms, largest = errors(np.array([run[1] for run in runs]), exact)
        ratios = ""
        if name == "leeway":
            ours.append((seconds, rms, largest))
        else:
            ratios = f"{seconds / seconds_at(ours, 1, rms):>9.0f}x {seconds / seconds_at(ours, 2, largest):>9.0f}x"
        print(f"{name:>8} {setting:>10g} {1e3 * seconds:>11.4f} {rms:>10.1e} {largest:>10.1e} {ratios}", flush=True)


def deep_tail(flags, folder):
    z, r = problems(6, 10, 1., True)
    for shift in (6, 12):
        upper = -z - shift
        leeway = Leeway(flags.build, folder, upper, r)
        found, exact = leeway(1e-4, log_tolerance=.01), leeway(1e-4, 1, log_tolerance=3e-4, seed=99)
        seconds, p = scipy_run(upper, r, 100_000)
        log_p = np.array(exact["log_probability"], float)
        ours = np.abs(np.array(found["log_probability"], float) - log_p)
        with np.errstate(divide="ignore"):
            theirs = np.abs(np.log(p) - log_p)
        print(f"tails, k = 10, log p from {log_p.min():.0f} to {log_p.max():.0f}: leeway within {ours.max():.4f} of log p in "
              f"{1e3 * found['seconds'] / len(z):.2f} ms, scipy within {np.median(theirs):.4f} (median), {theirs.max():.2g} "
              f"(largest) in {1e3 * seconds / len(z):.1f} ms")


def large(flags, folder):
    z, r = problems(2, 1000, 4., False, 3072)
    leeway = Leeway(flags.build, folder, z[:1], r[:1])
    found = leeway(1e-3, 3, threads=2)
    print(f"\nk = 1000, tolerance 1e-3, two threads: p = {found['probability'][0]:.5f} +- {found['error'][0]:.1e}, "
          f"{found['points'][0]} points, {found['seconds']:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-r", action="store_true")
    parser.add_argument("--large", action="store_true", help="also k = 1000")
    flags = parser.parse_args()
    flags.build = os.path.abspath(flags.build)
    with tempfile.TemporaryDirectory() as folder:
        for structured in (False, True):
            kind = "structured" if structured else "random"
            compare(flags, folder, f"k = 10, {kind} Jacobians", *problems(40, 10, 2., structured),
                    (3e-3, 1e-3, 3e-4, 1e-4, 3e-5), (2000, 10_000, 40_000), (2000, 10_000, 40_000), 5e-6)
            compare(flags, folder, f"k = 100, {kind} Jacobians", *problems(8, 100, 3., structured),
                    (1e-2, 3e-3, 1e-3, 3e-4), (5_000, 25_000), (5_000, 25_000), 3e-5)
        print()
        deep_tail(flags, folder)
        if flags.large:
            large(flags, folder)


if __name__ == "__main__":
    main()
