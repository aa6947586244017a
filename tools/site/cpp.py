"""Pages of the public headers, made from Doxygen's XML: one page for each header, with its comment, types and functions."""
import pathlib
import re
import shutil
import subprocess
import textwrap
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {"function", "enum", "typedef", "variable"}


def plain(node):
    return "" if node is None else " ".join("".join(node.itertext()).split())


def escaped(text):
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", (text or "").replace("<", "&lt;"))


def code(node):
    """The text of a listing; Doxygen writes a space as <sp/>."""
    return (node.text or "") + "".join((" " if part.tag == "sp" else code(part)) + ("\n" if part.tag == "codeline" else "") + (part.tail or "")
                                       for part in node)


def markdown(node):
    """A description of Doxygen as Markdown."""
    if node is None:
        return ""
    if node.tag in ("verbatim", "preformatted", "programlisting"):
        text = textwrap.dedent(code(node).strip("\n")).strip("\n")
        return f"\n\n```text\n{text}\n```\n\n"
    inner = escaped(node.text) + "".join(markdown(part) + escaped(part.tail) for part in node)
    if node.tag == "computeroutput":
        return f"`{plain(node)}`" if plain(node) else ""
    if node.tag == "listitem":
        return "- " + inner.strip().replace("\n", "\n    ") + "\n"
    return f"{inner.strip()}\n\n" if node.tag in ("para", "itemizedlist", "orderedlist") else inner


def description(node):
    text = "".join(markdown(part) for name in ("briefdescription", "detaileddescription") for part in node.find(name) or ())
    return re.sub(r"\n{3,}", "\n\n", text).lstrip("\n")


def signature(member):
    template = ", ".join(f"{plain(one.find('type'))} {plain(one.find('declname'))}".strip() for one in member.findall("templateparamlist/param"))
    if member.get("kind") == "enum":
        values = ", ".join(plain(value.find("name")) for value in member.findall("enumvalue"))
        return f"enum class {plain(member.find('name'))} {{ {values} }};"
    text = re.sub(r"\b(?:\w+::)+(?=~?\w+$)", "", plain(member.find("definition"))) + plain(member.find("argsstring"))
    text = re.sub(r"(?<=<) | (?=>)", "", re.sub(r" ([&*]+)(?=\w)", r"\1 ", text))
    return (f"template <{template}>\n" if template else "") + text + re.sub("^= *", " = ", plain(member.find("initializer"))) + ";"


def section(member):
    return f"### {escaped(plain(member.find('name')))}\n\n```cpp\n{signature(member)}\n```\n\n{description(member)}"


def type_of(compound):
    """A class or struct: variables as a table, functions one by one."""
    members = [one for one in compound.iter("memberdef") if one.get("prot") == "public" and one.get("kind") in KINDS]
    text = f"## {escaped(plain(compound.find('compoundname')))}\n\n{description(compound)}"
    rows = [(signature(one), " ".join(description(one).split())) for one in members if one.get("kind") == "variable"]
    if rows:
        text += "| member | meaning |\n|---|---|\n"
        text += "".join(f"| `{name.replace('|', chr(92) + '|')}` | {meaning} |\n" for name, meaning in rows) + "\n"
    return text + "".join(section(one) for one in members if one.get("kind") != "variable")


def pages():
    """{path below reference/cpp/: text}"""
    out = ROOT / "build/doxygen"
    headers = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "leeway").rglob("*.h"))]
    headers = [name for name in headers if name.count("/") > 1 and "/detail/" not in name and not re.match("leeway/nn/.*/", name)]
    settings = (ROOT / "tools/site/Doxyfile").read_text(encoding="utf-8") + f"INPUT = {' '.join(headers)}\nOUTPUT_DIRECTORY = {out}\n"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    heads, types, members = {}, {}, {}
    for path in sorted((out / "xml").glob("*.xml")):
        for compound in ET.parse(path).getroot().findall("compounddef"):
            kind, place = compound.get("kind"), compound.find("location")
            file = place.get("file").removeprefix(f"{ROOT}/") if place is not None else ""
            if kind == "file":
                heads[file] = description(compound)
            elif kind in ("class", "struct") and compound.get("prot") == "public":
                types.setdefault(file, []).append((int(place.get("line")), type_of(compound)))
            if kind in ("file", "namespace"):
                for one in compound.iter("memberdef"):
                    if one.get("kind") in KINDS:
                        members[one.get("id")] = one
    for one in members.values():
        place = one.find("location")
        file = place.get("declfile", place.get("file")).removeprefix(f"{ROOT}/")
        types.setdefault(file, []).append((int(place.get("declline", place.get("line"))), section(one).replace("###", "##", 1)))
    return {name.removeprefix("leeway/").removesuffix(".h") + ".md":
            f"# {escaped(name)}\n\n{heads.get(name, '')}" + "".join(text for _, text in sorted(types.get(name, []))) for name in headers}
