"""Outputs of a model of texts, one that counts words. Usage: score_reviews.py TEXTS.csv OUTPUTS.csv

It stands for any model of your own: a CSV file with the columns text and label goes in, logits and labels come out, row by row.
"""
import csv
import re
import sys

SCORES = {word: score for score, words in {
    2: "amazing beautiful best brilliant delightful excellent fantastic great loved perfect superb wonderful",
    1: "brave charming clever enjoyable enjoyed fascinating fresh fun funny good happy honest lovely memorable moving smart strong warm",
    -1: "annoying bad bored boring cheap dull empty forgettable lazy poor predictable silly stale tedious ugly wasted weak",
    -2: "awful disappointing dreadful hated horrible ridiculous stupid terrible worst"}.items() for word in words.split()}

with open(sys.argv[1], newline="", encoding="utf-8") as texts, open(sys.argv[2], "w", newline="", encoding="utf-8") as outputs:
    writer = csv.writer(outputs)
    writer.writerow(["logit_0", "logit_1", "label"])
    for row in csv.DictReader(texts):
        score = sum(SCORES.get(word, 0) for word in re.findall(r"[a-z]+", row["text"].lower()))
        writer.writerow([-score / 2, score / 2, row["label"]])
