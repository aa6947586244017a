"""What callers hand over, as the module takes it: NumPy arrays in C order, paths, names. Nothing is computed here."""

import collections.abc
import csv
import io
import os

import numpy

from ._leeway import Error

SCORES = ("logits", "probs", "pred_probs")  # one of them makes a dictionary a set of outputs


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def numpy_of(value, name):
    """The array itself where it is NumPy's in C order; a view of other libraries' memory where that can be."""
    array = _as_numpy(value, name)
    if array.dtype == object:
        array = _text_of(array)
    elif array.dtype.kind == "M" and array.ndim == 1:  # times, as ISO 8601
        array = array.astype(str)
    return array if array.flags.c_contiguous else array.copy(order="C")


def _as_numpy(value, name):
    if isinstance(value, numpy.ma.MaskedArray):
        raise Error(f"{name}: expected an array without a mask, found a masked array")
    if isinstance(value, numpy.ndarray):
        return value
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
    return tensor.detach().numpy()


def _text_of(array):
    """Text, as pandas keeps it; other objects are the module's to refuse."""
    if array.size and all(isinstance(item, str) for item in array.flat):
        return array.astype(str)
    return array


def outputs(value, name):
    """A path, or a dictionary of arrays under the names of an outputs file; "" is a bare array."""
    if is_path(value):
        return os.fspath(value)
    if isinstance(value, collections.abc.Mapping):
        return {str(key): numpy_of(array, f"{name}: {key}") for key, array in value.items() if array is not None}
    return {"": numpy_of(value, name)}


def is_outputs(value):
    return isinstance(value, collections.abc.Mapping) and any(key in value for key in SCORES)


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
    return is_path(value) or isinstance(value, collections.abc.Mapping) or getattr(value, "ndim", 0) > 0


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
    if hasattr(value, "to_csv"):
        return (name, value.to_csv(index=False))
    if not isinstance(value, collections.abc.Mapping):
        raise Error(f"{name}: expected a DataFrame, a dictionary of columns or a CSV file's path, "
                    f"found {type(value).__name__}")
    columns = {str(key): numpy.asarray(column).tolist() for key, column in value.items()}
    lengths = {key: len(column) if isinstance(column, list) else -1 for key, column in columns.items()}
    if len(set(lengths.values())) > 1 or -1 in lengths.values():
        raise Error(f"{name}: expected columns of one length, found {lengths}")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values()))
    return (name, text.getvalue())


def orders(value, name):
    if not isinstance(value, collections.abc.Mapping):
        raise Error(f"{name}: expected a dictionary from attributes to their values, found {type(value).__name__}")
    return {str(key): [str(one) for one in values] for key, values in value.items()}
