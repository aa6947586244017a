"""A classifier as two functions, for models of any library."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ._leeway import Error

_Gradients = Callable[[Any, Any], tuple[Any, Any]]


class Classifier:
    """A classifier as analyses see it: a function from inputs to logits, and one to their gradients.

    Parameters
    ----------
    logits
        ``logits(x)`` of x (n, \\*input_shape), float32, gives the logits (n, k): an array of any library that NumPy reads. The
        same rows must give the same logits; two passes of the first rows are compared before anything is computed.
    gradients
        ``gradients(x, classes)`` gives the logits (n, k) and the gradients of logits by the input, (n, m, \\*input_shape) or
        (n, m, d): of the m classes that the rows of ``classes`` (n, m) name, or of all k in order where ``classes`` is None.
        Without it there are the methods that need none, Monte Carlo and softmax.
    input_shape
        Of one input; without it that of the inputs at hand.

    Both are called from one thread at a time, with arrays that are theirs to keep and to change. What they raise comes out as
    it is.
    """

    def __init__(self, logits: Callable[[Any], Any], gradients: _Gradients | None = None, *,
                 input_shape: Sequence[int] | None = None) -> None:
        for name, function in (("logits", logits), ("gradients", gradients)):
            if not callable(function) and not (function is None and name == "gradients"):
                raise Error(f"leeway.Classifier: {name}: expected a function, found {type(function).__name__}")
        self.logits = logits
        self.gradients = gradients
        self.pixels = False  # inputs are in [0,1], as a normalization expects
        try:
            self.input_shape = None if input_shape is None else tuple(operator.index(size) for size in input_shape)
        except TypeError:
            raise Error(f"leeway.Classifier: input_shape: expected whole numbers, found {input_shape!r}".replace("\n", " ")) from None

    def __repr__(self) -> str:
        known = "with" if self.gradients is not None else "without"
        shape = "any shape" if self.input_shape is None else str(self.input_shape)
        return f"<leeway.Classifier of inputs of {shape}, {known} gradients>"
