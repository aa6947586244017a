"""Converts arguments to the types of the extension module: NumPy arrays in C order, tables, paths, names."""

import collections.abc
import csv
import io
import numbers
import os

import numpy

from ._leeway import Error, is_label, is_scores, is_time


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def numpy_of(value, name):
    """A NumPy array in C order: the value itself or a view of its memory if possible, otherwise a copy."""
    array = _as_numpy(value, name)
    if array.dtype == object:
        array = _of_objects(array, isinstance(value, numpy.ndarray))
    elif array.dtype.kind == "M" and array.ndim == 1:  # times, as ISO 8601
        array = array.astype(str)
    return array if array.flags.c_contiguous else array.copy(order="C")


def _as_numpy(value, name):
    if isinstance(value, numpy.ma.MaskedArray):
        raise Error(f"{name}: expected an array without a mask, found a masked array")
    if isinstance(value, numpy.ndarray):
        return value
    if is_frame(value) and not hasattr(value, "__array__"):
        value = value.to_pandas()
    if isinstance(value, (str, bytes, os.PathLike, collections.abc.Mapping)):
        raise Error(f"{name}: expected an array, found {type(value).__name__}")
    try:
        if hasattr(value, "detach") and hasattr(value, "numpy"):  # torch, without its import
            return _of_tensor(value, name)
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return numpy.from_dlpack(value)
        return numpy.asarray(value)
    except Error:
        raise
    except Exception as error:
        raise Error(f"{name}: expected an array, found {type(value).__name__}: {error}".splitlines()[0]) from None


def _of_tensor(tensor, name):
    device = getattr(tensor, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        raise Error(f"{name}: expected a tensor in the CPU's memory (tensor.cpu()), found one on {device}")
    tensor = tensor.detach()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy has not
        tensor = tensor.float()
    return tensor.numpy()


def is_missing(item):
    return item is None or type(item).__name__ in ("NAType", "NaTType") or (isinstance(item, float) and item != item)


def _of_objects(array, numpys):
    """Typed array from an object array of text, numbers or times, as in pandas; missing values become "" or NaN.

    Other objects, and NumPy object arrays of numbers only, are returned unchanged: the module refuses them.
    """
    known = [item for item in array.flat if not is_missing(item)]
    full = len(known) == array.size
    filled = array if full else numpy.array([None if is_missing(item) else item for item in array.flat], object).reshape(array.shape)
    if not known:
        return array
    if all(isinstance(item, str) for item in known):
        return filled.astype(str) if full else numpy.where(numpy.equal(filled, None), "", filled).astype(str)
    if all(isinstance(item, (numbers.Real, numpy.bool_)) for item in known) and not (full and numpys):
        return filled.astype(numpy.int64) if full and all(float(item).is_integer() for item in known) else filled.astype(float)
    if full and all(hasattr(item, "isoformat") for item in known):
        return numpy.array([item.isoformat() for item in array.flat]).reshape(array.shape)
    return array


def is_frame(value):
    """A table of pandas, Polars, Arrow or a similar library."""
    return any(hasattr(value, way) for way in ("to_csv", "write_csv", "to_pydict")) and hasattr(value, "columns")


def _collected(value):
    """A lazy table, as in Polars, computed; any other value unchanged."""
    return value.collect() if hasattr(value, "collect") and hasattr(value, "collect_schema") and hasattr(value, "lazy") else value


def _csv_of(frame, name, options=None):
    """A data frame as CSV text. The index becomes a column if it has the name of the ids or of an option."""
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise Error(f"{name}: expected one name per column, found a MultiIndex of columns "
                    '(frame.columns = ["_".join(map(str, names)) for names in frame.columns] flattens it)')
    if hasattr(frame, "write_csv"):
        return frame.write_csv()
    if hasattr(frame, "to_csv"):
        index, asked = str(getattr(getattr(frame, "index", None), "name", None)), options or {}
        columns = (asked.get("id_column"), asked.get("time_column"), asked.get("label_column"))
        timed = asked.get("chunk") is not None and asked.get("time_column") is None and is_time(index)
        return frame.to_csv(index=index != "None" and (index.lower() == "id" or index in columns or timed))
    return _csv_of_columns(frame.to_pydict())


def _csv_of_columns(columns):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values()))
    return text.getvalue()


def _names_of(frame):
    return [str(column) for column in getattr(frame, "column_names", frame.columns)]


def _is_table(value, least=2):
    """A data frame with at least `least` named columns. Columns named 0 to k-1 in order make it an array instead."""
    return is_frame(value) and getattr(value, "shape", (0, 0))[1] >= least and _names_of(value) != [str(j) for j in range(value.shape[1])]


def _is_vector(value):
    if isinstance(value, (list, tuple)):
        return bool(value) and (is_missing(value[0]) or isinstance(value[0], (numbers.Real, numpy.bool_)))
    shape = value.shape if hasattr(value, "shape") else numpy.shape(value) if hasattr(value, "__array__") else ()
    return len(shape) == 1 or tuple(shape[1:]) == (1,)


def _given(value):
    return {str(key): _collected(one) for key, one in value.items() if one is not None}


def _scores_in(given, options):
    """Keys of scores, by their names or by the option class_columns."""
    asked = str(options.get("class_columns")).split(",")
    return [key for key in given if is_scores(key) or key in asked]


def outputs(value, name, options):
    """A path, a dictionary of arrays as in an outputs file ("" is a bare array), or ("table", the text of a data frame, its key in
    a dictionary, the other arrays of the dictionary)."""
    if is_path(value):
        return os.fspath(value)
    value = _collected(value)
    if _is_table(value, 1):
        return ("table", _csv_of(value, name, options), "", {})
    if not isinstance(value, collections.abc.Mapping):
        return {"": numpy_of(value, name)}
    given = _given(value)
    if _is_table(given.get("groups"), 1):
        names, *rows = csv.reader(io.StringIO(_csv_of(given["groups"], f"{name}: groups")))
        given = {"group_names": numpy.array(names), **given, "groups": numpy.array(rows)}
    if is_frame(features := given.get("features", given.get("feats"))):
        given = {"feature_names": numpy.array(_names_of(features)), **given}
    tables = [key for key in _scores_in(given, options) if _is_table(given[key])]
    arrays = {key: numpy_of(one, f"{name}: {key}") for key, one in given.items() if key not in tables}
    if len(tables) > 1:
        raise Error(f"{name}: expected one data frame of scores, found {' and '.join(tables)}")
    return ("table", *_table_of_scores(given[tables[0]], tables[0], arrays, name, options)) if tables else arrays


def _table_of_scores(frame, key, arrays, name, options):
    """The labels and times of a dictionary become columns, so that the class names of the table apply to the labels."""
    labels, own = ([one for one in names if is_label(one)] for names in (arrays, _names_of(frame)))
    if labels and own and not options.get("label_column"):
        raise Error(f"{name}: expected labels once (label_column selects them), found {labels[0]} and the column {own[0]} of {key}")
    text = _csv_of(frame, name, options)
    for column in [*arrays]:
        if is_time(column) or column in (*labels, options.get("label_column"), options.get("time_column")):
            text = _with_column(text, column, arrays.pop(column), name)
    return text, key, arrays


def _with_column(text, column, array, name):
    head, *rows = csv.reader(io.StringIO(text))
    if array.shape not in ((len(rows),), (len(rows), 1)):
        raise Error(f"{name}: {column}: expected shape ({len(rows)}), one value per sample, found shape {array.shape}")
    made = io.StringIO()
    values = (array.astype(int) if array.dtype == bool else array).ravel().tolist()
    csv.writer(made, lineterminator="\n").writerows([[*head, column], *([*row, one] for row, one in zip(rows, values))])
    return made.getvalue()


def is_outputs(value, options):
    """Whether value is a dictionary of the arrays of one set, not of sets.

    Paths, dictionaries and data frames of several columns are sets; a vector is a set only if `binary` is given. A data
    frame is an array where it holds the only scores and all other keys are names of arrays.
    """
    if not isinstance(value, collections.abc.Mapping):
        return False
    given = _given(value)
    scores = _scores_in(given, options)
    named = {*scores, "labels", "label", "y", "y_true", options.get("label_column")}
    vectors = options.get("binary") is None
    return (any(key in named or (vectors and _is_vector(one)) for key, one in given.items()
                if not (is_path(one) or isinstance(one, collections.abc.Mapping) or _is_table(one)))
            or (len(scores) == 1 and _is_table(given[scores[0]]) and given.keys() <= {*scores, "features", "feats", "feature_names", "groups"}))


def named_outputs(value, name, options):
    """(name, outputs): the name of a file is its path."""
    return (os.fspath(value) if is_path(value) else name, outputs(value, name, options))


def sets(value, name, options):
    """[(name, outputs)] of one set, of a list or a tuple of sets, or of a dictionary that maps names to sets."""
    if isinstance(value, collections.abc.Mapping) and not is_outputs(value, options):
        if not value:
            raise Error(f"{name}: expected at least one set, found none")
        return [(str(key), outputs(one, str(key), options)) for key, one in value.items()]
    if isinstance(value, (list, tuple)) and value and all(map(_is_set, value)):
        return [named_outputs(one, f"{name}[{i}]", options) for i, one in enumerate(value)]
    return [named_outputs(value, name, options)]


def _is_set(value):
    return is_path(value) or isinstance(value, collections.abc.Mapping) or is_frame(_collected(value)) or getattr(value, "ndim", 0) > 0


def images(value, name):
    if is_path(value):
        return [(os.fspath(value), os.fspath(value))]
    return [(name, outputs(value, name, {}))]


def labels(value, name):
    return os.fspath(value) if is_path(value) else numpy_of(value, name)


def bounds(value, name):
    low, high = value
    return numpy.stack(numpy.broadcast_arrays(numpy_of(low, name), numpy_of(high, name)))


def words(value, name):
    """A list of names as one text, separated by commas; a text or a path unchanged."""
    if value is None or is_path(value):
        return value
    names = [str(one) for one in value]
    if any("," in one for one in names) or len(names) < 1:
        raise Error(f"{name}: expected at least one name, without commas (a dictionary of arrays may hold class_names with commas), found {names}")
    return ",".join(names)


def texts(value, name):
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value]


def table(value, name):
    """A path, or (name, the table as CSV text)."""
    if is_path(value):
        return os.fspath(value)
    value = _collected(value)
    if is_frame(value):
        return (name, _csv_of(value, name))
    if not isinstance(value, collections.abc.Mapping):
        raise Error(f"{name}: expected a DataFrame, a dictionary of columns or a CSV file's path, "
                    f"found {type(value).__name__}")
    columns = {str(key): numpy.asarray(column).tolist() for key, column in value.items()}
    lengths = {key: len(column) if isinstance(column, list) else -1 for key, column in columns.items()}
    if len(set(lengths.values())) > 1 or -1 in lengths.values():
        raise Error(f"{name}: expected columns of one length, found {lengths}")
    return (name, _csv_of_columns(columns))


def orders(value, name):
    if not isinstance(value, collections.abc.Mapping):
        raise Error(f"{name}: expected a dictionary that maps attributes to their values, found {type(value).__name__}")
    return {str(key): [str(one) for one in values] for key, values in value.items()}
