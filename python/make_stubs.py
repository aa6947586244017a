"""Writes the package's stubs, from the same descriptions that its functions and results are made from.

Usage: make_stubs.py FOLDER, the package leeway itself, importable.
"""

import inspect
import pathlib
import sys

import leeway
from leeway import _functions, _leeway, results

HEAD = '''from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol

import numpy
from numpy.typing import ArrayLike, NDArray

'''
# What arguments take, by kind.
ALIASES = '''class SupportsDLPack(Protocol):
    """Arrays of other libraries; those on another device than the CPU are refused."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

class SupportsArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...

class Table(Protocol):
    """A pandas DataFrame."""

    def to_csv(self, *args: Any, **kwargs: Any) -> Any: ...

Path = str | PathLike[str]
Array = ArrayLike | SupportsArray | SupportsDLPack
# A dictionary holds the arrays of one set, or sets by their names: one kind, since a literal must not fit two.
Outputs = Array | Path | Mapping[str, Any]
Sets = Outputs | Sequence[Outputs]

'''
KINDS = {"classifier": "Classifier | Outputs", "classifiers": "Classifier | Mapping[str, Classifier]",
         "jacobians": "Array | Path | Mapping[str, Array | Path]", "inputs": "Array | Path", "outputs": "Outputs", "sets": "Sets", "models": "Outputs",
         "shifted": "Sets",
         "targets": "Outputs", "labels": "Array | Path",
         "array": "Array | Path", "bounds": "Sequence[ArrayLike] | NDArray[Any]", "features": "Sequence[int] | NDArray[Any]",
         "feature-groups": "Sequence[Sequence[int]]", "images": "Outputs", "table": "Path | Table | Mapping[str, Any]", "text": "str",
         "texts": "str | Sequence[str]", "orders": "Mapping[str, Sequence[Any]]"}
OPTIONS = {"float": "float", "int": "int", "bool": "bool", "str": "str | PathLike[str]",
           "list[float]": "float | Sequence[float] | NDArray[Any] | str", "list[int]": "int | Sequence[int] | NDArray[Any]",
           "list[str]": "str | Sequence[str]"}
VALUES = {"list[float]": "NDArray[numpy.float64]", "list[int]": "NDArray[numpy.int64]"}


def annotation(kind, choices=()):
    plain = kind.removesuffix(" | None")
    if choices and plain == "str":
        return f"Literal[{', '.join(repr(word) for word, _ in choices)}]"
    return KINDS.get(plain) or OPTIONS.get(plain) or plain


def function_stub(described, prefix=""):
    name, _, schema, summary, arguments, first, options = described
    choices = {_functions.python_name(option): words for option, _, _, _, words, _ in options}
    signature = _functions.table[name].__signature__
    parts, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        text = f"{parameter.name}: {annotation(parameter.annotation, choices.get(parameter.name, ()))}"
        if parameter.default is not inspect.Parameter.empty:
            if parameter.default is None and not text.endswith("| None"):
                text += " | None"
            text += f" = {parameter.default!r}"
        parts.append(text)
    short = name.rpartition(".")[2]
    body = ",\n    ".join(parts)
    result = results.result_class(schema).__name__
    doc = _functions.table[name].__doc__.replace("\\", "\\\\").replace("\n", "\n    ").rstrip()
    return f'def {short}(\n    {body},\n) -> {prefix}{result}:\n    """{doc}\n    """\n    ...\n\n'


def value_annotation(cls, attribute):
    _, kind, element = cls._fields[attribute]
    plain, optional = kind.removesuffix(" | None"), " | None" if kind.endswith(" | None") else ""
    if plain == "struct":
        return element.__name__ + optional
    if plain == "list[struct]":
        return "NDArray[Any]" if element._numbers else f"list[{element.__name__}]"
    return VALUES.get(plain, plain) + optional


def class_stub(cls, base):
    lines = [f"class {cls.__name__}({base}):"]
    own = dict(cls._fields)
    for attribute in own:
        if attribute.isidentifier():
            lines.append(f"    {attribute}: {value_annotation(cls, attribute)}")
    for attribute in cls._intervals:
        lines.append(f"    {attribute}: Interval | None")
    element = getattr(cls, "_element", None)
    if element is not None:  # of a single result
        for attribute in element._fields:
            if attribute not in own and attribute not in ("report",):
                lines.append(f"    {attribute}: {value_annotation(element, attribute)}")
        for attribute in element._intervals:
            if attribute not in cls._intervals:
                lines.append(f"    {attribute}: Interval | None")
    return "\n".join(lines if len(lines) > 1 else lines + ["    ..."]) + "\n\n"


RESULTS = '''class Interval(NamedTuple):
    low: float
    high: float

class Part:
    def to_dict(self) -> dict[str, Any]: ...

class Result(Part):
    arrays: dict[str, NDArray[Any]]
    def to_json(self) -> str: ...
    def to_frame(self) -> Any: ...
    def metrics(self) -> dict[str, float]: ...
    def report(self, path: Path, images: Any = None, flips: int = 8) -> str: ...
    def _repr_html_(self) -> str: ...

def of_json(text: str) -> Result: ...
'''


def reached(cls):
    for _, _, element in cls._fields.values():
        if element is not None:
            yield from reached(element)
            yield element


def main():
    folder = pathlib.Path(sys.argv[1])
    functions = _leeway.functions()
    schemas = sorted({described[2] for described in functions})
    text = HEAD + ALIASES + RESULTS + "\n"
    seen = set()
    for schema in schemas:
        cls = results.result_class(schema)
        for part in reached(cls):
            if part.__name__ not in seen:
                seen.add(part.__name__)
                text += class_stub(part, "Part")
        text += class_stub(cls, "Result")
    (folder / "results.pyi").write_text(text)

    names = sorted({results.result_class(schema).__name__ for schema in schemas})
    imports = ("from .results import (Array as Array, Interval as Interval, Outputs as Outputs, Path as Path, Result as "
               "Result, Sets as Sets, Table as Table, " + ", ".join(names) + ")\n")
    top = HEAD + "from . import conds as conds, results as results\nfrom ._classifier import Classifier as Classifier\n" + imports + '''
__version__: str

class Error(ValueError): ...

class CommandError(RuntimeError):
    code: int

class CommandResult(Result):
    code: int
    def __getattr__(self, name: str) -> Any: ...

def command(arguments: Sequence[str | PathLike[str] | float]) -> CommandResult: ...
def report(results: Result | Sequence[Result], path: Path, images: Any = None, flips: int = 8) -> str: ...

'''
    conds = HEAD + imports + "\n"
    for described in functions:
        if described[0].startswith("conds."):
            conds += function_stub(described)
        else:
            top += function_stub(described)
    (folder / "__init__.pyi").write_text(top)
    (folder / "conds.pyi").write_text(conds)
    assert leeway.__version__


main()
