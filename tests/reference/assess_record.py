#!/usr/bin/python3
"""Writes assess_record.json: a record as docs/assess-record.md defines it, of two simulated classifiers and six targets.

The logits are drawn so that classes that look alike (shirt, T-shirt, pullover, coat) are confused first and the robust
model starts lower and falls less; everything else follows from them. The sixth target has neither labels nor pairs.
"""
import json
import pathlib

import numpy as np

NAMES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
LIKE = {0: [6, 3], 2: [4, 6], 3: [0, 4], 4: [2, 6], 5: [7, 9], 6: [0, 2, 4], 7: [9, 5], 8: [6], 9: [7], 1: [3]}
TARGETS = ["noise 0.3", "blur 2", "contrast 0.4", "rotation 30", "pgd 8/255", "shop photos"]
# Standard deviation of what a shift adds to the logits' features, and how much it shrinks the right one.
SEVERITY = {"CNN": [2.2, 1.3, .5, 2.6, 4.2, 1.8], "robust CNN": [.9, 1.0, .6, 2.0, 1.1, 1.5]}
SCALE = {"CNN": 2.4, "robust CNN": 1.1}
MARGIN = {"CNN": 4.6, "robust CNN": 4.0}
N = 10000
LEVELS = ["bright", "dark", "medium"]


def clopper_pearson(count, n, level=.95):
    from scipy.stats import beta
    low = 0. if count == 0 else float(beta.ppf((1 - level) / 2, count, n - count + 1))
    high = 1. if count == n else float(beta.ppf((1 + level) / 2, count + 1, n - count))
    return low, high


def share(values):
    low, high = clopper_pearson(int(values.sum()), values.size)
    return float(values.mean()), low, high


def paired_difference(only_first, only_second, n):
    """(second - first, low, high): Bonett and Price's interval for two proportions on the same samples."""
    p, q = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    width = 1.959963984540054 * np.sqrt((p + q - (q - p) ** 2) / (n + 2))
    return (only_second - only_first) / n, float(max(q - p - width, -1)), float(min(q - p + width, 1))


def draw(rng, model, y, base, severity):
    """Logits of a model: evidence for the label and its look-alikes, worn down by the shift."""
    f = base + rng.normal(0, .25 + severity * .55, base.shape)
    for c, others in LIKE.items():
        for other in others:
            f[y == c, other] += severity * (.5 if c in (0, 2, 4, 6) else .22)
    f[np.arange(y.size), y] -= severity * .45
    return f * SCALE[model]


def softmax(f):
    e = np.exp(f - f.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def log_agreement(f0, f1, beta):
    def lse(x):
        top = x.max(1)
        return top + np.log(np.exp(x - top[:, None]).sum(1))
    return lse(beta * (f0 + f1)) - lse(beta * f0) - lse(beta * f1)


def posterior_agreement(f0, f1):
    k = f0.shape[1]
    grid = np.concatenate([[0.], np.geomspace(.01, 30, 45)])
    value = [float(log_agreement(f0, f1, b).mean()) for b in grid]
    top = int(np.argmax(value))
    fine = np.linspace(grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)], 60)
    fine_value = [float(log_agreement(f0, f1, b).mean()) for b in fine]
    beta, best = float(fine[int(np.argmax(fine_value))]), max(fine_value)
    a = log_agreement(f0, f1, beta)
    error = 1.96 * float(a.std(ddof=1)) / np.sqrt(a.size)
    curve = sorted([{"beta": float(b), "value": v} for b, v in zip(grid, value)] + [{"beta": beta, "value": best}],
                   key=lambda p: p["beta"])
    pa = float(np.log(k)) + best
    return a, {"pa": pa, "pa_low": pa - error, "pa_high": min(pa + error, float(np.log(k))),
               "pa_normalized": pa / float(np.log(k)), "log_pa_mean": best, "beta": beta, "gap": 4.1e-10,
               "curve": curve, "local_maxima": [{"beta": beta, "value": best}]}


def estimates(p0, p1, y):
    """Average confidence, difference of confidences, thresholded confidence and optimal transport, all at temperature 1."""
    import ot
    n, m, right = len(p0), len(p1), p0.argmax(1) == y
    c0, c1 = p0.max(1), p1.max(1)
    threshold = np.sort(c0)[::-1][int(right.sum()) - 1]
    shares = np.bincount(y, minlength=p0.shape[1]) / n
    cost = float(ot.emd2(np.full(m, 1 / m), shares, 1 - p1, numItermax=10**7))
    errors = {"ac": 1 - c1.mean(), "doc": 1 - right.mean() + c0.mean() - c1.mean(), "atc-conf": (c1 < threshold).mean(),
              "cot": cost, "cot-corrected": cost + c0.mean() - right.mean()}
    return {method: float(np.clip(error, 0, 1)) for method, error in errors.items()}


METHODS = [("ac", "average confidence", "confidence equals accuracy on the target as it does on the source",
            "the shift makes the classifier surer of its mistakes, which most shifts do"),
           ("doc", "difference of confidences", "accuracy falls by as much as mean confidence does",
            "confidence falls by less than accuracy, as on most large shifts"),
           ("atc-conf", "thresholded confidence", "as large a share of the target's rows is right as scores above the "
            "threshold that fits the source", "the classifier stays sure of rows that the shift makes it get wrong"),
           ("cot", "confidence optimal transport", "the target has the source's label frequencies and its softmax is as "
            "calibrated as the source's", "the shift makes confident mistakes"),
           ("cot-corrected", "cot and what mean confidence exceeds accuracy by on the source",
            "the same, but for as much overconfidence on the target as on the source", "the shift makes confident mistakes")]


def bound(source_error, target_error, attacked, n):
    """The terms of a bound whose discrepancy is made up: generous, but for an attack, which no linear critic sees."""
    half, part = N // 2, n // 2
    discrepancy = .45 * (target_error - source_error) if attacked else 1.1 * (target_error - source_error) + .06
    terms = [("hoeffding", float(np.sqrt((half + 4 * part) * np.log(100) / (2 * half * part))))]
    terms += [("empirical-bernstein", .7 * terms[0][1]), ("betting", .5 * terms[0][1])]
    total = source_error + discrepancy
    return {"source_error": source_error, "discrepancy": discrepancy, "concentration": terms[0][1], "estimate": total,
            "n_source": half, "n_target": part, "agreement_source": .95, "agreement_target": .95 - discrepancy,
            "validity_score": .55 if attacked else .9, "critic_warning": None,
            "concentrations": [{"name": name, "term": term, "bound": min(1., total + term)} for name, term in terms]}


def members(keys, codes, source_codes, right, source_right, kept):
    rows = []
    for key, code in keys:
        here = codes == code
        n = int(here.sum())
        row = {**key, "n": n}
        source_here = source_codes == code
        row["source_n"] = int(source_here.sum())
        row["source_accuracy"] = None if source_right is None else float(source_right[source_here].mean())
        if right is None or n == 0:
            row.update(accuracy=None, low=None, high=None)
        else:
            row["accuracy"], row["low"], row["high"] = share(right[here])
        row["afr_pred"], row["afr_low"], row["afr_high"] = (None,) * 3 if kept is None else share(kept[here])
        rows.append(row)
    rows.sort(key=lambda r: (r["accuracy"] if r["accuracy"] is not None else r["afr_pred"] or 0))
    return rows


def result(rng, model, target, f0, y, groups, target_index):
    paired = target != "shop photos"
    severity = SEVERITY[model][target_index]
    n = N if paired else 3000
    truth = y
    if paired:
        f1 = draw(rng, model, y, f0 / SCALE[model], severity)
    else:
        pick = rng.integers(0, N, n)
        truth = y[pick]
        f1 = draw(rng, model, y[pick], f0[pick] / SCALE[model], severity)
    p0, p1 = softmax(f0), softmax(f1)
    pred0, pred1 = f0.argmax(1), f1.argmax(1)
    c0, c1 = p0.max(1), p1.max(1)
    edges = np.linspace(0, 1, 21)
    r = {"model": model, "target": target, "n": n, "source_n": N, "k": 10, "paired": paired, "labelled": paired}
    r["pairing"] = ({"evidence": "labels", "chance": 1e-300, "words": "their labels are equal (chance of that below 1e-12)"} if paired else
                    {"evidence": "none", "chance": 1.0, "words": "source and target are different samples: 10000 rows and 3000"})
    reasons = {}
    source_right = pred0 == y
    r["source_accuracy"], r["source_accuracy_low"], r["source_accuracy_high"] = share(source_right)
    kept = right = None
    if paired:
        right, kept = pred1 == y, pred1 == pred0
        r["accuracy"], r["accuracy_low"], r["accuracy_high"] = share(right)
        r["accuracy_change"], r["accuracy_change_low"], r["accuracy_change_high"] = paired_difference(
            int((source_right & ~right).sum()), int((right & ~source_right).sum()), n)
        r["afr_pred"], r["afr_pred_low"], r["afr_pred_high"] = share(kept)
        r["afr_true"] = r["accuracy"]
        a, pa = posterior_agreement(f0, f1)
        r.update(pa)
    else:
        for key in ["accuracy", "afr_pred", "afr_true", "pa", "beta", "curve", "worst_class", "confusion", "top_flips",
                    "flips"]:
            r[key] = None
            reasons[key] = ("the target has no labels" if key in ("accuracy", "worst_class") else
                            "the target is not paired with the source (3000 samples, the source has 10000)")
    r["error_bound_terms"] = bound(float((pred0 != y).mean()), float((pred1 != truth).mean()), target.startswith("pgd"), n)
    r["error_bound"] = r["error_bound_terms"]["concentrations"][0]["bound"]
    r["estimates"] = estimates(p0, p1, y)
    r["estimate_intervals"] = {method: {"low": max(0, error - .012), "high": error + .012}
                               for method, error in r["estimates"].items()} if paired else {}
    r["confidence"] = {"edges": [float(e) for e in edges], "clean": np.histogram(c0, edges)[0].tolist(),
                       "shifted": np.histogram(c1, edges)[0].tolist(), "clean_mean": float(c0.mean()),
                       "shifted_mean": float(c1.mean())}
    if paired:
        r["classes"] = members([({"class": c, "name": NAMES[c]}, c) for c in range(10)], y, y, right, source_right, kept)
        r["groups"] = members([({"group": "brightness", "level": v}, i) for i, v in enumerate(LEVELS)], groups, groups,
                              right, source_right, kept)
        r["worst_class"], r["worst_group"] = dict(r["classes"][0]), dict(r["groups"][0])
        counts = np.zeros((10, 10), int)
        np.add.at(counts, (pred0, pred1), 1)
        r["confusion"] = {"labels": NAMES, "counts": counts.tolist()}
        flips = sorted(((int(counts[i, j]), i, j) for i in range(10) for j in range(10) if i != j and counts[i, j]),
                       key=lambda t: (-t[0], t[1], t[2]))
        r["top_flips"] = [{"from": i, "to": j, "count": c} for c, i, j in flips[:50]]
        rows = np.where(pred0 != pred1)[0]
        rows = rows[np.argsort(a[rows], kind="stable")][:24]
        r["flips"] = [{"row": int(i), "label": int(y[i]), "clean_pred": int(pred0[i]), "shifted_pred": int(pred1[i]),
                       "clean_confidence": float(c0[i]), "shifted_confidence": float(c1[i]), "agreement": float(a[i])}
                      for i in rows]
    else:
        r["classes"] = [{"class": c, "name": NAMES[c], "n": int((pred1 == c).sum()), "source_n": int((pred0 == c).sum()),
                         "source_accuracy": None, "accuracy": None, "low": None, "high": None, "afr_pred": None,
                         "afr_low": None, "afr_high": None, "by": "prediction"}
                        for c in range(10)]
        r["groups"], r["worst_group"] = [], None
        reasons["worst_group"] = "the target has no groups"
    r["predicted_shares"] = {"clean": (np.bincount(pred0, minlength=10) / N).tolist(),
                             "shifted": (np.bincount(pred1, minlength=10) / n).tolist()}
    r["warnings"] = []
    if model == "CNN" and float((c0 > .9999).mean()) > .02:
        r["warnings"].append(f"{(c0 > .9999).mean():.0%} of clean confidences are above 0.9999: saturated confidence says "
                             "little about how sure the model is.")
    r["not_computed"] = reasons
    return r, right


def comparison(target, rights):
    from scipy.stats import binomtest
    only_robust, only_plain = int((~rights[0] & rights[1]).sum()), int((rights[0] & ~rights[1]).sum())
    value, low, high = paired_difference(only_robust, only_plain, N)
    return {"target": target, "model": "CNN", "other": "robust CNN", "n": N, "difference": value, "low": low, "high": high,
            "mcnemar_p": float(binomtest(only_plain, only_plain + only_robust).pvalue), "clear": low > 0 or high < 0}


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return value


def main():
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(10), N // 10)
    groups = rng.choice(3, N, p=[.3, .25, .45])
    results, rights = [], {}
    for model in SEVERITY:
        base = rng.normal(0, 1., (N, 10))
        hard = np.array([1.5, .2, 1.3, .8, 1.2, .4, 2.3, .5, .3, .4])
        base[np.arange(N), y] += MARGIN[model] - hard[y] - .5 * (groups == 1)
        for c, others in LIKE.items():
            for other in others:
                base[y == c, other] += .9
        f0 = base * SCALE[model]
        for i, target in enumerate(TARGETS):
            made, right = result(rng, model, target, f0, y, groups, i)
            results.append(made)
            if right is not None:
                rights.setdefault(target, []).append(right)
    by = {(r["model"], r["target"]): r for r in results}
    worst, other = by["CNN", "pgd 8/255"], by["robust CNN", "pgd 8/255"]
    percent = lambda v: f"{100 * v:.1f}%"
    headline = (f"Under pgd 8/255 the CNN is right on {percent(worst['accuracy'])} of images "
                f"({percent(worst['accuracy_low'])} to {percent(worst['accuracy_high'])}), down from "
                f"{percent(worst['source_accuracy'])}, and changes its mind on {percent(1 - worst['afr_pred'])}; "
                f"the robust CNN holds {percent(other['accuracy'])}.")
    findings = [
        f"{worst['worst_class']['name']} suffers most: the CNN is right on {percent(worst['worst_class']['accuracy'])} "
        "of its images under pgd 8/255.",
        "On shop photos nothing can be said about accuracy: there are no labels. Label a few hundred to get an interval.",
        "The CNN is the more accurate model under blur 2 and contrast 0.4; the robust CNN under noise 0.3 and pgd 8/255.",
    ]
    command = ["leeway", "assess", "--source", "CNN=out/cnn/clean.npz", "--source", "robust CNN=out/robust/clean.npz"]
    inputs = []
    for model, folder in (("CNN", "cnn"), ("robust CNN", "robust")):
        for name in ["clean", "noise", "blur", "contrast", "rotation", "pgd", "shop"]:
            path = f"out/{folder}/{name}.npz"
            inputs.append({"path": path, "bytes": 480264, "shape": [3000 if name == "shop" else N, 10],
                           "xxh3_128": "".join(rng.choice(list("0123456789abcdef"), 32))})
            if name != "clean":
                target = TARGETS[["noise", "blur", "contrast", "rotation", "pgd", "shop"].index(name)]
                command += ["--target", f"{model}/{target}={path}"]
    record = {"schema": "leeway.assess/1", "command": command + ["--images", "fashion-mnist:test", "--report", "report.html"],
              "inputs": inputs, "seed": 0, "version": "0.1.0", "instruction_set": "avx512", "seconds": .412, "headline": headline,
              "findings": findings, "models": list(SEVERITY), "targets": TARGETS, "class_names": NAMES,
              "level": .95,
              "bounds": {"representation": "logits", "delta": .01, "restarts": 3, "bootstrap": 200,
                         "assumption": "The bound holds with probability 99% for independent samples if the truth contradicts "
                         "the classifier no more, target over source, than the critics found on the logits do; it is too low if no "
                         "linear critic on the logits comes near the truth, as under an attack, or features were trained to "
                         "hide the shift.",
                         "methods": [dict(zip(("method", "summary", "assumes", "fails"), one)) for one in METHODS]},
              "comparisons": [comparison(t, both) for t, both in rights.items()],
              "gates": [{"gate": "accuracy<0.5", "key": "accuracy", "op": "<", "threshold": .5, "violated": True,
                         "violations": [{"model": r["model"], "target": r["target"], "value": r["accuracy"]}
                                        for r in results if r["accuracy"] is not None and r["accuracy"] < .5],
                         "not_computed": [{"model": r["model"], "target": r["target"], "reason": "no labels"}
                                          for r in results if r["accuracy"] is None]}],
              "results": results}
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rounded(record), indent=None, separators=(",", ":"), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
