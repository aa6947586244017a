#!/usr/bin/python3
"""An epoch of training and a pass over the test images: leeway beside the same loops in Python's torch.

    bench/peers/nn_training.py BUILD/bin/nn_training [--rounds 5]

Small CNN, Fashion-MNIST, batch 128, Adam. Both sides take turns in one run; each round is one epoch and ten passes over the
10,000 test images, on either side at 1 thread and at all cores. Prints medians, and the ratio torch / leeway of the better
ones (above 1: leeway is faster). Needs Debian's python3-torch and dataset-fashion-mnist.
"""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import time

import numpy as np
import torch
from torch import nn

FOLDER = "/usr/share/datasets/fashion-mnist/"


def images(name):
    with gzip.open(FOLDER + name + "-images-idx3-ubyte.gz") as f:
        x = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28)
    with gzip.open(FOLDER + name + "-labels-idx1-ubyte.gz") as f:
        y = np.frombuffer(f.read(), np.uint8, offset=8)
    return torch.tensor(x, dtype=torch.float32) / 255, torch.tensor(y, dtype=torch.int64)


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten(),
                         nn.Linear(1568, 100), nn.ReLU(), nn.Linear(100, 10))


def epoch(x, y):
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    begin = time.perf_counter()
    loss_sum, right = 0., 0.
    for rows in torch.randperm(len(x)).split(128):
        inputs, labels = x.index_select(0, rows), y.index_select(0, rows)
        optimizer.zero_grad(set_to_none=True)
        logits = model(inputs)
        loss = nn.functional.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(rows)
        right += (logits.detach().argmax(1) == labels).sum().item()
    return time.perf_counter() - begin, model


def inference(model, x, batch=500):
    with torch.inference_mode():
        begin = time.perf_counter()
        torch.cat([model(part) for part in x.split(batch)])
        return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    x, y = images("train")
    test, _ = images("t10k")
    epochs, passes = {}, {}
    counts = sorted({1, cores})
    for _ in range(arguments.rounds):
        for threads in counts:
            text = subprocess.run([arguments.program, str(threads), "10"], check=True, capture_output=True, text=True,
                                  env={"GOMP_SPINCOUNT": "10000", **os.environ}).stdout
            ours = json.loads(text)
            epochs.setdefault(("leeway", threads), []).append(ours["epoch"])
            passes.setdefault(("leeway", threads), []).extend(ours["inference"])
            torch.set_num_threads(threads)
            seconds, model = epoch(x, y)
            epochs.setdefault(("torch", threads), []).append(seconds)
            passes.setdefault(("torch", threads), []).extend(inference(model, test) for _ in range(10))
    print(f"{cores} cores, {arguments.rounds} rounds, torch {torch.__version__}, load {os.getloadavg()[0]:.1f}")
    for title, times, count in (("training epoch", epochs, 60000), ("inference", passes, 10000)):
        medians = {key: statistics.median(values) for key, values in times.items()}
        for (side, threads), seconds in sorted(medians.items()):
            print(f"{title:15} {side:7} {threads} threads {seconds:8.3f} s {count / seconds:9.0f} images/s")
        best = {side: min(medians[side, threads] for threads in counts) for side in ("leeway", "torch")}
        print(f"{title:15} ratio torch / leeway, each at its best: {best['torch'] / best['leeway']:.2f}")


main()
