"""The functions of the package, generated from the descriptions of the command's options."""

import inspect
import keyword
import operator
import os
import sys
import warnings

import numpy

from . import _arrays, _leeway
from ._classifier import Classifier
from .results import result_class

EMPTY = inspect.Parameter.empty


def python_name(name):
    """`as` is as_."""
    return name + "_" if keyword.iskeyword(name) else name


def _models(given):
    """[(model, (name, clean set, shifted sets))]: the keys of `clean` name several models."""
    clean, shifted = given.pop("clean"), given.pop("shifted")
    if not _is_models(clean, given):
        given["models"] = [("model", (*_arrays.named_outputs(clean, "clean", given), _arrays.sets(shifted, "shifted", given)))]
        return
    _require_same_models("leeway.agreement", "shifted", clean, shifted, given)
    given["models"] = [(str(model), (*_arrays.named_outputs(clean[model], f"clean[{model!r}]", given),
                                     _arrays.sets(shifted[model], f"shifted[{model!r}]", given))) for model in clean]


def _sources(given):
    source, targets = given.pop("source"), given.pop("targets")
    several = _is_models(source, given)
    if several:
        _require_same_models("leeway.assess", "targets", source, targets, given)
    else:
        source, targets = {"model": source}, {"model": targets}
    sources = []
    for model in source:
        before = f"[{model!r}]" if several else ""
        shifts = targets[model]
        if not isinstance(shifts, dict) or _arrays.is_outputs(shifts, given):
            shifts = {"target": shifts}
        sources.append((str(model), (*_arrays.named_outputs(source[model], f"source{before}", given),
                                     [(str(shift), *_arrays.named_outputs(one, f"targets{before}[{shift!r}]", given))
                                      for shift, one in shifts.items()])))
    given["sources"] = sources
    _noise(given, [model for model, _ in sources])


def _noise(given, sources):
    """noise = [(model, its name in messages, a classifier or a Jacobian)]"""
    noise = {}
    for argument in ("model", "jacobian"):
        value = given.pop(argument, None)
        if value is None:
            continue
        several = isinstance(value, dict)
        if not several and len(sources) > 1:
            raise _leeway.Error(f"leeway.assess: expected a dictionary with model names as keys in {argument}, because there are {len(sources)} models")
        for model, one in value.items() if several else [(sources[0], value)]:
            name = f"{argument}[{model!r}]" if several else argument
            if str(model) not in sources:
                raise _leeway.Error(f"leeway.assess: expected one of the models {sources} in {argument}, found {model!r}")
            if str(model) in noise:
                raise _leeway.Error(f"leeway.assess: expected {name} or {noise[str(model)][1]}, found both")
            if argument == "jacobian":
                name, one = os.fspath(one) if _arrays.is_path(one) else name, _arrays.labels(one, name)
            elif not isinstance(one, Classifier):
                raise _leeway.Error(f"leeway.assess: {name}: expected a leeway.Classifier (leeway.torch.classifier makes one of a "
                                    f"module), found {type(one).__name__}")
            noise[str(model)] = (str(model), name, one)
    asked = any(isinstance(one, Classifier) for _, _, one in noise.values())
    if asked != ("x" in given):
        raise _leeway.Error("leeway.assess: expected both model and x (the inputs of the source), or neither")
    if bool(noise) != ("sigma" in given):
        raise _leeway.Error("leeway.assess: expected sigma (standard deviations of the noise) and a model or jacobian, or neither")
    if asked:
        given["x"] = _arrays.numpy_of(given["x"], "x")
    given["noise"] = list(noise.values())


def _checkpoints(given):
    """Dictionaries with the same keys: the keys name the checkpoints, and each set has its own name."""
    clean, shifted = ([name for name, _ in given[argument]] for argument in ("clean", "shifted"))
    if clean == shifted:
        given.setdefault("names", clean)
        for argument in ("clean", "shifted"):
            given[argument] = [(name if _arrays.is_path(value) else f"{argument}[{name!r}]", value) for name, value in given[argument]]


def _is_models(value, options):
    return isinstance(value, dict) and not _arrays.is_outputs(value, options)


def _require_same_models(function, argument, first, other, options):
    if not _is_models(other, options) or list(map(str, first)) != list(map(str, other)):
        found = list(map(str, other)) if _is_models(other, options) else type(other).__name__
        raise _leeway.Error(f"{function}: expected the models {list(map(str, first))} in {argument}, found {found}")


def _attackable(model, x, labels, where):
    """The model as a Classifier, and the labels as positions of its classes."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        from .torch import classifier
        model = classifier(model, x.shape[1:])
    elif hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
        from .sklearn import classifier, positions
        labels = {name: positions(model, value) for name, value in labels.items()}  # names of the estimator's classes
        model = classifier(model)
    if not isinstance(model, Classifier):
        raise _leeway.Error(f"leeway.{where}: expected a leeway.Classifier, a torch.nn.Module or an estimator with predict_proba or "
                            f"decision_function, found {type(model).__name__}")
    return model, labels


def _model_to_attack(given):
    given["x"] = _arrays.numpy_of(given["x"], "x")
    given["model"], labels = _attackable(given["model"], given["x"], {name: given[name] for name in ("y", "targets") if name in given},
                                         "attack: model")
    given.update(labels)


def _models_to_attack(given):
    """models = [(name, (classifier, labels or None))]"""
    given["x"], models = _arrays.numpy_of(given["x"], "x"), given["models"]
    if not isinstance(models, dict):
        models = {"model": models}
    given["models"] = []
    for name, model in models.items():
        made, labels = _attackable(model, given["x"], {"y": given["y"]} if "y" in given else {}, f"attack_curve: models[{name!r}]")
        given["models"].append((str(name), (made, labels.get("y"))))


def _model_or_outputs(given):
    """The first two arguments: a classifier and its inputs, or logits and their Jacobian."""
    if "model" in given and not isinstance(given["model"], Classifier):
        if callable(given["model"]):
            raise _leeway.Error("model: expected a leeway.Classifier (leeway.torch.classifier makes one from a module), "
                                f"found {type(given['model']).__name__}")
        for place, name in (("model", "logits"), ("x", "jacobian")):
            if place in given:
                if name in given:
                    raise _leeway.Error(f"leeway.average_case: expected {name} once, found it twice")
                given[name] = _adapted(AVERAGE_CASE[name], given.pop(place), name, given)
    elif "x" in given:
        given["x"] = _arrays.numpy_of(given["x"], "x")


AVERAGE_CASE = {"logits": "outputs", "jacobian": "array"}  # kinds of what may stand in the first two places
ADAPTERS = {
    "classifier": lambda value, name: value,
    "classifiers": lambda value, name: value,
    "jacobians": lambda value, name: value,
    "inputs": lambda value, name: value,
    "labels": _arrays.labels,
    "array": _arrays.labels,
    "bounds": _arrays.bounds,
    "features": lambda value, name: [operator.index(one) for one in value],
    "feature-groups": lambda value, name: [[operator.index(one) for one in group] for group in value],
    "images": _arrays.images,
    "table": _arrays.table,
    "text": lambda value, name: str(value),
    "texts": _arrays.texts,
    "orders": _arrays.orders,
    "models": lambda value, name: value,  # with those below, by PREPARE
    "shifted": lambda value, name: value,
    "targets": lambda value, name: value,
}


def _adapted(kind, value, name, options):
    """The value of an argument as the module takes it. The options say which arrays of a dictionary are scores and labels."""
    if kind == "sets":
        return _arrays.sets(value, name, options)
    return [_arrays.named_outputs(value, name, options)] if kind == "outputs" else ADAPTERS[kind](value, name)


PREPARE = {"agreement": _models, "assess": _sources, "attack": _model_to_attack, "attack_curve": _models_to_attack,
           "average_case": _model_or_outputs, "select": _checkpoints}


WORDS = ("attack", "class_names", "class_columns", "group_columns")  # words by commas, or a list of them

ROWS = ("row", "label", "clean_pred", "shifted_pred", "clean_confidence", "shifted_confidence", "agreement", "flipped")


def _rows(columns):
    """One array of all rows; its first columns name the model and the target."""
    if not columns:
        return {}
    names = {name: numpy.repeat(columns[name].astype(object), columns["n"]) for name in ("model", "target")}
    return {"rows": numpy.rec.fromarrays([*names.values(), *map(columns.get, ROWS)], names=[*names, *ROWS])}


FINISH = {"assess": _rows}  # arrays of a result

COMMON = [("seed", "int", 0, "seed of all random numbers; the same seed gives identical results"),
          ("threads", "int | None", None, "number of threads (0: one per core; default: setting of the process); changes no result"),
          ("quiet", "bool", False, "suppress progress and warnings"),
          ("no_digest", "bool", False, "skip the digests of input files")]


def _parameter(name, default, kind, annotation):
    return inspect.Parameter(python_name(name), kind, default=default, annotation=annotation)


def _default(value):
    """Default of a parameter; None replaces lists and dictionaries, which all calls would share."""
    return None if isinstance(value, (list, dict)) else value


def _read(where, read, *values):
    """The result of `read`; its exceptions become an Error of one line."""
    try:
        return read(*values)
    except _leeway.Error:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise _leeway.Error(f"{where}: {type(error).__name__}: {error}".replace("\n", " ")) from None


def _make(index, name, command, schema, summary, arguments, first, options):
    options = [(option, "list[str] | None" if option in WORDS else annotation, *rest) for option, annotation, *rest in options]
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    named = {option[0]: option for option in options}
    parameters = [_parameter(argument, EMPTY if required else None, by_place, kind)
                  for argument, kind, _, required in arguments]
    parameters += [_parameter(option, _default(named[option][3]), by_place, named[option][1]) for option in first]
    parameters += [_parameter(option, _default(value), by_name, annotation)
                   for option, annotation, _, value, _, _ in options if option not in first]
    parameters += [_parameter(option, value, by_name, annotation) for option, annotation, value, _ in COMMON]
    signature = inspect.Signature(parameters, return_annotation=result_class(schema).__name__)
    real_names = {python_name(option): option for option in named}
    kinds = {argument: kind for argument, kind, _, _ in arguments}
    required = {argument for argument, _, _, needed in arguments if needed}
    prepare = PREPARE.get(name)
    finish = FINISH.get(name)
    result = result_class(schema)
    bind = signature.bind

    def function(*args, **kwargs):
        bound = {key: _read(f"leeway.{name}: {key}", _arrays.words, value, key) if key in WORDS else value
                 for key, value in bind(*args, **kwargs).arguments.items()}
        given = {real_names.get(key, key): value if key not in kinds else _read(f"leeway.{name}: {key}", _adapted, kinds[key], value, key, bound)
                 for key, value in bound.items() if value is not None}
        for key in {"labels", "groups"} & (given.keys() - kinds.keys()):  # files; the argument of some functions is an array, too
            if not _arrays.is_path(given[key]):
                raise _leeway.Error(f"leeway.{name}: {key}: expected a file's path (arrays belong to the outputs: {{'logits': ..., '{key}': ...}}), "
                                    f"found {type(given[key]).__name__}")
        if not required <= given.keys():
            raise _leeway.Error(f"leeway.{name}: expected {' and '.join(sorted(required - given.keys()))}, found None")
        if prepare is not None:
            _read(f"leeway.{name}", prepare, given)
        try:
            record, arrays, lines = _leeway.call(index, given)
        except UnicodeEncodeError as error:
            raise _leeway.Error(f"leeway.{name}: expected text that UTF-8 can encode, found {error.object!r}") from None
        made = result(record, arrays if finish is None else finish(arrays))
        if not given.get("quiet", False):
            for line in lines:
                warnings.warn(line, stacklevel=2)
        return made

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__module__ = "leeway.conds" if name.startswith("conds.") else "leeway"
    function.__signature__ = signature
    function.__doc__ = _docstring(command, schema, summary, arguments, options)
    return function


def _docstring(command, schema, summary, arguments, options):
    lines = [summary, "", f"The record of `{command}`, {schema}, as an object: leeway.results.{result_class(schema).__name__}.",
             "", "Parameters", "----------"]
    for argument, _, meaning, _ in arguments:
        lines += [f"{python_name(argument)}", f"    {meaning[:1].upper()}{meaning[1:]}."]
    for option, annotation, meaning, value, choices, _ in options:
        words = ", ".join(f"{word} ({said})" if said else word for word, said in choices)
        lines += [f"{python_name(option)} : {annotation}, default {_default(value)!r}",
                  f"    {meaning[:1].upper()}{meaning[1:]}." + (f" One of {words}." if words else "")]
    for option, annotation, value, meaning in COMMON:
        lines += [f"{option} : {annotation}, default {value!r}", f"    {meaning[:1].upper()}{meaning[1:]}."]
    return "\n".join(lines) + "\n"


table = {described[0]: _make(index, *described) for index, described in enumerate(_leeway.functions())}
