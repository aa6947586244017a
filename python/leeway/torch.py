"""PyTorch modules as classifiers for leeway, and their outputs on a data loader.

Importing this module imports torch; ``import leeway`` alone does not. leeway's own LibTorch is not loaded into this process:
training runs in the process of the command (``leeway.command``), because two LibTorches in one process crash.
"""
from __future__ import annotations

import contextlib
import difflib
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy
import torch

import leeway
from leeway import Classifier, Error, Result, _arrays
from leeway._leeway import Bar

__all__ = ["attack", "classifier", "outputs"]



def _refuse(expected: str, found: str) -> Error:
    return Error(f"leeway.torch: expected {expected}, found {found}")


def _dtypes_and_devices(module: torch.nn.Module) -> tuple[list[torch.dtype], list[torch.device]]:
    """Distinct types and devices of the module's floating-point numbers, in order."""
    numbers = [p for p in (*module.parameters(), *module.buffers()) if p.is_floating_point()]
    return list(dict.fromkeys(p.dtype for p in numbers)), list(dict.fromkeys(p.device for p in numbers))


def _dtype_and_device(module: torch.nn.Module) -> tuple[torch.dtype, torch.device]:
    """The only type and device of a classifier; float32 on the CPU if it has no numbers."""
    dtypes, devices = _dtypes_and_devices(module)
    if len(dtypes) > 1 or set(dtypes) - {torch.float32, torch.float64}:
        raise _refuse("parameters of one type, float32 or float64 (module.float())", " and ".join(sorted(map(str, dtypes))))
    if len(devices) > 1:
        raise _refuse("a module on one device", " and ".join(sorted(map(str, devices))))
    return dtypes.pop() if dtypes else torch.float32, devices.pop() if devices else torch.device("cpu")


def _logits(answer: Any, n: int) -> torch.Tensor:
    """Logits of n rows in the output of a module: the tensor itself, or `logits` of an object or a dictionary."""
    logits = answer.get("logits") if isinstance(answer, Mapping) else getattr(answer, "logits", answer)
    if not isinstance(logits, torch.Tensor):
        raise _refuse("a module that returns a tensor of logits, or an object with logits", type(answer).__name__)
    if logits.ndim != 2 or len(logits) != n or logits.shape[1] < 2:
        raise _refuse(f"logits of shape ({n}, k) with k of at least 2", str(tuple(logits.shape)))
    return logits


def _require_evaluation(module: torch.nn.Module) -> None:
    """Refuses training mode, which draws new dropout in every pass and changes the statistics of batch normalization."""
    for name, part in module.named_modules():
        if part.training:
            what = f"its part '{name}' ({type(part).__name__})" if name else type(part).__name__
            raise _refuse("a module in evaluation mode (module.eval())", f"{what} in training mode")


class _Normalization:
    """z = (scale x - mean) / std, mean and std by channel."""

    def __init__(self, given: Mapping[str, Any] | None, channels: int, rank: int) -> None:
        given = dict(given or {})
        unknown = sorted(set(given) - {"scale", "mean", "std"})
        if unknown:
            raise _refuse("normalization with scale, mean and std", ", ".join(map(repr, unknown)))
        self.scale = float(given.get("scale", 1))
        self.mean, self.std = (self._by_channel(name, given.get(name, default), channels, rank)
                               for name, default in (("mean", 0.), ("std", 1.)))
        if not bool((self.std > 0).all()):
            raise _refuse("a normalization std above 0", str(self.std.flatten().tolist()))

    @staticmethod
    def _by_channel(name: str, value: float | Sequence[float], channels: int, rank: int) -> torch.Tensor:
        numbers = torch.as_tensor(value, dtype=torch.float64).flatten()
        if len(numbers) not in (1, channels):
            raise _refuse(f"a normalization {name} with 1 number or {channels}, one per channel", str(len(numbers)))
        return numbers.reshape(-1, *[1] * (rank - 1))

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return (self.scale * x - self.mean.to(x)) / self.std.to(x)


class _Functions:
    """The functions of a classifier. Rows are cut into batches, so that the size of a pass does not depend on the analysis."""

    def __init__(self, module: torch.nn.Module, input_shape: tuple[int, ...], normalization: Mapping[str, Any] | None,
                 batch_size: int) -> None:
        self.module, self.batch_size, self.keeps_graphs = module, batch_size, False
        self.normalize = _Normalization(normalization, input_shape[0], len(input_shape)) if normalization else None
        self._ready()

    def _ready(self) -> tuple[torch.dtype, torch.device]:
        _require_evaluation(self.module)
        return _dtype_and_device(self.module)

    def _pass(self, x: torch.Tensor) -> torch.Tensor:
        return _logits(self.module(x if self.normalize is None else self.normalize(x)), len(x))

    def logits(self, x: numpy.ndarray) -> numpy.ndarray:
        dtype, device = self._ready()
        with torch.no_grad():
            return _joined([_array(self._pass(rows.to(device, dtype))) for rows in torch.from_numpy(x).split(self.batch_size)])

    def linearize(self, x: numpy.ndarray) -> tuple[numpy.ndarray, Callable[[numpy.ndarray], numpy.ndarray]]:
        passes, spent = self._passes(x), False

        def vjp(cotangents: numpy.ndarray) -> numpy.ndarray:
            nonlocal passes, spent
            if spent:  # most callers ask for one gradient, so graphs are kept only after the first second request
                self.keeps_graphs, passes = True, self._passes(x)
            gradients = []
            for (rows, logits), part in zip(passes, torch.from_numpy(cotangents).split(self.batch_size)):
                gradient = torch.autograd.grad(logits, rows, part.to(logits), retain_graph=self.keeps_graphs, allow_unused=True)[0]
                if gradient is None:
                    raise _refuse("logits that depend on the input by operations with gradients", "none")
                gradients.append(_array(gradient))
            spent = not self.keeps_graphs
            return _joined(gradients)
        return _joined([_array(logits) for _, logits in passes]), vjp

    def _passes(self, x: numpy.ndarray) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Inputs and logits by batch, with their graphs."""
        dtype, device = self._ready()
        passes = []
        with torch.enable_grad():
            for rows in torch.from_numpy(x).split(self.batch_size):
                rows = rows.to(device, dtype).detach().requires_grad_()
                logits = self._pass(rows)
                if not logits.requires_grad:
                    raise _refuse("logits that depend on the input by operations with gradients", "none")
                passes.append((rows, logits))
        return passes


def _array(tensor: torch.Tensor) -> numpy.ndarray:
    return tensor.detach().to("cpu", torch.float32).contiguous().numpy()


def _joined(parts: list[numpy.ndarray]) -> numpy.ndarray:
    return parts[0] if len(parts) == 1 else numpy.concatenate(parts)


def classifier(module: torch.nn.Module, input_shape: Sequence[int], normalization: Mapping[str, Any] | None = None,
               *, batch_size: int = 256) -> Classifier:
    """A ``torch.nn.Module`` as a :class:`leeway.Classifier`: its logits and vector-Jacobian products.

    Parameters
    ----------
    module
        A module in evaluation mode with float32 or float64 parameters on one device. It takes a batch (n, \\*input_shape) and
        returns logits (n, k). It is not copied: later changes affect the classifier. The channels_last format is kept.
    input_shape
        Shape of one input, without the batch: ``(1, 28, 28)``.
    normalization
        Normalization of images in [0,1] that the module expects: a mapping with ``scale``, ``mean`` and ``std`` (one number, or one
        per channel), z = (scale x - mean) / std, as ``--scale``, ``--mean`` and ``--std`` of the command. Noise is added before it.
    batch_size
        Maximum number of rows per pass.

    Raises
    ------
    leeway.Error
        If the module is in training mode, has parameters of another type or of several types, or does not return logits; later, if
        its outputs differ between two passes or, with ``normalization``, float images are outside [0,1].
    """
    shape = tuple(int(size) for size in input_shape)
    if not shape or min(shape) < 1:
        raise _refuse("an input_shape of positive sizes", str(shape))
    if batch_size < 1:
        raise _refuse("a batch_size of at least 1", str(batch_size))
    functions = _Functions(module, shape, normalization, batch_size)
    made = Classifier(functions.logits, functions.linearize, input_shape=shape)
    made.pixels = normalization is not None and len(shape) == 3
    return made


def attack(module: torch.nn.Module, x: Any, y: Any = None, normalization: Mapping[str, Any] | None = None, **options: Any) -> Result:
    """:func:`leeway.attack` on a module that expects a normalization of its inputs.

    Parameters
    ----------
    module, normalization
        As for :func:`classifier`.
    x, y, options
        As for :func:`leeway.attack`: ``attack``, ``norm``, ``eps``, ``loss``, ``targets``, ``parameters``, ``seed`` and others.
    """
    images = x.detach().cpu().numpy() if isinstance(x, torch.Tensor) else numpy.asarray(x)
    return leeway.attack(classifier(module, images.shape[1:], normalization), images, y, **options)


@contextlib.contextmanager
def _evaluation(module: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients; afterwards, the mode of each part is restored."""
    modes = [(part, getattr(part, "training", False)) for part in module.modules()]  # a frozen TorchScript module has no modes
    training = any(mode for _, mode in modes)
    try:
        if training:
            module.eval()
        with torch.no_grad():
            yield
    finally:
        if training:
            module.train(modes[0][1])  # some modules override train() to merge weights and separate them again
            for part, mode in modes:
                part.training = mode


def _inputs_and_labels(batch: Any, number: int) -> tuple[torch.Tensor, dict[str, numpy.ndarray]]:
    parts = batch if isinstance(batch, (list, tuple)) else [batch]
    if not parts or not isinstance(parts[0], torch.Tensor):
        names = ", ".join(type(part).__name__ for part in parts)
        raise _refuse(f"a tensor or (tensor, labels, ...) as batch {number}", f"({names})" if parts is batch else names)
    x, *labels = parts[:2]
    if not labels:
        return x, {}
    y = _arrays.numpy_of(labels[0].cpu() if isinstance(labels[0], torch.Tensor) else labels[0], f"leeway.torch: labels of batch {number}")
    if y.dtype.kind not in "iu" or y.shape != (len(x),):
        raise _refuse(f"integers of shape ({len(x)},) as labels of batch {number}", f"{y.dtype} of shape {y.shape}")
    return x, {"labels": y.astype(numpy.int64)}


def _layer(model: torch.nn.Module, name: str) -> torch.nn.Module:
    layers = {known: layer for known, layer in model.named_modules() if known}
    if name not in layers:
        near = difflib.get_close_matches(str(name), layers) or list(layers)[-3:]
        raise _refuse(f"features to name one of model.named_modules(), such as {', '.join(map(repr, near)) or 'none'}", repr(name))
    return layers[name]


def _flat(seen: list[Any], n: int, layer: str) -> numpy.ndarray:
    """(n,d) of the only tensor in `seen`, which is emptied."""
    answers = [*seen]
    seen.clear()
    if len(answers) != 1:
        raise _refuse(f"features: one call of '{layer}' per batch", f"{len(answers)} (name a layer around it)")
    shape = tuple(answers[0].shape) if isinstance(answers[0], torch.Tensor) else type(answers[0]).__name__
    if not isinstance(shape, tuple) or shape[:1] != (n,):
        raise _refuse(f"features: a tensor of {n} rows from '{layer}'", str(shape))
    return _array(answers[0]).reshape(n, math.prod(shape[1:]))


def _append(made: dict[str, tuple[bytearray, numpy.ndarray]], rows: dict[str, numpy.ndarray], number: int) -> None:
    """Appends the rows of a batch. `made` holds their bytes, which grow in place, and an empty array with their type and shape."""
    if made and made.keys() != rows.keys():
        raise _refuse("labels in every batch or in none", f"batch {number} {'with' if 'labels' in rows else 'without'} labels")
    for name, array in rows.items():
        buffer, first = made.setdefault(name, (bytearray(), array[:0].copy()))
        if first.shape[1:] != array.shape[1:]:
            raise _refuse(f"{first.shape[1]} {name} per row in every batch", f"{array.shape[1]} in batch {number}")
        buffer += array.tobytes()


def outputs(model: torch.nn.Module, loader: Iterable[Any], features: str | None = None, *, quiet: bool = False) -> dict[str, numpy.ndarray]:
    """Outputs of ``model`` on the batches of ``loader``, for :func:`leeway.assess`, :func:`leeway.agreement` and other functions.

    ``logits`` (n,k) float32; ``labels`` (n) int64 if the batches have them; with ``features``, also ``features`` (n,d) float32.
    The model runs in evaluation mode without gradients; afterwards, the mode of each part is restored.

    Parameters
    ----------
    model
        A module on any device, with any floating-point type. It returns logits, or an object or a dictionary with ``logits``.
    loader
        A DataLoader with ``shuffle=False``, or any iterable of batches: x, or a tuple or list (x, labels, ...), whose other parts are
        ignored. Batches are moved to the device of the model; floats are cast to its type, if it has only one.
    features
        Name of a layer in ``model.named_modules()`` that runs once per batch: its output is flattened to (n,d).
    quiet
        Suppress progress.

    Raises
    ------
    leeway.Error
        If there are no batches, if only some have labels, or if a batch, the layer or its output has an unsupported form.
    """
    if not isinstance(model, torch.nn.Module):
        raise _refuse("a torch.nn.Module", type(model).__name__)
    dtypes, devices = _dtypes_and_devices(model)
    total = operator.length_hint(loader)
    made: dict[str, tuple[bytearray, numpy.ndarray]] = {}
    seen: list[Any] = []  # what the layer returned for a batch, before a later layer changes it in place

    def keep(_module: torch.nn.Module, _inputs: Any, answer: Any) -> None:
        seen.append(answer.clone() if isinstance(answer, torch.Tensor) else answer)

    bar = Bar(quiet)
    try:
        with _evaluation(model), _layer(model, features).register_forward_hook(keep) if features is not None else contextlib.nullcontext():
            for number, batch in enumerate(loader, 1):
                x, rows = _inputs_and_labels(batch, number)
                x = x.to(devices[0] if devices else "cpu", dtypes[0] if len(dtypes) == 1 and x.is_floating_point() else x.dtype)
                rows["logits"] = _array(_logits(model(x), len(x)))
                if features is not None:
                    rows["features"] = _flat(seen, len(x), features)
                _append(made, rows, number)
                bar.update("outputs", number, total, "")
    finally:
        del bar  # clears its line
    if not made:
        raise _refuse("at least one batch", "none")
    return {name: numpy.frombuffer(made[name][0], made[name][1].dtype).reshape(-1, *made[name][1].shape[1:])
            for name in ("logits", "labels", "features") if name in made}
