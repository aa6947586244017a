"""Outputs of estimators."""
import numpy
import pytest

import leeway
import leeway.sklearn

pytest.importorskip("sklearn")

from sklearn.linear_model import LogisticRegression, RidgeClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: E402

from .conftest import message  # noqa: E402

pytestmark = pytest.mark.tier2


@pytest.fixture
def data():
    rng = numpy.random.default_rng(0)
    names = numpy.array(["maple", "ash", "oak"])[rng.integers(0, 3, 80)]
    return rng.normal(size=(80, 4)) + (names == "oak")[:, None] - (names == "ash")[:, None], names


def test_probabilities_labels_and_names(data):
    x, y = data
    model = LogisticRegression().fit(x, y)
    made = leeway.sklearn.outputs(model, x, y)
    assert sorted(made) == ["class_names", "labels", "probs"]
    assert made["class_names"] == ["ash", "maple", "oak"]
    numpy.testing.assert_array_equal(made["probs"], model.predict_proba(x))
    assert leeway.agreement(made, made).afr_true == model.score(x, y)
    assert sorted(leeway.sklearn.outputs(model, x)) == ["class_names", "probs"]


def test_scores_serve_as_logits_and_that_is_said(data):
    x, y = data
    model = LinearSVC(dual=True).fit(x, y)
    with pytest.warns(UserWarning, match="LinearSVC has no predict_proba; the scores of its decision_function are used as logits") as said:
        made = leeway.sklearn.outputs(model, x, y)
    assert said[0].filename == __file__
    numpy.testing.assert_array_equal(made["logits"], model.decision_function(x))
    assert leeway.agreement(made, made).afr_true == model.score(x, y)


def test_scores_of_pairs_of_classes_are_refused(data):
    x, y = data
    model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")).fit(x, y)
    with pytest.warns(UserWarning), pytest.raises(leeway.Error, match='decision_function_shape="ovr"'):
        leeway.sklearn.outputs(model, x, y)


def test_two_classes_by_one_score(data):
    x, y = data
    y = y == "oak"
    model = RidgeClassifier().fit(x, y)
    with pytest.warns(UserWarning):
        made = leeway.sklearn.outputs(model, x, y)
    assert made["logits"].shape == (80, 2) and made["class_names"] == ["False", "True"]
    assert leeway.agreement(made, made).afr_true == model.score(x, y)


def test_labels_of_any_kind_are_places_among_classes(data):
    x, _ = data
    y = numpy.random.default_rng(1).choice([3, 7, 11], 80)
    made = leeway.sklearn.outputs(DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, y), x, y)
    numpy.testing.assert_array_equal(numpy.array([3, 7, 11])[made["labels"]], y)
    assert made["class_names"] == ["3", "7", "11"]


@pytest.mark.parametrize("gone", [None, float("nan"), "NA"])
def test_rows_without_a_label(data, gone):
    x, y = data
    model = LogisticRegression().fit(x, y)
    late = numpy.arange(80) < 5
    made = leeway.sklearn.outputs(model, x, [gone if missing else name for name, missing in zip(y, late)])
    assert leeway.agreement(made, made, quiet=True).afr_true == pytest.approx(model.score(x[~late], y[~late]))
    numbers = DecisionTreeClassifier(max_depth=1).fit(x, y == "oak")
    numpy.testing.assert_array_equal(leeway.sklearn.outputs(numbers, x[:3], [1., numpy.nan, -1])["labels"], [1, numpy.nan, numpy.nan])


@pytest.mark.parametrize("make, words", [
    (lambda x, y: (DecisionTreeRegressor().fit(x, x[:, 0]), x), "with predict_proba or decision_function, found DecisionTreeRegressor"),
    (lambda x, y: (LogisticRegression().fit(x, y), x, numpy.where(y == "oak", "elm", y)), "among the estimator's classes_, found 'elm' at row"),
    (lambda x, y: (LogisticRegression().fit(x, y), x, y[:5]), "y of shape (80,), one value per row of X, found (5,)"),
    (lambda x, y: (DecisionTreeClassifier().fit(x, numpy.stack([y, y], 1)), x), "found a list of 2 (multi-label estimators"),
])
def test_what_is_refused(data, make, words):
    assert words in message(leeway.sklearn.outputs, *make(*data))
