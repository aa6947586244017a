#!/usr/bin/python3
"""Writes agreement_distances.json: distances, pairings and canonical correlations as other programs compute them.

scipy (KL, Wasserstein, cosine, nearest rows), scikit-learn (the kernel of MMD), mpmath (the Frechet distance, in 60
digits), POT (Wasserstein again) and R's cancor. Needs python3-scipy, python3-sklearn, python3-pot, python3-mpmath and
r-base-core.
"""
import json
import pathlib
import subprocess

import mpmath
import numpy as np
import ot
from scipy import special, stats
from scipy.spatial import distance
from sklearn.metrics.pairwise import rbf_kernel

mpmath.mp.dps = 60
rng = np.random.default_rng(20240)


def square_root(matrix):
    values, vectors = mpmath.eigsy(matrix)
    roots = mpmath.diag([mpmath.sqrt(max(v, 0)) for v in values])
    return vectors * roots * vectors.T


def frechet(x, y):
    def moments(z):
        z = mpmath.matrix(z.tolist())
        mean = [sum(z[i, c] for i in range(z.rows)) / z.rows for c in range(z.cols)]
        centred = mpmath.matrix(z.rows, z.cols)
        for i in range(z.rows):
            for c in range(z.cols):
                centred[i, c] = z[i, c] - mean[c]
        return mean, centred.T * centred / max(1, z.rows - 1)

    (m, c), (l, e) = moments(x), moments(y)
    root = square_root(c)
    product = root * e * root
    shared, _ = mpmath.eigsy((product + product.T) / 2)
    trace = sum(c[i, i] + e[i, i] for i in range(c.rows)) - 2 * sum(mpmath.sqrt(max(v, 0)) for v in shared)
    return float(sum((a - b) ** 2 for a, b in zip(m, l)) + trace)


def kernel_mean(x, y):
    return sum(rbf_kernel(x, y, gamma=1 / (2 * a)).mean() for a in (10, 15, 20, 50))


def wasserstein(a, b):
    value = stats.wasserstein_distance(a, b)
    assert abs(value - ot.emd2_1d(a, b, metric="minkowski", p=1)) < 1e-12
    return value


def distances(case):
    p, q = special.softmax(case["logits"][0], axis=1), special.softmax(case["logits"][1], axis=1)
    x, y = case["features"]
    values = {
        "wasserstein": np.mean([wasserstein(p[:, j], q[:, j]) for j in range(p.shape[1])]),
        "wasserstein-flattened": wasserstein(p.ravel(), q.ravel()),
        "centroid": np.abs(x.mean(0) - y.mean(0)).max(),
        "mmd": kernel_mean(x, x) + kernel_mean(y, y) - 2 * kernel_mean(x, y),
        "frechet": frechet(x, y),
    }
    if len(x) == len(y):
        log_p, log_q = (special.log_softmax(z, axis=1) for z in case["logits"])
        values["kl"] = np.sum(q * (log_q - log_p)) / len(p)
        values["cosine"] = np.mean([distance.cosine(u, v) for u, v in zip(x, y)])
    return {name: float(value) for name, value in values.items()}


def by_label(labels):
    pairs = []
    for label in set(labels[0]) & set(labels[1]):
        pairs += zip(np.flatnonzero(labels[0] == label), np.flatnonzero(labels[1] == label))
    return sorted(((int(i), int(j)) for i, j in pairs), key=lambda pair: pair[1])


def nearest(x, y, allowed=None):
    squares = np.round(distance.cdist(y, x, "sqeuclidean"), 10)  # rounded: ties stay ties
    if allowed is not None:
        squares[~allowed] = np.inf
    return [(int(row.argmin()), j) for j, row in enumerate(squares) if np.isfinite(row.min())]


def cancor(x, y):
    """R's answer, or None where it refuses."""
    def words(z):
        return "matrix(c(%s), nrow=%d)" % (",".join(repr(float(v)) for v in z.ravel(order="F")), len(z))
    script = """
      x <- %s; y <- %s
      colnames(x) <- seq_len(ncol(x)); colnames(y) <- seq_len(ncol(y))
      r <- cancor(x, y)
      put <- function(v) cat(formatC(v, digits=17, format="g"), "\\n")
      put(r$cor)
      for (side in c("x", "y")) {
        coef <- r[[paste0(side, "coef")]]
        cat(rownames(coef), "\\n"); put(t(coef)); put(r[[paste0(side, "center")]])
      }""" % (words(x), words(y))
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    lines = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    result = {"correlations": lines[0]}
    for side, (columns, coefficients, means) in zip("xy", (lines[1:4], lines[4:7])):
        rank, kept = len(columns), len(lines[0])
        result[side] = {"columns": [int(c) - 1 for c in columns], "means": means,
                        "coefficients": np.reshape(coefficients, (rank, rank))[:, :kept].tolist()}
    return result


def canonical_pairs(case, fit):
    x, y = case["features"]
    strong = np.array(fit["correlations"]) > 1e-6
    u, v = [(z[:, side["columns"]] - np.array(side["means"])[side["columns"]]) @ np.array(side["coefficients"])[:, strong]
            for z, side in ((x, fit["x"]), (y, fit["y"]))]
    return nearest(u, v)


def sets(n, m, k, d, classes=3):
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    if n == m:
        y = x @ rng.normal(size=(d, d)) + .3 * y
    return {"logits": [rng.normal(size=(n, k)) * 3, rng.normal(size=(m, k)) * 2], "features": [x, y],
            "labels": [rng.integers(classes, size=n), rng.integers(classes, size=m)]}


def cases():
    yield "generic", sets(20, 20, 4, 3)
    yield "unequal sizes", sets(17, 11, 3, 2)
    yield "more columns than rows", sets(5, 5, 3, 9, classes=1)
    yield "one row", sets(1, 1, 2, 3, classes=1)
    yield "one row against many", sets(1, 8, 3, 2)
    yield "one class", sets(12, 12, 2, 2, classes=1)
    constant = sets(9, 9, 3, 2)
    constant["features"] = [np.full((9, 2), .1), np.full((9, 2), .7)]
    yield "constant features", constant
    column = sets(15, 15, 3, 3)
    column["features"][0][:, 1] = .1
    yield "a constant column", column
    dependent = sets(14, 14, 3, 4)
    for z in dependent["features"]:
        z[:, 2] = z[:, 0] - 2 * z[:, 1]
    yield "dependent columns", dependent
    repeated = sets(16, 16, 3, 2)
    for name in ("logits", "features"):
        repeated[name] = [np.concatenate([z[:4]] * 4) for z in repeated[name]]
    yield "repeated rows", repeated
    far = sets(12, 12, 3, 3)
    far["features"] = [z + 1000 for z in far["features"]]
    far["logits"] = [z * 100 for z in far["logits"]]
    yield "far away", far


def main():
    result = []
    for name, case in cases():
        x, y = case["features"]
        same_label = case["labels"][1][:, None] == case["labels"][0][None, :]
        matched = by_label(case["labels"])
        entry = {"name": name, "distances": distances(case),
                 "pairs": {"label": matched, "nearest": nearest(x, y), "label-nearest": nearest(x, y, same_label)}}
        fit = cancor(x[[i for i, _ in matched]], y[[j for _, j in matched]]) if len(matched) > 1 else None
        if fit:
            entry["canonical"] = fit
            entry["pairs"]["cca"] = canonical_pairs(case, fit)
        for what in ("logits", "features", "labels"):
            entry[what] = [z.tolist() for z in case[what]]
        result.append(entry)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("[" + ",\n".join(json.dumps(entry) for entry in result) + "]\n")


main()
