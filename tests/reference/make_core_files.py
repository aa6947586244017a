"""Writes tests/reference/core: small files made by NumPy (Debian's 1.24) and what they hold.

expected.json maps FILE -> {array: {"type", "shape", "values"}}; values in C order, "nan" and "inf" as text.
Run: /usr/bin/python3 make_core_files.py
"""
import gzip
import io
import json
import pathlib
import struct
import zipfile

import numpy as np
from numpy.lib import format as npy_format

here = pathlib.Path(__file__).parent / "core"
here.mkdir(exist_ok=True)
expected = {}


def number(value):
    value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def describe(array):
    if array.dtype.kind in "US":
        values = [v.decode() if isinstance(v, bytes) else str(v) for v in array.ravel()]
        return {"type": "text", "shape": list(array.shape), "values": values}
    name = "float32" if array.dtype.kind == "f" and array.dtype.itemsize == 2 else array.dtype.name
    return {"type": name, "shape": list(array.shape), "values": [number(v) for v in array.ravel()]}


def note(file, arrays):
    expected[file] = {name: describe(array) for name, array in arrays.items()}


def save(file, array, version=None):
    with open(here / file, "wb") as out:
        npy_format.write_array(out, array, version=version)
    note(file, {"": array})


def all_types():
    arrays = {}
    for code in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for byte_order in "<>" if code[1] != "1" else "|":
            for order in "CF":
                values = np.arange(6) * (0.75 if code[0] == "f" else 1) - (2 if code[0] in "if" else 0)
                if code == "b1":
                    values = np.arange(6) % 2
                array = np.array(values.reshape(2, 3), dtype=byte_order + code, order=order)
                if code[0] in "iu":
                    info = np.iinfo(array.dtype)
                    array[0, 0], array[1, 2] = info.min, info.max
                arrays[f"{code}{'big' if byte_order == '>' else ''}{order}"] = array
    return arrays


types = all_types()
np.savez(here / "types_stored.npz", **types)
np.savez_compressed(here / "types_deflated.npz", **types)
note("types_stored.npz", types)
note("types_deflated.npz", types)

matrix = np.arange(6, dtype="<f4").reshape(2, 3) / 4
for major in (1, 2, 3):
    save(f"version{major}.npy", matrix, (major, 0))
save("float64.npy", matrix.astype("f8"))
save("fortran.npy", np.asfortranarray(matrix))
save("fortran_vector.npy", np.asfortranarray(matrix[:, :1]))
save("fortran_cube.npy", np.asfortranarray(np.arange(24, dtype="<i2").reshape(2, 3, 4)))
save("big_endian.npy", matrix.astype(">f8"))
save("scalar.npy", np.array(2.5))
save("empty.npy", np.zeros((0, 10), "f4"))
save("vector.npy", np.arange(5))
save("half.npy", np.array([0, -0.0, 1, -2.5, 65504, 6.1035e-5, 5.96e-8, np.inf, -np.inf, np.nan], "f2"))
save("text.npy", np.array([["cat", "dög"], ["", "鳥𝛽"]]))
save("text_big_endian.npy", np.array(["cat", "dög"], dtype=">U3"))
save("text_fortran.npy", np.asfortranarray(np.array([["a", "b", "c"], ["d", "e", "f"]])))
save("bytes.npy", np.array([b"cat", b"horse"]))

# Python 2 wrote long sizes; the data starts at a multiple of 2 only.
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }"
header += b" " * (2 - (10 + len(header) + 1) % 2) + b"\n"
values = np.arange(6.0)
(here / "python2_unaligned.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values.tobytes())
note("python2_unaligned.npy", {"": values.reshape(3, 2)})


# An archive written to a pipe: sizes follow the data.
class Pipe(io.RawIOBase):
    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def npy(array):
    out = io.BytesIO()
    npy_format.write_array(out, array)
    return out.getvalue()


pipe = Pipe()
with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("logits.npy", npy(matrix))
    archive.writestr("labels.npy", npy(np.array([1, 0])))
    archive.writestr("notes.txt", "not an array")
    archive.comment = b"PK\x05\x06 in a comment"
(here / "streamed.npz").write_bytes(pipe.bytes)
note("streamed.npz", {"logits": matrix, "labels": np.array([1, 0])})


# safetensors, by hand: out of order in the header, one tensor unaligned, padding after the header.
def safetensors(tensors, metadata):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, dtype, array, raw in tensors:
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(dict(reversed(header.items()))).encode() + b"   "
    return struct.pack("<Q", len(text)) + text + data


def plain(name, dtype, array):
    return (name, dtype, array, array.tobytes())


truncated = (np.array([1, -2.5, 0.15625, np.inf], "f4").view("u4") >> 16).astype("u2")
tensors = [
    plain("flag", "BOOL", np.array([True, False, True])),
    plain("weight", "F32", matrix),
    plain("double", "F64", np.array(1.25)),
    plain("half", "F16", np.array([0.5, -1.5], "f2")),
    ("brain", "BF16", np.array([1, -2.5, 0.15625, np.inf], "f4"), truncated.tobytes()),
    plain("none", "I64", np.zeros((0, 3), "i8")),
] + [plain(c, c.upper(), np.array([1, 2, 100], c[0] + str(int(c[1:]) // 8))) for c in ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]]
(here / "types.safetensors").write_bytes(safetensors(tensors, {"format": "pt", "made by": "hand"}))
note("types.safetensors", {name: array for name, _, array, _ in tensors})

# IDX, by hand.
for code, dtype in [(8, "u1"), (9, "i1"), (11, "i2"), (12, "i4"), (13, "f4"), (14, "f8")]:
    array = np.arange(12).reshape(2, 2, 3).astype(dtype) - (0 if dtype == "u1" else 3)
    array = array.astype(dtype)
    raw = struct.pack(">BBBB3I", 0, 0, code, 3, *array.shape) + array.astype(array.dtype.newbyteorder(">")).tobytes()
    (here / f"{dtype}.idx").write_bytes(raw)
    note(f"{dtype}.idx", {"": array})
    if dtype == "u1":
        (here / "u1.idx.gz").write_bytes(gzip.compress(raw, mtime=0))
        note("u1.idx.gz", {"": array})

(here / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=None, separators=(",", ":")) + "\n")
