"""Posterior agreement in training loops: the metric, the choice of an epoch, the scorer."""
import copy
import pickle

import numpy
import pytest

import leeway
import leeway.metrics

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

pytestmark = pytest.mark.tier2


@pytest.fixture
def logits():
    rng = numpy.random.default_rng(0)
    clean = torch.from_numpy(rng.normal(0, 2, (90, 5)).astype(numpy.float32))
    return clean, clean + torch.from_numpy(rng.normal(0, 1, (90, 5)).astype(numpy.float32)), clean.argmax(1)


@pytest.fixture
def metric():
    return leeway.metrics.PosteriorAgreement()


def update(metric, logits, size=32):
    for rows in zip(*(tensor.split(size) for tensor in logits)):
        metric.update(*rows)


# -- The metric

def test_is_the_agreement_of_all_rows(metric, logits):
    update(metric, logits)
    value = metric.compute()
    whole = leeway.agreement(*logits)
    assert (value.shape, value.dtype) == ((), torch.float64)
    assert value.item() == whole.pa
    assert metric.result.to_dict()["results"][0]["afr_true"] == whole.afr_true
    assert metric.result.pa_interval == whole.pa_interval
    normalized = leeway.metrics.PosteriorAgreement(normalized=True)
    update(normalized, logits[:2])
    assert normalized.compute().item() == whole.pa_normalized == pytest.approx(whole.pa / numpy.log(5))


def test_forward_is_of_the_batch_and_adds_it(metric, logits):
    first, second = ([tensor[rows] for tensor in logits] for rows in (slice(0, 40), slice(40, None)))
    assert metric(*first).item() == leeway.agreement(*first).pa
    assert metric(*second).item() == leeway.agreement(*second).pa
    assert metric.compute().item() == leeway.agreement(*logits).pa


def test_reset_begins_anew(metric, logits):
    update(metric, logits)
    metric.compute()
    metric.reset()
    metric.update(logits[0][:10], logits[1][:10])  # labels or none, anew
    assert metric.compute().item() == leeway.agreement(logits[0][:10], logits[1][:10]).pa


def test_copies_and_pickles_go_on_alone(metric, logits):
    clean, shifted, labels = logits
    metric.update(clean[:40], shifted[:40], labels[:40])
    metric.compute()
    whole = leeway.agreement(*logits).pa
    for other in (copy.deepcopy(metric), metric.clone(), pickle.loads(pickle.dumps(metric))):
        other.update(clean[40:], shifted[40:], labels[40:])
        assert other.compute().item() == whole
    assert metric.compute().item() == leeway.agreement(clean[:40], shifted[:40]).pa


class Flips(torchmetrics.Metric):
    def __init__(self):
        super().__init__()
        self.add_state("flips", torch.tensor(0), dist_reduce_fx="sum")

    def update(self, clean, shifted, labels=None):
        self.flips += (clean.argmax(1) != shifted.argmax(1)).sum()

    def compute(self):
        return self.flips


def test_in_a_collection(logits):
    both = torchmetrics.MetricCollection({"pa": leeway.metrics.PosteriorAgreement(), "flips": Flips()}, prefix="val/")
    update(both, logits)
    found = both.compute()
    whole = leeway.agreement(*logits)
    assert found["val/pa"].item() == whole.pa
    assert found["val/flips"].item() == round((1 - whole.afr_pred) * 90)
    assert pickle.loads(pickle.dumps(both)).compute()["val/pa"].item() == whole.pa
    assert both["pa"].higher_is_better and not both["pa"].is_differentiable


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types(metric, logits, dtype):
    clean, shifted = (tensor.to(dtype).requires_grad_() for tensor in logits[:2])
    metric.update(clean, shifted)
    assert metric.compute().item() == leeway.agreement(*(tensor.detach().double() for tensor in (clean, shifted))).pa
    assert not metric.clean[0].requires_grad


def test_ranks_are_gathered(logits):
    """As torchmetrics gathers them: lists of rows are concatenated over the ranks."""
    clean, shifted, labels = logits
    other = {"clean": clean[40:], "shifted": shifted[40:], "labels": labels[40:]}
    own = {"clean": clean[:40], "shifted": shifted[:40], "labels": labels[:40]}

    def gathered(tensor, group=None):
        (name,) = (name for name, mine in own.items() if tensor.shape == mine.shape and torch.equal(tensor, mine))
        return [tensor, other[name]]

    metric = leeway.metrics.PosteriorAgreement(dist_sync_fn=gathered, distributed_available_fn=lambda: True)
    metric.update(**own)
    assert metric.compute().item() == leeway.agreement(*logits).pa
    metric.update(clean[:3], shifted[:3], labels[:3])  # it goes on with its own


@pytest.mark.parametrize("batch, words", [
    (lambda clean, shifted, labels: (clean[:3], shifted[:4]), "of equal shape for both sets, found (3, 5) and (4, 5)"),
    (lambda clean, shifted, labels: (clean[0], shifted[0]), "found (5,) and (5,)"),
    (lambda clean, shifted, labels: (clean[:, :4], shifted[:, :4]), "expected 5 classes as in earlier batches, found 4"),
    (lambda clean, shifted, labels: (clean, shifted), "labels in every batch or in none, found none"),
    (lambda clean, shifted, labels: (clean, shifted, labels[:3]), "expected labels (90,), found (3,)"),
    (lambda clean, shifted, labels: (clean / 0, shifted, labels), "inf"),
])
def test_batches_that_are_refused(metric, logits, batch, words):
    update(metric, logits)
    with pytest.raises(leeway.Error) as caught:
        metric.update(*batch(*logits))
        metric.compute()
    assert words in str(caught.value)


def test_nothing_seen(metric):
    with pytest.warns(UserWarning, match="before"), pytest.raises(leeway.Error, match="at least one batch, found none"):
        metric.compute()


# -- The epoch to keep

@pytest.fixture
def epochs(logits):
    """Agreement of the three falls and rises; the second is right most often on clean samples."""
    clean, shifted, labels = logits
    noise = torch.from_numpy(numpy.random.default_rng(5).normal(0, 6, shifted.shape).astype(numpy.float32))
    return {"0": (clean, shifted, (labels + (torch.arange(90) < 9)) % 5), "1": (clean, shifted + noise, labels), "2": (clean, shifted + .1 * noise, labels)}


def test_epochs_are_chosen_as_the_command_does(epochs):
    labels = epochs["1"][2]
    selection = leeway.metrics.EpochSelection()
    assert selection.best == ""
    assert [selection.add(int(epoch), clean, shifted, labels) for epoch, (clean, shifted, _) in epochs.items()] == [True, False, False]
    assert selection.best == "0"
    found = selection.select().to_dict()
    assert found["selected"]["pa"] == {"index": 0, "checkpoint": "0"}
    assert [one["pa"] for one in found["results"]] == [leeway.agreement(clean, shifted).pa for clean, shifted, _ in epochs.values()]
    assert found["results"][0]["accuracy"] == 1


def test_epochs_of_a_metric(metric, epochs):
    selection = leeway.metrics.EpochSelection()
    for epoch, (clean, shifted, _) in epochs.items():
        metric.reset()
        metric.update(clean, shifted)
        selection.add(epoch, metric)
    assert selection.best == "0"
    assert selection.select().to_dict()["selected"]["accuracy"] is None


def test_epochs_keep_their_own_copy(epochs):
    clean, shifted = (tensor.numpy().copy() for tensor in epochs["0"][:2])
    selection = leeway.metrics.EpochSelection()
    selection.add(0, clean, shifted)
    expected = selection.select().results[0].pa
    clean[:] = 0
    assert selection.select().results[0].pa == expected


def test_ties_go_to_the_earlier_epoch(epochs):
    selection = leeway.metrics.EpochSelection()
    assert [selection.add(epoch, *epochs["0"][:2]) for epoch in range(2)] == [True, False]


def test_epochs_that_are_refused(epochs):
    clean, shifted, labels = epochs["0"]
    selection = leeway.metrics.EpochSelection()
    selection.add(0, clean, shifted, labels)
    with pytest.raises(leeway.Error, match="a new epoch, found '0' again"):
        selection.add(0, clean, shifted, labels)
    with pytest.raises(leeway.Error, match="the same labels as in earlier epochs.* found others"):
        selection.add(1, clean, shifted, labels.flip(0))
    with pytest.raises(leeway.Error, match="or a PosteriorAgreement, found Tensor alone"):
        selection.add(1, clean)


# -- The scorer

class Shift:
    """Normal noise, the same for the same rows."""

    def __init__(self, strength):
        self.strength = strength

    def __call__(self, x):
        return x + self.strength * numpy.random.default_rng(len(x)).standard_normal(x.shape)


def test_scorer_chooses_what_survives():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_score
    rng = numpy.random.default_rng(6)
    y = rng.integers(0, 3, 300)
    x = rng.standard_normal((300, 4))
    x[:, 0] += 2 * y
    scorer = leeway.metrics.AgreementScorer(Shift(.5))
    scores = cross_val_score(LogisticRegression(), x, y, scoring=scorer, cv=3)
    assert ((0 < scores) & (scores < 1)).all()
    assert cross_val_score(LogisticRegression(), x, y, scoring=leeway.metrics.AgreementScorer(Shift(0)), cv=3) == pytest.approx(1, abs=.01)
    search = GridSearchCV(LogisticRegression(), {"C": [1e-9, 1]}, scoring=pickle.loads(pickle.dumps(scorer)), cv=3).fit(x, y)
    assert search.best_params_["C"] in (1e-9, 1) and numpy.isfinite(search.cv_results_["mean_test_score"]).all()
    half = leeway.metrics.AgreementScorer(Shift(.5), normalized=False)
    fitted = LogisticRegression().fit(x, y)
    assert half(fitted, x, y) == pytest.approx(numpy.log(3) * scorer(fitted, x))
    assert repr(half).endswith("normalized=False)")


def test_scorer_refuses_what_is_no_shift():
    with pytest.raises(leeway.Error, match="shift: expected a function, found float"):
        leeway.metrics.AgreementScorer(.5)
