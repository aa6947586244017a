"""The stubs of the package, as a user's mypy reads them."""

import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import pytest

import leeway
from leeway import _functions

PROGRAM = '''
    import numpy
    import leeway
    import leeway.metrics
    import leeway.sklearn
    from leeway import conds

    clean = numpy.zeros((8, 3), dtype=numpy.float32)
    labels = numpy.zeros(8, dtype=numpy.int64)
    r = leeway.agreement(clean, {"noise": clean}, labels, [0.0, 0.5], level=0.9, pairing="label", as_="logits")
    pa: float = r.pa
    interval: leeway.Interval | None = r.pa_interval
    names: list[str] = [one.shifted for one in r.results]
    a = leeway.assess({"logits": clean, "labels": labels}, {"prod": clean}, quiet=True, fail_if="accuracy<0.8")
    bounds: list[float | None] = [one.accuracy for one in a.results]
    path: str = a.report("page.html")
    e = leeway.error_bound("s.npz", "t.npz", methods=["dis2"])
    p = leeway.average_case(clean, numpy.zeros((8, 3, 4)), sigma=[0.1], methods="taylor,mmse")
    rows = p.arrays["taylor"]
    images = leeway.shift(clean, "gaussian-noise", 0.1).arrays["x"]
    split = conds.split({"y": ["a", "b"], "c": ["x", "y"]}, label="y", sc="c")
    code: int = leeway.command(["list"]).code
    model = leeway.Classifier(lambda x: x, input_shape=(3,))
    means: list[float | None] = [one.mean for one in leeway.average_case(model, clean, sigma=[0.1], methods=["mc"]).results]
    better: bool = leeway.metrics.EpochSelection().add(1, clean, clean)
    scorer = leeway.metrics.AgreementScorer(lambda x: x)
    source: dict[str, object] = leeway.sklearn.outputs(object(), [[0.0]])
    try:
        leeway.mvn_cdf([0.0], [[1.0]])
    except leeway.Error as error:
        line: str = str(error)
'''
WRONG = {'leeway.agreement(clean)': "shifted", 'leeway.agreement(clean, clean, level="high")': "level",
         'leeway.agreement(clean, clean, no_such=1)': "no_such", 'r.no_such_key': "no_such_key",
         'text: str = r.pa': "str", 'leeway.agreement(clean, clean, pairing="none")': "pairing",
         'leeway.shift(clean, 3)': "shift"}


CACHE = tempfile.TemporaryDirectory()  # NumPy's stubs are read once


def mypy(folder, program):
    pytest.importorskip("mypy")
    file = pathlib.Path(folder) / "program.py"
    file.write_text(textwrap.dedent(program))
    site = pathlib.Path(leeway.__file__).parents[1]
    where = {} if site.name == "site-packages" else {"MYPYPATH": str(site)}  # mypy finds what is installed
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", CACHE.name, str(file)],
                          capture_output=True, text=True, cwd=folder, env={**os.environ, **where})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.tier2
def test_a_users_program_passes_mypy_strict(tmp_path):
    code, said = mypy(tmp_path, PROGRAM)
    assert code == 0, said


@pytest.mark.tier2
def test_mistakes_do_not_pass(tmp_path):
    code, said = mypy(tmp_path, PROGRAM + "".join(f"    {line}\n" for line in WRONG))
    assert code == 1
    first = PROGRAM.count("\n")
    for number, (line, word) in enumerate(WRONG.items(), first):
        found = [text for text in said.splitlines() if text.startswith(f"program.py:{number + 1}:")]
        assert any(word in text for text in found), f"{line}: {said}"


def test_stubs_have_every_function_and_option():
    stub = pathlib.Path(leeway.__file__).with_suffix(".pyi").read_text() + \
        pathlib.Path(leeway.__file__).with_name("conds.pyi").read_text()
    for name, function in _functions.table.items():
        head = stub[stub.index(f"def {name.rpartition('.')[2]}("):]
        head = head[:head.index(") ->")]
        for parameter in inspect.signature(function).parameters:
            assert f"    {parameter}: " in head, f"{name}: {parameter}"
        assert function.__doc__.splitlines()[0] in stub
