#!/usr/bin/python3
"""A step of each training algorithm beside a step of plain training, and beside the same step in Python's torch.

    bench/peers/algorithms.py BUILD/bin/algorithms_bench [--rounds 10] [--threads 1] [--members NAME...]

resnet18 on 3 x 64 x 64, batch 32, and small-cnn on 1 x 28 x 28, batch 128; 10 classes, Adam, random pixels. A round is one step of each
side. First table: the median over rounds of the ratio of a step to one of plain training in the same round (`batch`: of which the
batch is made, views and augmentations included), beside what the method counts: passes of a batch through the network, and the
multiply-adds of the step over those of plain training, which know heads, parts of networks and discriminators; `time / count` is the
first over the larger of the two. `MB`: the largest size of a process that makes three steps of that algorithm alone. Second table: torch / leeway for four
algorithms written in torch the plain way (above 1: leeway is faster). Needs Debian's python3-torch, python3-torchvision, python3-pil.
"""
import argparse
import copy
import os
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import resnet18

SETTINGS = {"resnet18": (64, 3, 32), "small-cnn": (28, 1, 128)}
# Passes of a batch through the network in a step, with default parameters.
PASSES = {"erm": 1, "reweight": 1, "resample": 1, "augmix-jsd": 3, "group-dro": 1, "bpa": 1, "ada": 1, "me-ada": 1, "irm": 1,
          "coral": 1, "mmd": 1, "causirl-coral": 1, "causirl-mmd": 1, "mixup": 1, "lisa": 2, "dann": 2, "cdan": 2, "fixmatch": 3}


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(), nn.Flatten(),
                                      nn.Linear(1568, 100), nn.ReLU())
        self.classify = nn.Linear(100, 10)


class Resnet18(nn.Module):
    def __init__(self):
        super().__init__()
        net = resnet18(num_classes=10)
        self.front = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2)
        self.back = nn.Sequential(net.layer3, net.layer4, net.avgpool, nn.Flatten())
        self.fc = net.fc

    def features(self, x):
        return self.back(self.front(x))

    @property
    def classify(self):
        return self.fc


class Erm:
    def __init__(self, net):
        self.net = net
        self.make_optimizer(net.parameters())

    def make_optimizer(self, weights):
        self.optimizer = torch.optim.Adam(list(weights), lr=1e-3)

    def step(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        loss, logits = self.loss(batch)
        loss.backward()
        self.optimizer.step()
        return loss.item(), (logits.argmax(1) == batch["y"]).sum().item()

    def loss(self, batch):
        logits = self.net.classify(self.net.features(batch["x"]))
        return F.cross_entropy(logits, batch["y"]), logits


class GroupDro(Erm):
    def __init__(self, net):
        super().__init__(net)
        self.q = torch.full((20,), 1 / 20)

    def loss(self, batch):
        logits = self.net.classify(self.net.features(batch["x"]))
        losses = F.cross_entropy(logits, batch["y"], reduction="none")
        members = F.one_hot(batch["group"], 20).float()
        count = members.sum(0)
        means = (members.t() @ losses) / count.clamp_min(1)
        present = (count > 0).float()
        self.q = self.q * torch.exp(.01 * means.detach() * present)
        self.q = self.q / self.q.sum()
        return (self.q * means * present).sum(), logits


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(context, x, weight):
        context.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        return -context.weight * gradient, None


class Dann(Erm):
    def __init__(self, net):
        super().__init__(net)
        self.discriminator = nn.Sequential(nn.Linear(net.classify.in_features, 1024), nn.ReLU(), nn.Dropout(.5), nn.Linear(1024, 1024),
                                           nn.ReLU(), nn.Dropout(.5), nn.Linear(1024, 2))
        self.make_optimizer([*net.parameters(), *self.discriminator.parameters()])

    def loss(self, batch):
        n = len(batch["y"])
        z = self.net.features(torch.cat([batch["x"], batch["target"]]))
        logits = self.net.classify(z[:n])
        domain = torch.cat([torch.ones(n, dtype=torch.int64), torch.zeros(n, dtype=torch.int64)])
        told = self.discriminator(Reverse.apply(z, .5))
        return F.cross_entropy(logits, batch["y"]) + F.cross_entropy(told, domain), logits


class SagNet(Erm):
    """Styles exchanged in front of layer3; all gradients are of one pass, then three Adams take their steps."""

    def __init__(self, net):
        super().__init__(net)
        self.style = nn.Sequential(copy.deepcopy(net.back), copy.deepcopy(net.fc))
        self.of_style = list(self.style.parameters())
        self.of_adversary = [p for module in net.front.modules() if isinstance(module, nn.BatchNorm2d) for p in module.parameters()]
        self.optimizers = [torch.optim.Adam(p, lr=1e-3) for p in (list(net.parameters()), self.of_style, self.of_adversary)]

    def step(self, batch):
        z = self.net.front(batch["x"])
        n = len(z)
        mean, deviation = z.mean((2, 3), keepdim=True), (z.var((2, 3), unbiased=False, keepdim=True) + 1e-5).sqrt()
        order, alpha = torch.randperm(n), torch.rand(n, 1, 1, 1)
        normal = (z - mean) / deviation
        restyled = normal * (alpha * deviation + (1 - alpha) * deviation[order]) + alpha * mean + (1 - alpha) * mean[order]
        logits = self.net.fc(self.net.back(restyled))
        told = self.style(normal[order].detach() * deviation + mean)
        losses = [F.cross_entropy(logits, batch["y"]), F.cross_entropy(told, batch["y"]), -.1 * F.log_softmax(told, 1).mean()]
        weights = [list(self.net.parameters()), self.of_style, self.of_adversary]
        found = [torch.autograd.grad(loss, w, retain_graph=True) for loss, w in zip(losses, weights)]
        for optimizer, w, gradients in zip(self.optimizers, weights, found):
            for weight, gradient in zip(w, gradients):
                weight.grad = gradient
            if optimizer is self.optimizers[2]:
                nn.utils.clip_grad_norm_(w, .1)
            optimizer.step()
        return losses[0].item(), (logits.argmax(1) == batch["y"]).sum().item()


PEERS = {"erm": Erm, "group-dro": GroupDro, "dann": Dann, "sagnet": SagNet}


class Peer:
    def __init__(self, network, member):
        side, channels, self.batch = SETTINGS[network]
        n = 8 * self.batch
        self.data = {"x": torch.rand(n, channels, side, side), "target": torch.rand(n, channels, side, side),
                     "y": torch.randint(10, (n,)), "group": torch.randint(20, (n,))}
        self.member = PEERS[member]({"resnet18": Resnet18, "small-cnn": SmallCnn}[network]())

    def seconds(self):
        begin = time.perf_counter()
        rows = torch.randperm(len(self.data["y"]))[:self.batch]
        self.member.step({key: values.index_select(0, rows) for key, values in self.data.items()})
        return time.perf_counter() - begin


class Program:
    def __init__(self, path, network, threads, members):
        side, channels, batch = SETTINGS[network]
        self.process = subprocess.Popen(
            [path, network, str(side), str(channels), str(batch), str(threads), *members], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"GOMP_SPINCOUNT": "10000", **os.environ})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def step(self, member):
        return [float(part) for part in self.ask(member).split()]


def steps(arguments, network, members):
    print(f"{network}, {arguments.threads} threads{'':12} step/plain  batch   passes  multiply-adds  time / count      MB")
    for member in members:
        with Program(arguments.program, network, arguments.threads, ["erm", member]) as both:
            if both.ask(member) == "none":
                print(f"{member:35} not on this network", flush=True)
                continue
            both.step("erm")
            ratios, shares = [], []
            for _ in range(arguments.rounds):
                plain, own = both.step("erm"), both.step(member)
                ratios.append(sum(own) / sum(plain))
                shares.append(own[0] / sum(own))
            work = float(both.ask("work " + member)) / float(both.ask("work erm"))
        with Program(arguments.program, network, arguments.threads, [member]) as alone:
            for _ in range(3):
                alone.step(member)
            memory = float(alone.ask("memory"))
        ratio, count = statistics.median(ratios), max(work, PASSES.get(member, 0))
        print(f"{member:35} {ratio:8.2f} {statistics.median(shares):6.0%} {PASSES.get(member, '-'):>8} {work:14.2f}"
              f" {ratio / count:13.2f} {memory:7.0f}", flush=True)


def peers(arguments, network):
    for member in PEERS:
        if member == "sagnet" and network == "small-cnn":
            continue
        with Program(arguments.program, network, arguments.threads, [member]) as program:
            peer, ours, theirs = Peer(network, member), [], []
            for i in range(arguments.rounds + 2):
                both = sum(program.step(member)), peer.seconds()
                if i > 1:  # the first two are to warm up
                    ours.append(both[0])
                    theirs.append(both[1])
        ratio = statistics.median(b / a for a, b in zip(ours, theirs))
        print(f"{network:10} {member:10} {arguments.threads} threads: leeway {1e3 * statistics.median(ours):8.2f} ms, "
              f"torch {1e3 * statistics.median(theirs):8.2f} ms, torch / leeway {ratio:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--networks", nargs="+", default=list(SETTINGS))
    parser.add_argument("--members", nargs="+", help="default: all that leeway list algorithms prints")
    parser.add_argument("--tables", nargs="+", default=["steps", "torch"])
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    listed = subprocess.run([arguments.program], check=False, capture_output=True, text=True).stdout.split()
    print(f"torch {torch.__version__}, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds", flush=True)
    for network in arguments.networks:
        if "steps" in arguments.tables:
            steps(arguments, network, arguments.members or listed)
        if "torch" in arguments.tables:
            peers(arguments, network)
    print(f"load {os.getloadavg()[0]:.1f}")


main()
