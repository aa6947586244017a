#!/usr/bin/python3
"""Simulates a sweep of 56,000 units on 1,000 workers that share a file system; writes docs/studies/data/sweep-scale*.csv.

    sweep_scale.py simulate           from the times in data/sweep-scale-pilot.csv; some minutes, one process
    sweep_scale.py pilot SWEEP STAGE  writes that file: time, files and bytes of the units of a stage that are done in a sweep's folder
    sweep_scale.py count LEEWAY       operations of the file system a unit in a real run, by strace

Units take times drawn from the pilot's. A worker is a task of a job array: a runner with one process, `leeway sweep run --jobs 1 --no-wait`.
What a runner does, and how many operations of the file system each step takes, is that of leeway/sweep: STEPS below. The numbers of its rules are read from its sources. The file system is one server that serves a number of
operations a second, each of which takes its time on the way besides; units themselves take no share of it beyond their files.
"""
import collections
import csv
import heapq
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
SWEEP = HERE.parents[1] / "leeway" / "sweep"
UNITS, SHARDS = 56_000, 256
MINUTE = 60.
REQUEUE = MINUTE  # until a task that was killed runs again
LAUNCH = 20.  # seconds within which the tasks of an array begin

# Operations of a runner, by step. A list is open, two readings, close; a text file open, reading or writing, close.
LIST, FILE = 4, 3
STEPS = {
    "start": FILE + 2 + FILE + 4,  # the plan, its folder; its own file: written aside, flushed, locked, renamed
    "claim": 1,  # a link
    "look at a claim": 1 + 1,  # the link's text, the time of the runner's file; its text once
    "outcome": 2,  # is it in units, is it in failed
    "run": 1 + 1 + 2 + 2 + 6,  # a folder, into it, two files, their ends; the record and one file of the process
    "end": 3 + 1 + 1,  # record and log looked at, the log removed; renamed, the claim removed
    "shard": 3 * LIST,  # units, failed, claims
}


def rules():
    """The numbers that the rules of claims and leases have, from the sources."""
    def number(file, pattern):
        found = re.search(pattern, (SWEEP / file).read_text(encoding="utf-8"))
        if not found:
            raise SystemExit(f"{file}: no {pattern}")
        return float(found[1])

    return {"lease": number("claim.h", r"default_lease\{([\d.]+)\}"),
            "renewals a lease": number("run.cpp", r"lease / (\d+)"),
            "first look": number("run.cpp", r"first_look\{([\d.]+)\}"),
            "last look": number("run.cpp", r"last_look\{([\d.]+)\}"),
            "units looked at": number("detail/queue.cpp", r"units_looked_at = (\d+)"),
            "runners looked at": number("detail/queue.cpp", r"runners_looked_at = (\d+)")}


class FileSystem:
    """One server: an operation takes `latency` on its way and 1 / capacity of the server."""

    def __init__(self, latency, capacity):
        self.latency, self.capacity, self.free = latency, capacity, 0.
        self.seconds = {}  # operations by second
        self.count = 0

    def done(self, now, operations):
        self.free = max(self.free, now) + operations / self.capacity
        self.count += operations
        end = max(now + operations * self.latency, self.free)
        self.seconds[int(now)] = self.seconds.get(int(now), 0) + operations
        return end

    def busiest(self):
        return max(self.seconds.values())


class Unit:
    __slots__ = ("seconds", "holder", "done", "runs")

    def __init__(self, seconds):
        self.seconds, self.holder, self.done, self.runs = seconds, None, False, 0


class Runner:
    """A runner, as long as it lives; the worker is the slot of the array that it runs in."""
    __slots__ = ("worker", "speed", "known", "at", "first", "elsewhere", "seen", "look", "began", "died")

    def __init__(self, worker, speed, now):
        self.worker, self.speed, self.began, self.died = worker, speed, now, None
        self.elsewhere, self.seen = [], {}
        self.first, self.at = [], 0


class Simulation:
    def __init__(self, seconds, workers, rng, *, latency=.001, capacity=20_000, kills=0., stragglers=0., slow=0., wait=False):
        self.rng, self.rules, self.wait, self.kills = rng, rules(), wait, kills
        self.files = FileSystem(latency, capacity)
        late = rng.random(len(seconds)) < stragglers
        self.units = [Unit(float(s) * (10 if l else 1)) for s, l in zip(seconds, late)]
        self.shard = rng.integers(0, SHARDS, len(seconds))
        self.of_shard = [numpy.flatnonzero(self.shard == s) for s in range(SHARDS)]
        self.done = numpy.zeros(len(seconds), bool)
        self.speeds = numpy.where(rng.random(workers) < slow, .5, 1.)
        self.events, self.number = [], 0
        self.starts, self.killed, self.left = 0, 0, 0
        self.ends = []  # of units, in order of their last operations
        self.file_seconds = 0.
        for worker in range(workers):
            self.at(rng.random() * LAUNCH, self.start, worker)

    def at(self, time, step, *what):
        self.number += 1
        heapq.heappush(self.events, (time, self.number, step, what))

    def work(self, now, operations):
        end = self.files.done(now, operations)
        self.file_seconds += end - now
        return end

    def run(self):
        while self.events:
            now, _, step, what = heapq.heappop(self.events)
            step(now, *what)
        # What runners without waiting left is the last job's: a runner that waits.
        if not self.done.all():
            self.left, self.wait, self.kills = int((~self.done).sum()), True, 0
            self.at(max(self.ends), self.start, 0)
            self.run()
        return self

    def start(self, now, worker):
        self.starts += 1
        shards = numpy.unique(self.shard[self.done]).size
        self.at(self.work(now, STEPS["start"] + LIST + 1 + shards * LIST), self.ready, Runner(worker, self.speeds[worker], now))

    def ready(self, now, runner):
        runner.known = bytearray(self.done.tobytes())  # 0: to be tried
        runner.at = int(self.rng.integers(len(self.units)))
        runner.look = self.rules["first look"]
        self.next(now, runner)

    def next(self, now, runner):
        while runner.first:
            unit = runner.first.pop()
            return self.attempt(now, runner, unit)
        unit = runner.known.find(0, runner.at)
        if unit < 0:
            unit = runner.known.find(0)
        if unit < 0:
            runner.look = self.rules["first look"]
            return self.at(now, self.look, runner)
        runner.known[unit], runner.at = 1, unit + 1
        return self.attempt(now, runner, unit)

    def attempt(self, now, runner, index):
        unit = self.units[index]
        if unit.done:
            return self.at(self.settle_shard(now, runner, index, STEPS["claim"] + STEPS["outcome"] + 1), self.next, runner)
        operations = STEPS["claim"]
        if unit.holder is not None:
            operations += self.cost_of_look(runner, unit.holder)
            if self.sign(now, runner, unit.holder) != "gone":
                return self.at(self.settle_shard(now, runner, index, operations), self.next, runner)
            operations += 2
        unit.holder, unit.runs = runner, unit.runs + 1
        seconds = unit.seconds / runner.speed
        begin = self.work(now, operations + STEPS["outcome"] + STEPS["run"])
        if self.rng.random() < self.kills:
            return self.at(begin + seconds * self.rng.random(), self.kill, runner)
        return self.at(begin + seconds, self.end, runner, index)

    def settle_shard(self, now, runner, index, operations):
        """Others are in this shard: what they have done and what they are at is read at once; the next unit is one that is left of it, or one
        at another place of the plan."""
        shard = self.of_shard[self.shard[index]]
        known = numpy.frombuffer(runner.known, numpy.uint8)
        unknown = shard[known[shard] == 0] if known[index] else numpy.append(shard[known[shard] == 0], index)
        left = []
        for other in {*unknown.tolist(), index}:
            if self.units[other].done:
                known[other] = 1
            elif self.units[other].holder is not None:
                known[other] = 1
                runner.elsewhere.append(other)
            elif other != index:
                left.append(other)
        if left:
            choice = left[int(self.rng.integers(len(left)))]
            known[choice] = 1
            runner.first.append(choice)
        else:
            runner.at = int(self.rng.integers(len(self.units)))
        return self.work(now, operations + STEPS["shard"])

    def cost_of_look(self, runner, holder):
        return STEPS["look at a claim"] + (0 if id(holder) in runner.seen else FILE)

    def end(self, now, runner, index):
        self.units[index].done, self.done[index] = True, True
        self.units[index].holder = None
        end = self.work(now, STEPS["end"])
        self.ends.append(end)
        self.at(end, self.next, runner)

    def kill(self, now, runner):
        runner.died = now
        self.killed += 1
        self.at(now + REQUEUE, self.start, runner.worker)

    def sign(self, now, observer, holder):
        """By the observer's clock: gone, where the holder's file has kept one time of change for a whole lease; alive, where it has changed."""
        step = self.rules["lease"] / self.rules["renewals a lease"]
        last = holder.began + ((holder.died if holder.died is not None else now) - holder.began) // step * step
        first, changed, since = observer.seen.get(id(holder), (last, last, now))
        if changed != last:
            changed, since = last, now
        observer.seen[id(holder)] = (first, changed, since)
        return "gone" if now - since >= self.rules["lease"] else "alive" if changed != first else "silent"

    def look(self, now, runner):
        """Whether what others are at has ended; of the first few also whether those who are at it live."""
        firsts, others = int(self.rules["runners looked at"]), int(self.rules["units looked at"])
        looked_at, rest = runner.elsewhere[:others], runner.elsewhere[others:]
        kept, news, silent, operations = [], False, False, 0
        for number, index in enumerate(looked_at):
            unit = self.units[index]
            operations += STEPS["outcome"]
            if unit.done:
                news = True
                continue
            if number < firsts:
                operations += self.cost_of_look(runner, unit.holder) if unit.holder is not None else 1
                sign = self.sign(now, runner, unit.holder) if unit.holder is not None else "gone"
                if sign == "gone":
                    news = True
                    runner.first.append(index)
                    continue
                silent |= sign == "silent"
            kept.append(index)
        runner.elsewhere = kept[:firsts] + rest + kept[firsts:]
        end = self.work(now, operations)
        if runner.first:
            return self.at(end, self.next, runner)
        if not runner.elsewhere or (not news and not silent and not self.wait):
            return
        runner.look = self.rules["first look"] if news else min(2 * runner.look, self.rules["last look"])
        self.at(end + runner.look, self.look, runner)


ALL = {"kills": .01, "stragglers": .01, "slow": .05}
SCENARIOS = [
    ("nothing goes wrong", {}),
    ("1% of units killed with their runner", {"kills": .01}),
    ("1% of units take ten times as long", {"stragglers": .01}),
    ("both, and 5% of tasks at half speed: all three", ALL),
    ("all three, 2,000 operations a second", {**ALL, "capacity": 2_000}),
    ("all three, 100,000 operations a second", {**ALL, "capacity": 100_000}),
    ("all three, 100 tasks", {**ALL, "workers": 100}),
]


def simulated(name, pilot, options):
    options = {"workers": 1000, "scale": 1, **options}
    rng = numpy.random.default_rng(1)
    seconds = rng.choice(pilot, UNITS) * options["scale"]
    others = {key: value for key, value in options.items() if key not in ("workers", "scale")}
    simulation = Simulation(seconds, options["workers"], rng, **others).run()
    work = [unit.seconds for unit in simulation.units]
    ideal, ends = sum(work) / simulation.speeds.sum(), sorted(simulation.ends)
    renewals = options["workers"] * simulation.rules["renewals a lease"] / simulation.rules["lease"]
    assert simulation.done.all() and all(unit.done for unit in simulation.units)
    return {"scenario": name, "workers": options["workers"], "mean_unit": statistics.fmean(work), "longest_unit": max(work), "ideal": ideal,
            "most_done": ends[int(.99 * UNITS)], "makespan": ends[-1], "operations": simulation.files.count + renewals * ends[-1],
            "busiest_second": simulation.files.busiest() + renewals, "capacity": simulation.files.capacity,
            "file_share": simulation.file_seconds / (ends[-1] * options["workers"]), "runners": simulation.starts,
            "killed": simulation.killed, "twice": sum(unit.runs for unit in simulation.units) - UNITS - simulation.killed, "left": simulation.left,
            "largest_shard": int(numpy.bincount(simulation.shard, minlength=SHARDS).max()), "runner_files": options["workers"] + simulation.killed}


def write(name, rows):
    with open(DATA / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: float(f"{value:.6g}") if isinstance(value, float) else value for key, value in row.items()} for row in rows)


def simulate():
    with open(DATA / "sweep-scale-pilot.csv", newline="", encoding="utf-8") as file:
        times = numpy.array([float(row["unit_seconds"]) for row in csv.DictReader(file)])
    rows = []
    for name, options in SCENARIOS:
        rows.append(simulated(name, times, options))
        print(name, {key: round(value, 3) for key, value in rows[-1].items() if isinstance(value, (int, float))}, file=sys.stderr, flush=True)
    write("sweep-scale.csv", rows)
    write("sweep-scale-rules.csv", [{"rule": name, "value": value} for name, value in rules().items()])


def pilot(folder, stage):
    rows = []
    with open(folder / "plan.jsonl", encoding="utf-8") as plan:
        for unit in map(json.loads, list(plan)[1:]):
            done = folder / "units" / unit["unit"][:2] / unit["unit"]
            if unit["stage"] == stage and (done / "record.json").exists():
                sizes = [path.stat().st_size for path in done.iterdir()]
                seconds = json.loads((done / "record.json").read_text(encoding="utf-8"))["seconds"]
                rows.append({"unit_seconds": seconds, "files": len(sizes), "bytes": sum(sizes)})
    write("sweep-scale-pilot.csv", rows)


def count(leeway):
    """Calls of the runner alone, by name, a unit: the difference between runs of 1,000 and of 700 units, whose shards have their folders."""
    calls = []
    for units in (700, 1000):
        with tempfile.TemporaryDirectory() as folder:
            study, log = pathlib.Path(folder) / "study.toml", pathlib.Path(folder) / "log"
            data = HERE.parents[1] / "examples" / "data"
            study.write_text(f'[pa]\nclean = "{data}/clean.npz"\nshifted = "{data}/blurred.npz"\nseed = "grid {units} from 1 to {units}"\n', encoding="utf-8")
            subprocess.run([leeway, "sweep", "plan", study, "--out", f"{folder}/sweep", "--quiet"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["strace", "-f", "-o", log, "-e", "trace=%file,%desc", leeway, "sweep", "run", f"{folder}/sweep", "--jobs", "1", "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            lines = [line.split(maxsplit=1) for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
            of_units = {pid for pid, call in lines if call.startswith("execve")} - {lines[0][0]}
            calls.append(collections.Counter(call.split("(")[0] for pid, call in lines if pid not in of_units and folder in call))
    for name in sorted(calls[1]):
        if calls[1][name] != calls[0][name]:
            print(f"{name:12}{(calls[1][name] - calls[0][name]) / 300:6.2f}")


def main():
    step, *words = sys.argv[1:]
    if step == "simulate":
        simulate()
    elif step == "pilot":
        pilot(pathlib.Path(words[0]), words[1])
    else:
        count(words[0])


if __name__ == "__main__":
    main()
