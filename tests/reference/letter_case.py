#!/usr/bin/python3
"""Writes letter_case.json: white space, and the letters whose other case is one code point, by Python's Unicode tables.

Each list of pairs is written as [first code point, other case] of every letter. Python 3.11 has Unicode 14.
"""
import json
import pathlib

POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def pairs(other):
    return [[c, ord(other(chr(c)))] for c in POINTS if other(chr(c)) != chr(c) and len(other(chr(c))) == 1]


def main():
    separators = {c for c in POINTS if chr(c).isspace()} - set(range(0x1C, 0x20))  # control codes that Python adds to White_Space
    facts = {"lower": pairs(str.lower), "upper": pairs(str.upper), "white_space": sorted(separators)}
    text = json.dumps(facts, separators=(",", ":")) + "\n"
    (pathlib.Path(__file__).with_suffix(".json")).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
