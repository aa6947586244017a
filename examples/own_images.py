#!/usr/bin/python3
"""Stand-in for a folder of images of one's own: own_images.py FOLDER writes FOLDER/00000.png ... and FOLDER/attributes.csv.

900 pictures of 24 x 24 pixels show a bar that lies or stands (label), in one of two colors, on a dark or a bright background.
"""
import csv
import pathlib
import random
import struct
import sys
import zlib

N, SIDE = 900, 24


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b"")


def picture(lies, color, background, chance):
    top, left = chance.randrange(3, 18), chance.randrange(3, 18)
    inside = lambda y, x: (abs(y - top) < 2 and abs(x - 12) < 8) if lies else (abs(x - left) < 2 and abs(y - 12) < 8)
    noisy = lambda level: min(255, max(0, level + chance.randrange(-25, 26)))
    return [bytes(noisy(level) for x in range(SIDE) for level in (color if inside(y, x) else background)) for y in range(SIDE)]


def main():
    folder, chance = pathlib.Path(sys.argv[1]), random.Random(0)
    folder.mkdir()
    with open(folder / "attributes.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["filename", "label", "color", "background"])
        for i in range(N):
            lies, color, background = chance.choice(["lies", "stands"]), chance.choice(["red", "blue"]), chance.choice(["dark", "bright"])
            pixels = picture(lies == "lies", (220, 60, 60) if color == "red" else (60, 60, 220), (40,) * 3 if background == "dark" else (180,) * 3, chance)
            (folder / f"{i:05}.png").write_bytes(png(pixels))
            table.writerow([f"{i:05}.png", lies, color, background])


main()
