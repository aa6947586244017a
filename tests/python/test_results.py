"""Results as objects, tables, frames, pages and pickles."""

import base64
import copy
import html
import json
import pickle
import zlib

import numpy
import pytest

import leeway

from .conftest import outputs


@pytest.fixture(scope="module")
def results():
    clean, shifted, labels = outputs()
    source = {"logits": clean, "labels": labels}
    table = {"y": ["a", "b"] * 30, "place": ["x", "x", "z"] * 20}
    return {
        "agreement": leeway.agreement(clean, shifted, labels, ratios=[0, .5, 1]),
        "assess": leeway.assess(source, {"prod": shifted, "clean": clean}, restarts=1, quiet=True),
        "error_bound": leeway.error_bound(source, shifted, restarts=1),
        "select": leeway.select({"e1": source, "e2": source}, {"e1": shifted, "e2": clean}),
        "distances": leeway.distances(clean, shifted),
        "mvn_cdf": leeway.mvn_cdf(numpy.zeros(2), numpy.eye(2)),
        "average_case": leeway.average_case(clean[:, :3], numpy.ones((300, 3, 2)) * [[[1.], [2.], [3.]]], sigma=.1, quiet=True),
        "shift": leeway.shift(numpy.full((4, 1, 8, 8), .5, "f4"), "gaussian-noise", .1),
        "split": leeway.conds.split(table, label="y", sc="place", train=3, val=1, test=1),
        "describe": leeway.conds.describe(table, label="y", columns=["place"], permutations=99, bootstrap=20),
        "list": leeway.list("estimators"),
    }


NAMES = ["agreement", "assess", "error_bound", "select", "distances", "mvn_cdf", "average_case", "shift", "split", "describe",
         "list"]


@pytest.mark.parametrize("name", NAMES)
def test_json_is_the_record(name, results):
    result = results[name]
    assert json.loads(result.to_json()) == result.to_dict()
    assert list(json.loads(result.to_json())) == list(result.to_dict())


@pytest.mark.parametrize("name", NAMES)
def test_pickles_and_copies(name, results):
    result = results[name]
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result and repr(again) == repr(result) and again.to_json() == result.to_json()
        assert type(again) is type(result) and again.arrays.keys() == result.arrays.keys()
        for key, array in result.arrays.items():
            assert numpy.array_equal(array, again.arrays[key])
    part = result.results[0]
    if not isinstance(part, numpy.void):
        assert pickle.loads(pickle.dumps(part)) == part


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_an_attribute(name, results):
    def walk(part, tree):
        for key, value in tree.items():
            mine = getattr(part, key if hasattr(part, key) else key + "_")
            if isinstance(value, dict) and not isinstance(mine, dict):
                walk(mine, value)
            elif isinstance(value, list) and value and not isinstance(mine, numpy.ndarray) and isinstance(value[0], dict):
                for one, other in zip(mine, value):
                    walk(one, other)
    walk(results[name], results[name].to_dict())
    assert set(results[name].to_dict()) - {"report"} <= set(dir(results[name])) | {"class"}


def test_agreement(results):
    result = results["agreement"]
    assert isinstance(result.pa, float) and result.pa_interval == (result.pa_low, result.pa_high)
    assert result.pa_interval.low <= result.pa <= result.pa_interval.high
    assert result.curve["beta"].dtype == float and result.curve.shape == (len(result.to_dict()["results"][0]["curve"]),)
    assert [point.ratio for point in result.ratios] == [0, .5, 1]
    assert "posterior agreement is" in repr(result)
    with pytest.raises(AttributeError, match="has no 'no_such_key'"):
        result.no_such_key
    same = leeway.agreement(numpy.eye(3, dtype="f4") * 9, numpy.eye(3, dtype="f4") * 9)
    assert same.beta == numpy.inf and same.to_dict()["results"][0]["beta"] == "inf"


def test_several_results_are_asked_for_one(results):
    with pytest.raises(AttributeError, match=r"2 results have 'accuracy'"):
        results["assess"].accuracy
    assert results["assess"].results[0].target == "prod"


def test_frames(results):
    pytest.importorskip("pandas")
    frame = results["assess"].to_frame()
    assert list(frame["target"]) == ["prod", "clean"] and frame["pa"].dtype == float
    assert results["agreement"].to_frame()["decomposition.err.n"][0] > 0


def test_metrics_are_flat_numbers(results):
    several, one = results["assess"].metrics(), results["agreement"].metrics()
    assert several["clean/pa"] == results["assess"].results[1].pa
    assert one["pa"] == results["agreement"].pa and one["decomposition.err.n"] > 0
    for key, value in {**several, **one}.items():
        assert isinstance(value, (int, float)) and not isinstance(value, bool) and numpy.isfinite(value), key


def test_arrays(results):
    assert results["shift"].x.shape == (4, 1, 8, 8) and results["shift"].x.dtype == numpy.float32
    assert results["average_case"].arrays["taylor"].shape == (300, 1)
    split = results["split"]
    assert sorted(split.arrays) == ["test", "train", "val"] and len(split.train) == split.n_train


@pytest.mark.parametrize("name", ["agreement", "assess", "error_bound", "select", "average_case", "describe"])
def test_pages(name, results, tmp_path):
    path = results[name].report(tmp_path / "page.html")
    page = open(path, encoding="utf-8").read()
    assert page.startswith("<!doctype html>") and "<script" in page
    shown = results[name]._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in shown and len(shown) < 450_000
    framed = html.unescape(shown.split('"')[1])
    assert framed.split('<script type="text/plain"')[0] == page.split('<script type="application/json" id="spec-')[0]
    packed = framed.split('id="packed">')[1].split("</script>")[0]
    assert zlib.decompress(base64.b64decode(packed)).decode() in page


def test_pages_with_pictures(tmp_path):
    clean, shifted, labels = outputs(n=60)
    result = leeway.assess({"logits": clean, "labels": labels}, {"prod": shifted}, no_bounds=True, paired="yes", quiet=True)
    images = numpy.random.default_rng(0).random((60, 1, 8, 8)).astype("f4")
    plain, pictured = (open(result.report(tmp_path / f"{i}.html", images=given), encoding="utf-8").read()
                       for i, given in enumerate((None, {"": images, "prod": images})))
    assert pictured.count("data:image/png") > plain.count("data:image/png")
    both = leeway.report([result, leeway.assess({"b": {"logits": clean, "labels": labels}}, {"b": {"prod": clean}}, quiet=True,
                                                no_bounds=True)], tmp_path / "both.html")
    assert "prod" in open(both, encoding="utf-8").read()


def test_every_result_is_a_page_in_a_notebook(results):
    shown = html.unescape(results["mvn_cdf"]._repr_html_())
    assert shown.startswith("<iframe ") and "Probability" in shown


def test_warnings_are_warnings():
    clean, shifted, _ = outputs()
    probs = numpy.exp(clean) / numpy.exp(clean).sum(1, keepdims=True)
    with pytest.warns(UserWarning, match="read as probabilities") as caught:
        result = leeway.assess(probs, {"prod": numpy.roll(probs, 1, 0)}, no_bounds=True)
    assert any("paired yes overrides" in str(one.message) for one in caught)  # options by their names in Python
    assert any("--paired yes overrides" in line for line in result.to_dict()["warnings"] + result.results[0].warnings)
