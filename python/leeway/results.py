"""Results: the command's records as objects, with one class per schema."""

import html
import json
import math
import re
from typing import Any, NamedTuple

import numpy

from . import _leeway

WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}  # numbers that JSON has no word for


class Interval(NamedTuple):
    """A closed interval [low, high]."""

    low: float
    high: float


def python_name(name):
    import keyword
    return name + "_" if keyword.iskeyword(name) or not name.isidentifier() else name


class Part:
    """A part of a record: its keys are attributes, and `x_interval` is (x_low, x_high)."""

    _fields: dict = {}  # attribute -> (key, type, class of an element or None)
    _intervals: dict = {}  # x_interval -> (x_low, x_high)

    def __init__(self, tree):
        self._tree = tree

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        fields = type(self)._fields
        if name in fields:
            value = _value(self._tree[fields[name][0]], fields[name])
        elif name in type(self)._intervals:
            low, high = (getattr(self, end) for end in type(self)._intervals[name])
            value = None if low is None or high is None else Interval(low, high)
        else:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(fields)}")
        self.__dict__[name] = value
        return value

    def __dir__(self):
        return [*super().__dir__(), *type(self)._fields, *type(self)._intervals]

    def to_dict(self):
        """The part as a dictionary, with the keys and values of the record's JSON."""
        return self._tree

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in _scalars(self._tree).items())})"

    def __eq__(self, other):
        return type(self) is type(other) and self._tree == other._tree

    __hash__ = None

    def __reduce__(self):
        return _part, (type(self)._path, self._tree)


class Result(Part):
    """A record and its `arrays` by name. If it has a single result, the keys of the result are attributes too."""

    _schema = ""
    _element = None  # class of `results`

    def __init__(self, record, arrays=None):
        self._record = record
        self.arrays = dict(arrays or {})

    def __getattr__(self, name):
        if name == "_tree":
            self.__dict__["_tree"] = self._record.tree()
            return self.__dict__["_tree"]
        kind = type(self)
        if name in kind._fields or name in kind._intervals or name.startswith("_"):
            return super().__getattr__(name)
        if name in self.__dict__.get("arrays", {}):
            return self.arrays[name]
        element = kind._element
        if element is not None and (name in element._fields or name in element._intervals):
            results = self.results
            if len(results) != 1:
                raise AttributeError(f"{len(results)} results have {name!r}: .results[0].{name}, or .to_frame()")
            return getattr(results[0], name)
        return super().__getattr__(name)

    def __dir__(self):
        element = type(self)._element
        return [*super().__dir__(), *self.arrays, *(element._fields if element else ()),
                *(element._intervals if element else ())]

    def to_json(self):
        """The record as JSON text, as the command writes it."""
        return self._record.json()

    def to_dict(self):
        """The record as json.loads(self.to_json()) returns it: non-finite numbers are "inf", "-inf", "nan"."""
        return self._record.tree()

    def to_frame(self):
        """A pandas DataFrame with one row per result (or a single row); keys of parts have dots, lists are omitted."""
        import pandas
        return pandas.DataFrame([_row(result) for result in self._tree.get("results", [self._tree])])

    def metrics(self):
        """The finite numbers of the results as one flat dictionary, for experiment trackers.

        Keys of parts have dots. If there are several results, texts that distinguish them, such as the target, precede the key:
        {"blur/accuracy": 0.8, "noise/accuracy": 0.7}. Characters that trackers refuse become "_".
        """
        rows = [_row(result) for result in self._tree.get("results", [self._tree])]
        places = [[] for _ in rows]
        for key in rows[0] if rows else ():
            words = [row.get(key) for row in rows]
            if len(set(map(tuple, places))) < len(rows) and all(isinstance(one, str) for one in words) and len(set(words)) > 1:
                for place, word in zip(places, words):
                    place.append(word)
        metrics = {}
        for place, row in zip(places, rows):
            for key, value in row.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                    metrics[re.sub(r"[^\w\-. /]", "_", "/".join([*place, key]), flags=re.ASCII)] = value
        return metrics

    def report(self, path, images=None, flips=8):
        """Writes the result as one HTML page that needs no network, and returns the path.

        images: an images file, arrays (n,c,h,w), or a dictionary that maps target names ("" for the source) to one of these. With images,
        the page shows up to `flips` changed samples for each result.
        """
        from ._report import report
        return report(self, path, images=images, flips=flips)

    def _repr_html_(self):
        from ._report import section
        return section(self)

    def __repr__(self):
        return self._record.text().rstrip("\n")

    def __reduce__(self):
        return _result, (type(self)._schema, self._record.json(), self._record.text(), self.arrays)

    def __eq__(self, other):
        return type(self) is type(other) and self.to_json() == other.to_json()

    __hash__ = None


def _value(value, field):
    _, kind, element = field
    plain = kind.removesuffix(" | None")
    if plain == "list[struct]":
        if element._numbers:
            rows = [tuple(map(_number, row.values())) for row in value]
            return numpy.array(rows, element._numbers).view(numpy.recarray)
        return [element(one) for one in value]
    if value is None:
        return None
    if plain == "struct":
        return element(value)
    if plain == "float":
        return _number(value)
    if plain == "list[float]":
        return numpy.array([_number(one) for one in value], float)
    if plain == "list[int]":
        return numpy.array(value, numpy.int64)
    if plain == "dict[str, float | None]":
        return {key: None if one is None else _number(one) for key, one in value.items()}
    return value


def _number(value):
    return math.nan if value is None else WORDS[value] if isinstance(value, str) else value


def _scalars(tree):
    return {key: value for key, value in tree.items() if not isinstance(value, (dict, list))}


def _row(tree, before=""):
    row = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            row.update(_row(value, f"{before}{key}."))
        elif not isinstance(value, list):
            row[before + key] = WORDS.get(value, value) if isinstance(value, str) else value
    return row


NUMBERS = {"float": "f8", "float | None": "f8", "int": "i8", "bool": "?"}


def _camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.replace("-", "_").split("_"))


def _make(name, path, fields, base, **more):
    inner, intervals = {}, {}
    for key, kind, meaning, _, _, parts in fields:
        element = None
        if parts is not None:
            child = name + ("Result" if key == "results" else _camel(key))
            element = _make(child, (*path, key), parts, Part)
        inner[python_name(key)] = (key, kind, element)
    for key in inner:
        if key.endswith("_low") and key[:-4] + "_high" in inner:
            intervals[key[:-4] + "_interval"] = (key, key[:-4] + "_high")
    kinds = [kind for _, kind, _, _, _, _ in fields]
    numbers = [(key, NUMBERS[kind]) for key, kind, *_ in fields] if fields and all(k in NUMBERS for k in kinds) else None
    doc = "\n".join([more.pop("title", f"Part of a record: {'.'.join(path[1:])}."), "", "Attributes", "----------",
                     *(f"{python_name(key)} : {kind}\n    {meaning}" for key, kind, meaning, *_ in fields)])
    made = type(name, (base,), {"__doc__": doc, "_fields": inner, "_intervals": intervals, "_numbers": numbers,
                                "_path": path, "__module__": __name__, **more})
    globals()[name] = made
    parts_by_path[path] = made
    return made


parts_by_path: dict = {}
_classes: dict[str, Any] = {}
_described = {schema: (title, fields) for schema, title, fields in _leeway.records()}


def result_class(schema):
    """The class of the records of a schema ("leeway.pa/2")."""
    if schema not in _classes:
        title, fields = _described[schema]
        name = _camel(schema.removeprefix("leeway.").partition("/")[0])
        made = _make(name, (schema,), fields, Result, title=title[:1].upper() + title[1:] + ".", _schema=schema)
        made._element = made._fields["results"][2] if "results" in made._fields else None
        _classes[schema] = made
    return _classes[schema]


def _result(schema, text, table, arrays):
    return result_class(schema)(_leeway.Record(text, table), arrays)


def _part(path, tree):
    result_class(path[0])
    return parts_by_path[path](tree)


def of_json(text):
    """The result from a record that a command wrote with --out or printed with --json."""
    tree = json.loads(text)
    schema = tree.get("schema") if isinstance(tree, dict) else None
    if schema not in _described:
        raise _leeway.Error(f"record: expected a leeway schema, found {schema!r}")
    return _result(schema, text, tree.get("headline") or schema, {})
