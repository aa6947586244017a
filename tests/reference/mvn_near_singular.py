#!/usr/bin/env python3
"""Multivariate normal probabilities of matrices next to singular ones: mvn_near_singular.json.

Two variables by Plackett's identity, with r = sin(angle) and 50 digits:
  Phi2(a, b, rho) = Phi2(a, b, +-1) -+ 1 / 2 pi integral of exp(-(a^2 - 2 a b r + b^2) / 2 cos^2) up to +-pi / 2.
Three by one integral over the third, inside it the same identity by Gauss and Legendre's rule. One factor with d
variables, and two correlated groups of near copies, by the integrals over the factors, panels around every step.
Takes two minutes: python3-mpmath, python3-scipy.
"""
import json
import pathlib

import mpmath
import numpy
from scipy.special import ndtr

mpmath.mp.dps = 50
random = numpy.random.default_rng(0)
NODES, WEIGHTS = numpy.polynomial.legendre.leggauss(60)


def pair(a, b, rho):
    a, b, r = map(mpmath.mpf, (a, b, rho))
    sign = 1 if r > 0 else -1
    start, stop = mpmath.asin(sign * r), mpmath.pi / 2
    f = lambda t: mpmath.exp(-(a * a - 2 * sign * a * b * mpmath.sin(t) + b * b) / (2 * mpmath.cos(t) ** 2))
    points = [start + (stop - start) * k / 20 for k in range(20)]
    points += [stop - (stop - start) / 20 / 4**k for k in range(1, 12)] + [stop]
    below = mpmath.quad(f, points) / (2 * mpmath.pi)
    whole = mpmath.ncdf(min(a, b)) - below if sign > 0 else max(0, mpmath.ncdf(a) - mpmath.ncdf(-b)) + below
    return whole


def pairs():
    cases = []
    for distance in [1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1.2e-16]:
        for sign in (1, -1):
            rho = sign * (1 - distance)
            spread = (2 * distance) ** .5
            for a, b in [(1, .999), (0, 0), (1.3, 1.3), (-2, -2 + spread), (.5, .5 - 2 * spread), (2, -.7)]:
                b = b * sign
                p = pair(a, b, rho)
                cases.append({"upper": [a, b], "correlation": [[1, rho], [rho, 1]], "probability": float(p)})
    return cases


def phi2(a, b, rho):
    """Of arrays a and b; to some 1e-12."""
    sign = 1 if rho > 0 else -1
    b = sign * b
    start, stop = numpy.arcsin(sign * rho), numpy.pi / 2
    start = stop - numpy.sqrt((1 - sign * rho) * (1 + sign * rho)) if sign * rho > .999999 else start
    total = 0
    for low, high in [(.5**(k + 1), .5**k) for k in range(12)] + [(0, .5**12)]:  # of the distance from stop
        t = (stop - start) * (low + (high - low) * (NODES + 1) / 2)
        for distance, weight in zip(t, WEIGHTS * (high - low) / 2 * (stop - start)):
            s, c = numpy.cos(distance), numpy.sin(distance)
            total = total + weight * numpy.exp(-((a - b) ** 2 + 2 * a * b * (1 - s)) / (2 * c * c))
    total = total / (2 * numpy.pi)
    return ndtr(numpy.minimum(a, b)) - total if sign > 0 else numpy.maximum(0, ndtr(a) - ndtr(b)) + total


def panels(marks, low, high):
    ends = sorted({low, high, *[m for m in marks if low < m < high], *numpy.linspace(low, high, 40)})
    x = numpy.concatenate([a + (b - a) * (NODES + 1) / 2 for a, b in zip(ends, ends[1:])])
    w = numpy.concatenate([WEIGHTS * (b - a) / 2 for a, b in zip(ends, ends[1:])])
    return x, w


def around(at, width):
    return [at + k * width for k in (-12, -8, -5, -3, -1.5, 0, 1.5, 3, 5, 8, 12)]


def density(x):
    return numpy.exp(-x * x / 2) / (2 * numpy.pi) ** .5


def triple(upper, r):
    """The third variable is the one that is least like the others."""
    a, b, c = upper
    u, v = r[0][2], r[1][2]
    du, dv = (1 - u * u) ** .5, (1 - v * v) ** .5
    rest = (r[0][1] - u * v) / (du * dv)
    width = (2 * (1 - abs(rest))) ** .5
    marks = []
    for s in (1, -1):  # where the limits of the two others meet
        slope = u / du - s * v / dv
        if abs(slope) > 1e-12:
            marks += around((a / du - s * b / dv) / slope, width / abs(slope))
    x, w = panels(marks, -9, min(c, 9))
    return float(w @ (density(x) * phi2((a - u * x) / du, (b - v * x) / dv, rest)))


def triples():
    cases = []
    for k in range(60):
        distance = 10 ** random.uniform(-6, -1)
        g = random.normal(size=(3, 5))
        g /= numpy.linalg.norm(g, axis=1)[:, None]
        kind = k % 3
        noise = random.normal(size=5)
        if kind == 0:
            g[1] = g[0] + distance * noise / 2
        elif kind == 1:
            g[1] = -g[0] + distance * noise / 2
        else:
            g[0] = g[1] + g[2] + distance * noise / 2
        g /= numpy.linalg.norm(g, axis=1)[:, None]
        r = g @ g.T
        if max(abs(r[0][2]), abs(r[1][2])) > .95:
            continue
        upper = random.normal(size=3) + .8
        if kind == 0:
            upper[1] = upper[0] + random.normal() * random.choice([0, distance, .3])
        if kind == 1:
            upper[1] = -upper[0] + abs(random.normal()) * random.choice([3 * distance, .5])
        if kind == 2:
            upper[0] = upper[1] + upper[2] + random.normal() * .5
        numpy.fill_diagonal(r, 1)
        cases.append({"upper": upper.tolist(), "correlation": r.tolist(), "probability": triple(upper, r)})
    return cases


def groups():
    """Near copies of two variables of correlation c: given these, all are independent."""
    cases = []
    for k in range(36):
        distance = 10 ** random.uniform(-9, -2)
        sizes = [(2, 1), (2, 2), (3, 2), (1, 4), (5, 5), (12, 3)][k % 6]
        c = random.choice([.5, -.6, .2])
        loadings, upper, of = [], [], []
        for group, size in enumerate(sizes):
            b = random.normal() * .8 + .8
            for _ in range(size):
                loadings.append((1 - distance * random.uniform(.3, 1)) ** .5)
                upper.append(b + random.normal() * distance**.5 * random.choice([0, 1]))
                of.append(group)
        loadings, upper, of = map(numpy.array, (loadings, upper, of))
        r = numpy.outer(loadings, loadings) * numpy.where(of[:, None] == of[None, :], 1, c)
        numpy.fill_diagonal(r, 1)
        deviations = numpy.sqrt((1 - loadings) * (1 + loadings))

        def given(x, group):
            p = numpy.ones_like(x)
            for i in numpy.flatnonzero(of == group):
                p = p * ndtr((upper[i] - loadings[i] * x) / deviations[i])
            return p

        s = (1 - c * c) ** .5
        marks = [m for i in numpy.flatnonzero(of == 0) for m in around(upper[i] / loadings[i], deviations[i])]
        x, w = panels(marks, -9, min(9, max(upper[of == 0]) + 1))
        marks = [m for i in numpy.flatnonzero(of == 1) for m in around(upper[i] / loadings[i], deviations[i])]
        y, v = panels(marks, -9, min(9, max(upper[of == 1]) + 1))
        inner = numpy.array([v @ (given(y, 1) * density((y - c * one) / s)) / s for one in x])
        p = float(w @ (density(x) * given(x, 0) * inner))
        cases.append({"upper": upper.tolist(), "correlation": r.tolist(), "probability": p})
    return cases


def one_factors():
    cases = []
    for d in (3, 10, 100):
        for distance in (1e-3, 1e-6, 1e-8, 1e-10, 1e-12):
            for b, shift in ((1, 0), (-1, 1)):
                rho = 1 - distance
                upper = b + shift * distance**.5 * (numpy.arange(d) % 3)
                loading, deviation = rho**.5, (1 - rho) ** .5
                x, w = panels([m for u in set(upper) for m in around(u / loading, deviation)], -9, 9)
                p = density(x)
                for u in upper:
                    p = p * ndtr((u - loading * x) / deviation)
                cases.append({"upper": upper.tolist(), "equicorrelation": rho, "d": d, "probability": float(w @ p)})
    return cases


if __name__ == "__main__":
    found = {"pairs": pairs(), "triples": triples(), "groups": groups(), "one_factor": one_factors()}
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(found) + "\n")
    print({name: len(cases) for name, cases in found.items()})
