"""Outputs of estimators of scikit-learn, and of all that has its interface. scikit-learn itself is not imported."""
from __future__ import annotations

import warnings
from typing import Any

import numpy

from leeway import Error

__all__ = ["outputs"]


def _refuse(expected: str, found: str) -> Error:
    return Error(f"leeway.sklearn.outputs: expected {expected}, found {found}")


def _last(estimator: Any) -> Any:
    """The estimator inside a search or at the end of a pipeline."""
    for _ in range(10):
        steps = getattr(estimator, "steps", None)
        inner = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
        if inner is None:
            break
        estimator = inner
    return estimator


def _scores(estimator: Any, X: Any) -> dict[str, numpy.ndarray]:
    name = type(estimator).__name__
    if hasattr(estimator, "predict_proba"):
        return {"probs": _matrix(estimator.predict_proba(X), f"{name}.predict_proba")}
    if not hasattr(estimator, "decision_function"):
        raise _refuse("an estimator with predict_proba or decision_function", name)
    warnings.warn(f"leeway.sklearn.outputs: {name} has no predict_proba; the scores of its decision_function serve as logits, "
                  "and confidences made of them are not calibrated", UserWarning, stacklevel=3)
    shape = getattr(_last(estimator), "decision_function_shape", None)
    if shape == "ovo" and len(getattr(estimator, "classes_", ())) > 2:
        raise _refuse('decision_function_shape="ovr" (or probability=True), a score of each class',
                      'decision_function_shape="ovo", a score of each pair of classes')
    scores = numpy.asarray(estimator.decision_function(X))
    if scores.ndim == 1:  # of two classes: the score of the second
        scores = numpy.stack([numpy.zeros_like(scores), scores], 1)
    return {"logits": _matrix(scores, f"{name}.decision_function")}


def _matrix(scores: Any, name: str) -> numpy.ndarray:
    if isinstance(scores, list):
        raise _refuse(f"{name} of one label", f"a list of {len(scores)} (multi-label estimators: one call a label)")
    scores = numpy.asarray(scores)
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise _refuse(f"{name} of shape (n, k) with k of at least 2", str(scores.shape))
    return scores


def _positions(y: Any, classes: numpy.ndarray, n: int) -> numpy.ndarray:
    """Of labels among the sorted classes_."""
    y = numpy.asarray(y)
    if y.shape != (n,):
        raise _refuse(f"y of shape ({n},), as X has rows", str(y.shape))
    place = numpy.clip(numpy.searchsorted(classes, y), 0, len(classes) - 1)
    unknown = numpy.flatnonzero(classes[place] != y)
    if len(unknown):
        raise _refuse("every y among the estimator's classes_", f"{y[unknown[0]]!r} at row {unknown[0]}")
    return place.astype(numpy.int64)


def outputs(estimator: Any, X: Any, y: Any = None) -> dict[str, Any]:
    """What ``estimator`` says of ``X``, as :func:`leeway.assess` and :func:`leeway.agreement` take it.

    ``probs`` (n,k) of its ``predict_proba``; where it has none, ``logits`` of its ``decision_function``, with a UserWarning,
    since those are scores without a scale. ``class_names`` of its ``classes_``, and with ``y`` the positions of these among
    them as ``labels`` (n).

    Raises leeway.Error: neither of the two methods, a multi-label estimator, labels it does not know.
    """
    made: dict[str, Any] = dict(_scores(estimator, X))
    (scores,) = made.values()
    classes = numpy.asarray(getattr(estimator, "classes_", numpy.arange(scores.shape[1])))
    if classes.shape != (scores.shape[1],):
        raise _refuse(f"classes_ of {scores.shape[1]} names, as there are columns", str(classes.shape))
    made["class_names"] = [str(name) for name in classes]
    if y is not None:
        made["labels"] = _positions(y, classes, len(scores))
    return made
