"""Outputs of PyTorch modules on batches: beside a loop by hand, and what is refused."""
import types

import numpy
import pytest

import leeway

torch = pytest.importorskip("torch")

import leeway.torch  # noqa: E402  (after the skip)

from .conftest import message  # noqa: E402
from .test_torch_classifier import Returns  # noqa: E402

nn = torch.nn
X, Y = torch.randn(25, 4, generator=torch.Generator().manual_seed(0)), torch.arange(25) % 3
LOADER = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=10)
pytestmark = pytest.mark.tier2


@pytest.fixture
def model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 6), nn.ReLU(inplace=True), nn.BatchNorm1d(6), nn.Dropout(.5), nn.Linear(6, 3))


def test_a_loop_by_hand_gives_the_same(model):
    made = leeway.torch.outputs(model, LOADER, features="0")  # before it is changed in place
    with torch.no_grad():
        batches = [(model.eval()(x), model[0](x)) for x, _ in LOADER]
    assert {name: (array.dtype.name, array.shape) for name, array in made.items()} == \
        {"logits": ("float32", (25, 3)), "labels": ("int64", (25,)), "features": ("float32", (25, 6))}
    for name, parts in zip(("logits", "features"), zip(*batches)):
        numpy.testing.assert_array_equal(made[name], torch.cat(parts))
    numpy.testing.assert_array_equal(made["labels"], Y)
    assert leeway.assess(made, made, no_bounds=True, quiet=True).results[0].n == 25


@pytest.mark.parametrize("batches", [[(X, Y), (X, Y[:3])], [(X, Y)]], ids=["error", "done"])
def test_modes_are_restored(model, batches):
    model.train()[2].eval()
    if len(batches) > 1:
        message(leeway.torch.outputs, model, batches)
    else:
        leeway.torch.outputs(model, batches, features="4")
    assert [part.training for part in model] == [True, True, False, True, True] and model.training
    assert not model[4]._forward_hooks and all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_other_types_become_float32(dtype):
    layer = nn.Linear(4, 3).to(dtype)
    made = leeway.torch.outputs(layer, [X])
    assert list(made) == ["logits"] and made["logits"].dtype == numpy.float32
    numpy.testing.assert_array_equal(made["logits"], layer(X.to(dtype)).detach().float())


@pytest.mark.parametrize("answer", [lambda x: {"logits": x}, lambda x: types.SimpleNamespace(logits=x)], ids=["dictionary", "object"])
def test_logits_in_an_answer(answer):
    numpy.testing.assert_array_equal(leeway.torch.outputs(Returns(answer), [[X, Y, "more"]])["logits"], X)


@pytest.mark.parametrize("batches, options, words", [
    ([], {}, "at least one batch, found none"),
    ([(X, Y), X], {}, "labels in every batch or in none, found batch 2 without labels"),
    ([{"x": X}], {}, "a tensor or (tensor, labels, ...) as batch 1, found dict"),
    ([("a", Y)], {}, "as batch 1, found (str, Tensor)"),
    ([(X, Y.float())], {}, "integers of shape (25,) as labels of batch 1, found float32 of shape (25,)"),
    ([X], {"features": "last.2"}, "such as 'last.1', 'last.0', 'last', found 'last.2'"),
    ([X], {"features": "unused"}, "one call of 'unused' per batch, found 0"),
    ([X], {"features": "pair"}, "a tensor of 25 rows from 'pair', found tuple"),
])
def test_what_is_refused(batches, options, words):
    model = Returns(lambda x: model.last(model.pair(x)[0]))
    model.pair, model.unused, model.last = Returns(lambda x: (x, x)), nn.ReLU(), nn.Sequential(nn.Linear(4, 3), nn.Identity())
    assert words in message(leeway.torch.outputs, model, batches, **options)
