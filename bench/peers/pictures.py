#!/usr/bin/python3
"""Pictures per second: `leeway data load folder --preprocess imagenet` beside Pillow and NumPy, from JPEG files to one .npz.

    bench/peers/pictures.py [--leeway PATH] [--pictures 500] [--rounds 5] [--threads 1,2] [--folder FOLDER]

The pictures are smooth noise of 500 x 375 pixels, or those of FOLDER (CLASS/x.jpg). Every round times both, one after the other,
process start included; shown are medians and the median of the ratios within a round. With several threads Pillow has as many
processes. Pixels must be equal.

Needs Debian's python3-pil and python3-numpy.
"""
import argparse
import multiprocessing
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image


def make(folder, count):
    rng = numpy.random.default_rng(0)
    (folder / "class").mkdir(parents=True)
    for i in range(count):
        small = Image.fromarray(rng.integers(0, 256, (38, 50, 3), dtype=numpy.uint8))
        noise = rng.integers(-12, 13, (375, 500, 3))
        levels = numpy.clip(numpy.asarray(small.resize((500, 375), Image.BICUBIC)) + noise, 0, 255).astype(numpy.uint8)
        Image.fromarray(levels).save(folder / "class" / f"{i:05d}.jpg", quality=90)


def pillow(path):
    """torchvision's Resize(256) and CenterCrop(224)."""
    image = Image.open(path).convert("RGB")
    width, height = image.size
    short = min(width, height)
    image = image.resize((256 * width // short, 256 * height // short), Image.BILINEAR)
    left, top = round((image.width - 224) / 2), round((image.height - 224) / 2)
    return numpy.asarray(image.crop((left, top, left + 224, top + 224))).transpose(2, 0, 1)


def peer(folder, out, threads):
    files = sorted(pathlib.Path(folder).glob("*/*"))
    if threads == 1:
        x = numpy.stack([pillow(file) for file in files])
    else:
        with multiprocessing.Pool(threads) as pool:
            x = numpy.stack(pool.map(pillow, files, chunksize=16))
    numpy.savez(out, x=x)


def seconds(command):
    begin = time.monotonic()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leeway", type=pathlib.Path, default=pathlib.Path("build/release/bin/leeway"))
    parser.add_argument("--pictures", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        return peer(*options.peer[:2], int(options.peer[2]))
    with tempfile.TemporaryDirectory() as temporary:
        here = pathlib.Path(temporary)
        folder = options.folder or here / "pictures"
        if not options.folder:
            make(folder, options.pictures)
        count = len(list(folder.glob("*/*")))
        for threads in options.threads.split(","):
            load = [options.leeway, "data", "load", "folder", folder, "--preprocess", "imagenet", "--out", here / "ours.npz",
                    "--threads", threads, "--quiet", "--no-digest"]
            rounds = [(seconds(load), seconds([sys.executable, __file__, "--peer", folder, here / "theirs.npz", threads])) for _ in range(options.rounds)]
            assert (numpy.load(here / "ours.npz")["x"] == numpy.load(here / "theirs.npz")["x"]).all()
            ours, theirs = (count / statistics.median(times) for times in zip(*rounds))
            ratio = statistics.median(other / own for own, other in rounds)
            print(f"{threads} threads: leeway {ours:.0f} pictures per second, Pillow {theirs:.0f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
