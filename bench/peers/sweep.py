#!/usr/bin/python3
"""What a sweep costs beside the processes that it runs, and how long many records take to collect.

    bench/peers/sweep.py [--leeway PATH] [--units 10000] [--rounds 10] [--records 100000] [--folder FOLDER]

A runner beside a bare loop that starts the same processes one after the other and waits for each, a tenth of the units a round, taking
turns. Then a plan of many units, each with one record of `leeway pa`, that was not run but written: plan, status and collect, whole
commands, beside a script (json, csv) that collects the same keys.
"""
import argparse
import contextlib
import csv
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICK = os.sysconf("SC_CLK_TCK")
STUDY = """[pa]
clean = "{data}/clean.npz"
shifted = "{data}/blurred.npz"
seed = "grid {units} from 1 to {units}"
"""


class Sweep:
    def __init__(self, leeway, folder, units):
        self.leeway, self.folder = leeway, folder / f"sweep{units}"
        study = folder / f"study{units}.toml"
        study.write_text(STUDY.format(data=ROOT / "examples" / "data", units=units), encoding="utf-8")
        self.plan_seconds, self.plan_peak = self.command("plan", str(study), "--out", str(self.folder))
        with open(self.folder / "plan.jsonl", encoding="utf-8") as file:
            self.units = [json.loads(line) for line in file][1:]

    def command(self, *words):
        """Seconds and the peak of resident memory in MB of a whole command."""
        begin = time.monotonic()
        process = subprocess.Popen([self.leeway, "sweep", *words, "--quiet"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"leeway sweep {' '.join(words)}: exit {process.returncode}")
        return time.monotonic() - begin, usage.ru_maxrss / 1024

    def done(self, unit):
        return self.folder / "units" / unit["unit"][:2] / unit["unit"]


def bare_loop(leeway, units, folder):
    """Seconds of the same processes with their output in the same number of files."""
    begin = time.monotonic()
    for unit in units:
        out = folder / unit["unit"]
        actions = [(os.POSIX_SPAWN_OPEN, fd, f"{out}{end}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666) for fd, end in ((1, ".json"), (2, ".txt"))]
        process = os.posix_spawn(leeway, ["leeway", *unit["words"]], os.environ, file_actions=actions)
        _, status = os.waitpid(process, 0)
        assert status == 0, unit
    return time.monotonic() - begin


def runner(sweep):
    """Seconds of `leeway sweep run`, and processor time of its own, without that of the processes that it ran."""
    begin = time.monotonic()
    process = subprocess.Popen([sweep.leeway, "sweep", "run", str(sweep.folder), "--jobs", "1", "--quiet"], stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    seconds = time.monotonic() - begin
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        user, system, of_units_user, of_units_system = (int(word) / TICK for word in file.read().rsplit(")", 1)[1].split()[11:15])
    assert process.wait() == 0
    return seconds, user, system, of_units_user + of_units_system


def overhead(leeway, folder, units, rounds):
    beside, own, of_units, bare_seconds = [], [], [], []
    for number in range(rounds):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            scratch = pathlib.Path(scratch)
            sweep = Sweep(leeway, scratch, units // rounds)
            (scratch / "bare").mkdir()
            if number % 2 == 0:
                bare = bare_loop(leeway, sweep.units, scratch / "bare")
            seconds, user, system, theirs = runner(sweep)
            if number % 2 == 1:
                bare = bare_loop(leeway, sweep.units, scratch / "bare")
            n = len(sweep.units)
            beside.append((seconds - bare) / n * 1e3)
            own.append((user + system) / n * 1e3)
            of_units.append(theirs / n * 1e3)
            bare_seconds.append(bare / n * 1e3)
    print(f"{units} units, {rounds} rounds, milliseconds a unit (median, least, most)")
    for what, values in [("processor time of the runner alone", own), ("processor time of the unit's process", of_units), ("bare loop, elapsed", bare_seconds),
                         ("run less bare loop, elapsed", beside)]:
        print(f"  {what:38}{statistics.median(values):7.2f}{min(values):7.2f}{max(values):7.2f}")


def script(sweep, keys, out):
    """Seconds of a plain script for the same table."""
    begin = time.monotonic()
    with open(out, "w", newline="", encoding="utf-8") as file, open(sweep.folder / "plan.jsonl", encoding="utf-8") as plan:
        writer = csv.writer(file)
        next(plan)
        for line in plan:
            unit = json.loads(line)
            record = json.loads((sweep.done(unit) / "record.json").read_text(encoding="utf-8"))
            for result in record["results"]:
                row = []
                for key in keys:
                    value = result
                    for part in key.split("."):
                        value = value[part] if value is not None else None
                    row.append(value)
                writer.writerow([unit["unit"], *unit["axes"].values(), record["seconds"], *row])
    return time.monotonic() - begin


def collecting(leeway, folder, records):
    sweep = Sweep(leeway, folder, records)
    first = sweep.units[0]
    record = subprocess.run([leeway, *first["words"]], check=True, capture_output=True).stdout
    for unit in sweep.units:
        sweep.done(unit).mkdir(parents=True)
        (sweep.done(unit) / "record.json").write_bytes(record)
    print(f"{records} records of {len(record)} bytes: seconds, peak of memory in MB")
    print(f"  {'plan':26}{sweep.plan_seconds:7.2f}{sweep.plan_peak:9.0f}")
    print("  {:26}{:7.2f}{:9.0f}".format("status", *sweep.command("status", str(sweep.folder))))
    for end in ("csv", "csv.gz"):
        out = str(folder / f"runs.{end}")
        seconds, peak = sweep.command("collect", str(sweep.folder), "--out", out)
        print(f"  {'collect, ' + end:26}{seconds:7.2f}{peak:9.0f}{os.path.getsize(out) / 1e6:9.1f} MB written")
    with open(folder / "runs.csv", newline="", encoding="utf-8") as file:
        keys = next(csv.reader(file))[3:]
    print(f"  {'a script, csv':26}{script(sweep, keys, folder / 'script.csv'):7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leeway", type=pathlib.Path, default=pathlib.Path("build/release/bin/leeway"))
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--folder", type=pathlib.Path, help="on the file system to measure; default: a temporary one")
    arguments = parser.parse_args()
    leeway = str(arguments.leeway.resolve())
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.folder)))
        if arguments.units > 0:
            overhead(leeway, folder, arguments.units, arguments.rounds)
        if arguments.records > 0:
            collecting(leeway, folder, arguments.records)


if __name__ == "__main__":
    main()
