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
    "leeway/tasks/assess/assess.h": '// All.\n#pragma once\n#include "leeway/agreement/agreement.h"\n',
    "leeway/nn/session.h": '// The facade.\n#pragma once\n#include "leeway/core/array.h"\n',
    "leeway/nn/session.cpp": '#include <torch/torch.h>\n#include "leeway/nn/session.h"\n#include "leeway/shift/shift.h"\n',
    "leeway/tasks/infer/infer.h": '// Outputs.\n#pragma once\n#include "leeway/nn/session.h"\n',
    "apps/leeway/main.cpp": '#include "leeway/nn/session.h"\n#include "leeway/tasks/assess/assess.h"\nint main() { printf("x"); }\n',
    "examples/01_short.cpp": '#include "leeway/agreement/agreement.h"\nint main() {}\n',
}


# Of each planted breach: the file, its text, and what the complaint says.
BREACHES = (
    ("leeway/agreement/a.cpp", '\n#include "leeway/shift/shift.h"\n', "leeway/agreement/a.cpp:2: leeway/agreement may not include leeway/shift"),
    ("leeway/shift/a.cpp", '#include "leeway/tasks/assess/assess.h"\n', "leeway/shift may not include leeway/tasks"),
    ("leeway/render/a.cpp", '#include "leeway/agreement/agreement.h"\n', "leeway/render may not include leeway/agreement"),
    ("leeway/render/a.cpp", '#include "leeway/tasks/pa/pa.h"\n', "leeway/render may not include leeway/tasks"),
    ("python/src/a.cpp", '#include "apps/leeway/command.h"\n', "python includes nothing of apps"),
    ("python/src/a.cpp", '#include "leeway/nn/model/vit.h"\n', "python reaches nn only through"),
    *(("apps/leeway/a.cpp", f"#include <{header}>\n", f"only leeway/nn may include LibTorch, found {header}")
      for header in ("torch/torch.h", "ATen/ATen.h", "c10/core/Device.h")),
    ("leeway/agreement/a.cpp", "#include <Eigen/SVD>\n", "leeway/agreement/a.cpp:1: expected leeway/core/linear_algebra.h"),
    ("apps/leeway/cmd_pa.cpp", "#include <CLI/CLI.hpp>\n", "apps/leeway/cmd_pa.cpp:1: expected apps/leeway/command_line.h"),
    *((f"{folder}/a.cpp", '#include "leeway/agreement/detail/kernel.h"\n', "what stands in leeway/agreement's detail is its own")
      for folder in ("leeway/tasks", "apps/leeway", "examples")),
    *((f"{folder}/a.cpp", '#include "leeway/nn/detail/torch_model.h"\n', "only through leeway/nn/session.h") for folder in ("apps/leeway", "examples")),
    ("leeway/core/a.cpp", '#include "leeway/agreement/agreement.h"\n', "circle: agreement -> core -> agreement"),
    ("leeway/core/a.cpp", '#include "array.h"\n', "expected a path from the root"),
    ("leeway/core/a.h", "#pragma once\n", "leeway/core/a.h:1: expected a comment"),
    ("leeway/core/a.h", "// Says #pragma once in words only.\n", "leeway/core/a.h:1: expected #pragma once"),
    *(("leeway/core/a.cpp", "/* a\n*/\nvoid f() { " + code + " }\n", "leeway/core/a.cpp:3: the library neither prints nor exits")
      for code in ("std::cout << 1;", "printf(x);", "std::fprintf(f, x);", "fmt::print(x);", "std::exit(1);", "std::abort ();", "std::terminate();")),
    *(("apps/leeway/a.cpp", f"void f() {{ {code}; }}\n", "apps/leeway/a.cpp:1: expected leeway/core/removal.h")
      for code in ("fs::remove_all(p)", "::unlink(p)", "std::filesystem::remove(p)")),
    ("leeway/core/a.cpp", "\n" * 501, "expected at most 500 lines, found 501"),
    ("examples/02_long.cpp", "\n" * 60, "expected at most 59 lines, found 60"),
    ("leeway/novelty/a.cpp", "\n", "leeway/novelty: say in"),
)
# What only looks like a breach.
ALLOWED = {
    "leeway/tasks/pa/pa.h": '// Agreement.\n#pragma once\n#include "leeway/agreement/agreement.h"\n',
    "leeway/tasks/pa/view.cpp": '#include "leeway/render/html.h"\n',
    "leeway/render/html.h": '// HTML.\n#pragma once\n#include "leeway/core/array.h"\n',
    "python/src/a.cpp": '#include "leeway/tasks/assess/assess.h"\n',
    "apps/leeway/command_line.cpp": "#include <CLI/CLI.hpp>\n",
    "leeway/core/linear_algebra.cpp": "#include <Eigen/SVD>\n",
    "leeway/agreement/a.cpp": '#include "leeway/agreement/detail/kernel.h"\n' + "\n" * 499,
    "leeway/core/a.cpp": 'void f() { on_exit(1); scope.exit(); p->abort(); snprintf(b, 1, "x"); vsnprintf(b); }\n',
    "leeway/core/removal.cpp": "void f() { fs::remove_all(p); }\n",
}


def breaches(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **files}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_rules.check(pathlib.Path(folder))


class Rules(unittest.TestCase):
    def test_a_good_tree_has_no_breach(self):
        self.assertEqual(breaches(ALLOWED), [])

    def test_every_breach_is_found(self):
        for name, text, said in BREACHES:
            with self.subTest(said):
                found = breaches({name: text})
                self.assertTrue(any(said in breach for breach in found), found)

    def test_the_version_of_the_models_part_goes_with_its_headers(self):
        header = '// The facade.\n#pragma once\n#include "leeway/core/array.h"\nconstexpr int abi_version = 3;  // of headers {}\n'
        (found,) = breaches({"leeway/nn/session.h": header.format("12345678")})
        self.assertIn("its headers have changed", found)
        files = {"leeway/nn/session.h": header.format(found.split("'of headers ")[1][:8])}
        self.assertEqual(breaches(files), [])
        self.assertEqual(breaches({**files, "leeway/core/array.h": GOOD["leeway/core/array.h"] + "// more words\n"}), [])
        self.assertEqual(len(breaches({**files, "leeway/core/array.h": GOOD["leeway/core/array.h"] + "int more;\n"})), 1)
        (found,) = breaches({"leeway/nn/session.h": files["leeway/nn/session.h"].replace("// of headers", "//")})
        self.assertIn("expected '// of headers'", found)


if __name__ == "__main__":
    unittest.main()
