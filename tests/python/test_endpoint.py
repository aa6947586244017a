"""Models behind a chat endpoint: the functions against the command, exit codes, attacks, and a comparison of two prompts."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy
import pytest

import leeway
from leeway import _command

SERVER = pathlib.Path(__file__).resolve().parents[1] / "endpoint" / "server.py"
KEY = "sk-never-to-be-seen"
CLASSES = "square,ellipse,heart"


@pytest.fixture
def endpoint(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEEWAY_API_KEY", KEY)
    server = subprocess.Popen([sys.executable, SERVER, *getattr(request, "param", [])], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    server.kill()
    server.wait()


def images(n=12):
    x = numpy.random.default_rng(0).integers(0, 256, (n, 1, 6, 6), dtype=numpy.uint8)
    x[:, 0, 0, 0] = numpy.arange(n)
    return {"x": x, "y": numpy.arange(n) % 3}


def command(*words, code=0):
    done = subprocess.run([_command.binary(), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert KEY not in done.stdout + done.stderr
    return done


def infer(endpoint, path, out, *words, code=0):
    return command("infer", "--endpoint", endpoint + path, "--endpoint-model", "m", "--data", "images.npz", "--classes", CLASSES,
                   "--journal", out + ".jsonl", "--out", out + ".npz", *words, code=code)


def test_function_and_command_agree(endpoint):
    numpy.savez("images.npz", **images())
    done = infer(endpoint, "/v1", "a", "--answer", "letters", "--json")
    assert f"sent to {endpoint}" in done.stderr
    record, saved = json.loads(done.stdout), numpy.load("a.npz")
    result = leeway.infer_endpoint(images(), endpoint + "/v1", "m", classes=CLASSES, answer="letters", quiet=True)
    numpy.testing.assert_array_equal(result.arrays["logits"], saved["logits"])
    assert saved["class_names"].tolist() == [*CLASSES.split(","), "(no class)"]
    first, second = record["results"][0], result.to_dict()["results"][0]
    assert first["probabilities"] == "logprobs" and first["accuracy"] == 1 and first["prompt_tokens"] == 12 * 600
    assert all(first[key] == second[key] for key in first if key not in ("data", "out", "seconds_per_request"))
    assert KEY not in (done.stdout + pathlib.Path("a.jsonl").read_text() + json.dumps(result.to_dict()))


def test_missing_rows_are_exit_5_and_completed_later(endpoint):
    numpy.savez("images.npz", **images())
    infer(endpoint, "/v1", "a", "--max-requests", 0, code=5)
    assert not os.path.exists("a.npz")
    infer(endpoint, "/v1", "a", "--max-requests", 5, "--parallel", 1, code=5)
    part = numpy.load("a.npz")
    assert part["ids"].tolist() == ["0", "1", "2", "3", "4"] and part["labels"].tolist() == [0, 1, 2, 0, 1]
    infer(endpoint, "/v1", "a")
    assert "ids" not in numpy.load("a.npz") and len(pathlib.Path("a.jsonl").read_text().splitlines()) == 13


def test_two_prompts_are_compared_on_the_same_samples(endpoint):
    numpy.savez("images.npz", **images())
    infer(endpoint, "/v1", "general1")
    infer(endpoint, "/hard", "general2", "--prompt", "general2")
    sets = ["--source", "general1=general1.npz", "general2=general2.npz",
            "--target", "general1/images=general1.npz", "general2/images=general2.npz"]
    record = json.loads(command("assess", *sets, "--no-bounds", "--json").stdout)
    assert [(one["n"], abs(one["difference"])) for one in record["comparisons"]] == [(12, 1)]


SQUARE = ["--attack", "square", "--eps", "2/255", "--set", "queries=30"]


def attack_words(endpoint, *words):
    return ["attack", "--endpoint", endpoint + "/v1", "--endpoint-model", "m", "--data", "images.npz", "--classes", CLASSES, "--out", "adv.npz",
            "--journal", "attack.jsonl", *words]


def test_an_attack_resumes_and_agrees_with_the_function(endpoint):
    numpy.savez("images.npz", **images())
    done = command(*attack_words(endpoint, *SQUARE, "--max-requests", 12), code=5)
    assert "at most 384 requests" in done.stderr and endpoint in done.stderr and not os.path.exists("adv.npz")
    first = json.loads(command(*attack_words(endpoint, *SQUARE, "--json")).stdout)["results"][0]
    result = leeway.attack_endpoint(images(), endpoint=endpoint + "/v1", endpoint_model="m", classes=CLASSES, eps=2 / 255, parameters={"queries": 30}, quiet=True)
    saved, second = numpy.load("adv.npz"), result.to_dict()["results"][0]
    numpy.testing.assert_array_equal(result.arrays["x"], saved["x"])
    assert first["clean_accuracy"] == 1 and first["robust_accuracy"] == second["robust_accuracy"] < 1
    assert second["endpoint"]["requests"] == first["endpoint"]["requests"] + 12 <= 384
    numpy.testing.assert_allclose(saved["x"] * 255, numpy.round(saved["x"] * 255), atol=1e-4)


@pytest.mark.parametrize("endpoint", [["--seconds", "60"]], indirect=True)
def test_ctrl_c_ends_an_attack_on_a_slow_server(endpoint):
    numpy.savez("images.npz", **images())
    running = subprocess.Popen([_command.binary(), *attack_words(endpoint, *SQUARE)], stderr=subprocess.PIPE, text=True)
    assert "at most" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert running.wait(10) == 130 and time.monotonic() - begun < 2


def test_mistakes_in_the_call(endpoint):
    numpy.savez("images.npz", **images())
    assert "--journal" in command("infer", "--endpoint", endpoint, "--endpoint-model", "m", "--data", "images.npz", "--out", "o.npz", code=2).stderr
    assert "generel1" in infer(endpoint, "/v1", "a", "--prompt", "generel1", code=3).stderr
    assert "HTTP 401: wrong key [key]" in infer(endpoint, "/unauthorized", "b", code=3).stderr
    for words, found in [(["--attack", "pgd"], "expected square or hopskipjump"), ([*SQUARE, "--checks"], "--checks"), (["--model", "m.pt"], "--model"),
                         ([*SQUARE, "--no-class", "guess"], "--no-class")]:
        assert found in command(*attack_words(endpoint, *words), code=2).stderr
    with pytest.raises(leeway.Error, match="hopskipjump"):
        leeway.attack_endpoint(images(), endpoint=endpoint, endpoint_model="m", classes=CLASSES, attack="pgd")
    with pytest.raises(leeway.Error, match="endpoint_model"):
        leeway.infer_endpoint(images(), endpoint, classes=CLASSES)
