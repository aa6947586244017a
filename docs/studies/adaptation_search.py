#!/usr/bin/env python3
"""Runs the study of docs/studies/adaptation-search.md: other settings than those of adaptation.md, errors alone.

    adaptation_search.py FOLDER [--digits MNIST] [--leeway PATH] [--seeds 5] [--jobs 1]

What stands there whole is not made again. Each command runs with one thread; --jobs runs so many trainings at a time. The last step writes
FOLDER/adaptation-search.csv; adaptation_search_tables.py reads it. The digits need --digits, a folder of MNIST's four files.
"""
import concurrent.futures
import itertools
import json
import pathlib

import numpy

import adaptation
from adaptation import NOISE, Adaptation
from study_script import arguments_of, begun, write_rows

RATE, RATES = "1e-3", ["1e-2", "1e-4"]
WEAK, TRAINING = ["--augment", "weak"], ["--set", "pseudo-label-pass=1"]
METHODS = {  # under noise on all seeds; on the first one under all shifts and rates
    "source only": ("erm", []),
    "source only, weak views": ("erm", WEAK),
    "CDAN with entropy": ("cdan", ["--set", "entropy-conditioning=1"]),
    "FixMatch": ("fixmatch", WEAK),
    "FixMatch, pseudo-labels in training mode": ("fixmatch", [*WEAK, *TRAINING]),
}
LARGER, AT_LARGER = "1e-2", ["source only", "source only, weak views", "FixMatch, pseudo-labels in training mode"]  # likewise under noise
OTHERS = {"DANN": ("dann", []), "CDAN": ("cdan", [])}  # on the first seed at all rates; adaptation.py has all seeds
VARIANTS = {  # on the first seed
    "source only, strong views": ("erm", ["--augment", "strong"]),
    "FixMatch, pseudo-labels in the pass of all": ("fixmatch", [*WEAK, "--set", "pseudo-label-pass=2"]),
    "FixMatch, strong labeled views": ("fixmatch", ["--augment", "strong"]),
    "FixMatch, strong labeled views, pseudo-labels in training mode": ("fixmatch", ["--augment", "strong", *TRAINING]),
    "FixMatch, confidence .95": ("fixmatch", [*WEAK, "--set", "confidence=0.95"]),
    "FixMatch, confidence .95, averaged": ("fixmatch", [*WEAK, "--set", "confidence=0.95", "--set", "averaging=0.99"]),
}


def errors(study, shift, seed, method, rate):
    """A row of the table."""
    home = f"{shift}/seed{seed}"
    train, validation, unlabelled, target = study.sets(shift, seed)
    algorithm, words = {**METHODS, **OTHERS, **VARIANTS}[method]
    name = f"{method} {rate}"
    adaptation.METHODS[name] = algorithm, [*words, "--lr", rate]
    stem = study.model(home, name, train, unlabelled)
    training = json.loads(study.path(f"{stem}.json").read_text())["results"][0]
    row = {"shift": shift, "seed": seed, "method": method, "rate": rate,
           "validation": training["epochs"][training["best_epoch"] - 1]["validation_accuracy"]}
    for part, images in (("source", validation), ("target", target)):
        outputs = study.outputs(f"{stem}-{part}.npz", study.path(f"{stem}.safetensors"), study.path(images))
        with numpy.load(outputs) as found:
            row[f"{part}_error"] = (found["logits"].argmax(1) != found["labels"]).mean()
    return {key: f"{value:.5f}" if isinstance(value, float) else value for key, value in row.items()}


def main():
    parser = arguments_of(__doc__, jobs=1)
    parser.add_argument("--digits", type=pathlib.Path)
    study, arguments = begun(Adaptation, parser)
    study.digits = arguments.digits
    shifts = [*NOISE, "color", *(["digits"] if arguments.digits else [])]
    seeds = range(arguments.seeds)
    for case in [*((shift, seeds[0]) for shift in shifts), *itertools.product(NOISE, seeds[1:])]:
        study.sets(*case)
    jobs = [(shift, seeds[0], method, RATE) for shift in shifts for method in VARIANTS]
    jobs += [(shift, seeds[0], method, rate) for shift in shifts for method in METHODS for rate in RATES]
    jobs += [(shift, seeds[0], method, rate) for shift in shifts for method in OTHERS for rate in [RATE, *RATES]]
    jobs += [(shift, seeds[0], method, RATE) for shift in shifts for method in METHODS]
    jobs += [(shift, seed, method, RATE) for shift in NOISE for seed in seeds[1:] for method in METHODS]
    jobs += [(shift, seed, method, LARGER) for shift in NOISE for seed in seeds[1:] for method in AT_LARGER]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda job: errors(study, *job), jobs))
    write_rows(study.path("adaptation-search.csv"), rows)


if __name__ == "__main__":
    main()
