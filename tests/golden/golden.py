#!/usr/bin/python3
"""Golden outputs: run every leeway command, store the outputs, and compare a later run with the store.

    tests/golden/golden.py record  build/release/bin     # run all cases, replace the store
    tests/golden/golden.py compare build/release/bin     # run all cases, print differences; exit 1 if there are any

The cases are the command lines in cases.txt. Of each case the store keeps the exit status, stderr, the text or the record
(JSON) on stdout, and every file that the command writes: records in full, the text of pages, digests of arrays, weights,
pictures and the data of charts. Values that legitimately vary (seconds, version, temporary folder) are masked.

Numbers depend on the instruction set and on the version of LibTorch. Each file of the store names both. A comparison under
another instruction set or another LibTorch tolerates differences of numbers up to 1e-4 and skips digests of floats.
"""
import argparse
import concurrent.futures
import difflib
import itertools
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import inputs
from stored_form import stored_file, stored_output, stored_text

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOLERANCE = 1e-4  # of numbers, where the store was recorded under another instruction set

# Kernels of LibTorch's libraries: the same on every processor that has AVX-512, whatever else it has.
PINNED = {"avx512": {"OPENBLAS_CORETYPE": "SkylakeX", "ATEN_CPU_CAPABILITY": "avx512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE"},
          "avx2": {"OPENBLAS_CORETYPE": "Haswell", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}}

IGNORED_FILES = re.compile(r"^(curves|sweep|own|wrong)/")  # named by digests, or too long


# ---- cases -------------------------------------------------------------------------------------------------------------

def read_cases(path):
    """{group: [command line]} of cases.txt; "@(a|b)" makes a case of each alternative."""
    groups, group = {}, None
    for line in path.read_text().replace("\\\n", " ").splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            group = groups.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            parts = re.split(r"@\(([^)]*)\)", re.sub(r"\s+", " ", line))
            choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
            group.extend("".join(words) for words in itertools.product(*choices))
    for name, lines in groups.items():
        twice = {line for line in lines if lines.count(line) > 1}
        if twice:
            sys.exit(f"{path}: [{name}]: expected each case once, found twice: {sorted(twice)}")
    return groups


# ---- running -----------------------------------------------------------------------------------------------------------

class Runner:
    def __init__(self, binaries, threads):
        self.program = pathlib.Path(binaries).resolve() / "leeway"
        if not self.program.exists():
            sys.exit(f"{self.program}: expected the leeway program, found no such file")
        flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        flags = flags.group(1).split() if flags else []
        best = "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "baseline"
        self.instruction_set = os.environ.get("LEEWAY_INSTRUCTION_SET") or best
        self.threads = threads
        self.environment = {**os.environ, **PINNED.get(self.instruction_set, {}), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                            "TERM": "dumb"}

    def run(self, line, folder):
        """The outcome of one case, as it is stored. Every file that is new or changed in `folder` belongs to it."""
        before = {path: path.stat() for path in files_of(folder)}
        words = shlex.split(line)
        if "--threads" not in words and not re.match(r"help|completion|list|report|sweep|-|.*--help", line):
            words += ["--threads", str(self.threads)]
        ended = subprocess.run([self.program, *words], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=300)
        clean = lambda data: data.decode(errors="replace").replace(str(self.program), "<leeway>")
        out, error = clean(ended.stdout), clean(ended.stderr)
        outcome = {"exit": ended.returncode, "stderr": stored_text(error), **stored_output(out)}
        written = {}
        for path in files_of(folder):
            now, old, name = path.stat(), before.get(path), str(path.relative_to(folder))
            if (not old or (old.st_mtime_ns, old.st_ino) != (now.st_mtime_ns, now.st_ino)) and not IGNORED_FILES.search(name):
                written[name] = stored_file(path)
        outcome["files"] = written
        return {key: value for key, value in outcome.items() if value or key == "exit"}

    def run_group(self, lines, folder):
        return {line: self.run(line, folder) for line in lines}


def torch_version(weights):
    """LibTorch's version, as leeway train notes it in the weights."""
    found = re.search(rb'\\"torch\\": ?\\"([^"\\]+)', weights.read_bytes()) if weights.exists() else None
    return found.group(1).decode() if found else "none"


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def run_all(binaries, threads, groups, wanted):
    """{group: {case: outcome}} of the groups in `wanted`, two at once. Those of [sets] make what the others read."""
    runner = Runner(binaries, threads)
    found = {}
    with tempfile.TemporaryDirectory(prefix="leeway-golden-") as temporary:
        base = pathlib.Path(temporary) / "base"
        inputs.make(base, ROOT)
        started = time.monotonic()
        found["sets"] = runner.run_group(groups["sets"], base)
        machine = f"{runner.instruction_set}, LibTorch {torch_version(base / 'model.safetensors')}, {processor()}"
        print(f"{time.monotonic() - started:6.1f} s  sets", file=sys.stderr)

        def one(name):
            folder, start = pathlib.Path(temporary) / name, time.monotonic()
            shutil.copytree(base, folder)
            outcome = runner.run_group(groups[name], folder)
            print(f"{time.monotonic() - start:6.1f} s  {name}", file=sys.stderr)
            return outcome

        others = [name for name in wanted if name != "sets"]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found.update(zip(others, pool.map(one, others)))
    return machine, found


# ---- comparing ---------------------------------------------------------------------------------------------------------

ABSENT = "(not there)"
NUMBER = re.compile(r"(-?\d+\.?\d*(?:e[-+]?\d+)?)")


def close(before, after):
    """Whether two values are equal but for the last digits of numbers."""
    if isinstance(before, str) and isinstance(after, str):
        if re.search("bits:", before):
            return before.split("bits:")[0] == after.split("bits:")[0]
        left, right = NUMBER.split(before), NUMBER.split(after)
        return len(left) == len(right) and all(
            math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE) if i % 2 else a == b
            for i, (a, b) in enumerate(zip(left, right)))
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (before, after))
    return numbers and math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def differences(before, after, exact, path=""):
    """[(key path, before, after)]"""
    if before == after or not exact and close(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differences(before.get(key, ABSENT), after.get(key, ABSENT), exact, f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list):
        words = [[v if isinstance(v, str) else json.dumps(v, sort_keys=True) for v in side] for side in (before, after)]
        for _, i, end, j, stop in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes():
            for one, other in itertools.zip_longest(range(i, end), range(j, stop)):
                old = before[one] if one is not None else ABSENT
                new = after[other] if other is not None else ABSENT
                yield from differences(old, new, exact, f"{path}[{one if one is not None else other}]")
    else:
        yield path, before, after


def processor():
    """Vendor, family and model: LibTorch's libraries choose kernels and block sizes by them."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    fields = dict(reversed([[part.strip() for part in line.split(":", 1)] for line in lines if ":" in line]))
    return " ".join(fields.get(name, "?") for name in ("vendor_id", "cpu family", "model"))


def compare(stored, found, machine, wanted):
    """Prints what differs, and how many cases do."""
    changed = 0
    for group, cases in found.items():
        store = stored.get(group, {"machine": machine, "cases": {}})
        exact = store["machine"] == machine
        if not exact:
            print(f"[{group}] recorded under {store['machine']}, run under {machine}: digests of floats are skipped")
        same = {}  # difference without the index of a line -> cases that have it
        for line in [*cases, *(old for old in store["cases"] if old not in cases)]:
            if not wanted(group, line):
                continue
            before, after = store["cases"].get(line), cases.get(line)
            if before is None or after is None:
                found_here = [("case", "stored" if before else ABSENT, "run" if after else ABSENT)]
            else:
                found_here = list(differences(before, after, exact))
            changed += bool(found_here)
            for path, old, new in found_here:
                key = (re.sub(r"\[\d+\]", "[]", path), json.dumps(old, sort_keys=True), json.dumps(new, sort_keys=True))
                same.setdefault(key, []).append(line)
        for lines, entries in by_lines(same):
            print(f"\n[{group}] " + (lines[0] if len(lines) == 1 else f"{len(lines)} cases: {lines[0]} ..."))
            for path, old, new in entries:
                print(f"  {path}\n    - {old}\n    + {new}")
    return changed


def by_lines(same):
    """Differences that the same cases have, together."""
    together = {}
    for key, lines in same.items():
        together.setdefault(tuple(lines), []).append(key)
    return together.items()


def read_store(folder):
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def write_store(folder, stored):
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.json"):
        if path.stem not in stored:
            path.unlink()
    for group, content in stored.items():
        text = json.dumps(content, indent=0, sort_keys=True, ensure_ascii=False)
        (folder / f"{group}.json").write_text(text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("binaries", help="folder of the leeway program")
    parser.add_argument("--store", type=pathlib.Path, default=HERE / "stored", help="folder of the store")
    parser.add_argument("--only", default="", metavar="PATTERN", help="cases whose '[group] command line' matches")
    parser.add_argument("--threads", type=int, default=1, help="threads of each command, but of trainings")
    parser.add_argument("--accept", action="store_true", help="after a comparison, store what was found")
    arguments = parser.parse_args()

    groups = read_cases(HERE / "cases.txt")
    wanted = lambda group, line: re.search(arguments.only, f"[{group}] {line}")
    chosen = [name for name, lines in groups.items() if any(wanted(name, line) for line in lines)]
    start = time.monotonic()
    machine, found = run_all(arguments.binaries, arguments.threads, groups, chosen)
    found = {name: found[name] for name in chosen}
    cases = sum(len(cases) for cases in found.values())
    print(f"{cases} cases in {time.monotonic() - start:.0f} s", file=sys.stderr)

    stored, changed = read_store(arguments.store), 0
    if arguments.action == "compare":
        changed = compare(stored, found, machine, wanted)
        print(f"{changed} of {cases} cases differ")
    if arguments.action == "record" or arguments.accept:
        for group, outcomes in found.items():
            kept = {line: old for line, old in stored.get(group, {}).get("cases", {}).items()
                    if line in groups[group] and not wanted(group, line)}
            kept.update({line: new for line, new in outcomes.items() if wanted(group, line)})
            stored[group] = {"machine": machine, "cases": kept}
        write_store(arguments.store, {group: content for group, content in stored.items() if group in groups})
    return 1 if changed and not arguments.accept else 0


if __name__ == "__main__":
    sys.exit(main())
