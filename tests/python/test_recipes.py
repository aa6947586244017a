"""The recipes of docs/guides/outputs-from.md that need the package; tests/house runs the others."""
import pathlib
import subprocess
import sys

import pytest

from leeway import _command

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.tier2


def test_recipes_with_the_package():
    tests = ["Recipes.test_without_a_file", "Recipes.test_scikit_learn_without_a_file", "Recipes.test_pytorch"]
    done = subprocess.run([sys.executable, ROOT / "tests/house/outputs_from_test.py", pathlib.Path(_command.binary()).parent, *tests],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "Ran 3 tests" in done.stderr and "skipped" not in done.stderr, done.stderr
