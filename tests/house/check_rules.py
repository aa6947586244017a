#!/usr/bin/python3
"""Checks the rules of the house that a compiler does not know. Usage: check_rules.py [ROOT]

Which folder may include which, and nobody another's detail; LibTorch in leeway/nn alone, CLI11 and Eigen behind one header each; removals through leeway/core/removal.h alone; headers that begin with a comment
and have #pragma once; a library that neither prints nor ends the process; files that stay short; an ABI version of leeway/nn that goes with
its headers. One line for each breach, exit status 1.
"""
import hashlib
import pathlib
import re
import sys

ANALYSES = {"agreement", "average_case", "error_bound", "conds", "data"}
# Folder of leeway/ -> the folders it may include besides itself. A folder that is not named here is an error.
MAY_INCLUDE = {"core": set(), "io": {"core"}, **{folder: {"core", "io"} for folder in ANALYSES}, "average_case": {"core"}, "attack": {"core"}, "endpoint": {"core", "io"}, "shift": {"core", "io", "data"},
               "nn": {"core", "io", "data", "shift", "attack"}, "describe": {"core", "io"}, "render": {"core", "io", "describe"},
               "tasks": {"core", "io", "shift", "attack", "endpoint", "describe", "render"} | ANALYSES, "sweep": {"core", "io", "describe", "tasks"}}
NN_FACADES = tuple(f"leeway/nn/{name}.h" for name in ("session", "predictor", "model", "train"))  # tasks, too
FACADE_ONLY = {"apps", "examples", "python"}  # folders that know every part, but of nn the facades alone
MOST_LINES = {("leeway", "apps", "python/src"): 108_400, ("tests",): 55_600}  # C++; C++ and scripts
LONGEST = {"leeway": 500, "apps": 500, "examples": 59, "python": 500}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
PARSER = ("apps/leeway/command_line.cpp", "apps/leeway/config_flags.cpp")  # all that knows CLI11
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
LINE_COMMENT = re.compile(r"//[^\n]*")
ABI = re.compile(r"abi_version = \d+;\s*// of headers (\w+)")
OUTPUT_OR_END = re.compile(r"\bstd::(?:cout|cerr|clog|terminate)\b|\bfmt::print\b"
                           r"|(?<![\w.>])(?:v?f?printf|f?puts|putchar|perror|abort|_?exit|_Exit|quick_exit)\s*\(")

REMOVAL = re.compile(r"\b(?:remove_all|unlink|unlinkat|rmdir)\s*\(|\b(?:fs|filesystem)::remove\s*\(|\bstd::remove\s*\(")
REMOVER = "leeway/core/removal.cpp"  # all that removes files


def code_of(text):
    """The text without comments and literals; line breaks stay, so that line numbers do."""
    return COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n") or " ", text)


def sources(root):
    for top in ("leeway", "apps", "examples", "python"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp") and path.is_file():
                yield path


def check_includes(name, text, graph):
    """Breaches of one file; `graph` gains the edges between folders of leeway/."""
    top, folder = name.split("/")[0], name.split("/")[1]
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quoted, target = found.group(1) == '"', found.group(2)
        where = f"{name}:{number}"
        if TORCH.match(target) and not name.startswith("leeway/nn/"):
            yield f"{where}: only leeway/nn may include LibTorch, found {target}"
        if target.startswith("CLI/") and name not in PARSER:
            yield f"{where}: expected apps/leeway/command_line.h, behind which the parser stands, found {target}"
        if target.startswith("Eigen/") and name != "leeway/core/linear_algebra.cpp":
            yield f"{where}: expected leeway/core/linear_algebra.h, behind which Eigen stands, found {target}"
        if quoted and top == "leeway" and not target.startswith("leeway/"):
            yield f"{where}: expected a path from the root (leeway/...), found {target}"
        if top == "python" and target.startswith("apps/"):
            yield f"{where}: python includes nothing of apps, found {target}"
        if not target.startswith("leeway/"):
            continue
        other = target.split("/")[1]
        if "/detail/" in target and (top != "leeway" or other != folder):
            yield f"{where}: what stands in leeway/{other}'s detail is its own, found {target}"
        if top in FACADE_ONLY and other == "nn" and target not in NN_FACADES:
            yield f"{where}: {top} reaches nn only through {', '.join(NN_FACADES)}, found {target}"
        if top == "leeway" and other != folder:
            graph.setdefault(folder, set()).add(other)
            if other not in MAY_INCLUDE.get(folder, set()) and not (folder == "tasks" and target in NN_FACADES):
                yield f"{where}: leeway/{folder} may not include leeway/{other}, found {target}"


def check_header(name, text):
    if not text.startswith("//"):
        yield f"{name}:1: expected a comment that says what the header is for"
    once = "HWY_TARGET_TOGGLE" if name.endswith("-inl.h") else "#pragma once"  # -inl.h: once for each instruction set
    if once not in code_of(text):
        yield f"{name}:1: expected {once}"


def check_abi(root):
    """The version in the facade's header stands beside a digest of what that header and all that it includes declare."""
    facade = root / NN_FACADES[0]
    text = facade.read_text(encoding="utf-8") if facade.exists() else ""
    version = ABI.search(text)
    if not version:
        if "abi_version" in text:
            yield f"{NN_FACADES[0]}: expected '// of headers' and a digest behind abi_version"
        return
    seen, waiting = {}, [*NN_FACADES, "leeway/data/training_data.h"]
    while waiting:
        name = waiting.pop()
        path = root / name
        if name in seen or not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        seen[name] = " ".join(LINE_COMMENT.sub("", ABI.sub("", text)).split())
        waiting += [found.group(2) for found in map(INCLUDE.match, text.splitlines()) if found and found.group(2).startswith("leeway/")]
    digest = hashlib.sha256(repr(sorted(seen.items())).encode()).hexdigest()[:8]
    if version.group(1) != digest:
        yield (f"{NN_FACADES[0]}: its headers have changed: raise abi_version where a program compiled against the older ones cannot bear it, "
               f"and write 'of headers {digest}' behind it")


def cycle_in(graph):
    """One cycle of folders as a list, or None."""
    done = set()

    def walk(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        for other in sorted(graph.get(node, ())):
            found = walk(other, path + [node])
            if found:
                return found
        done.add(node)
        return None

    for start in sorted(graph):
        found = walk(start, [])
        if found:
            return found
    return None


def check(root):
    breaches, graph = [], {}
    for folder in sorted(p.name for p in (root / "leeway").iterdir() if p.is_dir()):
        if folder not in MAY_INCLUDE:
            breaches.append(f"leeway/{folder}: say in tests/house/check_rules.py what this folder may include")
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        top = name.split("/")[0]
        breaches += check_includes(name, text, graph)
        if path.suffix == ".h":
            breaches += check_header(name, text)
        if top == "leeway":
            for number, line in enumerate(code_of(text).splitlines(), 1):
                found = OUTPUT_OR_END.search(line)
                if found:
                    breaches.append(f"{name}:{number}: the library neither prints nor exits, found {found.group().strip()}")
        for number, line in enumerate(code_of(text).splitlines(), 1):
            if top != "examples" and name != REMOVER and (found := REMOVAL.search(line)):
                breaches.append(f"{name}:{number}: expected leeway/core/removal.h for a removal, found {found.group().strip()}")
        lines = text.count("\n")
        if lines > LONGEST[top]:
            breaches.append(f"{name}: expected at most {LONGEST[top]} lines, found {lines}")
    breaches += check_abi(root)
    for folders, most in MOST_LINES.items():
        suffixes = {".h", ".cpp", ".py", ".mjs"} if folders == ("tests",) else {".h", ".cpp"}
        files = [path for folder in folders for path in (root / folder).rglob("*")
                 if path.suffix in suffixes and "node_modules" not in path.parts]
        lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
        if lines > most:
            breaches.append(f"{', '.join(folders)}: expected at most {most} lines, found {lines}")
    loop = cycle_in(graph)
    if loop:
        breaches.append("folders include each other in a circle: " + " -> ".join(loop))
    return breaches


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    if not any(sources(root)):
        sys.exit(f"no sources under {root.resolve()}")
    breaches = check(root)
    print("\n".join(breaches) or "the rules hold")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
