#!/usr/bin/python3
"""The recipes of docs/models.md write models that leeway reads. Usage: models_test.py BIN_FOLDER

Each recipe runs as it stands after a few lines that make what it speaks of; `leeway infer` then says what PyTorch says. A recipe that
is never run must say so.
"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()
SECTION = re.compile(r"^## (?P<title>.+)\n(?P<words>(?:(?!## |```).*\n)*)```python\n(?P<code>(?:(?!```).*\n)*)```$", re.M)
RECIPES = {found["title"]: found for found in SECTION.finditer((ROOT / "docs/models.md").read_text(encoding="utf-8"))}
NOT_RUN = {"timm", "Hugging Face, safetensors", "Keras"}

# leeway's `linear`, and dropout that must not run.
MODEL = """
import numpy, torch
torch.manual_seed(3)
class Flat(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3 * 4 * 5, 6)
        self.drop = torch.nn.Dropout(.9)
    def forward(self, x):
        return self.drop(self.fc(x.flatten(1)))
model = Flat()
x = torch.rand(40, 3, 4, 5)
numpy.savez("images.npz", x=x.numpy())
numpy.save("expected.npy", model.eval()(x).detach().numpy())
model.train()
"""


class Models(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_program(self, command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def python(self, title, setup=MODEL):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("python3 has no module torch")
        self.run_program([sys.executable, "-W", "ignore", "-c", setup + RECIPES[title]["code"]])

    def infer(self, *arguments):
        done = subprocess.run([BINARIES / "leeway", "infer", "--data", "images.npz", "--out", "outputs.npz", "--quiet", *arguments],
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == 1 and "model library" in done.stderr:
            self.skipTest("this build has no model part")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        numpy.testing.assert_allclose(numpy.load(self.folder / "outputs.npz")["logits"], numpy.load(self.folder / "expected.npy"), atol=1e-5)

    def test_images(self):
        self.run_program([sys.executable, "-c", "import numpy\nx, y = numpy.zeros((2, 1, 3, 3)), numpy.array([0, 1])\n" + RECIPES["Images"]["code"]])
        self.assertEqual(numpy.load(self.folder / "images.npz")["x"].shape, (2, 1, 3, 3))

    def test_checkpoint(self):
        self.python("PyTorch, an architecture of the list", MODEL + "model = model.fc\n")
        self.infer("--model", "model.pth", "--arch", "linear")

    def test_torchscript(self):
        self.python("PyTorch, any architecture")
        self.infer("--model", "model.pt")

    def test_onnx(self):
        self.python("PyTorch, by ONNX")
        self.infer("--model", "model.onnx")

    def test_recipes_that_are_not_run_say_so(self):
        tested = {"Images", "PyTorch, an architecture of the list", "PyTorch, any architecture", "PyTorch, by ONNX"}
        self.assertEqual(set(RECIPES), tested | NOT_RUN)
        for title, found in RECIPES.items():
            self.assertEqual("Not run by our tests" in found["words"], title in NOT_RUN, title)


if __name__ == "__main__":
    unittest.main()
