"""Every function against its command, on the same arrays: records equal key by key and bit by bit, for every option.

Cases are made from the descriptions, so that a new option or key is tested the day it is there.
"""

import csv
import keyword

import numpy
import pytest

import leeway
from leeway import _functions, _leeway

from .conftest import outputs

CALL = {"command", "inputs", "seconds", "out", "xxh3_128"}  # of how a record came about
TIMES = {"seconds_in_all", "model_seconds_in_all"}


def without_call(tree):
    if isinstance(tree, dict):
        return {key: without_call(value) for key, value in tree.items() if key not in CALL | TIMES}
    return [without_call(value) for value in tree] if isinstance(tree, list) else tree


def write(folder, name, **arrays):
    numpy.savez(folder / name, **arrays)
    return arrays


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


# Each: (folder) -> arguments in Python, words of the command.
def agreement(folder):
    clean, shifted, labels = outputs()
    norms = numpy.abs(shifted - clean).max(1).astype(float)
    first = write(folder, "clean.npz", logits=clean, labels=labels)
    second = write(folder, "noisy.npz", logits=shifted, labels=labels, norms=norms)
    third = write(folder, "blurred.npz", logits=(clean + shifted) / 2, labels=labels, norms=norms)
    return (first, {"noisy.npz": second, "blurred.npz": third}), ["pa", "clean.npz", "noisy.npz", "blurred.npz"]


def assess(folder):
    clean, shifted, labels = outputs()
    groups = numpy.array([["day", "night"][label % 2] for label in labels])
    source = write(folder, "val.npz", logits=clean, labels=labels, groups=groups[:, None])
    prod = write(folder, "prod.npz", logits=shifted)
    noise = write(folder, "noise.npz", logits=shifted, labels=labels, groups=groups[:, None])
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
    second = write(folder, "noisy.npz", logits=shifted, features=features + .1 * shifted[:, :4])
    return first, {"noisy.npz": second}


def distances(folder):
    return with_features(folder), ["distances", "clean.npz", "noisy.npz"]


def align(folder):
    return with_features(folder), ["align", "clean.npz", "noisy.npz"]


def error_bound(folder):
    clean, shifted, labels = outputs()
    features = numpy.random.default_rng(5).normal(size=(300, 4))
    first = write(folder, "source.npz", logits=clean, labels=labels, features=features)
    second = write(folder, "target.npz", logits=shifted, features=features + .1 * shifted[:, :4])
    return (first, second), ["bound", "--source", "source.npz", "--target", "target.npz"]


def estimates(folder):
    arrays, words = error_bound(folder)
    return arrays, [*words, "--methods", "ac,doc,atc-conf,atc-ne,cot,cot-corrected"]


def evaluate_bounds(folder):
    random = numpy.random.default_rng(7)
    truth = random.uniform(.4, .9, 30).round(4)
    table = write_table(folder, "table", {"data_set": ["a", "b", "c"] * 10, "target_accuracy": truth.tolist(),
                                          "dis2": (truth - .1).round(4).tolist(), "ac": (truth + .03).round(4).tolist()})
    return (table,), ["bound", "evaluate", "table"]


def average_case(folder):
    random = numpy.random.default_rng(9)
    logits = random.normal(size=(40, 4)).astype(numpy.float32)
    jacobian = random.normal(size=(40, 4, 6)).astype(numpy.float32)
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


def shift(folder):
    random = numpy.random.default_rng(13)
    x = random.integers(0, 256, size=(20, 3, 32, 32), dtype=numpy.uint8)
    images = write(folder, "images.npz", x=x, y=numpy.arange(20) % 4)
    return (images, "gaussian-noise"), ["shift", "gaussian-noise", "--data", "images.npz", "--out", "shifted.npz"]


def shift_text(folder):
    random = numpy.random.default_rng(15)
    words = ["good", "plain", "dull", "film", "story", "actor", "a", "the"]
    table = write_table(folder, "reviews.csv", {"text": [" ".join(random.choice(words, 9)) for _ in range(30)],
                                                "label": [i % 2 for i in range(30)], "title": ["x"] * 30})
    return (table, "amplify"), ["shift", "text", "amplify", "--data", "reviews.csv", "--out", "out.csv"]


def conds_split(folder):
    table = write_table(folder, "table.csv", table_of())
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
# What the command or the case needs beside any option.
ALWAYS = {"average_case": {"sigma": [.1, .3]}, "list": {"family": "estimators"},
          "conds.split": {"label": "shape", "sc": "color", "ldd": "size", "train": 6, "val": 2, "test": 2, "resample": True},
          "conds.describe": {"label": "shape", "columns": ["color", "size"], "permutations": 99, "bootstrap": 50},
          "assess": {"restarts": 1}, "error_bound": {"restarts": 2}, "evaluate_bounds": {}}
# Values of options that cannot be made from their descriptions, or not alone.
VALUES = {
    ("*", "binary"): None, ("*", "as"): "logits", ("*", "label_column"): "truth", ("*", "class_columns"): "prob_*",
    ("*", "group_columns"): "place", ("*", "id_column"): "row", ("*", "separator"): "semicolon", ("*", "class_names"): "a,b,c,d,e",
    ("average_case", "class_names"): "a,b,c,d", ("*", "first_label"): 0,
    ("*", "labels"): None, ("*", "groups"): None, ("*", "index"): None, ("*", "split"): None,  # test_files_beside_sets
    ("agreement", "ratios"): [0., .25, .5], ("agreement", "pairing"): "label", ("agreement", "bootstrap"): 20,
    ("agreement", "curve"): 7,
    ("assess", "chunk"): None, ("assess", "time_column"): None,  # test_chunks_over_time
    ("assess", "unit"): "reviews", ("assess", "bootstrap"): 20, ("assess", "restarts"): 2,
    ("distances", "only"): ["kl", "wasserstein"], ("align", "sample"): 64,
    ("error_bound", "methods"): ["dis2", "ac"], ("estimates", "methods"): ["ac", "cot"],
    ("error_bound", "representation"): "features", ("estimates", "representation"): "features",
    ("error_bound", "bootstrap"): 20, ("estimates", "bootstrap"): 20, ("error_bound", "restarts"): 3,
    ("error_bound", "training_rows"): 100, ("error_bound", "search"): "reference",
    ("evaluate_bounds", "methods"): ["dis2"], ("evaluate_bounds", "coverage"): [.9], ("evaluate_bounds", "delta"): .05,
    ("average_case", "methods"): ["taylor", "softmax"], ("average_case", "sigma"): [.2], ("average_case", "classes"): 3, ("average_case", "rows"): 20,
    ("average_case", "convergence"): None, ("average_case", "noise"): "gaussian", ("average_case", "copies"): 10,
    ("average_case", "draws"): 1000, ("average_case", "tolerance"): 1e-3,
    ("mvn_cdf", "max_points"): 4096, ("mvn_cdf", "tolerance"): 1e-5, ("mvn_cdf", "log_tolerance"): .1,
    ("shift", "strength"): .2, ("shift", "severity"): 3, ("shift", "classes"): None, ("shift", "frost_dir"): None,
    ("shift_text", "column"): "title", ("shift_text", "strength"): 2., ("shift_text", "label"): "label",
    ("shift_text", "words"): "paper", ("shift_text", "positive"): ["1", "yes"], ("shift_text", "negative"): ["0", "no"],
    ("conds.split", "uds"): "size", ("conds.split", "all"): None, ("conds.split", "columns"): ["color", "size"],
    ("conds.split", "dataset"): None, ("conds.split", "id"): "id", ("conds.split", "plan"): True,
    ("conds.split", "label"): "shape", ("conds.split", "sc"): "color", ("conds.split", "ldd"): "size",
    ("conds.describe", "label"): "color", ("conds.describe", "columns"): ["color"], ("list", "family"): "noises",
}
BESIDE = {("shift", "set"): {"severity": 2}, ("shift", "rounding"): {"severity": 2},
          ("shift_text", "positive"): {"negative": ["0"]}, ("shift_text", "negative"): {"positive": ["1"]},
         ("shift_text", "backslashes"): {}, ("shift", "glass"): {"severity": 2}, ("conds.split", "uds"): {"ldd": None},
          ("conds.describe", "label"): {"columns": ["size"]}, ("average_case", "width"): {"methods": ["taylor"]}}

OPTIONS = [(name, option) for name, *_, options in _leeway.functions() for option in options]


def value_of(name, option):
    """Another value than the default, or None where none makes sense alone."""
    key, kind, _, default, choices, _ = option
    for known in ((name, key), ("*", key)):
        if known in VALUES:
            return VALUES[known]
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


def words_of(options):
    words = []
    for key, value in options.items():
        if value is None:
            continue
        flag = "--" + key.replace("_", "-")
        if isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += [flag, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return words


def function_of(name):
    return getattr(leeway.conds, name[6:]) if name.startswith("conds.") else getattr(leeway, name)


def compare(name, folder, command, options):
    arguments, words = CASES[name](folder)
    if name == "list":
        words = [*words, options["family"]]
        options_words = []
    else:
        options_words = words_of(options)
    given = {key + "_" if keyword.iskeyword(key) else key: value for key, value in options.items() if value is not None}
    if name == "conds.split":
        arguments = (arguments[0]["table"],)
        if options.get("plan"):
            words = words[:-2]
    if name == "estimates" and "methods" in options:
        words = words[:-2]
    if name == "evaluate_bounds":
        (folder / "table").rename(folder / "table.csv")
        words[-1] = "table.csv"
    result = function_of(name)(*arguments, **given, seed=3, quiet=True)
    record = command(folder, *words, *options_words, "--seed", 3)
    assert without_call(result.to_dict()) == without_call(record)
    return result, record


@pytest.mark.parametrize("name", [described[0] for described in _leeway.functions()])
def test_record_is_that_of_the_command(name, tmp_path, command):
    result, record = compare(name, tmp_path, command, dict(ALWAYS.get(name, {})))
    assert list(result.to_dict()) == list(record)
    assert [one["shape"] for one in result.to_dict()["inputs"]] == [one["shape"] for one in record["inputs"]]


@pytest.mark.parametrize("name, option", OPTIONS, ids=[f"{name}-{option[0]}" for name, option in OPTIONS])
def test_every_option(name, option, tmp_path, command):
    value = value_of(name, option)
    if value is None:
        pytest.skip("tested by name below, or in the tests of the command")
    options = {**ALWAYS.get(name, {}), **BESIDE.get((name, option[0]), {}), option[0]: value}
    compare(name, tmp_path, command, options)


def test_chunks_over_time(tmp_path, command):
    """Arrays of times, as text, as numbers and as NumPy's own, are cut as the command cuts those of a file."""
    clean, shifted, labels = outputs()
    days = numpy.datetime64("2026-03-01") + numpy.arange(len(labels)) % 4
    numpy.savez(tmp_path / "val.npz", logits=clean, labels=labels)
    numpy.savez(tmp_path / "prod.npz", logits=shifted, labels=labels, when=days.astype(str))
    words = ["--restarts", 1, "--chunk", "1d"]
    record = command(tmp_path, "assess", "--source", "val.npz", "--target", "prod=prod.npz", "--time-column", "when", *words)
    chunks = record["over_time"]["timelines"][0]["chunks"]
    assert [chunk["chunk"] for chunk in chunks] == [f"2026-03-0{day}" for day in (1, 2, 3, 4)]
    for times in (days, days.astype(str), days.astype("datetime64[s]").astype(int)):
        result = leeway.assess({"logits": clean, "labels": labels}, {"prod": {"logits": shifted, "labels": labels, "time": times}},
                               restarts=1, chunk="1d", quiet=True)
        assert result.to_dict()["over_time"]["timelines"][0]["chunks"] == chunks


def test_files_beside_sets(tmp_path, command):
    """Labels, groups and rows of a split from files are those of the command, whether sets are arrays or files."""
    clean, shifted, labels = outputs()
    numpy.savez(tmp_path / "val.npz", logits=clean)
    numpy.savez(tmp_path / "noise.npz", logits=shifted, labels=labels)
    numpy.save(tmp_path / "labels.npy", labels)
    rows = len(labels)
    write_table(tmp_path, "groups.csv", {"place": ["land" if label % 2 else "water" for label in labels]})
    write_table(tmp_path, "split.csv", {"index": range(rows), "split": ["test" if row % 3 else "train" for row in range(rows)]})
    files = {"labels": "labels.npy", "groups": "groups.csv", "index": "split.csv"}
    words = ["--labels", "labels.npy", "--groups", "groups.csv", "--index", "split.csv", "--split", "test", "--seed", 3]
    options = {key: str(tmp_path / name) for key, name in files.items()} | {"split": "test", "seed": 3, "quiet": True}

    def without_files(record):
        return without_call(record) | {"options": {key: value for key, value in record["options"].items() if key not in files}}

    record = command(tmp_path, "assess", "--source", "val.npz", "--target", "noise=noise.npz", "--restarts", 1, *words)
    for source, target in (({"logits": clean}, {"logits": shifted, "labels": labels}),
                           (str(tmp_path / "val.npz"), str(tmp_path / "noise.npz"))):
        result = leeway.assess(source, {"noise": target}, restarts=1, **options)
        assert without_files(result.to_dict()) == without_files(record)
    record = command(tmp_path, "pa", "val.npz", "noise.npz", "--labels", "labels.npy")
    assert without_files(leeway.agreement(clean, shifted, labels, quiet=True).to_dict())["results"][0]["pa"] == record["results"][0]["pa"]


def test_all_functions_have_a_case():
    assert set(CASES) == set(_functions.table)


def test_flags_of_the_commands_are_options(tmp_path):
    """A flag that is neither data nor of the command alone is a keyword."""
    import re
    import subprocess
    from leeway import _command
    alone = {"help", "json", "out", "config", "report", "figures", "help-all"}
    data = {"agreement": {"labels", "compare", "name", "pairs", "save-pairs"},
            "assess": {"source", "target", "images", "rows-csv", "fail-if", "model", "jacobian", "sigma", "survival-rows",
                       "arch", "mean", "std", "scale", "classes", "stochastic", "trust", "as-is", "normalization", "device"},
            "select": {"clean", "shifted", "labels", "names"}, "error_bound": {"source", "target", "labels"},
            "estimates": {"source", "target", "labels"}, "conds.split": {"attributes", "order"},
            "conds.describe": {"source", "target", "attributes", "index", "outputs"},
            "shift": {"data", "sheet", "index", "split"}, "shift_text": {"data"},
            "mvn_cdf": {"upper", "covariance"},
            "average_case": {"model", "data", "layout", "logits", "jacobian", "gram", "labels", "index", "split", "noise-covariance", "arch", "mean",
                             "std", "scale", "classes", "stochastic", "trust", "as-is", "normalization", "device"}}
    for name, command, *_ in _leeway.functions():
        text = subprocess.run([_command.binary(), *command.split()[1:], "--help"], capture_output=True, text=True).stdout
        flags = set(re.findall(r"^  +(?:-\w,)?--([a-z][a-z-]*)", text, re.MULTILINE))
        assert flags, command
        known = {parameter.rstrip("_").replace("_", "-") for parameter in _functions.table[name].__signature__.parameters}
        model_flags = flags - known - alone - data.get(name, set())
        assert not model_flags, f"{name}: {model_flags}"
