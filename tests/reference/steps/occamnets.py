"""Writes occamnets.json: three exits with gates and suppressed maps, two epochs in, with remembered answers for the first exit."""
import torch
import torch.nn.functional as F

from common import batch, filled, images, pixels
from stages import normalized, resnet20, stage, write

levels = images("occamnets 2", 8, 1, 8, 8)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2, 1])
p = "network.backbone."
w = resnet20(p, 3)
trained = [name for name in w if "linear" not in name]
for j, c in enumerate((16, 32, 64)):
    e = f"network.exits.{j}."
    shapes = {"conv1.weight": (c // 4, c, 3, 3), "conv1.bias": (c // 4,), "bn.weight": (c // 4,), "bn.bias": (c // 4,),
              "conv2.weight": (c, c // 4, 3, 3), "conv2.bias": (c,), "cam.weight": (3, c, 1, 1), "cam.bias": (3,),
              "gate.0.weight": (16, c), "gate.0.bias": (16,), "gate.1.weight": (16,), "gate.1.bias": (16,),
              "gate.3.weight": (1, 16), "gate.3.bias": (1,)}
    w |= {e + name: filled(e + name, *shape) for name, shape in shapes.items()}
    trained += [e + name for name in shapes]

maps = stage(w, p, 0, pixels(levels))
loss, parts, before = 0, {"main_loss": 0, "gate_loss": 0, "cam_loss": 0}, None
for j in range(3):
    maps, e = stage(w, p, j + 1, maps), f"network.exits.{j}."
    x = maps.detach() if j == 0 else maps
    f = F.conv2d(F.relu(normalized(w, e + "bn", F.conv2d(x, w[e + "conv1.weight"], w[e + "conv1.bias"], padding=1))), w[e + "conv2.weight"],
                 w[e + "conv2.bias"], padding=1).relu()
    cam = F.conv2d(f, w[e + "cam.weight"], w[e + "cam.bias"])
    z = cam.mean((2, 3))
    units = f.detach().mean((2, 3)) @ w[e + "gate.0.weight"].T + w[e + "gate.0.bias"]
    gate = torch.sigmoid(F.relu(normalized(w, e + "gate.1", units)) @ w[e + "gate.3.weight"].T + w[e + "gate.3.bias"]).squeeze(1)
    own = F.softmax(z, 1)[torch.arange(8), y]
    u = (own ** 2 if j == 0 else (1 - before) ** 1.5).detach()
    main = ((u / (u.max() + 1e-5) + .2) * F.cross_entropy(z, y, reduction="none")).mean()
    right = (z.argmax(1) == y).double()
    accuracy = sum(right[y == c].mean() for c in range(3)) / 3
    threshold = .1 + .3 * j
    memory = torch.tensor([1., 0, 0, 1, 1, 1, 0, 0]).double()
    t = right if accuracy <= threshold else memory
    print("exit", j, "accuracy", accuracy.item(), "threshold", threshold)
    sides = torch.where(t > 0, t.sum(), (1 - t).sum()) / max(t.sum(), (1 - t).sum())
    gates = ((sides + 1e-5) ** -.25 * F.binary_cross_entropy(gate, t, reduction="none")).mean()
    seen = cam[torch.arange(8), y].detach()
    low = (seen <= seen.mean((1, 2), keepdim=True)).double()
    uniform = torch.full_like(cam, 1 / 3)
    suppressed = (F.kl_div(F.log_softmax(cam, 1), uniform, reduction="none").sum(1) * low).mean()
    for name, value in zip(parts, (main, gates, suppressed)):
        parts[name] += value.item()
    loss, before = loss + main + 2 * gates + .5 * suppressed, gate
found = torch.autograd.grad(loss, [w[name] for name in trained])
write("occamnets", "occamnet:resnet20-cifar", loss,
      {"gamma0": 2, "gamma": 1.5, "weight-offset": .2, "gate-weight": 2, "cam-weight": .5, "gate-balance": .25, "gate-accuracy": .1,
       "gate-accuracy-step": .3}, dict(zip(trained, found)),
      ("exits.0.gate.0.weight", "exits.0.gate.1", "exits.0.gate.3", "exits.1.cam", "exits.1.conv2.weight", "exits.2.bn", "exits.2.gate.3",
       "backbone.bn1", "layer3.2.conv2"),
      epoch=2, labelled=batch(levels, y=y), parts=parts)
