"""Every function against its command, on the same arrays: records equal key by key and bit by bit, for every option.

Cases are made from the descriptions, so that a new option or key is tested the day it is there (cases.py).
"""

import csv
import keyword
import re
import subprocess

import numpy
import pytest

import leeway
from leeway import _command, _functions, _leeway

from . import cases
from .cases import ALWAYS, BESIDE, CASES, ELSEWHERE, FILES, INPUTS, OF_MODELS, known, value_of, write_table
from .conftest import outputs

CALL = {"command", "inputs", "seconds", "out", "xxh3_128"}  # of how a record came about
TIMES = {"seconds_in_all", "model_seconds_in_all"}


def without_call(tree):
    if isinstance(tree, dict):
        return {key: without_call(value) for key, value in tree.items() if key not in CALL | TIMES}
    return [without_call(value) for value in tree] if isinstance(tree, list) else tree


OPTIONS = [(name, option) for name, *_, options in _leeway.functions() if name in CASES for option in options]


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


def call_of(name, folder, options):
    """Arguments and options in Python, and the words of the command."""
    arguments, words = CASES[name](folder)
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
    words = [*words, *([options["family"]] if name == "list" else words_of(options)), "--seed", 3]
    return arguments, {**given, "seed": 3, "quiet": True}, words


def compare(name, folder, command, options):
    arguments, given, words = call_of(name, folder, options)
    result = function_of(name)(*arguments, **given)
    record = command(folder, *words)
    assert without_call(result.to_dict()) == without_call(record)
    return result, record


@pytest.mark.parametrize("name", CASES)
def test_record_is_that_of_the_command(name, tmp_path, command):
    result, record = compare(name, tmp_path, command, dict(ALWAYS.get(name, {})))
    assert list(result.to_dict()) == list(record)
    assert [one["shape"] for one in result.to_dict()["inputs"]] == [one["shape"] for one in record["inputs"]]


@pytest.mark.tier2
@pytest.mark.parametrize("name, option", OPTIONS, ids=[f"{name}-{option[0]}" for name, option in OPTIONS])
def test_every_option(name, option, tmp_path, command, monkeypatch):
    key = option[0]
    if (name, key) in ELSEWHERE:
        pytest.skip(ELSEWHERE[name, key])
    for what, instead in known(INPUTS, name, key, {}).items():
        monkeypatch.setattr(cases, what, instead)
    if make := known(FILES, name, key):
        make(tmp_path, 120 if name in ("distances", "align") else 300)
    monkeypatch.chdir(tmp_path)  # files have one path for both
    compare(name, tmp_path, command, {**ALWAYS.get(name, {}), **known(BESIDE, name, key, {}), key: value_of(name, option)})


@pytest.mark.tier2
@pytest.mark.parametrize("name", CASES)
def test_what_is_printed_is_the_terminals_table(name, tmp_path):
    arguments, given, words = call_of(name, tmp_path, ALWAYS.get(name, {}))
    printed = subprocess.run([_command.binary(), *map(str, words), "--quiet"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    def lines(text):
        text = re.sub(r" \d+\.\d\d(?=$|  \(score\))", "", text, flags=re.MULTILINE) if name == "average_case" else text  # seconds
        return text.rstrip().splitlines()

    shown = lines(repr(function_of(name)(*arguments, **given)))
    assert lines(printed) == shown
    assert len(shown) > 1


@pytest.mark.tier2
def test_rows_are_those_of_the_command(tmp_path, command):
    arguments, words = cases.assess(tmp_path)
    command(tmp_path, *words, "--no-bounds", "--rows-csv", "rows.csv")
    rows = leeway.assess(*arguments, no_bounds=True, rows=True, quiet=True).rows
    with open(tmp_path / "rows.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert tuple(table[0]) == rows.dtype.names and len(table) == len(rows) == 600
    for mine, other in zip(rows, table):
        for name, text in other.items():
            if text == "":
                assert mine[name] == -1 or numpy.isnan(mine[name])
            else:
                assert type(mine[name])(text) == mine[name]
    assert {name for name, text in table[0].items() if text == ""} == {"label"}
    assert list(leeway.assess(*arguments, no_bounds=True, quiet=True).arrays) == []


@pytest.mark.tier2
def test_groups_of_an_array_or_a_file(tmp_path):
    (logits, jacobian), _ = cases.average_case(tmp_path)
    groups = numpy.array(["north", "south"])[numpy.arange(40) % 2]
    write_table(tmp_path, "groups.csv", {"group 0": groups.tolist()})
    by_array, by_file = (leeway.average_case(logits, jacobian, sigma=.1, groups=given, seed=3, quiet=True).to_dict()
                         for given in (groups, str(tmp_path / "groups.csv")))
    assert without_call(by_array) == without_call(by_file)
    assert [one["group"] for one in by_array["group_bias"][0]["groups"]] == ["north", "south"]
    with pytest.raises(leeway.Error, match="shape"):
        leeway.average_case(logits, jacobian, sigma=.1, groups=groups[1:], quiet=True)


@pytest.mark.tier2
def test_chunks_over_time():
    """Arrays of times as numbers and as NumPy's own are cut as those of text, which test_every_option compares with a file's."""
    clean, shifted, labels = outputs()
    days = numpy.datetime64("2026-03-01") + numpy.arange(len(labels)) % 4

    def chunks(times):
        result = leeway.assess({"logits": clean, "labels": labels}, {"prod": {"logits": shifted, "labels": labels, "time": times}},
                               restarts=1, chunk="1d", quiet=True)
        return result.to_dict()["over_time"]["timelines"][0]["chunks"]

    assert chunks(days) == chunks(days.astype(str)) == chunks(days.astype("datetime64[s]").astype(int))
    assert [chunk["chunk"] for chunk in chunks(days)] == [f"2026-03-0{day}" for day in (1, 2, 3, 4)]


def test_all_functions_have_a_case():
    assert set(CASES) | OF_MODELS == set(_functions.table)


def test_flags_of_the_commands_are_options(tmp_path):
    """A flag that is neither data nor of the command alone is a keyword."""
    alone = {"help", "json", "out", "config", "report", "figures", "help-all", "junit", "list-keys"}
    of_endpoints = {parameter.replace("_", "-") for parameter in _functions.table["infer_endpoint"].__signature__.parameters}
    data = {"agreement": {"labels", "compare", "name", "pairs", "save-pairs"},
            "assess": {"source", "target", "images", "rows-csv", "fail-if", "model", "jacobian",
                       "arch", "mean", "std", "scale", "template", "vocabulary", "classes", "stochastic", "trust", "as-is", "normalization",
                       "device"},
            "select": {"clean", "shifted", "labels", "names"}, "error_bound": {"source", "target", "labels"},
            "estimates": {"source", "target", "labels"}, "conds.split": {"attributes", "order"},
            "conds.describe": {"source", "target", "attributes", "index", "outputs"},
            "shift": {"data", "sheet", "index", "split"}, "shift_text": {"data"},
            "mvn_cdf": {"upper", "covariance"},
            "infer_endpoint": {"model", "data", "layout", "index", "split", "arch", "mean", "std", "scale", "template", "vocabulary", "binary", "device", "stochastic", "trust"},
            "attack_curve": {"model", "data", "layout", "index", "split", "attack", "eps", "steps", "set", "jobs", "slurm", "tasks", "time", "memory", "partition", "account", "gpus", "sbatch", "dry-run", "arch", "mean", "std",
                             "scale", "classes", "template", "vocabulary", "binary", "normalization", "device", "stochastic", "trust"},
            "attack": {"preprocess", "resize-shorter", "interpolation", "crop", "picture-labels", "model", "data", "layout", "index", "split", "steps", "restarts", "set", "arch", "mean", "std", "scale", "classes", "template",
                       "vocabulary", "binary", "normalization", "device", "stochastic", "trust"} | of_endpoints,
            "attack_endpoint": {"preprocess", "resize-shorter", "interpolation", "crop", "picture-labels", "model", "data", "layout", "index", "split", "steps", "restarts", "set", "checks", "arch", "mean", "std", "scale",
                                "template", "vocabulary", "binary", "device", "stochastic", "trust"},
            "average_case": {"preprocess", "resize-shorter", "interpolation", "crop", "picture-labels", "model", "data", "layout", "logits", "jacobian", "gram", "labels", "index", "split", "noise-covariance", "arch", "mean",
                             "std", "scale", "template", "vocabulary", "classes", "stochastic", "trust", "as-is", "normalization", "device"}}
    for name, command, *_ in _leeway.functions():
        text = subprocess.run([_command.binary(), *command.split()[1:], "--help"], capture_output=True, text=True).stdout
        flags = set(re.findall(r"^  +(?:-\w,)?--([a-z][a-z-]*)", text, re.MULTILINE))
        assert flags, command
        known = {parameter.rstrip("_").replace("_", "-") for parameter in _functions.table[name].__signature__.parameters}
        model_flags = flags - known - alone - data.get(name, set())
        assert not model_flags, f"{name}: {model_flags}"
