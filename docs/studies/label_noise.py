#!/usr/bin/env python3
"""Runs the study of docs/studies/label-noise.md: changes labels, trains on halves and ranks rows with the leeway command.

    label_noise.py FOLDER [--leeway PATH] [--seeds 5] [--jobs 1]

Everything goes to FOLDER; what stands there whole is not made again. Each command runs with one thread. The last step writes
FOLDER/label-noise.csv; label_noise_tables.py reads it.
"""
import concurrent.futures
import itertools
import json

import numpy

from fashion_mnist import Study
from study_script import arguments_of, begun, write_rows

ROWS, EPOCHS = 12000, 8
RATES = [.05, .1, .2]
TURN = 15  # degrees, of the second sample


def auroc(scores, wrong):
    """Probability that a row with a wrong label has a lower score than a row with a right one; ties count half."""
    _, place, counts = numpy.unique(scores, return_inverse=True, return_counts=True)
    ranks = (numpy.cumsum(counts) - (counts - 1) / 2)[place]
    n = wrong.sum()
    return 1 - (ranks[wrong].sum() - n * (n + 1) / 2) / (n * (len(wrong) - n))


class LabelNoise(Study):
    def images(self):
        """The first ROWS training images, then the same images turned."""
        if self.path("images.npz").exists():
            return
        self.run("turned.npz", "shift", "rotation", "--strength", TURN, "--data", "fashion-mnist:train")
        self.run("same.npz", "shift", "brightness", "--strength", 0, "--data", "fashion-mnist:train")
        parts = []
        for name in ("same.npz", "turned.npz"):
            with numpy.load(self.path(name)) as images:
                parts.append(numpy.round(255 * images["x"][:ROWS]).astype(numpy.uint8))
                labels = images["y"][:ROWS]
            self.path(name).unlink()
        numpy.savez(self.path("images.tmp.npz"), x=numpy.concatenate(parts), y=numpy.tile(labels, 2))
        self.path("images.tmp.npz").rename(self.path("images.npz"))
        for fold in (0, 1):  # trains on its half, of which each tenth row chooses the epoch
            words = ["test" if row >= ROWS or row % 2 != fold else "val" if row // 2 % 10 == 0 else "train" for row in range(2 * ROWS)]
            self.path(f"fold{fold}.csv").write_text("index,split\n" + "".join(f"{row},{word}\n" for row, word in enumerate(words)))

    def outputs(self, home):
        """Labels with and without noise, and logits of the rows by the model that was trained without them, of the same rows
        turned, and by the model that was trained with them."""
        logits = []
        for fold in (0, 1):
            self.run(f"{home}/fold{fold}.safetensors", "train", "--data", self.path(f"{home}/noisy.npz"), "--index", self.path(f"fold{fold}.csv"),
                     "--epochs", EPOCHS, "--patience", 0, "--select", "last", "--seed", fold)
            self.run(f"{home}/fold{fold}.npz", "infer", "--model", self.path(f"{home}/fold{fold}.safetensors"), "--data", self.path(f"{home}/noisy.npz"))
            with numpy.load(self.path(f"{home}/fold{fold}.npz")) as found:
                logits.append(found["logits"])
        with numpy.load(self.path(f"{home}/noisy.npz")) as images:
            labels, source = images["y"][:ROWS], images["y_source"][:ROWS]
        fold = numpy.arange(ROWS) % 2
        rows = numpy.arange(ROWS)
        both = numpy.stack(logits)
        for name, values in (("heldout", both[1 - fold, rows]), ("turned", both[1 - fold, ROWS + rows]), ("trained", both[fold, rows])):
            numpy.savez(self.path(f"{home}/{name}.npz"), logits=values, labels=labels)
        return labels != source

    def one(self, rate, seed):
        home = f"rate{rate}/seed{seed}"
        self.run(f"{home}/noisy.npz", "shift", "label-noise", "--strength", rate, "--seed", seed, "--data", self.path("images.npz"))
        wrong = self.outputs(home)
        row = {"rate": rate, "seed": seed, "n": ROWS, "changed": int(wrong.sum())}
        for name, first, second, pairing in (("turned", "heldout", "turned", "given"), ("trained", "heldout", "trained", "given"),
                                             ("label", "heldout", "heldout", "label-resample")):
            self.run(f"{home}/pa-{name}", "pa", self.path(f"{home}/{first}.npz"), self.path(f"{home}/{second}.npz"), "--pairing", pairing, "--suspects", ROWS)
            found = json.loads(self.path(f"{home}/pa-{name}.json").read_text())["results"][0]["suspects"]
            by_row = sorted(found["by_agreement"], key=lambda one: one["row"])
            row[f"agreement_{name}"] = auroc([float(one["agreement"]) for one in by_row], wrong)
        for key in ("self_confidence", "margin"):
            scores = numpy.array([one[key] for one in by_row])
            first = wrong[numpy.argsort(scores, kind="stable")]
            row |= {key: auroc(scores, wrong), f"{key}_100": first[:100].mean(), f"{key}_all": first[:wrong.sum()].mean()}
        suspects = numpy.array([one["suggested"] is not None for one in by_row])
        row |= {"noise_rate": found["noise_rate"], "suspects": int(suspects.sum()), "suspects_wrong": int((suspects & wrong).sum())}
        return row


def main():
    study, arguments = begun(LabelNoise, arguments_of(__doc__, jobs=1))
    study.images()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda case: study.one(*case), itertools.product(RATES, range(arguments.seeds))))
    write_rows(study.path("label-noise.csv"), rows)


if __name__ == "__main__":
    main()
