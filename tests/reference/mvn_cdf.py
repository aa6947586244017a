#!/usr/bin/python3
"""Writes mvn_cdf.json: multivariate normal probabilities as other programs compute them.

Small cases from scipy (d = 2, 3: Genz's closed forms through mvnun at its tightest; more: many points) and from
R's mvtnorm (TVPACK and Miwa: exact to about 1e-9 up to d = 7). Needs Debian's python3-scipy, r-cran-mvtnorm.
"""
import json
import pathlib
import subprocess

import numpy as np
from scipy.stats._mvn import mvnun

R_PROGRAM = """
library(mvtnorm)
input <- file("stdin"); open(input)
while (length(line <- readLines(input, 1)) > 0) {
  v <- as.numeric(strsplit(line, " ")[[1]])
  d <- v[1]; b <- v[2:(d + 1)]; r <- matrix(v[(d + 2):length(v)], d)
  method <- if (d <= 3) TVPACK(abseps = 1e-14) else Miwa(steps = 4096)
  if (d > 3 && d > 5) method <- Miwa(steps = 512)
  cat(format(pmvnorm(upper = b, corr = r, algorithm = method)[1], digits = 16), "\\n")
}
"""


def cases():
    rng = np.random.default_rng(7)
    for d in (2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5):
        a = rng.standard_normal((d, d + 1))
        r = a @ a.T
        scale = np.sqrt(np.diag(r))
        r /= np.outer(scale, scale)
        yield rng.normal(.5, 1.2, d), .5 * (r + r.T)
    for rho in (-.99, -.2, .9999):
        yield np.array([.3, -.2]), np.array([[1, rho], [rho, 1]])


def main():
    chosen = list(cases())
    lines = [" ".join(f"{x:.17g}" for x in (len(b), *b, *r.ravel())) for b, r in chosen]
    said = subprocess.run(["Rscript", "-e", R_PROGRAM], input="\n".join(lines), capture_output=True, text=True, check=True)
    written = []
    for (b, r), p in zip(chosen, map(float, said.stdout.split())):
        d = len(b)
        scipy_value, _ = mvnun(np.full(d, -np.inf), b, np.zeros(d), r, maxpts=2_000_000, abseps=1e-10, releps=1e-10)
        assert abs(scipy_value - p) < 2e-6, (d, scipy_value, p)
        written.append({"upper": list(b), "correlation": r.tolist(), "probability": p, "accuracy": 1e-13 if d <= 3 else 1e-7})
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"cases": written}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
