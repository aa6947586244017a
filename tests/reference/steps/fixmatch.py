"""Writes fixmatch.json, fixmatch_training.json and fixmatch_together.json: of the last, the guesses are of the pass of all images; of the first,
of a pass in evaluation mode, by running means 0 and variances 1."""
import torch
import torch.nn.functional as F

from common import batch, images, pixels, tiny, tiny_forward, write

n, m, weight, confidence = 7, 14, 1.5, .45
source, weak, strong = images("source", n, 1, 4, 4), images("weak", m, 1, 4, 4), images("strong", m, 1, 4, 4)
y = torch.tensor([0, 1, 2, 0, 1, 2, 2])


def evaluated(w, x):
    z = (x.flatten(1) @ w["network.hidden.weight"].T + w["network.hidden.bias"]) / (1 + 1e-5) ** .5
    z = torch.tanh(z * w["network.norm.weight"] + w["network.norm.bias"])
    return z @ w["network.last.weight"].T + w["network.last.bias"]


for name, guesses in (("fixmatch", 0), ("fixmatch_training", 1), ("fixmatch_together", 2)):
    w = tiny(normalized=True)
    levels = [source, strong, *([weak] if guesses == 2 else [])]
    logits, _ = tiny_forward(w, pixels(torch.cat(levels)))
    told = evaluated(w, pixels(weak)) if guesses == 0 else tiny_forward(w, pixels(weak))[0] if guesses == 1 else logits[n + m:]
    sure, guess = F.softmax(told.detach(), 1).max(1)
    kept = (sure >= confidence).double()
    unlabelled = (kept * F.cross_entropy(logits[n:n + m], guess, reduction="none")).sum() / m
    print(f"{int(kept.sum())} of {m} kept, nearest", (sure - confidence).abs().min().item())
    write(name, F.cross_entropy(logits[:n], y) + weight * unlabelled,
          {"weight": weight, "confidence": confidence, "pseudo-label-pass": guesses, "ratio": 2}, list(w.values()), algorithm="fixmatch",
          architecture="tiny-normalized", labelled=batch(source, y=y), unlabelled=batch(weak, views=[weak, strong]),
          parts={"unlabelled_loss": unlabelled.item(), "kept": kept.mean().item()})
