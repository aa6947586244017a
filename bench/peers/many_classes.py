#!/usr/bin/python3
"""Outputs of 1,000 classes: leeway's commands against NumPy, SciPy, POT and torch on the same two files in one run.

    bench/peers/many_classes.py --leeway build/release/bin/leeway [--rows 10000] [--classes 1000] [--rounds 3] [--only NAMES]

Each round times a command and then its peer; `alone` times commands without a peer. The output shows medians, the median of the
ratios within a round, the peak memory of the command, and by how much the values differ.

| row | peer |
|---|---|
| summary: assess --no-bounds | NumPy: softmax, accuracy, mean confidence, share of predictions by class |
| values: bound --methods ac doc atc-conf atc-ne --bootstrap 0 | SciPy's bounded minimizer for the temperature, NumPy |
| intervals: the same with 200 replicates | as above; replicates of the scores by NumPy, at one temperature |
| cot: bound --methods cot-published --bootstrap 0 | the same temperature, POT's emd2 |
| dis2: bound --methods dis2 --restarts 1 | the papers' recipe (torch, AdamW, one start, peers/dis2.py) |
| alone | assess; bound --methods dis2; bound with all methods and --restarts 1 --bootstrap 0 |

Needs Debian's time, python3-numpy, python3-scipy, python3-pot and python3-torch.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.optimize
import scipy.special

ESTIMATES = ["bound", "--methods", "ac", "doc", "atc-conf", "atc-ne", "--bootstrap"]


def made(rows, classes, seed=0):
    """A classifier that is right on most source rows and less sure on the target."""
    rng, files = np.random.default_rng(seed), []
    for margin in (6, 4.5):
        labels = rng.integers(0, classes, rows)
        logits = 1.5 * rng.standard_normal((rows, classes), dtype=np.float32)
        logits[np.arange(rows), labels] += rng.normal(margin, 2, rows)
        files.append({"logits": logits, "labels": labels})
    del files[1]["labels"]
    return files


def read(path):
    with np.load(path) as file:
        return file["logits"].astype(np.float64), file.get("labels")


def summary(source, target):
    found = []
    for path in (source, target):
        logits, labels = read(path)
        p = scipy.special.softmax(logits, 1)
        top = p.argmax(1)
        found.append((p.max(1).mean(), np.bincount(top, minlength=p.shape[1]) / len(p),
                      None if labels is None else (top == labels).mean()))
    return found[0][2]


def scores(source, target):
    """Confidences and negative entropies at the source's temperature, and which source rows are right."""
    (x, labels), (y, _) = read(source), read(target)
    x, y = x - x.max(1, keepdims=True), y - y.max(1, keepdims=True)
    own = x[np.arange(len(x)), labels]
    t = scipy.optimize.minimize_scalar(lambda t: np.log(np.exp(t * x).sum(1)).mean() - t * own.mean(), bounds=(.01, 10),
                                       method="bounded", options={"xatol": 1e-9}).x
    both = []
    for z in (x, y):
        p = scipy.special.softmax(t * z, 1)
        both.append((p.max(1), -scipy.special.entr(p).sum(1)))
    return t, both, x.argmax(1) == labels


def estimates(source, target, right):
    accuracy = right.mean()
    cut = [np.sort(s)[len(s) - right.sum()] for s in source]
    return {"ac": 1 - target[0].mean(), "doc": 1 - accuracy + source[0].mean() - target[0].mean(),
            "atc-conf": (target[0] < cut[0]).mean(), "atc-ne": (target[1] < cut[1]).mean()}


def values(source, target):
    _, both, right = scores(source, target)
    return estimates(*both, right)["atc-ne"]


def intervals(source, target):
    _, (x, y), right = scores(source, target)
    rng, drawn = np.random.default_rng(0), []
    for _ in range(200):
        i, j = rng.integers(0, len(right), len(right)), rng.integers(0, len(y[0]), len(y[0]))
        drawn.append(list(estimates([s[i] for s in x], [s[j] for s in y], right[i]).values()))
    return np.quantile(drawn, [.025, .975], axis=0)[1][0]


def cot(source, target):
    import ot
    t, _, _ = scores(source, target)
    logits, labels = read(source)[0], read(source)[1]
    p = scipy.special.softmax(t * read(target)[0], 1)
    masses = np.bincount(labels, minlength=p.shape[1]) / len(labels)
    return ot.emd2(np.full(len(p), 1 / len(p)), masses, 1 - p, numItermax=10 ** 8)


def dis2(source, target):
    import dis2 as recipe
    spent, found = recipe.recipe(read(source)[0].astype(np.float32), read(target)[0].astype(np.float32), 1, os.cpu_count())
    return max(found)


def timed(command):
    """Seconds, and peak memory in GB; GNU time, because a child's peak starts at that of the process that made it."""
    begin = time.perf_counter()
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return time.perf_counter() - begin, int(done.stderr.split()[-1]) / 2 ** 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--leeway", required=True)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["summary", "values", "intervals", "cot", "dis2", "alone"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("source.npz", "target.npz")]
        for path, arrays in zip(paths, made(arguments.rows, arguments.classes)):
            np.savez(path, **arrays)

        def command(words):
            return [arguments.leeway, *words, "--source", paths[0], "--target", paths[1], "--out", os.path.join(folder, "record.json"), "--quiet", "--no-digest"]

        method = lambda record, name: next(r for r in record["results"] if r["method"] == name)
        work = {"summary": (["assess", "--no-bounds"], summary, lambda r: r["results"][0]["source_accuracy"]),
                "values": ([*ESTIMATES, "0"], values, lambda r: method(r, "atc-ne")["error"]),
                "intervals": ([*ESTIMATES, "200"], intervals, lambda r: method(r, "ac")["error_high"]),
                "cot": (["bound", "--methods", "cot-published", "--bootstrap", "0"], cot, lambda r: method(r, "cot-published")["error"]),
                "dis2": (["bound", "--methods", "dis2", "--restarts", "1"], dis2, lambda r: r["dis2"]["discrepancy"])}
        alone = [["assess"], ["bound", "--methods", "dis2"], ["bound", "--restarts", "1", "--bootstrap", "0"]]
        for name in arguments.only:
            if name == "alone":
                for words in alone:
                    seconds, most = timed(command(words))
                    print(f"{' '.join(words):45} leeway {seconds:6.2f} s, {most:.2f} GB", flush=True)
                continue
            words, peer, value_of = work[name]
            ours, theirs, most = [], [], 0
            for _ in range(arguments.rounds):
                seconds, memory = timed(command(words))
                ours.append(seconds)
                most = max(most, memory)
                begin = time.perf_counter()
                expected = peer(*paths)
                theirs.append(time.perf_counter() - begin)
            found = value_of(json.load(open(os.path.join(folder, "record.json"))))
            ratio = statistics.median(t / o for o, t in zip(ours, theirs))
            print(f"{name:10} leeway {statistics.median(ours):6.2f} s, {most:.2f} GB; peer {statistics.median(theirs):6.2f} s; "
                  f"{ratio:.2f} times as fast; {found:.6f} and {expected:.6f}", flush=True)


if __name__ == "__main__":
    main()
