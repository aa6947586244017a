"""The Python of the documents runs."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.tier2


@pytest.mark.parametrize("document, section", [("README.md", "## From Python"), ("docs/get-started/python.md", ""), ("docs/guides/attacks.md", ""), ("docs/concepts/average-case.md", "")])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_examples_run(document, section, tmp_path, monkeypatch):
    text = (ROOT / document).read_text(encoding="utf-8")
    text = text[text.index(section):]
    if section:
        text = text[:text.index("\n## ", 1)]
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)  # pylint: disable=exec-used
    assert (tmp_path / "page.html").exists() == ("page.html" in text)
