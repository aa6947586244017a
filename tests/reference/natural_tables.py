"""Tables as other programs write them: natural/*, and natural/tables.csv, which names the source of each.

    python3 -m venv v && v/bin/pip install scikit-learn xgboost lightgbm pandas polars pyarrow
    v/bin/python natural_tables.py && python3 natural_tables.py pytorch      (a Python that has torch)

tables.csv: file; source, the program with its version or the page with the names and formats; option, with which the table is
read and which the refusal or the warning names (empty: none is needed); classes; rows with a label; rows whose largest score
is the label's.
"""
import csv
import importlib
import pathlib
import sys

FOLDER = pathlib.Path(__file__).with_name("natural")
INDEX = FOLDER / "tables.csv"


def version(name):
    return importlib.import_module(name).__version__


def iris(rows=6):
    """Of three classes by name: what a model is fitted on, and a few rows to test."""
    from sklearn.datasets import load_iris
    data = load_iris()
    names = data.target_names[data.target]
    test = slice(None, None, len(names) // rows)
    return data.data[:, :2], names, data.target, test


def right(scores, labels):
    return int(sum(row.argmax() == label for row, label in zip(scores, labels)))


def scikit_learn():
    import pandas
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    x, y, numbers, test = iris()
    model = LogisticRegression().fit(x, y)
    scores = model.predict_proba(x[test])
    pandas.DataFrame(scores, columns=model.classes_).assign(target=y[test]).to_csv(FOLDER / "sklearn_frame.csv")
    source = f"scikit-learn {version('sklearn')}"
    yield "sklearn_frame.csv", f"{source}: DataFrame(predict_proba(x), columns=classes_).assign(target=y)", "", 3, 6, right(scores, numbers[test])
    x, y = load_breast_cancer(return_X_y=True)
    model, x, y = LogisticRegression().fit(x[:, :2], y), x[::80, :2], y[::80]
    for name, score in (("y_proba", model.predict_proba(x)[:, 1]), ("decision_function", model.decision_function(x))):
        pandas.DataFrame({"y_test": y, "y_pred": model.predict(x), name: score}).to_csv(FOLDER / f"sklearn_{name}.csv", index=False)
        yield f"sklearn_{name}.csv", f"{source}: DataFrame of y_test, y_pred, {name}", "", 2, len(y), int((model.predict(x) == y).sum())


def xgboost():
    import pandas
    import xgboost as xgb
    x, _, y, test = iris()
    model = xgb.train({"objective": "multi:softprob", "num_class": 3, "nthread": 1}, xgb.DMatrix(x, y), 2)
    scores = model.predict(xgb.DMatrix(x[test]))
    pandas.DataFrame(scores).assign(label=y[test]).to_csv(FOLDER / "xgboost.csv", index=False)
    yield "xgboost.csv", f"XGBoost {version('xgboost')}: DataFrame(predict(x)).assign(label=y), multi:softprob", "", 3, 6, right(scores, y[test])


def lightgbm():
    import lightgbm as lgb
    import pandas
    from sklearn.datasets import load_breast_cancer
    x, y = load_breast_cancer(return_X_y=True)
    options = {"objective": "binary", "verbose": -1, "num_threads": 1, "num_leaves": 4}
    score = lgb.train(options, lgb.Dataset(x[:, :2], y), 2).predict(x[::80, :2])
    y = y[::80]
    pandas.DataFrame({"label": y, "pred_proba": score}).to_csv(FOLDER / "lightgbm.tsv", sep="\t", index=False)
    yield "lightgbm.tsv", f"LightGBM {version('lightgbm')}: label and predict(x), objective binary", "", 2, len(y), int(((score > .5) == y).sum())


def pandas():
    import pandas as pd
    source = f"pandas {version('pandas')}"
    late = pd.DataFrame({"label": ["cat", None, "dog", None, "dog"], "p_cat": [.9, .1, .1, .5, .8], "p_dog": [.1, .9, .9, .5, .2]})
    late.to_csv(FOLDER / "pandas_late.csv", index=False)
    yield "pandas_late.csv", f"{source}: labels that arrive late, None", "", 2, 3, 2
    late.assign(label=[0, None, 1, None, 1]).to_csv(FOLDER / "pandas_late_numbers.csv")
    yield "pandas_late_numbers.csv", f"{source}: labels that arrive late, integers with None", "", 2, 3, 2
    words = pd.DataFrame({"target": ["foo", "101", "101"], "prob_foo": [.8, .1, .1], "prob_101": [.1, .8, .2], "prob_102": [.1, .1, .7]})
    words.to_csv(FOLDER / "mixed_names.csv", index=False)
    yield "mixed_names.csv", f"{source}: class names of words and numbers", "", 3, 3, 2
    european = pd.DataFrame({"id": [1, 2, 3], "Label": ["cat", "dog", "dog"], "prob_cat": [.75, .25, .75], "prob_dog": [.25, .75, .25]})
    european.to_csv(FOLDER / "european.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig", lineterminator="\r\n")
    yield "european.csv", f"{source}, in the form of a European spreadsheet", "", 2, 3, 2
    accents = pd.DataFrame({"label": ["café", "thé", "thé"], "p_café": [.9, .1, .8], "p_thé": [.1, .9, .2]})
    accents.to_csv(FOLDER / "windows.csv", index=False, encoding="windows-1252")
    yield "windows.csv", f"{source}, in the encoding of a Windows spreadsheet", "--encoding windows-1252", 2, 3, 2


def polars():
    import polars as pl
    frame = pl.DataFrame({"y_true": [0, None, 1, 1], "prob_0": [.9, .1, .1, .8], "prob_1": [.1, .9, .9, .2]})
    frame.write_csv(FOLDER / "polars.csv")
    yield "polars.csv", f"Polars {version('polars')}: write_csv with null labels", "", 2, 3, 2


def pytorch():
    import torch
    x, _, y, test = iris()
    torch.manual_seed(0)
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
    model = torch.nn.Linear(2, 3)
    optimizer = torch.optim.SGD(model.parameters(), .1)
    for _ in range(200):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    scores, y = model(x[test]).detach(), y[test]
    with open(FOLDER / "pytorch.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["path", "target", *(f"logit_{j}" for j in range(3))])
        rows.writerows([f"test/{label}/{i}.png", int(label), *row.tolist()] for i, (label, row) in enumerate(zip(y, scores)))
    yield "pytorch.csv", f"PyTorch {version('torch')}: paths and targets of ImageFolder, logits", "", 3, 6, right(scores, y)


DOCUMENTED = {
    "keras.csv": ("https://keras.io/api/models/model_training_apis/ (predict), DataFrame(model.predict(x)).assign(y_true=y)", "", 3, 3, 2,
                  "0,1,2,y_true\n0.8,0.1,0.1,0\n0.1,0.8,0.1,2\n0.1,0.2,0.7,2\n"),
    "h2o.csv": ("https://docs.h2o.ai/h2o/latest-stable/h2o-docs/performance-and-prediction.html, predict() beside the response",
                "--label-column bad_loan", 2, 3, 2, "predict,p0,p1,bad_loan\n0,0.9,0.1,0\n1,0.1,0.9,1\n0,0.8,0.2,1\n"),
    "yardstick.csv": ("https://yardstick.tidymodels.org/reference/two_class_example.html", "", 2, 4, 4,
                      '"truth","Class1","Class2","predicted"\n"Class2",0.00358924,0.99641076,"Class2"\n'
                      '"Class1",0.6786211,0.3213789,"Class1"\n"Class2",0.1108935,0.8891065,"Class2"\n"Class1",0.7351617,0.2648383,"Class1"\n'),
    "yardstick_folds.csv": ("https://yardstick.tidymodels.org/reference/hpc_cv.html (caret's savePredictions)", "", 4, 3, 2,
                            "obs,pred,VF,F,M,L,Resample\nVF,VF,0.9136340,0.07786694,0.00847915,0.0000199,Fold01\n"
                            "F,VF,0.5,0.3,0.1,0.1,Fold01\nL,L,0.1,0.1,0.1,0.7,Fold02\n"),
    "tidymodels.csv": ("https://parsnip.tidymodels.org/reference/augment.html", "", 2, 3, 2,
                       ".pred_class,.pred_no,.pred_yes,truth\nno,0.9,0.1,no\nyes,0.1,0.9,yes\nno,0.8,0.2,yes\n"),
    "ranger.csv": ("https://imbs-hl.github.io/ranger/reference/predict.ranger.html, $predictions beside the response",
                   "--label-column Species", 2, 3, 2, '"setosa","virginica","Species"\n0.9,0.1,"setosa"\n0.1,0.9,"virginica"\n0.8,0.2,"virginica"\n'),
    "r_missing.csv": ("https://stat.ethz.ch/R-manual/R-devel/library/utils/html/write.table.html, NA", "", 2, 3, 2,
                      '"truth","p_no","p_yes"\n"no",0.9,0.1\nNA,0.1,0.9\n"yes",0.1,0.9\n"yes",0.8,0.2\n'),
    "pipeline.csv": ("https://huggingface.co/docs/transformers/main_classes/pipelines, text-classification", "--binary prob", 2, 3, 2,
                     "label,score\nNEGATIVE,0.98\nPOSITIVE,0.97\nPOSITIVE,0.61\n"),
    "pipeline_all.csv": ("https://huggingface.co/docs/transformers/main_classes/pipelines, top_k=None, a column a class", "", 2, 3, 2,
                         "text,target,score_NEGATIVE,score_POSITIVE\nbad,NEGATIVE,0.98,0.02\ngood,POSITIVE,0.03,0.97\nso-so,POSITIVE,0.6,0.4\n"),
    "weka.csv": ("https://weka.sourceforge.io/doc.stable-3-8/weka/classifiers/evaluation/output/prediction/CSV.html, -distribution", "", 3, 3, 2,
                 "inst#,actual,predicted,error,distribution,,\n1,1:setosa,1:setosa,,*0.9,0.1,0\n2,3:virginica,2:versicolor,+,0,*0.6,0.4\n"
                 "3,3:virginica,3:virginica,,0,0.2,*0.8\n4,1:?,2:versicolor,,0.1,*0.7,0.2\n"),
    "customers.csv": ("a list of customers, of no program", "--label-column defaulted", 2, 3, 2, "customer_id,score,defaulted\n17,0.1,0\n18,0.9,1\n19,0.2,1\n"),
}


def main():
    FOLDER.mkdir(exist_ok=True)
    rows = {}
    if INDEX.exists():
        with open(INDEX, newline="") as file:
            rows = {row[0]: row for row in csv.reader(file)}
    rows.pop("file", None)
    for name in sys.argv[1:] or ["scikit_learn", "xgboost", "lightgbm", "pandas", "polars"]:
        rows.update((row[0], row) for row in globals()[name]())
    for name, (source, *facts, text) in DOCUMENTED.items():
        (FOLDER / name).write_text(text)
        rows[name] = [name, source, *facts]
    with open(INDEX, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "source", "option", "classes", "labeled", "right"])
        table.writerows(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
