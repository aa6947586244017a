"""Writes clip.json: logits of a small CLIP, from other definitions of both towers, the resizing and the tokens.

Run with Debian's python3-torch, python3-torchvision and python3-pil: python3 clip.py
python3 clip.py LEEWAY base|large compares the program LEEWAY with the same definitions at published sizes.
Weights and images come from a formula (cifar_resnet.py). The vocabulary has the 512 symbols of single bytes and merges of two bytes that
end a word.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn

from architectures import ClipBlock, ClipImages
from cifar_resnet import noise, weights

CLASSES, TEMPLATES = ["red_fox", "sea", "z"], ["a photo of a {}", "the {}, at night"]
MEAN, STD = (.48145466, .4578275, .40821073), (.26862954, .26130258, .27577711)
SIZES = {  # of the image tower: side, patch, width, layers, outputs; of the text tower: width, layers; merges
    "small": ((16, 8, 64, 2, 32), (128, 2), 0), "base": ((224, 32, 768, 12, 512), (512, 12), 48894),
    "large": ((224, 14, 1024, 24, 768), (768, 12), 48894)}


class Clip(ClipImages):
    def __init__(self, images, text, tokens):
        super().__init__(*images)
        del self.head
        width, layers = text
        mask = torch.full((77, 77), -torch.inf, dtype=torch.float64).triu(1)
        self.token_embedding, self.ln_final = nn.Embedding(tokens, width), nn.LayerNorm(width)
        self.positional_embedding = nn.Parameter(torch.zeros(77, width))
        self.transformer = nn.Module()
        self.transformer.resblocks = nn.Sequential(*[ClipBlock(width, mask) for _ in range(layers)])
        self.text_projection = nn.Parameter(torch.zeros(width, images[-1]))
        self.logit_scale = nn.Parameter(torch.zeros(()))

    def text_vectors(self, ids):  # padded by end tokens to 77
        x = (self.token_embedding(ids) + self.positional_embedding).transpose(0, 1)
        x = self.ln_final(self.transformer.resblocks(x))
        return F.normalize(x[ids.argmax(1), torch.arange(len(ids))] @ self.text_projection, dim=1)

    def forward(self, x, ids):  # ids (classes, templates, 77)
        classes = F.normalize(self.text_vectors(ids.flatten(0, 1)).unflatten(0, ids.shape[:2]).mean(1), dim=1)
        return self.logit_scale.exp() * self.vectors(x) @ classes.T


def alphabet():
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in kept] + [chr(256 + i) for i in range(256 - len(kept))]


def ids_of(text, merges):
    ids = [512 + merges]
    for word in text.replace(",", " ,").split():
        symbols = [ord(letter) - 33 for letter in word]
        symbols[-1] += 256
        if len(symbols) > 1 and symbols[-2] * 256 + symbols[-1] - 256 < merges:
            symbols[-2:] = [512 + symbols[-2] * 256 + symbols[-1] - 256]
        ids += symbols
    return ids + [513 + merges] * (77 - len(ids))


def write_vocabulary(folder, merges):
    letters = alphabet()
    pairs = [f"{letters[i // 256]} {letters[i % 256]}</w>" for i in range(merges)]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *pairs]) + "\n")
    symbols = [*letters, *(letter + "</w>" for letter in letters), *(pair.replace(" ", "") for pair in pairs), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({symbol: i for i, symbol in enumerate(symbols)}))


def prepared(images, side):
    """By Pillow, on unrounded numbers."""
    result = []
    for plane in images.reshape(-1, *images.shape[2:]):
        height, width = plane.shape
        rows, columns = side * height // min(height, width), side * width // min(height, width)
        large = np.asarray(Image.fromarray(plane).resize((columns, rows), Image.BICUBIC)).clip(0, 1)
        top, left = round((rows - side) / 2), round((columns - side) / 2)
        result.append(large[top:top + side, left:left + side])
    x = torch.tensor(np.stack(result)).reshape(*images.shape[:2], side, side).double()
    return (x - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(STD).view(3, 1, 1)


def made(size):
    """The model, images of another shape than it takes, and its logits."""
    images, text, merges = SIZES[size]
    model = Clip(images, text, 514 + merges).eval()
    state = {key: weights(key, value) for key, value in model.state_dict().items()}
    state["logit_scale"] = torch.tensor(np.float32(3))
    model.load_state_dict(state)
    shape = (2, 3, 20, 29) if size == "small" else (2, 3, 224, 224)  # small: resized
    x = ((noise("images", int(np.prod(shape))) + 1) / 2).astype(np.float32).reshape(shape)
    ids = torch.tensor([[ids_of(text.replace("{}", name.replace("_", " ")), merges) for text in TEMPLATES] for name in CLASSES])
    with torch.no_grad():
        return state, x, merges, model.double()(prepared(x, images[0]), ids)


def compare(program, size):
    state, x, merges, logits = made(size)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_vocabulary(folder, merges)
        np.savez(folder / "clip.npz", **{key: value.numpy() for key, value in state.items()})
        np.savez(folder / "images.npz", x=x)
        (folder / "templates.txt").write_text("\n".join(TEMPLATES))
        subprocess.run([program, "infer", "--model", folder / "clip.npz", "--classes", ",".join(CLASSES), "--template", folder / "templates.txt",
                        "--data", folder / "images.npz", "--out", folder / "out.npz"], check=True)
        found = np.load(folder / "out.npz")["logits"]
    print(size, "largest difference", np.abs(found - logits.numpy()).max(), "of", logits.abs().max().item())


if __name__ == "__main__":
    if sys.argv[1:]:
        compare(*sys.argv[1:])
    else:
        _, x, _, logits = made("small")
        path = pathlib.Path(__file__).parent / "clip.json"
        path.write_text(json.dumps({"shape": x.shape, "classes": CLASSES, "templates": TEMPLATES, "logits": logits.tolist()}) + "\n")
