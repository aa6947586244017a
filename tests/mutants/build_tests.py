"""The tests of a build: which cover a source, how long they take, which fail."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

# Checks of the tree itself: they look at a source's text, which is no detection.
NO_TESTS = re.compile(r"rules|format|documents_find|studies|installed|fuzz_|sweep_slurm|browser")
LABELS_NOT_RUN = {"tier2", "browser", "slurm"}
MEMORY = 16 << 30  # of a test: a fault may make it allocate without end


class Tests:
    """The test programs of a build, and the other tests of ctest."""

    def __init__(self, build, jobs):
        self.build, self.jobs = build, jobs
        (build / "mutants").mkdir(exist_ok=True)  # logs
        targets = self.ninja("-t", "targets", "all").splitlines()
        self.programs = sorted({t.split(":")[0] for t in targets if re.match(r"bin/\w+_test:", t)})
        self.inputs = {t: self.ninja("-t", "inputs", t).split() for t in self.programs}
        self.others = []

    def find_others(self):
        """The tests of ctest that are no test program. Before a build, ctest knows none."""
        listed = json.loads(subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True,
                                           capture_output=True, text=True).stdout)["tests"]
        programs = {str(self.build / program) for program in self.programs}
        self.others = [
            t["name"]
            for t in listed
            if not NO_TESTS.search(t["name"])
            and not programs & set(t.get("command", []))
            and not LABELS_NOT_RUN
            & {label for p in t.get("properties", []) if p["name"] == "LABELS" for label in p["value"]}
        ]

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.build, "--quiet", *words], check=True, capture_output=True,
                              text=True).stdout

    def make(self, targets):
        """Whether the targets build; the last lines of what was said where they do not."""
        done = subprocess.run(["ninja", "-C", self.build, "-j", str(self.jobs), *targets], capture_output=True,
                              text=True, check=False)
        return done.returncode == 0, done.stdout[-2000:]

    def folder_of(self, program):
        for name in self.inputs[program]:
            found = re.match(r"tests/(.+)/CMakeFiles/", name)
            if found:
                return found.group(1)
        return ""

    def covering(self, file):
        """Programs that contain the source (of its folder first, commands last), then the other tests."""
        folder = pathlib.PurePath(file).parent
        parents = [str(p) for p in (folder, *folder.parents) if str(p) != "."]
        linked = next((p for p in parents if any(f"{p}/CMakeFiles/" in i for names in self.inputs.values()
                                                 for i in names)), "")
        own = ["/".join(pathlib.PurePath(p).parts[pathlib.PurePath(p).parts[0] == "leeway" :]) for p in parents]

        words = {w for part in pathlib.PurePath(file).with_suffix("").parts for w in part.split("_")
                 if len(w) > 2} - {"leeway", "cmd"}

        def rank(program):
            tested = self.folder_of(program)
            level = next((i for i, p in enumerate(own) if p == tested), 9)
            if level == 9 and any(tested.startswith(p + "/") or p.startswith(tested + "/") for p in own[:2] if p):
                level = 8
            named = sum(word in program for word in words)
            main = program == f"bin/{tested.replace('/', '_')}_test"
            return ("bin/leeway" in self.inputs[program] and not named, level, -named, not main, self.clean.get(program,
                                                                                                                0),
                    program)

        programs = [t for t in self.programs if any(f"{linked}/CMakeFiles/" in name for name in self.inputs[t])]
        return sorted(programs, key=rank) + self.others

    def run(self, test, limit):
        """(passed, failed or timeout; what failed; seconds). `jobs` parts of a program run at once."""
        began = time.monotonic()
        if test in self.programs:
            command = [str(self.build / test), "--gtest_fail_fast", "--gtest_brief=1", "--gtest_filter=-*Tier2*"]
            parts = [dict(GTEST_TOTAL_SHARDS=str(self.jobs), GTEST_SHARD_INDEX=str(i)) for i in range(self.jobs)]
        else:
            command = ["ctest", "--test-dir", str(self.build), "-R", f"^{re.escape(test)}$", "--output-on-failure"]
            parts = [{}]
        logs = [self.build / "mutants" / f"part{i}.log" for i in range(len(parts))]
        running = {}
        try:
            for log, part in zip(logs, parts):
                with log.open("wb") as out:
                    running[log] = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=self.build,
                                                    start_new_session=True, env={**os.environ, **part},
                                                    preexec_fn=limit_memory)
            waiting = dict(running)
            while waiting:
                for log, process in list(waiting.items()):
                    if process.poll() is None:
                        continue
                    del waiting[log]
                    if process.returncode != 0:
                        return "failed", failure_in(log, test, process.returncode), time.monotonic() - began
                if waiting and time.monotonic() - began > limit:
                    return "timeout", f"{test} (timeout)", time.monotonic() - began
                time.sleep(0.05)
        finally:
            for process in running.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        return "passed", "", time.monotonic() - began


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def failure_in(log, test, status):
    text = log.read_text(errors="replace")
    found = re.search(r"\[  FAILED  \] ([\w./]+)", text)
    crash = f" (signal {-status})" if status < 0 else ""
    return f"{pathlib.PurePath(test).name}: {found.group(1)}" if found else test + crash
