"""The notebooks run, and say what stands in them."""
import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("sklearn")
pytest.importorskip("torch")

from .notebooks import notebooks, outputs, run, words_and_numbers  # noqa: E402

CPU = pathlib.Path("/proc/cpuinfo")
WITH_AVX512 = CPU.exists() and "avx512f" in CPU.read_text()
pytestmark = pytest.mark.tier2


def test_there_are_three():
    assert len(notebooks()) == 3


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_outputs_are_those_of_a_run(path):
    committed = nbformat.read(path, as_version=4)
    nbformat.validate(committed)
    before, after = outputs(committed), outputs(run(path))
    assert before and list(before) == list(after)
    if not WITH_AVX512:
        pytest.skip("the cells ran; their numbers are those of a processor with AVX-512, on which a rounding may decide a sample otherwise")
    for place, text in before.items():
        (words, numbers), (new_words, new_numbers) = words_and_numbers(text), words_and_numbers(after[place])
        assert words == new_words, place
        assert numbers == pytest.approx(new_numbers, rel=1e-3, abs=2e-3), place


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_cells_are_in_order_and_small(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert len(notebook.cells) <= 14 and notebook.cells[0].source.startswith("# ")
    assert path.stat().st_size < 2 << 20
    assert all(output.output_type != "error" and output.get("name") != "stderr" for cell in code for output in cell.outputs)


def test_what_a_difference_looks_like():
    assert words_and_numbers("pa 1.25 of 10 in .3 s") == words_and_numbers("pa 1.25 of 10 in 7 ms") == ("pa # of 10 in 0 s", [1.25])
    assert words_and_numbers("9 flips")[0] != words_and_numbers("8 flips")[0]
