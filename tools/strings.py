#!/usr/bin/python3
"""Prints every text that users read, one line each: PLACE<tab>TEXT. Usage: tools/strings.py [OUT.tsv]

Help, messages, titles and findings are the literals of leeway, apps and python with three blanks or more, adjacent literals joined;
page prose is all of README.md and docs without code and tables, by sentence; of Python files the docstrings.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/**/*.md", "bench/*.md")
SOURCES = ("leeway/**/*.cpp", "leeway/**/*.h", "apps/**/*.cpp", "apps/**/*.h", "python/src/*.cpp")
CODE = re.compile(r"^( *)```.*?^\1```|^\|.*$|^(?: {4}).*$|`[^`\n]*`|(?<=\])\([^)]*\)|<[^>\n]*>", re.M | re.S)
LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|//[^\n]*|"((?:\\.|[^"\\\n])*)"(?:\s*"((?:\\.|[^"\\\n])*)")*', re.S)
SENTENCE = re.compile(r"(?<=[.!?:]) +(?=[A-Z\"'])")


def files(patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def literals(text):
    """(line, text) of the literals of C++ that are sentences; escapes of line breaks are blanks."""
    for found in LITERAL.finditer(text):
        whole = found.group()
        if not whole.startswith("//"):
            parts = [found.group(2)] if found.group(2) else re.findall(r'"((?:\\.|[^"\\\n])*)"', whole)
            joined = " ".join("".join(parts).replace("\\n", " ").replace('\\"', '"').split())
            if joined.count(" ") > 2:
                yield text.count("\n", 0, found.start()) + 1, joined


def sentences(text):
    """(line, sentence) of the prose of a page."""
    prose = CODE.sub(lambda found: "\n" * found.group().count("\n") or "`code`", text)
    for found in re.finditer(r"(?:^[^\n]*\S[^\n]*\n?)+", prose, re.M):
        line = prose.count("\n", 0, found.start()) + 1
        for sentence in SENTENCE.split(" ".join(found.group().split())):
            yield line, sentence


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (doc := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), " ".join(doc.split())


def strings():
    """(PLACE, TEXT) of all of them."""
    for patterns, reader in ((PAGES, sentences), (SOURCES, literals), (("python/leeway/*.py",), docstrings)):
        for path in files(patterns):
            for line, text in reader(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(ROOT)}:{line}", text


if __name__ == "__main__":
    out = open(sys.argv[1], "w", encoding="utf-8") if len(sys.argv) > 1 else sys.stdout
    out.writelines(f"{place}\t{text}\n" for place, text in strings())
