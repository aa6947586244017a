"""leeway.attack_curve beside leeway.attack and leeway.agreement on the same rows, and its files."""

import numpy
import pytest

import leeway

from .conftest import message
from .test_attack import LINEAR, WEIGHT, X

Y = (X @ WEIGHT.T).argmax(1)
SHIFTED = leeway.Classifier(lambda x: x @ WEIGHT.T + [0, .3, 0], linearize=lambda x: (x @ WEIGHT.T + [0, .3, 0], lambda c: c @ WEIGHT))


def test_a_point_is_that_of_attack_and_agreement():
    curve = leeway.attack_curve({"a": LINEAR, "b": SHIFTED}, X, Y, attacks="pgd", strengths=["1/10", "2/10"], shares="0.5,1", seed=3, quiet=True)
    assert [one.strength for one in curve.results[:5]] == ["0", "1/10", "1/10", "2/10", "2/10"]
    for name, model in (("a", LINEAR), ("b", SHIFTED)):
        found = leeway.attack(model, X, Y, attack="pgd", eps=.2, seed=3, quiet=True)
        clean, attacked = (numpy.asarray(model.logits(x), numpy.float32) for x in (X, found.arrays["x"]))
        pa = leeway.agreement({"logits": clean, "labels": Y}, {"logits": attacked, "norms": found.arrays["norms"]}, ratios=[.5], quiet=True)
        half, whole = (next(one for one in curve.results if one.model == name and one.strength == "2/10" and one.share == share)
                       for share in (.5, 1))
        assert whole.afr_true == found.robust_accuracy and whole.clean_accuracy == found.clean_accuracy
        assert (whole.pa, whole.beta, half.pa) == (pa.pa, pa.beta, pa.results[0].ratios[0].pa)
        assert whole.beta_interval is None or whole.beta_interval.low < whole.beta < whole.beta_interval.high


def test_figures_and_page(tmp_path):
    curve = leeway.attack_curve(LINEAR, X, attacks=["pgd", "fmn"], strengths=["1/10"], figures=tmp_path / "figures", quiet=True)
    assert curve.results[0].model == "model" and curve.results[0].afr_true is None
    assert [one.strength for one in curve.results] == ["0", "1/10", "0", "1/10", "nearest"]
    table = (tmp_path / "figures/tables-prediction-unchanged-afr-p-by-strength.tex").read_text()
    assert "Model & Attack & 0 & 1/10 & nearest" in table
    assert (tmp_path / "figures/overview-pgd-prediction-unchanged-afr-p.csv").exists()
    curve.report(tmp_path / "page.html")


@pytest.mark.parametrize("options, expected", [
    ({}, "strengths: expected radii for pgd, such as 2/255, found none"),
    ({"strengths": ["x"]}, "strengths: expected numbers above 0 such as 2/255, found 'x'"),
    ({"strengths": ["1/9"], "attacks": ["pdg"]}, "attack: "),
    ({"strengths": ["1/9"], "parameters": {"stops": 1}}, "attack pgd: expected parameters among")])
def test_what_is_refused(options, expected):
    assert message(leeway.attack_curve, LINEAR, X, **options).startswith(expected)
    assert message(leeway.attack_curve, {"a": object()}, X).startswith("leeway.attack_curve: models['a']: expected a leeway.Classifier")
