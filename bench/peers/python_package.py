#!/usr/bin/env python3
"""The Python package beside its peers, in one process, on the same arrays in memory.

    PYTHON bench/peers/python_package.py [--rounds 5] [--pametric FOLDER]

PYTHON has leeway installed, with numpy, scipy, torch and POT; who lacks one is left out by name. Contenders take turns round by
round; shown are medians, and medians of the ratios within a round.

  agreement   against the papers' loop (torch, Adam, 500 full-batch epochs), and against the published class (torchmetrics): FOLDER is
              a checkout of viictorjimenezzz/pa-metric, which PyPI does not have. It runs a few epochs, and the time of 500 is counted
  estimates   COT against POT's network simplex (ot.emd2) on the same costs
  mvn_cdf     against scipy.stats.multivariate_normal.cdf, both at its default tolerance
"""
import argparse
import importlib.util
import os
import statistics
import sys
import time

import numpy

import leeway

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
PUBLISHED_EPOCHS_TIMED = 3


def seconds(work, repeats=1):
    """Median of the seconds of one call."""
    spent = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def compare(title, rounds, ours, peers):
    """`ours` and the values of `peers` give seconds."""
    spent = {"leeway": []} | {name: [] for name in peers}
    for _ in range(rounds):
        spent["leeway"].append(ours())
        for name, peer in peers.items():
            spent[name].append(peer())
    print(f"\n{title}")
    for name, times in spent.items():
        ratio = statistics.median(theirs / mine for theirs, mine in zip(times, spent["leeway"]))
        print(f"  {name:58}{1e3 * statistics.median(times):12.3f} ms{f'{ratio:12.1f}x' if name != 'leeway' else ''}", flush=True)


def has(module):
    if importlib.util.find_spec(module) is None:
        print(f"  left out: python has no module {module}")
        return False
    return True


def pair(n, k, seed=0):
    rng = numpy.random.default_rng(seed)
    clean = 2 * rng.standard_normal((n, k), dtype=numpy.float32)
    return clean, clean + rng.standard_normal((n, k), dtype=numpy.float32)


# -- Posterior agreement

def papers_loop(clean, shifted, threads):
    import torch
    from agreement import EPOCHS, torch_step
    torch.set_num_threads(threads)
    beta = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([beta], lr=.1)
    pairs = torch.from_numpy(clean), torch.from_numpy(shifted)
    for _ in range(EPOCHS):
        torch_step(optimizer, beta, *pairs)


def published_class(folder, clean, shifted, epochs):
    """The class on images of 1 x 28 x 28 whose first numbers are the logits, so that its own passes of a model cost nothing."""
    import torch
    sys.path.insert(0, folder)
    from pametric.datautils import MultienvDataset
    from pametric.metrics.metric import PosteriorAgreement
    n, k = clean.shape

    class Reads(torch.nn.Module):
        def forward(self, x):
            return x.flatten(1)[:, :k]

    def images(logits):
        pixels = torch.zeros(n, 784)
        pixels[:, :k] = torch.from_numpy(logits)
        return torch.utils.data.TensorDataset(pixels.view(n, 1, 28, 28), torch.zeros(n, dtype=torch.long))

    metric = PosteriorAgreement(dataset=MultienvDataset([images(clean), images(shifted)]), pa_epochs=epochs)
    start = time.perf_counter()
    metric.update(Reads())
    return time.perf_counter() - start


def agreement(flags):
    clean, shifted = pair(10_000, 10)
    peers = {}
    if has("torch"):
        for threads in sorted({1, os.cpu_count() or 1}):
            peers[f"the papers' loop, torch, {threads} threads"] = (
                lambda threads=threads: seconds(lambda: papers_loop(clean, shifted, threads)))
        if flags.pametric:
            def published():
                short, long = (published_class(flags.pametric, clean, shifted, epochs) for epochs in (1, 1 + PUBLISHED_EPOCHS_TIMED))
                return short + 499 * (long - short) / PUBLISHED_EPOCHS_TIMED
            peers[f"the published class, {PUBLISHED_EPOCHS_TIMED} of 500 epochs counted up"] = published
    compare("agreement, n = 10000, k = 10", flags.rounds, lambda: seconds(lambda: leeway.agreement(clean, shifted), 21), peers)


# -- The others

def estimates(flags):
    from transport import make
    probs, masses = make(10_000, 10)
    rng = numpy.random.default_rng(1)
    labels = rng.choice(10, len(probs), p=masses)
    source, target = {"probs": probs, "labels": labels}, {"probs": probs}
    shares = numpy.bincount(labels, minlength=10) / len(labels)
    import ot
    rows, costs = numpy.full(len(probs), 1 / len(probs)), 1 - probs
    cost = ot.emd2(rows, shares, costs, numItermax=10 ** 7)
    compare(f"COT, n = 10000, k = 10 (cost {cost:.9f})", flags.rounds,
            lambda: seconds(lambda: leeway.estimates(source, target, methods=["cot"], bootstrap=0), 5),
            {"POT, ot.emd2": lambda: seconds(lambda: ot.emd2(rows, shares, costs, numItermax=10 ** 7))})


def mvn_cdf(flags):
    import scipy.stats
    from mvn_cdf import problems
    tolerance = 1e-5  # scipy's default
    upper, covariances = problems(5, 10, 2., True)

    def ours():
        return [one.probability for one in leeway.mvn_cdf(upper, covariances, tolerance=tolerance, quiet=True).results]

    def theirs():
        return [scipy.stats.multivariate_normal.cdf(z, cov=matrix) for z, matrix in zip(upper, covariances)]

    difference = numpy.abs(numpy.array(ours()) - theirs()).max()
    compare(f"mvn_cdf, 5 points, k = 10, tolerance {tolerance:g} (largest difference {difference:.1e})", flags.rounds,
            lambda: seconds(ours, 5), {"scipy.stats.multivariate_normal.cdf": lambda: seconds(theirs)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pametric", metavar="FOLDER", help="a checkout of the published class")
    flags = parser.parse_args()
    print(f"python {sys.version.split()[0]}, numpy {numpy.__version__}, {os.cpu_count()} cores, load "
          f"{' '.join(f'{x:.2f}' for x in os.getloadavg())} (ratios want a quiet machine)")
    agreement(flags)
    if has("ot"):
        estimates(flags)
    if has("scipy"):
        mvn_cdf(flags)


if __name__ == "__main__":
    main()
