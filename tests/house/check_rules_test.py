#!/usr/bin/python3
"""check_rules.py must find every breach planted in a small tree, and nothing in a tree without one."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_rules  # noqa: E402

GOOD = {
    "leeway/core/array.h": "// An array.\n#pragma once\n#include <vector>\n",
    "leeway/core/array.cpp": '#include "leeway/core/array.h"\n// printf("said in a comment")\nconst char* s = "exit(1)";\n',
    "leeway/agreement/agreement.h": '// Agreement.\n#pragma once\n#include "leeway/core/array.h"\n',
    "leeway/shift/shift.h": '// Shifts.\n#pragma once\n#include "leeway/core/array.h"\n',
    "leeway/tasks/assess.h": '// All.\n#pragma once\n#include "leeway/agreement/agreement.h"\n',
    "leeway/nn/session.h": '// The facade.\n#pragma once\n#include "leeway/core/array.h"\n',
    "leeway/nn/session.cpp": '#include <torch/torch.h>\n#include "leeway/nn/session.h"\n#include "leeway/shift/shift.h"\n',
    "leeway/tasks/infer.h": '// Outputs.\n#pragma once\n#include "leeway/nn/session.h"\n',
    "apps/leeway/main.cpp": '#include "leeway/nn/session.h"\n#include "leeway/tasks/assess.h"\nint main() { printf("x"); }\n',
    "examples/01_short.cpp": '#include "leeway/agreement/agreement.h"\nint main() {}\n',
}


class Rules(unittest.TestCase):
    def breaches(self, files=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **(files or {})}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_rules.check(pathlib.Path(folder))

    def expect(self, name, text, *parts):
        found = self.breaches(files={name: text})
        self.assertTrue(found, "nothing found")
        for part in parts:
            self.assertTrue(any(part in breach for breach in found), f"{part!r} not in {found}")
        return found

    def test_a_good_tree_has_no_breach(self):
        self.assertEqual(self.breaches(), [])

    def test_the_version_of_the_models_part_goes_with_its_headers(self):
        header = '// The facade.\n#pragma once\n#include "leeway/core/array.h"\nconstexpr int abi_version = 3;  // of headers {}\n'
        (found,) = self.expect("leeway/nn/session.h", header.format("12345678"), "its headers have changed")
        digest = found.split("'of headers ")[1][:8]
        files = {"leeway/nn/session.h": header.format(digest)}
        self.expect("leeway/nn/session.h", header.format(digest).replace("// of headers", "//"), "expected '// of headers'")
        self.assertEqual(self.breaches(files), [])
        self.assertEqual(self.breaches({**files, "leeway/core/array.h": GOOD["leeway/core/array.h"] + "// more words\n"}), [])
        self.assertEqual(len(self.breaches({**files, "leeway/core/array.h": GOOD["leeway/core/array.h"] + "int more;\n"})), 1)

    def test_analyses_do_not_know_each_other(self):
        self.expect("leeway/agreement/a.cpp", '\n#include "leeway/shift/shift.h"\n',
                    "leeway/agreement/a.cpp:2: leeway/agreement may not include leeway/shift")

    def test_analyses_do_not_know_tasks(self):
        self.expect("leeway/shift/a.cpp", '#include "leeway/tasks/assess.h"\n',
                    "leeway/shift may not include leeway/tasks")

    def test_report_knows_core_and_records_alone(self):
        self.expect("leeway/report/detail/page.cpp", '#include "leeway/agreement/agreement.h"\n',
                    "leeway/report may not include leeway/agreement")
        self.expect("leeway/report/detail/page.cpp", '#include "leeway/tasks/pa.h"\n', "leeway/report may not include leeway/tasks")
        self.assertEqual(self.breaches({"leeway/record/pa.h": '// Agreement.\n#pragma once\n#include "leeway/agreement/agreement.h"\n',
                                        "leeway/tasks/pa.h": '// Agreement.\n#pragma once\n#include "leeway/record/pa.h"\n',
                                        "leeway/report/detail/page.cpp": '#include "leeway/record/pa.h"\n'}), [])

    def test_python_knows_the_tables_of_apps_alone(self):
        self.expect("python/src/a.cpp", '#include "apps/leeway/command.h"\n', "python reaches apps only through apps/leeway/tables.h")
        self.expect("python/src/a.cpp", '#include "leeway/nn/model/vit.h"\n', "python reaches nn only through")
        self.assertEqual(self.breaches({"python/src/a.cpp": '#include "apps/leeway/tables.h"\n#include "leeway/tasks/assess.h"\n'}), [])

    def test_torch_stays_in_nn(self):
        for header in ("torch/torch.h", "ATen/ATen.h", "c10/core/Device.h"):
            self.expect("apps/leeway/a.cpp", f"#include <{header}>\n", f"only leeway/nn may include LibTorch, found {header}")

    def test_the_parser_stands_behind_one_header(self):
        self.expect("apps/leeway/cmd_pa.cpp", "#include <CLI/CLI.hpp>\n",
                    "apps/leeway/cmd_pa.cpp:1: expected apps/leeway/command_line.h")
        self.assertEqual(self.breaches({"apps/leeway/command_line.cpp": "#include <CLI/CLI.hpp>\n"}), [])

    def test_what_stands_in_detail_is_a_folders_own(self):
        include = '#include "leeway/agreement/detail/kernel.h"\n'
        for name in ("leeway/tasks/a.cpp", "apps/leeway/a.cpp", "examples/a.cpp"):
            self.expect(name, include, "what stands in leeway/agreement's detail is its own")
        self.assertEqual(self.breaches({"leeway/agreement/a.cpp": include}), [])

    def test_apps_and_examples_use_the_facade(self):
        for folder in ("apps/leeway", "examples"):
            self.expect(f"{folder}/a.cpp", '#include "leeway/nn/detail/torch_model.h"\n', "only through leeway/nn/session.h")

    def test_a_circle_is_named(self):
        self.expect("leeway/core/a.cpp", '#include "leeway/agreement/agreement.h"\n',
                    "circle: agreement -> core -> agreement")

    def test_a_relative_include(self):
        self.expect("leeway/core/a.cpp", '#include "array.h"\n', "expected a path from the root")

    def test_headers(self):
        self.expect("leeway/core/a.h", "#pragma once\n", "leeway/core/a.h:1: expected a comment")
        self.expect("leeway/core/a.h", "// Says #pragma once in words only.\n", "leeway/core/a.h:1: expected #pragma once")

    def test_the_library_is_silent(self):
        for code in ("std::cout << 1;", "printf(x);", "std::fprintf(f, x);", "fmt::print(x);", "abort();", "std::exit(1);",
                     "std::abort ();", "std::terminate();"):
            self.expect("leeway/core/a.cpp", "/* a\n*/\nvoid f() { " + code + " }\n",
                        "leeway/core/a.cpp:3: the library neither prints nor exits")

    def test_names_that_only_look_alike(self):
        code = 'void f() { on_exit(1); scope.exit(); p->abort(); snprintf(b, 1, "x"); vsnprintf(b); }\n'
        self.assertEqual(self.breaches(files={"leeway/core/a.cpp": code}), [])

    def test_length(self):
        self.expect("leeway/core/a.cpp", "\n" * 501, "expected at most 500 lines, found 501")
        self.expect("examples/02_long.cpp", "\n" * 60, "expected at most 59 lines, found 60")
        self.assertEqual(self.breaches(files={"leeway/core/a.cpp": "\n" * 500}), [])

    def test_a_new_folder_must_be_placed(self):
        self.expect("leeway/novelty/a.cpp", "\n", "leeway/novelty: say in")


if __name__ == "__main__":
    unittest.main()
