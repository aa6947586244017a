"""Writes irm.json: IRMv1 with the penalty by autograd through the scale of the logits, even rows times odd rows, after annealing."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

levels = images("irm", 11, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1])
environment = torch.tensor([0] * 6 + [1] * 5)
w = tiny()
logits, _ = tiny_forward(w, pixels(levels))
risks, penalties = [], []
for e in (0, 1):
    f, t = logits[environment == e], y[environment == e]
    scale = torch.ones((), dtype=torch.float64, requires_grad=True)
    slopes = [torch.autograd.grad(F.cross_entropy(scale * f[i::2], t[i::2]), scale, create_graph=True)[0] for i in (0, 1)]
    risks.append(F.cross_entropy(f, t))
    penalties.append(slopes[0] * slopes[1])
risk, penalty = sum(risks) / 2, sum(penalties) / 2
write("irm", risk + 40 * penalty, {"lambda": 40, "anneal-steps": 3}, list(w.values()), step=5,
      labelled=batch(levels, y=y, environment=environment), parts={"risk": risk.item(), "penalty": penalty.item()})
