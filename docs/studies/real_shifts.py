#!/usr/bin/env python3
"""Outputs of real classifiers under real shifts, for the study of answers without labels.

    real_shifts.py FOLDER --data DATA [--leeway PATH]

Writes FOLDER/real/MODEL/source.npz and SHIFT.npz (logits, labels): the 72 shifts of docs/studies/bounds.md (three classifiers of
Fashion-MNIST, whose trainings are those of fashion_mnist.py), Waterbirds, and two ResNets of CIFAR-10 under JPEG and the shifts of
Fashion-MNIST. FOLDER/adversarial/MODEL has the attacks fgsm and pgd on five of the seven, at four radii. DATA holds cifar10/ and
waterbirds/ as cifar_jpeg.py and waterbirds_bounds.py describe them. What is there is not made again.
"""
import pathlib

import numpy

from cifar_jpeg import CifarJpeg
from fashion_mnist import Study
from fashion_mnist_bounds import SHIFTS, Bounds
from study_script import arguments_of
from waterbirds_bounds import TARGETS, rows_of, usual

RADII = {"linear": (1, 2, 4, 8), "cnn": (2, 4, 8, 16), "robust": (4, 8, 16, 32), "resnet20": (1, 2, 4, 8), "resnet44": (1, 2, 4, 8)}


def save(path, logits, labels):
    path.parent.mkdir(parents=True, exist_ok=True)
    numpy.savez(path, logits=logits.astype(numpy.float32), labels=labels.astype(numpy.int64))


def copy(outputs, path, rows=slice(None)):
    with numpy.load(outputs) as arrays:
        save(path, arrays["logits"][rows], arrays["labels"][rows])


def file_of(shift):
    return shift.replace(":", "-").replace("/", "-") + ".npz"


def attacked(study, name, weights, images, real, adversarial):
    part = adversarial / f"{name}.csv"  # of 10,000 images 2,000, of CIFAR-10 all
    count = 2000 if images == "fashion-mnist:test" else 509
    adversarial.mkdir(exist_ok=True)
    part.write_text("index,split\n" + "".join(f"{row},test\n" for row in range(count)))
    copy(real / name / "source.npz", adversarial / name / "source.npz")
    for attack in ("fgsm", "pgd"):
        for radius in RADII[name]:
            stem = f"adversarial/{name}-{attack}{radius}"
            study.run(stem + "-images.npz", "attack", "--model", weights, "--data", images, "--index", part, "--split", "test",
                      "--attack", attack, "--eps", f"{radius}/255")
            copy(study.outputs(stem + ".npz", weights, study.path(stem + "-images.npz")), adversarial / name / f"{attack}{radius}.npz")


def fashion(folder, leeway, real):
    study = Bounds(folder, leeway)
    study.split()
    Study.train(study, 0)
    for model, weights in study.classifiers().items():
        copy(study.outputs(f"bounds/{model}-source.npz", weights, study.path("validation.npz")), real / model / "source.npz")
        for shift, images in study.targets(model, weights):
            outputs = study.outputs("bounds/" + model + "-" + file_of(shift), weights, images)
            copy(outputs, real / model / file_of(shift))
        attacked(study, model, weights, "fashion-mnist:test", real, folder / "adversarial")


def cifar(folder, leeway, real, data):
    """The source: half of the lossless images; targets: the other half, shifted, and the JPEG images of neither."""
    folder.mkdir(exist_ok=True)
    study = CifarJpeg(folder, leeway)
    lossless, jpeg = data / "test_lossless_first1017.npz", data / "test_jpeg75.npz"
    half = 508
    targets = {"none": study.rows(lossless, "none-images.npz", slice(half, None)),
               "jpeg75": study.rows(jpeg, "jpeg75-images.npz", slice(1017, None))}
    for shift in SHIFTS:
        name, strength = shift.split(":")
        out = "shifted/" + file_of(shift)
        study.run(out, "shift", name, "--strength", strength, "--data", targets["none"])
        targets[shift] = study.path(out)
    for name in ("resnet20", "resnet44"):
        model = study.model(name, sorted((data / "weights").glob(f"{name}[-.]*"))[-1])
        copy(study.outputs(f"{name}-lossless.npz", model, lossless), real / name / "source.npz", slice(half))
        for shift, images in targets.items():
            copy(study.outputs(f"{name}-{file_of(shift)}", model, images), real / name / file_of(shift))
        attacked(study, name, model, targets["none"], real, folder.parent / "adversarial")


def waterbirds(real, data):
    for model in ("resnet", "jtt"):
        published = data / f"{model}_waterbirds_avg_results.csv"
        for name, wanted in {"source": lambda i, row: usual(row) and i % 2 == 0, **TARGETS}.items():
            rows = rows_of(published, wanted)
            p = numpy.array([[float(row["p_0"]), float(row["p_1"])] for row in rows])
            save(real / f"waterbirds-{model}" / (name.replace(" ", "-") + ".npz"), numpy.log(numpy.maximum(p, 1e-12)),
                 numpy.array([int(float(row["y_true"])) for row in rows]))


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    real = arguments.folder / "real"
    real.mkdir(parents=True, exist_ok=True)
    waterbirds(real, arguments.data / "waterbirds")
    cifar(arguments.folder / "cifar", arguments.leeway, real, arguments.data / "cifar10")
    fashion(arguments.folder, arguments.leeway, real)


if __name__ == "__main__":
    main()
