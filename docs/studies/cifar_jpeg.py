#!/usr/bin/env python3
"""Makes the records and the page of docs/studies/cifar-jpeg.md with the leeway command alone.

    cifar_jpeg.py FOLDER --data CIFAR [--leeway PATH]

CIFAR holds test_lossless_first1017.npz, test_jpeg75.npz (images: x, y) and weights/ of ResNet-20 and
ResNet-44, those of akamaster/pytorch_resnet_cifar10. Everything goes to FOLDER; what stands there whole is not made again. The tables: cifar_jpeg_tables.py FOLDER.
"""
import pathlib

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun

NOTES = """arch = "{}-cifar"
mean = [0.485, 0.456, 0.406]
std = [0.229, 0.224, 0.225]
input = [3, 32, 32]
classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
"""


class CifarJpeg(Study):
    threads = 0

    def model(self, name, weights):
        """The weights beside notes on what it expects."""
        link = self.path(name + weights.suffix)
        notes = link.with_name(link.name + ".toml")
        if not link.exists():
            link.symlink_to(weights.resolve())
        notes.write_text(NOTES.format(name))
        return link

    def rows(self, data, out, rows):
        with numpy.load(data) as images:
            numpy.savez(self.path(out), x=images["x"][rows], y=images["y"][rows])
        return self.path(out)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    study, arguments = begun(CifarJpeg, parser)
    lossless, jpeg = (arguments.data / name for name in ("test_lossless_first1017.npz", "test_jpeg75.npz"))
    pairs = 1017  # rows of the lossless set
    sets = {"lossless": lossless, "jpeg75": study.rows(jpeg, "jpeg75-images.npz", slice(pairs)),
            "jpeg75-others": study.rows(jpeg, "jpeg75-others-images.npz", slice(pairs, None))}
    sources, targets = [], []
    for name in ("resnet20", "resnet44"):
        model = study.model(name, sorted((arguments.data / "weights").glob(f"{name}[-.]*"))[-1])
        for images, path in sets.items():
            study.outputs(f"{name}-{images}.npz", model, path)
        sources.append(f"{name}={study.path(name + '-lossless.npz')}")
        targets += [f"{name}/{images}={study.path(f'{name}-{images}.npz')}" for images in ("jpeg75", "jpeg75-others")]
    study.run("assess.json", "assess", "--source", *sources, "--target", *targets, "--images", lossless,
              f"jpeg75={study.path('jpeg75-images.npz')}", "--unit", "images", "--bootstrap", 200, "--rows", study.path("rows.csv"), "--report",
              study.path("page.html"))


if __name__ == "__main__":
    main()
