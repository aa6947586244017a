"""leeway.attack on functions of NumPy, and what it refuses. test_torch_classifier.py attacks modules."""

import numpy
import pytest

import leeway

from .conftest import message

RANDOM = numpy.random.default_rng(5)
WEIGHT = RANDOM.normal(size=(3, 6)).astype(numpy.float32)
X = RANDOM.random((40, 6), dtype=numpy.float32)


def linearize(x):
    return x @ WEIGHT.T, lambda cotangents: cotangents @ WEIGHT


LINEAR = leeway.Classifier(lambda x: x @ WEIGHT.T, linearize=linearize)


def distances():
    """In linf, of every row to the nearest plane where another class is as large as the predicted one."""
    logits = X @ WEIGHT.T
    gaps = logits.max(1, keepdims=True) - logits
    size = numpy.abs(WEIGHT[logits.argmax(1)][:, None] - WEIGHT[None]).sum(2)
    with numpy.errstate(invalid="ignore"):
        return numpy.where(gaps > 0, gaps / size, numpy.inf).min(1)


def test_the_nearest_rows_of_a_linear_model():
    found = leeway.attack(LINEAR, X, attack="fab", bounds=(-9, 9), quiet=True)
    numpy.testing.assert_allclose(found.arrays["norms"], distances(), rtol=5e-3)
    assert found.results[0].success == 1 and found.arrays["x"].shape == X.shape and found.results[0].norms.median > 0


@pytest.mark.parametrize("attack", ["pgd", "apgd", "strong", "square"])
def test_rows_within_the_radius_are_found(attack):
    found = leeway.attack(LINEAR, X, attack=attack, eps=.1, quiet=True)
    far = distances()
    assert ((found.arrays["success"] == 1) <= (far < .1001)).all()
    assert (found.arrays["success"] == 1)[far < .07].all()
    assert (numpy.abs(found.arrays["x"] - X) <= .1 + 1e-6).all()
    assert found.robust_accuracy == pytest.approx(1 - found.results[0].success)


def test_labels_targets_and_bounds():
    labels = (X @ WEIGHT.T).argmin(1)
    assert message(leeway.attack, LINEAR, X) == "eps: expected a radius in the units of the rows, found none"
    wrong = leeway.attack(LINEAR, X, labels, eps=0., quiet=True)
    assert wrong.clean_accuracy == wrong.robust_accuracy == 0 and (wrong.arrays["norms"] == 0).all()
    towards = leeway.attack(LINEAR, X, targets=labels, eps=1., bounds=(0, 1), quiet=True)
    assert towards.target == "given" and towards.results[0].success > .5
    assert 0 <= towards.arrays["x"].min() and towards.arrays["x"].max() <= 1


@pytest.mark.parametrize("attack", [["fgsm", "fab", "noise"], "fgsm,fab,noise"])
def test_the_worst_case_over_several_attacks(attack):
    found = leeway.attack(LINEAR, X, attack=attack, eps=.1, checks=True, quiet=True)
    alone = [leeway.attack(LINEAR, X, attack=one.attack, eps=one.eps, quiet=True) for one in found.results]
    norms = numpy.array([one.arrays["norms"] for one in alone])
    norms[norms > .1 * (1 + 1e-6)] = numpy.inf
    numpy.testing.assert_array_equal(found.arrays["norms"], norms.min(0))
    assert (found.arrays["success"] == numpy.isfinite(norms).any(0)).all()
    assert (numpy.abs(found.arrays["x"] - X).max(1) <= .1 + 1e-6).all()
    worst, = found.worst_cases
    assert worst.attacks == ["fgsm", "fab", "noise"] and worst.eps == .1
    assert worst.success == worst.success_of_right == pytest.approx(found.arrays["success"].mean())
    assert not any(check.raised for one in found.results for check in one.checks)
    assert {"noise", "longer"} <= {check.check for check in found.results[1].checks}


def test_an_estimator_without_gradients():
    class Estimator:
        def predict_proba(self, x):
            scores = numpy.exp(x @ WEIGHT.T)
            return scores / scores.sum(1, keepdims=True)

    found = leeway.attack(Estimator(), X, attack="square", eps=.2, parameters={"queries": 200}, quiet=True)
    assert (found.arrays["success"] == 1)[distances() < .1].all()
    assert message(leeway.attack, Estimator(), X, eps=.1) == "attack pgd: expected a classifier with gradients, found one without"


@pytest.mark.parametrize("arguments, options, expected", [
    ((object(), X), {}, "leeway.attack: model: expected a leeway.Classifier, a torch.nn.Module or an estimator"),
    ((LINEAR, X), {"bounds": (1, 0)}, "bounds: expected two numbers, the smaller one first"),
    ((LINEAR, X), {"bounds": (0, .5)}, "x: expected values in [0, 0.5] to attack, found"),
    ((LINEAR, X, [0] * 39), {}, "y: "),
    ((LINEAR, X, [4] * 40), {}, "y: "),
    ((LINEAR, X), {"parameters": {"stops": 3}}, "attack pgd: expected parameters among"),
    ((LINEAR, X), {"norm": "l1"}, "attack pgd: expected a norm among linf, l2")])
def test_what_is_refused(arguments, options, expected):
    assert message(leeway.attack, *arguments, **options).startswith(expected)
