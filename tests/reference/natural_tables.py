"""Tables as other programs write them: natural/*, and natural/tables.csv, which names the source of each.

    python3 -m venv v && v/bin/pip install scikit-learn xgboost lightgbm pandas polars pyarrow keras jax h2o python-weka-wrapper3
    v/bin/python natural_tables.py && python3 natural_tables.py pytorch      (a Python that has torch)

h2o and Weka (whose jar is in python-weka-wrapper3) need java, the tables of R need Rscript with ranger, those of a spreadsheet
soffice; `natural_tables.py keras h2o` writes the named ones, `natural_tables.py documented` only those of the documentation.

tables.csv: file; source, the program with its version or the page with the names and formats; option, with which the table is
read and which the refusal or the warning names (empty: none is needed; without --: an option of the other program, whose
table is then another one); classes; rows with a label; rows whose largest score is the label's.
"""
import csv
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

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


def tumors():
    from sklearn.datasets import load_breast_cancer
    x, y = load_breast_cancer(return_X_y=True)
    return x[:, :2], y, slice(None, None, 80)


def right(scores, labels):
    return int(sum(row.argmax() == label for row, label in zip(scores, labels)))


def scikit_learn():
    import pandas
    from sklearn.linear_model import LogisticRegression
    x, y, numbers, test = iris()
    model = LogisticRegression().fit(x, y)
    scores = model.predict_proba(x[test])
    pandas.DataFrame(scores, columns=model.classes_).assign(target=y[test]).to_csv(FOLDER / "sklearn_frame.csv")
    source = f"scikit-learn {version('sklearn')}"
    yield "sklearn_frame.csv", f"{source}: DataFrame(predict_proba(x), columns=classes_).assign(target=y)", "", 3, 6, right(scores, numbers[test])
    x, y, test = tumors()
    model, x, y = LogisticRegression().fit(x, y), x[test], y[test]
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
    x, y, test = tumors()
    options = {"objective": "binary", "verbose": -1, "num_threads": 1, "num_leaves": 4}
    score = lgb.train(options, lgb.Dataset(x, y), 2).predict(x[test])
    y = y[test]
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


def keras():
    os.environ["KERAS_BACKEND"] = "jax"
    import keras as k
    import pandas
    k.utils.set_random_seed(0)
    x, _, y, test = iris()
    for name, x, y, test, units, option in (("keras", x, y, test, 3, ""), ("keras_binary", *tumors(), 1, "--class-columns 0")):
        model = k.Sequential([k.layers.Input((2,)), k.layers.Dense(units, activation="softmax" if units > 1 else "sigmoid")])
        model.compile(k.optimizers.Adam(.05), "sparse_categorical_crossentropy" if units > 1 else "binary_crossentropy")
        model.fit(x, y, epochs=30, verbose=0)
        scores, y = model.predict(x[test], verbose=0), y[test]
        pandas.DataFrame(scores).assign(y_true=y).to_csv(FOLDER / f"{name}.csv", index=False)
        correct = right(scores, y) if units > 1 else int(((scores[:, 0] > .5) == y).sum())
        yield f"{name}.csv", f"Keras {k.__version__} (JAX): DataFrame(model.predict(x)).assign(y_true=y)", option, max(units, 2), len(y), correct


def h2o():
    import h2o as h
    import numpy
    import pandas
    from h2o.estimators import H2OGradientBoostingEstimator
    x, names, _, test = iris()
    h.init(nthreads=1, max_mem_size="1G")
    for name, x, y, test, label in (("h2o", *tumors(), "bad_loan"), ("h2o_names", x, names, test, "species")):
        frame = h.H2OFrame(pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], label: y}))
        frame[label] = frame[label].asfactor()
        model = H2OGradientBoostingEstimator(ntrees=3, seed=1)
        model.train(["a", "b"], label, frame)
        frame = frame[list(range(*test.indices(len(y)))), :]
        if name == "h2o_names":
            frame[2, label] = float("nan")
        h.export_file(model.predict(frame).cbind(frame[label]), str(FOLDER / f"{name}.csv"), force=True)
        table = pandas.read_csv(FOLDER / f"{name}.csv")
        classes = numpy.unique(y)
        largest = classes[table.iloc[:, 1:-1].to_numpy().argmax(1)]
        yield (f"{name}.csv", f"h2o {h.__version__}: export_file(model.predict(x).cbind(y))", f"--label-column {label}",
               len(classes), table[label].count(), int((largest == table[label]).sum()))
    h.cluster().shutdown()


def weka():
    import weka
    jars = pathlib.Path(weka.__file__).parent / "lib" / "*"
    x, names, _, _ = iris()
    rows = [f"{a},{b},{name}\n" for (a, b), name in zip(x, names)]
    head = "@relation iris\n@attribute length numeric\n@attribute width numeric\n@attribute class {setosa,versicolor,virginica}\n@data\n"
    with tempfile.TemporaryDirectory() as folder:
        train, test = pathlib.Path(folder, "train.arff"), pathlib.Path(folder, "test.arff")
        train.write_text(head + "".join(rows))
        test.write_text(head + "".join(rows[::25]).replace("versicolor", "?", 1))
        java = ["java", "-cp", str(jars), "weka.core.Version"]
        program = "Weka " + subprocess.run(java, check=True, capture_output=True, text=True).stdout.split()[0]
        for name, distribution in (("weka", " -distribution"), ("weka_plain", "")):
            java[3:] = ["weka.classifiers.bayes.NaiveBayes", "-t", str(train), "-T", str(test), "-classifications",
                        f"weka.classifiers.evaluation.output.prediction.CSV{distribution} -file {FOLDER / name}.csv"]
            subprocess.run(java, check=True, capture_output=True)
            table = [row for row in csv.DictReader((FOLDER / f"{name}.csv").open()) if not row["actual"].endswith("?")]
            yield (f"{name}.csv", f"{program}: evaluation.output.prediction.CSV{distribution}", "" if distribution else "-distribution",
                   3, len(table), sum(row["actual"] == row["predicted"] for row in table))


def r():
    options = {"ranger.csv": "--label-column Species", "ranger_frame.csv": "--label-column Species",
               "ranger_names.csv": "--class-names Iris-setosa,Iris-versicolor,Iris-virginica"}
    program = ["Rscript", str(FOLDER.with_name("natural_tables.R")), str(FOLDER)]
    *lines, (major, minor, ranger) = map(str.split, subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines())
    for name, *facts in lines:
        writer = f"ranger {ranger}, predict()$predictions and the response, write.csv" if "ranger" in name else "write.csv, NA"
        yield name, f"R {major}.{minor}: {writer}", options.get(name, ""), *facts


def spreadsheet():
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "table.csv")
        table.write_text("id,Label,prob_café,prob_thé\n1,café,0.75,0.25\n2,thé,0.25,0.75\n3,,0.9,0.1\n4,thé,0.96,0.04\n")
        office = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
        program = subprocess.run([*office, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
        office += ["--infilter=Text - txt - csv (StarCalc):44,34,76,1,,1033", "--outdir", folder + "/out", str(table)]
        for name, encoding, code, option in (("european", "UTF-8", "76", ""), ("windows", "Windows-1252", "ANSI", "--encoding windows-1252")):
            for _ in range(2):  # the first start of a new profile converts nothing
                subprocess.run([*office[:4], "--convert-to", f"csv:Text - txt - csv (StarCalc):59,34,{code},1,,0,false,true", *office[4:7]],
                               capture_output=True, env={**os.environ, "LC_ALL": "de_DE.UTF-8"})
            pathlib.Path(folder, "out", "table.csv").replace(FOLDER / f"{name}.csv")
            yield f"{name}.csv", f"LibreOffice {program}, German locale: CSV with semicolons, {encoding}", option, 2, 3, 2


PIPELINE = "https://huggingface.co/docs/transformers/main_classes/pipelines, TextClassificationPipeline"
R_DATA = "https://github.com/vincentarelbundock/Rdatasets/blob/master/csv/modeldata"


def documented():
    """These files are typed: rows of the page, or its names and formats."""
    yield "yardstick.csv", f"{R_DATA}/two_class_example.csv, first rows: two_class_example of yardstick and modeldata", "", 2, 12, 10
    yield "yardstick_folds.csv", f"{R_DATA}/hpc_cv.csv, some rows: hpc_cv of yardstick and modeldata", "", 4, 7, 4
    yield "tidymodels.csv", "https://parsnip.tidymodels.org/reference/augment.html, augment(cls_form, cls_tst) as printed", "", 2, 10, 5
    yield "pipeline.csv", f"{PIPELINE}: label, score; true labels in target", "top_k=None", 2, 3, 2
    yield "pipeline_all.csv", f"{PIPELINE}, top_k=None: a column for each label", "", 2, 3, 2
    yield "pipeline_numbers.csv", f"{PIPELINE}, top_k=None, a model without label names; row 0 has its likeliest label first", "", 2, 3, 2
    yield "customers.csv", "a list of customers, of no program", "--label-column defaulted", 2, 3, 2


def main():
    with open(INDEX, newline="") as file:
        rows = {row[0]: row for row in csv.reader(file) if row[0] != "file"}
    programs = ["scikit_learn", "xgboost", "lightgbm", "pandas", "polars", "keras", "h2o", "weka", "r", "spreadsheet", "documented"]
    for name in sys.argv[1:] or programs:
        rows.update((row[0], row) for row in globals()[name]())
    with open(INDEX, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "source", "option", "classes", "labeled", "right"])
        table.writerows(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
