"""Adds the generated pages to the documentation site: a hook of mkdocs.yml.

Commands, exit status, records and families come from what build/release/bin/leeway prints; the C++ interface from Doxygen (cpp.py). Files
outside docs/ to which a page links are added at project/PATH.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEEWAY = ROOT / "build/release/bin/leeway"
MODULES = ["leeway", "leeway.results", "leeway.conds", "leeway.metrics", "leeway.sklearn", "leeway.torch"]
LIST = re.compile(r"(-|\d+\.) ")
LINK = re.compile(r"\]\((?!\w+:|#|/)([^)\s#]+)(#[^)\s]*)?\)")
sys.path.insert(0, str(ROOT / "cmake"))
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cpp  # noqa: E402
import man_page  # noqa: E402

pages = {}  # path on the site -> text of a generated page
copies = {}  # path on the site -> file of the project that is copied


def leeway(*arguments):
    return subprocess.run([LEEWAY, *arguments], capture_output=True, text=True, check=True).stdout


def cell(text):
    return re.sub(r"([|*_\[\]])", r"\\\1", str(text).replace("<", "&lt;"))


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def fenced(text):
    return f"```text\n{text}\n```\n\n" if text else ""


def add_commands():
    """One page for each command, with its subcommands."""
    _, _, blocks, _ = man_page.parse(leeway("--help"))
    names = [(name,) for name, _ in blocks[man_page.INNER]]
    index = {}
    while names:
        name = names.pop(0)
        description, usage, blocks, footer = man_page.parse(leeway(*name, "--help"))
        names = [(*name, inner) for inner, _ in blocks.pop(man_page.INNER, [])] + names
        text = f"leeway {' '.join(name)}\n\n{description}.\n\n" + fenced(usage)
        for heading, items in blocks.items():
            text += f"**{heading.rstrip(':')}**\n\n"
            text += table(["option", "meaning"], [["<code>" + html.escape(option).replace("|", "&#124;") + "</code>", cell(meaning)] for option, meaning in items])
        page = f"reference/commands/{name[0]}.md"
        pages[page] = pages.get(page, "") + "#" * min(len(name), 2) + " " + text + fenced(footer)
        index[page] = index.get(page, f"{description}")
    pages["reference/commands/index.md"] = "# Options of every command\n\nAs `leeway COMMAND --help` prints them.\n\n" + table(
        ["command", "purpose"], [[f"[`leeway {pathlib.PurePath(page).stem}`]({pathlib.PurePath(page).name})", cell(purpose)]
                                 for page, purpose in index.items()])
    pages["reference/exit-status.md"] = "# Exit status\n\n" + table(["status", "meaning"], man_page.EXIT_STATUS)


def add_records():
    with tempfile.TemporaryDirectory() as folder:
        leeway("schema", "--out", folder)
        for path in sorted(pathlib.Path(folder).glob("*.md")):
            pages[f"reference/records/{path.name}"] = path.read_text(encoding="utf-8")
    pages["reference/records/index.md"] = "# Records\n\n`--json` prints the record of a command, `leeway schema NAME` the JSON schema of a record.\n\n" + "".join(
        f"- [{path.removeprefix('reference/records/').removesuffix('.md')}]({pathlib.PurePath(path).name})\n"
        for path in sorted(pages) if path.startswith("reference/records/"))


def values(one):
    """The default and the range of a parameter."""
    return f"{one['default']:g}" + (f"; {one['low']:g} to {one['high']:g}" if one["high"] is not None else "") + (", whole" if one["integer"] else "")


def add_families():
    families = json.loads(leeway("list", "--json"))["results"]
    for family in families:
        text = f"# {family['family']}\n\n{cell(family['summary'])}\n\n"
        for member in family["members"]:
            text += f"## {member['name']}\n\n{cell(member['summary'])}.\n\n"
            text += "".join(f"- {key}: {cell(', '.join(value) if isinstance(value, list) else value)}\n"
                            for key, value in [("source", member["source"]), ("needs", member["needs"]), *member["about"].items()] if value)
            if member["parameters"]:
                text += "\n" + table(["parameter", "meaning", "default and range"],
                                     [[f"`{one['name']}`", cell(one["meaning"]), values(one)] for one in member["parameters"]])
            text += "\n"
        pages[f"reference/families/{family['family']}.md"] = text
    pages["reference/families/index.md"] = "# Families\n\nThe methods that a user chooses by name, as `leeway list` prints them.\n\n" + table(
        ["family", "contents"], [[f"[{one['family']}]({one['family']}.md)", cell(one["summary"])] for one in families])


def add_python():
    for module in MODULES:
        members = "    options:\n      members: [Result, Interval]\n" if module == "leeway.results" else ""
        after = "\nAttributes of the other results are the keys of their [records](../records/index.md).\n" if members else ""
        pages[f"reference/python/{'index' if module == 'leeway' else module}.md"] = f"# {module}\n\n::: {module}\n{members}{after}"


def add_cpp():
    headers = cpp.pages()
    pages["reference/cpp/index.md"] = "# C++\n\nThe headers that `cmake --install` installs, from their comments.\n\n" + table(
        ["header", "contents"], [[f"[{name.removesuffix('.md')}.h]({name})", re.split(r"(?<=\.) (?=[A-Z])", " ".join(text.split("\n\n")[1].split()))[0]]
                                 for name, text in headers.items()])
    pages.update({f"reference/cpp/{name}": "---\nsearch: {boost: 0.2}\n---\n" + text for name, text in headers.items()})


def add_notebooks():
    for path in sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        text = ""
        for part in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(part["source"])
            text += f"{source}\n\n" if part["cell_type"] == "markdown" else f"```python\n{source}\n```\n\n"
            for output in part.get("outputs", []):
                text += fenced("".join(output.get("text", output.get("data", {}).get("text/plain", ""))).rstrip())
        pages[f"notebooks/{path.stem}.md"] = text


def title(path):
    """The first heading of a page up to a colon."""
    text = pages.get(path) or (ROOT / "docs" / path).read_text(encoding="utf-8")
    return re.search(r"^# ([^:\n]*)", text, re.M).group(1).replace("`", "")


def expanded(entry):
    """Navigation in which a name that ends in "/" is replaced by the pages of that folder, its index first."""
    if isinstance(entry, dict):
        return {name: expanded(value) for name, value in entry.items()}
    if isinstance(entry, list):
        return [expanded(one) for one in entry]
    if not entry.endswith("/"):
        return entry
    written = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / entry).glob("*.md"))
    paths = [path for path in (*pages, *written) if path.startswith(entry)]
    index = [path for path in paths if path.endswith(("/index.md", "/README.md"))]
    folders = {}
    for path in paths:
        folders.setdefault(path.removeprefix(entry).rpartition("/")[0], []).append(path)
    return index + [{title(path): path} for path in folders.pop("", []) if path not in index] + [
        {folder: [{pathlib.PurePath(path).stem: path} for path in inside]} for folder, inside in folders.items()]


def on_config(config):
    copies.update({f"assets/{name}": ROOT / "tools/site" / name for name in ("iframe-worker.js", "site.css")})
    for add in (add_commands, add_records, add_families, add_python, add_cpp, add_notebooks):
        add()
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "HACKING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "bench/README.md"):
        pages[f"project/{name}"] = (ROOT / name).read_text(encoding="utf-8")
    config.nav = expanded(config.nav)
    return config


def place_of(path):
    """Where a file of the project is on the site, or None: pages of docs/ at their path, others below project/."""
    name = path.relative_to(ROOT).as_posix()
    return name.removeprefix("docs/") if name.startswith("docs/") else f"project/{name}"


def source_of(page):
    """The folder against which links of a page on the site are resolved in the project."""
    return ROOT / page.removeprefix("project/") if page.startswith("project/") else ROOT / "docs" / page


def spaced(markdown):
    """Python-Markdown needs a blank line between a paragraph and a list; GitHub does not."""
    lines, in_code = [], False
    for line in markdown.split("\n"):
        begins = LIST.match(line) and not in_code and lines and lines[-1].strip()
        if begins and not LIST.match(lines[-1]) and not lines[-1].startswith((" ", "#")):
            lines.append("")
        in_code ^= line.lstrip().startswith("```")
        lines.append(line)
    return "\n".join(lines)


def mended(page, markdown):
    """The page's links, as the site needs them: files outside docs/ are added, folders are their README or plain text."""
    def place(found):
        target, anchor = found.group(1), found.group(2) or ""
        path = pathlib.Path(os.path.normpath(source_of(page).parent / target))
        if path.is_dir() and (path / "README.md").exists():
            path /= "README.md"
        if not path.exists() or not path.is_relative_to(ROOT):
            return found.group()
        if path.suffix == ".ipynb":
            path = path.with_suffix(".md")
        elif path.is_dir():
            return "]()"
        there = place_of(path)
        if there.startswith("project/") and there not in pages or path.suffix in (".py", ".toml", ".csv"):
            there = f"project/{path.relative_to(ROOT).as_posix()}"
            copies[there] = path
        return f"]({os.path.relpath(there, os.path.dirname(page) or '.')}{anchor})"

    return spaced(re.sub(r"\[([^\]]*)\]\(\)", r"\1", LINK.sub(place, markdown)))


def on_files(files, config):
    for page, text in list(pages.items()):
        pages[page] = mended(page, text)
    texts = {file.src_uri: file.content_string for file in files.documentation_pages()}
    for page, text in texts.items():
        first = "---\nsearch: {boost: 3}\n---\n" if page.startswith(("guides/", "concepts/", "get-started/")) else ""
        pages[page] = first + mended(page, text)
    for page, text in pages.items():
        if file := files.get_file_from_path(page):
            files.remove(file)
        files.append(File.generated(config, page, content=text))
    for name, path in copies.items():
        files.append(File.generated(config, name, content=path.read_bytes()))
    return files


def on_post_page(output, page, config):
    """Blanks outside listings are half of each page."""
    return "".join(part if part.startswith("<pre") else re.sub(r"\n\s+", "\n", part) for part in re.split(r"(<pre.*?</pre>)", output, flags=re.S))


def on_post_build(config):
    """Removes what no page loads: maps of scripts and other languages of the search."""
    site = pathlib.Path(config.site_dir)
    for path in (*site.glob("assets/javascripts/lunr/**/*.js"), *site.rglob("*.map")):
        path.unlink()
