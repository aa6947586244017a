#!/usr/bin/python3
"""Makes small faults in the sources and shows which test of tier 1 detects each. See README.md.

mutants.py draw   [--seed 39] [--commit HEAD] [--out drawn.json]  draw faults by the rules of rules.py
mutants.py run    [--build build/release] [--area AREA]           run ten of each area; resumes
mutants.py report [--results FILE]                                print the table and the survivors
"""

import argparse
import collections
import difflib
import json
import os
import pathlib
import signal
import sys
import time

from build_tests import Tests
from drawing import AREAS, draw_area, git

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WANTED = 10  # mutants of each area
JUDGED = ("equivalent", "left_out")  # keys of an entry that a person adds, with the reason
COUNTED = ("detected", "equivalent", "survived")


# ---- draw


def draw(args):
    commit = git("rev-parse", args.commit).strip()
    out = pathlib.Path(args.out)
    areas = {area: draw_area(commit, area, args.seed) for area in AREAS}
    old = ([e for entries in json.loads(out.read_text())["areas"].values() for e in entries] if out.exists() else [])
    judged = {(e["file"], e["line"], e["mutated"]): {k: e[k] for k in JUDGED if k in e} for e in old}
    for entry in [e for entries in areas.values() for e in entries]:
        entry.update(judged.get((entry["file"], entry["line"], entry["mutated"]), {}))
    save(out, {"seed": args.seed, "commit": commit, "areas": areas})
    print(f"{out}: {', '.join(f'{len(e)} {area}' for area, e in areas.items())}")


def save(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def replace(path, content):
    """Writes to a temporary name, then renames. The time of change is new: ninja builds the file again."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(content)
    os.replace(temporary, path)


# ---- place a mutant in today's sources


def place(entry):
    """(file, lines, index) of an entry's line today: of equal lines the one with the most equal neighbors."""
    path = ROOT / entry["file"]
    files = [path] if path.exists() else [ROOT / name for name in git("ls-files", f"*/{path.name}").split()]
    best = None
    for file in files:
        lines = file.read_text().split("\n")
        for index, line in enumerate(lines):
            if line.strip() != entry["original"].strip():
                continue
            around = [(entry["before"], lines[max(0, index - 2) : index]), (entry["after"],
                                                                            lines[index + 1 : index + 3])]
            equal = sum(a.strip() == b.strip() for old, new in around for a, b in zip(old, new))
            if best is None or (equal, -abs(index + 1 - entry["line"])) > best[0]:
                best = (equal, -abs(index + 1 - entry["line"])), file, lines, index
    return best[1:] if best and best[0][0] > 0 else None


class Mutated:
    """A source with its fault. The original comes back at the end, and after a kill at the next start."""

    def __init__(self, journal, file, lines, index, mutated):
        self.journal, self.file = journal, file
        self.content = file.read_bytes()
        indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
        new = [*lines[:index], indent + mutated.strip(), *lines[index + 1 :]]
        self.new = "\n".join(new)
        self.diff = "\n".join(difflib.unified_diff(lines, new, str(file.relative_to(ROOT)), "mutant", n=2, lineterm=""))

    def __enter__(self):
        save(self.journal, {"file": str(self.file), "content": self.content.decode()})
        replace(self.file, self.new.encode())
        return self

    def __exit__(self, *_):
        replace(self.file, self.content)
        self.journal.unlink()


def restore(journal):
    if journal.exists():
        kept = json.loads(journal.read_text())
        replace(pathlib.Path(kept["file"]), kept["content"].encode())
        journal.unlink()
        print(f"restored {kept['file']}, which an interrupted run left mutated")


# ---- run


def run(args):
    build, results_file = pathlib.Path(args.build).resolve(), pathlib.Path(
        args.results or pathlib.Path(args.build) / "mutants/results.json"
    )
    drawn = json.loads(pathlib.Path(args.drawn).read_text())
    journal = build / "mutants" / "journal.json"
    restore(journal)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results = json.loads(results_file.read_text()) if results_file.exists() else {"clean": {}, "mutants": {}}
    tests = Tests(build, args.jobs)
    tests.clean = results["clean"]
    areas = [args.area] if args.area else list(drawn["areas"])
    todo = [e for area in areas for e in drawn["areas"][area]]
    only = set(args.only.split(",")) if args.only else set()
    if only:
        todo = [e for e in todo if e["id"] in only]
        for name in only & set(results["mutants"]):
            del results["mutants"][name]
    if args.again:
        for name in [n for n, r in results["mutants"].items() if r["status"] == args.again]:
            del results["mutants"][name]
    measure_clean(tests, results, results_file)
    for entry in todo:
        area = entry["id"].rsplit("-", 1)[0]
        done = [r for n, r in results["mutants"].items() if n.rsplit("-", 1)[0] == area and r["status"] in COUNTED]
        if entry["id"] in results["mutants"] or (len(done) >= WANTED and not only):
            continue
        result = run_one(entry, tests, journal)
        results["mutants"][entry["id"]] = result
        save(results_file, results)
        print(f"{entry['id']} {entry['file']}:{entry['line']} {entry['rule']}: {result['status']}", result.get("test",
                                                                                                               ""),
              flush=True)
    print(table(drawn, results))


def measure_clean(tests, results, results_file):
    """Builds the unchanged tree and measures every test once: each must pass without a fault."""
    built, said = tests.make(["all"])
    if not built:
        sys.exit(f"the tree does not build without a fault:\n{said}")
    tests.find_others()
    everything = [*tests.programs, *tests.others]
    for test in everything:
        if test not in results["clean"]:
            status, what, seconds = tests.run(test, 3600)
            if status != "passed":
                sys.exit(f"without a fault: {what or test} {status}; log in {tests.build / 'mutants'}")
            results["clean"][test] = round(seconds, 2)
            save(results_file, results)


def run_one(entry, tests, journal):
    found = place(entry)
    if found is None:
        return {"status": "gone"}
    for judged in JUDGED:
        if judged in entry:
            return {"status": judged.replace("_", " "), "reason": entry[judged]}
    began = time.monotonic()
    with Mutated(journal, *found, entry["mutated"]) as mutant:
        result = detect(str(found[0].relative_to(ROOT)), tests)
    return {**result, "seconds": round(time.monotonic() - began), "diff": mutant.diff}


def detect(file, tests):
    for test in tests.covering(file):
        built, said = tests.make([test] if test in tests.programs else ["all"])
        if "Error running test executable" in said:  # a program that cannot even list its tests
            return {"status": "detected", "test": f"{pathlib.PurePath(test).name}: does not list its tests"}
        if not built:
            return {"status": "does not compile", "said": said[-600:]}
        status, what, _ = tests.run(test, max(30, 10 * tests.clean.get(test, 60)))
        if status != "passed":
            return {"status": "detected", "test": what}
    return {"status": "survived"}


def table(drawn, results):
    rows, survivors = [], []
    for area, entries in drawn["areas"].items():
        ran = [(e, results["mutants"][e["id"]]) for e in entries if e["id"] in results["mutants"]]
        count = collections.Counter(r["status"] for _, r in ran)
        skipped = count["gone"] + count["does not compile"] + count["left out"]
        rows += [f"\n## {area}: {count['detected']} detected, {count['equivalent']} equivalent, "
                 f"{count['survived']} survived, {skipped} skipped (gone, not compiled or left out)\n",
                 "| mutant | line | rule | result |", "|---|---|---|---|"]
        for entry, result in ran:
            if result["status"] in COUNTED:
                said = {"detected": result.get("test", ""), "equivalent": "equivalent: " + result.get("reason", "")}
                rows.append(f"| {entry['id']} | {entry['file']}:{entry['line']} | {entry['rule']} | "
                            f"{said.get(result['status'], '**survived**')} |")
            if result["status"] == "survived":
                survivors.append(f"\n{entry['id']}\n{result['diff']}")
    return "\n".join(rows + survivors)


def report(args):
    print(table(json.loads(pathlib.Path(args.drawn).read_text()), json.loads(pathlib.Path(args.results).read_text())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function, name in ((draw, "draw"), (run, "run"), (report, "report")):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        if name == "draw":
            command.add_argument("--seed", type=int, default=39)
            command.add_argument("--commit", default="HEAD")
            command.add_argument("--out", default=str(HERE / "drawn.json"))
            continue
        command.add_argument("--drawn", default=str(HERE / "drawn.json"))
        command.add_argument("--results", default=None if name == "run" else "build/release/mutants/results.json")
        if name == "run":
            command.add_argument("--build", default="build/release")
            command.add_argument("--area", choices=AREAS)
            command.add_argument("--only", help="these mutants, e.g. readers-05,readers-08, also where they ran before")
            command.add_argument("--jobs", type=int, default=2)
            command.add_argument("--again", choices=["survived", "gone", "does not compile"],
                                 help="run these once more")
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
