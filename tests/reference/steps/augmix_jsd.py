"""Writes augmix_jsd.json: cross-entropy of the images and 12 times the divergence of three predictions, by torch's kl_div."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

names = ("augmix", "augmix first", "augmix second")
levels = [images(name, 7, 1, 4, 4) for name in names]
y = torch.tensor([0, 1, 2, 0, 1, 2, 2])
w = tiny(normalized=True)
logits, _ = tiny_forward(w, pixels(torch.cat(levels)))  # batch statistics of all three
p = [F.softmax(part, 1) for part in logits.split(7)]
m = torch.clamp((p[0] + p[1] + p[2]) / 3, 1e-7, 1).log()
divergence = sum(F.kl_div(m, one, reduction="batchmean") for one in p) / 3
write("augmix_jsd", F.cross_entropy(logits[:7], y) + 12 * divergence, {}, list(w.values()), architecture="tiny-normalized",
      labelled=batch(levels[0], y=y, views=levels[1:]), parts={"consistency": divergence.item()})
