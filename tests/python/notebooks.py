#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks. `notebooks.py --update` writes what came out into them; test_notebooks.py compares."""
import html
import pathlib
import re
import sys
import tempfile

import nbclient
import nbformat

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"
# What differs from run to run: times, and the sections of a page about time and about who made it. What charts show stands in tables,
# too, and scripts are the page's, which tests/report looks at.
VARYING = [(re.compile(pattern, re.DOTALL), replacement) for pattern, replacement in (
    (r"<script.*?</script>", ""),
    (r'<section id="(time|source)".*?</section>', ""),
    (r"\d*\.?\d+(e-\d+)? ?(ms|µs|us|s|seconds)\b", "0 s"),
)]
NUMBER = re.compile(r"(?<![\w.])[-+]?\d*\.\d+(?:e[-+]?\d+)?")


def notebooks():
    return sorted(FOLDER.glob("*.ipynb"))


def run(path):
    """The notebook with the outputs of a run, in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", coalesce_streams=True,
                                resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.clear()  # when cells were run
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    return notebook


def outputs(notebook):
    """Texts of all outputs, by cell, kind and type; of a result the page alone, as its table says times, too."""
    found = {}
    for number, cell in enumerate(notebook.cells):
        for place, output in enumerate(cell.get("outputs", [])):
            parts = {"text": output["text"]} if "text" in output else output.get("data", {})
            for kind in sorted(parts):
                if kind != "text/plain" or "text/html" not in parts:
                    found[number, place, output.output_type, kind] = "".join(parts[kind])
    return found


def words_and_numbers(text):
    """The text without what varies, and without its fractions, which are compared as numbers."""
    text = html.unescape(text)
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


def main():
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    for path in notebooks():
        nbformat.write(run(path), path)
        print(path.name, path.stat().st_size // 1024, "KiB")


if __name__ == "__main__":
    main()
