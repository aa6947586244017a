#!/usr/bin/env python3
"""Attacks beside Foolbox and torchattacks: robust accuracy and processor time, the same network, budget and steps, one thread.

    PYTHON bench/peers/attacks.py [--networks fashion-mnist,cifar10] [--members pgd,fmn] [--images 1000]
        [--seeds 3] [--out bench/peers/attacks.csv]
    PYTHON bench/peers/attacks.py --per-step                 # PGD steps beside the same loop in torch

PYTHON has leeway, torch, foolbox and torchattacks. Each member, network and seed adds a line to the CSV file; lines that are
there already are not computed again. Networks: a provably robust small CNN (Fashion-MNIST) and ResNet-20 (CIFAR-10), whose
weights and images are in the folder --data. Both libraries attack the same torch module.

A row counts as robust unless a fresh forward pass over the stored example is wrong and the example lies in the ball (1e-6). The
time of a peer is that of its attack and of two forward passes, which give clean and robust accuracy as leeway does.
"""
import argparse
import csv
import dataclasses
import gzip
import math
import os
import pathlib
import statistics
import sys
import time
import typing

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import foolbox  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torchattacks  # noqa: E402

import leeway.torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/reference"))
from cifar_resnet import Resnet  # noqa: E402

BATCH = 256
SHORT = 5  # seconds: shorter attacks run five times, and the least time counts
COLUMNS = ["network", "member", "peer", "norm", "eps", "parameters", "seed", "images", "clean", "ours", "theirs",
           "ours_alone", "theirs_alone", "our_seconds", "their_seconds"]


# -- Networks

class Normalized(torch.nn.Module):
    def __init__(self, network, mean, std):
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, x):
        return self.network((x - self.mean) / self.std)


def cifar10(data):
    """ResNet-20, of accuracy .916, and the first test images."""
    network = Resnet(20)
    weights = np.load(data / "cifar10/weights/resnet20-12fca82f.npz")
    network.load_state_dict({name.removeprefix("module."): torch.tensor(weights[name]) for name in weights}, strict=False)
    images = np.load(data / "cifar10/test_lossless_first1017.npz")
    return Normalized(network, [.485, .456, .406], [.229, .224, .225]), images["x"], images["y"]


def fashion_mnist(data, folder=pathlib.Path("/usr/share/datasets/fashion-mnist")):
    """A provably robust CNN, and the first test images of Debian's dataset-fashion-mnist."""
    nn = torch.nn
    network = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten(),
                            nn.Linear(1568, 100), nn.ReLU(), nn.Linear(100, 10))
    weights = np.load(data / "fashion-mnist/fashion_mnist.npz")
    network.load_state_dict({name: torch.tensor(weights[name]) for name in weights})
    x = np.frombuffer(gzip.open(folder / "t10k-images-idx3-ubyte.gz").read(), np.uint8, offset=16)
    y = np.frombuffer(gzip.open(folder / "t10k-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
    return network, x.reshape(-1, 1, 28, 28), y


NETWORKS = {"fashion-mnist": fashion_mnist, "cifar10": cifar10}
EPS = {"fashion-mnist": {"linf": .1, "l2": 1.}, "cifar10": {"linf": 1 / 255, "l2": .15}}


def load(name, data, count):
    module, x, y = NETWORKS[name](data)
    x = torch.from_numpy(x[:count].astype(np.float32) / 255)
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    return module.eval(), x, torch.from_numpy(y[:count].astype(np.int64))


# -- Members and their peers

def of_foolbox(make):
    """A peer that `make`(parameters, eps) makes; minimum norm: the nearest example that it finds."""
    def run(module, x, y, case):
        model = foolbox.PyTorchModel(module, bounds=(0, 1), device="cpu")
        eps = None if case.minimum_norm else case.eps
        _, found, _ = make(case.parameters, case.eps)(model, x, foolbox.criteria.Misclassification(y), epsilons=eps)
        return found
    return run


def of_torchattacks(make):
    return lambda module, x, y, case: make(module, case.parameters, case)(x, y)


def auto_attack(module, given, case):
    """AutoAttack with the given steps, target classes and queries in place of its fixed ones."""
    whole = torchattacks.AutoAttack(module, norm="Linf", eps=case.eps, seed=case.seed)
    apgd, targeted, fab, square = whole._autoattack.attacks
    apgd.steps = targeted.steps = fab.steps = given["steps"]
    targeted.n_target_classes = fab.n_target_classes = given["targets"]
    square.n_queries = given["queries"]
    return whole


@dataclasses.dataclass
class Member:
    peer: str
    attack: typing.Callable  # of the peer: (module, x, y, case) -> examples
    parameters: dict         # of leeway, by network
    norm: str = "linf"
    loss: str | None = None
    minimum_norm: bool = False
    random: bool = False


def both(**parameters):
    return {name: parameters for name in NETWORKS}


fb, ta = foolbox.attacks, torchattacks
MEMBERS = {
    "fgsm": Member("foolbox LinfFastGradientAttack", of_foolbox(lambda p, eps: fb.LinfFastGradientAttack()), both(),
                   loss="cross-entropy"),
    "bim": Member("foolbox LinfBasicIterativeAttack", of_foolbox(lambda p, eps: fb.LinfBasicIterativeAttack(
        rel_stepsize=1 / p["steps"], steps=p["steps"], random_start=False)), both(steps=10), loss="cross-entropy"),
    "momentum-pgd": Member("torchattacks MIFGSM", of_torchattacks(lambda m, p, c: ta.MIFGSM(
        m, eps=c.eps, alpha=c.eps / p["steps"], steps=p["steps"], decay=1.)), both(steps=10), loss="cross-entropy"),
    "noise": Member("foolbox LinfRepeatedAdditiveUniformNoiseAttack", of_foolbox(
        lambda p, eps: fb.LinfRepeatedAdditiveUniformNoiseAttack(repeats=2 * p["steps"])), {"fashion-mnist": {"steps": 10}, "cifar10": {"steps": 5}}, random=True),
    "pgd": Member("foolbox LinfPGD", of_foolbox(lambda p, eps: fb.LinfPGD(
        rel_stepsize=2.5 / p["steps"], steps=p["steps"], random_start=True)),
        {"fashion-mnist": {"steps": 40}, "cifar10": {"steps": 10}}, loss="cross-entropy", random=True),
    "fmn": Member("foolbox LInfFMNAttack", of_foolbox(lambda p, eps: fb.LInfFMNAttack(steps=p["steps"])),
                  {"fashion-mnist": {"steps": 100}, "cifar10": {"steps": 20}}, minimum_norm=True),
    "ddn": Member("foolbox DDNAttack", of_foolbox(lambda p, eps: fb.DDNAttack(steps=p["steps"])),
                  {"fashion-mnist": {"steps": 100}, "cifar10": {"steps": 20}}, norm="l2", minimum_norm=True),
    "deepfool": Member("foolbox LinfDeepFoolAttack", of_foolbox(lambda p, eps: fb.LinfDeepFoolAttack(
        steps=p["steps"], candidates=p["candidates"])),
        {"fashion-mnist": {"steps": 50, "candidates": 10}, "cifar10": {"steps": 5, "candidates": 4}},
        minimum_norm=True),
    "apgd": Member("torchattacks APGD", of_torchattacks(lambda m, p, c: ta.APGD(
        m, eps=c.eps, steps=p["steps"], seed=c.seed)),
        {"fashion-mnist": {"steps": 50}, "cifar10": {"steps": 10}}, loss="cross-entropy", random=True),
    "apgd-targeted": Member("torchattacks APGDT", of_torchattacks(lambda m, p, c: ta.APGDT(
        m, eps=c.eps, steps=p["steps"], seed=c.seed, n_classes=p["targets"] + 1)),
        {"fashion-mnist": {"steps": 20, "targets": 9}, "cifar10": {"steps": 5, "targets": 3}}, random=True),
    "fab": Member("torchattacks FAB", of_torchattacks(lambda m, p, c: ta.FAB(m, eps=c.eps, steps=p["steps"], seed=c.seed)),
                  {"fashion-mnist": {"steps": 20}, "cifar10": {"steps": 3}}, minimum_norm=True),
    "square": Member("torchattacks Square", of_torchattacks(lambda m, p, c: ta.Square(
        m, eps=c.eps, n_queries=p["queries"], seed=c.seed)),
        {"fashion-mnist": {"queries": 200}, "cifar10": {"queries": 50}}, random=True),
    "carlini-wagner": Member("foolbox L2CarliniWagnerAttack", of_foolbox(lambda p, eps: fb.L2CarliniWagnerAttack(
        binary_search_steps=p["searches"], steps=p["steps"], stepsize=p["step"], initial_const=p["first-constant"],
        abort_early=False)),
        {"fashion-mnist": {"searches": 4, "steps": 50, "step": .01, "first-constant": .1},
         "cifar10": {"searches": 2, "steps": 10, "step": .01, "first-constant": .1}}, norm="l2", minimum_norm=True),
    "strong": Member("torchattacks AutoAttack", of_torchattacks(auto_attack),
                     {"fashion-mnist": {"steps": 10, "targets": 9, "queries": 200},
                      "cifar10": {"steps": 5, "targets": 3, "queries": 50}}, random=True),
    "hopskipjump": Member("foolbox HopSkipJumpAttack", of_foolbox(lambda p, eps: fb.HopSkipJumpAttack(
        steps=p["steps"], initial_gradient_eval_steps=p["first-evaluations"])),
        {"fashion-mnist": {"steps": 5, "first-evaluations": 30}, "cifar10": {"steps": 2, "first-evaluations": 20}},
        norm="l2", minimum_norm=True, random=True),
}


@dataclasses.dataclass
class Case:
    eps: float
    parameters: dict
    seed: int
    minimum_norm: bool


# -- Measurements

def logits(module, x):
    with torch.no_grad():
        return torch.cat([module(rows) for rows in x.split(BATCH)])


def robust(module, x, y, examples, norm, eps):
    """Rows without an example in the ball, by a fresh pass."""
    distance = torch.linalg.vector_norm((examples - x).flatten(1).double(), math.inf if norm == "linf" else 2, dim=1)
    inside = (distance <= eps + 1e-6) & (examples >= 0).all((1, 2, 3)) & (examples <= 1).all((1, 2, 3))
    return (logits(module, x).argmax(1) == y) & ~(inside & (logits(module, examples).argmax(1) != y))


def ours(module, x, y, name, member, case):
    begin = time.process_time()
    result = leeway.attack(module, x.numpy(), y.numpy(), attack=name, norm=member.norm, loss=member.loss,
                           eps=None if member.minimum_norm else case.eps, parameters=case.parameters, seed=case.seed,
                           threads=1, quiet=True)
    return time.process_time() - begin, torch.from_numpy(np.array(result.arrays["x"]))


def theirs(module, x, y, member, case):
    torch.manual_seed(case.seed)
    np.random.seed(case.seed)
    begin = time.process_time()
    examples = torch.cat([member.attack(module, *rows, case).detach() for rows in zip(x.split(BATCH), y.split(BATCH))])
    for shown in (x, examples):
        logits(module, shown)
    return time.process_time() - begin, examples


def measure(network, name, seed, module, x, y, repeats=4):
    member = MEMBERS[name]
    case = Case(EPS[network][member.norm], member.parameters[network], seed, member.minimum_norm)
    our_seconds, our_examples = ours(module, x, y, name, member, case)
    their_seconds, their_examples = theirs(module, x, y, member, case)
    for _ in range(repeats if our_seconds < SHORT else 0):
        our_seconds = min(our_seconds, ours(module, x, y, name, member, case)[0])
        their_seconds = min(their_seconds, theirs(module, x, y, member, case)[0])
    left, left_by_peer = (robust(module, x, y, found, member.norm, case.eps) for found in (our_examples, their_examples))
    share = lambda rows: round(rows.double().mean().item(), 6)  # noqa: E731
    return [network, name, member.peer, member.norm, f"{case.eps:.6g}",
            " ".join(f"{key}={value:g}" for key, value in case.parameters.items()), seed, len(x),
            share(logits(module, x).argmax(1) == y), share(left), share(left_by_peer), int((left & ~left_by_peer).sum()),
            int((~left & left_by_peer).sum()), round(our_seconds, 3), round(their_seconds, 3)]


# -- PGD steps in the process

def torch_loop(module, x, y, eps, steps):
    step, start = 2.5 * eps / steps, x
    for _ in range(steps):
        x = x.detach().requires_grad_()
        gradient, = torch.autograd.grad(torch.nn.functional.cross_entropy(module(x), y, reduction="sum"), x)
        x = torch.clamp(torch.min(torch.max(x.detach() + step * gradient.sign(), start - eps), start + eps), 0, 1)
    return x


def per_step(network, module, x, y, rounds, few=2, many=12):
    """Processor time of a step, from the least of all rounds: other processes only add to it."""
    eps = EPS[network]["linf"]

    def seconds(work):
        begin = time.process_time()
        work()
        return time.process_time() - begin

    def attack(steps):
        leeway.attack(module, x.numpy(), y.numpy(), attack="pgd", loss="cross-entropy", eps=eps, threads=1, quiet=True,
                      parameters={"steps": steps, "random-start": 0})

    runs = [(run, steps) for steps in (few, many) for run in (attack, lambda steps: torch_loop(module, x, y, eps, steps))]
    spent = [[seconds(lambda run=run, steps=steps: run(steps)) for run, steps in runs] for _ in range(rounds)]
    least = [min(column) for column in zip(*spent)]
    step, loop = ((least[after] - least[before]) / (many - few) for before, after in ((0, 2), (1, 3)))
    print(f"{network:14} batch {len(x):4}: leeway {1e3 * step:8.2f} ms a step, loop {1e3 * loop:8.2f} ms, "
          f"ratio {step / loop:.3f}", flush=True)


# -- The table

def table(lines):
    groups = {}
    for line in lines:
        groups.setdefault((line["network"], line["member"], line["parameters"], line["images"]), []).append(line)
    print(f"{'network':14}{'member':15}{'peer':44}{'ours':>7}{'peer':>7}{'difference, 95%':>24}{'time':>7}  parameters, seeds")
    for (network, member, parameters, _), runs in sorted(groups.items(), key=lambda one: one[0][0]):
        mean = lambda key: statistics.mean(float(run[key]) for run in runs)  # noqa: E731
        variances = []
        for run in runs:
            n, alone, of_peer = (int(run[key]) for key in ("images", "ours_alone", "theirs_alone"))
            variances.append(((alone + of_peer) / n - ((alone - of_peer) / n) ** 2) / n)
        # seeds share the rows: their mean is counted as no more certain than one of them
        apart, half = 100 * (mean("ours") - mean("theirs")), 196 * math.sqrt(statistics.mean(variances))
        ratio = statistics.median(float(run["their_seconds"]) / float(run["our_seconds"]) for run in runs)
        print(f"{network:14}{member:15}{runs[0]['peer']:44}{100 * mean('ours'):7.2f}{100 * mean('theirs'):7.2f}"
              f"{apart:8.2f} [{apart - half:6.2f},{apart + half:6.2f}]{ratio:6.2f}x  {parameters}, {len(runs)}")


def read(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(path, line):
    fresh = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if fresh:
            writer.writerow(COLUMNS)
        writer.writerow(line)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--members", default=",".join(MEMBERS))
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3, help="of random members; the others run once")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_suffix(".csv"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--per-step", action="store_true")
    parser.add_argument("--rounds", type=int, default=9, help="of --per-step")
    return parser.parse_args()


def main():
    flags = options()
    torch.set_num_threads(1)
    loaded = {name: load(name, flags.data, flags.images) for name in flags.networks.split(",")}
    if flags.per_step:
        for network, (module, x, y) in loaded.items():
            for batch in (64, 256):
                per_step(network, module, x[:batch], y[:batch], flags.rounds)
        return
    key = lambda line: tuple(str(line[name]) for name in ("network", "member", "seed", "images"))  # noqa: E731
    done = {key(line) for line in read(flags.out)}
    for network, (module, x, y) in loaded.items():  # first calls allocate
        measure(network, "bim", 0, module, x[:BATCH], y[:BATCH], repeats=0)
    for name in flags.members.split(","):
        for network, (module, x, y) in loaded.items():
            for seed in range(flags.seeds if MEMBERS[name].random else 1):
                if (network, name, str(seed), str(len(x))) not in done:
                    append(flags.out, measure(network, name, seed, module, x, y))
    table([line for line in read(flags.out) if line["images"] == str(flags.images)])


if __name__ == "__main__":
    main()
