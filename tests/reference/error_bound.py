#!/usr/bin/python3
"""Writes error_bound.json: the estimators of leeway/error_bound computed another way, by numpy, scipy and POT.

Temperature: brentq on the slope of the likelihood, float64 with exactly rounded sums (math.fsum). Transport: POT's emd and,
beside it, an LP (HiGHS). Needs Debian's python3-numpy, python3-scipy, python3-pot. Usage: error_bound.py > error_bound.json
"""
import json
import math

import numpy as np
import ot
import scipy.optimize
import scipy.sparse


def slope(logits, labels, t):
    """Of the mean negative log-likelihood in the inverse temperature."""
    terms = []
    for row, label in zip(logits, labels):
        z = row - row.max()
        w = np.exp(t * z)
        terms.append(math.fsum(w * z) / math.fsum(w) - z[label])
    return math.fsum(terms) / len(terms)


def temperature(logits, labels):
    top = logits.max(1)
    if math.fsum(logits.mean(1) - logits[np.arange(len(labels)), labels]) >= 0:
        return 0.
    if (logits[np.arange(len(labels)), labels] == top).all():
        return math.inf
    high = 1.
    while slope(logits, labels, high) < 0:
        high *= 2
    return scipy.optimize.brentq(lambda t: slope(logits, labels, t), 0, high, xtol=1e-300, rtol=4 * np.finfo(float).eps)


def softmax(logits, t):
    p = []
    for row in logits:
        z = row - row.max()
        w = (z == 0).astype(float) if math.isinf(t) else np.exp(t * z)
        p.append(w / math.fsum(w))
    return np.array(p)


def entropy_score(p):
    return np.array([math.fsum(x * math.log(x) for x in row if x > 0) for row in p])


def atc(source, target, n_correct):
    if n_correct == 0:
        return 0.
    threshold = np.sort(source)[::-1][n_correct - 1]
    weight = (n_correct - (source > threshold).sum()) / (source == threshold).sum()
    return ((target > threshold).sum() + weight * (target == threshold).sum()) / len(target)


def transport(p, masses):
    n, k = p.shape
    rows = np.full(n, 1 / n)
    by_pot = ot.emd2(rows, masses, 1 - p, numItermax=10 ** 7)
    each_row = scipy.sparse.kron(scipy.sparse.eye(n), np.ones((1, k)))
    each_column = scipy.sparse.kron(np.ones((1, n)), scipy.sparse.eye(k))
    lp = scipy.optimize.linprog((1 - p).ravel(), A_eq=scipy.sparse.vstack([each_row, each_column]).tocsr(),
                                b_eq=np.concatenate([rows, masses]), method="highs")
    assert lp.status == 0 and abs(lp.fun - by_pot) < 1e-9, (lp.fun, by_pot)
    return float(by_pot)


def errors(source, labels, target, t):
    correct = source.argmax(1) == labels
    p, q = softmax(source, t), softmax(target, t)
    accuracy, n_correct = correct.mean(), int(correct.sum())
    masses = np.bincount(labels, minlength=source.shape[1]) / len(labels)
    cost = transport(q, masses)
    values = {"ac": 1 - q.max(1).mean(),
              "doc": 1 - (accuracy + q.max(1).mean() - p.max(1).mean()),
              "atc-conf": 1 - atc(p.max(1), q.max(1), n_correct),
              "atc-ne": 1 - atc(entropy_score(p), entropy_score(q), n_correct),
              "cot-published": cost,
              "cot-corrected": cost + p.max(1).mean() - accuracy}
    return {name: min(1., max(0., float(value))) for name, value in values.items()}


def case(name, source, labels, target):
    t = temperature(source, labels)
    return {"name": name, "k": source.shape[1], "source": source.ravel().tolist(), "labels": labels.tolist(),
            "target": target.ravel().tolist(), "inverse_temperature": "inf" if math.isinf(t) else t,
            "scaled": errors(source, labels, target, t), "unscaled": errors(source, labels, target, 1.)}


def main():
    rng = np.random.default_rng(5)

    def outputs(n, k, size, skill, digits=6):
        labels = rng.integers(0, k, n)
        logits = rng.normal(0, size, (n, k))
        logits[np.arange(n), labels] += skill
        return logits.round(digits), labels

    cases = []
    for name, n, m, k in (("generic", 60, 45, 5), ("two classes", 40, 40, 2), ("one target row", 30, 1, 4)):
        source, labels = outputs(n, k, 1.5, 2)
        cases.append(case(name, source, labels, outputs(m, k, 1.5, .8)[0]))
    source, labels = outputs(50, 4, 1, 1, digits=0)  # whole logits: many rows hold the same values
    cases.append(case("tied", source, labels, outputs(40, 4, 1, .5, digits=0)[0]))
    source, labels = outputs(40, 3, 1, 2)
    source[:25] *= 400
    target = outputs(30, 3, 1, 1)[0]
    target[:20] *= 400
    cases.append(case("saturated", source, labels, target))
    source, labels = outputs(30, 4, 1, 2)
    cases.append(case("all right", source, source.argmax(1), outputs(25, 4, 1, 1)[0]))
    cases.append(case("all wrong", source, source.argmin(1), outputs(25, 4, 1, 1)[0]))
    tied = np.array([[2., 2, 0], [0, 3, 3], [1, 1, 1], [5, 0, 0]])  # every label on top, one of two or three
    cases.append(case("tops shared", tied, np.array([1, 1, 2, 0]), np.array([[1., 1, 0], [0, 2, 1], [0, 0, 0]])))
    source, labels = outputs(50, 6, 1.5, 2)
    labels[(labels == 2) | (labels == 5)] = 0
    cases.append(case("empty classes", source, labels, outputs(40, 6, 1.5, 1)[0]))
    source, labels = outputs(35, 3, 1.5, 2)
    cases.append(case("one label", source, np.ones_like(labels), outputs(25, 3, 1.5, 1)[0]))
    print("[" + ",\n".join(json.dumps(one) for one in cases) + "]")


if __name__ == "__main__":
    main()
