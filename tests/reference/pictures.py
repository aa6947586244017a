"""Writes pictures.json: files of every kind of picture with Pillow's pixels, and pictures that Pillow resized.

Run with Debian's python3-pil: /usr/bin/python3 pictures.py. Byte i of a picture to resize is (7 i^2 + 13 i) mod 256, as
tests/data/load_pictures_test.cpp repeats. Pixels are (c,h,w).
"""
import io
import json
import pathlib

import numpy
from PIL import Image, ImageOps, PngImagePlugin


def picture(channels, height, width):
    i = numpy.arange(channels * height * width)
    planes = ((7 * i * i + 13 * i) % 256).astype(numpy.uint8).reshape(channels, height, width)
    return planes[0] if channels == 1 else numpy.ascontiguousarray(planes.transpose(1, 2, 0))


def planes_of(image):
    return numpy.atleast_3d(numpy.asarray(image)).transpose(2, 0, 1)


def file_of(name, image, **options):
    file = io.BytesIO()
    image.save(file, format=name.split()[0], **options)
    rgb = ImageOps.exif_transpose(Image.open(file)).convert("RGB")
    return {"name": name, "file": list(file.getvalue()), "size": rgb.size[::-1],
            "pixels": planes_of(rgb).flatten().tolist()}


def exif(orientation):
    tags = Image.Exif()
    tags[0x010F], tags[0x0112] = "maker", orientation
    return tags


gamma = PngImagePlugin.PngInfo()
gamma.add(b"gAMA", (100000).to_bytes(4, "big"))
rgb, grey = Image.fromarray(picture(3, 3, 5)), Image.fromarray(picture(1, 3, 5))
files = [file_of("PNG rgb", rgb), file_of("PNG gray", grey), file_of("PNG gamma", rgb, pnginfo=gamma),
         file_of("PNG gray, alpha", Image.fromarray(picture(3, 3, 5)[..., :2].copy(), "LA")),
         file_of("PNG alpha", Image.fromarray(picture(4, 3, 5), "RGBA")),
         file_of("PNG palette", rgb.quantize(8)), file_of("PNG palette, transparent", rgb.quantize(4), transparency=1),
         file_of("PNG rgb, transparent color", rgb, transparency=tuple(picture(3, 3, 5)[0, 0].tolist())),
         file_of("PNG black and white", grey.convert("1")), file_of("JPEG gray", grey),
         file_of("JPEG CMYK", Image.fromarray(picture(4, 3, 5), "CMYK"))]
files += [file_of("PNG orientation 6", rgb, exif=exif(6))]
files += [file_of(f"JPEG orientation {number}", rgb, exif=exif(number)) for number in range(1, 9)]
how = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "nearest": Image.NEAREST}
resized = []
for shape, whole, window in (((1, 7, 5), (3, 3), (3, 3, 0, 0)), ((3, 30, 41), (16, 21), (8, 6, 4, 7)), ((1, 5, 4), (9, 11), (9, 11, 0, 0)),
                             ((1, 3, 17), (8, 8), (4, 4, 2, 2)), ((1, 6, 6), (1, 1), (1, 1, 0, 0)), ((1, 9, 6), (9, 4), (9, 4, 0, 0))):
    height, width, top, left = window
    for name, number in how.items():
        out = planes_of(Image.fromarray(picture(*shape)).resize(whole[::-1], number))[:, top:top + height, left:left + width]
        resized.append({"shape": shape, "how": name, "of": [*whole, top, left], "to": [height, width], "pixels": out.flatten().tolist()})
text = json.dumps({"files": files, "resized": resized}).replace("]}, ", "]},\n")
pathlib.Path(__file__).with_suffix(".json").write_text(text + "\n")
