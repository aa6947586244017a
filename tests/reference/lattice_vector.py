#!/usr/bin/python3
"""Prints the generating vector of leeway/average_case/detail/integrand.cpp, half a minute.

Component by component (Sloan and Reztsov 2002), for the lattices of 2^4 to 2^13 points at once (Cools, Kuo and Nuyens
2006): of random odd candidates the one is taken whose worst-case error, as a multiple of the best candidate's on the same
lattice, is smallest on its worst lattice. Kernel: Korobov space of smoothness 2 (what the tent transform makes of twice
differentiable functions), product weights (1 + j)^-1.4 / 2.
"""
import numpy as np

DIMENSIONS, LEVELS = 1001, range(4, 14)


def kernel(x):
    return -(2 * np.pi) ** 4 / 24 * (x ** 4 - 2 * x ** 3 + x * x - 1 / 30)


def main():
    rng = np.random.default_rng(1)
    table = {m: kernel(np.arange(2 ** m) / 2 ** m) for m in LEVELS}
    index = {m: np.arange(2 ** m) for m in LEVELS}
    product = {m: np.ones(2 ** m) for m in LEVELS}
    chosen = []
    for j in range(DIMENSIONS):
        count = 3000 if j < 24 else 300 if j < 100 else 32
        candidates = np.setdiff1d(rng.integers(0, 2 ** 19, count) * 2 + 1, chosen) if j > 0 else np.array([1])
        weight = .5 * (1 + j) ** -1.4
        added = np.array([[product[m] @ table[m][(index[m] * c) & (2 ** m - 1)] / 2 ** m for m in LEVELS] for c in candidates])
        error = np.maximum(weight * added + [product[m].mean() - 1 for m in LEVELS], 1e-300)
        best = candidates[np.argmin((error / error.min(0)).max(1))]
        for m in LEVELS:
            product[m] *= 1 + weight * table[m][(index[m] * best) & (2 ** m - 1)]
        chosen.append(best)
        print(best, flush=True)


if __name__ == "__main__":
    main()
