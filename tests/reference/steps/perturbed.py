"""Writes erm.json; gradient_norm.json, the penalty by its own definition: the mean of |J' v|^2, J the Jacobian of the logits by the
image and v a random sign for every class; augmix_jsd.json: cross-entropy of the images and 12 times the divergence of three
predictions, by torch's kl_div; pgd.json: cross-entropy at the last of three steps along the signs of the gradient, from a uniform
start in the cube of side 2 eps."""
import torch
import torch.nn.functional as F

from common import Random, batch, images, pixels, tiny, tiny_forward, write

n, weight, epoch = 7, .3, 3
levels, y = images("plain", n, 1, 4, 4), torch.tensor([0, 1, 2, 0, 1, 2, 2])
w = tiny(normalized=True)
write("erm", F.cross_entropy(tiny_forward(w, pixels(levels))[0], y), {}, list(w.values()), architecture="tiny-normalized",
      labelled=batch(levels, y=y))

w, x = tiny(), pixels(levels)
random = [Random(0, "gradient norm signs", epoch << 40 | row) for row in range(n)]
signs = torch.tensor([[1. if one.bits() & 1 else -1. for _ in range(3)] for one in random], dtype=torch.float64)
jacobian = torch.stack([torch.autograd.functional.jacobian(lambda image: tiny_forward(w, image[None])[0][0], image, create_graph=True) for image in x])
penalty = (torch.einsum("nk,nkchw->nchw", signs, jacobian) ** 2).sum() / n
write("gradient_norm", F.cross_entropy(tiny_forward(w, x)[0], y) + weight * penalty, {"lambda": weight}, list(w.values()), epoch=epoch,
      labelled=batch(levels, y=y))

names = ("augmix", "augmix first", "augmix second")
levels = [images(name, 7, 1, 4, 4) for name in names]
w = tiny(normalized=True)
logits, _ = tiny_forward(w, pixels(torch.cat(levels)))  # batch statistics of all three
p = [F.softmax(part, 1) for part in logits.split(7)]
m = torch.clamp((p[0] + p[1] + p[2]) / 3, 1e-7, 1).log()
divergence = sum(F.kl_div(m, one, reduction="batchmean") for one in p) / 3
write("augmix_jsd", F.cross_entropy(logits[:7], y) + 12 * divergence, {}, list(w.values()), architecture="tiny-normalized",
      labelled=batch(levels[0], y=y, views=levels[1:]), parts={"consistency": divergence.item()})

n, eps, steps, epoch = 7, .1, 3, 2
levels = images("attacked", n, 1, 4, 4)
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
