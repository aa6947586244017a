#!/usr/bin/python3
"""Runs the examples of the documents. Usage: run_documents.py [--update] BIN_FOLDER DOCUMENT.md...

A ```sh block that is followed by a ```text block is run by bash, and must succeed and print that text (stdout and stderr
together). In the text `...` stands for anything within a line, and a line of `...` alone for any lines. All blocks of
a document run one after the other in one scratch folder, which holds `examples` and `docs`; BIN_FOLDER is first on the PATH.
A ```cpp block begins with a line `// examples/NAME.cpp`; the rest must be that file's code, its first comment left out.
With `// from examples/NAME.cpp` the rest is an excerpt: that file must contain its lines in this order, at any indentation.
--update writes what was printed into the document instead of complaining.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = r"(?:(?!```).*\n)"  # of a block, or between two
PAIR = re.compile(rf"^```sh\n(?P<script>{LINES}*)```\n{LINES}{{0,3}}?```text\n(?P<text>{LINES}*)```$", re.M)
PROGRAM = re.compile(rf"^```cpp\n// (?P<excerpt>from )?(?P<name>\S+)\n(?P<code>{LINES}*)```$", re.M)


def pattern_of(text):
    """A regular expression for the lines of a ```text block."""
    lines = []
    for line in text.splitlines():
        if line.strip() == "...":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            lines.append(r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r" *\n")
    return re.compile("".join(lines))


def run(script, folder, binaries):
    environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=600, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def code_without_first_comment(source):
    lines = source.splitlines()
    while lines and (lines[0].startswith("//") or not lines[0]):
        lines.pop(0)
    return "\n".join(lines).strip()


def is_excerpt(code, source):
    """Whether `source` contains the lines of `code` in this order; empty lines and indentation do not count."""
    lines = iter([line.strip() for line in source.splitlines()])
    return all(line.strip() in lines for line in code.splitlines() if line.strip())


def check(text, binaries, name="document", examples=ROOT / "examples"):
    """(number of blocks run, complaints, the text with what was printed)."""
    complaints, updated, at, blocks = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for kept in (examples, examples.parent / "docs"):
            (pathlib.Path(folder) / kept.name).symlink_to(kept)
        for pair in PAIR.finditer(text):
            blocks += 1
            line = text.count("\n", 0, pair.start()) + 1
            status, printed = run(pair["script"], folder, binaries)
            if printed and not printed.endswith("\n"):
                printed += "\n"
            matches = pattern_of(pair["text"]).fullmatch(printed)
            if status != 0:
                complaints.append(f"{name}:{line}: exit status {status}\n{printed}")
            elif not matches:
                difference = difflib.unified_diff(pair["text"].splitlines(), printed.splitlines(), "document", "printed",
                                                  lineterm="")
                complaints.append(f"{name}:{line}: printed something else\n" + "\n".join(difference))
            updated += [text[at:pair.start("text")], pair["text"] if matches else printed]
            at = pair.end("text")
    for program in PROGRAM.finditer(text):
        blocks += 1
        source = examples.parent / program["name"]
        if not source.is_file():
            complaints.append(f"{name}: shows {program['name']}, which does not exist")
            continue
        shown, code = program["code"].strip(), source.read_text(encoding="utf-8")
        if not is_excerpt(shown, code) if program["excerpt"] else code_without_first_comment(code) != shown:
            complaints.append(f"{name}: the code shown is not that of {program['name']}")
    return blocks, complaints, "".join(updated) + text[at:]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    binaries, documents = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    failed = False
    for document in map(pathlib.Path, documents):
        blocks, complaints, updated = check(document.read_text(encoding="utf-8"), binaries, document.name)
        if "--update" in sys.argv:
            document.write_text(updated, encoding="utf-8")
        print(f"{document.name}: {blocks} examples")
        print("\n".join(complaints), end="\n" if complaints else "")
        failed |= bool(complaints) or blocks == 0
    sys.exit(1 if failed and "--update" not in sys.argv else 0)


if __name__ == "__main__":
    main()
