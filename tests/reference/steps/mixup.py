"""Writes mixup.json and mixup_environments.json: mixup by a permutation of the batch, and between environments in a circle."""
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
