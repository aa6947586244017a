"""Runs the command leeway, for tasks that need its LibTorch."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

from ._leeway import Error
from .results import of_json

CODES = {0: "ok", 1: "runtime failure", 2: "usage", 3: "bad input", 4: "a gate failed", 5: "incomplete",
         130: "interrupted, state saved"}


class CommandError(RuntimeError):
    """The command ended without a record; `code` is its exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def binary():
    """The path of the command: $LEEWAY_COMMAND, or the command installed with the package."""
    return os.environ.get("LEEWAY_COMMAND") or str(pathlib.Path(__file__).parent / "bin" / "leeway")


def main():
    """The script `leeway` of a virtual environment: replaces this process with the command."""
    os.execv(binary(), ["leeway", *sys.argv[1:]])


def command(arguments):
    """Runs `leeway ARGUMENTS --json` in a separate process and returns its record; `code` is its exit code.

    Use it for commands that need leeway's LibTorch: train, attack, infer. They run in a separate process because leeway's LibTorch
    and the LibTorch inside Python's torch define the same symbols: two of them in one process crash or mix their symbols.

    Warnings of the record become Python warnings. Raises CommandError if there is no record. Ctrl-C reaches the command, which
    saves its state.
    """
    return run(arguments, stacklevel=3)


def run(arguments, folder=None, stacklevel=2):
    """Like `command`, in the working directory `folder`; warnings point `stacklevel` calls up."""
    try:
        words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments]
    except TypeError:
        raise Error(f"leeway.command: expected a list of words, found {type(arguments).__name__}") from None
    if any("\0" in word for word in words):
        raise Error("leeway.command: expected words without null characters, found one")
    if "--json" not in words:
        words.append("--json")
    process = subprocess.Popen([binary(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        out, err = process.communicate()
    except KeyboardInterrupt:
        process.wait()
        raise
    try:
        json.loads(out)
    except ValueError:
        message = err.strip().splitlines()[-1] if err.strip() else CODES.get(process.returncode, "killed")
        raise CommandError(process.returncode, message) from None
    result = of_json(out)
    result.code = process.returncode
    notes = [line[8:] for line in err.splitlines() if line.startswith("leeway: ")]
    for line in [] if "--quiet" in words else dict.fromkeys([*result.to_dict()["warnings"], *notes]):
        warnings.warn(line, stacklevel=stacklevel)
    return result
