#!/usr/bin/python3
"""Kills train, attack, attack curve, shift corrupt, sweep run and assess at random times (SIGKILL), of a sweep also its units, and runs each again.

    tests/hostile/kills.py build/release/bin [--kills 100] [--seed 0]

The outputs must have the bits of a run that nobody killed, and no temporary file, state or claim may be left. Seconds are masked.
"""
import argparse
import contextlib
import csv
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
import inputs  # noqa: E402

SETUP = ["data render dsprites --size 16 --sample 400 --seed 1 --out train.npz",
         "train --data train.npz --arch small-cnn --steps 20 --threads 1 --out model.safetensors",
         "sweep plan kills.toml --out sweep"]
STUDY = """render = {command = "data render", name = "dsprites", sample = 60, size = 16, seed = [1, 2, 3], out = "x.npz"}
shift = {name = ["gaussian-noise", "contrast"], data = "{render}", strength = "grid 6 from 0.1 to 0.6", out = "y.npz"}
"""
# The command, and the files that it makes.
COMMANDS = {
    "train": ("train --data train.npz --arch small-cnn --algorithm pgd --set steps=2 --epochs 4 --batch 16 --patience 0 --threads 1 "
              "--out t.safetensors", ["t.safetensors"]),
    "attack": ("attack --model model.safetensors --data train.npz --eps 0.1 --steps 200 --threads 1 --out a.npz", ["a.npz"]),
    "attack curve": ("attack curve --model model.safetensors --data train.npz --attack pgd,fmn --eps 0.05,0.1 --steps 20 --shares 0.5,1 "
                     "--out curve --jobs 2", ["curve/curve.json"]),
    "shift corrupt": ("shift corrupt --model model.safetensors --data train.npz --corruptions fog,contrast,gaussian-noise --threads 1 "
                      "--out corrupt.json", ["corrupt.json"]),
    "sweep run": ("sweep run sweep --jobs 2 --collect runs.csv", ["runs.csv"]),
    "assess": ("assess --source source.npz --target target.npz free=unlabeled-target.npz --bootstrap 20 --threads 1 --out assess.json "
               "--rows-csv rows.csv", ["assess.json", "rows.csv"]),
}


def masked(value):
    return {key: item for key, item in value.items() if "seconds" not in key}


def bits_of(path):  # without seconds
    if path.suffix == ".json":
        return json.loads(path.read_text(), object_hook=masked)
    if path.name == "runs.csv":
        rows = list(csv.reader(path.open(newline="")))
        kept = [i for i, name in enumerate(rows[0]) if "seconds" not in name]
        return [[row[i] for i in kept] for row in rows]
    return path.read_bytes()


def left_behind(folder):
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or path.is_symlink()]
    return [name for name in names if ".partial-" in name or name.endswith((".state", ".base")) or name.startswith(("sweep/work/", "sweep/claims/", "curve/work/", "curve/claims/"))]


def children_of(process):
    return [int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


class Kills:
    def __init__(self, program, base, rng):
        self.program, self.base, self.rng, self.violations = program, base, rng, 0
        inputs.make(base, ROOT)
        (base / "kills.toml").write_text(STUDY)
        for line in SETUP:
            self.run(line, base)

    def start(self, line, folder):
        return subprocess.Popen([self.program, *shlex.split(line), "--quiet"], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self, line, folder):
        process = self.start(line, folder)
        _, error = process.communicate(timeout=600)
        if process.returncode:
            raise RuntimeError(f"{line}: exit {process.returncode}: {error.decode(errors='replace')}")

    def kill_each(self, name, kills):
        line, files = COMMANDS[name]
        whole = self.base.parent / "whole"
        shutil.copytree(self.base, whole)
        begin = time.monotonic()
        self.run(line, whole)
        length, wanted, killed = time.monotonic() - begin, {file: bits_of(whole / file) for file in files}, 0
        shutil.rmtree(whole)
        for index in range(kills):
            folder, wait = self.base.parent / "killed", length * self.rng.uniform(.02, 1)
            shutil.copytree(self.base, folder)
            process = self.start(line, folder)
            time.sleep(wait)
            units = children_of(process) if name in ("sweep run", "attack curve") and index % 2 else []
            with contextlib.suppress(ProcessLookupError):  # a unit that ended; the runner goes on
                [os.kill(unit, signal.SIGKILL) for unit in units[:1]]
            if not units:
                process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL or len(units) > 0
            process.stderr.close()
            found = [f"{file} appeared with other bits" for file in files
                     if (folder / file).exists() and bits_of(folder / file) != wanted[file]]
            try:
                self.run(line, folder)
                found += [f"{file} has other bits" for file in files if bits_of(folder / file) != wanted[file]]
                found += [f"{file} is left" for file in left_behind(folder)]
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as failure:
                found.append(f"the run afterwards: {failure}")
            if found:
                self.violations += 1
                print(f"{name}: kill {index} after {wait:.3f} s: {'; '.join(found)[:1000]}\n  leeway {line}", flush=True)
            shutil.rmtree(folder)
        print(f"{name}: {killed} of {kills} runs killed before their end, {length:.2f} s whole", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binaries", help="folder of the leeway program")
    for name, default in [("kills", 12), ("seed", 0)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", default="", help="one of " + ", ".join(COMMANDS))
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.binaries).resolve() / "leeway"
    with tempfile.TemporaryDirectory(prefix="leeway-kills-") as temporary:
        kills = Kills(program, pathlib.Path(temporary) / "base", random.Random(arguments.seed))
        for name in [arguments.only] if arguments.only else COMMANDS:
            kills.kill_each(name, arguments.kills // (1 if arguments.only else len(COMMANDS)))
    print(f"{kills.violations} violations, seed {arguments.seed}")
    return 1 if kills.violations else 0


if __name__ == "__main__":
    sys.exit(main())
