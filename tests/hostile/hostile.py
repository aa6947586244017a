#!/usr/bin/python3
"""Hostile inputs: command lines, damaged files and mutated records, made from a seed.

    tests/hostile/hostile.py build/release/bin                                        # small: some minutes
    tests/hostile/hostile.py build/release/bin --commands 5000 --files 2000 --records 10000

The files of ../shared/cases/hostile, if that folder is there, run first, each with the exit code that its README requires.
Command lines are those of tests/golden/cases.txt, changed, with the options and types that `leeway help COMMAND` prints. Each
command must end within 60 s, not by a signal, and below 2 GB of memory. A failure is exit 2 or 3 and one line on stderr;
exit 1 with one line is for what the machine refuses. Records are read by the program of --asan, if it is there. Each violation
is printed with its command and with the arguments that repeat it alone, in a folder that stays with --keep.
"""
import argparse
import collections
import concurrent.futures
import copy
import gzip
import io
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
import golden  # noqa: E402
import inputs  # noqa: E402
from stored_form import PROGRESS  # noqa: E402

MOST_SECONDS, MOST_MEMORY, ADDRESSES = 60, 2 << 20, 16 << 30  # memory in KiB; address space in bytes, so that the machine survives
KNOWN = sorted(path for path in (ROOT.parent / "shared/cases/hostile").glob("*_*.*")) + sorted((ROOT.parent / "shared/cases/hostile").glob("*.pt"))
# The command of a file, by the end of its name, and the exit codes that are right.
KNOWN_COMMANDS = {"outside.sh": ("sh {} {leeway}", [0]), "spins.sh": ("sh {} {leeway}", [0]), ".toml": ("{leeway} sweep plan {} --out known", [0, 3]),
                  ".py": ("{python} {}", [0]), "inf_sigsegv.onnx": ("{leeway} attack --model {} --data img.npz --attack fgsm --eps .1 --out o.npz", [3]),
                  ".onnx": ("{leeway} infer --model {} --data im8.npz --out o.npz", [3]), ".json": ("{leeway} report {} --out r.html", [3]),
                  ".h5": ("{leeway} data load shapes3d {} --out o.npz", [3]), "Print.pt": ("{leeway} infer --model {} --data img.npz --out o.npz --json", [0]),
                  ".pt": ("{leeway} infer --model {} --data img.npz --out o.npz", [3])}
SKIPPED = {"help", "train-algorithms", "train-methods", "train-options", "errors"}  # groups of golden cases
EXTRA = ["train --data train.npz --arch linear --steps 2 --batch 32 --threads 1 --out t.safetensors",
         "train --data train.npz --attributes train.csv --group-column obj_color --algorithm group-dro --arch linear --steps 2 "
         "--batch 16 --threads 1 --out t.safetensors",
         "sweep status sweep --json", "sweep run sweep --quiet", "sweep collect sweep --out runs.csv", "sweep script sweep"]
# Values of a wrong type, range, encoding or length. A legal number that asks for much work is none of them.
WORDS = [b"", b" ", b"-1", b"0", b"1", b"2", b"3", b"1e309", b"nan", b"inf", b"-inf", b"1e-320", b"18446744073709551616", b"9" * 40, b"0x10",
         b"1/0", b"0/0", b"8/255/3", b"50%", b"\xff\xfe\x80", "½".encode(), b"a\nb", b"\x1b[2J", b"../x", b"..", b"/", b".", b"/dev/null",
         b"/dev/full", b"-", b"--", b"-x", b"n" * 255, b"n" * 256, b"n" * 5000, b"%s%n", b"{", b"{}", b"{model}", b"{model", b"*", b"none*",
         b"[", b"~", b",", b",,", b"=", b"a=", b"=b", b"1:2:0", b"2:1:0.5", b"0:1e9:0.0001", b"a,b,c", b"0,0,0", b"missing.npz", b"layouts",
         b"'", b'"', b"\\", b"none", b"auto", b"true", b"x=1", b"=SUM(1)", b"null", b"[]"]
TOKENS = [b"nan", b"-1", b"1e999", b"", b"9" * 30, b"\xff", b'"', b"\x00", b"[" * 2000, b"{" * 2000, b"null", b"true", b"\n\n", b",,,", b"\r", b"1" * 9000]
VALUES = [None, True, -1, 0, 1e308, -1e308, 5e-324, 2**63, 2**70, "", "nan", "inf", "x", "\x00\x1b[2J", "<script>", "n" * 10000, [], {}, [[]], [None],
          ["inf"], [1e308] * 100, {"": 0}]


class Result(collections.namedtuple("Result", "code seconds kib out err")):
    @property
    def lines(self):
        return [line for line in self.err.decode(errors="replace").split("\n")[:-1] if not PROGRESS.fullmatch(line)]

    def violation(self, measured=True):
        if self.seconds > MOST_SECONDS:
            return f"{self.seconds:.0f} s"
        if self.code < 0:
            return f"signal {-self.code}"
        if measured and self.kib > MOST_MEMORY:
            return f"{self.kib >> 10} MB"
        if self.code in (0, 4, 5):
            return ""
        if self.code not in (1, 2, 3):
            return f"exit {self.code}: {self.lines[:5]}"
        if len(self.lines) != 1 or not self.lines[0].startswith("leeway: "):
            return f"exit {self.code} and {len(self.lines)} lines: {self.lines[:3]}"
        if self.code == 1 and not re.search("cannot (write|make|read|rename)|provide more memory|needs? |requires? |sbatch", self.lines[0]):
            return f"exit 1: {self.lines[0]}"
        return ""


def run(words, folder, environment=None):
    """Runs it to its end; its own memory, not that of all children."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                   env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8", **(environment or {})})
        if not environment:  # AddressSanitizer takes terabytes of addresses
            resource.prlimit(process.pid, resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        timer = threading.Timer(MOST_SECONDS + 5, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        out.seek(0), err.seek(0)
        return Result(process.returncode, seconds, usage.ru_maxrss, out.read(1 << 20), err.read(1 << 20))


# ---- damage ------------------------------------------------------------------------------------------------------------

def damaged_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        size = len(data)
        at = min(rng.choice([rng.randrange(size + 1), rng.randrange(min(size, 128) + 1)]), max(size - 1, 0))
        length = rng.choice([1, 2, 4, 8, 64])
        how = rng.randrange(7)
        if how == 0 and size:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[at:at + length] = rng.choice([b"\xff", b"\x00", b"\x7f", b"\x80"]) * length
        elif how == 2:
            del data[at:]
        elif how == 3:
            del data[at:at + length]
        elif how == 4:
            data[at:at] = data[at:at + 64]
        elif how == 5:
            data[at:at + length] = rng.choice(TOKENS)
        else:
            data[at:at] = rng.randbytes(length)
    return bytes(data)


def damaged_file(data, rng):
    """Of archives half of the time a member, so that its checksum is right."""
    try:
        if data[:2] == b"\x1f\x8b" and rng.random() < .5:
            return gzip.compress(damaged_bytes(gzip.decompress(data), rng), 1, mtime=0)
        if data[:4] == b"PK\x03\x04" and rng.random() < .6:
            packed = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
                chosen = rng.choice(old.namelist())
                for info in old.infolist():
                    bytes_of = old.read(info)
                    new.writestr(zipfile.ZipInfo(info.filename), damaged_bytes(bytes_of, rng) if info.filename == chosen else bytes_of)
            return packed.getvalue()
    except (OSError, EOFError, zipfile.BadZipFile):
        pass
    return damaged_bytes(data, rng)


def mutated(record, rng):
    record = copy.deepcopy(record)
    for _ in range(rng.choice([1, 1, 2, 4])):
        places, stack = [], [record]
        while stack:
            here = stack.pop()
            for key in (here if isinstance(here, dict) else range(len(here))):
                places.append((here, key))
                if isinstance(here[key], (dict, list)) and len(places) < 20000:
                    stack.append(here[key])
        if not places:
            break
        (here, key), (other, wanted) = rng.choice(places), rng.choice(places)
        how = rng.randrange(7)
        if how < 3:
            here[key] = copy.deepcopy(rng.choice(VALUES))
        elif how == 3:
            del here[key]
        elif how == 4:
            here[key] = copy.deepcopy(other[wanted])
        elif isinstance(here[key], list) and here[key]:
            here[key] = here[key][:-1] if how == 5 else here[key] + [copy.deepcopy(here[key][-1])]
        elif isinstance(here[key], (int, float)) and not isinstance(here[key], bool):
            here[key] = rng.choice([-here[key], here[key] + 1, here[key] * 1000, float(here[key]) + .5])
    return record


# ---- cases -------------------------------------------------------------------------------------------------------------

def state_of(path):
    found = path.stat(follow_symlinks=False)
    return found.st_mtime_ns, found.st_size, found.st_mode


class Cases:
    def __init__(self, arguments, base):
        self.program = str(pathlib.Path(arguments.binaries).resolve() / "leeway")
        self.asan = str(arguments.asan.resolve()) if arguments.asan.exists() else ""
        self.python = str(arguments.python.absolute()) if arguments.python.exists() else ""
        self.arguments, self.base, self.options, self.right = arguments, base, {}, {}
        groups = golden.read_cases(ROOT / "tests/golden/cases.txt")
        inputs.make(base, ROOT)
        for line in [*groups["sets"], "sweep plan study_small.toml --out sweep --quiet", "sweep run sweep --quiet --jobs 2"]:
            ended = run([self.program, *shlex.split(line)], base)
            if ended.code:
                sys.exit(f"{line}: {ended.err.decode()}")
        self.lines = [shlex.split(line) for group in groups if group not in SKIPPED for line in groups[group]]
        self.lines += [shlex.split(line) for line in EXTRA]
        self.states = {str(path.relative_to(base)): state_of(path) for path in base.rglob("*") if path.is_file()}
        self.files = sorted(self.states)
        self.top = sorted(name for name in self.files if "/" not in name)
        self.records = [json.loads(path.read_text()) for path in sorted([*(ROOT / "tests/reference").glob("*_record.json"),
                                                                         *(ROOT / "tests/fuzz/seeds").glob("record_*.json")])]

    def options_of(self, words):  # [(name, type)] as the command's help prints them; the type is "" for a flag
        command = " ".join(word for word in words[:2] if re.fullmatch("[a-z][a-z-]*", word))
        if command not in self.options:
            text = run([self.program, *command.split(), "--help"], self.base).out.decode()
            if "Options:" not in text:
                text = run([self.program, words[0], "--help"], self.base).out.decode()
            found = re.findall(r"^  (?:-\w,)?(--[a-z-]+)(?: ([A-Za-z:|.-]+))?", text, re.M)
            self.options[command] = [option for option in found if option[0] != "--slurm"] or [("--seed", "UINT")]
        return self.options[command]

    def value(self, kind, rng):
        if "|" in kind and rng.random() < .6:
            return rng.choice(kind.split("|")).encode()
        return rng.choice([rng.choice(WORDS), rng.choice(self.top).encode(), rng.choice(WORDS)])

    def command(self, rng, folder):
        line = rng.choice(self.lines)
        options = self.options_of(line)
        words = [word.encode() for word in line]
        for _ in range(rng.choice([1, 1, 2, 3])):
            at, how = rng.randrange(1, len(words) + 1), rng.randrange(8)
            name, kind = rng.choice(options)
            if how < 2:
                words[at:at + 1] = [self.value("", rng)]
            elif how < 5:
                words[at:at] = [name.encode()] + ([self.value(kind, rng)] if kind or rng.random() < .1 else [])
            elif how == 5:
                del words[at:at + 1]
            elif how == 6:
                words[at:at] = rng.sample(words[1:], min(2, len(words) - 1)) if len(words) > 1 else [b"pa"]
            else:
                words = words[:at] + [rng.choice(self.top).encode()]
        return [self.program, *words], self.program

    def file(self, rng, folder):  # a command line of which one input is damaged, or a file of its folder
        while True:
            words = rng.choice(self.lines)
            named = [word.split("=")[-1] for i, word in enumerate(words) if i and words[i - 1] != "--out"]
            inside = {name: [file for file in self.files if file == name or file.startswith(name + "/")] for name in named}
            if any(inside.values()):
                break
        name = rng.choice(rng.choice([files for files in inside.values() if files]))
        path = folder / name
        path.write_bytes(damaged_file(path.read_bytes(), rng))
        return [self.program, *words], name

    def record(self, rng, folder):
        text = json.dumps(mutated(rng.choice(self.records), rng)).encode()  # may hold NaN and Infinity, which are no JSON
        if rng.random() < .1:
            text = damaged_bytes(text, rng)
        (folder / "hostile.json").write_bytes(text)
        return [self.asan or self.program, "report", "hostile.json", "--out", "hostile.html"], "hostile.json"

    def known(self, index, folder):
        path = KNOWN[index]
        for other in (path, path.parent / "im8.npz"):
            data = other.read_bytes().replace(b"'python3'", repr(self.python).encode())
            (folder / other.name).write_bytes(data.replace(b"D=$(mktemp -d); cd $D", b"D=.").replace(b"examples/data/", b"") if other.suffix == ".sh" else data)
        numpy.savez(folder / "img.npz", x=numpy.random.RandomState(0).randint(0, 256, (40, 1, 28, 28)).astype("u1"))
        line, self.right[index] = next(command for end, command in KNOWN_COMMANDS.items() if path.name.endswith(end))
        return line.format(path.name, leeway=self.program, python=self.python or "true").split(), path.name

    def one(self, kind, index, folder):
        rng = random.Random(f"{self.arguments.seed}/{kind}/{index}")
        words, damaged = getattr(self, kind)(index if kind == "known" else rng, folder)
        asan = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"} if kind == "record" else None
        ended = run(words, folder, asan)
        violation = ended.violation(kind != "record" or not self.asan)
        if kind == "known" and (ended.code not in self.right[index] or re.search(rb"is gone|still there|rc [^3]", ended.out)):
            violation = f"exit {ended.code}: {ended.out[-300:]} {ended.lines[-3:]}"
        if violation:
            shown = " ".join(shlex.quote(os.fsdecode(word)) for word in words)
            print(f"{kind}:{index} {violation}\n  {ascii(shown)[:2000]}\n  {damaged}: --seed {self.arguments.seed} --only {kind}:{index}",
                  flush=True)
        if not self.arguments.keep:
            self.restore(folder)
        return kind, ended.code, ended.seconds, violation


    def restore(self, folder):  # makes the folder a copy of the base again
        for path in sorted(folder.rglob("*"), reverse=True):
            old = self.states.get(str(path.relative_to(folder)))
            if path.is_dir() and not path.is_symlink():
                if not (self.base / path.relative_to(folder)).is_dir():
                    shutil.rmtree(path)
            elif old != state_of(path):
                path.unlink()
        for name in self.states:
            if not (folder / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.base / name, folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binaries", help="folder of the leeway program")
    for kind, small in [("commands", 250), ("files", 150), ("records", 400), ("seed", 0), ("jobs", 2)]:
        parser.add_argument(f"--{kind}", type=int, default=small)
    parser.add_argument("--only", default="", metavar="KIND:INDEX", help="one case, such as command:17")
    parser.add_argument("--keep", type=pathlib.Path, help="new folder of the run, which stays as the last case left it")
    parser.add_argument("--asan", type=pathlib.Path, default=ROOT / "build/asan/bin/leeway", help="program that reads records")
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / "build/python/bin/python", help="Python with leeway")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="leeway-hostile-") as temporary:
        top = arguments.keep or pathlib.Path(temporary)
        cases = Cases(arguments, top / "base")
        if cases.python and run([cases.python, "-c", "import leeway"], top).code:
            cases.python = ""
        counts = {"known": len(KNOWN), "command": arguments.commands, "file": arguments.files, "record": arguments.records}
        todo = [(kind, i) for kind, count in counts.items() for i in range(count)]
        if arguments.only:
            kind, index = arguments.only.split(":")
            todo = [(kind, int(index))]
        local = threading.local()

        def one(case):
            if not hasattr(local, "folder"):
                local.folder = top / f"worker-{threading.get_ident()}"
                shutil.copytree(cases.base, local.folder, symlinks=True)
            return cases.one(*case, local.folder)

        with concurrent.futures.ThreadPoolExecutor(1 if arguments.only else arguments.jobs) as pool:
            ended = list(pool.map(one, todo))
    violations = sum(bool(violation) for *_, violation in ended)
    for kind in counts:
        codes = collections.Counter(code for k, code, *_ in ended if k == kind)
        print(f"{kind}: {sum(codes.values())} run, exits {dict(sorted(codes.items()))}, longest "
              f"{max([s for k, _, s, _ in ended if k == kind], default=0):.1f} s" + ("" if codes else ": skipped"))
    print(f"{violations} violations; records read by {'AddressSanitizer' if cases.asan else 'the release'}; seed {arguments.seed}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
