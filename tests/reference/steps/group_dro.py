"""Writes group_dro.json: group DRO with weights as probabilities, a group that the batch lacks, and the adjustment."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

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
