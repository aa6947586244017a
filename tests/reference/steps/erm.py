"""Writes erm.json and gradient_norm.json, the penalty of the latter by its own definition: the mean of |J' v|^2, J the Jacobian of the logits by
the image and v a random sign for every class."""
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
