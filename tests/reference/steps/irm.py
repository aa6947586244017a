"""Writes irm.json and irm_square.json: IRMv1 after annealing, the penalty by autograd through the scale of the logits: even rows times odd
rows, and the square."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

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
