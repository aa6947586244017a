#!/usr/bin/python3
"""run_documents.py on small documents: what must pass and what must not."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run_documents  # noqa: E402


def document(script, text):
    return f"Words.\n\n```sh\n{script}\n```\n\n```text\n{text}\n```\nMore.\n"


class Documents(unittest.TestCase):
    def complaints(self, text, examples=pathlib.Path("/nonexistent")):
        return run_documents.check(text, pathlib.Path("/bin"), examples=examples)[1]

    def test_outputs(self):
        """Of each document the complaint, empty where there is none."""
        for script, text, complaint in (("echo one; echo two >&2", "one\ntwo", ""),
                                        ("echo one", "two", "-two\n+one"),
                                        ("echo one; echo two", "one", "+two"),
                                        ("echo one; exit 3", "one", "exit status 3"),
                                        ("echo took 12 s in all", "took ... s in all", ""),
                                        ("echo took 12 min", "took ... s in all", "+took 12 min"),
                                        ("seq 9", "1\n...\n9", ""),
                                        ("seq 9", "1\n...\n8", "+9"),
                                        ("echo aab", "a*b", "+aab")):
            found = self.complaints(document(script, text))
            self.assertEqual(len(found), 1 if complaint else 0, script)
            self.assertIn(complaint, "".join(found))

    def test_blocks_share_a_folder(self):
        self.assertEqual(self.complaints(document("echo x > f; cat f", "x") + document("cat f", "x")), [])

    def test_sh_block_without_text_is_not_run(self):
        blocks, found, _ = run_documents.check("```sh\nexit 1\n```\n\nWords.\n\n\n\n```text\nx\n```\n", pathlib.Path("/bin"),
                                               examples=pathlib.Path("/nonexistent"))
        self.assertEqual((blocks, found), (0, []))

    def test_update(self):
        _, _, updated = run_documents.check(document("echo one", "two"), pathlib.Path("/bin"),
                                            examples=pathlib.Path("/nonexistent"))
        self.assertEqual(updated, document("echo one", "one"))

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            examples = pathlib.Path(folder) / "examples"
            examples.mkdir()
            (examples / "a.cpp").write_text("// What it does.\n\nint main() {}\n", encoding="utf-8")
            shown = "```cpp\n// examples/a.cpp\nint main() {}\n```\n"
            self.assertEqual(self.complaints(shown, examples), [])
            self.assertIn("not that of examples/a.cpp", self.complaints(shown.replace("{}", "{ }"), examples)[0])
            self.assertIn("does not exist", self.complaints(shown.replace("a.cpp", "b.cpp"), examples)[0])

    def test_excerpts(self):
        with tempfile.TemporaryDirectory() as folder:
            examples = pathlib.Path(folder) / "examples"
            examples.mkdir()
            (examples / "a.cpp").write_text("int main() {\n  one();\n  two();\n  three();\n}\n", encoding="utf-8")
            shown = "```cpp\n// from examples/a.cpp\none();\n\nthree();\n```\n"
            self.assertEqual(self.complaints(shown, examples), [])
            for other in ("four();", "one();"):  # not there; not in this order
                self.assertIn("not that of examples/a.cpp", self.complaints(shown.replace("three();", other), examples)[0])


if __name__ == "__main__":
    unittest.main()
