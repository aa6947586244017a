"""Data of the tests, and the command beside which functions are held."""

import json
import os
import pathlib
import signal
import subprocess

import numpy
import pytest

import leeway
from leeway import _command

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell lets programs in the background ignore


@pytest.fixture(scope="session")
def command():
    """Runs the command in a folder and returns its record."""
    binary = _command.binary()
    if not pathlib.Path(binary).exists():
        pytest.fail(f"there is no {binary}: install the package, or name the command in LEEWAY_COMMAND")

    def run(folder, *words, code=0):
        done = subprocess.run([binary, *map(str, words), "--json", "--quiet"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": ""})
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr.strip()

    return run


def outputs(n=300, k=5, seed=0, noise=0.8, **more):
    """Logits of a source and of a target on the same samples, and labels."""
    random = numpy.random.default_rng(seed)
    clean = 2 * random.normal(size=(n, k)).astype(numpy.float32)
    shifted = clean + noise * random.normal(size=(n, k)).astype(numpy.float32)
    labels = (clean + 0.5 * random.normal(size=(n, k))).argmax(1)
    return clean, shifted, labels


@pytest.fixture
def sets():
    return outputs()


def message(call, *arguments, **options):
    with pytest.raises(leeway.Error) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert text and "\n" not in text
    return text
