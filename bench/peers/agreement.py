#!/usr/bin/python3
"""Posterior agreement: leeway against the papers' loop (torch) and scipy's bounded scalar minimiser, in one run.

    bench/peers/agreement.py --build BUILD [--rounds 5] [--full] [--large] [--threads N]

BUILD is a release build with LEEWAY_BENCH=ON (bench/README.md). Every round times every contender once, one after the
other, so that they meet the same machine; the table shows medians over the rounds, and medians of the ratios within a round.
Each contender starts from the two .npy files and ends with beta and the value; np.load or leeway's reading is included,
the start of Python, torch and scipy is not (that of `leeway pa` is).

Needs Debian's python3-torch, python3-scipy, python3-numpy.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.optimize
import torch

EPOCHS, BATCH, BATCH_EPOCHS_TIMED = 500, 16, 2


def write_pair(folder, n, k, name, seed=0):
    """Clean logits 2 N(0,1) and the same with noise N(0,1), float32, written in blocks."""
    paths = [os.path.join(folder, f"{name}_{which}.npy") for which in ("clean", "shifted")]
    files = [np.lib.format.open_memmap(path, "w+", np.float32, (n, k)) for path in paths]
    generator = np.random.default_rng(seed)
    for begin in range(0, n, 65536):
        rows = min(65536, n - begin)
        clean = 2 * generator.standard_normal((rows, k), dtype=np.float32)
        files[0][begin:begin + rows] = clean
        files[1][begin:begin + rows] = clean + generator.standard_normal((rows, k), dtype=np.float32)
    for file in files:
        file.flush()
    return paths


def load_torch(paths):
    return [torch.from_numpy(np.load(path)) for path in paths]


def torch_step(optimizer, beta, clean, shifted):
    """One step of the papers' loop: minus the sum of the logarithms of the products, clamped as they clamp it."""
    optimizer.zero_grad()
    product = (torch.softmax(beta * clean, 1) * torch.softmax(beta * shifted, 1)).sum(1)
    loss = -torch.log(product.clamp_min(1e-44)).sum()
    loss.backward()
    optimizer.step()
    return loss


def torch_full_batch(paths, threads):
    torch.set_num_threads(threads)
    start = time.perf_counter()
    clean, shifted = load_torch(paths)
    beta = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([beta], lr=.1)
    for _ in range(EPOCHS):
        loss = torch_step(optimizer, beta, clean, shifted)
    return time.perf_counter() - start, beta.item(), -loss.item()


def torch_batches(paths, threads, epochs):
    """The published default, batches of 16 in file order; returns the seconds that all epochs would take."""
    torch.set_num_threads(threads)
    start = time.perf_counter()
    clean, shifted = load_torch(paths)
    loaded = time.perf_counter() - start
    beta = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([beta], lr=.1)
    start = time.perf_counter()
    for _ in range(epochs):
        total = 0.
        for rows_clean, rows_shifted in zip(clean.split(BATCH), shifted.split(BATCH)):
            total -= torch_step(optimizer, beta, rows_clean, rows_shifted).item()
    return loaded + (time.perf_counter() - start) * EPOCHS / epochs, beta.item(), total


def logsumexp(x):
    top = x.max(1, keepdims=True)
    return top[:, 0] + np.log(np.exp(x - top).sum(1))


def scipy_bounded(paths):
    start = time.perf_counter()
    clean, shifted = (np.load(path).astype(np.float64) for path in paths)
    both = clean + shifted

    def objective(beta):
        return -(logsumexp(beta * both) - logsumexp(beta * clean) - logsumexp(beta * shifted)).sum()

    found = scipy.optimize.minimize_scalar(objective, bounds=(0, 100), method="bounded")
    return time.perf_counter() - start, found.x, -found.fun, found.nfev


def leeway_bench(build, paths, repeats, threads):
    command = [os.path.join(build, "bin/agreement_bench"), *paths, str(repeats), str(threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def leeway_command(build, paths, repeats, threads):
    """Seconds of the whole process, median."""
    command = [os.path.join(build, "bin/leeway"), "pa", *paths, "--json", "--threads", str(threads)]
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    result = json.loads(done.stdout)["results"][0]
    return statistics.median(seconds), result["beta"], result["log_pa_sum"]


def compare(arguments, paths):
    thread_counts = sorted({1, os.cpu_count() or 1})
    times = {}
    values = {}

    def note(name, seconds, beta, value):
        times.setdefault(name, []).append(seconds)
        values[name] = (beta, value)

    torch_full_batch(paths, 1)  # not timed: first calls allocate
    benches = []
    for _ in range(arguments.rounds):
        for threads in thread_counts:
            note(f"torch, full batch, {EPOCHS} epochs, {threads} threads", *torch_full_batch(paths, threads))
        if not arguments.full:
            for threads in thread_counts:
                note(f"torch, batch {BATCH}, {threads} threads, {BATCH_EPOCHS_TIMED} epochs x {EPOCHS // BATCH_EPOCHS_TIMED}",
                     *torch_batches(paths, threads, BATCH_EPOCHS_TIMED))
        note("scipy, bounded, float64", *scipy_bounded(paths)[:3])
        benches.append(leeway_bench(arguments.build, paths, 31, arguments.threads))
        note("leeway, in process", benches[-1]["solve"], benches[-1]["beta"], benches[-1]["log_pa_sum"])
        note("leeway pa, whole command", *leeway_command(arguments.build, paths, 7, arguments.threads))
    if arguments.full:
        name = f"torch, batch {BATCH}, 1 threads, {EPOCHS} epochs in full"
        seconds, beta, value = torch_batches(paths, 1, EPOCHS)
        times[name], values[name] = [seconds] * arguments.rounds, (beta, value)

    print(f"\n{'':58}{'seconds':>11}{'leeway is':>13}{'command is':>13}{'beta':>12}{'log PA sum':>17}")
    for name, seconds in times.items():
        ratios = [statistics.median(a / b for a, b in zip(seconds, times[mine]))
                  for mine in ("leeway, in process", "leeway pa, whole command")]
        beta, value = values[name]
        print(f"{name:58}{statistics.median(seconds):11.5f}{ratios[0]:12.1f}x{ratios[1]:12.1f}x{beta:12.7f}{value:17.6f}")
    for start, what in (("torch, full batch", "the papers' way at its best thread count"), (f"torch, batch {BATCH}", "their default at its best thread count"),
                        ("scipy", "scipy's bounded minimiser")):
        rows = [seconds for name, seconds in times.items() if name.startswith(start)]
        best = min(rows, key=statistics.median)
        ratios = [statistics.median(a / b for a, b in zip(best, times[mine]))
                  for mine in ("leeway, in process", "leeway pa, whole command")]
        print(f"against {what}: {ratios[0]:.0f}x in process, {ratios[1]:.0f}x the whole command")
    show_floor(benches)


def show_floor(benches):
    last = benches[-1]
    fraction = statistics.median(b["floor"] / b["evaluation"] for b in benches)
    slope_fraction = statistics.median(b["floor"] / b["evaluation_slope"] for b in benches)
    print(f"\nleeway: n={last['n']} k={last['k']}, {last['threads']} threads (0 = all cores): {last['evaluations']} evaluations to a gap of "
          f"{last['gap']:.1e};\n  solve {1e3 * statistics.median(b['solve'] for b in benches):.3f} ms "
          f"(least {1e3 * min(b['solve_least'] for b in benches):.3f}), "
          f"one evaluation {1e6 * statistics.median(b['evaluation_slope'] for b in benches):.1f} us, "
          f"with curvatures {1e6 * statistics.median(b['evaluation'] for b in benches):.1f} us, "
          f"floor of 2 n k exponentials {1e6 * statistics.median(b['floor'] for b in benches):.1f} us: "
          f"{100 * slope_fraction:.0f}% and {100 * fraction:.0f}% of the exp floor;\n  memory beyond the page cache {max(b['rss_anon'] for b in benches) / 2**20:.0f} MiB")


def large(arguments, folder):
    for n, k, repeats in ((1_000_000, 10, 9), (1_000_000, 1000, 3)):
        needed = 8 * n * k
        if shutil.disk_usage(folder).free < 1.1 * needed:
            print(f"\nn={n} k={k}: left out, {needed / 1e9:.1f} GB do not fit into {folder}")
            continue
        paths = write_pair(folder, n, k, f"large_{k}")
        show_floor([leeway_bench(arguments.build, paths, repeats, arguments.threads)])
        for path in paths:
            os.remove(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/agreement_bench and bin/leeway")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="leeway's threads; 0: all cores")
    parser.add_argument("--full", action="store_true", help=f"run all {EPOCHS} epochs of batch {BATCH}, once (minutes)")
    parser.add_argument("--large", action="store_true", help="also n=1e6 with k=10 and k=1000 (8 GB of files)")
    parser.add_argument("--only-large", action="store_true", help="nothing but --large")
    parser.add_argument("--folder", help="where the files are made (default: a temporary folder)")
    parser.add_argument("--pair", nargs=2, metavar=("CLEAN.npy", "SHIFTED.npy"), help="your own files instead of n=10000, k=10")
    arguments = parser.parse_args()
    print(f"python {sys.version.split()[0]}, numpy {np.__version__}, scipy {scipy.__version__}, torch {torch.__version__}, "
          f"{os.cpu_count()} cores, load {' '.join(f'{x:.2f}' for x in os.getloadavg())} (ratios want a quiet machine)")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        if not arguments.only_large:
            compare(arguments, arguments.pair or write_pair(folder, 10_000, 10, "small"))
        if arguments.large or arguments.only_large:
            large(arguments, folder)
    print(f"load afterwards {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
