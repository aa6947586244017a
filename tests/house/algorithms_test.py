#!/usr/bin/python3
"""docs/reference/algorithms.md says what `leeway list` says. Usage: algorithms_test.py BIN_FOLDER [--update]

The tables between <!-- FAMILY --> and <!-- end --> are made of the members' own descriptions; --update writes them anew. Names after
--arch, --algorithm, --augment and --set exist.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()
PAGE = ROOT / "docs/reference/algorithms.md"
TABLE = re.compile(r"<!-- (?P<family>[a-z]+) -->\n(?:.*\n)*?<!-- end -->")


def family(name):
    text = subprocess.run([BINARIES / "leeway", "list", name, "--json"], check=True, capture_output=True, text=True).stdout
    return {member["name"]: member for member in json.loads(text)["results"][0]["members"]}


FAMILIES = {name: family(name) for name in ("algorithms", "augmentations", "protocols", "architectures")}


def table(name):
    columns = {"algorithms": ("what it is", "needs", "parameters and defaults", "source"), "protocols": ("what it is", "options", "source"),
               "augmentations": ("what it does", "parameters and defaults", "source")}[name]
    lines = [f"| {name.removesuffix('s')} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for member in FAMILIES[name].values():
        texts = {"needs": ", ".join(member.get("needs", [])), "source": member["source"] or "",
                 "options": f"`{(member.get('about') or {}).get('options')}`",
                 "parameters and defaults": ", ".join(f"`{p['name']}` {p['default']:g}" for p in member["parameters"])}
        lines.append(f"| `{member['name']}` | " + " | ".join(texts.get(column, member["summary"]) for column in columns) + " |")
    return f"<!-- {name} -->\n" + "\n".join(lines) + "\n<!-- end -->"


class Page(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")

    def test_tables_are_current(self):
        self.assertEqual({found["family"] for found in TABLE.finditer(self.text)}, {"algorithms", "augmentations", "protocols"})
        expected = TABLE.sub(lambda found: table(found["family"]), self.text)
        if UPDATE:
            PAGE.write_text(expected, encoding="utf-8")
        else:
            self.assertEqual(self.text, expected, "write them anew: algorithms_test.py BIN_FOLDER --update")

    def test_what_options_name_exists(self):
        text = TABLE.sub("", self.text)
        for option, members in (("arch", "architectures"), ("algorithm", "algorithms")):
            for name in re.findall(rf"--{option} ((?:[a-z0-9-]+:)?[a-z0-9-]+)", text):
                self.assertIn(name.split(":")[-1], FAMILIES[members])  # HEAD:NAME of an architecture
        for chain in re.findall(r"--augment ([a-z0-9.,:=-]+)", text):
            for name, *parameters in (link.split(":") for link in chain.split(",")):
                known = {p["name"] for p in FAMILIES["augmentations"][name]["parameters"]}
                self.assertLessEqual({parameter.split("=")[0] for parameter in parameters}, known)
        known = {p["name"] for member in FAMILIES["algorithms"].values() for p in member["parameters"]}
        self.assertLessEqual(set(re.findall(r"--set ([a-z0-9-]+)=", text)), known)


if __name__ == "__main__":
    unittest.main()
