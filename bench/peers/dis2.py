#!/usr/bin/python3
"""Dis2: leeway against the papers' recipe for critics (AdamW, torch), in one run, on the same held-out rows' number.

    bench/peers/dis2.py --build BUILD [--rows 5000] [--classes 10] [--restarts 30] [--rounds 3] [--large]

BUILD is a release build with LEEWAY_BENCH=ON (bench/README.md). Made logits: clusters of classes, the target's moved
and wider. The recipe: linear critic with bias, AdamW, step 3e-3, weight decay 5e-4, batches of 256 source and 256 target rows,
50 epochs, half of both sets held out, the largest held-out discrepancy over epochs for every restart. Printed: seconds
at torch's best thread count and leeway's, their ratio, and the average over restarts of the held-out discrepancy of both.

--large runs leeway alone, without a peer, where the recipe would take hours: features of 2048 columns, 1000 classes, 50,000 +
50,000 rows, 3 restarts; and 1,000,000 + 1,000,000 rows of 10 logits, 3 restarts. Printed: seconds and peak memory, mapped files
included. Writes 1.2 GB to the folder for temporary files.

Needs Debian's python3-torch and python3-numpy.
"""
import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F

EPOCHS, BATCH, STEP, DECAY = 50, 256, 3e-3, 5e-4


def made(n, k, seed):
    """Source logits, labels, target logits: a classifier right on 9 rows of 10, less so on the target."""
    generator = np.random.default_rng(seed)
    mixing = np.eye(k) + .3 * generator.standard_normal((k, k)) / np.sqrt(k)

    def rows(width, lean):
        labels = generator.integers(0, k, n)
        logits = 4 * np.eye(k)[labels] + width * generator.standard_normal((n, k)) + lean
        return (logits @ mixing).astype(np.float32), labels

    source, labels = rows(1.5, 0)
    target, _ = rows(2.2, .8 * generator.standard_normal(k))
    return source, labels, target


def disagreement_logistic(scores, y):
    own = scores.gather(1, y[:, None]).squeeze(1)
    margin = own - (scores.sum(1) - own) / (scores.shape[1] - 1)
    return F.softplus(margin).mean() / np.log(2)


def discrepancy(critic, source, source_y, target, target_y):
    with torch.no_grad():
        agree = lambda x, y: (critic(x).argmax(1) == y).float().mean().item()
        return agree(source, source_y) - agree(target, target_y)


def recipe(source, target, restarts, threads, seed=0):
    """Seconds, and D of every restart."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    start = time.perf_counter()
    sets = []
    for x in (torch.from_numpy(source), torch.from_numpy(target)):
        order = torch.randperm(len(x))
        train, holdout = x[order[:len(x) // 2]], x[order[len(x) // 2:]]
        sets.append((train, train.argmax(1), holdout, holdout.argmax(1)))
    (s, s_y, s_hold, s_hold_y), (t, t_y, t_hold, t_hold_y) = sets
    found = []
    for _ in range(restarts):
        critic = torch.nn.Linear(s.shape[1], s.shape[1])
        optimizer = torch.optim.AdamW(critic.parameters(), lr=STEP, weight_decay=DECAY)
        best = -2.
        for _ in range(EPOCHS):
            for rows_s, rows_t in zip(torch.randperm(len(s)).split(BATCH), torch.randperm(len(t)).split(BATCH)):
                optimizer.zero_grad()
                loss = (F.cross_entropy(critic(s[rows_s]), s_y[rows_s]) + disagreement_logistic(critic(t[rows_t]), t_y[rows_t])) / 2
                loss.backward()
                optimizer.step()
            best = max(best, discrepancy(critic, s_hold, s_hold_y, t_hold, t_hold_y))
        found.append(best)
    return time.perf_counter() - start, found


def save_features(folder, n=50_000, k=1000, d=2048):
    """Classes around random centres; the target's centres are moved and its noise is wider. Logits by the nearest centre's direction."""
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((k, d)).astype(np.float32)
    directions = .6 * centres / np.linalg.norm(centres, axis=1, keepdims=True)
    moves = generator.standard_normal((k, d)).astype(np.float32)
    for name, noise, moved in (("source", 10., 0.), ("target", 11.5, .45)):
        labels = generator.integers(0, k, n)
        x = (centres + np.float32(moved) * moves)[labels] + np.float32(noise) * generator.standard_normal((n, d), dtype=np.float32)
        np.savez(os.path.join(folder, f"{name}.npz"), logits=x @ directions.T, features=x, labels=labels)


def save_logits(folder):
    source, labels, target = made(1_000_000, 10, 0)
    np.savez(os.path.join(folder, "source.npz"), logits=source, labels=labels)
    np.savez(os.path.join(folder, "target.npz"), logits=target)


def large(build):
    cases = (("1e6 + 1e6 rows, k = 10", save_logits, "logits"), ("50,000 + 50,000 rows, d = 2048, k = 1000", save_features, "features"))
    for title, save, representation in cases:
        with tempfile.TemporaryDirectory() as folder:
            maker = multiprocessing.Process(target=save, args=(folder,))  # a command's peak counts what its parent held
            maker.start()
            maker.join()
            start = time.perf_counter()
            command = [os.path.join(build, "bin/leeway"), "bound", "--source", "source.npz", "--target", "target.npz", "--restarts", "3",
                       "--bootstrap", "0", "--representation", representation, "--no-digest", "--quiet"]
            running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(running.pid, 0)
            if status != 0:
                raise SystemExit(f"{' '.join(command)} failed")
            print(f"{title}, 3 restarts: {time.perf_counter() - start:.1f} s, {usage.ru_maxrss / 1024:.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/dis2_bench")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--restarts", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    if arguments.large:
        large(arguments.build)
        return
    source, labels, target = made(arguments.rows, arguments.classes, 0)
    thread_counts = sorted({1, os.cpu_count() or 1})
    recipe(source, target, 1, 1)  # not timed: first calls allocate
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("source.npy", "labels.npy", "target.npy")]
        for path, array in zip(paths, (source, labels, target)):
            np.save(path, array)
        command = [os.path.join(arguments.build, "bin/dis2_bench"), *paths, str(arguments.restarts)]
        ours, theirs = [], {threads: [] for threads in thread_counts}
        for round_number in range(arguments.rounds):
            for threads in thread_counts:
                theirs[threads].append(recipe(source, target, arguments.restarts, threads, round_number))
            ours.append(json.loads(subprocess.run([*command, str(round_number)], check=True, capture_output=True, text=True).stdout))
    best = min(thread_counts, key=lambda threads: statistics.median(seconds for seconds, _ in theirs[threads]))
    ratio = statistics.median(seconds / mine["seconds"] for (seconds, _), mine in zip(theirs[best], ours))
    print(f"AdamW in torch, {best} threads: {statistics.median(seconds for seconds, _ in theirs[best]):8.3f} s,  average discrepancy "
          f"{statistics.mean(statistics.mean(found) for _, found in theirs[best]):.4f}, largest {statistics.mean(max(found) for _, found in theirs[best]):.4f}")
    print(f"leeway                    : {statistics.median(mine['seconds'] for mine in ours):8.3f} s,  average discrepancy "
          f"{statistics.mean(mine['average'] for mine in ours):.4f}, largest {statistics.mean(mine['largest'] for mine in ours):.4f}")
    print(f"leeway is {ratio:.1f}x faster")


if __name__ == "__main__":
    main()
