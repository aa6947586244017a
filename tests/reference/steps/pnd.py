"""Writes pnd.json: one step of the second stage with one expert, every row seen for the first time."""
import torch
import torch.nn.functional as F

from common import Random, batch, filled, images, pixels
from stages import normalized, write

STEP, N, K = 9, 16, 8
levels = images("pnd 1", N, 1, 8, 8)
y = torch.arange(N) * 7 % 5 % 3
w, trained = {}, []


def add(prefix, shapes, is_trained=True):
    for name, shape in shapes.items():
        w[prefix + name] = filled(prefix + name, *shape)
        if is_trained:
            trained.append(prefix + name)


for side in ("backbone.", "biased."):  # a small network of two convolutions; what comes after them is not read
    add("network." + side, {"0.weight": (16, 1, 4, 4), "0.bias": (16,), "2.weight": (32, 16, 4, 4), "2.bias": (32,), "5.weight": (100, 128),
                            "5.bias": (100,)})
E = "network.experts.0."
for side in ("debiased_tower.", "biased_tower."):
    add(E + side, {"0.weight": (128, 32, 3, 3), "0.bias": (128,), "1.weight": (128,), "1.bias": (128,), "3.weight": (512, 128, 3, 3),
                   "3.bias": (512,)})
for side in ("debiased.", "biased."):
    add(E + side, {"0.weight": (16, 1024), "0.bias": (16,), "1.weight": (16,), "1.bias": (16,), "3.weight": (3, 16), "3.bias": (3,)})
add("network.gate.", {"weight": (1, 3), "bias": (1,)})


def encode(x, p, t):
    x = F.relu(F.conv2d(x, w[p + "0.weight"], w[p + "0.bias"], stride=2, padding=1))
    x = F.relu(F.conv2d(x, w[p + "2.weight"], w[p + "2.bias"], stride=2, padding=1))
    x = F.relu(normalized(w, t + "1", F.conv2d(x, w[t + "0.weight"], w[t + "0.bias"], padding=1)))
    return F.relu(F.conv2d(x, w[t + "3.weight"], w[t + "3.bias"], padding=1)).mean((2, 3))


def classify(t, d, b):
    x = F.relu(normalized(w, t + "1", torch.cat([d, b], 1) @ w[t + "0.weight"].T + w[t + "0.bias"]))
    return x @ w[t + "3.weight"].T + w[t + "3.bias"]


x = pixels(levels)
d, b = encode(x, "network.backbone.", E + "debiased_tower."), encode(x, "network.biased.", E + "biased_tower.")
clean, biased = classify(E + "debiased.", d, b.detach()), classify(E + "biased.", d.detach(), b)
ce_d, ce_b = F.cross_entropy(clean, y, reduction="none"), F.cross_entropy(biased, y, reduction="none")
e_d, e_b = [ce.detach() / torch.stack([ce[y == c].max() for c in range(3)]).detach()[y] for ce in (ce_d, ce_b)]
parts = {"debias_loss": (e_b / (e_b + e_d + 1e-8) * ce_d).mean(), "bias_loss": ((1 - torch.exp(-ce_b) ** .7) / .7).mean(),
         "gate_loss": F.cross_entropy(clean.detach(), y), "counterfactual_loss": 0}
random = Random(0, "counterfactual rows", STEP << 8)
j = random.shuffled(N)[:K]
repeated, l = [row for row in j for _ in range(N // K)], random.shuffled(N)
for r in range(N):
    if l[r] == repeated[r]:
        s = (r + N // K) % N
        l[r], l[s] = l[s], l[r]
like = classify(E + "debiased.", d[j], b[j[1:] + j[:1]].detach())
unlike = classify(E + "biased.", d[l].detach(), b[repeated])
for i in range(K):
    near = [-.1 * ((clean[j[i]] - o) ** 2).mean() for o in (like[i], *unlike[i * (N // K):(i + 1) * (N // K)])]
    parts["counterfactual_loss"] += -F.log_softmax(torch.stack(near), 0)[0] / K
loss = 2 * parts["debias_loss"] + parts["bias_loss"] + parts["gate_loss"] + 30 * parts["counterfactual_loss"]
found = torch.autograd.grad(loss, [w[name] for name in trained], allow_unused=True)
found = [torch.zeros(()) if g is None else g for g in found]  # those that are not read are not compared
write("pnd", "pnd:small-cnn", loss, {"counterfactual": K, "beta": 30}, dict(zip(trained, found)),
      ("backbone.0.", "network.biased.0.", "backbone.2.bias", "network.biased.2.bias", "tower.1.", "experts.0.biased.1.", "experts.0.debiased.1.",
       "iased.3."), algorithm="pnd", step=STEP, labelled=batch(levels, y=y), parts={name: value.item() for name, value in parts.items()})
