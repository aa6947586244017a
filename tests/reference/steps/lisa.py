"""Writes lisa.json and lisa_cutmix.json: partners of one label in two environments by weighted sums, of two labels in one environment by a
box; and lisa_class_numbers.json: any two rows by a box, and the numbers of their classes. All rows to train on are those of the batch."""
import math

import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write
from random_numbers import Random

y = [0, 1, 2, 0, 1, 2, 0, 1, 0, 0]
environment = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]


def partner(random, row, same_label):
    pools = sorted({(y[j], environment[j]) for j in range(10)
                    if (y[j] == y[row]) == same_label and (environment[j] != environment[row]) == same_label})
    if not pools:
        return None
    pool = pools[random.below(len(pools))]
    members = [j for j in range(10) if (y[j], environment[j]) == pool]
    return members[random.below(len(members))]


def drawn_box(random, even=False):
    box = torch.ones(4, 4, dtype=torch.float64)
    side = math.floor(4 * math.sqrt(1 - random.beta(2)))
    left, top = (random.below(4) for _ in range(2))
    after = side // 2 if even else side - side // 2
    box[max(0, top - side // 2):top + after, max(0, left - side // 2):left + after] = 0
    assert 0 < box.mean() < 1
    return box


def paired(random):
    """Rows in pairs of one environment: each row of its rarest label that is left with one of the others, until one label is left."""
    rows = []
    for of in (0, 1):
        left = [i for i in range(10) if environment[i] == of]
        while len({y[i] for i in left}) > 1:
            rarest = min(sorted({y[i] for i in left}), key=lambda label: sum(y[i] == label for i in left))
            one, rest = [i for i in left if y[i] == rarest], sorted((i for i in left if y[i] != rarest), key=lambda i: y[i])
            other = [rest[k] for k in random.shuffled(len(rest))][:len(one)]
            rows += one[:len(other)] + other
            left = [i for i in left if i not in one[:len(other)] + other]
    return sorted(rows)


def class_numbers(name, step):
    levels, w, random = images("lisa", 10, 1, 4, 4), tiny(), Random(0, "lisa", step)
    x = pixels(levels)
    random.uniform()
    rows = paired(random)
    others = [rows[k] for k in random.shuffled(len(rows))]
    box = drawn_box(random, even=True)
    share = box.mean().item()
    mixed = [math.trunc(share * y[i] + (1 - share) * y[j]) for i, j in zip(rows, others)]
    assert any(m not in (y[i], y[j]) for m, i, j in zip(mixed, rows, others))
    logits, _ = tiny_forward(w, torch.stack([box * x[i] + (1 - box) * x[j] for i, j in zip(rows, others)]))
    write(name, F.cross_entropy(logits, torch.tensor(mixed)), {"cutmix": 2}, list(w.values()), algorithm="lisa", step=step,
          labelled=batch(levels, y=y, environment=environment), parts={"mixed": len(rows) / 10, "same_label": 0.})


def lisa(name, step, cutmix, same_label, parameters):
    levels, w, random = images("lisa", 10, 1, 4, 4), tiny(), Random(0, "lisa", step)
    x, labels = pixels(levels), F.one_hot(torch.tensor(y), 3).double()
    assert (random.uniform() < .5) == same_label
    box = drawn_box(random) if cutmix else torch.ones(4, 4, dtype=torch.float64)
    pictures, targets, found = [], [], 0
    for i in range(10):
        j = partner(random, i, same_label)
        share = 1. if j is None or cutmix else random.beta(2)
        share = max(share, 1 - share)
        keep = torch.full((4, 4), share, dtype=torch.float64) if j is None or not cutmix else box
        found += j is not None
        j = i if j is None else j
        for one, other in ((i, j), (j, i)):
            pictures.append(keep * x[one] + (1 - keep) * x[other])
            targets.append(keep.mean() * labels[one] + (1 - keep.mean()) * labels[other])
    logits, _ = tiny_forward(w, torch.stack(pictures))
    loss = -(torch.stack(targets) * F.log_softmax(logits, 1)).sum(1).mean()
    write(name, loss, parameters, list(w.values()), algorithm="lisa", step=step, labelled=batch(levels, y=y, environment=environment),
          parts={"mixed": found / 10, "same_label": float(same_label)})


def step_with(same_label):
    return next(step for step in range(3, 99) if (Random(0, "lisa", step).uniform() < .5) == same_label)


lisa("lisa", step_with(True), False, True, {})
lisa("lisa_cutmix", step_with(False), True, False, {"cutmix": 1})
class_numbers("lisa_class_numbers", 5)
