#!/usr/bin/python3
"""Forward passes and input gradients: leeway beside the bare LibTorch module, the same network from ONNX, and Python's torch.

    bench/peers/architectures.py BUILD/bin/architectures_bench [--rounds 10] [--threads 1 2]

ResNet-20, ResNet-18 (small images) and WRN-28-10 on random images of 3 x 32 x 32, batches of 128. The sides take turns
in one run, pass by pass. Prints medians, and the medians of the ratios within a round, bare / leeway, onnx / leeway and torch / leeway
(above 1: leeway is faster). Needs Debian's python3-torch, python3-torchvision and python3-pil (the definitions are those of the tests).
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "reference"))
from architectures import ARCHITECTURES  # noqa: E402
from cifar_resnet import Resnet  # noqa: E402

NETWORKS = {"resnet20-cifar": (lambda: Resnet(20), 512), "resnet18-cifar": (ARCHITECTURES["resnet18-cifar"][0], 128),
            "wrn-28-10": (ARCHITECTURES["wrn-28-10"][0], 128)}


def one_pass(model, x, y, gradient):
    begin = time.perf_counter()
    results = []
    for images, labels in zip(x.split(128), y.split(128)):
        if gradient:
            images = images.detach().requires_grad_()
            loss = torch.nn.functional.cross_entropy(model(images), labels, reduction="sum")
            results.append(torch.autograd.grad(loss, images)[0])
        else:
            with torch.inference_mode():
                results.append(model(images))
    torch.cat(results)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, len(os.sched_getaffinity(0))])
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        compare(arguments, scratch)


def compare(arguments, scratch):
    for name in arguments.networks:
        make, count = NETWORKS[name]
        model = make().eval()
        for weight in model.parameters():
            weight.requires_grad_(False)
        x, y = torch.rand(count, 3, 32, 32), torch.randint(10, (count,))
        onnx = pathlib.Path(scratch) / f"{name}.onnx"
        torch.onnx.export(model, x[:2], str(onnx), opset_version=13, input_names=["x"], dynamic_axes={"x": {0: "n"}})
        for threads in arguments.threads:
            torch.set_num_threads(threads)
            with subprocess.Popen([arguments.program, name, str(threads), str(count), str(onnx)], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, env={"GOMP_SPINCOUNT": "10000", **os.environ}) as program:
                def ask(who, what):
                    program.stdin.write(f"{who} {what}\n")
                    program.stdin.flush()
                    return float(program.stdout.readline())

                for what in ("forward", "gradient"):
                    sides = {"leeway": lambda: ask("leeway", what), "bare": lambda: ask("bare", what), "onnx": lambda: ask("onnx", what),
                             "torch": lambda: one_pass(model, x, y, what == "gradient")}
                    seconds = {side: [] for side in sides}
                    for i in range(arguments.rounds + 1):
                        for side, run in sides.items():
                            value = run()
                            if i > 0:  # the first is to warm up
                                seconds[side].append(value)
                    rates = ", ".join(f"{side} {count / statistics.median(values):.1f}" for side, values in seconds.items())
                    ratios = ", ".join(
                        f"{other} / leeway {statistics.median(b / a for a, b in zip(seconds['leeway'], seconds[other])):.3f}"
                        for other in ("bare", "onnx", "torch"))
                    print(f"{name:15} {what:8} {threads} threads: images/s {rates}; {ratios}", flush=True)
                program.stdin.close()


main()
