"""What the scripts of studies share: their arguments, the folder that they fill, and the table at the end."""
import argparse
import csv
import pathlib


def arguments_of(doc, jobs=None):
    """FOLDER and --leeway; with `jobs`, its default, --seeds and --jobs too."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--leeway", default="leeway")
    if jobs is not None:
        parser.add_argument("--seeds", type=int, default=5)
        parser.add_argument("--jobs", type=int, default=jobs)
    return parser


def begun(study, parser):
    """The study in its folder, which is there then, and the arguments."""
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    return study(arguments.folder, arguments.leeway), arguments


def write_rows(path, rows):
    """A column for every key, in the order in which they come; empty where a row has none."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, dict.fromkeys(key for row in rows for key in row), lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)
