#!/usr/bin/python3
"""Every table of a study stands in its page as its script prints it from the committed data. Usage: studies_test.py

A study is a page docs/studies/NAME.md; its script beside it, called without arguments, reads docs/studies/data alone. Blocks of text that
a command prints are not looked at here but run with the other examples of the documents.
"""
import pathlib
import subprocess
import sys
import unittest

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "studies"
SCRIPTS = {"answers": "answers_tables.py", "average-case": "average_case_tables.py", "fashion-mnist": "tables.py", "bounds": "bounds_tables.py", "cifar-jpeg": "cifar_jpeg_tables.py", "conds": "conds_tables.py", "shortcuts": "shortcuts_tables.py",
           "coloured-digits": "coloured_digits_tables.py",
           "adaptation": "adaptation_tables.py", "adaptation-search": "adaptation_search_tables.py", "environments": "environments_tables.py", "co-occurrence": "co_occurrence_tables.py", "corruptions": "corruptions_tables.py",
           "drift": "drift_tables.py", "mvn-cdf": "mvn_cdf_tables.py", "quality": "quality_tables.py", "ranks": "ranks_tables.py",
           "sweep-scale": "sweep_scale_tables.py", "benchmark": "benchmark_tables.py",
           "benchmark-sets": "benchmark_sets_tables.py", "label-noise": "label_noise_tables.py"}


def tables_of(text):
    """The tables of a text in Markdown, each as its lines."""
    tables, lines = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line.rstrip())
        elif lines:
            tables.append("\n".join(lines))
            lines = []
    return tables


class Studies(unittest.TestCase):
    def check(self, name, script=None):
        script = script or SCRIPTS[name]
        before = {path: path.read_bytes() for path in (STUDIES / "figures").iterdir()}
        done = subprocess.run([sys.executable, STUDIES / script], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed, shown = tables_of(done.stdout), tables_of((STUDIES / f"{name}.md").read_text(encoding="utf-8"))
        self.assertTrue(printed)
        for table in printed:
            self.assertIn(table, shown, f"{name}.md does not show this table of {script}")
        for table in shown:
            self.assertIn(table, printed, f"{script} does not print this table of {name}.md")
        for path, bytes_before in before.items():
            self.assertEqual(path.read_bytes(), bytes_before, f"{path.name} is not the figure that the committed data give")

    def test_tables(self):
        for name in SCRIPTS:
            with self.subTest(name):
                self.check(name)

    def test_sweeps(self):
        """The files of sweeps are those that the scripts write."""
        sys.path.insert(0, str(STUDIES))
        sys.dont_write_bytecode = True
        import benchmark
        import benchmark_sets
        first = benchmark.study([0], map(benchmark.conditions, benchmark.CASES), benchmark.ALGORITHMS)
        self.assertEqual((STUDIES / "benchmark.toml").read_text(encoding="utf-8"), first)
        folder = pathlib.Path("FOLDER")
        sets = benchmark_sets.Sets(folder, "leeway").study("dsprites", range(5), benchmark_sets.CASES, benchmark_sets.BEST)
        self.assertEqual((STUDIES / "benchmark-sets.toml").read_text(encoding="utf-8"), sets.replace(str(folder.resolve()), "FOLDER"))

    def test_pa_interval(self):
        self.check("pa-interval", "pa_interval_tables.py")

    def test_claims(self):
        self.check("../claims", "claims_tables.py")


if __name__ == "__main__":
    unittest.main()
