"""Writes mixup.json and mixup_environments.json: mixup by a permutation of the batch, and between environments in a circle; lisa.json
and lisa_cutmix.json: partners of one label in two environments by weighted sums, of two labels in one environment by a box. All rows
to train on are those of the batch."""
import math

import torch
import torch.nn.functional as F

from common import Random, batch, images, pixels, tiny, tiny_forward, write

levels = images("mixup", 8, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])
environment = [0, 0, 0, 1, 1, 2, 2, 2]
step = 5


def mixed(w, x, partner, share):
    logits, _ = tiny_forward(w, share.view(-1, 1, 1, 1) * x + (1 - share).view(-1, 1, 1, 1) * x[partner])
    soft = share[:, None] * F.one_hot(y, 3) + (1 - share)[:, None] * F.one_hot(y[partner], 3)
    return -(soft * F.log_softmax(logits, 1)).sum(1).mean()


random, w = Random(0, "mixup", step), tiny()
partner = torch.tensor(random.shuffled(8))
share = random.beta(.4)
loss = mixed(w, pixels(levels), partner, torch.full((8,), max(share, 1 - share), dtype=torch.float64))
write("mixup", loss, {"alpha": .4}, list(w.values()), step=step, labelled=batch(levels, y=y))

random, w = Random(0, "mixup", step), tiny()
circle = random.shuffled(3)
rows = [[i for i, e in enumerate(environment) if e == which] for which in range(3)]
partner, share = torch.zeros(8, dtype=torch.int64), torch.zeros(8, dtype=torch.float64)
for own, following in zip(circle, circle[1:] + circle[:1]):
    weight = random.beta(.2)
    for place, row in enumerate(rows[own]):
        partner[row], share[row] = rows[following][place % len(rows[following])], weight
write("mixup_environments", mixed(w, pixels(levels), partner, share), {"alpha": .2, "across-environments": 1}, list(w.values()),
      algorithm="mixup", step=step, labelled=batch(levels, y=y, environment=environment))

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


def drawn_box(random):
    box = torch.ones(4, 4, dtype=torch.float64)
    side = math.floor(4 * math.sqrt(1 - random.beta(2)))
    left, top = (random.below(4) for _ in range(2))
    after = side - side // 2
    box[max(0, top - side // 2):top + after, max(0, left - side // 2):left + after] = 0
    assert 0 < box.mean() < 1
    return box


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
