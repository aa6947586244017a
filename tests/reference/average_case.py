#!/usr/bin/python3
"""Writes average_case.json: the summaries of leeway/average_case/summary.h by numpy and scipy.

Needs Debian's python3-numpy and python3-scipy. Usage: average_case.py > average_case.json
"""
import json

import numpy as np
from scipy import stats


def holm(p):
    """Adjusted p-values, null where there is none."""
    order = sorted((i for i in range(len(p)) if p[i] is not None), key=lambda i: p[i])
    adjusted, least = [None] * len(p), 0.
    for rank, i in enumerate(order):
        least = max(least, min(1., p[i] * (len(order) - rank)))
        adjusted[i] = least
    return adjusted


def case(name, p, labels, other, classes, level=.95):
    p, labels, other = np.array(p), np.array(labels), np.array(other)
    interval = None
    if len(p) > 1:
        error = stats.sem(p)
        low, high = stats.t.interval(level, len(p) - 1, p.mean(), error) if error > 0 else (p.mean(), p.mean())
        interval = [max(0., low), min(1., high)]
    groups = [p[labels == c] for c in range(classes)]
    tied = len(set(p)) == 1
    some = [group for group in groups if len(group)]
    kruskal = stats.kruskal(*some).pvalue if len(some) > 1 and not tied else None
    tests, differences = [], []
    for c, group in enumerate(groups):
        rest = p[labels != c]
        if len(group) == 0 or len(rest) == 0:
            tests.append(None)
            differences.append(0.)
            continue
        tests.append(1. if tied else stats.mannwhitneyu(group, rest, use_continuity=True, method="asymptotic").pvalue)
        differences.append(group.mean() - rest.mean())
    constant = tied or len(set(other)) == 1
    return dict(name=name, level=level, classes=classes, p=p.tolist(), labels=labels.tolist(), other=other.tolist(),
                mean=p.mean(), interval=interval, quantiles=np.quantile(p, [.01, .05, .25, .5, .75, .95, .99]).tolist(),
                counts=[len(group) for group in groups], kruskal=kruskal, holm=holm(tests), differences=differences,
                spearman=None if constant else stats.spearmanr(p, other).correlation)


def main():
    rng = np.random.default_rng(1)

    def drawn(n, classes, shift, digits):
        labels = rng.integers(0, classes, n)
        p = (1 / (1 + np.exp(-rng.normal(shift * labels, 1)))).round(digits)
        return p, labels, (p + rng.normal(0, .2, n)).round(digits)

    cases = [case("generic", *drawn(60, 4, .4, 4), 4), case("no difference", *drawn(50, 3, 0, 4), 3, level=.8),
             case("many ties", *drawn(80, 3, .3, 1), 3), case("two classes", *drawn(30, 2, .5, 4), 2)]
    p, labels, other = drawn(40, 5, .3, 3)
    labels[(labels == 2)] = 1
    cases.append(case("an empty class", p, labels, other, 5))
    cases.append(case("one class", p, np.zeros(40, int), other, 3))
    p[:30] = 1
    cases.append(case("mostly sure", p, labels, other, 5))
    cases.append(case("all tied", np.ones(10), np.arange(10) % 3, np.arange(10.), 3))
    cases.append(case("two samples", [.2, .9], [0, 1], [3., 1], 2))
    cases.append(case("one sample", [.2], [0], [3.], 2))
    apart = np.concatenate([np.linspace(0, .4, 40), np.linspace(.6, 1, 40)])
    cases.append(case("far apart", apart, [0] * 40 + [1] * 40, apart[::-1], 2))
    print("[" + ",\n".join(json.dumps(one) for one in cases) + "]")


if __name__ == "__main__":
    main()
