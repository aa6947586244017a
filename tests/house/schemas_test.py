#!/usr/bin/python3
"""What the command prints with --json is what leeway schema promises. Usage: schemas_test.py BIN_FOLDER

Each record is validated, then broken: without any one of its keys, or with a value of a wrong type there, it must be refused, so a
schema that lacks a key fails. Keys that a schema does not know are allowed. The commands that run models are tried where the build has
the model part.
"""
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()

SCRATCH = tempfile.TemporaryDirectory()
SCHEMAS = pathlib.Path(SCRATCH.name)
subprocess.run([BINARIES / "leeway", "schema", "--out", SCHEMAS], check=True)

MAPS = {"about", "not_computed", "parameters", "distances", "weights", "parts"}  # objects with free keys


@functools.cache
def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def name_of(record):
    return re.fullmatch(r"leeway\.([a-z-]+)/\d+", record["schema"]).group(1)


def keys_of(tree, path=()):
    """The paths of all keys; of a list, those of its first element."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield (*path, key)
            yield from keys_of(value, (*path, key))
    elif isinstance(tree, list) and tree:
        yield from keys_of(tree[0], (*path, 0))


def shortened(tree):
    """Of each list of objects, the first."""
    if isinstance(tree, dict):
        return {key: shortened(value) for key, value in tree.items()}
    return [shortened(tree[0])] if isinstance(tree, list) and tree and isinstance(tree[0], dict) else tree


# Commands whose records are checked, in this order; in front the exit status where it is not 0.
COMMANDS = """
sweep plan study.toml --out sweep
5 sweep run sweep --quiet
sweep status sweep
5 sweep collect sweep --out runs.csv
sweep report sweep --measure pa --case pa.shifted
pa examples/data/clean.npz examples/data/blurred.npz --curve 5
pa logits.npy logits.npy --no-digest --summaries
pa plain.npz shifted.npz logits.npy --bootstrap 20 --shared-beta
pa plain.npz shifted.npz --summaries
pa plain.npz shifted.npz --compare b=plain.npz,logits.npy --ratios 0,.5,1
distances plain.npz shifted.npz logits.npy
distances plain.npz shifted.npz --only cosine,kl
mvn-cdf --upper z.npy --covariance r.npy
average-case --logits f.npy --jacobian j.npy --sigma 0.1,0.5
average-case --logits f1.npy --gram g1.npy --sigma 1
select --clean logits.npy --shifted logits.npy
select --clean examples/data/clean.npz examples/data/blurred.npz --shifted examples/data/blurred.npz examples/data/clean.npz --names a b
bound --source plain.npz --target shifted.npz --methods ac,cot --bootstrap 20
bound --source plain.npz --target logits.npy --bootstrap 0 --temperature off --methods cot
bound --source plain.npz --target shifted.npz --methods dis2 --restarts 2
bound evaluate shifts.csv --delta .01
bound evaluate shifts.csv --methods cot
4 assess --source examples/data/clean.npz --target blur=examples/data/blurred.npz production=examples/data/production.npz --fail-if accuracy<.85
assess --source plain.npz --target same=plain.npz other=shifted.npz bare=logits.npy
assess --source a=plain.npz b=shifted.npz --target a/s=shifted.npz b/s=plain.npz --out record.json
assess --source plain.npz --target s=shifted.npz --jacobian j.npy --sigma 0.1,0.5 --no-bounds
shift contrast --data images.npz --out contrast.npz
shift label-subset --data images.npz --classes 0,2 --out subset.npz
shift text amplify --data texts.csv --sheet --out amplified.csv
conds draw --attributes table.csv --label y --sc a --ldd b --plan --train 1000
conds draw --attributes table.csv --label y --train 12 --columns a,b --sc a --out split.csv
conds describe --attributes table.csv --index split.csv --label y --columns a,b --outputs all.npz --permutations 199 --bootstrap 199
conds describe --source table.csv --label y --columns a,b --permutations 19 --bootstrap 19
conds describe --outputs plain.npz --permutations 19 --bootstrap 19
data render shapes3d --protocol --sample 5 --attributes rooms.csv
data render shapes3d --size 8 --table rooms.csv --out rooms.npz
data load smallnorb LAYOUTS/norb-dat.mat --out toys.npz --attributes toys.csv
data load celeba LAYOUTS/list_attr_celeba.txt --attributes faces.csv
data load folder LAYOUTS/folders --out pictures.npz --label domain
data diagvib DIGITS 3-cgo --part all --out pairs --sheet pairs.png
align before.npz after.npz before.npz --sample 40
list shifts
list
report record.json --out page.html
"""
# Those that need the part that runs models.
MODEL_COMMANDS = """
train LINEAR --out linear.safetensors
train LINEAR --index index.csv --out named.safetensors
train LINEAR --algorithm pgd --set steps=1 --out robust.safetensors
train LINEAR --select pa --select-shift gaussian-noise:0.2 --keep-epochs kept --out pa.safetensors
infer --model linear.safetensors --data images.npz --out outputs.npz
inspect linear.safetensors --data images.npz
attack --model linear.safetensors --data images.npz --out attacked.npz
attack --model linear.safetensors --data images.npz --attack fmn --norm l2 --steps 5 --out near.npz
attack curve --model linear.safetensors --data images.npz --attack fgsm,fmn --eps 1/10 --shares 0.5,1 --out curve
train --data images.npz --arch small-cnn-bn --epochs 1 --threads 1 --seed 1 --out normalized.safetensors
adapt --model normalized.safetensors --data images.npz --out adapted.safetensors
average-case --model linear.safetensors --data images.npz --rows 30 --sigma 0.1 --methods mc,mmse --draws 20 --convergence
assess --source outputs.npz --target same=outputs.npz --model linear.safetensors --images images.npz --sigma 0.1 --survival-rows 30 --no-bounds
"""
SHORT = {"LAYOUTS": str(ROOT / "tests" / "reference" / "layouts"), "LINEAR": "--data images.npz --arch linear --epochs 1 --threads 1 --seed 1",
         "DIGITS": "--digits digits.npz --test-digits test-digits.npz --size 28 --n 6 --environment"}


class Records(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.seen = set()
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "examples").symlink_to(ROOT / "examples")
        rng = numpy.random.default_rng(1)
        labels = numpy.arange(120) % 3
        images = rng.integers(0, 60, (120, 1, 28, 28)) + labels[:, None, None, None] * 90
        numpy.savez(cls.folder / "images.npz", x=images.astype(numpy.uint8), y=labels)
        logits = rng.normal(0, 1, (60, 3))
        logits[numpy.arange(60), labels[:60]] += 2
        for name in ("plain", "shifted"):
            numpy.savez(cls.folder / f"{name}.npz", logits=logits, labels=labels[:60],
                        groups=(numpy.arange(60) // 3 % 2)[:, None])
            logits = logits + rng.normal(0, 2, logits.shape)
        numpy.save(cls.folder / "logits.npy", logits)
        numpy.savez(cls.folder / "all.npz", logits=numpy.eye(3)[numpy.arange(1200) % 3], labels=numpy.arange(1200) % 3)
        numpy.save(cls.folder / "z.npy", numpy.array([[1., 0, 2], [-40, -40, -40]]))
        numpy.save(cls.folder / "r.npy", numpy.eye(3) + numpy.array([[0, .5, .2], [.5, 0, -.3], [.2, -.3, 0]]))
        numpy.save(cls.folder / "f.npy", rng.normal(0, 1, (60, 3)))
        numpy.save(cls.folder / "j.npy", rng.normal(0, 1, (60, 3, 4)))
        numpy.save(cls.folder / "f1.npy", numpy.array([[1., 0, 2]]))  # one sample: no interval, classes without any
        numpy.save(cls.folder / "g1.npy", numpy.eye(3)[None])
        features = rng.normal(0, 1, (60, 4))
        for name, moved in (("before", features), ("after", features + rng.normal(0, .1, features.shape))):
            numpy.savez(cls.folder / f"{name}.npz", logits=features[:, :3], features=moved, labels=labels[:60])
        digits = numpy.zeros((300, 1, 28, 28), numpy.uint8)
        for i in range(300):
            digits[i, 0, 4:24, 10 + i % 5:16] = 255
        for name in ("digits", "test-digits"):
            numpy.savez(cls.folder / f"{name}.npz", x=digits, y=numpy.arange(300) % 10)
        for name, text in {"study.toml": '[pa]\nclean = "examples/data/clean.npz"\nshifted = ["examples/data/blurred.npz", '
                                         '"examples/data/production.npz"]\n',  # production has another number of rows
                           "shifts.csv": "data_set,truth,ac,cot\na,.5,.6,.4\na,.6,.6,.5\nb,.7,.9,.8\n",
                           "texts.csv": "label,text\n1,some words\n0,more\n",
                           "table.csv": "id,y,a,b\n" + "".join(f"{i},{'uvw'[i % 3]},{i // 3 % 2},{i // 6 % 2}\n" for i in range(1200)),
                           "index.csv": "index,split\n" + "".join(f"{i},{'train' if i % 3 else 'val'}\n" for i in range(60))}.items():
            (cls.folder / name).write_text(text, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_leeway(self, arguments, status=0, environment=None):
        done = subprocess.run([str(BINARIES / "leeway"), *arguments.split(), "--json"], cwd=self.folder, capture_output=True,
                              text=True, timeout=500, check=False, env=environment)
        self.assertEqual(done.returncode, status, f"leeway {arguments}\n{done.stderr}")
        record = json.loads(done.stdout)
        self.assertIn(record["instruction_set"], ("baseline", "avx2", "avx512"))
        return record

    def valid(self, record):
        errors = validator(name_of(record)).iter_errors(record)
        errors = [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in errors]
        self.assertEqual(errors, [], record["schema"])

    def check(self, record):
        """The record is valid; without any key of it, or with another type there, it is not."""
        name = name_of(record)
        checker = validator(name)
        self.valid(record)
        self.valid({**record, "a key of tomorrow": 1})
        record = shortened(record)
        self.valid(record)
        for path in list(keys_of(record)):
            shape = name, *(step for step in path if step != 0)
            if shape in self.seen or MAPS & set(shape[:-1]):
                continue
            self.seen.add(shape)
            parent = record
            for step in path[:-1]:
                parent = parent[step]
            was = parent.pop(path[-1])
            self.assertFalse(checker.is_valid(record), f"{name}: accepted without {path}")
            parent[path[-1]] = [[[True]]] if was is None or isinstance(was, bool) else True
            self.assertFalse(checker.is_valid(record), f"{name}: accepted {path} = {parent[path[-1]]}")
            parent[path[-1]] = was

    def check_all(self, commands):
        for line in commands.strip().splitlines():
            with self.subTest(line):
                status, _, command = line.partition(" ") if line[0].isdigit() else (0, "", line)
                for word, words in SHORT.items():
                    command = command.replace(word, words)
                self.check(self.run_leeway(command, int(status)))

    def test_records(self):
        self.check_all(COMMANDS)

    def test_records_of_models(self):
        if subprocess.run([BINARIES / "leeway", "list", "attacks"], capture_output=True, check=False).returncode == 1:
            self.skipTest("this build has no model part")
        self.check_all(MODEL_COMMANDS)

    def test_without_the_part_that_runs_models(self):
        self.check(self.run_leeway("list", environment={"LEEWAY_NN_LIBRARY": "/nonexistent"}))

    def test_values_out_of_range(self):
        for command, path, wrong in (("distances plain.npz shifted.npz --only kl", ("distances", "kl"), -1),
                                     ("mvn-cdf --upper z.npy --covariance r.npy", ("method",), "magic"),
                                     ("pa plain.npz shifted.npz", ("beta_shared",), "yes")):
            record = self.run_leeway(command)
            parent = record["results"][0]
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = wrong
            self.assertFalse(validator(name_of(record)).is_valid(record), command)

    def test_manifests_are_records(self):
        for command, manifest in (("conds draw --attributes table.csv --label y --train 12 --columns a,b --all --out cases", "cases/manifest.json"),
                                  ("data render dsprites --size 16 --only shape=heart --sample 9 --out hearts.npz --attributes hearts.csv"
                                   " --sheet hearts.png", "hearts.manifest.json"),
                                  (f"data diagvib {SHORT['DIGITS']} discriminability --out env.npz --attributes env.csv", "env.manifest.json")):
            record = self.run_leeway(command)
            self.check(record)
            written = json.loads((self.folder / manifest).read_text(encoding="utf-8"))
            self.assertEqual({**written, "seconds": 0}, {**record, "seconds": 0})

    def test_every_record_has_a_schema_and_none_is_written_by_hand(self):
        def named(folder):
            return {found for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")
                    for found in re.findall(r'"leeway\.([a-z-]+)/\d+"', path.read_text(encoding="utf-8"))}

        # Besides: the text of a training in its weights' file.
        self.assertEqual(sorted(named("leeway/tasks") - {"training"}), sorted(path.stem for path in SCHEMAS.glob("*.json")))
        self.assertEqual(sorted(named("apps")), [])

    def test_the_command_lists_and_prints_schemas(self):
        def said(*words):
            return subprocess.run([BINARIES / "leeway", "schema", *words], check=True, capture_output=True, text=True).stdout

        self.assertEqual({line.split()[0] for line in said().splitlines()}, {path.stem for path in SCHEMAS.glob("*.json")})
        self.assertEqual(said("pa"), (SCHEMAS / "pa.json").read_text(encoding="utf-8"))
        self.assertEqual(said("pa", "--keys"), (SCHEMAS / "pa.md").read_text(encoding="utf-8"))
        self.assertEqual(subprocess.run([BINARIES / "leeway", "schema", "nothing"], check=False, capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
