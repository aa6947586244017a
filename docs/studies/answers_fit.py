#!/usr/bin/env python3
"""Fits the combined estimate and its likely range on the simulated shifts of the tuning half.

    answers_fit.py [--header leeway/error_bound/detail/combined_network.h]

Reads data/answers-tuning.csv.gz (bench/answer_features on 1,000 worlds of shift_worlds.py) and writes the header; leeway/error_bound/
estimator.h has the equations. Prints the mean absolute error by kind of shift, on worlds left out of the fit. Concept shifts and
confident mistakes are left out: outputs do not show them. The factor of the range is conformal: with it, 92.5% of the errors lie in
the range where the family of the world or that of the classifier was left out of the fit. Needs NumPy and PyTorch; ten minutes.
"""
import argparse
import csv
import gzip
import os
import pathlib

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
import torch  # noqa: E402

from shift_worlds import KINDS  # noqa: E402

DATA = pathlib.Path(__file__).parent / "data" / "answers-tuning.csv.gz"
HEADER = pathlib.Path(__file__).resolve().parents[2] / "leeway" / "error_bound" / "detail" / "combined_network.h"
INVISIBLE = ("concept", "mistakes")
WEIGHT = {"none": 12, "mean": 3, "drop": 2}  # in the fit: small errors, where a single estimator is good
HIDDEN, NETWORKS, STEPS, FOLDS = 8, 3, 1200, 4
QUANTILE, COVERAGE = .1, .925
TEXT = ("world", "family", "model", "kind")


def read(path):
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([row[name] if name in TEXT else float(row[name]) for row in rows]) for name in rows[0]}


def logit(share, shift):
    return np.log((np.maximum(share, 0) + shift) / (np.maximum(1 - share, 0) + shift))


def share_of(logits, shift):
    return np.clip((1 + 2 * shift) / (1 + np.exp(-logits)) - shift, 0, 1)


def shift_of(data):
    return .5 / np.minimum(data["source"], data["target"]) + 1e-4


def inputs_of(data):
    """As in estimators/combined.cpp, in its order."""
    shift = shift_of(data)
    base = logit(data["mix_error"], shift)
    deviations = (data["excess"] - data["rest_excess"]) / np.maximum(data["rest_deviation"], 1e-4)
    beyond = [logit(data[name], shift) - base for name in ("source_error", "doc", "atc-conf", "ac", "cot")]
    return base, np.column_stack([
        *beyond, np.sign(deviations) * np.log1p(np.abs(deviations)), base,
        np.log(data["misfit"] / np.maximum(data["misfit_noise"], .001) + .1), np.log(data["distance"] + .003),
        np.log(data["least_distance"] + .003), data["log_factor"], np.log(data["classes"]),
        np.log(np.sqrt(1 / data["source"] + 1 / data["target"]))])


class Network(torch.nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.hidden = torch.nn.Linear(inputs, HIDDEN)
        self.output = torch.nn.Linear(HIDDEN, 3)
        self.direct = torch.nn.Linear(inputs, 1, bias=False)
        with torch.no_grad():
            self.direct.weight *= .1
            self.output.weight *= .3

    def forward(self, x):
        out = self.output(torch.tanh(self.hidden(x)))
        positive = torch.nn.functional.softplus
        return out[:, 0] + self.direct(x)[:, 0], positive(out[:, 1]), positive(out[:, 2])


def pinball(residual, quantile):
    return torch.maximum(quantile * residual, (quantile - 1) * residual)


def tensor(values):
    return torch.tensor(values, dtype=torch.float32)


class Combined:
    """Networks fitted on the rows `chosen` of the data."""

    def __init__(self, data, chosen):
        base, x = inputs_of(data)
        base, x = base[chosen], x[chosen]
        self.mean, self.deviation = x.mean(0), x.std(0)
        x, base = tensor(self.scaled(x)), tensor(base)
        shift = shift_of(data)[chosen]
        weight = tensor([WEIGHT.get(kind, 1) for kind in data["kind"][chosen]])
        error, logits = tensor(data["error"][chosen]), tensor(logit(data["error"][chosen], shift))
        self.networks = [self.fit(x, base, error, logits, weight / weight.mean(), seed) for seed in range(NETWORKS)]

    def scaled(self, x):
        return np.clip((x - self.mean) / self.deviation, -3, 3)

    @staticmethod
    def fit(x, base, error, logits, weight, seed):
        torch.manual_seed(seed)
        network = Network(x.shape[1])
        optimizer = torch.optim.Adam(network.parameters())
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, .02, total_steps=STEPS)
        for _ in range(STEPS):
            optimizer.zero_grad()
            middle, below, above = network(x)
            middle = middle + base
            loss = (weight * ((torch.sigmoid(middle) - error).abs() + .01 * (middle - logits).abs())).mean()
            low, high = middle.detach() - below, middle.detach() + above
            loss = loss + (pinball(error - torch.sigmoid(low), QUANTILE) + pinball(error - torch.sigmoid(high), 1 - QUANTILE)).mean()
            loss = loss + .002 * (pinball(logits - low, QUANTILE) + pinball(logits - high, 1 - QUANTILE)).mean()
            loss = loss + .001 * (network.hidden.weight.pow(2).mean() + network.output.weight.pow(2).mean())
            loss.backward()
            optimizer.step()
            schedule.step()
        return network

    def answer(self, data, chosen, factor=1.):
        """Columns: estimate, low and high end of the range."""
        base, x = inputs_of(data)
        shift, base = shift_of(data)[chosen], base[chosen]
        found = np.zeros((len(base), 3))
        for network in self.networks:
            with torch.no_grad():
                middle, below, above = (part.numpy() for part in network(tensor(self.scaled(x[chosen]))))
            logits = base + middle
            for column, value in enumerate((logits, logits - factor * below, logits + factor * above)):
                found[:, column] += share_of(value, shift) / NETWORKS
        return found


def left_out(data, groups, visible):
    """Answers for every row by networks that saw none of its group, with a function of the range's factor."""
    models = [(Combined(data, visible & (groups != group)), groups == group) for group in np.unique(groups)]

    def answers(factor):
        found = np.zeros((len(groups), 3))
        for model, chosen in models:
            found[chosen] = model.answer(data, chosen, factor)
        return found
    return answers


def conformal(data, answers, visible):
    """The least factor with which the ranges hold the share COVERAGE of the errors."""
    low, high = 0., 20.
    for _ in range(20):
        middle = (low + high) / 2
        ranges = np.mean([covered(data, each(middle))[visible].mean() for each in answers])
        low, high = (low, middle) if ranges >= COVERAGE else (middle, high)
    return high


def covered(data, found):
    return (found[:, 1] <= data["error"]) & (data["error"] <= found[:, 2])


def numbers(values):
    return "{" + ", ".join(f"{value:.6g}" for value in np.ravel(values)) + "}"


def matrix(values):
    return "{{" + ", ".join(numbers(row) for row in values) + "}}"


def write_header(path, model, factor):
    def text(network):
        hidden, output = network.hidden, network.output
        return ("{" + ",\n ".join((
            matrix(hidden.weight.detach().numpy()), "{" + numbers(hidden.bias.detach().numpy()) + "}",
            "{" + numbers(network.direct.weight.detach().numpy()) + "}", matrix(output.weight.detach().numpy()),
            "{" + numbers(output.bias.detach().numpy()) + "}")) + "}")
    path.write_text(f"""// Written by docs/studies/answers_fit.py; {path.parent.parent.name}/estimator.h has the equations.
#pragma once

#include <array>
#include <cstddef>

namespace leeway::error_bound::network {{

// clang-format off
inline constexpr std::size_t inputs = {len(model.mean)}, units = {HIDDEN};
inline constexpr double range = {factor:.4g};
inline constexpr std::array<double, inputs> mean = {numbers(model.mean)};
inline constexpr std::array<double, inputs> deviation = {numbers(model.deviation)};

struct Weights {{
  std::array<std::array<double, inputs>, units> hidden;
  std::array<double, units> hidden_bias;
  std::array<double, inputs> direct;
  std::array<std::array<double, units>, 3> output;
  std::array<double, 3> output_bias;
}};

inline constexpr std::array<Weights, {NETWORKS}> all = {{{{
{(","+chr(10)).join(text(network) for network in model.networks)}}}}};
// clang-format on

}}  // namespace leeway::error_bound::network
""", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", type=pathlib.Path, default=HEADER)
    header = parser.parse_args().header
    torch.set_num_threads(1)
    data = read(DATA)
    visible = ~np.isin(data["kind"], INVISIBLE)
    families = [left_out(data, data[name], visible) for name in ("family", "model")]
    factor = conformal(data, families, visible)
    write_header(header, Combined(data, visible), factor)
    by_world = left_out(data, np.array([int(world) % FOLDS for world in data["world"]]), visible)
    print(f"factor of the range: {factor:.3f}\n")
    print("| kind | combined | ac | doc | atc-conf | atc-ne | cot | covered | median width |\n|---|---|---|---|---|---|---|---|---|")
    found = by_world(factor)
    for kind in (*KINDS, "all visible"):
        chosen = data["kind"] == kind if kind in KINDS else visible
        errors = [np.abs(values - data["error"])[chosen].mean() for values in
                  (found[:, 0], *(data[name] for name in ("ac", "doc", "atc-conf", "atc-ne", "cot")))]
        print("|", kind, "|", " | ".join(f"{error:.3f}" for error in errors),
              f"| {covered(data, found)[chosen].mean():.2f} | {np.median((found[:, 2] - found[:, 1])[chosen]):.3f} |")


if __name__ == "__main__":
    main()
