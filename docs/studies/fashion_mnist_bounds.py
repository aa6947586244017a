#!/usr/bin/env python3
"""Bounds and estimates of the error without labels, three classifiers under 24 shifts: docs/studies/fashion-mnist-bounds.md.

    fashion_mnist_bounds.py FOLDER [--leeway PATH] [--jobs 1]

FOLDER is that of fashion_mnist.py, which must have run: the classifiers of its seed 0 are used, and its 10,000 validation
images are the labelled source. Writes FOLDER/bounds.csv, a row for each classifier and shift, for `leeway bound evaluate`, and
FOLDER/bounds-features.csv with critics on features too, which the linear classifier lacks. What stands in FOLDER is not made
again.
"""
import concurrent.futures
import csv
import json

from fashion_mnist import Study
from study_script import arguments_of, begun

SHIFTS = ["gaussian-noise:0.05", "gaussian-noise:0.1", "gaussian-noise:0.2", "gaussian-noise:0.3", "gaussian-blur:0.5", "gaussian-blur:1",
          "gaussian-blur:2", "contrast:0.8", "contrast:0.6", "contrast:0.4", "brightness:0.1", "brightness:0.2", "brightness:-0.1",
          "rotation:10", "rotation:20", "rotation:30", "pixelation:2", "pixelation:4", "imbalance:0.1", "imbalance:0.01"]
SUBSETS = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
EPS = [2, 4]
METHODS = ["ac", "doc", "atc-conf", "atc-ne", "cot", "cot-corrected"]


class Bounds(Study):
    def classifiers(self):
        self.run("linear.safetensors", "train", "--data", self.path("training.npz"), "--arch", "linear", "--epochs", 10)
        models = self.models(0)
        return {"linear": self.path("linear.safetensors"), "cnn": models["standard"], "robust": models["robust"]}

    def targets(self, model, weights):
        """Shift by shift: the images of that target."""
        for shift in SHIFTS:
            yield shift, self.shifted(shift)
        for classes in SUBSETS:
            name = "label-subset-" + "".join(map(str, classes))
            self.run(f"images/{name}.npz", "shift", "label-subset", "--classes", *classes, "--data", "fashion-mnist:test")
            yield name, self.path(f"images/{name}.npz")
        for eps in EPS:
            images = f"bounds/{model}-pgd{eps}-images.npz"
            self.run(images, "attack", "--model", weights, "--data", "fashion-mnist:test", "--eps", f"{eps}/255")
            yield f"pgd:{eps}/255", self.path(images)

    def rows(self, model, weights):
        source = self.outputs(f"bounds/{model}-source.npz", weights, self.path("validation.npz"))
        for shift, images in self.targets(model, weights):
            stem = f"bounds/{model}-" + shift.replace(":", "-").replace("/", "-")
            target = self.outputs(f"{stem}.npz", weights, images)
            representations = ["logits"] if model == "linear" else ["logits", "features"]  # a linear model has no features
            for representation in representations:
                wanted = ["dis2", *METHODS] if representation == "logits" else ["dis2"]
                self.run(f"{stem}-{representation}.json", "bound", "--source", source, "--target", target, "--representation",
                         representation, "--bootstrap", 0, "--methods", ",".join(wanted))
            self.run(f"{stem}-truth.json", "assess", "--source", source, "--target", f"shifted={target}", "--paired", "no", "--no-bounds")
            records = {name: json.loads(self.path(f"{stem}-{name}.json").read_text()) for name in [*representations, "truth"]}
            errors = {result["method"]: result["error"] for result in records["logits"]["results"]}
            dis2 = records["logits"]["dis2"]
            yield {"data_set": model, "shift": shift, "target_error": 1 - records["truth"]["results"][0]["accuracy"],
                   **{method: errors[method] for method in METHODS}, "dis2-logits": dis2["bound"],
                   "dis2-logits-estimate": errors["dis2-estimate"], "dis2-features": records["features"]["dis2"]["bound"] if "features" in records else None}


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    study, arguments = begun(Bounds, parser)
    for shift in SHIFTS:
        study.shifted(shift)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for of_model in pool.map(lambda item: list(study.rows(*item)), study.classifiers().items()) for row in of_model]
    with_features = [row for row in rows if row["dis2-features"] is not None]
    write(study.path("bounds.csv"), [{key: value for key, value in row.items() if key != "dis2-features"} for row in rows])
    write(study.path("bounds-features.csv"), with_features)


if __name__ == "__main__":
    main()
