"""The input files of the golden cases: examples/data, the small published layouts of tests/reference, and arrays made here.

RandomState is used because NumPy never changes its stream; numbers are rounded, so that the last digits of a mathematics
library do not matter.
"""
import pathlib
import shutil

import numpy

CLASSES = ["cat", "dog", "fox"]


def logits_of(random, labels, signal):
    """(n,3): `signal` for the label, plus standard normal noise."""
    noise = random.standard_normal((len(labels), 3))
    return numpy.round(signal * numpy.eye(3)[labels] + noise, 4)


def write_outputs(folder, name, seed, n, signal, mix=(1, 1, 1), labelled=True):
    """An outputs file with logits, features, groups and ids. The features follow the labels."""
    random = numpy.random.RandomState(seed)
    labels = random.choice(3, n, p=numpy.array(mix) / sum(mix))
    place = random.randint(0, 2, n)
    weather = numpy.where(random.random_sample(n) < 0.7, labels % 2, 2)
    features = 2 * numpy.eye(6)[labels] + random.standard_normal((n, 6)) * [2, 1, 1, .5, .5, .1]
    arrays = {"logits": logits_of(random, labels, signal), "class_names": numpy.array(CLASSES),
              "features": numpy.round(features, 4), "ids": numpy.array([f"s{i}" for i in range(n)]),
              "groups": numpy.array([[f"place={'in' if p else 'out'}", f"weather={'sun rain fog'.split()[w]}"]
                                     for p, w in zip(place, weather)])}
    if labelled:
        arrays["labels"] = labels
    numpy.savez(folder / name, **arrays)


def write_pair(folder):
    """pair-clean.npz and pair-shifted.npz: the same rows, before and after a shift; copies without labels as .npy and .csv."""
    random = numpy.random.RandomState(11)
    labels = random.randint(0, 3, 90)
    clean = logits_of(random, labels, 3)
    shifted = numpy.round(0.5 * clean + random.standard_normal(clean.shape), 4)
    features = numpy.round(2 * numpy.eye(4)[labels] + random.standard_normal((90, 4)), 4)
    moved = numpy.round(features + 0.5 * random.standard_normal((90, 4)), 4)
    for name, logits, seen in [("pair-clean", clean, features), ("pair-shifted", shifted, moved)]:
        numpy.savez(folder / f"{name}.npz", logits=logits, labels=labels, features=seen)
        numpy.save(folder / f"{name}.npy", logits)
    numpy.save(folder / "pair-labels.npy", labels)
    rows = ["label,logit_cat,logit_dog,logit_fox"]
    rows += [f"{y},{a},{b},{c}" for y, (a, b, c) in zip(labels, clean)]
    (folder / "pair-clean.csv").write_text("\n".join(rows) + "\n")


def write_days(folder, name, seed, rows, days, bad):
    """A table of outputs with a time; from day `bad` on, half of the rows say nothing about the label."""
    random = numpy.random.RandomState(seed)
    lines = ["time,label,logit_0,logit_1,logit_2"]
    for day in range(days):
        labels = random.randint(0, 3, rows)
        logits = logits_of(random, labels, 2.5)
        lost = (random.random_sample(rows) < 0.5) & (day >= bad)
        logits[lost] = numpy.round(random.standard_normal((lost.sum(), 3)), 4)
        for i, (label, values) in enumerate(zip(labels, logits)):
            minute = 1440 * i // rows
            when = f"2026-03-{day + 2:02}T{minute // 60:02}:{minute % 60:02}"
            lines.append(f"{when},{label}," + ",".join(str(v) for v in values))
    (folder / name).write_text("\n".join(lines) + "\n")


def write_noise_inputs(folder):
    """Logits f, Jacobians J and Gram matrices of 24 samples, 3 classes, 5 inputs; points and covariances for mvn-cdf."""
    random = numpy.random.RandomState(21)
    labels = random.randint(0, 3, 24)
    jacobian = numpy.round(random.standard_normal((24, 3, 5)), 4)
    numpy.save(folder / "f.npy", logits_of(random, labels, 2))
    numpy.save(folder / "f-labels.npy", labels)
    numpy.save(folder / "J.npy", jacobian)
    numpy.save(folder / "gram.npy", numpy.round(jacobian @ jacobian.transpose(0, 2, 1), 4))
    numpy.save(folder / "noise-covariance.npy", numpy.array([1, .5, 2, 1, .1]))
    numpy.savez(folder / "f.npz", logits=logits_of(random, labels, 2), labels=labels)
    numpy.savez(folder / "f-shifted.npz", logits=logits_of(random, labels, 1), labels=labels)
    (folder / "f-groups.csv").write_text("light\n" + "\n".join(["dim", "bright"] * 12) + "\n")
    factor = numpy.round(random.standard_normal((3, 3)), 2)
    numpy.save(folder / "z.npy", numpy.round(random.standard_normal((4, 3)) * 2, 2))
    numpy.save(folder / "R.npy", numpy.round(factor @ factor.T + numpy.eye(3), 4))
    numpy.save(folder / "z-deep.npy", numpy.array([-8., -9., -7.]))


def write_tables(folder):
    """True errors and estimates of 12 shifts for bound evaluate; two tables of attributes; a split."""
    random = numpy.random.RandomState(31)
    lines = ["data_set,shift,target_error,ac,doc,dis2"]
    for i in range(12):
        error = round(0.1 + 0.04 * i, 4)
        off = numpy.round(random.standard_normal(2) * 0.05, 4)
        lines.append(f"{'digits' if i % 2 else 'scenes'},shift{i},{error},{max(0, round(error + off[0], 4))},"
                     f"{max(0, round(error + off[1], 4))},{min(1, round(error + 0.02 * i, 4))}")
    (folder / "shifts.csv").write_text("\n".join(lines) + "\n")
    for name, seed, rare in [("june.csv", 1, 0.3), ("july.csv", 2, 0.05)]:
        random = numpy.random.RandomState(seed)
        rows = ["y,place,season"]
        for _ in range(240):
            place = "town" if random.random_sample() < rare else "wood"
            label = "owl" if (place == "wood") == (random.random_sample() < 0.8) else "cat"
            rows.append(f"{label},{place},{'winter spring summer'.split()[random.randint(0, 3 if seed == 2 else 2)]}")
        (folder / name).write_text("\n".join(rows) + "\n")
    split = ["index,split"] + [f"{i},{'train' if i % 3 else 'test'}" for i in range(240)]
    (folder / "split.csv").write_text("\n".join(split) + "\n")
    (folder / "pair-split.csv").write_text("\n".join(split[:91]) + "\n")


def write_images(folder):
    """Digit-like pictures for diagvib, color and gray pictures with labels for shifts and models."""
    y, x = numpy.mgrid[0:28, 0:28]
    for name, n in [("digits", 120), ("test-digits", 50)]:
        labels = numpy.arange(n) % 10
        pictures = numpy.stack([
            numpy.clip(255 - 40 * abs(abs(x - 14) + abs(y - 14) - 5 - 5 * i / n), 0, 255) if label % 2 == 0 else
            numpy.clip(255 - 60 * abs(x - 14 + (y - 14) * (i / n - 0.2)), 0, 255) * (abs(y - 14) < 10)
            for i, label in enumerate(labels)]).astype(numpy.uint8)
        numpy.savez(folder / f"{name}.npz", x=pictures[:, None], y=labels)
    random = numpy.random.RandomState(41)
    base = random.randint(0, 256, (12, 3, 4, 4)).astype(numpy.uint8)
    color = numpy.clip(base.repeat(8, 2).repeat(8, 3).astype(int) + random.randint(-20, 21, (12, 3, 32, 32)), 0, 255)
    numpy.savez(folder / "color.npz", x=color.astype(numpy.uint8), y=numpy.arange(12) % 3)
    numpy.savez(folder / "gray.npz", x=color[:, :1].astype(numpy.uint8), y=numpy.arange(12) % 3)
    numpy.savez(folder / "floats.npz", x=(color[:, :1] / 255).astype(numpy.float32), y=numpy.arange(12) % 3)
    numpy.savez(folder / "unlabeled.npz", x=color.astype(numpy.uint8))


def make(folder, root):
    folder.mkdir(parents=True)
    for name in ["clean.npz", "blurred.npz", "production.npz", "reviews.csv"]:
        shutil.copy(root / "examples/data" / name, folder)
    shutil.copy(root / "examples/study_small.toml", folder)
    for name in ["layouts", "model_files", "onnx", "checkpoints", "torchscript"]:
        shutil.copytree(root / "tests/reference" / name, folder / name)
    write_outputs(folder, "source.npz", 1, 300, 3)
    write_outputs(folder, "target.npz", 2, 240, 2, mix=(1, 1, 3))
    write_outputs(folder, "unlabeled-target.npz", 2, 240, 2, mix=(1, 1, 3), labelled=False)
    write_outputs(folder, "week1.npz", 3, 150, 3)
    write_outputs(folder, "week2.npz", 4, 150, 1.5)
    write_pair(folder)
    write_days(folder, "val.csv", 5, 800, 1, 99)
    write_days(folder, "prod.csv", 6, 100, 8, 6)
    write_noise_inputs(folder)
    write_tables(folder)
    write_images(folder)
    for name in ["cat/a.JPEG", "dog/b.JPEG"]:  # the layout of ImageNet-C
        path = folder / "imagenet-c/fog/2" / name
        path.parent.mkdir(parents=True)
        shutil.copy(root / "tests/reference/layouts/jpeg/progressive.jpg", path)
    (folder / "bad.csv").write_text("label,logit_a,logit_b\n0,1.5,-0.2\n1,nan,0.3\n")
    (folder / "options.toml").write_text('json = true\n[bound.evaluate]\ndelta = 0.25\n[pa]\nlevel = 0.9\n')
    (folder / "wrong-study.toml").write_text(
        '[shift]\ndata = "gray.npz"\nname = "contrast"\nstrenght = [0.2, 0.4]\nout = "x.npz"\n')
    (folder / "own-study.toml").write_text(
        '[assess]\nsource = "source.npz"\ntarget.new = ["week1.npz", "target.npz"]\nrestarts = [3, 10]\n')
