#!/usr/bin/python3
"""Writes statistics.csv: intervals and tests as other programs compute them.

Columns: what, a, b, level, low, high. For proportions a = successes, b = n; for mcnemar a and b are the two counts of
disagreement and low = high = p; for normal_quantile level = p and low = high = z.
The exact interval is computed in 30 digits with mpmath: scipy's betaincinv has relative errors of 1e-9 at n = 1e6, and
binomtest's "exact" has absolute errors of 1e-12.
"""
import csv
import pathlib

import mpmath
from scipy import special, stats

mpmath.mp.dps = 30
COUNTS = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (1, 1000), (731, 1000), (999, 1000), (5000, 10000),
          (9999, 10000), (3, 1000000), (123456, 1000000)]
LEVELS = [.5, .9, .95, .999]
PAIRS = [(0, 0), (0, 1), (1, 0), (0, 10), (5, 5), (3, 9), (40, 61), (500, 650), (7, 1000)]
PROBABILITIES = [1e-300, 1e-10, .025, .5, .8, .975, 1 - 1e-10]


def beta_quantile(a, b, p):
    x = mpmath.mpf(float(special.betaincinv(a, b, float(p))))
    log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    for _ in range(3):
        power = mpmath.exp(a * mpmath.log(x) + b * mpmath.log1p(-x) - log_beta)
        x -= (power / a * mpmath.hyp2f1(a + b, 1, a + 1, x) - p) / (power / x / (1 - x))
    return x


with open(pathlib.Path(__file__).with_name("statistics.csv"), "w", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["what", "a", "b", "level", "low", "high"])
    for k, n in COUNTS:
        for level in LEVELS:
            low = 0.0 if k == 0 else float(beta_quantile(k, n - k + 1, (1 - level) / 2))
            high = 1.0 if k == n else float(beta_quantile(k + 1, n - k, 1 - mpmath.mpf((1 - level) / 2)))
            rows.writerow(["clopper_pearson", k, n, repr(level), repr(low), repr(high)])
            interval = stats.binomtest(k, n).proportion_ci(level, "wilson")
            rows.writerow(["wilson", k, n, repr(level), repr(float(interval.low)), repr(float(interval.high))])
    for b, c in PAIRS:
        p = float(stats.binomtest(b, b + c).pvalue) if b + c else 1.0
        rows.writerow(["mcnemar", b, c, "0.95", repr(p), repr(p)])
    for p in PROBABILITIES:
        z = float(stats.norm.ppf(p))
        rows.writerow(["normal_quantile", 0, 0, repr(p), repr(z), repr(z)])
