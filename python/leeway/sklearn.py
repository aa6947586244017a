"""Outputs of scikit-learn estimators and of estimators with the same interface. scikit-learn is not imported."""
from __future__ import annotations

import warnings
from typing import Any

import numpy

from leeway import Classifier, Error, _arrays
from leeway._leeway import is_missing

__all__ = ["classifier", "outputs"]


def _refuse(expected: str, found: str) -> Error:
    return Error(f"leeway.sklearn: expected {expected}, found {found}")


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
    warnings.warn(f"leeway.sklearn: {name} has no predict_proba; the scores of its decision_function are used as logits, "
                  "and the resulting confidences are not calibrated", UserWarning, stacklevel=3)
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
        raise _refuse(f"{name} of one label", f"a list of {len(scores)} (multi-label estimators: one call per label)")
    scores = numpy.asarray(scores)
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise _refuse(f"{name} of shape (n, k) with k of at least 2", str(scores.shape))
    return scores


def _positions(y: Any, classes: numpy.ndarray, n: int) -> numpy.ndarray:
    """Positions of the labels in classes_; NaN where a label is missing."""
    y = _arrays.numpy_of(y, "leeway.sklearn: y")
    if y.shape != (n,):
        raise _refuse(f"y of shape ({n},), one value per row of X", str(y.shape))
    places = {name: place for place, name in enumerate(classes.tolist())}
    positions = []
    for row, label in enumerate(y.tolist()):
        missing = _arrays.is_missing(label) or label == -1 or (isinstance(label, str) and is_missing(label))
        known = label.__hash__ is not None and label in places
        if not known and not missing:
            raise _refuse("every y among the estimator's classes_", f"{label!r} at row {row}")
        positions.append(places[label] if known else numpy.nan)
    made = numpy.array(positions, float)
    return made if numpy.isnan(made).any() else made.astype(numpy.int64)


def positions(estimator: Any, y: Any) -> numpy.ndarray:
    """Positions of the labels in ``classes_`` of the estimator; the labels themselves if it has no ``classes_``."""
    classes = getattr(estimator, "classes_", None)
    return numpy.asarray(y) if classes is None else _positions(y, numpy.asarray(classes), len(y))


def outputs(estimator: Any, X: Any, y: Any = None) -> dict[str, Any]:
    """Outputs of ``estimator`` on ``X``, for :func:`leeway.assess` and :func:`leeway.agreement`.

    ``probs`` (n,k) from ``predict_proba``; without it, ``logits`` from ``decision_function``, with a UserWarning because these
    scores are not calibrated. ``class_names`` from ``classes_``; with ``y``, also ``labels`` (n): the positions of ``y`` in
    ``classes_``, NaN where ``y`` is missing (None, NaN, NA, or -1 if no class is -1).

    Raises leeway.Error if the estimator has neither method or is multi-label, or if ``y`` has unknown labels.
    """
    made: dict[str, Any] = dict(_scores(estimator, X))
    (scores,) = made.values()
    classes = numpy.asarray(getattr(estimator, "classes_", numpy.arange(scores.shape[1])))
    if classes.shape != (scores.shape[1],):
        raise _refuse(f"classes_ with {scores.shape[1]} names, one per column", str(classes.shape))
    made["class_names"] = [str(name) for name in classes]
    if y is not None:
        made["labels"] = _positions(y, classes, len(scores))
    return made


def classifier(estimator: Any) -> Classifier:
    """``estimator`` as a :class:`leeway.Classifier` without gradients, for Monte Carlo and for attacks that do not need gradients.

    Its logits are the logarithms of ``predict_proba``, clipped at 1e-30, or else the scores of ``decision_function``.
    """
    def logits(x: numpy.ndarray) -> numpy.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it was said once, below
            scores = _scores(estimator, x.reshape(len(x), -1))
        return scores["logits"] if "logits" in scores else numpy.log(numpy.maximum(scores["probs"], 1e-30))
    if not hasattr(estimator, "predict_proba"):
        warnings.warn(f"leeway.sklearn: {type(estimator).__name__} has no predict_proba; the scores of its decision_function are used as logits",
                      UserWarning, stacklevel=2)
    return Classifier(logits)
