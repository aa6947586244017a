"""Classifiers of plain functions."""
import gc
import weakref

import numpy
import pytest

import leeway

from .conftest import message

WEIGHTS = numpy.random.default_rng(0).standard_normal((3, 4))


def logits(x):
    return x @ WEIGHTS.T


def linearize(x):
    return logits(x), lambda cotangents: cotangents @ WEIGHTS


@pytest.fixture
def x():
    return numpy.random.default_rng(1).standard_normal((300, 4))


def refusal(*arguments, **options):
    return message(leeway.average_case, *arguments, **options)


def test_a_linear_model_is_that_of_its_arrays(x):
    """Taylor needs no more than logits and Jacobians: the same numbers from functions and from arrays."""
    of_functions = leeway.average_case(leeway.Classifier(logits, linearize), x, sigma=[.2, 1], methods=["taylor", "softmax"])
    jacobian = numpy.broadcast_to(WEIGHTS, (300, 3, 4))
    of_arrays = leeway.average_case(logits=logits(x), jacobian=jacobian, sigma=[.2, 1], methods=["taylor", "softmax"])
    for one, other in zip(of_functions.results, of_arrays.results):
        assert one.mean == pytest.approx(other.mean, abs=1e-6)


def test_default_methods_are_those_without_gradients(x):
    found = leeway.average_case(leeway.Classifier(logits), x, sigma=.5)
    assert [one.method for one in found.results] == ["softmax"]
    said = refusal(leeway.Classifier(logits), x, sigma=.5, methods=["taylor"])
    assert said == "average_case: classifier: expected gradients, for taylor, found none"


def test_inputs_of_other_types(x):
    made = leeway.Classifier(logits, linearize)
    plain = leeway.average_case(made, x.astype(numpy.float32), sigma=.5, methods=["taylor"]).results[0].mean
    for other in (x.astype(numpy.float32).astype(float), numpy.asfortranarray(x.astype(numpy.float32)), x.astype(numpy.float32).tolist()):
        assert leeway.average_case(made, other, sigma=.5, methods=["taylor"]).results[0].mean == plain
    pixels = numpy.random.default_rng(2).integers(0, 256, (20, 4), dtype=numpy.uint8)
    of_bytes, of_floats = (leeway.average_case(made, one, sigma=.5, methods=["taylor"]).results[0].mean
                           for one in (pixels, (pixels / numpy.float32(255))))
    assert of_bytes == of_floats


def test_functions_get_arrays_to_keep(x):
    kept = []

    def keeps(rows):
        assert rows.dtype == numpy.float32 and rows.flags.writeable and rows.flags.c_contiguous
        kept.append(rows)
        found = logits(rows)
        rows[:] = numpy.nan
        return found

    leeway.average_case(leeway.Classifier(keeps), x.reshape(300, 2, 2)[:20].reshape(20, 4), sigma=.5)
    assert len(kept) > 3 and all(numpy.isnan(rows).all() for rows in kept)


def test_inputs_come_in_their_shape(x):
    shapes = set()

    def looks(rows):
        shapes.add(rows.shape[1:])
        return logits(rows.reshape(-1, 4))

    leeway.average_case(leeway.Classifier(looks), x.reshape(-1, 2, 2), sigma=.5)
    leeway.average_case(leeway.Classifier(looks, input_shape=(2, 2)), x, sigma=.5)  # rows of d numbers
    assert shapes == {(2, 2)}
    assert "expected inputs (n, 2, 3), at least one, found (300, 4)" in refusal(leeway.Classifier(looks, input_shape=(2, 3)), x, sigma=.5)


class Unlucky(Exception):
    pass


@pytest.mark.parametrize("calls, kind", [(0, Unlucky), (1, Unlucky), (4, Unlucky), (30, Unlucky), (0, KeyboardInterrupt)])
def test_exceptions_come_out_as_they_are(x, calls, kind):
    left = [calls]
    raised = kind("at last")

    def fails(rows):
        left[0] -= 1
        if left[0] < 0:
            raise raised
        return logits(rows)

    with pytest.raises(kind) as caught:
        leeway.average_case(leeway.Classifier(fails), x, sigma=[.1, .2], methods=["mc", "softmax"], draws=100)
    assert caught.value is raised
    assert any("fails" in str(entry.name) for entry in caught.traceback)


def test_answers_that_differ_are_found_out(x):
    rng = numpy.random.default_rng(4)
    said = refusal(leeway.Classifier(lambda rows: logits(rows) + rng.normal(size=(len(rows), 3))), x, sigma=.1)
    assert said.startswith("leeway.Classifier: expected the same outputs for the same inputs (module.eval()")


@pytest.mark.parametrize("function, words", [
    (lambda rows: logits(rows)[:5], "logits: expected (16, 3), found (5, 3)"),
    (lambda rows: logits(rows)[:, :1], "logits: expected (1, k) with k of at least 2, found (1, 1)"),
    (lambda rows: logits(rows)[:, :2 + (len(rows) == 8)], "logits: expected (8, 2), found (8, 3)"),
    (lambda rows: None, "logits"),
    (lambda rows: [["a", "b"]] * len(rows), "logits"),
    (lambda rows: logits(rows) * numpy.nan, "expected finite logits, found nan at row 0, class 0"),
])
def test_answers_that_are_no_logits(x, function, words):
    assert words in refusal(leeway.Classifier(function), x, sigma=.1)


@pytest.mark.parametrize("function, words", [
    (logits, "linearize: expected a pair, logits and a function"),
    (lambda rows: (logits(rows), lambda cotangents: numpy.zeros((len(rows), 5))), "vjp: expected (128, 4), found (128, 5)"),
    (lambda rows: (logits(rows), lambda cotangents: numpy.full((len(rows), 4), numpy.inf)), "inf"),
])
def test_answers_that_are_no_gradients(x, function, words):
    assert words in refusal(leeway.Classifier(logits, function), x, sigma=.1, methods=["taylor"])


@pytest.mark.parametrize("inputs, words", [
    (numpy.zeros((0, 4)), "at least one"),
    (numpy.zeros(4), "(n, ...)"),
    (numpy.array([[0, 1, 2, numpy.nan]]), "nan at row 0"),
    (numpy.array([[0, 1, 2, 3]]), "int64"),
    (numpy.array([["a"] * 4]), ""),
])
def test_inputs_that_are_refused(inputs, words):
    assert words in refusal(leeway.Classifier(logits), inputs, sigma=.1)


def test_what_is_no_function():
    with pytest.raises(leeway.Error, match="leeway.Classifier: logits: expected a function, found int"):
        leeway.Classifier(3)
    with pytest.raises(leeway.Error, match="linearize: expected a function, found str"):
        leeway.Classifier(logits, "f")


def test_functions_are_let_go(x):
    class Function:
        def __call__(self, rows):
            return logits(rows)

    function = Function()
    gone = weakref.ref(function)
    leeway.average_case(leeway.Classifier(function), x, sigma=.1)
    del function
    gc.collect()
    assert gone() is None
