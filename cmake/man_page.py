#!/usr/bin/python3
"""Writes leeway's man page from what its --help prints. Usage: man_page.py LEEWAY OUT.1

One page for all commands; the options that all share stand once. The same command gives the same page: it has no date.
"""
import pathlib
import re
import subprocess
import sys

COLUMN = 34  # where descriptions begin in --help, as apps/leeway/main.cpp sets it
COMMON = "Common:"
INNER = "Subcommands:"

EXIT_STATUS = [
    ("0", "Done; all gates passed."),
    ("1", "Runtime failure, such as a full disk."),
    ("2", "Usage error."),
    ("3", "Bad input; one line on standard error names the file, what was expected, what was found, and the row."),
    ("4", "A gate failed (--fail-if)."),
    ("5", "Incomplete."),
    ("130", "Interrupted; finished work is saved."),
]
ENVIRONMENT = [("LEEWAY_NN_LIBRARY", "Path of the model library, if it is not installed next to the command.")]


def roff(text):
    """Text as roff shows it, letter for letter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def entries(lines):
    """[(name, description)] of one block of --help."""
    found = []
    for line in lines:
        if re.match(r"  \S", line):
            fits = len(line) > COLUMN and line[COLUMN - 1] == " "
            found.append([line[:COLUMN].strip(), line[COLUMN:].strip()] if fits else [line.strip(), ""])
        elif found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def parse(text):
    """(description, usage, {heading: entries}, footer) of --help."""
    description, usage, lines = "", "", text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Usage: "))
    description, usage = " ".join(lines[:at]), lines[at].removeprefix("Usage: ")
    blocks, footer, heading, body = {}, [], None, []
    for line in lines[at + 1:] + [""]:
        if footer or (line and heading is None and not re.fullmatch(r"[A-Z][\w' -]*:", line)):
            footer.append(line)
        elif line and heading is None:
            heading, body = line, []
        elif line:
            body.append(line)
        elif heading is not None:
            blocks[heading], heading = entries(body), None
    return description, usage, blocks, "\n".join(footer).strip("\n")


def tagged(items):
    return "".join(f".TP\n.B {roff(name)}\n{roff(description)}\n" for name, description in items)


def paragraphs(text):
    """Sentences are filled; examples and lists, which are indented, stay as they are."""
    parts = [part for part in text.split("\n\n") if part]
    return "".join(f".PP\n.nf\n{roff(part)}\n.fi\n" if "  " in part else f".PP\n{roff(part)}\n" for part in parts)


def page(leeway):
    def help_of(*command):
        return parse(subprocess.run([leeway, *command, "--help"], capture_output=True, text=True, check=True).stdout)

    version = subprocess.run([leeway, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    question, _, blocks, _ = help_of()
    text = f'.TH LEEWAY 1 "" "leeway {version}" "User Commands"\n.SH NAME\n'
    text += "leeway \\- measure how far data may shift before a classifier breaks\n"
    text += f".SH SYNOPSIS\n.B leeway\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{roff(question)}\n"
    text += "The result goes to standard output, progress and messages to standard error.\n.SH COMMANDS\n"
    common = []
    commands = [(name,) for name, _ in blocks[INNER]]
    while commands:
        command = commands.pop(0)
        description, usage, options, footer = help_of(*command)
        commands = [(*command, name) for name, _ in options.pop(INNER, [])] + commands
        text += f".SS {roff(usage)}\n{roff(description)}.\n"
        for heading, items in options.items():
            own = [item for item in items if item[0] != "-h,--help" and (heading != COMMON or item[0].startswith("--out "))]
            common += [item for item in items if heading == COMMON and item not in own and item not in common]
            text += tagged(own)
        text += paragraphs(footer)
    text += ".SH OPTIONS OF EVERY COMMAND\n" + tagged(blocks["Options:"][:1] + common)
    return text + ".SH EXIT STATUS\n" + tagged(EXIT_STATUS) + ".SH ENVIRONMENT\n" + tagged(ENVIRONMENT)


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(page(sys.argv[1]), encoding="utf-8")
