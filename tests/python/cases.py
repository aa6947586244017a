"""The data of test_parity.py: for every function its arrays and files, for every option another value than the default.

What no description tells stands here: VALUES, BESIDE the options that an option needs, FILES and INPUTS that it is about.
"""

import csv
import struct
import zlib

import numpy
import pytest

from . import conftest
from .conftest import outputs


def write(folder, name, **arrays):
    numpy.savez(folder / name, **arrays)
    return arrays


def write_without_labels(folder, name, labels=None, **arrays):
    numpy.savez(folder / name, **arrays)
    return arrays


def write_truth(folder, name, labels=None, **arrays):
    """Labels in an array `truth`, the same in every set."""
    rows, classes = next(iter(arrays.values())).shape
    arrays["truth"] = numpy.arange(rows) % classes
    numpy.savez(folder / name, **arrays)
    return arrays


def write_png(path, pixels):
    """8-bit RGB."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def columns(scores, count):
    """The first ones; of one score a row that one again."""
    return scores[:, :count] if scores.ndim > 1 else numpy.stack([scores] * count, 1)


def table_of(n=240, seed=3):
    random = numpy.random.default_rng(seed)
    return {"shape": random.choice(["heart", "oval", "square"], n).tolist(),
            "color": random.choice(["blue", "green", "red"], n).tolist(),
            "size": random.choice(["1", "2", "3"], n).tolist(), "id": [f"row{i}" for i in range(n)]}


def write_table(folder, name, table):
    with open(folder / name, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(table)
        rows.writerows(zip(*table.values()))
    return table


TIMES_OF_TARGETS = ""  # what their array is called; empty: there is none
SHIFT = "gaussian-noise"


# Each: (folder) -> arguments in Python, words of the command.
def agreement(folder):
    clean, shifted, labels = outputs()
    norms = numpy.abs(columns(shifted - clean, 5)).max(1).astype(float)
    first = write(folder, "clean.npz", logits=clean, labels=labels)
    second = write(folder, "noisy.npz", logits=shifted, labels=labels, norms=norms)
    third = write(folder, "blurred.npz", logits=(clean + shifted) / 2, labels=labels, norms=norms)
    return (first, {"noisy.npz": second, "blurred.npz": third}), ["pa", "clean.npz", "noisy.npz", "blurred.npz"]


def assess(folder):
    clean, shifted, labels = outputs()
    groups = numpy.array([["day", "night"][label % 2] for label in labels])
    source = write(folder, "val.npz", logits=clean, labels=labels, groups=groups[:, None])
    times = {TIMES_OF_TARGETS: numpy.datetime_as_string(numpy.datetime64("2026-03-01") + numpy.arange(len(labels)) % 4)} if TIMES_OF_TARGETS else {}
    prod = write(folder, "prod.npz", logits=shifted, **times)
    noise = write(folder, "noise.npz", logits=shifted, labels=labels, groups=groups[:, None], **times)
    return ((source, {"prod": prod, "noise": noise}),
            ["assess", "--source", "val.npz", "--target", "prod=prod.npz", "noise=noise.npz"])


def select(folder):
    arrays = {}
    for epoch in (1, 2):
        clean, shifted, labels = outputs(seed=epoch)
        arrays[f"c{epoch}.npz"] = write(folder, f"c{epoch}.npz", logits=clean, labels=labels)
        arrays[f"s{epoch}.npz"] = write(folder, f"s{epoch}.npz", logits=shifted)
    clean, shifted = ({name: arrays[name] for name in arrays if name[0] == first} for first in "cs")
    return (clean, shifted), ["select", "--clean", *clean, "--shifted", *shifted]


def with_features(folder):
    clean, shifted, labels = outputs(n=120)
    features = numpy.random.default_rng(5).normal(size=(120, 4))
    first = write(folder, "clean.npz", logits=clean, labels=labels, features=features)
    second = write(folder, "noisy.npz", logits=shifted, features=features + .1 * columns(shifted, 4))
    return first, {"noisy.npz": second}


def distances(folder):
    return with_features(folder), ["distances", "clean.npz", "noisy.npz"]


def align(folder):
    return with_features(folder), ["align", "clean.npz", "noisy.npz"]


def error_bound(folder):
    clean, shifted, labels = outputs()
    features = numpy.random.default_rng(5).normal(size=(300, 4))
    first = write(folder, "source.npz", logits=clean, labels=labels, features=features)
    second = write(folder, "target.npz", logits=shifted, features=features + .1 * columns(shifted, 4))
    return (first, second), ["bound", "--source", "source.npz", "--target", "target.npz"]


def estimates(folder):
    arrays, words = error_bound(folder)
    return arrays, [*words, "--methods", "combined,ac,doc,atc-conf,atc-ne,cot,cot-published,cot-corrected"]


def evaluate_bounds(folder):
    random = numpy.random.default_rng(7)
    truth = random.uniform(.4, .9, 30).round(4)
    table = write_table(folder, "table", {"data_set": ["a", "b", "c"] * 10, "target_accuracy": truth.tolist(),
                                          "dis2": (truth - .1).round(4).tolist(), "ac": (truth + .03).round(4).tolist()})
    return (table,), ["bound", "evaluate", "table"]


def average_case(folder):
    logits, _, _ = outputs(n=40, k=4)
    jacobian = numpy.random.default_rng(9).normal(size=(40, 4 if logits.ndim > 1 else 2, 6)).astype(numpy.float32)
    numpy.save(folder / "logits.npy", logits)
    numpy.save(folder / "jacobian.npy", jacobian)
    return (logits, jacobian), ["average-case", "--logits", "logits.npy", "--jacobian", "jacobian.npy"]


def mvn_cdf(folder):
    random = numpy.random.default_rng(11)
    root = random.normal(size=(4, 4))
    upper, covariance = random.normal(size=(3, 4)), root @ root.T
    numpy.save(folder / "z.npy", upper)
    numpy.save(folder / "R.npy", covariance)
    return (upper, covariance), ["mvn-cdf", "--upper", "z.npy", "--covariance", "R.npy"]


PICTURES = False  # of a folder


def shift(folder):
    random = numpy.random.default_rng(13)
    x = random.integers(0, 256, size=(20, 3, 32, 32), dtype=numpy.uint8)
    if PICTURES:
        (folder / "pictures").mkdir()
        for row in range(4):
            write_png(folder / "pictures" / f"{row}.png", x[row].transpose(1, 2, 0))
        write_table(folder, "pictures.csv", {"file": ["2.png", "1.png"], "label": [1, 0]})
        return ("pictures", SHIFT), ["shift", SHIFT, "--data", "pictures", "--out", "shifted.npz"]
    images = write(folder, "images.npz", x=x, y=numpy.arange(20) % 4)
    return (images, SHIFT), ["shift", SHIFT, "--data", "images.npz", "--out", "shifted.npz"]


def shift_text(folder):
    random = numpy.random.default_rng(15)
    words = ["good", "plain", "dull", "film", "story", "actor", "a", "the"]
    table = write_table(folder, "reviews.csv", {"text": [" ".join(random.choice(words, 9)) for _ in range(30)],
                                                "label": [i % 2 for i in range(30)], "title": ["x"] * 30})
    write_table(folder, "words.csv", {"word": ["good", "dull"], "sign": [1, -1]})
    return (table, "amplify"), ["shift", "text", "amplify", "--data", "reviews.csv", "--out", "out.csv"]


def conds_split(folder):
    table = write_table(folder, "table.csv", table_of(600))
    return ({"table": table},), ["conds", "draw", "--attributes", "table.csv", "--out", "split.csv"]


def conds_describe(folder):
    first, second = write_table(folder, "source.csv", table_of()), write_table(folder, "target.csv", table_of(seed=4))
    return (first, second), ["conds", "describe", "--source", "source.csv", "--target", "target.csv"]


def families(folder):
    return (), ["list"]


CASES = {"agreement": agreement, "assess": assess, "select": select, "distances": distances, "align": align,
         "error_bound": error_bound, "estimates": estimates, "evaluate_bounds": evaluate_bounds,
         "average_case": average_case, "mvn_cdf": mvn_cdf, "shift": shift, "shift_text": shift_text, "conds.split": conds_split,
         "conds.describe": conds_describe, "list": families}
# Functions of a model in memory, which rounds by its library: test_attack.py, test_attack_curve.py, test_torch_classifier.py; of a
# server: test_endpoint.py.
OF_MODELS = {"attack", "attack_curve", "attack_endpoint", "infer_endpoint"}
# What the command or the case needs beside any option.
ALWAYS = {"average_case": {"sigma": [.1, .3]}, "list": {"family": "estimators"},
          "conds.split": {"label": "shape", "sc": "color", "ldd": "size", "train": 6, "val": 2, "test": 2},
          "conds.describe": {"label": "shape", "columns": ["color", "size"], "permutations": 99, "bootstrap": 50},
          "assess": {"restarts": 1}, "error_bound": {"restarts": 2}, "evaluate_bounds": {}}
# Values of options that cannot be made from their descriptions.
VALUES = {
    ("*", "binary"): "logit", ("*", "as"): "logits", ("*", "label_column"): "truth", ("*", "class_columns"): "logits",
    ("*", "group_columns"): "place", ("*", "id_column"): "row", ("*", "separator"): "semicolon", ("*", "encoding"): "latin-1", ("*", "class_names"): "a,b,c,d,e",
    ("average_case", "class_names"): "a,b,c,d", ("*", "first_label"): 0,
    ("*", "labels"): "labels.npy", ("assess", "labels"): "labels.npy,noise=other.npy", ("*", "groups"): "groups.csv", ("*", "index"): "split.csv", ("*", "split"): "test",
    ("agreement", "ratios"): [0., .25, .5], ("agreement", "pairing"): "label", ("agreement", "bootstrap"): 20,
    ("agreement", "curve"): 7, ("agreement", "prior"): "labels",
    ("assess", "chunk"): "1d", ("assess", "time_column"): "when", ("assess", "sigma"): [.1, .2], ("assess", "survival_rows"): 50,
    ("assess", "unit"): "reviews", ("assess", "bootstrap"): 20, ("assess", "restarts"): 2,
    ("distances", "only"): ["kl", "wasserstein"], ("align", "sample"): 64,
    ("error_bound", "methods"): ["dis2", "ac"], ("estimates", "methods"): ["ac", "cot"],
    ("error_bound", "representation"): "features", ("estimates", "representation"): "features",
    ("error_bound", "bootstrap"): 20, ("estimates", "bootstrap"): 20, ("error_bound", "restarts"): 3,
    ("error_bound", "training_rows"): 100, ("error_bound", "search"): "reference",
    ("evaluate_bounds", "methods"): ["dis2"], ("evaluate_bounds", "coverage"): [.9], ("evaluate_bounds", "delta"): .05,
    ("average_case", "methods"): ["taylor", "softmax"], ("average_case", "sigma"): [.2], ("average_case", "classes"): 3, ("average_case", "rows"): 20,
    ("average_case", "noise"): "gaussian", ("average_case", "copies"): 10,
    ("average_case", "draws"): 1000, ("average_case", "tolerance"): 1e-3, ("average_case", "certify_alpha"): .01,
    ("mvn_cdf", "max_points"): 2**21, ("mvn_cdf", "tolerance"): 1e-5, ("mvn_cdf", "log_tolerance"): .1,
    ("shift", "strength"): .2, ("shift", "severity"): 3, ("shift", "classes"): [1, 2], ("shift", "frost_dir"): "frost",
    ("shift", "preprocess"): "timm:0.875", ("shift", "resize_shorter"): 40, ("shift", "interpolation"): "nearest", ("shift", "crop"): 20,
    ("shift", "picture_labels"): "pictures.csv", ("shift", "group_rates"): [.2, .5],
    ("agreement", "suspects"): 5,
    ("shift_text", "column"): "title", ("shift_text", "strength"): 2., ("shift_text", "label"): "label",
    ("shift_text", "words"): "words.csv", ("shift_text", "positive"): ["1", "yes"], ("shift_text", "negative"): ["0", "no"],
    ("conds.split", "uds"): "size", ("conds.split", "columns"): ["color", "size"],
    ("conds.split", "dataset"): "dsprites", ("conds.split", "id"): "id", ("conds.split", "plan"): True,
    ("conds.split", "label"): "shape", ("conds.split", "sc"): "color", ("conds.split", "ldd"): "size",
    ("conds.describe", "label"): "color", ("conds.describe", "columns"): ["color"], ("list", "family"): "noises",
}
# Tested elsewhere, and why not here.
ELSEWHERE = {
    ("average_case", "convergence"): "asks a model, which rounds by its library: test_torch_classifier.py",
    ("assess", "rows"): "the command writes a file: test_rows_are_those_of_the_command",
}
BESIDE = {("shift", "interpolation"): {"resize_shorter": 24}, ("shift", "set"): {"severity": 2}, ("shift", "variant"): {"severity": 2}, ("shift", "frost_dir"): {"severity": 2},
          ("shift", "groups"): {"group_rates": [.2, .5]}, ("shift", "group_rates"): {"groups": "groups.csv"},
          ("shift_text", "positive"): {"negative": ["0"]}, ("shift_text", "negative"): {"positive": ["1"]},
          ("conds.split", "uds"): {"ldd": None},
          ("conds.split", "all"): {"sc": None, "ldd": None, "columns": ["color", "size"]},
          ("conds.split", "dataset"): {"label": None, "sc": "obj_color", "ldd": "scale"},
          ("conds.describe", "label"): {"columns": ["size"]}, ("average_case", "width"): {"methods": ["taylor"]},
          ("*", "index"): {"split": "val"}, ("*", "split"): {"index": "split.csv"}, ("assess", "time_column"): {"chunk": "1d"},
          ("assess", "sigma"): {"jacobian": "jacobian.npy"}, ("assess", "survival_rows"): {"jacobian": "jacobian.npy", "sigma": [.1]}}


def binary_outputs(n=300, k=2, seed=0):
    """One score a row, of the second of two classes."""
    clean, shifted, labels = conftest.outputs(n, 2, seed)
    return clean[:, 1] - clean[:, 0], shifted[:, 1] - shifted[:, 0], labels


def protocol_table(_=None):
    random = numpy.random.default_rng(17)
    names = {"shape": ["square", "ellipse", "heart"], "obj_color": ["red", "yellow", "blue"], "bg_color": ["orange", "green", "purple"],
             "scale": ["small", "middle", "big"]}
    return {name: random.choice(values, 2000).tolist() for name, values in names.items()}


def files_beside(folder, n):
    """Labels, groups and a split of n rows."""
    labels = numpy.arange(n) % 5
    numpy.save(folder / "labels.npy", labels)
    numpy.save(folder / "other.npy", (labels + 1) % 5)
    write_table(folder, "groups.csv", {"place": ["land" if label % 2 else "water" for label in labels]})
    write_table(folder, "split.csv", {"index": range(n), "split": [["test", "val", "train"][row % 3] for row in range(n)]})


def groups_of_images(folder, _):
    files_beside(folder, 20)


def jacobian(folder, n):
    numpy.save(folder / "jacobian.npy", numpy.random.default_rng(19).normal(size=(n, 5, 6)).astype(numpy.float32))


def frost(folder, _):
    (folder / "frost").mkdir()
    write_png(folder / "frost" / "0.png", numpy.random.default_rng(21).integers(0, 256, (80, 90, 3), numpy.uint8))


# What an option is about: functions that make files, of a folder and a number of rows; what stands in this module otherwise.
FILES = {("*", "labels"): files_beside, ("*", "groups"): files_beside, ("*", "index"): files_beside, ("*", "split"): files_beside,
         ("assess", "sigma"): jacobian, ("assess", "survival_rows"): jacobian, ("shift", "frost_dir"): frost,
         ("shift", "groups"): groups_of_images, ("shift", "group_rates"): groups_of_images}
INPUTS = {("*", "binary"): {"outputs": binary_outputs}, ("*", "labels"): {"write": write_without_labels},
          ("*", "label_column"): {"write": write_truth},
          ("assess", "chunk"): {"TIMES_OF_TARGETS": "time"},
          ("assess", "time_column"): {"TIMES_OF_TARGETS": "when"}, ("shift", "classes"): {"SHIFT": "label-subset"},
          **{("shift", option): {"PICTURES": True} for option in ("preprocess", "resize_shorter", "interpolation", "crop", "picture_labels")},
          ("shift", "groups"): {"SHIFT": "label-noise"}, ("shift", "group_rates"): {"SHIFT": "label-noise"},
          ("shift", "frost_dir"): {"SHIFT": "frost"}, ("conds.split", "dataset"): {"table_of": protocol_table}}


def known(table, name, key, otherwise=None):
    return table.get((name, key), table.get(("*", key), otherwise))


def value_of(name, option):
    """Another value than the default."""
    key, kind, _, default, choices, _ = option
    value = known(VALUES, name, key)
    if value is not None:
        return value
    kind = kind.removesuffix(" | None")
    if kind == "bool":
        return not default
    if choices:
        words = [word for word, _ in choices if word != default]
        return words[-1:] if kind.startswith("list") else words[-1]
    if kind == "float":
        return .75 if default is None else default * .9
    if kind == "int":
        return 2 if default is None else default + 1
    pytest.fail(f"{name}: say in VALUES which value {key} may take")
