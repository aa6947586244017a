"""What the scripts that record the output of commands share. Usage of each: SCRIPT LEEWAY"""
import json
import pathlib
import subprocess
import sys

LEEWAY = str(pathlib.Path(sys.argv[1]).resolve())


def run(folder, *words, check=True):
    """What the command prints, run in `folder`."""
    return subprocess.run([LEEWAY, *words], cwd=folder, check=check, stdout=subprocess.PIPE).stdout


def write(name, record, **layout):
    """Writes NAME.json beside this file, on one line unless `layout` says otherwise."""
    text = json.dumps(record, **{"separators": (",", ":"), **layout})
    pathlib.Path(__file__).with_name(f"{name}.json").write_text(text + "\n", encoding="utf-8")
