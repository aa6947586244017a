"""Writes reweight.json and reweight_by_class.json: the weight of each row from counts of the whole set, of which the batch is the
beginning; group_dro.json: group DRO with weights as probabilities, a group that the batch lacks, and the adjustment; irm.json and
irm_square.json: IRMv1 after annealing, the penalty by autograd through the scale of the logits: even rows times odd rows, and the
square; bpa.json and bpa_reference.json: a step on rows 0 to 7 of a set of 12 in three clusters, and the weights that follow it."""
import math

import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

labels = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 0, 0, 0, 2])
colours = torch.tensor([0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0])
combined = labels * 2 + colours
present = torch.unique(combined)
group = torch.searchsorted(present, combined)
levels = images("reweight", 8, 1, 4, 4)
for name, cells in (("reweight", group), ("reweight_by_class", labels)):
    w = tiny()
    share = torch.bincount(cells) / len(cells)
    each = F.cross_entropy(tiny_forward(w, pixels(levels))[0], labels[:8], reduction="none")
    loss = sum(each[i] / (share[cells[i]].double() * len(share)) for i in range(8)) / 8
    write(name, loss, {"by-class": float(name != "reweight")}, list(w.values()), algorithm="reweight",
          labelled=batch(levels, y=labels[:8], group=group[:8]), set={"labels": labels.tolist(), "colours": colours.tolist()})

levels = images("group dro", 9, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0])
group = torch.tensor([0, 1, 1, 3, 0, 0, 3, 1, 0])
eta, adjustment = .7, torch.tensor([.2, .4, .1, .3], dtype=torch.float64)
q = torch.tensor([.1, .2, .3, .4], dtype=torch.float64)
w = tiny()
each = F.cross_entropy(tiny_forward(w, pixels(levels))[0], y, reduction="none")
means = {g: each[group == g].mean() for g in (0, 1, 3)}
new = q.clone()
for g, mean in means.items():
    new[g] *= torch.exp(eta * (mean.detach() + adjustment[g]))
new /= new.sum()
write("group_dro", sum(new[g] * mean for g, mean in means.items()), {"eta": eta}, list(w.values()),
      labelled=batch(levels, y=y, group=group), state={"log_q": q.log().tolist(), "adjustment": adjustment.tolist()},
      parts={"largest_weight": new.max().item(), "worst_group_loss": max(m.item() for m in means.values())})

levels = images("irm", 11, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1])
environment = torch.tensor([0] * 6 + [1] * 5)
for name, parameters in (("irm", {}), ("irm_square", {"square": 1})):
    w = tiny()
    logits, _ = tiny_forward(w, pixels(levels))
    risks, penalties = [], []
    for e in (0, 1):
        f, t = logits[environment == e], y[environment == e]
        scale = torch.ones((), dtype=torch.float64, requires_grad=True)

        def slope(rows):
            return torch.autograd.grad(F.cross_entropy(scale * f[rows], t[rows]), scale, create_graph=True)[0]

        risks.append(F.cross_entropy(f, t))
        penalties.append(slope(slice(None)) ** 2 if parameters else slope(slice(0, None, 2)) * slope(slice(1, None, 2)))
    risk, penalty = sum(risks) / 2, sum(penalties) / 2
    write(name, risk + 40 * penalty, {"lambda": 40, "anneal-steps": 3, **parameters}, list(w.values()), algorithm="irm", step=5,
          labelled=batch(levels, y=y, environment=environment), parts={"risk": risk.item(), "penalty": penalty.item()})

cluster = [0, 1, 2, 0, 0, 2, 1, 0, 0, -1, 2, 0]  # row 9 is not trained on
weights = [.5, 1.5, 2.5]
levels, y = images("bpa", 8, 1, 4, 4), torch.tensor([0, 1, 2, 0, 0, 2, 1, 0])
sizes = [sum(c == k for c in cluster) for k in range(3)]


def relative(table):
    seen = [[table[i] for i in range(12) if cluster[i] == k and table[i] >= 0] for k in range(3)]
    means = [sum(s) / len(s) if s else None for s in seen]
    known = [m for m in means if m is not None]
    means = [sum(known) / len(known) if m is None else m for m in means]
    return [11 / size * mean / sum(means) for size, mean in zip(sizes, means)]


for name, keep in (("bpa", .6), ("bpa_reference", 0)):
    before = [.4, -1, -1, .2, -1, -1, -1, .9, 1.1, -1, -1, .6] if name == "bpa" else [.4, 1, 2, .2, .7, .1, .3, .9, 1.1, -1, .8, .6]
    w = tiny()
    each = F.cross_entropy(tiny_forward(w, pixels(levels))[0], y, reduction="none")
    if name == "bpa":
        used = [weights[c] for c in cluster[:8]]
    else:
        raw = [weights[c] for c in cluster[:8]]
        raw = [8 * u / sum(raw) for u in raw]
        used = [u * math.exp(.05 * u) for u in raw]
    used = torch.tensor(used, dtype=torch.float64)
    used = used / used.mean()
    after = relative([*each.tolist(), *before[8:]])
    write(name, (used * each).mean(), {"refresh": 5, "momentum": .4, "reference-weights": float(name != "bpa")}, list(w.values()),
          algorithm="bpa", step=15, labelled=batch(levels, y=y), state={"cluster": cluster, "losses": before, "weights": weights},
          after=[keep * old + (1 - keep) * new for old, new in zip(weights, after)], parts={"largest_weight": used.max().item()})
