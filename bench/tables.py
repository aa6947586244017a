#!/usr/bin/python3
"""Shifts drawn from a table of ten million rows, and pictures drawn: seconds of the whole command, process start included.

    bench/tables.py [--leeway PATH] [--rows 10000000] [--pictures 100000] [--rounds 3]

No library does this work; beside it, how long a script takes (csv, a dictionary, numpy) to group and order the rows alone.
"""
import argparse
import csv
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy

COLUMNS = {"shape": ["square", "ellipse", "heart"], "obj_color": ["red", "yellow", "blue"], "bg_color": ["orange", "green", "purple"],
           "scale": ["small", "middle", "big"]}


def write_table(path, rows):
    rng = numpy.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write("id," + ",".join(COLUMNS) + "\n")
        for begin in range(0, rows, 500_000):
            count = min(500_000, rows - begin)
            values = [numpy.array(names)[rng.integers(0, len(names), count)] for names in COLUMNS.values()]
            file.write("".join(f"{begin + i},{','.join(row)}\n" for i, row in enumerate(zip(*values))))


def script(path):
    """Rows of every cell, as csv and a dictionary give them."""
    begin = time.monotonic()
    cells = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        next(reader)
        for number, (_, *cell) in enumerate(reader):
            cells.setdefault(tuple(cell), []).append(number)
    rng = numpy.random.default_rng(0)
    for rows in cells.values():
        rng.permutation(rows)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leeway", type=pathlib.Path, default=pathlib.Path("build/release/bin/leeway"))
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--pictures", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def run(words):
            begin = time.monotonic()
            subprocess.run([arguments.leeway.resolve(), *words.split(), "--no-digest", "--quiet"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            return time.monotonic() - begin

        table = pathlib.Path(folder) / "table.csv"
        write_table(table, arguments.rows)
        one = "conds draw --attributes table.csv --dataset dsprites --sc obj_color --ldd bg_color --uds scale --out split.csv"
        for _ in range(arguments.rounds):
            print(f"conds, one case: {run(one):.2f} s; all 34: {run('conds draw --attributes table.csv --dataset dsprites --all --out cases'):.2f} s; "
                  f"a script's grouping alone: {script(table):.2f} s", flush=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest resident set, the mapped file included: {peak:.0f} MiB; the file: {table.stat().st_size / 2**20:.0f} MiB")
        table.unlink()
        for _ in range(arguments.rounds):
            for name in ("dsprites", "shapes3d"):
                seconds = run(f"data render {name} --sample {arguments.pictures} --out pictures.npz")
                print(f"data render {name}, 64 x 64: {arguments.pictures / seconds:,.0f} a second", flush=True)


if __name__ == "__main__":
    main()
