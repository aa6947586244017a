#!/usr/bin/env python3
"""Prints the tables of docs/studies/attacks.md and draws its figures, from the records that attacks.py made.

    attacks_tables.py FOLDER    reads the records of finished runs and writes data/attacks*.csv* first
    attacks_tables.py           from those files alone
"""
import collections
import csv
import gzip
import io
import itertools
import json
import math
import pathlib
import statistics
import sys

from attacks import EPS, TRAININGS
from drawing import chart
from tables import half_width, over_seeds, table

DATA = pathlib.Path(__file__).resolve().parent / "data"
NAMES = {"undefended": "undefended", "pgd-trained": "PGD-trained",
         "gradient-regularized": "gradient-regularized", "jpeg-rs": "JPEG + RS",
         "resnet20": "ResNet-20", "resnet44": "ResNet-44"}
DEFENDED = [name for name in TRAININGS if name != "undefended"]
MEASURES = {"afr_true": "AFR(T)", "afr_pred": "AFR(P)", "pa": "PA", "beta": "beta",
            "confidence": "confidence"}
MAPS = {"jpeg-alone": "JPEG + RS, without its reverse sigmoid",
        "undefended-rs": "undefended, with the reverse sigmoid",
        "undefended-floor": "undefended, log(p + .39)"}
SETTINGS = [(attack, eps) for attack in ("pgd", "fmn") for eps in EPS] + [("fmn", "nearest")]
CURVE_KEYS = ["model", "attack", "strength", "share", "n", "attacked", "afr_true", "afr_pred", "pa", "pa_low",
              "pa_high", "beta", "beta_low", "beta_high"]
Z_PAIRS = 3.143980  # two-sided, level .05 / 30: 6 pairs and 5 seeds


# --- From the records

def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def short(value):
    return float(f"{value:.5g}") if isinstance(value, float) else value


def write(name, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: short(value) for key, value in row.items()} for row in rows)
    data = text.getvalue().encode()
    (DATA / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


def curve_rows(seed, record):
    """Every point once: each curve's clean point is written for the first attack alone, share 0 never."""
    for result in load(record)["results"]:
        clean = result["strength"] == "0"
        if (clean and result["attack"] != "pgd") or (not clean and result["share"] == 0):
            continue
        groups = {key: result["initial"][key] for key in ("right", "wrong", "moved")}
        yield {"seed": seed} | {key: result[key] for key in CURVE_KEYS} | groups


def robust_rows(home, seed, models):
    """Pairs of networks under the attack of the right order."""
    import numpy  # only here
    robust = {}
    for model in models:
        with numpy.load(home / f"strong-{model}.npz") as file:
            robust[model] = ~file["success"].astype(bool)
    for first, second in itertools.combinations(models, 2):
        a, b = robust[first], robust[second]
        yield {"seed": seed, "first": first, "second": second, "n": len(a)} | {
            key: int(rows.sum()) for key, rows in (("robust_first", a), ("robust_second", b),
                                                   ("only_first", a & ~b), ("only_second", b & ~a))}


def map_rows(home, seed):
    for name in MAPS:
        for strength, result in zip(EPS, load(home / f"map-{name}.json")["results"]):
            kept = {key: result[key] for key in ("afr_true", "afr_pred", "pa", "beta")}
            yield {"seed": seed, "map": name, "strength": strength} | kept


def collect(folder):
    curves, pairs, maps = [], [], []
    for home in sorted(folder.glob("seed?")):
        if all((home / f"strong-{model}.json").exists() for model in TRAININGS):
            seed = int(home.name[len("seed"):])
            curves += curve_rows(seed, home / "curve.json")
            pairs += robust_rows(home, seed, list(TRAININGS))
            maps += map_rows(home, seed)
    for record in sorted(folder.glob("cifar-*/curve.json")):
        curves += curve_rows("cifar", record)
    if all((folder / f"cifar/strong-{model}.json").exists() for model in ("resnet20", "resnet44")):
        pairs += robust_rows(folder / "cifar", "cifar", ["resnet20", "resnet44"])
    if not maps:
        raise SystemExit(f"{folder}: no seed is finished")
    for name, rows in (("attacks.csv.gz", curves), ("attacks-pairs.csv", pairs), ("attacks-maps.csv", maps)):
        write(name, rows)


# --- From the data

def read(name):
    def value(key, text):
        try:
            return text if key == "strength" else float(text) if text else None
        except ValueError:
            return text

    data = (DATA / name).read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
    return [{key: value(key, word) for key, word in row.items()} for row in csv.DictReader(io.StringIO(text))]


def difference(row, z):
    """Robust accuracies on the same images, second less first: value, low, high (Bonett, Price 2012)."""
    n = row["n"]
    down, up = (row["only_first"] + 1) / (n + 2), (row["only_second"] + 1) / (n + 2)
    half = z * math.sqrt((down + up - (up - down) ** 2) / (n + 2))
    return (row["only_second"] - row["only_first"]) / n, up - down - half, up - down + half


def t_test(values):
    """Two-sided p of mean 0, by Simpson's rule for Student's density."""
    degrees = len(values) - 1
    spread = statistics.stdev(values)
    if spread == 0 or math.isnan(spread):
        return 1
    t = abs(statistics.fmean(values)) / (spread / math.sqrt(len(values)))
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    # t = sqrt(degrees) tan(angle): the density is scale * cos(angle) ** (degrees - 1)
    start, steps = math.atan(t / math.sqrt(degrees)), 2000
    width = (math.pi / 2 - start) / steps
    heights = [math.cos(start + i * width) ** (degrees - 1) * (1 if i in (0, steps) else 2 + 2 * (i % 2))
               for i in range(steps + 1)]
    return min(1, 2 * scale * width / 3 * sum(heights))


class Study:
    def __init__(self):
        rows = read("attacks.csv.gz")
        for row in rows:
            known = row["right"] is not None and row["moved"] is not None
            row["confidence"] = row["right"] - row["moved"] if known else None
        place = ("seed", "model", "attack", "strength", "share")
        self.at = {tuple(row[key] for key in place): row for row in rows}
        self.seeds = sorted({row["seed"] for row in rows if row["seed"] != "cifar"})
        self.shares = sorted({row["share"] for row in rows if row["share"] > 0})
        self.pairs = collections.defaultdict(list)
        for row in read("attacks-pairs.csv"):
            self.pairs[row["first"], row["second"]].append(row)
        self.maps = {(row["seed"], row["map"], row["strength"]): row for row in read("attacks-maps.csv")}

    def decided(self):
        """Pairs (less, more robust)."""
        for (first, second), rows in self.pairs.items():
            ends = [difference(row, Z_PAIRS)[1:] for row in rows]
            if first in TRAININGS and all(low > 0 for low, _ in ends):
                yield first, second
            if first in TRAININGS and all(high < 0 for _, high in ends):
                yield second, first

    def values(self, measure, model, attack, strength, share):
        return [self.at[seed, model, attack, strength, share][measure] for seed in self.seeds]

    def mapped(self, key, name, eps):
        return [self.maps[seed, name, eps][key] for seed in self.seeds]

    def right(self, measure, pairs, setting, share):
        """Whether the measure is right about all pairs in every seed."""
        for pair in pairs:
            lows, highs = (self.values(measure, model, *setting, share) for model in pair)
            if any(low is None or high is None or not low < high for low, high in zip(lows, highs)):
                return False
        return True

    def answer(self, measure, pairs, setting):
        """The smallest share from which on the measure is right in every seed."""
        found = None
        for share in reversed(self.shares):
            if not pairs or not self.right(measure, pairs, setting, share):
                break
            found = share
        return found


# --- Tables

def networks(study):
    rows, strong = [], {}
    for pair, of_pair in study.pairs.items():
        for model, side in zip(pair, ("robust_first", "robust_second")):
            strong[model] = [row[side] / row["n"] for row in of_pair]
    for model in TRAININGS:
        clean = study.values("afr_true", model, "pgd", "0", 0.0)
        pgd = [over_seeds(study.values("afr_true", model, "pgd", eps, 1.0)) for eps in EPS]
        rows.append([NAMES[model], over_seeds(clean), over_seeds(strong[model]), *pgd])
    table(["network", "accuracy", "`strong` 8/255", *(f"PGD {eps}" for eps in EPS)], rows)


def order(study):
    decided, rows = list(study.decided()), []
    for (first, second), of_pair in study.pairs.items():
        found = [difference(row, Z_PAIRS) for row in of_pair]
        words = [f"{NAMES[less]} < {NAMES[more]}" for less, more in decided if {less, more} == {first, second}]
        values, lows, highs = zip(*found)
        rows.append([f"{NAMES[second]} less {NAMES[first]}", ", ".join(f"{value:+.3f}" for value in values),
                     f"{min(lows):+.3f}", f"{max(highs):+.3f}", *(words or ["no"])])
    table(["difference of robust accuracies", "by seed", "lowest end", "highest end", "decided"], rows)
    return decided


def words_of(share):
    return "-" if share is None else f"{share:g}"


def surely_different(study, pairs):
    """(pair, measure, setting) that differ at share 1, paired t-tests over seeds, Holm at 5%; all tests."""
    tests = []
    for pair, measure, setting in itertools.product(pairs, MEASURES, SETTINGS):
        less, more = (study.values(measure, model, *setting, 1.0) for model in pair)
        known = len(less) > 1 and all(value is not None and math.isfinite(value) for value in [*less, *more])
        tests.append((t_test([b - a for a, b in zip(less, more)]) if known else 1, (pair, measure, setting)))
    sure = set()
    for place, (p, key) in enumerate(sorted(tests, key=lambda test: test[0])):
        if p * (len(tests) - place) > .05:
            break
        sure.add(key)
    return sure, len(tests)


def answer_tables(study, decided):
    head = [f"{attack.upper()} {strength}" for attack, strength in SETTINGS]
    table(["all decided pairs", *head],
          [[name, *(words_of(study.answer(measure, decided, setting)) for setting in SETTINGS)]
           for measure, name in MEASURES.items()])
    pairs = [pair for pair in decided if pair[0] == "undefended"]
    sure, count = surely_different(study, pairs)
    rows = []
    for pair, (measure, name) in itertools.product(pairs, MEASURES.items()):
        answers = [words_of(study.answer(measure, [pair], setting)) +
                   ("*" if (pair, measure, setting) in sure else "") for setting in SETTINGS]
        rows.append([NAMES[pair[1]], name, *answers])
    table(["undefended and", "measure", *head], rows)
    print(f"* differs at share 1: {len(sure)} of {count} tests at 5% after Holm\n")


def first_until(study, seed, others):
    """The largest share up to which AFR(T) puts the undefended network above the others, PGD at 8/255."""
    found = None
    for share in [0.0, *study.shares]:
        strength = "8/255" if share else "0"
        own, *rest = (study.at[seed, model, "pgd", strength, share]["afr_true"]
                      for model in ("undefended", *others))
        if own <= max(rest):
            break
        found = share
    return found


def finding_1(study):
    rows = []
    for words, others in [("all three", DEFENDED), *((NAMES[model], [model]) for model in DEFENDED)]:
        found = [first_until(study, seed, others) for seed in study.seeds]
        mean = over_seeds(found) if None not in found else "-"
        rows.append([words, *("never" if share is None else f"{share:g}" for share in found), mean])
    table(["above", *(f"seed {seed:g}" for seed in study.seeds), "mean"], rows)


def spread(values, digits):
    """Over the seeds; infinite values are counted."""
    infinite = sum(map(math.isinf, values))
    return f"infinite in {infinite} of {len(values)}" if infinite else over_seeds(values, digits)


def finding_2(study):
    keys, rows = (("afr_pred", 3), ("pa", 3), ("beta", 2)), []
    for eps in EPS:
        rows += [[f"PGD {eps}", NAMES[model], *(spread(study.values(key, model, "pgd", eps, 1.0), digits)
                                                for key, digits in keys)] for model in TRAININGS]
        rows += [[f"PGD {eps}", words, *(spread(study.mapped(key, name, eps), digits) for key, digits in keys)]
                 for name, words in MAPS.items()]
    table(["attack", "outputs", "AFR(P)", "PA", "beta"], rows)
    rows = []
    for eps in EPS:
        pa, defended = (study.values("pa", model, "pgd", eps, 1.0) for model in ("undefended", "jpeg-rs"))
        kept, kept_defended = (study.values("afr_pred", model, "pgd", eps, 1.0)
                               for model in ("undefended", "jpeg-rs"))
        floor, added, alone = (study.mapped("pa", name, eps)
                               for name in ("undefended-floor", "undefended-rs", "jpeg-alone"))
        counts = [sum(a > b and c < d for a, b, c, d in zip(pa, defended, kept, kept_defended)),
                  sum(a == b for a, b in zip(kept, study.mapped("afr_pred", "undefended-floor", eps))),
                  sum(a < b for a, b in zip(floor, pa)), sum(a < b for a, b in zip(added, pa)),
                  sum(a > b for a, b in zip(alone, defended))]
        rows.append([f"PGD {eps}", *(f"{count}/{len(study.seeds)}" for count in counts)])
    table(["attack", "PA lower, AFR(P) higher", "log(p + .39): same AFR(P)", "log(p + .39): PA falls",
           "reverse sigmoid added: PA falls", "taken away: PA rises"], rows)


def confidences(study):
    groups = {"right": "stays right", "wrong": "stays wrong", "moved": "changes"}
    rows = []
    for model in TRAININGS:
        values = [study.values(key, model, "pgd", "8/255", 1.0) for key in groups]
        rows.append([NAMES[model], *("-" if None in of else over_seeds(of) for of in values)])
    table(["PGD 8/255", *groups.values()], rows)


def cifar(study):
    rows = []
    for (attack, strength), model in itertools.product(SETTINGS, ("resnet20", "resnet44")):
        row = study.at.get(("cifar", model, attack, strength, 1.0))
        if row:
            pa = "{pa:.3f} [{pa_low:.3f}, {pa_high:.3f}]".format(**row)
            rows.append([f"{attack.upper()} {strength}", NAMES[model], f"{row['afr_true']:.3f}",
                         f"{row['afr_pred']:.3f}", pa, f"{row['beta']:.3f}"])
    if rows:
        table(["attack", "network", "AFR(T)", "AFR(P)", "PA", "beta"], rows)


def draw(study):
    for measure, title, ticks in (("afr_true", "AFR(T) under PGD 8/255", (0, .2, .4, .6, .8, 1)),
                                  ("pa", "PA under PGD 8/255", (0, .5, 1, 1.5, 2, 2.5))):
        series = {}
        for model in TRAININGS:
            series[NAMES[model]] = points = []
            for share in [0.0, *study.shares]:
                strength = "8/255" if share else "0"
                values = study.values(measure, model, "pgd", strength, share)
                mean, half = statistics.fmean(values), half_width(values)
                points.append((share, mean, mean - half, mean + half))
        chart(f"attacks-{measure.replace('_', '-')}.svg", title, "mean over the seeds, 95% interval", series,
              [(x, f"{x:g}") for x in (0, .2, .4, .6, .8, 1)], [(y, f"{y:g}") for y in ticks],
              "share of images attacked")


def main():
    if len(sys.argv) > 1:
        collect(pathlib.Path(sys.argv[1]))
    study = Study()
    networks(study)
    decided = order(study)
    answer_tables(study, decided)
    finding_1(study)
    finding_2(study)
    confidences(study)
    cifar(study)
    draw(study)


if __name__ == "__main__":
    main()
