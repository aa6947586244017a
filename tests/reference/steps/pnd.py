"""Writes pnd.json: one step of the second stage, every row seen for the first time."""
import torch
import torch.nn.functional as F

from common import batch, filled, images, pixels
from stages import Random, normalized, resnet20, stage, write

STEP, K = 9, 4
levels = images("pnd", 8, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])
D, B = "network.backbone.", "network.biased."
w = resnet20(D, 3) | resnet20(B, 3)
trained = [name for name in w if "linear" not in name]
for i, c in enumerate((16, 32, 64)):
    for side in ("debiased", "biased"):
        t = f"network.experts.{i}.{side}_tower."
        shapes = {t + "0.weight": (128, c, 3, 3), t + "0.bias": (128,), t + "1.weight": (128,), t + "1.bias": (128,),
                  t + "3.weight": (512, 128, 3, 3), t + "3.bias": (512,)}
        w |= {name: filled(name, *shape) for name, shape in shapes.items()}
        trained += shapes
    for side in ("debiased", "biased"):
        t = f"network.experts.{i}.{side}."
        shapes = {t + "0.weight": (16, 1024), t + "0.bias": (16,), t + "1.weight": (16,), t + "1.bias": (16,), t + "3.weight": (3, 16),
                  t + "3.bias": (3,)}
        w |= {name: filled(name, *shape) for name, shape in shapes.items()}
        trained += shapes
gate = {"network.gate.weight": (3, 9), "network.gate.bias": (3,)}
w |= {name: filled(name, *shape) for name, shape in gate.items()}
trained += gate


def tower(t, x):
    x = F.relu(normalized(w, t + "1", F.conv2d(x, w[t + "0.weight"], w[t + "0.bias"], padding=1)))
    return F.relu(F.conv2d(x, w[t + "3.weight"], w[t + "3.bias"], padding=1)).mean((2, 3))


def classify(t, d, b):
    x = F.relu(normalized(w, t + "1", torch.cat([d, b], 1) @ w[t + "0.weight"].T + w[t + "0.bias"]))
    return x @ w[t + "3.weight"].T + w[t + "3.bias"]


d_maps, b_maps = stage(w, D, 0, pixels(levels)), stage(w, B, 0, pixels(levels))
parts, outputs, told = {"debias_loss": 0, "bias_loss": 0, "diversity_loss": 0, "counterfactual_loss": 0}, [], None
for i in range(3):
    e = f"network.experts.{i}."
    d_maps, b_maps = stage(w, D, i + 1, d_maps), stage(w, B, i + 1, b_maps)
    d, b = tower(e + "debiased_tower.", d_maps), tower(e + "biased_tower.", b_maps)
    clean, biased = classify(e + "debiased.", d, b.detach()), classify(e + "biased.", d.detach(), b)
    ce_d, ce_b = F.cross_entropy(clean, y, reduction="none"), F.cross_entropy(biased, y, reduction="none")
    most = [torch.stack([ce[y == c].max() for c in range(3)]).detach()[y] for ce in (ce_d, ce_b)]
    e_d, e_b = ce_d.detach() / most[0], ce_b.detach() / most[1]
    parts["debias_loss"] += (e_b / (e_b + e_d + 1e-8) * ce_d).mean()
    parts["bias_loss"] += ((1 - torch.exp(-ce_b) ** .7) / .7).mean()
    if i > 0:
        ours, theirs = F.softmax(biased, 1), F.softmax(told, 1)
        parts["diversity_loss"] += torch.exp(-(ours * torch.log(ours / theirs)).sum(1)).mean()
    told = biased.detach()
    random = Random("counterfactual rows", STEP << 8 | i)
    j = random.order(8)[:K]
    repeated, l = [row for row in j for _ in range(8 // K)], random.order(8)
    for r in range(8):
        if l[r] == repeated[r]:
            s = (r + 8 // K) % 8
            l[r], l[s] = l[s], l[r]
    like = classify(e + "debiased.", d[j], b[j[1:] + j[:1]].detach())
    unlike = classify(e + "biased.", d[l].detach(), b[repeated])
    for n in range(K):
        near = [-5 * ((clean[j[n]] - o) ** 2).mean() for o in (like[n], *unlike[n * (8 // K):(n + 1) * (8 // K)])]
        parts["counterfactual_loss"] += -F.log_softmax(torch.stack(near), 0)[0] / K
    outputs.append(clean)
shares = F.softmax(torch.cat(outputs, 1) @ w["network.gate.weight"].T + w["network.gate.bias"], 1)
parts["gate_loss"] = F.cross_entropy(sum(shares[:, i:i + 1] * o.detach() for i, o in enumerate(outputs)), y)
loss = 2 * parts["debias_loss"] + parts["bias_loss"] + parts["diversity_loss"] + parts["gate_loss"] + 4 * parts["counterfactual_loss"]
found = torch.autograd.grad(loss, [w[name] for name in trained])
write("pnd", "pnd:resnet20-cifar", loss, {"counterfactual": K, "temperature": 5}, dict(zip(trained, found)),
      ("backbone.conv1", "biased.conv1", "layer2.0.bn1", "experts.0.debiased.0.bias", "experts.0.debiased_tower.0.weight", "experts.1.biased.", "gate"), step=STEP,
      labelled=batch(levels, y=y), parts={name: value.item() for name, value in parts.items()})
