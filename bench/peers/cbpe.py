#!/usr/bin/env python3
"""CBPE, the confidence-based estimate of NannyML, of the errors that docs/studies/answers.md compares.

    bench/peers/cbpe.py FOLDER... > cbpe.csv

Each folder holds source.npz and targets NAME.npz with logits (n,k) and labels (n), as for bench/answer_features. CSV on stdout:
folder, target, estimated error. NannyML calibrates on the source as it sees fit. Needs nannyml 0.13 and statsmodels from PyPI; seconds a folder.
"""
import os
import pathlib
import sys
import warnings

os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"  # before nannyml: it reports its use over the network
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from nannyml.performance_estimation.confidence_based import CBPE  # noqa: E402


def frame(path):
    with np.load(path) as arrays:
        logits, labels = arrays["logits"].astype(float), arrays["labels"]
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    data = pd.DataFrame({f"p{j}": p[:, j] for j in range(p.shape[1])})
    return data.assign(y_pred=p.argmax(1), y_true=labels), p.shape[1]


def main():
    warnings.filterwarnings("ignore")
    print("world,kind,cbpe")
    for folder in map(pathlib.Path, sys.argv[1:]):
        source, k = frame(folder / "source.npz")
        binary = k == 2
        columns = "p1" if binary else {j: f"p{j}" for j in range(k)}
        model = CBPE(y_pred_proba=columns, y_pred="y_pred", y_true="y_true", metrics=["accuracy"], chunk_number=1,
                     problem_type="classification_binary" if binary else "classification_multiclass")
        try:
            model.fit(source)
        except Exception as error:  # a source that lacks classes, for one: CBPE has no answer
            print(folder.name, error, file=sys.stderr)
            continue
        for path in sorted(folder.glob("*.npz")):
            if path.stem != "source":
                found = model.estimate(frame(path)[0].drop(columns="y_true")).filter(period="analysis").to_df()
                print(f"{folder.name},{path.stem},{1 - found[('accuracy', 'value')].iloc[0]:.6g}", flush=True)


if __name__ == "__main__":
    main()
