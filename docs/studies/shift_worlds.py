#!/usr/bin/env python3
"""Random worlds for the study of answers without labels: a classifier, a labeled source and ten targets each.

    shift_worlds.py tuning|held-out FOLDER [--worlds 240] [--first 0]

Writes FOLDER/HALF/NNNN/source.npz and KIND.npz: logits (n,k) float32, labels (n), and the inputs as features (n,d) float32. World N of a half depends
on its name and N alone. The held-out half has families that the tuning half lacks: worlds by a teacher network, and classifiers
by boosting and naive Bayes. Needs NumPy and scikit-learn; one core, about a second per world and target.

Kinds of shift: none; label (other class shares); drop (classes missing); mean (of the inputs); rotation (of the inputs); noise (on
the inputs); label-noise (both); scale (of the target's logits, predictions unchanged); mistakes (rows whose outputs name another
class, as surely); concept (labels change, inputs do not).
"""
import argparse
import os
import pathlib
import sys
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: bits may depend on it
import numpy as np  # noqa: E402

KINDS = ("none", "label", "drop", "mean", "rotation", "noise", "label-noise", "scale", "mistakes", "concept")
TUNING, HELD_OUT = "tuning", "held-out"
WORLDS = {TUNING: ("clusters", "mixture", "table"), HELD_OUT: ("clusters", "mixture", "table", "teacher")}
MODELS = {TUNING: ("linear", "forest", "network"), HELD_OUT: ("linear", "forest", "network", "boosting", "bayes")}
SMALLEST = 1e-12  # a probability that a model gives as 0


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def draw_classes(rng):
    u = rng.uniform()
    return 2 if u < .3 else int(rng.integers(3, 11)) if u < .7 else round(log_uniform(rng, 11, 100))


class World:
    def __init__(self, family, rng):
        self.family, self.k = family, draw_classes(rng)
        self.d = max(2, round(log_uniform(rng, 2, 50)))
        parts = 1 if family == "clusters" else 3
        apart = log_uniform(rng, 1, 6) * self.k ** (1 / self.d) * (1.5 if parts == 3 else 1)
        self.means = apart * rng.normal(size=(self.k, parts, self.d)) / np.sqrt(min(self.d, 8))
        self.turns = rng.normal(size=(self.k, self.d, self.d)) / np.sqrt(self.d)
        even = (1000, 5, 1)[rng.integers(3)]
        self.shares = rng.dirichlet(np.full(self.k, even)) * .8 + .2 / self.k
        self.flipped = (0, .02, .1)[rng.integers(3)]  # labels that no input tells
        if family == "table":
            self.steps = np.where(rng.uniform(size=self.d) < .5, rng.integers(2, 6, self.d), 0)
        if family == "teacher":
            hidden = 32
            self.first = rng.normal(size=(self.d, hidden)) * log_uniform(rng, .5, 2) / np.sqrt(self.d)
            self.second = rng.normal(size=(hidden, self.k))
            self.offset = np.zeros(self.k)
            scores = np.tanh(rng.normal(size=(4000, self.d)) @ self.first) @ self.second
            self.offset = -scores.mean(0)
        self.spread = 1.
        x, _ = self.draw(rng, 2000, self.shares)
        self.spread = x.std()

    def draw(self, rng, n, shares):
        if self.family == "teacher":  # inputs are drawn until the labels have these shares
            pool = rng.normal(size=(max(6 * n, 4000), self.d))
            label = np.argmax(np.tanh(pool @ self.first) @ self.second + self.offset
                              + .3 * rng.gumbel(size=(len(pool), self.k)), 1)
            if shares is not self.shares:
                have = np.bincount(label, minlength=self.k) / len(label)
                weight = np.where(have > 0, shares / np.maximum(have, 1e-9), 0)[label]
                rows = rng.choice(len(pool), n, p=weight / weight.sum()) if weight.sum() > 0 else np.arange(n)
            else:
                rows = np.arange(n)
            return pool[rows], label[rows]
        label = rng.choice(self.k, n, p=shares)
        x = np.empty((n, self.d))
        for j in np.unique(label):
            rows = np.flatnonzero(label == j)
            part = rng.integers(self.means.shape[1], size=len(rows))
            noise = rng.normal(size=(len(rows), self.d))
            x[rows] = self.means[j, part] + (noise + noise @ self.turns[j]) / np.sqrt(2)
        if self.family == "table":
            for c, steps in enumerate(self.steps):
                if steps:
                    x[:, c] = np.round(np.clip(x[:, c], -2, 2) * steps / 4)
                else:
                    x[:, c] = np.sinh(x[:, c] / 2)
        wrong = rng.uniform(size=n) < self.flipped
        return x, np.where(wrong, rng.integers(self.k, size=n), label)


def fitted(family, x, y, k, rng):
    """A function from x to logits of k classes, also of those that no row of y has."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    mean, scale = x.mean(0), x.std(0) + 1e-9
    seed = int(rng.integers(1 << 30))
    if family == "linear":
        model = LogisticRegression(C=log_uniform(rng, .01, 100), max_iter=200)
    elif family == "forest":
        model = RandomForestClassifier(int(rng.integers(20, 150)), max_depth=(None, 6, 12)[rng.integers(3)], random_state=seed)
    elif family == "network":
        model = MLPClassifier((int(rng.integers(16, 129)),) * int(rng.integers(1, 3)), max_iter=int(rng.integers(10, 60)),
                              alpha=log_uniform(rng, 1e-5, 1e-1), random_state=seed)
    elif family == "boosting":
        model = HistGradientBoostingClassifier(max_iter=int(max(4, min(60, 400 / k))), max_leaf_nodes=15, random_state=seed)
    else:
        model = GaussianNB(var_smoothing=1e-3)
    model.fit((x - mean) / scale, y)

    def logits(new):
        p = model.predict_proba((new - mean) / scale)
        every = np.full((len(new), k), 0.)
        every[:, model.classes_] = p
        return np.log(np.maximum(every, SMALLEST)).astype(np.float32)
    return logits


def turned(x, angle, rng):
    d = x.shape[1]
    q, _ = np.linalg.qr(rng.normal(size=(d, d)))
    y = (x - x.mean(0)) @ q
    for i in range(0, d - 1, 2):
        a, b = y[:, i].copy(), y[:, i + 1].copy()
        y[:, i], y[:, i + 1] = np.cos(angle) * a - np.sin(angle) * b, np.sin(angle) * a + np.cos(angle) * b
    return y @ q.T + x.mean(0)


def target(kind, world, logits, n, rng):
    k, shares = world.k, world.shares
    if kind.startswith("label"):
        shares = rng.dirichlet(np.full(k, log_uniform(rng, .3, 5)))
    elif kind == "drop":
        left = rng.permutation(k)[int(rng.integers(1, max(2, k // 2 + 1))):]
        shares = np.where(np.isin(np.arange(k), left), shares, 0)
        shares = shares / shares.sum()
    x, y = world.draw(rng, n, shares)
    if kind == "mean":
        direction = rng.normal(size=world.d)
        x = x + log_uniform(rng, .2, 2) * world.spread * direction / np.linalg.norm(direction) * np.sqrt(world.d) / 2
    elif kind == "rotation":
        x = turned(x, rng.uniform(.1, 1.2), rng)
    elif kind.endswith("noise"):
        x = x + log_uniform(rng, .2, 2) * world.spread * rng.normal(size=x.shape)
    z = logits(x)
    if kind == "scale":
        factor = log_uniform(rng, 1.2, 4)
        z = z * np.float32(factor if rng.uniform() < .5 else 1 / factor)
    elif kind == "mistakes":
        for i in np.flatnonzero(rng.uniform(size=n) < rng.uniform(.02, .3)):
            top, other = np.argmax(z[i]), rng.integers(k - 1)
            other += other >= top
            z[i, [top, other]] = z[i, [other, top]]
    elif kind == "concept":
        moved = rng.uniform(size=n) < rng.uniform(.05, .4)
        y = np.where(moved, (y + rng.integers(1, k, size=n)) % k, y)
    return x, y, z


def write(path, x, y, z):
    part = path.with_suffix(".part.npz")
    np.savez(part, logits=z, labels=y.astype(np.int64), features=x.astype(np.float32))
    part.rename(path)


def make(half, number, folder):
    rng = np.random.default_rng([43, (TUNING, HELD_OUT).index(half), number])
    world = World(WORLDS[half][rng.integers(len(WORLDS[half]))], rng)
    family = MODELS[half][rng.integers(len(MODELS[half]))]
    n_train = round(log_uniform(rng, 300, 10000))
    logits = fitted(family, *world.draw(rng, max(n_train, 3 * world.k), world.shares), world.k, rng)
    sizes = [round(log_uniform(rng, 200, 20000)) for _ in range(2)]
    folder.mkdir(parents=True, exist_ok=True)
    x, y = world.draw(rng, sizes[0], world.shares)
    write(folder / "source.npz", x, y, logits(x))
    for kind in KINDS:
        write(folder / f"{kind}.npz", *target(kind, world, logits, sizes[1], rng))
    (folder / "world.txt").write_text(f"{world.family},{family},{world.k},{world.d},{sizes[0]},{sizes[1]}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("half", choices=(TUNING, HELD_OUT))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--worlds", type=int, default=240)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    for number in range(options.first, options.worlds):
        folder = options.folder / options.half / f"{number:04d}"
        if not (folder / "world.txt").exists():
            make(options.half, number, folder)
        print(f"\rworld {number + 1} of {options.worlds}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
