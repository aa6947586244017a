#!/usr/bin/python3
"""Common corruptions: leeway beside numpy and scipy, and beside the package imagecorruptions, on the same pictures.

    bench/peers/corruptions.py --build BUILD [--images 200] [--rounds 5] [--members shot-noise ...]
    bench/peers/corruptions.py --build BUILD --package PYTHON [--side 32]

BUILD is a release build with LEEWAY_BENCH=ON (bench/README.md). The peers of the first form are tests/reference/corruptions.py (noises
and blurs: whole arrays of pictures at a time, loops over places or factors alone) and corruptions_weather.py (the others: whole
arrays for brightness, contrast and saturate, else picture by picture; Pillow's pixelate and JPEG), float64, as one writes it plainly.
PYTHON, of the second form, is an interpreter that has imagecorruptions (bench/README.md says how): colour pictures of SIDE pixels, 32 or
more, with ImageNet-C's constants, one call of corrupt() a picture.

Rounds take turns. A run takes milliseconds, in which the machine's other work shows, so that times of one thread beside one are the
processor's: microseconds of a picture, medians, and the median over the rounds of the ratio within a round. The column "two threads"
is leeway with two threads beside the package as it is, by the clock. All get levels and return levels.

Needs Debian's python3-numpy, python3-scipy and python3-pil.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/reference"))
sys.dont_write_bytecode = True

import corruptions
import corruptions_weather
import numpy as np

PEERS = {name: corruptions for name in corruptions.CONSTANTS} | {name: corruptions_weather for name in corruptions_weather.MEMBERS}
SHAPES = ((1, 28, 28), (3, 32, 32))


def pictures(n, channels, height, width):
    """Those of corruptions_bench."""
    row, i = np.arange(n)[:, None], np.arange(channels * height * width)
    levels = (row * 7 + i % width * 3 + i // width * 2) % 200 + (7 * i * i + 31 * i + 13 * row) % 56
    return levels.astype(np.uint8).reshape(n, channels, height, width)


def times(command, environment=None):
    """(name, channels, side, severity) -> seconds of the run, microseconds of the processor for a picture."""
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.splitlines()
    return {(line["name"], int(line["channels"]), int(line["height"]), int(line["severity"])):
            (float(line["seconds"]), float(line["microseconds"])) for line in csv.DictReader(lines) if line["severity"] != "all"}


def numpy_times(member, images):
    found = {}
    for shape in SHAPES:
        before = pictures(images, *shape)
        for severity in range(1, 6):
            rng, start = np.random.default_rng(0), time.process_time()
            PEERS[member].corrupt(member, before, severity, rng)
            found[member, shape[0], shape[1], severity] = time.process_time() - start, (time.process_time() - start) / images * 1e6
    return found


def package_times(arguments, folder, member, threads):
    file = os.path.join(folder, "pictures.npy")
    np.save(file, pictures(arguments.images, 3, arguments.side, arguments.side))
    own = pathlib.Path(__file__).with_name("imagecorruptions_package.py")
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    return times([arguments.package, str(own), file, str(threads), member], environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--members", nargs="*", default=list(PEERS))
    parser.add_argument("--package", metavar="PYTHON")
    parser.add_argument("--side", type=int, default=32)
    arguments = parser.parse_args()
    side = arguments.side if arguments.package else 0
    program = os.path.join(arguments.build, "bin", "corruptions_bench")
    rounds = {}  # key -> a list of (ours, theirs) of one thread; and of two threads
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            for member in arguments.members:
                leeway = lambda threads: times([program, str(arguments.images), str(threads), "1", str(side), member])
                ours = leeway(1)
                theirs = package_times(arguments, folder, member, 1) if side else numpy_times(member, arguments.images)
                ours_free, theirs_free = (leeway(2), package_times(arguments, folder, member, 0)) if side else (ours, theirs)
                for key in ours:
                    rounds.setdefault(key, []).append((ours[key][1], theirs[key][1], ours_free[key][0], theirs_free[key][0]))
    peer, last = ("package", "two threads") if side else ("numpy", "")
    print(f"{'member':17} {'picture':9} {'severity':>8} {'leeway':>9} {peer:>9}  times as fast  {last}".rstrip())
    for (member, channels, height, severity), found in rounds.items():
        own, other = (statistics.median(column) for column in list(zip(*found))[:2])
        ratio, free = (statistics.median(one[at + 1] / one[at] for one in found) for at in (0, 2))
        print(f"{member:17} {channels} x {height:<5} {severity:8} {own:9.1f} {other:9.1f}  {ratio:<13.1f}" + (f"  {free:.1f}" if side else ""))


if __name__ == "__main__":
    main()
