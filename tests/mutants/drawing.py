"""Draws the lines that mutants.py changes: areas of the sources, and the choice with a seed."""

import collections
import fnmatch
import pathlib
import random
import re
import subprocess

import rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRAWN = 40  # mutants of each area: some lines are deleted before they run, some mutants do not compile
READERS = ("attribute_table characters class_names column_words columns csv* groups idx images inflate crc32 "
           "label_coding npy* npz outputs* png probabilities rows safetensors* shards times toml utf8 zip").split()
AREAS = {
    "analyses": [f"leeway/{part}/*" for part in ("agreement", "average_case", "error_bound", "conds")],
    "readers": [f"leeway/{part}/{name}.cpp" for part in ("core", "io") for name in READERS]
    + [
        f"leeway/data/{name}.cpp"
        for name in (
            "load*",
            "picture_*",
            "training_data",
            "detail/load_*",
            "detail/jpeg_file",
            "detail/dsprites",
            "detail/shapes3d",
        )
    ]
    + ["leeway/nn/io/*"],
    "shifts": ["leeway/shift/*"],
    "training": ["leeway/nn/train/*"],
    "attacks": ["leeway/nn/attack/*", "leeway/attack/*"],
    "commands": ["leeway/tasks/*", "leeway/record/*", "apps/*"],
}
SOURCE = re.compile(r"(\.cpp|-inl\.h)$")
SKIPPED_FILES = re.compile(r"completion|terminal|progress|kernel-inl|/team|schema|confinement")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout


def candidates(commit, area):
    """{rule: [entry]} of an area's files at a commit."""
    found = collections.defaultdict(list)
    names = git("ls-tree", "-r", "--name-only", commit, "leeway", "apps").split()
    for name in names:
        if (not SOURCE.search(name) or SKIPPED_FILES.search(name) or not any(fnmatch.fnmatch(name, p)
                                                                             for p in AREAS[area])):
            continue
        text = git("show", f"{commit}:{name}")
        lines, hidden = text.splitlines(), rules.masked(text).splitlines()
        for index in range(len(lines)):
            for rule, mutated in rules.mutations(lines, hidden, index):
                found[rule].append({"file": name, "line": index + 1, "rule": rule, "original": lines[index],
                                    "mutated": mutated, "before": lines[max(0, index - 2) : index],
                                    "after": lines[index + 1 : index + 3]})
    return found


def draw_area(commit, area, seed):
    """DRAWN entries: the rules in turn, each a line at random of the files with the fewest entries so far."""
    chance = random.Random(f"{seed} {area}")
    found = candidates(commit, area)
    used, lines, drawn = collections.Counter(), set(), []
    order = list(rules.RULES)
    while len(drawn) < DRAWN and any(found.values()):
        if len(drawn) % len(order) == 0:
            chance.shuffle(order)
        rule = order[len(drawn) % len(order)]
        open_ = [e for e in found[rule] if (e["file"], e["line"]) not in lines]
        if not open_:
            open_ = [e for r in rules.RULES for e in found[r] if (e["file"], e["line"]) not in lines]
        if not open_:
            break
        fewest = min(used[e["file"]] for e in open_)
        places = sorted({(e["file"], e["line"]) for e in open_ if used[e["file"]] == fewest})
        place = chance.choice(places)
        entry = chance.choice([e for e in open_ if (e["file"], e["line"]) == place])
        used[entry["file"]] += 1
        lines.add(place)
        drawn.append({"id": f"{area}-{len(drawn) + 1:02}", **entry})
    return drawn
