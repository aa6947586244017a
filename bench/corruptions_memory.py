#!/usr/bin/python3
"""What images cost in memory under the common corruptions: the peak of leeway shift with one image, with all, and the difference.

    bench/corruptions_memory.py [--leeway PATH] [--images 10000] [--threads 2] [--channels 1|3] [--model MODEL]

Peaks are the largest resident set of the command, files that it maps included. Images are random levels, stored as 8 bits; "times" is
the difference beside their bytes. With a model, which goes with --channels, `shift corrupt` shows it all sets; without one it
writes them.

Needs Debian's time and python3-numpy.
"""
import argparse
import pathlib
import subprocess
import tempfile

import numpy

SHAPES = ((1, 28, 28), (3, 32, 32))


def peak(command, folder):
    """MB of the largest resident set, by a process that is smaller than leeway: a child's peak includes what its parent had."""
    done = subprocess.run(["/usr/bin/time", "--format", "%M", *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    return int(done.stderr.splitlines()[-1]) * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leeway", type=pathlib.Path, default=pathlib.Path("build/release/bin/leeway"))
    parser.add_argument("--images", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--channels", type=int, choices=(1, 3), help="images of 28 x 28 or of 3 x 32 x 32 alone")
    arguments = parser.parse_args()
    leeway = arguments.leeway.resolve()
    common = ["--threads", str(arguments.threads), "--quiet"]
    print(f"leeway --version: {peak([leeway, '--version'], '.'):.1f} MB")
    print(f"{'command':34} {'images':12} {'MB':>7} {'one image':>10} {'all':>8} {'added':>7} times")
    with tempfile.TemporaryDirectory() as folder:
        rng = numpy.random.default_rng(0)
        for shape in (one for one in SHAPES if arguments.channels in (None, one[0])):
            sizes = (1, arguments.images)
            for n in sizes:
                numpy.savez(f"{folder}/{n}.npz", x=rng.integers(0, 256, (n, *shape), dtype=numpy.uint8), y=numpy.arange(n) % 10)
            if arguments.model:
                commands = {"corrupt --model": ["corrupt", "--model", str(arguments.model.resolve()), "--out", "record.json"]}
            else:
                commands = {f"{name} --severity 5": [name, "--severity", "5", "--out", "out.npz"] for name in ("fog", "zoom-blur", "jpeg-compression")}
            for name, words in commands.items():
                one, whole = (peak([leeway, "shift", *words, "--data", f"{n}.npz", *common], folder) for n in sizes)
                size = arguments.images * numpy.prod(shape) / 1e6
                print(f"{name:34} {' x '.join(map(str, shape)):12} {size:7.1f} {one:10.1f} {whole:8.1f} {whole - one:7.1f} {(whole - one) / size:.2f}", flush=True)


if __name__ == "__main__":
    main()
