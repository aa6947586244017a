#!/usr/bin/python3
"""The man page says what --help says. Usage: man_page_test.py BIN_FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin").resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "cmake"))
import man_page  # noqa: E402

HELP = """What it does
Usage: leeway try [OPTIONS] file...

Positionals:
  file TEXT ... REQUIRED          A file

Options:
  -h,--help                       Print this help message and exit
  --way ENUM:value in {left->0,right->1} OR {0,1}
                                  Which way,
                                  and how
  --count INT:INT in [0 - 40960]  How often

Common:
  --json                          As JSON

Words at the end,
two lines.

  leeway try a.npz
"""


class ManPage(unittest.TestCase):
    def test_help_is_understood(self):
        description, usage, blocks, footer = man_page.parse(HELP)
        self.assertEqual((description, usage), ("What it does", "leeway try [OPTIONS] file..."))
        self.assertEqual(list(blocks), ["Positionals:", "Options:", "Common:"])
        self.assertEqual(blocks["Options:"][1:], [["--way ENUM:value in {left->0,right->1} OR {0,1}", "Which way, and how"],
                                                  ["--count INT:INT in [0 - 40960]", "How often"]])
        self.assertEqual(blocks["Common:"], [["--json", "As JSON"]])
        self.assertEqual(footer, "Words at the end,\ntwo lines.\n\n  leeway try a.npz")

    def test_letters_that_roff_reads(self):
        self.assertEqual(man_page.roff("a-b \\n 'q' `c`"), "a\\-b \\en \\(aqq\\(aq \\(gac\\(ga")
        self.assertEqual(man_page.roff("x\n.npz"), "x\n\\&.npz")

    def test_page_holds_every_command_and_option(self):
        page = man_page.page(str(BINARIES / "leeway"))
        plain = page.replace("\\-", "-")
        helped = subprocess.run([BINARIES / "leeway", "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z-]+) ", helped.split("Subcommands:")[1], re.M)
        self.assertIn("assess", commands)
        while commands:
            command = commands.pop()
            self.assertRegex(plain, rf"\n\.SS leeway {command} ")
            text = subprocess.run([BINARIES / "leeway", *command.split(), "--help"], capture_output=True, text=True, check=True).stdout
            inner = text.split("Subcommands:\n")[1].split("\n\n")[0] if "Subcommands:" in text else ""
            commands += [f"{command} {name}" for name in re.findall(r"^  ([a-z-]+) ", inner, re.M)]
            section = plain.split(f"\n.SS leeway {command} ")[1].split("\n.SS ")[0] + plain.split(".SH OPTIONS OF EVERY")[1]
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M):
                self.assertRegex(section, rf"\n\.B (-\w,)?{option}\b", command)
        self.assertNotIn("describes a command", plain)
        for code in (0, 1, 2, 3, 4, 5, 130):
            self.assertIn(f"\n.B {code}\n", page)

    def test_groff_has_no_complaint(self):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        with tempfile.NamedTemporaryFile("w", suffix=".1", encoding="utf-8") as file:
            file.write(man_page.page(str(BINARIES / "leeway")))
            file.flush()
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", file.name], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
