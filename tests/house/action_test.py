"""The steps of action.yml do what a pipeline needs: action_test.py BIN."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "examples/data"


def run(arguments, folder):
    """The last script of the action, with leeway where its first one installs it."""
    (folder / "leeway").mkdir()
    (folder / "leeway/bin").symlink_to(pathlib.Path(sys.argv[1]).resolve())
    script = re.search(r"run: \|\n(.*?)\n    - if", (ROOT / "action.yml").read_text(), re.S)[1]
    environment = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    script = script.replace("${{ inputs.arguments }}", arguments)
    return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True)


for limit, status in ((0.5, 0), (0.9, 4)):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = run(f"--source {DATA}/clean.npz --target blur={DATA}/blurred.npz --fail-if 'accuracy_low<{limit}'", folder)
        assert done.returncode == status, done.stderr
        kept = folder / "leeway-assessment"
        assert {file.name for file in kept.iterdir()} == {"assessment.json", "gates.xml", "report.html"}
        assert "blur" in (folder / "summary").read_text()
