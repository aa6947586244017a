"""What callers hand over, as the module takes it: NumPy arrays in C order, tables, paths, names. Nothing is computed here."""

import collections.abc
import csv
import io
import numbers
import os

import numpy

from ._leeway import Error, is_scores



def is_path(value):
    return isinstance(value, (str, os.PathLike))


def numpy_of(value, name):
    """The array itself where it is NumPy's in C order; a view of other libraries' memory where that can be."""
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


def _is_missing(item):
    return item is None or type(item).__name__ in ("NAType", "NaTType") or (isinstance(item, float) and item != item)


def _of_objects(array, numpys):
    """Text, numbers or times, as pandas keeps them, with missing ones as "" or NaN; other objects are the module's to refuse.

    So are numbers alone in an array of NumPy's, which has types for them.
    """
    known = [item for item in array.flat if not _is_missing(item)]
    full = len(known) == array.size
    filled = array if full else numpy.array([None if _is_missing(item) else item for item in array.flat], object).reshape(array.shape)
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
    """A table of pandas, Polars, Arrow and their like."""
    return any(hasattr(value, way) for way in ("to_csv", "write_csv", "to_pydict")) and hasattr(value, "columns")


def _collected(value):
    """A lazy table, as Polars has, computed; another value as it is."""
    return value.collect() if hasattr(value, "collect") and hasattr(value, "collect_schema") and hasattr(value, "lazy") else value


def _csv_of(frame):
    """The text of the CSV file that a data frame would be."""
    if hasattr(frame, "write_csv"):
        return frame.write_csv()
    if hasattr(frame, "to_csv"):
        return frame.to_csv(index=False)
    return _csv_of_columns(frame.to_pydict())


def _csv_of_columns(columns):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values()))
    return text.getvalue()


def _names_of(frame):
    return [str(column) for column in getattr(frame, "column_names", frame.columns)]


def outputs(value, name):
    """A path, ("table", its text) of a data frame, or a dictionary of arrays as in an outputs file; "" is a bare array."""
    if is_path(value):
        return os.fspath(value)
    value = _collected(value)
    if isinstance(value, collections.abc.Mapping):
        return {str(key): numpy_of(array, f"{name}: {key}") for key, array in value.items() if array is not None}
    if is_frame(value) and hasattr(value, "shape") and _names_of(value) != [str(j) for j in range(value.shape[1])]:
        return ("table", _csv_of(value))
    return {"": numpy_of(value, name)}


def is_outputs(value):
    """A dictionary of arrays, not one of sets."""
    return isinstance(value, collections.abc.Mapping) and any(is_scores(str(key)) or str(key) == "predictions" for key in value)


def named_outputs(value, name):
    """(name, outputs): a file is called by its path."""
    return (os.fspath(value) if is_path(value) else name, outputs(value, name))


def sets(value, name):
    """[(name, outputs)] of one set, of a list or a tuple of sets, or of a dictionary from names to sets."""
    if isinstance(value, collections.abc.Mapping) and not is_outputs(value):
        if not value:
            raise Error(f"{name}: expected at least one set, found none")
        return [(str(key), outputs(one, str(key))) for key, one in value.items()]
    if isinstance(value, (list, tuple)) and value and all(map(_is_set, value)):
        return [named_outputs(one, f"{name}[{i}]") for i, one in enumerate(value)]
    return [named_outputs(value, name)]


def _is_set(value):
    return is_path(value) or isinstance(value, collections.abc.Mapping) or is_frame(_collected(value)) or getattr(value, "ndim", 0) > 0


def images(value, name):
    if is_path(value):
        return [(os.fspath(value), os.fspath(value))]
    return [(name, outputs(value, name))]


def labels(value, name):
    return os.fspath(value) if is_path(value) else numpy_of(value, name)


def texts(value, name):
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value]


def table(value, name):
    """A path, or (name, the text of the CSV file that it would be)."""
    if is_path(value):
        return os.fspath(value)
    value = _collected(value)
    if is_frame(value):
        return (name, _csv_of(value))
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
        raise Error(f"{name}: expected a dictionary from attributes to their values, found {type(value).__name__}")
    return {str(key): [str(one) for one in values] for key, values in value.items()}
