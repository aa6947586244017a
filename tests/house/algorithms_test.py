#!/usr/bin/python3
"""docs/algorithms.md says what `leeway list` says. Usage: algorithms_test.py BIN_FOLDER [--update]

The tables between <!-- FAMILY --> and <!-- end --> are made of the members' own descriptions. `NAME:PARAMETER` = NUMBER has that
parameter's default. Chains after --augment, names after --arch and --algorithm, and those after --set exist. --update writes the
tables and the defaults anew.
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
PAGE = ROOT / "docs/algorithms.md"
TABLE = re.compile(r"<!-- (?P<family>[a-z]+) -->\n(?:.*\n)*?<!-- end -->")
DEFAULT = re.compile(r"`(?P<member>[a-z0-9-]+):(?P<parameter>[a-z0-9-]+)` = (?P<number>[0-9.e+-]*[0-9])")


def family(name):
    text = subprocess.run([BINARIES / "leeway", "list", name, "--json"], check=True, capture_output=True, text=True).stdout
    return {member["name"]: member for member in json.loads(text)["results"][0]["members"]}


FAMILIES = {name: family(name) for name in ("algorithms", "augmentations", "protocols", "architectures")}
MEMBERS = {**FAMILIES["augmentations"], **FAMILIES["algorithms"]}


def parameters_of(member):
    return MEMBERS[member]["parameters"]


def number(value):
    return f"{value:g}"


def table(name):
    members = FAMILIES[name].values()
    if name == "protocols":
        lines = ["| protocol | what it is | options | source |", "|---|---|---|---|"]
        lines += [f"| `{m['name']}` | {m['summary']} | `{m['about']['options']}` | {m['source'] or ''} |" for m in members]
    elif name == "augmentations":
        lines = ["| augmentation | what it does | parameters and defaults | source |", "|---|---|---|---|"]
        for m in members:
            parameters = ", ".join(f"`{p['name']}` {number(p['default'])}" for p in m["parameters"])
            lines.append(f"| `{m['name']}` | {m['summary']} | {parameters} | {m['source'] or ''} |")
    else:
        lines = ["| algorithm | what it is | needs | source |", "|---|---|---|---|"]
        lines += [f"| `{m['name']}` | {m['summary']} | {', '.join(m['needs'])} | {m['source'] or ''} |" for m in members]
    return f"<!-- {name} -->\n" + "\n".join(lines) + "\n<!-- end -->"


def as_it_should_be(text):
    def default(found):
        value = {p["name"]: p["default"] for p in parameters_of(found["member"])}[found["parameter"]]
        return f"`{found['member']}:{found['parameter']}` = {number(value)}"
    return DEFAULT.sub(default, TABLE.sub(lambda found: table(found["family"]), text))


class Page(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")

    def test_tables_and_defaults_are_current(self):
        expected = as_it_should_be(self.text)
        if UPDATE:
            PAGE.write_text(expected, encoding="utf-8")
        else:
            self.assertEqual(self.text, expected, "write them anew: algorithms_test.py BIN_FOLDER --update")

    def test_there_are_tables_and_defaults(self):
        self.assertEqual({found["family"] for found in TABLE.finditer(self.text)}, {"algorithms", "augmentations", "protocols"})
        self.assertGreater(len(DEFAULT.findall(self.text)), 40)

    def test_what_options_name_exists(self):
        for option, names in (("arch", FAMILIES["architectures"]), ("algorithm", FAMILIES["algorithms"])):
            for name in re.findall(rf"--{option} ((?:[a-z0-9-]+:)?[a-z0-9-]+)", self.text):
                self.assertIn(name.split(":")[-1], names)  # HEAD:NAME of an architecture
        for chain in re.findall(r"--augment ([a-z0-9.,:=-]+)", self.text):
            for link in chain.split(","):
                name, *parameters = link.split(":")
                self.assertIn(name, FAMILIES["augmentations"])
                for parameter in parameters:
                    self.assertIn(parameter.split("=")[0], [p["name"] for p in FAMILIES["augmentations"][name]["parameters"]])

    def test_what_a_row_sets_belongs_to_its_method(self):
        member = None
        for line in self.text.splitlines():
            if not line.startswith("|"):
                member = None
            own = DEFAULT.findall(line)
            if own:
                member = own[0][0]
            for name in re.findall(r"--set ([a-z0-9-]+)=", line if line.startswith("|") else ""):
                self.assertIn(name, [p["name"] for p in parameters_of(member)], line)

    def test_what_programs_do_is_told(self):
        """A parameter that does what a program does stands on the page, in a row of its method."""
        told, member = set(), None
        for line in self.text.splitlines():
            own = DEFAULT.findall(line)
            member = own[0][0] if own else member if line.startswith("| |") else None
            told |= {(found[0], found[1]) for found in own}
            told |= {(name, parameter) for name in {found[0] for found in own} | {member} for parameter in re.findall(r"--set ([a-z0-9-]+)=", line)}
            told |= {(link.split(":")[0], setting.split("=")[0]) for chain in re.findall(r"--augment ([a-z0-9.,:=-]+)", line)
                     for link in chain.split(",") for setting in link.split(":")[1:]}
        missing = [f"{name}:{p['name']}" for name, member in MEMBERS.items() for p in member["parameters"]
                   if "program" in p["meaning"] and (name, p["name"]) not in told]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
