"""Writes corruption_levels.json and rendered_levels.json: levels that `leeway shift` and `leeway data render` give, as hexadecimal digits.

Usage: recorded_levels.py LEEWAY. The equations of corruptions are compared with other programs for the constants of CIFAR-10-C
(corruptions*.py); these levels also hold the other constants, scaled lengths and the published variant. Areas and edges of sprites are compared
with their geometry in tests/data/render_test.cpp; these levels hold all else that is drawn. Every `every`-th level is kept.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

import corruption_pictures

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("gaussian-noise", "shot-noise", "impulse-noise", "defocus-blur", "glass-blur", "motion-blur", "zoom-blur", "snow", "frost", "fog",
         "brightness", "contrast", "elastic-transform", "pixelate", "jpeg-compression", "speckle-noise", "gaussian-blur", "spatter", "saturate")
CASES = [((2, 3, 32, 28), "cifar", "corrected"), ((2, 3, 32, 28), "tiny", "corrected"), ((2, 3, 32, 28), "imagenet", "corrected"),
         ((2, 1, 41, 50), "auto", "corrected"), ((1, 3, 90, 81), "auto", "corrected"), ((1, 1, 130, 122), "auto", "corrected"),
         ((2, 3, 32, 28), "cifar", "published"), ((2, 3, 32, 28), "imagenet", "published"), ((9, 1, 3, 3), "cifar", "published")]
KEPT = 48


def levels_of(leeway, folder, every, *words):
    """Of the images that a command writes to out.npz."""
    subprocess.run([leeway, *words, "--out", "out.npz", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    levels = numpy.load(f"{folder}/out.npz")["x"].ravel()[::every].tobytes().hex()
    pathlib.Path(folder, "out.npz").unlink()
    return levels


def write(name, entries):
    text = ",\n".join(json.dumps(one) for one in entries)
    (HERE / f"{name}.json").write_text(f"[{text}]\n", encoding="utf-8")


def main():
    leeway, corrupted = str(pathlib.Path(sys.argv[1]).resolve()), []
    with tempfile.TemporaryDirectory() as folder:
        for shape, chosen, variant in CASES:
            pixels = corruption_pictures.pictures(*[shape[i] for i in (0, 2, 3, 1)])
            numpy.savez(f"{folder}/set.npz", x=pixels, y=numpy.zeros(len(pixels), int))
            every = pixels.size // KEPT | 1
            levels = {name: [levels_of(leeway, folder, every, "shift", name, "--severity", str(severity), "--set", chosen, "--variant", variant,
                                       "--data", "set.npz") for severity in range(1, 6)] for name in NAMES}
            corrupted.append({"shape": shape, "set": chosen, "variant": variant, "every": every, "levels": levels})
        rendered = [{"set": name, "n": 24, "size": 28, "seed": 5, "every": 37,
                     "levels": levels_of(leeway, folder, 37, "data", "render", name, "--sample", "24", "--size", "28", "--seed", "5")}
                    for name in ("dsprites", "shapes3d")]
    write("corruption_levels", corrupted)
    write("rendered_levels", rendered)


if __name__ == "__main__":
    main()
