#!/usr/bin/python3
"""Spelling, and words that users do not read. Usage: words_test.py

The banned words are looked for in what tools/strings.py prints; codespell, where test.sh has installed it, reads whole files.
"""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from strings import strings  # noqa: E402

CODESPELL = ROOT / "build/python/bin/codespell"
NAMES = "buda,cna,mis,nam,nd,ot,tbe,unser,worstcase"  # names of people and of variables; examples of typos
READ = ["docs", "leeway", "apps", "python", "examples", "tools", "bench", *(path.name for path in ROOT.glob("*.md"))]
SKIPPED = "leeway/shift/text/*,*.svg,*.ipynb,docs/studies/data"  # the first makes typos
BANNED = {  # what to write instead
    "—": "a comma, a colon or a new sentence", "simply|just|obviously|of course": "nothing", "utilize": "use", "leverage": "use",
    "in order to": "to", "change[sd]? its mind": "prediction changed", "says? the same": "prediction unchanged", "so many": "the noun",
    "the truth": "true label, true error", "bears?": "requires, supports", "what bec[ao]mes? of": "the noun", "told": "state, report",
    "nothing there": "missing", "never had": "unseen", "misjudge[sd]?": "misclassify", "whatever": "any", "wants": "requires",
    "terms? for chance": "concentration term", "goes together": "correlates",
    "behaviour|colours?|coloured|centred|neighbours?|labelled|(?:un)?(?:normal|maxim|minim|optim|recogn)is(?:e|ed|es|ing|ation)":
        "American spelling"}
WORDS = re.compile("|".join(rf"(?<![\w-])(?:{words})(?![\w-])" for words in BANNED), re.I)
ALLOWED = re.compile(r"[Cc]oloured[ -]?(?:MNIST|digits)|[Cc]oloured[-_]\w+|Colour(?:ed)? [A-Z]\w+")  # names


class Words(unittest.TestCase):
    def test_banned_words(self):
        breaches = [f"{place}: found {found.group()}" for place, text in strings() for found in WORDS.finditer(ALLOWED.sub("", text))]
        self.assertEqual(breaches, [])

    @unittest.skipUnless(CODESPELL.exists(), "codespell is not installed")
    def test_spelling(self):
        done = subprocess.run([CODESPELL, "--ignore-words-list", NAMES, "--skip", SKIPPED, *READ], cwd=ROOT, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
