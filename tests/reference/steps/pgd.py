"""Writes pgd.json: cross-entropy at the last of three steps along the signs of the gradient, from a uniform start in the cube of side 2 eps."""
import torch
import torch.nn.functional as F

from common import Random, batch, images, pixels, tiny, tiny_forward, write

n, eps, steps, epoch = 7, .1, 3, 2
levels, y = images("attacked", n, 1, 4, 4), torch.tensor([0, 1, 2, 0, 1, 2, 2])
w, x = tiny(), pixels(levels)


def kept(z):
    return torch.minimum(torch.maximum(z, x - eps), x + eps).clamp(0, 1)


random = [Random(0, "pgd training start", epoch << 40 | row) for row in range(n)]
words = torch.tensor([[one.bits() for _ in range(16)] for one in random], dtype=torch.float64)
start = torch.where(words >= 2 ** 31, words - 2 ** 32, words) / 2 ** 31  # two's complement, in [-1, 1)
z = kept(x + eps * start.view(x.shape))
for _ in range(steps):
    z = z.detach().requires_grad_()
    gradient, = torch.autograd.grad(F.cross_entropy(tiny_forward(w, z)[0], y, reduction="sum"), z)
    print("smallest gradient", gradient.abs().min().item())
    z = kept(z + 2.5 / steps * eps * gradient.sign())
write("pgd", F.cross_entropy(tiny_forward(w, z.detach())[0], y), {"eps": eps, "steps": steps}, list(w.values()), epoch=epoch, labelled=batch(levels, y=y))
