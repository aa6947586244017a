"""Modules of PyTorch as classifiers: beside the command on the same weights, by finite differences, and what is refused."""
import numpy
import pytest

import leeway

torch = pytest.importorskip("torch")

import leeway.torch  # noqa: E402  (after the skip)

from .conftest import message  # noqa: E402

SHAPE = (2, 8, 8)
pytestmark = pytest.mark.tier2


@pytest.fixture
def module():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(2, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.GELU(), torch.nn.MaxPool2d(2),
                               torch.nn.Dropout(.5), torch.nn.Flatten(), torch.nn.Linear(128, 5)).eval()


@pytest.fixture
def images():
    return numpy.random.default_rng(0).random((37, *SHAPE), dtype=numpy.float32)


def jacobian(classifier, x):
    logits, vjp = classifier.linearize(x)
    return logits, numpy.stack([vjp(numpy.eye(5, dtype=numpy.float32)[[c] * len(x)]) for c in range(5)], 1)


def functions(classifier):
    """The object behind the two functions of a classifier that this package made."""
    return classifier.linearize.__self__


# -- Beside the command

def small_cnn():
    """The command's small-cnn, its tensors named alike."""
    torch.manual_seed(1)
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten(),
                         nn.Linear(32 * 49, 100), nn.ReLU(), nn.Linear(100, 10)).eval()


@pytest.mark.parametrize("normalization", [None, {"mean": [.2], "std": [.4], "scale": 2.}], ids=["plain", "normalized"])
def test_average_case_is_the_commands(tmp_path, command, normalization):
    network = small_cnn()
    x = numpy.random.default_rng(2).random((20, 1, 28, 28), dtype=numpy.float32)
    numpy.savez(tmp_path / "w.npz", **{name: tensor.numpy() for name, tensor in network.state_dict().items()})
    numpy.savez(tmp_path / "x.npz", x=x, y=numpy.arange(20) % 10)
    methods, sigmas = ["mc", "taylor", "taylor-mvs", "mmse", "mmse-mvs", "softmax"], [.1, .5]
    words = ["average-case", "--arch", "small-cnn", "--sigma", ",".join(map(str, sigmas)), "--methods", ",".join(methods), "--draws", "200",
             "--data", "x.npz", "--model", "w.npz", "--out", "p.npz"]
    for name, value in (normalization or {}).items():
        words += [f"--{name}", ",".join(map(str, numpy.atleast_1d(value)))]
    theirs = command(tmp_path, *words)
    ours = leeway.average_case(leeway.torch.classifier(network, (1, 28, 28), normalization), x, sigma=sigmas, methods=methods,
                               draws=200, labels=numpy.arange(20) % 10).to_dict()
    assert [(one["method"], one["sigma"]) for one in ours["results"]] == [(one["method"], one["sigma"]) for one in theirs["results"]]
    for mine, other in zip(ours["results"], theirs["results"]):
        assert mine["mean"] == pytest.approx(other["mean"], abs=1e-5), mine["method"]
        assert mine["quantiles"] == pytest.approx(other["quantiles"], abs=1e-5), mine["method"]
    assert 0 < ours["results"][1]["mean"] < 1
    assert ours["leading"] == theirs["leading"]
    assert [one["name"] for one in ours["class_bias"][0]["classes"]] == [one["name"] for one in theirs["class_bias"][0]["classes"]]


@pytest.fixture
def network_files(tmp_path):
    """A network; its weights, 40 inputs, and what it says of them and of darker ones, in files."""
    network, x = small_cnn(), numpy.random.default_rng(5).random((40, 1, 28, 28), dtype=numpy.float32)
    model = leeway.torch.classifier(network, (1, 28, 28))
    source = {"logits": model.logits(x), "labels": numpy.arange(40) % 10}
    target = {"logits": model.logits(x / 2)}
    numpy.savez(tmp_path / "w.npz", **{name: tensor.numpy() for name, tensor in network.state_dict().items()})
    numpy.savez(tmp_path / "x.npz", x=x, y=source["labels"])
    numpy.savez(tmp_path / "source.npz", **source)
    numpy.savez(tmp_path / "target.npz", **target)
    return model, x, source, target


def alike(mine, other):
    """Equal but for rounding, times and how the record came about."""
    if isinstance(mine, dict):
        assert list(mine) == list(other)
        for key in mine.keys() - {"file", "seconds", "model_seconds", "seconds_in_all", "model_seconds_in_all", "flops", "peak_bytes"}:
            alike(mine[key], other[key])
    elif isinstance(mine, list):
        assert len(mine) == len(other)
        for one, another in zip(mine, other):
            alike(one, another)
    else:
        assert mine == (pytest.approx(other, abs=1e-5) if isinstance(other, float) else other)


def test_an_assessment_under_noise_is_the_commands(tmp_path, command, network_files):
    model, x, source, target = network_files
    theirs = command(tmp_path, "assess", "--source", "source.npz", "--target", "target=target.npz", "--no-bounds", "--model", "w.npz", "--arch",
                     "small-cnn", "--images", "x.npz", "--sigma", "0.05,0.1", "--survival-rows", 30)["average_case"]
    ours = leeway.assess(source, target, no_bounds=True, quiet=True, model=model, x=x, sigma=[.05, .1], survival_rows=30)
    alike(ours.to_dict()["average_case"], theirs)
    assert ours.average_case[0].n == 30 and ours.average_case[0].disagreement == 0


def test_convergence_is_the_commands(tmp_path, command, network_files):
    model, x, source, _ = network_files
    theirs = command(tmp_path, "average-case", "--model", "w.npz", "--arch", "small-cnn", "--data", "x.npz", "--sigma", "0.5", "--methods",
                     "mc,mmse", "--draws", 200, "--convergence", "--out", "p.npz")
    ours = leeway.average_case(model, x, sigma=.5, methods=["mc", "mmse"], draws=200, convergence=True, labels=source["labels"]).to_dict()
    assert len(ours["convergence"]) > 4
    alike(ours["convergence"], theirs["convergence"])


@pytest.mark.parametrize("options, words", [
    ({"eps": .05, "parameters": {"steps": 5}}, ["--eps", .05, "--steps", 5]),
    ({"attack": "fgsm", "norm": "l2", "eps": .5, "normalization": {"mean": [.2], "std": .4, "scale": 2.}},
     ["--attack", "fgsm", "--norm", "l2", "--eps", ".5", "--mean", .2, "--std", .4, "--scale", 2]),
    ({"attack": "fmn", "norm": "l2", "targets": numpy.arange(40) % 9}, ["--attack", "fmn", "--norm", "l2", "--targets", "targets.npy"])])
def test_attacks_are_the_commands(tmp_path, command, network_files, options, words):
    model, x, source, _ = network_files
    labels = source["logits"].argmax(1)
    numpy.savez(tmp_path / "x.npz", x=x, y=labels)
    numpy.save(tmp_path / "targets.npy", numpy.arange(40) % 9)
    theirs = command(tmp_path, "attack", "--model", "w.npz", "--arch", "small-cnn", "--data", "x.npz", "--out", "a.npz", *words)
    module = functions(model).module
    ours = leeway.torch.attack(module, x, labels, **options)
    assert ours.to_dict()["options"] == theirs["options"]
    assert ours.robust_accuracy == pytest.approx(theirs["results"][0]["robust_accuracy"], abs=.05)  # a rounding may decide two rows
    assert sorted(ours.arrays) == sorted(numpy.load(tmp_path / "a.npz").files)
    norms = ours.norms[ours.success == 1]
    moved = (ours.arrays["x"] - x)[ours.success == 1].reshape(len(norms), -1)
    order = numpy.inf if theirs["options"]["norm"] == "linf" else 2
    numpy.testing.assert_allclose(numpy.linalg.norm(moved, order, 1), norms, rtol=1e-4)
    assert 0 < len(norms) and numpy.isinf(ours.norms[ours.success == 0]).all()
    with torch.no_grad():
        assert module.training is False and all(parameter.requires_grad for parameter in module.parameters())


def test_attacks_that_are_refused(images, module):
    assert "in training mode" in message(leeway.torch.attack, module.train(), images)
    assert "attack: expected one of pgd" in message(leeway.torch.attack, module.eval(), images, attack="none")


def test_a_model_beside_an_assessment_that_does_not_fit(network_files):
    model, x, source, target = network_files
    sets = {"no_bounds": True, "quiet": True}
    assert message(leeway.assess, source, target, model=model, x=x[:30], sigma=.1, **sets) == \
        "model: expected 40 inputs, one per row, as in source, found 30"
    for given, words in (({"model": model, "sigma": .1}, "both model and x (the inputs of the source), or neither"),
                         ({"x": x, "sigma": .1}, "both model and x (the inputs of the source), or neither"),
                         ({"model": model, "x": x}, "sigma (standard deviations of the noise) and a model or jacobian, or neither"),
                         ({"sigma": .1}, "sigma (standard deviations of the noise) and a model or jacobian, or neither"),
                         ({"model": {"cnn": model}, "x": x, "sigma": .1}, "one of the models ['model'] in model, found 'cnn'"),
                         ({"model": model, "jacobian": x, "x": x, "sigma": .1}, "jacobian or model, found both"),
                         ({"model": small_cnn(), "x": x, "sigma": .1}, "model: expected a leeway.Classifier"),
                         ({"model": leeway.Classifier(model.logits), "x": x, "sigma": .1}, "model: expected gradients, for taylor and mmse"),
                         ({"model": leeway.Classifier(lambda rows: model.logits(rows)[:, :3], model.linearize), "x": x, "sigma": .1},
                          "model: expected 10 classes as in source, found 3")):
        assert words in message(leeway.assess, source, target, **given, **sets)
    two = {"a": source, "b": source}, {"a": {"t": target}, "b": {"t": target}}
    assert "a dictionary with model names as keys in model, because there are 2 models" in message(leeway.assess, *two, model=model, x=x, sigma=.1, **sets)
    both = leeway.assess(*two, model={"b": model}, x=x, sigma=.1, survival_rows=5, **sets)
    assert [one.model for one in both.average_case] == ["b"]


# -- The two functions

def test_gradients_are_finite_differences(module, images):
    made = leeway.torch.classifier(module.double(), SHAPE, {"mean": [.3, .5], "std": .5})
    logits, gradients = jacobian(made, images)
    assert (logits.dtype, gradients.dtype, gradients.shape) == (numpy.float32, numpy.float32, (37, 5, *SHAPE))
    numpy.testing.assert_allclose(logits, made.logits(images), atol=1e-6)
    direction = numpy.random.default_rng(1).standard_normal(SHAPE)
    step = 1e-6

    def along(sign):
        with torch.no_grad():
            x = torch.from_numpy(images).double() + sign * step * torch.from_numpy(direction)
            return module((x - torch.tensor([.3, .5])[:, None, None]) / .5).numpy()

    numpy.testing.assert_allclose(numpy.einsum("nkchw,chw->nk", gradients, direction), (along(1) - along(-1)) / (2 * step), atol=1e-3)


@pytest.mark.parametrize("change", [lambda module: module.double(), lambda module: module.to(memory_format=torch.channels_last)],
                         ids=["float64", "channels_last"])
def test_other_layouts_and_types_say_the_same(module, images, change):
    said = jacobian(leeway.torch.classifier(module, SHAPE), images)
    changed = jacobian(leeway.torch.classifier(change(module), SHAPE, batch_size=16), images)
    for one, other in zip(said, changed):
        numpy.testing.assert_allclose(one, other, atol=1e-6)


def test_the_module_is_left_as_it_was(module, images):
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    leeway.average_case(leeway.torch.classifier(module, SHAPE), images, sigma=.1)
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in module.parameters())


# -- Refusals

def test_pixels_outside_0_1_are_refused_before_a_normalization(module, images):
    normalized = leeway.torch.classifier(module, SHAPE, {"mean": .5, "std": .2})
    with pytest.raises(leeway.Error, match=r"float pixels in \[0,1\] before normalization \(divide by 255.*, found "):
        leeway.average_case(normalized, 255 * images, sigma=[.1], methods=["mc"], draws=100)
    plain = leeway.torch.classifier(module, SHAPE)
    with pytest.raises(leeway.Error, match=r"in \[0,1\] \(divide by 255.*'scale': 255.*, found numbers from 0 to 255"):
        leeway.average_case(plain, 255 * images, sigma=[.1], methods=["mc"], draws=100)
    assert leeway.average_case(plain, 2 * images, sigma=[.1], methods=["mc"], draws=100).results


def test_bytes_of_0_and_1_give_a_warning(module):
    black_and_white = numpy.random.default_rng(0).integers(0, 2, (8, *SHAPE), dtype=numpy.uint8)
    with pytest.warns(UserWarning, match="all uint8 pixels are 0 or 1"):
        leeway.average_case(leeway.torch.classifier(module, SHAPE), black_and_white, sigma=.1, methods=["softmax"])
    with pytest.warns(UserWarning, match="all uint8 pixels are 0 or 1"):
        leeway.torch.attack(module, black_and_white, attack="fgsm")


def test_training_mode_is_refused_by_name(module, images):
    assert "(module.eval()), found Sequential in training mode" in message(leeway.torch.classifier, module.train(), SHAPE)
    module.eval()[4].train()
    assert "found its part '4' (Dropout) in training mode" in message(leeway.torch.classifier, module, SHAPE)
    made = leeway.torch.classifier(module.eval(), SHAPE)
    module[1].train()
    assert "'1' (BatchNorm2d)" in message(leeway.average_case, made, images, sigma=.1)


@pytest.mark.parametrize("make, options, words", [
    (lambda nn: nn.Linear(3, 2).half(), {}, "float32 or float64 (module.float()), found torch.float16"),
    (lambda nn: nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2).double()), {}, "found torch.float32 and torch.float64"),
    (lambda nn: nn.Linear(3, 2), {"normalization": {"men": 1}}, "with scale, mean and std, found 'men'"),
    (lambda nn: nn.Linear(3, 2), {"normalization": {"mean": [1, 2]}}, "mean with 1 number or 3, one per channel, found 2"),
    (lambda nn: nn.Linear(3, 2), {"normalization": {"std": 0}}, "std above 0, found [0.0]"),
    (lambda nn: nn.Linear(3, 2), {"batch_size": 0}, "batch_size of at least 1, found 0"),
    (lambda nn: nn.Linear(3, 2), {"input_shape": ()}, "input_shape of positive sizes, found ()"),
])
def test_what_is_refused_when_it_is_made(make, options, words):
    options = {"input_shape": (3,), **options}
    assert words in message(leeway.torch.classifier, make(torch.nn).eval(), **options)


class Returns(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


@pytest.mark.parametrize("function, words", [
    (lambda x: (x, x), "a tensor of logits, or an object with logits, found tuple"),
    (lambda x: x[:, :1], "with k of at least 2, found (1, 1)"),
    (lambda x: x[0], "found (3,)"),
    (lambda x: x.round().detach(), "operations with gradients, found none"),
    (lambda x: x / 0, "expected finite logits, found "),
])
def test_what_is_refused_when_it_answers(function, words):
    x = numpy.random.default_rng(3).normal(size=(16, 3)).astype(numpy.float32)
    assert words in message(leeway.average_case, leeway.torch.classifier(Returns(function).eval(), (3,)), x, sigma=.1)
