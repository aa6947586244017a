"""Writes jpeg.json: small pictures compressed by Pillow and read again, as bytes (c,h,w).

Run with Debian's python3-pil: python3 jpeg.py. Byte i of a picture is (7 i^2 + 13 i) mod 256 / 2 + its column, as
tests/shift/jpeg_test.cpp repeats.
"""
import io
import json
import pathlib

import numpy as np
from PIL import Image


def picture(channels, height, width):
    i = np.arange(channels * height * width)
    return ((7 * i * i + 13 * i) % 256 // 2 + i % width).astype(np.uint8).reshape(channels, height, width)


def compressed(x, quality):
    file = io.BytesIO()
    Image.fromarray(x[0] if len(x) == 1 else x.transpose(1, 2, 0)).save(file, format="JPEG", quality=quality)
    back = np.asarray(Image.open(file))
    return back[None] if len(x) == 1 else back.transpose(2, 0, 1)


cases = []
for shape, quality in (((1, 9, 11), 10), ((1, 9, 11), 95), ((3, 9, 11), 50), ((3, 16, 8), 90)):
    cases.append({"shape": shape, "quality": quality, "bytes": compressed(picture(*shape), quality).flatten().tolist()})
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(cases).replace("]}, ", "]},\n") + "\n")
