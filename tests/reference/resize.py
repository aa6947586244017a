"""Writes resize.json: small pictures resampled by torch's bilinear interpolation with antialiasing, in float before rounding.

Run with Debian's python3-torch: /usr/bin/python3 resize.py. Byte i of a picture is (7 i^2 + 13 i) mod 256, as
tests/shift/resize_test.cpp repeats.
"""
import json
import pathlib

import torch

cases = []
for shape, to in (((1, 7, 5), (3, 3)), ((3, 30, 41), (16, 16)), ((1, 5, 4), (9, 11)), ((1, 3, 17), (8, 8)), ((1, 6, 6), (1, 1))):
    i = torch.arange(shape[0] * shape[1] * shape[2])
    picture = ((7 * i * i + 13 * i) % 256).to(torch.float64).reshape(1, *shape)
    out = torch.nn.functional.interpolate(picture, size=to, mode="bilinear", antialias=True, align_corners=False)
    cases.append({"shape": shape, "to": to, "values": [round(v, 4) for v in out.flatten().tolist()]})
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(cases).replace("]}, ", "]},\n") + "\n")
