#!/usr/bin/python3
"""Writes quality.json: what labels say beside accuracy, by scikit-learn; calibration error and DeLong's variance by loops.

Needs Debian's python3-numpy, python3-sklearn. Usage: quality.py > quality.json
"""
import json
import warnings

import numpy as np
from sklearn import metrics

warnings.filterwarnings("ignore")


def placements(scores, positive):
    """Of each positive: the share of negatives below it, ties half; and the same of each negative from above."""
    plus, minus = scores[positive], scores[~positive]
    wins = (plus[:, None] > minus[None, :]) + .5 * (plus[:, None] == minus[None, :])
    return wins.mean(1), wins.mean(0)


def calibration_error(confidence, right, bins=15):
    error = 0
    for b in range(bins):
        inside = np.minimum((confidence * bins).astype(int), bins - 1) == b
        if inside.any():
            error += abs(confidence[inside].sum() - right[inside].sum()) / len(right)
    return error


def case(name, logits, labels):
    k = logits.shape[1]
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    predicted = logits.argmax(1)
    classes = list(range(k))
    precision, recall, f1, support = metrics.precision_recall_fscore_support(labels, predicted, labels=classes, zero_division=0)
    active = [c for c in classes if (labels == c).any() or (predicted == c).any()]
    scores = np.round(np.log(p), 10)  # what rounding alone keeps apart is a tie
    rank, variance = [], []
    for c in classes:
        positive = labels == c
        if positive.any() and not positive.all():
            rank.append(metrics.roc_auc_score(positive, scores[:, c]))
            plus, minus = placements(scores[:, c], positive)
            variance.append(plus.var(ddof=1) / len(plus) + minus.var(ddof=1) / len(minus) if min(len(plus), len(minus)) > 1 else 0)
        else:
            rank.append(None)
            variance.append(None)
    known = [r for r in rank if r is not None]
    return {"name": name, "logits": logits.tolist(), "labels": labels.tolist(), "predicted_n": np.bincount(predicted, minlength=k).tolist(),
            "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(), "n": support.tolist(), "auroc_by_class": rank, "auroc_variance": variance,
            "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted), "macro_f1": float(np.mean(f1[active])),
            "auroc": rank[1] if k == 2 else float(np.mean(known)), "log_loss": metrics.log_loss(labels, p, labels=classes, eps=1e-300),
            "brier": metrics.brier_score_loss(labels == 1, p[:, 1]) * 2 if k == 2 else float(((p - np.eye(k)[labels]) ** 2).sum(1).mean()),
            "ece": calibration_error(p.max(1), predicted == labels), "confusion": metrics.confusion_matrix(labels, predicted, labels=classes).tolist()}


def main():
    rng = np.random.default_rng(20)
    cases = []
    for name, n, k, decimals in [("binary", 80, 2, 2), ("five classes", 120, 5, 2), ("ties", 60, 3, 0)]:
        logits = np.round(rng.normal(size=(n, k)) * 1.5, decimals)
        labels = np.array([rng.choice(k, p=np.exp(row / 1.5) / np.exp(row / 1.5).sum()) for row in logits])
        cases.append(case(name, logits, labels))
    logits = np.round(rng.normal(size=(50, 4)), 2)
    logits[:, 3] -= 20  # never predicted, never a label
    cases.append(case("an idle class", logits, rng.choice(3, 50)))
    print(json.dumps({"cases": cases}))


if __name__ == "__main__":
    main()
