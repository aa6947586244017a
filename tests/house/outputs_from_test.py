#!/usr/bin/python3
"""The recipes of docs/guides/outputs-from.md and docs/guides/models.md write what they say. Usage: outputs_from_test.py BIN_FOLDER

Each recipe runs as it stands after a few lines that make what it speaks of. `leeway pa` then reads outputs beside ones that are known;
`leeway infer` says of a model what PyTorch says. A recipe whose software is missing is skipped; one that is never run must say so.
"""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()
SECTION = re.compile(r"^## (?P<title>.+)\n(?P<words>(?:(?!## |```).*\n)*)"
                     r"```(?:python|r)\n(?P<code>(?:(?!```).*\n)*)```$", re.M)
RECIPES, MODEL_RECIPES = ({found["title"]: found for found in SECTION.finditer((ROOT / "docs/guides" / name).read_text(encoding="utf-8"))}
                          for name in ("outputs-from.md", "models.md"))
NOT_RUN, MODELS_NOT_RUN = {"Keras"}, {"timm", "Hugging Face, safetensors", "Keras"}
WITH_THE_PACKAGE = {"Python, without a file", "scikit-learn, without a file", "PyTorch"}  # run where it is installed

KNOWN = """
import numpy
known = numpy.load("known.npz")
logits, labels = known["logits"], known["labels"]
"""
TORCH = """
import torch
class Known(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(.9)
    def forward(self, x):
        return self.drop(x)
model = Known()
data = torch.utils.data.TensorDataset(torch.tensor(logits), torch.tensor(labels))
del logits, labels
loader = torch.utils.data.DataLoader(data, batch_size=7, shuffle=False)
"""
JACOBIAN = """
import torch
class Known(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(.9)
        self.last = torch.nn.Linear(4, 3)
    def forward(self, x):
        return self.last(self.drop(torch.tanh(x).flatten(1)))
model = Known()
images = torch.randn(50, 1, 2, 2)
data = torch.utils.data.TensorDataset(images, torch.tensor(labels))
expected = model.last.weight[None] * (1 - torch.tanh(images).flatten(1) ** 2)[:, None]
numpy.savez("expected.npz", logits=model.eval()(images).detach(), jacobian=expected.detach())
del logits, labels
model.train()
loader = torch.utils.data.DataLoader(data, batch_size=7, shuffle=False)
"""
SKLEARN = """
from sklearn.linear_model import LogisticRegression
x, y = logits, numpy.array(["maple", "ash", "oak"])[labels]
classifier = LogisticRegression().fit(x, y)
order = [list(classifier.classes_).index(name) for name in ("maple", "ash", "oak")]
expected_probs = classifier.predict_proba(x)
numpy.savez("known.npz", probs=expected_probs, labels=numpy.array(order)[labels])
numpy.save("third.npy", numpy.load("third.npy")[:, [1, 0, 2]])  # ash, maple, oak
del logits, labels
"""
R = """
known <- read.csv("known.csv")
p <- known[, c("maple", "ash", "oak")]
y <- factor(known$name)
"""

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


def softmax(logits):
    exponentials = numpy.exp(logits)
    return exponentials / exponentials.sum(1, keepdims=True)


def run_program(test, command, code):
    done = subprocess.run([*command, code], cwd=test.folder, capture_output=True, text=True, timeout=300, check=False)
    test.assertEqual(done.returncode, 0, done.stderr)


class Recipes(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        rng = numpy.random.default_rng(7)
        self.labels = rng.integers(0, 3, 50)
        self.logits = rng.normal(0, 1, (50, 3)).astype(numpy.float32)
        self.logits[numpy.arange(50), self.labels] += 2
        numpy.save(self.folder / "third.npy", self.logits + rng.normal(0, 1, (50, 3)))
        numpy.savez(self.folder / "known.npz", logits=self.logits, labels=self.labels)

    def pa(self, clean, shifted):
        done = subprocess.run([str(BINARIES / "leeway"), "pa", clean, shifted, "--json"], cwd=self.folder, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["results"][0]

    def written_is_known(self, outputs, tolerance, probs=False):
        """The file has the known labels, predictions and, against a third file, the known agreement."""
        third = numpy.load(self.folder / "third.npy")
        numpy.savez(self.folder / "third.npz", **({"probs": softmax(third)} if probs else {"logits": third}))
        known, written = self.pa("known.npz", "third.npz"), self.pa(outputs, "third.npz")
        self.assertEqual((written["n"], written["k"]), (50, 3))
        self.assertTrue(.1 < known["pa_normalized"] < .9 and known["beta"] != "inf", known)
        for key in ("pa", "beta"):
            self.assertAlmostEqual(written[key], known[key], delta=tolerance)
        self.assertEqual(self.pa("known.npz", outputs)["afr_pred"], 1)
        self.assertEqual(self.pa(outputs, outputs)["afr_true"], self.pa("known.npz", "known.npz")["afr_true"])

    def need(self, module):
        if importlib.util.find_spec(module) is None:
            self.skipTest(f"python3 has no module {module}")

    def python(self, title, setup):
        run_program(self, [sys.executable, "-c"], KNOWN + setup + RECIPES[title]["code"])

    def test_numpy(self):
        self.python("NumPy", "")
        self.written_is_known("outputs.npz", 0)

    def in_memory_is_known(self, title, setup):
        """What the recipe's `result` says is what the command says of the same outputs."""
        self.need("leeway")
        write = "\nimport json, pathlib\npathlib.Path('result.json').write_text(json.dumps(result.to_dict()))\n"
        run_program(self, [sys.executable, "-c"], KNOWN + setup + RECIPES[title]["code"] + write)
        found = json.loads((self.folder / "result.json").read_text(encoding="utf-8"))["results"][0]
        known = self.pa("known.npz", "third.npy" if "NumPy" in setup else "third.npz")
        for key in ("n", "k", "pa", "afr_true"):
            self.assertEqual(found[key], known[key])

    def test_without_a_file(self):
        self.in_memory_is_known("Python, without a file", "# NumPy\nclean, shifted = logits, numpy.load('third.npy')\n")

    def test_scikit_learn_without_a_file(self):
        self.need("sklearn")
        self.in_memory_is_known("scikit-learn, without a file", SKLEARN + """
x_shifted = x + numpy.random.default_rng(9).normal(0, .5, x.shape)
y = numpy.array(["maple", "ash", "oak"])[known["labels"]]
numpy.savez("third.npz", probs=classifier.predict_proba(x_shifted))
""")

    def test_pytorch(self):
        self.need("leeway")
        self.python("PyTorch", TORCH)
        self.written_is_known("outputs.npz", 0)

    def test_pytorch_with_jacobians(self):
        self.need("torch")
        self.python("PyTorch, with Jacobians", JACOBIAN)
        expected = numpy.load(self.folder / "expected.npz")
        for name, shape in (("logits", (50, 3)), ("jacobian", (50, 3, 4))):
            written = numpy.load(self.folder / f"{name}.npy")
            self.assertEqual(written.shape, shape)
            numpy.testing.assert_allclose(written, expected[name], atol=1e-6)
        done = subprocess.run([str(BINARIES / "leeway"), "average-case", "--logits", "logits.npy", "--jacobian", "jacobian.npy", "--sigma",
                               "0.1", "--json"], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["n"], 50)

    def test_scikit_learn(self):
        self.need("sklearn")
        self.python("scikit-learn", SKLEARN)
        self.written_is_known("outputs.npz", 1e-12, probs=True)
        self.assertEqual(list(numpy.load(self.folder / "outputs.npz")["class_names"]), ["ash", "maple", "oak"])

    def test_r(self):
        if not shutil.which("Rscript"):
            self.skipTest("there is no Rscript")
        probs = softmax(self.logits.astype(float))
        rows = [[*map(repr, map(float, p)), ("maple", "ash", "oak")[label]] for p, label in zip(probs, self.labels)]
        text = "\n".join(",".join(row) for row in [["maple", "ash", "oak", "name"], *rows]) + "\n"
        (self.folder / "known.csv").write_text(text, encoding="utf-8")
        run_program(self, ["Rscript", "-e"], R + RECIPES["R"]["code"])
        numpy.savez(self.folder / "known.npz", probs=probs, labels=self.labels)
        self.written_is_known("outputs.csv", 1e-6, probs=True)

    def test_the_others_say_so(self):
        run = {"NumPy", "PyTorch, with Jacobians", "scikit-learn", "R"}
        self.assertEqual(set(RECIPES), run | WITH_THE_PACKAGE | NOT_RUN)
        for title, recipe in RECIPES.items():
            self.assertEqual("Not run by our tests" in recipe["words"], title in NOT_RUN, title)
            self.assertLessEqual(recipe["code"].count("\n"), 6, f"{title}: a recipe is short")


class Models(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def python(self, title, setup=MODEL):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("python3 has no module torch")
        run_program(self, [sys.executable, "-W", "ignore", "-c"], setup + MODEL_RECIPES[title]["code"])

    def infer(self, *arguments):
        done = subprocess.run([BINARIES / "leeway", "infer", "--data", "images.npz", "--out", "outputs.npz", "--quiet", *arguments],
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == 1 and "model library" in done.stderr:
            self.skipTest("this build has no model part")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        numpy.testing.assert_allclose(numpy.load(self.folder / "outputs.npz")["logits"], numpy.load(self.folder / "expected.npy"), atol=1e-5)

    def test_images(self):
        zeros = "import numpy\nx, y = numpy.zeros((2, 1, 3, 3)), numpy.array([0, 1])\n"
        run_program(self, [sys.executable, "-c"], zeros + MODEL_RECIPES["Images"]["code"])
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

    def test_the_others_say_so(self):
        tested = {"Images", "PyTorch, an architecture of the list", "PyTorch, any architecture", "PyTorch, by ONNX"}
        self.assertEqual(set(MODEL_RECIPES), tested | MODELS_NOT_RUN)
        for title, found in MODEL_RECIPES.items():
            self.assertEqual("Not run by our tests" in found["words"], title in MODELS_NOT_RUN, title)


if __name__ == "__main__":
    unittest.main()
