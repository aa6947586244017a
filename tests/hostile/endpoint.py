#!/usr/bin/python3
"""Kills leeway infer --endpoint while a server answers well, slowly, badly and not at all, and runs it again until all is answered.

    tests/hostile/endpoint.py build/release/bin [--requests 20000] [--kills 10] [--faults 0.1] [--seconds 0] [--seed 0]

No answer may be lost or asked for again once it is in the journal, memory must stay below 200 MB, and the key may be in no file and no
message. Without kills and faults, --seconds 0.1 measures throughput against the bound 64 / (mean answer time).
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY, PARALLEL, MOST_MEMORY = "sk-never-to-be-seen", 64, 200 << 10  # KiB
ID = re.compile(r"#([0-9a-f]{32})")


def start(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "LEEWAY_API_KEY": KEY})


def ids_in(journal):
    """The images that have an answer in whole lines."""
    return set(ID.findall(journal.read_text().rpartition("\n")[0])) if journal.exists() else set()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    for name, value in (("requests", 20000), ("kills", 10), ("seed", 0)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--faults", type=float, default=.1)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    chance, n = random.Random(options.seed), options.requests
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        journal, log = folder / "j.jsonl", folder / "log"
        x = numpy.random.default_rng(options.seed).integers(0, 256, (n, 1, 6, 6), dtype=numpy.uint8)
        numpy.savez(folder / "i.npz", x=x, y=x[:, 0, 0, 0] % 3)
        server = subprocess.Popen([sys.executable, ROOT / "tests/endpoint/server.py", "--faults", str(options.faults), "--seed",
                                   str(options.seed), "--seconds", str(options.seconds), "--log", log], stdout=subprocess.PIPE, text=True)
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        command = [options.bin / "leeway", "infer", "--endpoint", url, "--endpoint-model", "m", "--data", folder / "i.npz", "--classes",
                   "square,ellipse,heart", "--journal", journal, "--out", folder / "o.npz", "--parallel", str(PARALLEL), "--retries", "20", "--json"]
        said = ""
        for kill in range(options.kills + 1):
            known, asked, begin = ids_in(journal), log.stat().st_size, time.time()
            run = start(command)
            if kill < options.kills:  # once some answers have arrived
                target = len(known) + chance.randrange(1, max(2, n // (options.kills + 2)))
                while run.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") <= target):
                    time.sleep(.05)
                run.send_signal(signal.SIGKILL)
            out, err = run.communicate()
            said += out + err
            now = ids_in(journal)
            twice = known & set(log.read_text()[asked // 33 * 33:].split())
            if not known <= now:
                problems.append(f"run {kill}: {len(known - now)} answers lost")
            if twice:
                problems.append(f"run {kill}: {len(twice)} images asked for again")
            print(f"run {kill}: {len(known)} known, {len(now)} after {time.time() - begin:.1f} s", flush=True)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # not of the server, which has not ended
        server.kill()
        if run.returncode != 0:
            sys.exit(f"exit {run.returncode}: {err}")
        result = json.loads(out)["results"][0]
        saved = numpy.load(folder / "o.npz")
        if result["missing"] or (saved["logits"].argmax(1) != x[:, 0, 0, 0] % 3).any() or len(now) != n:
            problems.append(f"{result['missing']} missing, {len(now)} of {n} in the journal")
        if memory > MOST_MEMORY:
            problems.append(f"{memory >> 10} MB of memory")
        for file in folder.iterdir():
            if KEY.encode() in file.read_bytes():
                problems.append(f"the key is in {file.name}")
        if KEY in said:
            problems.append("the key is in a message")
        bound = PARALLEL / result["seconds_per_request"]
        print(f"{result['requests']} requests, {result['retries']} retries in the last run; {memory >> 10} MB; "
              f"{result['requests'] / json.loads(out)['seconds']:.0f} requests/s, bound {bound:.0f}")
    print("\n".join(problems) or "no answer was lost")
    sys.exit(bool(problems))


main()
