"""Whatever callers hand over: the same numbers, or the same line as a file of it gives."""

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leeway

from . import cases
from .conftest import message, outputs

CLEAN, SHIFTED, LABELS = outputs(n=24, k=3)
WHOLE = numpy.rint(4 * CLEAN)  # holds in every type
RESULT = leeway.agreement(WHOLE.astype("f8"), SHIFTED.astype("f8"), LABELS).to_dict()["results"]

NUMBERS = ["f2", "f4", "f8", ">f4", ">f8", "i1", "i2", ">i4", "i8"]
settings.register_profile("leeway", deadline=None, derandomize=True, max_examples=60,
                          suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("leeway")


def laid_out(array, layout):
    """The same values elsewhere in memory."""
    if layout == "fortran":
        return numpy.asfortranarray(array)
    if layout == "strided":
        wide = numpy.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype)
        wide[::2, ::3] = array
        return wide[::2, ::3]
    if layout == "reversed":
        return array[::-1].copy()[::-1]
    if layout == "read-only":
        array = array.copy()
        array.flags.writeable = False
    if layout == "unaligned":
        raw = numpy.zeros(array.nbytes + 1, "u1")
        view = raw[1:].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view
    return array


@given(st.sampled_from(NUMBERS), st.sampled_from(["c", "fortran", "strided", "reversed", "read-only", "unaligned"]))
def test_types_and_layouts_have_one_result(dtype, layout):
    array = laid_out(WHOLE.astype(dtype), layout)
    before = array.copy()
    result = leeway.agreement(array, SHIFTED.astype("f8"), LABELS).to_dict()["results"]
    assert result[0]["afr_pred"] == RESULT[0]["afr_pred"]
    assert result[0]["pa"] == pytest.approx(RESULT[0]["pa"], abs=1e-6)
    assert (array == before).all()


@given(st.sampled_from(["i1", "u1", "u2", "i4", ">i8", "f4", "f8", "u8"]), st.booleans())
def test_labels_of_any_whole_type(dtype, column):
    labels = LABELS.astype(dtype)
    result = leeway.agreement(WHOLE, SHIFTED.astype("f8"), labels[:, None] if column else labels)
    assert result.afr_true == RESULT[0]["afr_true"]


@pytest.mark.parametrize("dtype", ["c8", "c16", "O", "M8[s]", "m8[s]", "V4", "g", [("a", "f4"), ("b", "f4")]])
def test_types_that_files_may_not_hold_either(dtype, tmp_path):
    array = numpy.zeros((4, 3), dtype=dtype)
    said = message(leeway.agreement, array, SHIFTED[:4])
    assert said.startswith("clean: expected ")
    numpy.save(tmp_path / "clean.npy", array, allow_pickle=True)
    by_file = message(leeway.agreement, str(tmp_path / "clean.npy"), SHIFTED[:4])
    if not isinstance(dtype, list):  # NumPy's header spells a structure out
        assert said.removeprefix("clean") == by_file.removeprefix(str(tmp_path / "clean.npy"))


def bad_values():
    nan, inf, negative = CLEAN.copy(), CLEAN.copy(), LABELS.copy()
    nan[7, 1], inf[3, 2], negative[5] = numpy.nan, numpy.inf, -2
    probs = numpy.full((24, 3), .5)
    return {"nan": {"logits": nan}, "inf": {"logits": inf}, "empty": {"logits": CLEAN[:0]}, "one class": {"logits": CLEAN[:, :1]},
            "no class": {"logits": CLEAN[:, :0]}, "cube": {"logits": CLEAN[None]}, "scalar": {"logits": CLEAN[0, 0]},
            "negative label": {"logits": CLEAN, "labels": negative}, "label of none": {"logits": CLEAN, "labels": LABELS + 3},
            "half labels": {"logits": CLEAN, "labels": LABELS[:12]}, "labels not whole": {"logits": CLEAN, "labels": LABELS + .5},
            "text labels": {"logits": CLEAN, "labels": LABELS.astype(str)}, "bad probs": {"probs": probs},
            "two names": {"logits": CLEAN, "labels": LABELS, "y": LABELS},
            "features": {"logits": CLEAN, "features": CLEAN[:4]}, "norms": {"logits": CLEAN, "norms": LABELS - 5.},
            "names": {"logits": CLEAN, "class_names": numpy.array(["a", "b"])}}


@pytest.mark.parametrize("case", bad_values())
def test_errors_are_those_of_files(case, tmp_path):
    arrays = bad_values()[case]
    path = tmp_path / "clean.npz"
    numpy.savez(path, **arrays)
    said = message(leeway.agreement, arrays, SHIFTED)
    by_file = message(leeway.agreement, path, SHIFTED)
    assert said.replace("clean", "") == by_file.replace(str(path), "").replace("clean", "")


@pytest.mark.parametrize("value", [None, 3, "logits", [[1, 2], [3]], [], [["a", "b"]], object(), numpy.ma.masked_array(CLEAN),
                                   {}, {"labels": LABELS}, {"logits": None}, [[None, 1.]], b"bytes", {1: {2: 3}}])
def test_what_is_no_array(value):
    with pytest.raises((leeway.Error, TypeError)) as caught:
        leeway.agreement(value, SHIFTED)
    assert "\n" not in str(caught.value)
    if value is not None:
        assert isinstance(caught.value, leeway.Error)


@settings(max_examples=150)
@given(st.lists(st.integers(0, 4), min_size=0, max_size=4), st.sampled_from(["f4", "f8", "i4", "?", "U3", "S2"]),
       st.sampled_from(["agreement", "distances", "estimates", "mvn_cdf", "average_case", "align"]))
def test_any_shape_and_type_is_a_result_or_one_line(shape, dtype, function):
    array = numpy.zeros(shape, dtype)
    options = {"sigma": .1} if function == "average_case" else {}
    try:
        getattr(leeway, function)(array, array, quiet=True, **options)
    except leeway.Error as error:
        assert str(error) and "\n" not in str(error)


def test_torch_tensors_share_their_memory():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(WHOLE.astype("f8"), requires_grad=True)
    assert leeway.agreement(tensor, torch.tensor(SHIFTED.astype("f8")), torch.tensor(LABELS)).to_dict()["results"] == RESULT
    assert leeway.agreement(tensor.to(torch.bfloat16), SHIFTED.astype("f8"), LABELS).to_dict()["results"] == RESULT
    assert "sparse" in message(leeway.agreement, tensor.detach().to_sparse(), SHIFTED).lower()


def test_frames_and_lists():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(WHOLE.astype("f8"))
    assert leeway.agreement(frame, SHIFTED.astype("f8").tolist(), pandas.Series(LABELS)).to_dict()["results"] == RESULT
    names = numpy.array(["cat", "dog", "eel"])
    arrays = {"logits": WHOLE.astype("f8"), "labels": pandas.Series(names[LABELS]), "class_names": names.tolist()}
    assert leeway.agreement(arrays, SHIFTED.astype("f8")).to_dict()["results"] == RESULT


class WritesCsv:
    """A stand-in for a DataFrame of Polars."""

    def __init__(self, frame):
        self.frame, self.columns, self.shape = frame, list(frame.columns), frame.shape

    def write_csv(self):
        return self.frame.to_csv(index=False)


class Lazy:
    """A stand-in for a LazyFrame of Polars."""

    def __init__(self, frame):
        self.frame, self.columns = frame, list(frame.columns)

    def collect(self):
        return WritesCsv(self.frame)

    lazy = collect_schema = collect


class Arrow:
    """A stand-in for a Table of Arrow."""

    def __init__(self, frame):
        self.frame, self.column_names, self.columns, self.shape = frame, list(frame.columns), [], frame.shape

    def to_pydict(self):
        return {name: self.frame[name].tolist() for name in self.frame}


def test_frames_of_outputs_are_read_as_their_tables(tmp_path):
    pandas = pytest.importorskip("pandas")
    probs = numpy.exp(CLEAN) / numpy.exp(CLEAN).sum(1, keepdims=True)
    frame = pandas.DataFrame(probs.astype("f8"), columns=["prob_cat", "prob_dog", "prob_eel"])
    frame["label"] = numpy.array(["cat", "dog", "eel"])[LABELS]
    frame.to_csv(tmp_path / "table.csv", index=False)
    by_file = leeway.agreement(tmp_path / "table.csv", tmp_path / "table.csv", quiet=True).to_dict()["results"][0]
    for one in (frame, frame.convert_dtypes(), frame.astype({"prob_cat": "Float64", "prob_dog": object}), WritesCsv(frame),
                Lazy(frame), Arrow(frame)):
        mine = leeway.agreement(one, [one], quiet=True).to_dict()["results"][0]
        assert (mine["afr_true"], mine["pa"], mine["k"]) == (by_file["afr_true"], by_file["pa"], 3)
    late = frame.assign(label=frame.label.where(numpy.arange(24) > 3))
    assert leeway.agreement(late, late, quiet=True).afr_true == pytest.approx((CLEAN.argmax(1) == LABELS)[4:].mean())
    logits = pandas.DataFrame(WHOLE.astype("f8"), columns=list("abc"))
    for labels in (LABELS, numpy.array(list("abc"))[LABELS]):
        assert leeway.agreement(logits, SHIFTED.astype("f8"), labels).to_dict()["results"] == RESULT
    turned = leeway.agreement(logits, pandas.DataFrame(SHIFTED.astype("f8"), columns=list("abc"))[["b", "a", "c"]], LABELS)
    assert turned.to_dict()["results"][0]["pa"] == RESULT[0]["pa"]
    assert "'b'" in message(leeway.agreement, logits.assign(b="x"), logits)
    mixed = pandas.DataFrame(SHIFTED.astype("f8"), columns=list("abc")).assign(churned=LABELS)
    assert "found only integers in churned" in message(leeway.agreement, mixed, mixed)
    assert leeway.agreement(mixed, mixed, label_column="churned").afr_true == (SHIFTED.argmax(1) == LABELS).mean()
    assert "'prob_dog'" in message(leeway.agreement, frame.assign(prob_dog=frame.prob_dog.astype(object).where(numpy.arange(24) != 7, "x")), frame)


def two_classes():
    pandas = pytest.importorskip("pandas")
    yes = 1 / (1 + numpy.exp(-CLEAN[:, 0].astype("f8")))
    label = (CLEAN[:, 0] + .5 * SHIFTED[:, 1] > 0).astype(int)
    return pandas.DataFrame({"prob_no": 1 - yes, "label": label, "prob_yes": yes}), (label == (yes > .5)).mean()


@pytest.mark.parametrize("made", [lambda frame: frame, WritesCsv, Arrow])
def test_frames_in_dictionaries_are_read_as_their_tables(made):
    frame, accuracy = two_classes()
    words = frame.assign(label=numpy.array(["no", "yes"])[frame.label])
    turned = words[["prob_yes", "label", "prob_no"]]
    by_table = leeway.agreement(frame, frame).to_dict()["results"]
    scores = ["prob_no", "prob_yes"]
    for clean, shifted in (({"probs": made(words)}, {"probs": made(turned)}), ({"outputs": made(words)}, {"outputs": made(turned)}),
                           ({"logits": made(words[scores]), "y": words.label}, {"logits": made(turned[scores[::-1]]), "y": words.label}),
                           ({"probs": made(frame[scores]), "labels": frame.label}, {"probs": made(frame[scores[::-1]]), "labels": frame.label})):
        assert leeway.agreement(clean, shifted).to_dict()["results"] == by_table
        assert leeway.agreement(clean, clean).afr_true == accuracy
    assert "found labels and the column label of probs" in message(
        leeway.agreement, {"probs": made(frame), "labels": frame.label}, frame)
    assert "found 'lables'" in message(leeway.agreement, {"probs": made(frame), "lables": frame.label}, frame)
    groups = words[["label"]].assign(age=numpy.arange(24) // 12)
    with_groups = words.assign(attr_label=words.label, attr_age=groups.age)
    named, by_columns = (leeway.assess(source, target, no_bounds=True, quiet=True).results[0].groups for source, target in (
        ({"probs": made(words), "groups": made(groups)}, {"probs": made(turned), "groups": made(groups[["age", "label"]])}),
        (with_groups, with_groups[with_groups.columns[::-1]])))
    assert named == by_columns


@pytest.mark.parametrize("call", [
    leeway.align, leeway.distances, lambda *sets: leeway.agreement(*sets, pairing="label-nearest"),
    lambda *sets: leeway.error_bound(*sets, representation="features", methods="dis2", restarts=1)])
def test_features_follow_their_names(call):
    pandas = pytest.importorskip("pandas")
    features = pandas.DataFrame(numpy.hstack([10 * CLEAN, SHIFTED]), columns=list("abcdef"))
    scores = pandas.DataFrame(CLEAN, columns=["logit_0", "logit_1", "logit_2"]).assign(label=LABELS)

    def results(made):
        return [call(made(features), made(other)).to_dict()["results"] for other in (features, features[list("fbacde")])]

    for made in (lambda frame: {"logits": CLEAN, "labels": LABELS, "features": frame},
                 lambda frame: scores.join(frame.add_prefix("feat_")), lambda frame: {"logits": scores, "feats": frame}):
        same, turned = results(made)
        assert same == turned
        assert "expected the features a, b, c, d, e, f, as in" in message(call, made(features), made(features[list("abc")]))


def test_zero_and_one_are_no_and_yes_in_any_order_of_columns():
    frame, accuracy = two_classes()
    indexed = [one.rename_axis("id") for one in (frame, frame[::-1])]
    by_index, by_column = (leeway.agreement(*two, quiet=True).to_dict()["results"] for two in (indexed, [one.reset_index() for one in indexed]))
    assert by_index == by_column
    assessed = leeway.assess(frame, {"t": frame[["prob_yes", "label", "prob_no"]]}, no_bounds=True, quiet=True)
    assert assessed.results[0].accuracy == accuracy


@pytest.mark.parametrize("call", [leeway.agreement, leeway.distances,
                                  lambda *sets, **options: leeway.assess(*sets, no_bounds=True, **options)])
def test_options_name_the_arrays_of_dictionaries(call):
    def results(clean, shifted, **options):
        return call(clean, shifted, quiet=True, **options).to_dict()["results"]

    frame, _ = two_classes()
    mine, standard = ({scores: WHOLE.astype("f8"), labels: LABELS} for scores, labels in (("mine", "truthy"), ("logits", "labels")))
    named = {"class_columns": "mine", "label_column": "truthy"}
    assert results(mine, mine, **named) == results(standard, standard)
    assert results(mine, {"t": mine}, **named) == results(standard, {"t": standard})
    frames = {"mine": frame[["prob_no", "prob_yes"]], "truthy": frame.label}
    assert results(frames, {"t": frames}, **named) == results(frame, {"t": frame})
    for scores in ("preds", "y_hat", "y_pred"):
        arrays = {scores: WHOLE.astype("f8"), "labels": LABELS}
        assert results(arrays, arrays) == results(standard, standard)
    assert "expected arrays named logits, probs," in message(call, {"confidences": WHOLE, "labels": LABELS}, mine)


def test_class_names_align_sets():
    arrays, turned = {"logits": WHOLE.astype("f8"), "labels": LABELS}, {"logits": SHIFTED.astype("f8")[:, [2, 0, 1]], "class_names": ["c", "a", "b"]}
    for names in (["a", "b", "c"], numpy.array(["a", "b", "c"]), "a,b,c"):
        assert leeway.agreement(arrays, turned, class_names=names).to_dict()["results"] == RESULT
    assert "found class 'c' to be 'b'" in message(leeway.agreement, arrays, turned, class_names=["b", "c", "x"])
    assert "without commas" in message(leeway.agreement, arrays, turned, class_names=["a,b", "c"])


@pytest.mark.parametrize("name", ["outputs", "predictions", "scores", "p", "probs"])
def test_targets_may_have_the_names_of_arrays(name, tmp_path):
    frame, _ = two_classes()
    frame.to_csv(tmp_path / "table.csv", index=False)
    arrays = {"probs": frame[["prob_no", "prob_yes"]].to_numpy(), "labels": frame.label}
    sets = [tmp_path / "table.csv", frame, arrays]
    one, two, three = ([result.to_dict() for result in leeway.assess(frame, {name: set_}, no_bounds=True, quiet=True).results] for set_ in sets)
    assert one[0]["target"] == three[0]["target"] == name and two[0]["target"] == "target"
    assert one[0]["accuracy"] == two[0]["accuracy"] == three[0]["accuracy"]
    assert leeway.assess(frame, {name: arrays["probs"]}, no_bounds=True, quiet=True).results[0].target == "target"


def test_columns_of_frames_that_are_numbers_or_levels():
    pandas = pytest.importorskip("pandas")
    plain = pandas.DataFrame(WHOLE.astype("f8"))
    for clean, shifted in ((plain, plain[[1, 0, 2]]), ({"logits": plain}, {"logits": plain[[2, 1, 0]]})):
        assert leeway.agreement(clean, shifted).afr_pred == 1
    frame, accuracy = two_classes()
    numbered = pandas.DataFrame(frame[["prob_yes", "prob_no"]].to_numpy(), columns=[7, 3])
    assert leeway.agreement({"probs": numbered, "labels": 3 + 4 * frame.label}, {"probs": numbered}).afr_true == accuracy
    levels = frame.set_axis(pandas.MultiIndex.from_product([["p"], frame.columns]), axis=1)
    for value in (levels, {"probs": levels}):
        assert "found a MultiIndex" in message(leeway.agreement, value, value)


@pytest.mark.parametrize("kind", ["None", "NaN", "NA", "text"])
def test_missing_labels(kind):
    pandas = pytest.importorskip("pandas")
    names, late = numpy.array(["cat", "dog", "eel"]), numpy.arange(24) < 5
    labels = {"None": [None if gone else int(y) for gone, y in zip(late, LABELS)], "NaN": numpy.where(late, numpy.nan, LABELS),
              "NA": pandas.Series(LABELS).astype("Int64").where(~late), "text": pandas.Series(names[LABELS]).where(~late)}[kind]
    arrays = {"logits": WHOLE.astype("f8"), "labels": labels, "class_names": names}
    with pytest.warns(UserWarning, match="5 of 24 rows have no label"):
        assert leeway.agreement(arrays, SHIFTED.astype("f8")).afr_true == pytest.approx((SHIFTED.argmax(1) == LABELS)[5:].mean())


def test_names_of_arrays():
    arrays = {"scores": WHOLE.astype("f8"), "target": LABELS}
    assert leeway.agreement(arrays, SHIFTED.astype("f8")).to_dict()["results"] == RESULT
    assert [one.target for one in leeway.assess({**arrays}, arrays, no_bounds=True, quiet=True).results] == ["target"]


@pytest.mark.parametrize("name", ["evaluate_bounds", "shift_text", "conds.split", "conds.describe"])
def test_frames_of_tables(name, tmp_path):
    """A DataFrame, a dictionary of its columns and the file that it would be."""
    pandas = pytest.importorskip("pandas")
    arguments, _ = cases.CASES[name](tmp_path)
    arguments = tuple(arguments[0].values()) if name == "conds.split" else arguments
    call = getattr(leeway.conds, name[6:]) if name.startswith("conds.") else getattr(leeway, name)

    def with_tables(make):
        given = [make(place, value) if isinstance(value, dict) else value for place, value in enumerate(arguments)]
        return call(*given, **cases.ALWAYS.get(name, {}), quiet=True).to_dict()["results"]

    def written(place, columns):
        path = tmp_path / f"{place}.csv"
        pandas.DataFrame(columns).to_csv(path, index=False)
        return path

    as_columns = with_tables(lambda place, columns: columns)
    assert as_columns == with_tables(lambda place, columns: pandas.DataFrame(columns)) == with_tables(written)


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_alone():
    assert leeway.agreement(OnlyDLPack(WHOLE.astype("f8")), SHIFTED.astype("f8"), LABELS).to_dict()["results"] == RESULT


def test_options_are_checked():
    for options, said in (({"level": 2}, "leeway.agreement: expected a number from 0.5 to 0.9999 at level, found 2"),
                          ({"pairing": "x"}, "at pairing, found 'x'"), ({"bootstrap": -1}, "at bootstrap, found -1"),
                          ({"bootstrap": 1.5}, "at bootstrap, found 1.5"), ({"ratios": [2]}, "ratios[0], found 2"),
                          ({"ratios": "x"}, "ratios"), ({"summaries": "yes"}, "summaries"), ({"seed": -1}, "seed"),
                          ({"level": "high"}, "level"), ({"level": numpy.nan}, "level"), ({"threads": 5000}, "4096")):
        assert said in message(leeway.agreement, CLEAN, SHIFTED, **options)
    with pytest.raises(TypeError):
        leeway.agreement(CLEAN, SHIFTED, no_such_option=1)
    for option in ("labels", "groups"):
        assert f"{option}: expected a file's path" in message(leeway.assess, CLEAN, SHIFTED, **{option: LABELS})
    assert "no target has this name" in message(leeway.assess, CLEAN, {"noise": SHIFTED}, labels="nose=other.npy")
    assert "(leeway assess --list-keys prints" in message(leeway.assess, {"logits": CLEAN, "labels": LABELS}, SHIFTED, fail_if="acuracy<1")
    two = {"logits": CLEAN, "target": LABELS, "truth": LABELS}
    assert "(select it with label_column), found target and truth" in message(leeway.agreement, two, SHIFTED)
    assert "logits (as_ logits), found" in message(leeway.agreement, {"probs": CLEAN}, SHIFTED, as_="logits")
    assert "severity is required for fog" in message(leeway.shift, numpy.zeros((1, 1, 4, 4), "f4"), "fog")
    assert leeway.agreement(CLEAN, SHIFTED, ratios="0:1:0.5").to_dict()["options"]["ratios"] == [0, .5, 1]
    assert leeway.agreement(CLEAN, SHIFTED, ratios=.5).to_dict()["options"]["ratios"] == [.5]


def test_pairs():
    result = leeway.agreement(CLEAN, SHIFTED, pairs=numpy.stack([numpy.arange(24)] * 2, 1))
    assert result.pa == leeway.agreement(CLEAN, SHIFTED).pa
    assert "rows in 0..23" in message(leeway.agreement, CLEAN, SHIFTED, pairs=[[0, 24]])
    assert "shape (m, 2)" in message(leeway.agreement, CLEAN, SHIFTED, pairs=[0, 1])


def test_models():
    models = leeway.agreement({"cnn": CLEAN, "robust": CLEAN}, {"cnn": {"blur": SHIFTED}, "robust": {"blur": CLEAN}})
    assert [result.model for result in models.results] == ["cnn", "robust"]
    assert "expected the models ['cnn']" in message(leeway.agreement, {"cnn": CLEAN}, {"other": SHIFTED})
    assessed = leeway.assess({"a": {"logits": CLEAN, "labels": LABELS}, "b": {"logits": SHIFTED, "labels": LABELS}},
                             {"a": {"s": {"logits": SHIFTED, "labels": LABELS}}, "b": {"s": {"logits": CLEAN, "labels": LABELS}}},
                             no_bounds=True, quiet=True, fail_if="accuracy<1")
    assert [(r.model, r.target) for r in assessed.results] == [("a", "s"), ("b", "s")]
    assert len(assessed.gates[0].violations) == 2
    assert assessed.passed is False
    assert "failed: accuracy " in str(assessed)
