#!/usr/bin/env python3
"""Writes NAME.json beside this file for each function below with `@recorded`: what a command says of made-up inputs, or of a small
network trained on Fashion-MNIST (Debian's dataset-fashion-mnist). Usage: records.py LEEWAY [NAME...]"""
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy

LEEWAY = str(pathlib.Path(sys.argv[1]).resolve())
RECORDS = {}


def recorded(function):
    RECORDS[function.__name__] = function
    return function


def run(folder, *words, check=True):
    """What the command prints, run in `folder`."""
    return subprocess.run([LEEWAY, *words], cwd=folder, check=check, stdout=subprocess.PIPE).stdout


def saved(folder, *words, check=True):
    """The record that the command writes to the file of --out, which has the name of the folder."""
    out = f"{folder.name}.json"
    run(folder, *words, "--out", out, "--quiet", check=check)
    return json.loads((folder / out).read_text(encoding="utf-8"))


def outputs(path, seed, skill, n=5000, k=10):
    rng = numpy.random.default_rng(seed)
    labels = rng.permutation(numpy.arange(n) % k)
    logits = rng.normal(0, 1, (n, k))
    logits[numpy.arange(n), labels] += skill
    numpy.savez(path, logits=logits.astype("f4"), labels=labels)


@recorded
def bound_record(folder):
    outputs(folder / "clean.npz", 1, 3.5)
    outputs(folder / "blurred.npz", 2, 2.8)
    return saved(folder, *"bound --source clean.npz --target blurred.npz --restarts 12".split())


@recorded
def bound_evaluate_record(folder):
    rng = numpy.random.default_rng(5)
    methods = {"ac": (.08, .07), "atc-ne": (.03, .06), "cot": (.02, .05), "dis2@0.01": (-.2, .07), "dis2@0.05": (-.15, .07),
               "dis2@0.2": (-.1, .07)}
    lines = [",".join(["data_set", "truth", *methods])]
    for data_set in ("office", "visda", "living17"):
        for truth in rng.uniform(.25, .95, 20):
            said = [numpy.clip(truth + rng.normal(bias, spread), 0, 1) for bias, spread in methods.values()]
            lines.append(",".join([data_set] + [f"{value:.6g}" for value in (truth, *said)]))
    (folder / "shifts.csv").write_text("\n".join(lines) + "\n")
    return saved(folder, "bound", "evaluate", "shifts.csv")


NAMES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
LIKE = {0: [6, 3], 2: [4, 6], 3: [0, 4], 4: [2, 6], 5: [7, 9], 6: [0, 2, 4], 7: [9, 5], 8: [6], 9: [7], 1: [3]}
TARGETS = ["noise 0.3", "blur 2", "contrast 0.4", "rotation 30", "pgd 8/255", "shop photos"]
# Standard deviation of what a shift adds to the logits' features, and how much it shrinks the right one.
SEVERITY = {"CNN": [2.2, 1.3, .5, 2.6, 4.2, 1.8], "robust CNN": [.9, 1.0, .6, 2.0, 1.1, 1.5]}
SCALE = {"CNN": 2.4, "robust CNN": 1.1}
MARGIN = {"CNN": 4.6, "robust CNN": 4.0}
IMAGES = 10000
LEVELS = numpy.array(["bright", "dark", "medium"])


def draw(rng, model, y, base, severity):
    """Logits of a model: evidence for the label and its look-alikes, worn down by the shift."""
    f = base + rng.normal(0, .25 + severity * .55, base.shape)
    for c, others in LIKE.items():
        for other in others:
            f[y == c, other] += severity * (.5 if c in (0, 2, 4, 6) else .22)
    f[numpy.arange(y.size), y] -= severity * .45
    return f * SCALE[model]


@recorded
def assess_record(folder):
    """The logits are drawn so that classes that look alike (shirt, T-shirt, pullover, coat) are confused first and the robust
    model starts lower and falls less. The sixth target has neither labels nor pairs."""
    rng = numpy.random.default_rng(3)
    y = numpy.repeat(numpy.arange(10), IMAGES // 10)
    groups = rng.choice(3, IMAGES, p=[.3, .25, .45])
    rest = {"labels": y, "groups": LEVELS[groups][:, None], "group_names": numpy.array(["brightness"]),
            "class_names": numpy.array(NAMES)}
    sources, targets = [], []
    for model in SEVERITY:
        base = rng.normal(0, 1., (IMAGES, 10))
        hard = numpy.array([1.5, .2, 1.3, .8, 1.2, .4, 2.3, .5, .3, .4])
        base[numpy.arange(IMAGES), y] += MARGIN[model] - hard[y] - .5 * (groups == 1)
        for c, others in LIKE.items():
            for other in others:
                base[y == c, other] += .9
        place = model.split()[0].lower()
        (folder / place).mkdir()
        numpy.savez(folder / place / "clean.npz", logits=base * SCALE[model], **rest)
        sources.append(f"{model}={place}/clean.npz")
        for target, severity in zip(TARGETS, SEVERITY[model]):
            file = f"{place}/{target.split()[0]}.npz"
            if target == "shop photos":
                pick = rng.integers(0, IMAGES, 3000)
                numpy.savez(folder / file, logits=draw(rng, model, y[pick], base[pick], severity))
            else:
                numpy.savez(folder / file, logits=draw(rng, model, y, base, severity), **rest)
            targets.append(f"{model}/{target}={file}")
    return saved(folder, "assess", "--source", *sources, "--target", *targets, "--unit", "images", "--bootstrap", "50",
                 "--fail-if", "accuracy<0.5", check=False)  # the gate fails


@recorded
def average_case_record(folder):
    run(folder, *"train --data fashion-mnist:train --epochs 1 --seed 1 --threads 1 --out cnn.safetensors --quiet".split())
    return json.loads(run(folder, *("average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.05,0.1,0.2 --rows 200"
                                    " --methods mc,taylor,taylor-mvs,mmse,softmax --draws 100 --convergence --json --quiet").split()))


@recorded
def corruptions_record(folder):
    run(folder, *"train --data fashion-mnist:train --arch small-cnn --epochs 3 --out cnn.safetensors --quiet".split())
    words = "shift corrupt --data fashion-mnist:test --model cnn.safetensors --out record.json".split()
    run(folder, *words)
    return {**json.loads((folder / "record.json").read_text(encoding="utf-8")), "command": ["leeway", *words]}


@recorded
def describe_record(folder):
    """Shapes and colours go together in training, big ones are rare; the model looks at the colour."""
    shapes, colors, sizes = ["square", "ellipse", "heart"], ["red", "yellow", "blue"], ["small", "big"]
    rows = [(shapes[i % 3], colors[i // 3 % 3], sizes[i // 9 % 2]) for i in range(1800)]
    (folder / "table.csv").write_text("id,shape,color,size\n" + "".join(f"{i},{','.join(row)}\n" for i, row in enumerate(rows)))
    said = [shapes.index(shape) if i % 3 and i % 11 else colors.index(color) for i, (shape, color, _) in enumerate(rows)]
    (folder / "outputs.csv").write_text("y_true,logit_0,logit_1,logit_2\n" + "".join(
        f"{shapes.index(row[0])},{','.join('3' if k == predicted else '0' for k in range(3))}\n" for row, predicted in zip(rows, said)))

    run(folder, "conds", "draw", "--attributes", "table.csv", "--label", "shape", "--sc", "color", "--ldd", "size",
        "--order", "size=small,big", "--order", "shape=square,ellipse,heart", "--order", "color=red,yellow,blue", "--train", "40",
        "--test", "30", "--out", "split.csv", "--json")
    record = json.loads(run(folder, "conds", "describe", "--attributes", "table.csv", "--index", "split.csv", "--label", "shape",
                            "--columns", "color,size", "--outputs", "outputs.csv", "--json"))
    record["seconds"] = 0
    return record


@recorded
def pa_record(folder):
    n, k = 2000, 10
    # of each shift: how far it moves the logits of cnn and of robust
    shifts = {"pgd-4": (1.6, .6), "pgd-8": (3.5, 1.1), "noise": (.8, .7)}
    files = {}
    for m, model in enumerate(("cnn", "robust")):
        rng = numpy.random.default_rng(m)
        labels = rng.permutation(numpy.arange(n) % k)
        clean = rng.normal(0, 1, (n, k))
        clean[numpy.arange(n), labels] += 3.5 - m
        (folder / model).mkdir()
        numpy.savez(folder / model / "clean.npz", logits=clean.astype("f4"), labels=labels)
        files[model] = [f"{model}/clean.npz"]
        for shift, strengths in shifts.items():
            step = rng.normal(0, strengths[m], (n, k))
            norms = numpy.linalg.norm(step, axis=1)
            numpy.savez(folder / model / f"{shift}.npz", logits=(clean + step).astype("f4"), labels=labels, norms=norms)
            files[model].append(f"{model}/{shift}.npz")
    return saved(folder, "pa", *files["cnn"], "--name", "cnn", "--compare", "robust=" + ",".join(files["robust"]),
                 "--ratios", "0:1:0.1", "--summaries")


@recorded
def select_record(folder):
    """The epochs of one training grow more accurate on clean samples, and less steady under the shift."""
    n, k, epochs = 1000, 10, 20
    rng = numpy.random.default_rng(0)
    labels = rng.permutation(numpy.arange(n) % k)
    noise, shift = rng.normal(0, 1, (2, n, k))
    (folder / "epochs").mkdir()
    (folder / "shifted").mkdir()
    files = []
    for epoch in range(1, epochs + 1):
        t = epoch / epochs
        clean = noise + rng.normal(0, .3, (n, k))
        clean[numpy.arange(n), labels] += 4 * (1 - numpy.exp(-4 * t))
        files.append(f"epoch-{epoch:02d}.npz")
        numpy.savez(folder / "epochs" / files[-1], logits=clean.astype("f4"), labels=labels)
        numpy.savez(folder / "shifted" / files[-1], logits=(clean + (1 + t ** 2) * shift).astype("f4"), labels=labels)
    return saved(folder, "select", "--clean", *[f"epochs/{file}" for file in files],
                 "--shifted", *[f"shifted/{file}" for file in files])


ALGORITHMS = {"erm": 0, "mixup": .02, "group-dro": -.01, "irm": -.04, "sagnet": .01, "a-long-name-of-an-algorithm": -.02}
CASES = {"uniform": .9, "sc-0": .45, "ldd-0": .8, "uds-0": .7, "sc_ldd-0": .42, "sc_uds-0": .4, "ldd_uds-0": .62,
         "sc_ldd_uds-0": .35}
RATES = {"0.01": -.05, "0.001": 0, "0.0001": -.02}
CHOICES = {"accuracy": 0, "worst-group": .01, "pa": -.01}


def runs():
    """Six algorithms, eight kinds of shift in two settings, from scratch and from other weights, three checkpoints, a grid of
    learning rates on seed 0, three seeds of what it chose, four epochs, and some runs that are missing."""
    draw, epoch = random.Random(1), random.Random(2)

    def course(last):
        """Four epochs that rise to about `last`."""
        return " ".join(f"{min(1, last - .2 / (1 + 2 * i) + epoch.gauss(0, .01)):.4f}" for i in range(4))

    axes = ["train.algorithm", "train.index", "data.name", "train.start", "train.select", "train.seed", "train.lr"]
    yield ["unit", *axes, "unit_seconds", "n", "accuracy", "accuracy_low", "accuracy_high", "source_accuracy",
           "kept.validation_worst_group_accuracy", "epochs.validation_accuracy", "epochs.selection_score", "epochs.test_accuracy"]
    for data, easier in {"dsprites": 0, "digits": .05}.items():
        for start, gain in {"none": 0, "resnet.safetensors": .06}.items():
            for algorithm, better in ALGORITHMS.items():
                for case, level in CASES.items():
                    for seed in "012":
                        for select, chosen in CHOICES.items():
                            for rate, loss in RATES.items():
                                value = level + easier + gain + better + loss + chosen + draw.gauss(0, .015)
                                validation = .9 + loss + draw.gauss(0, .01)
                                if (seed != "0" and rate != "0.001") or (algorithm == "irm" and case == "uds-0"):
                                    continue
                                yield ["u", algorithm, f"splits/{case}.csv", data, start, select, seed, rate, 1, 1000,
                                       *[round(min(1, value + d), 4) for d in (0, -.03, .03)], round(validation, 4),
                                       round(validation - .1 + draw.gauss(0, .02), 4), course(validation), course(1.6), course(value)]


@recorded
def sweep_report_record(folder):
    with open(folder / "runs.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(runs())
    words = ("sweep report runs.csv --json --out page.html --algorithm train.algorithm --case train.index --over data.name "
             "--start train.start --select train.select --repeats train.seed")
    return {**json.loads(run(folder, *words.split())), "seconds": 0}


def days_of(days, per_day, wrong):
    """Row i of a day is wrong where i mod 20 is below `wrong(day)`; the scores of wrong rows are a little lower."""
    lines = ["time,label,p_cat,p_dog"]
    for day in days:
        for i in range(per_day):
            label, right = i % 2, i % 20 >= wrong(day)
            score = (.9 if right else .7) + .004 * (i % 7)
            cat = score if (label == 0) == right else 1 - score
            lines.append(f"2026-03-{day:02d},{['cat', 'dog'][label]},{cat:.3f},{1 - cat:.3f}")
    return "\n".join(lines) + "\n"


@recorded
def time_record(folder):
    """Accuracy falls on the last two days; there are no rows on the fourth."""
    (folder / "val.csv").write_text(days_of([1], 600, lambda day: 2), encoding="utf-8")
    (folder / "prod.csv").write_text(days_of([1, 2, 3, 5, 6, 7, 8], 100, lambda day: 2 if day < 7 else 8), encoding="utf-8")
    words = "assess --source val.csv --target prod=prod.csv --chunk 1d --restarts 1 --bootstrap 0 --json --quiet --threads 1"
    return {**json.loads(run(folder, *words.split())), "seconds": .1}


for name in sys.argv[2:] or RECORDS:
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, name)
        folder.mkdir()
        said = RECORDS[name](folder)
    layout = {"indent": 1} if name == "describe_record" else {"separators": (",", ":")}
    text = json.dumps(said, ensure_ascii=name not in ("assess_record", "average_case_record", "sweep_report_record"), **layout)
    pathlib.Path(__file__).with_name(f"{name}.json").write_text(text + "\n", encoding="utf-8")
