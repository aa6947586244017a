"""Posterior agreement as a metric for training code.

``PosteriorAgreement`` is a torchmetrics metric: torch and torchmetrics are imported at its first use.
``EpochSelection`` and ``AgreementScorer`` need neither.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

import leeway

if TYPE_CHECKING:
    from leeway._posterior_agreement import PosteriorAgreement as PosteriorAgreement

__all__ = ["AgreementScorer", "EpochSelection", "PosteriorAgreement"]


def __getattr__(name: str) -> Any:
    if name != "PosteriorAgreement":
        raise AttributeError(f"module 'leeway.metrics' has no attribute {name!r}")
    try:
        from leeway._posterior_agreement import PosteriorAgreement
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"leeway.metrics.PosteriorAgreement needs {missing.name}: pip install torchmetrics",
                                  name=missing.name) from None
    globals()[name] = PosteriorAgreement
    return PosteriorAgreement


class EpochSelection:
    """Selects the epoch to keep: the epoch with the highest posterior agreement under the shift.

    After every epoch, ``add`` takes the outputs on the same validation samples, clean and shifted, and returns True if this
    epoch is the best so far. ``select`` then compares all epochs and, with labels, also the choice by accuracy. Ties go to the
    earlier epoch.

        selection = leeway.metrics.EpochSelection()
        for epoch in range(epochs):
            train(model)
            if selection.add(epoch, logits(model, clean), logits(model, shifted), labels):
                save(model)
        selection.select()

    The outputs of all epochs are kept: 8 n k bytes per epoch for float32.
    """

    def __init__(self) -> None:
        self._checkpoints: dict[str, tuple[Any, Any]] = {}
        self._labels: Any = None
        self._best = ""
        self._pa = -math.inf

    def add(self, epoch: object, clean: Any, shifted: Any = None, labels: Any = None) -> bool:
        """Adds an epoch: pass outputs (n,k) on both sets, or only a PosteriorAgreement, as ``clean``, that holds both outputs."""
        name = str(epoch)
        if name in self._checkpoints:
            raise leeway.Error(f"leeway.metrics.EpochSelection: expected a new epoch, found '{name}' again")
        if shifted is None:
            if not hasattr(clean, "outputs"):
                raise leeway.Error("leeway.metrics.EpochSelection: expected clean and shifted outputs, or a PosteriorAgreement, "
                                   f"found {type(clean).__name__} alone")
            clean, shifted, labels = clean.outputs()
        if labels is not None and self._labels is not None and not numpy.array_equal(_kept(labels), self._labels):
            raise leeway.Error("leeway.metrics.EpochSelection: expected the same labels as in earlier epochs, because all epochs must use "
                               "the same samples in the same order (shuffle=False), found others")
        pa = leeway.agreement(clean, shifted, labels).pa
        self._checkpoints[name] = _kept(clean), _kept(shifted)
        if labels is not None:
            self._labels = _kept(labels)
        better = bool(pa > self._pa)
        if better:
            self._best, self._pa = name, pa
        return better

    @property
    def best(self) -> str:
        """The epoch to keep, as text; empty before the first epoch."""
        return self._best

    def select(self) -> Any:
        """The record of ``leeway select`` over all epochs, with intervals and the difference from the choice by accuracy."""
        clean, shifted = ({epoch: pair[side] for epoch, pair in self._checkpoints.items()} for side in (0, 1))
        return leeway.select(clean, shifted, labels=self._labels)


def _kept(array: Any) -> Any:
    """A copy, because training code overwrites its buffers."""
    return numpy.array(array.detach().cpu() if hasattr(array, "detach") else array)


class AgreementScorer:
    """A scikit-learn scorer: posterior agreement between X and shifted X; higher is better.

    ``GridSearchCV(estimator, grid, scoring=AgreementScorer(shift))`` selects the most robust estimator. ``shift`` takes X and
    returns the shifted rows in the same order. ``normalized`` divides by log k: 1 is full agreement, 0 is none, for any k.
    """

    def __init__(self, shift: Callable[[Any], Any], normalized: bool = True) -> None:
        if not callable(shift):
            raise leeway.Error(f"leeway.metrics.AgreementScorer: shift: expected a function, found {type(shift).__name__}")
        self.shift = shift
        self.normalized = normalized

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        from leeway.sklearn import outputs
        result = leeway.agreement(outputs(estimator, X), outputs(estimator, self.shift(X)))
        return float(result.pa_normalized if self.normalized else result.pa)

    def __repr__(self) -> str:
        return f"AgreementScorer(shift={self.shift!r}, normalized={self.normalized})"
