"""What a call does to its process: references, memory, threads, forks, signals."""

import concurrent.futures
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import textwrap
import time

import numpy
import pytest

import leeway

from .conftest import outputs


@pytest.mark.tier2
def test_references_do_not_leak(sets):
    clean, shifted, labels = (array[:20].copy() for array in sets)
    bad = clean.copy()
    bad[0, 0] = numpy.nan
    counts = [sys.getrefcount(array) for array in (clean, shifted, labels, bad)]
    before = None
    for call in range(10_000):
        result = leeway.agreement(clean, shifted, labels)
        if call % 10 == 0:
            with pytest.raises(leeway.Error):
                leeway.agreement(bad, shifted, labels)
        if call == 2_000:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del result
    assert [sys.getrefcount(array) for array in (clean, shifted, labels, bad)] == counts
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000  # KiB


def in_a_process(program, **environment):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.tier2
@pytest.mark.parametrize("how", ["logits", "labels and logits"])
def test_large_arrays_are_not_copied(how):
    """80 MB of float32: the peak grows by far less."""
    peak = int(in_a_process(f"""
        import numpy, resource, leeway
        small = numpy.random.default_rng(0).normal(size=(1000, 10)).astype("f4")
        leeway.agreement(small, small, quiet=True)
        clean = numpy.random.default_rng(0).normal(size=(200_000, 100)).astype("f4")
        shifted = clean[::-1][::-1]
        arrays = clean if {how!r} == "logits" else {{"logits": clean, "labels": numpy.zeros(len(clean), "i8")}}
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = peak()
        leeway.agreement(arrays, shifted, quiet=True)
        print(peak() - before)
    """))
    assert peak < 40_000  # KiB; a copy of one set has 78,125


def test_two_threads_at_once(sets):
    clean, shifted, labels = sets

    def assess(_):
        return leeway.assess({"logits": clean, "labels": labels}, {"s": shifted}, restarts=1, quiet=True)

    one = assess(0)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(assess, range(6)):
            assert result.results == one.results


@pytest.mark.tier2
def test_fork_after_import_and_after_a_call():
    assert in_a_process("""
        import os, numpy, leeway
        clean = numpy.random.default_rng(0).normal(size=(20000, 10)).astype("f4")
        shifted = clean + numpy.random.default_rng(1).normal(size=clean.shape).astype("f4")
        def in_child():
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(write, repr(leeway.agreement(clean, shifted).pa).encode())
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            return os.read(read, 100).decode()
        first = in_child()
        here = repr(leeway.agreement(clean, shifted).pa)
        print(first == here == in_child())
    """) == "True\n"


@pytest.mark.tier2
def test_the_gil_is_released():
    """Python goes on while C++ works."""
    clean, shifted, labels = outputs(n=20_000, k=20)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(leeway.agreement, clean, shifted, labels, bootstrap=200, quiet=True)
        turns = 0
        while not work.done():
            turns += 1
            time.sleep(.001)
    assert work.result().pa > 0 and turns > 10


LONG = """
    import numpy, leeway, signal, sys, threading, os, time
    random = numpy.random.default_rng(0)
    clean = random.normal(size=(50000, 20)).astype("f4")
    shifted = clean + random.normal(size=clean.shape).astype("f4")
    {before}
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    sent = time.monotonic() + 1.5
    try:
        leeway.agreement(clean, shifted, bootstrap=1_000_000)
    except {error}:
        print("stopped", time.monotonic() - sent < 1)
    print(leeway.agreement(clean[:100], shifted[:100]).n)
"""


@pytest.mark.tier2
@pytest.mark.parametrize("before, error", [("", "KeyboardInterrupt"),
                                           ("""
    class Enough(Exception): pass
    def enough(*_): raise Enough
    signal.signal(signal.SIGINT, enough)""", "Enough")])
def test_an_interrupt_stops_within_a_second(before, error):
    assert in_a_process(LONG.format(before=before, error=error)).split() == ["stopped", "True", "100"]


def test_handlers_are_as_they_were(sets):
    before = signal.getsignal(signal.SIGINT)
    leeway.agreement(*sets)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


@pytest.mark.tier2
@pytest.mark.parametrize("quiet", [False, True])
def test_the_bar_is_for_terminals(sets, capfd, quiet):
    leeway.agreement(*sets, bootstrap=100)
    assert capfd.readouterr().err == ""
    pty = pytest.importorskip("pty")
    program = textwrap.dedent("""
        import numpy, leeway
        random = numpy.random.default_rng(0)
        clean = random.normal(size=(20000, 20)).astype("f4")
        leeway.agreement(clean, clean[::-1].copy(), bootstrap=1000000, quiet={})
    """)
    main, side = pty.openpty()
    working = subprocess.Popen([sys.executable, "-c", program.format(quiet)], stderr=side,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    os.close(side)
    text, ends = b"", time.monotonic() + (3 if quiet else 60)  # seconds; a bar comes after half a second of work
    while b"it/s" not in text and (left := ends - time.monotonic()) > 0:
        if select.select([main], [], [], left)[0]:
            text += os.read(main, 4096)
    assert working.poll() is None
    working.kill()
    working.wait()
    os.close(main)
    assert (b"it/s" in text and b"%|" in text) != quiet, text
    assert not (quiet and text), text


def test_nothing_heavy_is_imported():
    assert in_a_process("""
        import sys, leeway
        print(sorted({"torch", "pandas", "sklearn", "torchmetrics", "matplotlib"} & set(sys.modules)))
    """) == "[]\n"


def test_the_script_of_the_package_becomes_the_command():
    script = "import sys; from leeway import _command; sys.argv = ['leeway', *sys.argv[1:]]; _command.main()"
    done = subprocess.run([sys.executable, "-c", script, "inspect", "none.pt"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "") and "none.pt" in done.stderr, done.stderr


def test_the_package_holds_the_command():
    record = leeway.command(["list", "estimators"])
    assert record.code == 0 and record.to_dict()["results"] == leeway.list("estimators").to_dict()["results"]
    with pytest.raises(leeway.CommandError) as caught:
        leeway.command(["pa", "none.npy", "none.npy"])
    assert caught.value.code == 3 and "none.npy" in str(caught.value)
    assert pathlib.Path(leeway.__file__).with_name("py.typed").exists()


@pytest.mark.tier2
def test_a_notebook_shows_the_bar_and_stops():
    """Its Stop button is a SIGINT to the kernel."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    code = """
        import numpy, leeway
        clean = numpy.random.default_rng(0).normal(size=(20000, 20)).astype("f4")
        leeway.agreement(clean, clean[::-1].copy(), bootstrap=1000000)
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(code))])
    nbclient.NotebookClient(notebook, timeout=4, interrupt_on_timeout=True, allow_errors=True).execute()
    outputs = notebook.cells[0].outputs
    assert [output.ename for output in outputs if output.output_type == "error"] == ["KeyboardInterrupt"]
    assert "it/s" in "".join(output.text for output in outputs if output.get("name") == "stderr")


HOSTILE = r"""
import inspect, itertools, os
import numpy as np, leeway
from leeway._functions import table
r = np.random.default_rng(0)
a = r.normal(size=(10, 3))
b = a + .1
itself = []
itself.append(itself)
class Broken:
    __iter__ = property(lambda self: 1 / 0)
    def __repr__(self): return 1
odd = [np.longdouble(.9), np.clongdouble(1), np.complex64(1), np.datetime64("2026-01-01"), np.void(b"xx"), np.float16(.9), np.array(.9, np.longdouble),
       np.str_("x"), np.ones((2, 3)), np.ndarray, list, itself, {1}, {"a": itself}, object(), Broken(), "\ud800", b"x", 10**400, -10**400,
       itertools.repeat(1)]
calls = [lambda o=o, k=k: leeway.agreement(a, b, **{k: o})
         for o in odd for k in ("level", "seed", "index", "ratios", "label_column", "threads", "no_digest", "quiet")]
calls += [lambda o=o: leeway.agreement(o, b) for o in odd[:-1]]
calls += [lambda o=o: leeway.conds.split({"x": [1, 2]}, order=o) for o in odd]
calls += [lambda: leeway.report([], "page.html"), lambda: leeway.report([1], "page.html"), lambda: leeway.report(leeway.list("noises"), 1),
          lambda: leeway.report(leeway.agreement(a, b), "page.html", flips=-1), lambda: leeway.agreement(a, b, no_digest=.5),
          lambda: leeway.Classifier(len, input_shape=(.5,)), lambda: leeway.command(5), lambda: leeway.command(["\0"])]
odd = odd[:-1] + [None, (), {}, [[1, 2], [3]], {1: 2}, {"logits": None}, len, slice(1), np.ma.masked, np.full((10, 3), np.nan), np.zeros((0, 3)),
                  np.zeros((10, 3), object), a[::-1], a.T, range(10**5), "x" * 10000, "/dev/zero"]
for function in table.values():  # one argument is the value, the others are good
    parameters = list(inspect.signature(function).parameters.values())
    names = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD] or [parameters[0].name]
    calls += [lambda f=function, given={**dict.fromkeys(names, a), name: o}: f(**given) for name in names for o in odd]
for i, call in enumerate(calls):
    try:
        call()
    except leeway.Error as error:
        assert error.args[0] and "\n" not in error.args[0], error
    except TypeError as error:  # of arguments that a function does not have
        assert "got an unexpected keyword argument" in str(error), (i, error)
print("end")
"""


def test_values_of_any_type_are_one_line(tmp_path):
    assert in_a_process(f"import os; os.chdir({str(tmp_path)!r})\n" + HOSTILE) == "end\n"


def test_a_daemon_thread_does_not_abort_the_end():
    assert in_a_process("""
        import threading, time, numpy as np, leeway
        r = np.random.default_rng(0)
        seen = threading.Event()
        def logits(x):
            seen.set()
            time.sleep(.001)
            return x.reshape(len(x), -1)[:, :3]
        def callbacks():
            leeway.average_case(leeway.Classifier(logits), r.normal(size=(500, 4)), sigma=.1, methods=["mc"], draws=100000)
        def calls():
            a = r.normal(size=(20000, 10))
            while True: leeway.agreement(a, a + .1, quiet=True)
        for work in (callbacks, calls, calls): threading.Thread(target=work, daemon=True).start()
        seen.wait()
        time.sleep(.2)
        print("bye")
        """) == "bye\n"


def test_a_file_that_is_cut_while_it_is_read_is_an_error(tmp_path):
    """It raises SIGBUS."""
    said = in_a_process(f"""
        import os, threading, numpy as np, leeway
        path = {str(tmp_path / "cut.npy")!r}
        np.save(path, np.random.default_rng(0).normal(size=(1_000_000, 3)))
        def cut():
            while path not in open("/proc/self/maps").read(): pass
            os.truncate(path, 1000)
        threading.Thread(target=cut).start()
        try: leeway.agreement(path, path)
        except leeway.Error as error: print(error)
        """)
    assert "cut.npy: expected " in said and said.count("\n") == 1
