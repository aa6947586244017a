#!/usr/bin/python3
"""The part for few rows in the intervals of leeway/tasks/assess/detail/quality.h, by its formulas in NumPy: how often balanced
accuracy, macro F1 and AUROC of the target, and their changes on the same rows, hold the population's values, with the part and
without it. Populations as in quality_coverage.cpp, which says the same of the program itself.

    quality_few_rows.py DRAWS [CLASSES ROWS]
"""
import sys

import numpy as np

Z = 1.959964
METRICS = ["balanced accuracy", "macro F1", "AUROC"]


def drawn(random, kind, k, n):
    clean = 1.5 * random.standard_normal((n, k))
    clean[:, 0] += 1
    weights = np.exp(clean if kind == "calibrated" else clean / 2)
    labels = (np.cumsum(weights, 1) < (random.random(n) * weights.sum(1))[:, None]).sum(1)
    return clean, clean + random.standard_normal((n, k)), labels


def variance_of_few(right, n):
    p = (right + .5) / (n + 1)
    return p * (1 - p) / n


def balanced(labels, predicted, k):
    rows = np.bincount(labels, minlength=k)
    has = rows > 0
    right = np.bincount(labels[predicted == labels], minlength=k)
    recall = np.divide(right, rows, out=np.zeros(k), where=has)
    influence = ((predicted == labels) - recall[labels]) * len(labels) / rows[labels] / has.sum()
    few = np.maximum(0, variance_of_few(right[has], rows[has]) - recall[has] * (1 - recall[has]) / rows[has])
    return recall[has].mean(), influence, few.sum() / has.sum() ** 2


def macro_f1(labels, predicted, k):
    n, right = len(labels), np.bincount(labels[predicted == labels], minlength=k)
    rows = np.bincount(labels, minlength=k) + np.bincount(predicted, minlength=k)
    has = np.flatnonzero(rows)
    f1 = np.divide(2 * right, rows, out=np.zeros(k), where=rows > 0)
    each = np.stack([n / rows[c] * (2. * ((labels == c) & (predicted == c)) - f1[c] * ((labels == c) * 1. + (predicted == c))) for c in has])
    either = (rows - right)[has]
    slope = 2 / (1 + (right[has] + .5) / (either + 1)) ** 2
    few = np.maximum(0, slope ** 2 * variance_of_few(right[has], either) - (each ** 2).sum(1) / n ** 2)
    return f1[has].mean(), each.sum(0) / len(has), few.sum() / len(has) ** 2


def auroc(logits, labels, k):
    n, values, influences, few = len(labels), [], [], []
    log_sum = np.log(np.exp(logits).sum(1))
    for c in ([1] if k == 2 else range(k)):
        positive = labels == c
        p, m = positive.sum(), n - positive.sum()
        if p == 0 or m == 0:
            continue
        score = logits[:, c] - log_sum
        order = score[positive][:, None] > score[~positive][None, :]
        a, influence = order.mean(), np.zeros(n)
        influence[positive] = (order.mean(1) - a) * n / p
        influence[~positive] = (order.mean(0) - a) * n / m
        least = min(p, m)
        b = (a * least + .5) / (least + 1)
        hanley = (b * (1 - b) + (p - 1) * (b / (2 - b) - b * b) + (m - 1) * (2 * b * b / (1 + b) - b * b)) / (p * m)
        few.append(max(0, hanley - (influence ** 2).sum() / n ** 2) * 4 / (4 + least))
        values.append(a)
        influences.append(influence)
    return np.mean(values), np.mean(influences, 0), sum(few) / len(values) ** 2


def measured(logits, labels, k):
    predicted = logits.argmax(1)
    return [balanced(labels, predicted, k), macro_f1(labels, predicted, k), auroc(logits, labels, k)]


def variance(influence):
    return ((influence - influence.mean()) ** 2).sum() / (len(influence) - 1) / len(influence)


def holds(value, spread, truth):
    if not 0 < value < 1:
        return True  # the program has other ends there
    half = Z * np.sqrt(spread) / (value * (1 - value))
    return abs(np.log(truth / (1 - truth)) - np.log(value / (1 - value))) <= half


def truths(random, kind, k):
    """Means over blocks of rows: the AUROC's table of pairs would be too large otherwise."""
    blocks = [drawn(random, kind, k, 4000) for _ in range(60)]
    return [np.mean([[value for value, _, _ in measured(block[side], block[2], k)] for block in blocks], 0) for side in (0, 1)]


def main():
    draws = int(sys.argv[1])
    cells = [(int(sys.argv[2]), int(sys.argv[3]))] if len(sys.argv) > 2 else [(2, 50), (10, 50), (10, 200)]
    print("labels,k,n,metric,draws,held,held_without,paired,paired_without")
    for k, n in cells:
        for kind in ("calibrated", "overconfident"):
            random = np.random.default_rng(1)
            before, after = truths(random, kind, k)
            counts = np.zeros((3, 4), int)
            for _ in range(draws):
                clean, noisy, labels = drawn(random, kind, k, n)
                for m, (a, b) in enumerate(zip(measured(clean, labels, k), measured(noisy, labels, k))):
                    own, apart = variance(b[1]), variance(b[1] - a[1])
                    off = abs(b[0] - a[0] - (after[m] - before[m]))
                    counts[m] += [holds(b[0], own + b[2], after[m]), holds(b[0], own, after[m]),
                                  off <= Z * np.sqrt(apart + max(a[2], b[2])), off <= Z * np.sqrt(apart)]
            for m, metric in enumerate(METRICS):
                print(f"{kind},{k},{n},{metric},{draws},{','.join(map(str, counts[m]))}", flush=True)


if __name__ == "__main__":
    main()
