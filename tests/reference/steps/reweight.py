"""Writes reweight.json and reweight_by_class.json: the weight of each row from counts of the whole set, of which the batch is the beginning."""
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
