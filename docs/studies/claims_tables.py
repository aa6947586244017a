#!/usr/bin/env python3
"""Prints the tables of docs/claims.md, the columns n and value of row N anew if there is a function row_N.

    claims_tables.py

Numbers come from docs/studies/data or, for small cases, from the definition. Intervals are of level 95%: Student's t over seeds
(± half-width), Wilson's for counts, the bootstrap over images or over shifts for means and slopes. They are not corrected for
multiplicity.
"""
import csv
import itertools
import math
import pathlib
import random
import statistics

import numpy

import average_case_tables as average_case
import bounds_tables as bounds
import tables
from adaptation_tables import ADVERSARIAL, ESTIMATES, below
from corruptions_tables import NOT_MONOTONE, rank_correlation
from drift_tables import wilson

HERE = pathlib.Path(__file__).resolve().parent
ATTACKS = tables.SETS["attacked"]
VERDICTS = ("confirmed", "refuted", "partly", "open")
SHIFTS = [*ATTACKS, *tables.SETS["noisy"]]


def read(name):
    with open(HERE / "data" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def over_seeds(values, digits=3, sign=""):
    return f"{statistics.mean(values):{sign}.{digits}f} ± {tables.half_width(values):.{digits}f}"


def share(count, n):
    low, high = wilson(count, n)
    return f"{count} of {n:,} [{100 * low:.1f}, {100 * high:.1f}%]"


def over_shifts(rows, statistic, digits=2, sign=""):
    """A statistic of a table of shifts with its bootstrap interval. Classifiers share the images of a shift, so shifts are drawn."""
    shifts = [[row for row in rows if row["shift"] == shift] for shift in dict.fromkeys(row["shift"] for row in rows)]
    drawn = numpy.random.default_rng(0).integers(0, len(shifts), (2000, len(shifts)))
    low, high = numpy.quantile([statistic([row for i in draw for row in shifts[i]]) for draw in drawn], [.025, .975])
    return f"{statistic(rows):{sign}.{digits}f} [{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


# --- Posterior agreement, from its definition

def log_softmax(row, beta):
    top = max(row)
    total = math.log(sum(math.exp(beta * (value - top)) for value in row))
    return [beta * (value - top) - total for value in row]


def agreement(clean, shifted, beta):
    return math.log(sum(math.exp(a + b) for a, b in zip(log_softmax(clean, beta), log_softmax(shifted, beta))))


def row_1():
    draw, worst, cases = random.Random(0), 0, [(1, 2), (3, 2), (4, 3), (3, 5)]
    for n, k in cases:
        clean, shifted = ([[draw.gauss(0, 1) for _ in range(k)] for _ in range(n)] for _ in range(2))
        weights = [[math.exp(sum(row[j] for row, j in zip(rows, hypothesis))) for hypothesis in itertools.product(range(k), repeat=n)]
                   for rows in (clean, shifted)]
        kernel = math.log(sum(a * b for a, b in zip(*weights)) / sum(weights[0]) / sum(weights[1]))
        worst = max(worst, abs(kernel - sum(agreement(a, b, 1) for a, b in zip(clean, shifted))))
        for hypothesis, weight in zip(itertools.product(range(k), repeat=n), weights[0]):
            factors = sum(log_softmax(row, 1)[j] for row, j in zip(clean, hypothesis))
            worst = max(worst, abs(math.log(weight / sum(weights[0])) - factors))
    return f"{len(cases)} sets, all K^N hypotheses", f"logarithms differ by {'less than 1e-12' if worst < 1e-12 else worst}"


def row_2():
    value = agreement((1, 0), (0, 1), 5)
    return "1 pair", f"(1,0), (0,1) at beta 5: log 2 - {-value:.2f} = {math.log(2) + value:.2f}"


def row_3():
    groups = [(686, 43.6, 43.6), (1924, .23, .23), (57, 10.28, -.93)]  # rows, F' = (a, 0), F'' = (b, 0)
    n = sum(rows for rows, _, _ in groups)
    betas = [10 ** (i / 4000) for i in range(-4000, 6001)]
    values = [sum(rows * agreement((a, 0), (b, 0), beta) for rows, a, b in groups) / n for beta in betas]
    maxima = [i for i in range(1, len(betas) - 1) if values[i - 1] < values[i] > values[i + 1]]
    return f"1 set of {n:,} rows", "maxima " + " and ".join(f"{values[i]:.3f} at beta {betas[i]:.2f}" for i in maxima)


def row_4():
    def random_classifier(p):
        return 0 if p >= .5 else math.log(2) + p * math.log(p) + (1 - p) * math.log(1 - p)
    values = ", ".join(f"{random_classifier(p):.3f} (p = {p})" for p in (.1, .3))
    return "9 shares p of changes", f"perfect, constant {math.log(2):.3f}; random {values}, 0 (p ≥ 0.5)"


def robust_first(shifts, key, chosen):
    """(seeds and shifts in which the robust network is above the undefended one, all)."""
    of = {(row["seed"], row["shift"], row["model"], row["ratio"]): row[key] for row in tables.read("ratios")}
    pairs = [(value, of[seed, shift, "standard", ratio]) for (seed, shift, model, ratio), value in of.items()
             if model == "robust" and shift in shifts and chosen(ratio)]
    return sum(robust > standard for robust, standard in pairs), len(pairs)


def of_pairs(*arguments):
    return "{} of {}".format(*robust_first(*arguments))


def row_5():
    curves = [[row["pa"] for row in tables.read("models") if (row["seed"], row["model"]) == (seed, model) and row["shift"] in shifts]
              for seed in range(5) for model in tables.MODELS for shifts in tables.SETS.values()]
    rows = [row for row in read("corruptions") if row["corruption"] not in NOT_MONOTONE | {"none"}]
    of_networks = [[float(row["pa"]) for row in rows if (row["model"], row["corruption"]) == curve]
                   for curve in dict.fromkeys((row["model"], row["corruption"]) for row in rows)]
    steps = [[b > a for curve in those for a, b in zip(curve, curve[1:])] for those in (curves, of_networks)]
    attacks, corruptions = (share(sum(those), len(those)) for those in steps)
    return "5 seeds x 3 networks; 2 networks", f"PA rises in {attacks} steps; corruptions {corruptions}"


def row_6():
    below = [row["pa"] < math.log(10) - 1e-3 for row in tables.read("ratios") if row["ratio"] == .1]
    first = [of_pairs(SHIFTS, key, lambda ratio: ratio == .1) for key in ("pa", "afr_pred")]
    return "5 seeds x 8 shifts", f"ratio .1: below log k in {sum(below)} of {len(below)}; robust first {first[0]} (AFR(P) {first[1]})"


def row_7():
    ranges = [lambda ratio: ratio == 0, lambda ratio: ratio == .1, lambda ratio: ratio > .1]
    by_accuracy = ", ".join(of_pairs(ATTACKS, "afr_true", chosen) for chosen in ranges)
    by_pa = of_pairs(ATTACKS, "pa", lambda ratio: ratio > 0)
    return "5 seeds x 4 radii", f"robust first at ratio 0, .1, > .1: AFR(T) {by_accuracy}; above 0: PA {by_pa}"


def ranks_like(measure):
    rows = [row for row in read("corruptions") if row["pa"]]
    models = dict.fromkeys(row["model"] for row in rows)
    both = [[[float(row[key]) for row in rows if row["model"] == model] for key in ("pa", measure)] for model in models]
    return "rank correlation " + ", ".join(f"{rank_correlation(*pair):.3f}" for pair in both)


def row_8():
    first = [f"{name} {of_pairs(SHIFTS, key, lambda ratio: ratio > 0)}" for key, name in reversed(tables.MEASURES.items())]
    return "5 seeds x 8 shifts; 185 sets", f"robust first: {', '.join(first)}; PA and AFR(P): {ranks_like('afr_pred')}"


def betas(shift):
    of = tables.by(tables.read("models"), "shift", "model")
    return [[row["beta"] for row in of[shift, model]] for model in ("standard", "robust")]


def row_9():
    pairs = [pair for shift in ATTACKS for pair in zip(*betas(shift))]
    return "5 seeds x 4 radii", f"beta of undefended below robust in {share(sum(a < b for a, b in pairs), len(pairs))}"


def row_12():
    equal = [abs(row["pa"] - math.log(10)) < 1e-4 for row in tables.read("ratios") if row["ratio"] == 0]
    return "5 seeds x 3 networks x 8 shifts", f"PA is log 10 at ratio 0 in {sum(equal)} of {len(equal)}"


def row_13():
    standard, robust = betas("PGD 8/255")
    return "5 seeds", f"8/255: beta {over_seeds(robust, 2)} (robust), {over_seeds(standard, 2)} (undefended)"


def approximation():
    """The exact log agreement of the pair of examples/data, and what theorem 4.2.1 of the thesis gives for it."""
    files = [numpy.load(HERE.parents[1] / "examples" / "data" / f"{name}.npz") for name in ("clean", "blurred")]
    label, (old, new) = files[0]["labels"], (file["logits"].argmax(1) for file in files)

    def posteriors(beta):
        powers = [numpy.exp(beta * (file["logits"] - file["logits"].max(1, keepdims=True)).astype(float)) for file in files]
        return [power / power.sum(1, keepdims=True) for power in powers]
    p, q = max((posteriors(beta) for beta in numpy.geomspace(.1, 10, 401)), key=lambda pair: numpy.log((pair[0] * pair[1]).sum(1)).sum())
    n, accuracy, unchanged = len(label), (old == label).mean(), (old == new).mean()
    err, mis = (1 - p.max(1)[(old == new) & ((old == label) == right)].mean() for right in (True, False))
    adv = 1 - q.max(1)[old != new].mean()
    parts = [accuracy * unchanged * math.log(1 - 2 * err), (1 - accuracy) * unchanged * math.log(1 - 2 * mis),
             accuracy * (1 - unchanged) * math.log(adv)]
    return numpy.log((p * q).sum(1)).sum(), n * sum(parts)


def row_14():
    rows = [row | {part: row[f"{part}_sum"] / row["n"] for part in tables.GROUPS} for row in tables.read("models")]
    same = 0
    groups = tables.by(rows, "seed", "shift").values()
    for those in groups:
        by_three = sorted(those, key=lambda row: row["err"] + row["mis"] + row["adv"])
        same += by_three == sorted(those, key=lambda row: row["pa"])
    rest = [row["rest"] / (row["pa"] - math.log(10)) for row in rows]
    exact, approximate = approximation()
    return "5 seeds x 8 shifts; 1 pair", f"exact sums of 3 groups keep the order of 3 networks in {same} of {len(groups)}, " \
        f"lack {100 * min(rest):.1f} to {100 * max(rest):.0f}% of the loss; pair of examples/data: {exact:.0f}, approximation {approximate:.0f}"


def row_17():
    clean = {(row["seed"], row["model"]): row["afr_true"] for row in tables.read("ratios") if row["ratio"] == 0}
    rows = [row for row in tables.read("models") if row["shift"] in tables.SETS["noisy"]]
    faster = [1 - row["pa_normalized"] > 1 - row["afr_true"] / clean[row["seed"], row["model"]] for row in rows]
    return "5 seeds x 3 networks x 4; 185 sets", f"PA loses the larger share in {share(sum(faster), len(faster))}; {ranks_like('accuracy')}"


def row_19():
    rows = [row for row in read("environments") if row["training"] == "ERM"]
    pa, accuracy = ([[float(row[key]) for row in rows if row["shift"] == shift] for shift in "15"] for key in ("pa", "accuracy"))
    return "5 seeds", "1 and 5 factors: PA " + ", ".join(over_seeds([value / math.log(2) for value in values]) for values in pa) + \
        " of log 2; accuracy " + ", ".join(over_seeds(values) for values in accuracy)


def row_21():
    of = tables.by(tables.read("epochs"), "shift", "seed")

    def gains(shift, key="accuracy_shifted"):
        return over_seeds([of[shift, one["seed"]][int(one["by_pa"]) - 1][key] - of[shift, one["seed"]][int(one["by_accuracy"]) - 1][key]
                           for one in tables.read("chosen")], sign="+")
    seen, blur, clean = gains(tables.SELECTION_SHIFT), gains("gaussian-blur-1"), gains("gaussian-blur-1", "accuracy")
    return "5 seeds", f"accuracy by PA less by accuracy: {seen} (noise chosen by), {blur} (mild blur), {clean} (clean)"


# --- Average-case robustness

IMAGES = average_case.Images()
TIMES = average_case.Times()
NETWORKS = average_case.MODELS[1:]


def error(model, name, sigma):
    return IMAGES.error(model, name)[:, average_case.SIGMAS.index(sigma)]


def error_with_interval(*key):
    return IMAGES.with_interval(error(*key))


def less(first, second):
    """The difference of two errors, on the same images."""
    return IMAGES.verdict(error(*first) - error(*second)).removesuffix(" *")


def row_25():
    mc = IMAGES.p["linear", "mc"][:, -1]
    chance = numpy.sqrt(2 * mc * (1 - mc) / numpy.pi / average_case.DRAWS).mean()
    return "200 images", f"sigma .5: off by {error('linear', 'taylor', '0.5').mean():.4f}; Monte Carlo's chance {chance:.4f}"


def row_27():
    phi = statistics.NormalDist().cdf
    return "1 classifier", f"truth {phi(1.5):.3f}; Taylor {phi(1.5) * phi(.5):.3f}, MMSE {phi(1.5) ** 2:.3f}; both propositions say 0 error"


def row_28():
    grows = [(numpy.diff(IMAGES.error(model, name).mean(0)) > 0).all() for model in NETWORKS for name in ("mmse", "taylor")]
    mmse, taylor = (", ".join(error_with_interval("cnn", name, sigma) for sigma in ("0.025", "0.5")) for name in ("mmse", "taylor"))
    return "200 images x 3 networks", f"grows with sigma in {sum(grows)} of {len(grows)}; CNN, .025 and .5: MMSE {mmse}; Taylor {taylor}"


def row_29():
    order = ", ".join(error_with_interval("cnn", name, "0.3") for name in ("mmse", "taylor", "softmax"))
    published = less(("cnn", "taylor", "0.05"), ("cnn", "mmse5-published", "0.05"))
    last = less(("adversarial", "softmax", "0.5"), ("adversarial", "taylor", "0.5"))
    return "200 images x 4 models", f"CNN, sigma .3: {order}; but Taylor less published MMSE(5) at .05: {published}; " \
        f"softmax less Taylor, adversarial, .5: {last}"


def row_30():
    mmse, taylor = (", ".join(less((model, name, "0.3"), ("cnn", name, "0.3")) for model in NETWORKS[1:]) for name in ("mmse", "taylor"))
    return "200 images, 1 training each", f"sigma .3, less plain CNN: MMSE {mmse}; Taylor {taylor}"


def row_31():
    errors = [error_with_interval("linear", "taylor-mvs", sigma) for sigma in ("0.2", "0.5")]
    return "200 images", "linear model, sigma .2, .5: off by " + ", ".join(errors)


def row_32():
    cells = [(model, sigma) for model in average_case.MODELS for sigma in average_case.SIGMAS[:4]]
    worse = [IMAGES.interval(error(model, "softmax", sigma) - error(model, "taylor", sigma))[0] > 0 for model, sigma in cells]
    errors = [error(model, "softmax", "0.1").mean() for model in average_case.MODELS]
    return "200 images x 4 models", f"sigma .1: off by {min(errors):.3f} to {max(errors):.3f}; worse than Taylor in {sum(worse)} of {len(cells)} cells up to .2"


def row_33():
    found = {(row["model"], row["estimator"], row["sigma"]): float(row["error"]) for row in average_case.read("average-case-error-time.csv")}

    def cost(name):
        return f"{found['cnn', name, '0.1']:.4f} in {1000 * TIMES.median('cnn', f'error-{name}', name.split('-')[0], '0.1'):.0f} ms"
    draws, *others = (TIMES.seconds("cnn", "table1", name, "0.1") for name in ("mc", "taylor", "mmse"))
    taylor, mmse = (statistics.median(a / b for a, b in zip(draws, seconds)) for seconds in others)
    return "100 images, 5 runs", f"CNN, sigma .1: 10,000 draws take {taylor:.0f} and {mmse:.0f} times as long as Taylor and MMSE(5); " \
        f"error: Taylor {cost('taylor')}, 10 draws {cost('mc-10')}; MMSE(5) {cost('mmse-5')}, 100 draws {cost('mc-100')}"


def row_34():
    change = {row["estimator"]: float(row["mean_change"]) for row in average_case.read("average-case-copies.csv")
              if (row["sigma"], row["copies"]) == ("0.3", "5")}
    return "100 images", f"CNN, sigma .3: p of 5 copies is off by {change['mmse']:.3f} (as published {change['mmse as published']:.3f})"


def row_35():
    rows = average_case.read("average-case-case.csv")
    of = {key: over_seeds([int(row["right"]) / int(row["n"]) for row in rows if (row["model"], row["score"]) == key])
          for key in dict.fromkeys((row["model"], row["score"]) for row in rows)}
    shown = [f"{model} {of[model, 'mmse']}, {of[model, 'softmax']}" for model in average_case.CASE_MODELS]
    return "5 splits, 1,500 images", "MMSE and softmax: " + "; ".join(shown)


def row_36():
    rows = average_case.read("average-case-classes.csv")
    return "10,000 images x 4 models x 3 sigmas", f"Kruskal and Wallis, largest p {max(float(row['kruskal_wallis_p']) for row in rows):.0e}"


# --- Error bounds

def row_49():
    parts = [("Fashion-MNIST", read("fashion-mnist-bounds"), "dis2-logits"), ("Waterbirds", read("waterbirds-bounds"), "dis2-logits"),
             ("adaptation", [row for row in read("adaptation") if row["method"] not in ADVERSARIAL], "logits_bound")]
    return "72 + 8 + 80", "below the error: " + "; ".join(f"{name} {share(below(rows, key), len(rows))}" for name, rows, key in parts)


def row_50():
    mae = over_shifts(bounds.read(bounds.DATA), lambda rows: bounds.scores(rows, "dis2-logits-estimate")[0], 3)
    return "72 shifts", f"MAE {mae}"


def row_51():
    rows = [(float(row["target_error"]) - float(row["source_error"]), float(row["logits_bound"])) for row in read("adaptation")]
    parts = [[bound < 1 for drop, bound in rows if drop >= least] for least in (.5, .7)]
    useful = [float(row["dis2-logits"]) < 1 for row in bounds.read(bounds.DATA)]
    large, larger = (f"{sum(part)} of {len(part)}" for part in parts)
    return "72 + 120", f"bound below 1: {share(sum(useful), len(useful))}; of drops by 50 points or more {large}, by 70 {larger}"


def row_53():
    losses = [math.log2(1 + math.exp(margin / 100)) for margin in range(-2000, 2001)]
    convex = min(a - 2 * b + c for a, b, c in zip(losses, losses[1:], losses[2:])) > -1e-12
    above = all(loss >= (margin >= 0) for margin, loss in zip(range(-2000, 2001), losses))
    return "4,001 margins", "convex, at least the 0-1 loss" if convex and above else "not so"


def row_54():
    rows = bounds.read(bounds.DATA, "-features")
    slack = [bounds.scores(rows, f"dis2-{name}") for name in ("logits", "features")]
    less = over_shifts(rows, lambda those: bounds.scores(those, "dis2-features")[0] - bounds.scores(those, "dis2-logits")[0], 3, "+")
    return "48 shifts", f"MAE {slack[0][0]:.3f}, {slack[1][0]:.3f}, difference {less}; coverage {slack[0][1]:.2f}, {slack[1][1]:.2f}"


def row_55():
    of = {(row["data"], row["k"], row["n"], row["representation"]): float(row["found"]) for row in read("critics")}
    pairs = [(found, of[(*key[:3], "features")]) for key, found in of.items() if key[3] == "pca:4"]
    low = sum(float(row["bound"]) < float(row["true_error"]) for row in read("critics") if row["representation"] == "pca:4")
    fewer = share(sum(a < b for a, b in pairs), len(pairs))
    return f"{len(pairs)} cells", f"a quarter of the components finds less than the features in {fewer}; bounds below the error: {low}"


def row_57():
    rows = read("adaptation")
    parts = [[row for row in rows if (row["method"] in ADVERSARIAL) == adversarial] for adversarial in (True, False)]
    low = [below(part, "logits_bound") for part in parts]
    estimators = [below(parts[0], name) for name in ESTIMATES]
    return "40 + 80 networks", f"bound below the error: DANN, CDAN {share(low[0], len(parts[0]))}, others {low[1]} of {len(parts[1])}; " \
        f"estimators {min(estimators)} to {max(estimators)} of {len(parts[0])}"


def row_58():
    rows = read("critics-draws")
    draws = sum(int(row["draws"]) for row in rows)
    violated = [share(sum(int(row[f"violated@{delta}"]) for row in rows), draws) + f" at {delta}" for delta in ("0.01", "0.2")]
    return "5 cases x 1,000 draws", "violations: " + "; ".join(violated)


def row_60():
    def slope(method):
        return lambda rows: 1 - statistics.linear_regression(*([float(row[key]) for row in rows] for key in ("target_error", method))).slope
    slopes = [f"{method} {over_shifts(bounds.read(bounds.DATA), slope(method))}" for method in ("ac", "atc-ne", "cot")]
    return "72 shifts", "understated for each point of error: " + ", ".join(slopes)


def main():
    lines = (HERE.parent / "claims.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("|")]
    for line in lines:
        cells = line.split(" | ")
        first = cells[0].removeprefix("| ")
        if row := globals().get(f"row_{first}"):
            cells[3:5] = row()
        if first in VERDICTS:
            numbers = sorted(int(row[0].removeprefix("| ")) for row in rows if len(row) == 7 and row[2].split()[0].strip(":;") == first)
            cells[1:] = [str(len(numbers)), ", ".join(map(str, numbers)) + " |"]
        print(" | ".join(cells) if line.startswith("|") else "")


if __name__ == "__main__":
    main()
