"""A classifier as functions, for models of any library."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ._leeway import Error

_Linearize = Callable[[Any], tuple[Any, Callable[[Any], Any]]]


class Classifier:
    """A classifier for analyses and attacks: a function from inputs to logits, and optionally to vector-Jacobian products.

    Parameters
    ----------
    logits
        ``logits(x)`` returns the logits (n, k) for x (n, \\*input_shape), float32: an array from any library that NumPy can read. The
        same rows must give the same logits; two passes over the first rows are compared before the analysis.
    linearize
        ``linearize(x)`` returns the logits (n, k) and a function ``vjp``: ``vjp(cotangents)`` for cotangents (n, k) returns the
        gradient of sum(cotangents * logits) with respect to the input, (n, \\*input_shape) or (n, d). With a function for
        Jacobians (n, k, d)::

            def linearize(x):
                jacobians = jacobian(x)
                return logits(x), lambda cotangents: numpy.einsum("nk,nkd->nd", cotangents, jacobians)

        In JAX::

            def linearize(x):
                logits, vjp = jax.vjp(model, x)
                return logits, lambda cotangents: vjp(cotangents)[0]

        Without ``linearize``, analyses and attacks that need gradients are refused.
    input_shape
        Shape of one input (default: taken from the inputs).

    All functions are called from one thread at a time, with arrays that they may keep and change. Their exceptions are not
    caught.
    """

    def __init__(self, logits: Callable[[Any], Any], linearize: _Linearize | None = None, *,
                 input_shape: Sequence[int] | None = None) -> None:
        for name, function in (("logits", logits), ("linearize", linearize)):
            if not callable(function) and not (function is None and name != "logits"):
                raise Error(f"leeway.Classifier: {name}: expected a function, found {type(function).__name__}")
        self.logits = logits
        self.linearize = linearize
        self.pixels = False  # inputs are in [0,1], as a normalization expects
        try:
            self.input_shape = None if input_shape is None else tuple(operator.index(size) for size in input_shape)
        except TypeError:
            raise Error(f"leeway.Classifier: input_shape: expected integers, found {input_shape!r}".replace("\n", " ")) from None

    def __repr__(self) -> str:
        known = "without" if self.linearize is None else "with"
        shape = "any shape" if self.input_shape is None else str(self.input_shape)
        return f"<leeway.Classifier of inputs of {shape}, {known} gradients>"
