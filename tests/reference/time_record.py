#!/usr/bin/env python3
"""Writes time_record.json, what `leeway assess` says of a made-up target over eight days. Usage: time_record.py LEEWAY

Accuracy falls on the last two days; there are no rows on the fourth."""
import json
import pathlib
import tempfile

from records import run, write


def rows(days, per_day, wrong):
    """Row i of a day is wrong where i mod 20 is below `wrong(day)`; the scores of wrong rows are a little lower."""
    lines = ["time,label,p_cat,p_dog"]
    for day in days:
        for i in range(per_day):
            label, right = i % 2, i % 20 >= wrong(day)
            score = (.9 if right else .7) + .004 * (i % 7)
            cat = score if (label == 0) == right else 1 - score
            lines.append(f"2026-03-{day:02d},{['cat', 'dog'][label]},{cat:.3f},{1 - cat:.3f}")
    return "\n".join(lines) + "\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "val.csv").write_text(rows([1], 600, lambda day: 2), encoding="utf-8")
        (folder / "prod.csv").write_text(rows([1, 2, 3, 5, 6, 7, 8], 100, lambda day: 2 if day < 7 else 8), encoding="utf-8")
        words = "assess --source val.csv --target prod=prod.csv --chunk 1d --restarts 1 --bootstrap 0 --json --quiet --threads 1"
        record = json.loads(run(folder, *words.split()))
    record["seconds"] = .1
    write("time_record", record)


if __name__ == "__main__":
    main()
