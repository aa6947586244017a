"""What the scripts of studies share: their arguments, the folder that they fill, and the table at the end."""
import argparse
import csv
import json
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


def tests_done(sweep):
    """Of each unit of the stage `test` of a sweep's plan that is done: its name, its axes, what its training and itself say."""
    def result(unit):
        path = sweep / "units" / unit[:2] / unit / "record.json"
        return json.loads(path.read_text())["results"][0] if path.exists() else None

    for unit in [json.loads(line) for line in (sweep / "plan.jsonl").read_text().splitlines()[1:]]:
        if unit["stage"] == "test" and (test := result(unit["unit"])):
            yield unit["unit"], unit["axes"], next(train for need in unit["needs"] if "best_epoch" in (train := result(need))), test
