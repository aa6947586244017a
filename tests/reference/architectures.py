"""Writes architectures.json: outputs and gradients of every architecture, from other definitions.

Run with Debian's python3-torch, python3-torchvision and python3-pil: python3 architectures.py
torchvision's networks where it has them (resnet18, resnet50, resnet101, densenet121, vision transformers), and for the others
the definitions below, whose names of tensors are those of RobustBench (TRADES for wrn-28-10, OpenAI for CLIP), or count the layers of an
nn.Sequential. Weights and images come from a formula (cifar_resnet.py); outputs are those of evaluation mode in float64
arithmetic on float32 weights; `names` is a hash of all tensors' names and sizes.
"""
import io
import json
import pathlib
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn
from torchvision import models

from cifar_resnet import Resnet, noise, weights


def conv(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


def stages(make, inputs, counts, sizes, factor=1):
    """One nn.Sequential a stage; the first block of each but the first stage halves the maps."""
    for stage, (count, size) in enumerate(zip(counts, sizes)):
        blocks = []
        for i in range(count):
            blocks.append(make(inputs, size, 2 if stage and not i else 1))
            inputs = factor * size
        yield nn.Sequential(*blocks)


class Block(nn.Module):
    def __init__(self, inputs, size, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, size, 3, stride), nn.BatchNorm2d(size)
        self.conv2, self.bn2 = conv(size, size, 3), nn.BatchNorm2d(size)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != size:
            self.shortcut = nn.Sequential(conv(inputs, size, 1, stride), nn.BatchNorm2d(size))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.shortcut(x))


class Bottleneck(nn.Module):
    def __init__(self, inputs, size, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, size, 1), nn.BatchNorm2d(size)
        self.conv2, self.bn2 = conv(size, size, 3, stride), nn.BatchNorm2d(size)
        self.conv3, self.bn3 = conv(size, 4 * size, 1), nn.BatchNorm2d(4 * size)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != 4 * size:
            self.shortcut = nn.Sequential(conv(inputs, 4 * size, 1, stride), nn.BatchNorm2d(4 * size))

    def forward(self, x):
        inner = F.relu(self.bn1(self.conv1(x)))
        inner = F.relu(self.bn2(self.conv2(inner)))
        return F.relu(self.bn3(self.conv3(inner)) + self.shortcut(x))


class SmallImageResnet(nn.Module):
    def __init__(self, block, factor, counts):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 64, 3), nn.BatchNorm2d(64)
        self.layer1, self.layer2, self.layer3, self.layer4 = stages(block, 64, counts, (64, 128, 256, 512), factor)
        self.linear = nn.Linear(512 * factor, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.linear(F.avg_pool2d(x, 4).flatten(1))


class PreActBlock(nn.Module):
    def __init__(self, inputs, size, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, size, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(size), conv(size, size, 3)
        if stride != 1 or inputs != size:
            self.shortcut = nn.Sequential(conv(inputs, size, 1, stride))

    def forward(self, x):
        beside = self.shortcut(x) if hasattr(self, "shortcut") else x
        return beside + self.conv2(F.relu(self.bn2(self.conv1(F.relu(self.bn1(x))))))


class PreActResnet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = conv(3, 64, 3)
        self.layer1, self.layer2, self.layer3, self.layer4 = stages(PreActBlock, 64, (2,) * 4, (64, 128, 256, 512))
        self.linear = nn.Linear(512, 10)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.conv1(x)))))
        return self.linear(F.avg_pool2d(x, 4).flatten(1))


class WideBlock(nn.Module):
    def __init__(self, inputs, size, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, size, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(size), conv(size, size, 3)
        self.convShortcut = None if inputs == size else conv(inputs, size, 1, stride)

    def forward(self, x):
        active = F.relu(self.bn1(x))
        inner = self.conv2(F.relu(self.bn2(self.conv1(active))))
        return inner + (x if self.convShortcut is None else self.convShortcut(active))


class WideResnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = conv(3, 16, 3)
        for i, layer in enumerate(stages(WideBlock, 16, (4, 4, 4), (160, 320, 640))):
            stage = nn.Module()
            stage.layer = layer
            setattr(self, f"block{i + 1}", stage)
        self.bn1, self.fc = nn.BatchNorm2d(640), nn.Linear(640, 10)

    def forward(self, x):
        x = self.block3.layer(self.block2.layer(self.block1.layer(self.conv1(x))))
        return self.fc(F.avg_pool2d(F.relu(self.bn1(x)), 8).flatten(1))


class SiluBlock(nn.Module):
    """A stride of 2 pads on the right and below; the shortcut convolves the activation."""

    def __init__(self, inputs, size, stride):
        super().__init__()
        self.batchnorm_0, self.conv_0 = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, size, 3, stride, 2 - stride, bias=False)
        self.batchnorm_1, self.conv_1 = nn.BatchNorm2d(size), conv(size, size, 3)
        self.shortcut = None if inputs == size else conv(inputs, size, 1, stride)

    def forward(self, x):
        active = F.silu(self.batchnorm_0(x))
        padded = F.pad(active, (0, 1, 0, 1)) if self.conv_0.stride == (2, 2) else active
        inner = self.conv_1(F.silu(self.batchnorm_1(self.conv_0(padded))))
        return inner + (x if self.shortcut is None else self.shortcut(active))


class SiluWideResnet(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.init_conv = conv(3, 16, 3)
        self.layer = nn.Sequential()
        for i, layer in enumerate(stages(SiluBlock, 16, ((depth - 4) // 6,) * 3, (16 * width, 32 * width, 64 * width))):
            self.layer.add_module(str(i), nn.Sequential(OrderedDict(block=layer)))
        self.batchnorm, self.logits = nn.BatchNorm2d(64 * width), nn.Linear(64 * width, 10)

    def forward(self, x):
        return self.logits(F.silu(self.batchnorm(self.layer(self.init_conv(x)))).mean((2, 3)))


class Jpeg(torch.autograd.Function):
    """Quality 50 by Pillow; the gradient passes straight through."""

    @staticmethod
    def forward(ctx, x):
        pictures = []
        for picture in (x * 255).round().to(torch.uint8).permute(0, 2, 3, 1).numpy():
            file = io.BytesIO()
            Image.fromarray(picture).save(file, format="JPEG", quality=50)
            pictures.append(np.asarray(Image.open(file)))
        return torch.tensor(np.stack(pictures)).permute(0, 3, 1, 2).to(x.dtype) / 255

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class DefendedCnn(nn.Sequential):
    def __init__(self):
        layers = []
        for inputs, size in ((3, 32), (32, 64), (64, 128)):
            layers += [nn.Conv2d(inputs, size, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2)]
        super().__init__(*layers, nn.Flatten(), nn.Linear(128 * 16, 10))

    def forward(self, x):
        y = torch.softmax(super().forward(Jpeg.apply(x)), 1)
        clipped = y.clamp(1e-9, 1 - 1e-9)
        disturbed = y - (torch.sigmoid(-.1 * torch.log((1 - clipped) / clipped)) - .5)
        disturbed = disturbed.clamp(0, 1)
        return torch.log(disturbed / disturbed.sum(1, keepdim=True))


class QuickGelu(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


class ClipBlock(nn.Module):
    def __init__(self, width, mask=None):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), nn.MultiheadAttention(width, width // 64), nn.LayerNorm(width)
        self.mlp = nn.Sequential(OrderedDict(c_fc=nn.Linear(width, 4 * width), gelu=QuickGelu(), c_proj=nn.Linear(4 * width, width)))
        self.mask = mask

    def forward(self, x):  # (tokens, n, width)
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=self.mask)[0]
        return x + self.mlp(self.ln_2(x))


class ClipImages(nn.Module):
    """A head on the image tower's output at length 1; names as in OpenAI's file, the tower under `visual`."""

    def __init__(self, side, patch=32, width=768, layers=12, outputs=512):
        super().__init__()
        self.visual = nn.Module()
        self.visual.conv1 = nn.Conv2d(3, width, patch, patch, bias=False)
        self.visual.class_embedding = nn.Parameter(torch.zeros(width))
        self.visual.positional_embedding = nn.Parameter(torch.zeros((side // patch) ** 2 + 1, width))
        self.visual.ln_pre, self.visual.ln_post = nn.LayerNorm(width), nn.LayerNorm(width)
        self.visual.transformer = nn.Module()
        self.visual.transformer.resblocks = nn.Sequential(*[ClipBlock(width) for _ in range(layers)])
        self.visual.proj = nn.Parameter(torch.zeros(width, outputs))
        self.head = nn.Linear(outputs, 10, bias=False)

    def forward(self, x):
        return self.head(self.vectors(x))

    def vectors(self, x):
        patches = self.visual.conv1(x).flatten(2).permute(2, 0, 1)
        first = self.visual.class_embedding.expand(1, len(x), -1)
        tokens = torch.cat([first, patches]) + self.visual.positional_embedding[:, None]
        seen = self.visual.ln_post(self.visual.transformer.resblocks(self.visual.ln_pre(tokens))[0]) @ self.visual.proj
        return F.normalize(seen, dim=1)


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(3 * 48 * 40, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                         nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))


def small_cnn_bn():
    return nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
                         nn.Flatten(), nn.Linear(32 * 12 * 10, 100), nn.ReLU(), nn.Linear(100, 10))


def vit(patch, side):
    return models.VisionTransformer(side, patch, 8, 8, 256, 512, num_classes=10)


ARCHITECTURES = {  # the network, height and width of the images
    "mlp": (mlp, (48, 40)),
    "small-cnn-bn": (small_cnn_bn, (48, 40)),
    "defended-cnn": (DefendedCnn, (32, 32)),
    "resnet18-cifar": (lambda: SmallImageResnet(Block, 1, (2, 2, 2, 2)), (32, 32)),
    "resnet50-cifar": (lambda: SmallImageResnet(Bottleneck, 4, (3, 4, 6, 3)), (32, 32)),
    "resnet101-cifar": (lambda: SmallImageResnet(Bottleneck, 4, (3, 4, 23, 3)), (32, 32)),
    "preact-resnet18": (PreActResnet18, (32, 32)),
    "wrn-28-10": (WideResnet, (32, 32)),
    "dm-wrn-28-10": (lambda: SiluWideResnet(28, 10), (16, 16)),
    "dm-wrn-70-16": (lambda: SiluWideResnet(70, 16), (8, 8)),
    "resnet18": (lambda: models.resnet18(num_classes=10), (48, 40)),
    "resnet50": (lambda: models.resnet50(num_classes=10), (48, 40)),
    "resnet101": (lambda: models.resnet101(num_classes=10), (48, 40)),
    "densenet121": (lambda: models.densenet121(num_classes=10), (48, 40)),
    "vit": (lambda: vit(4, 32), (32, 32)),
    "vit-patch12": (lambda: vit(12, 36), (36, 36)),
    "vit-patch16": (lambda: vit(16, 32), (32, 32)),
    "vit-b-16": (lambda: models.VisionTransformer(32, 16, 12, 12, 768, 3072, num_classes=10), (32, 32)),
    "clip-vit-b-32": (lambda: ClipImages(64), (64, 64)),
    "clip-vit-b-16": (lambda: ClipImages(32, 16), (32, 32)),
    "clip-vit-l-14": (lambda: ClipImages(28, 14, 1024, 24, 768), (28, 28)),
    **{f"resnet{depth}-cifar": (lambda depth=depth: Resnet(depth), (32, 32)) for depth in (20, 32, 44, 56, 110)},
}


def hash_of(state):
    value = 2166136261
    for line in sorted(f"{name} {','.join(map(str, tensor.shape))}\n" for name, tensor in state.items()):
        for byte in line.encode():
            value = (value ^ byte) * 16777619 % 2 ** 32
    return value


def main():
    found = {}
    for name, (make, sides) in ARCHITECTURES.items():
        model = make().eval()
        state = {key: value for key, value in model.state_dict().items() if not key.endswith("num_batches_tracked")}
        model.load_state_dict({key: weights(key, value) for key, value in state.items()}, strict=False)
        shape = (2, 3, *sides)
        x = torch.tensor(((noise("images", int(np.prod(shape))) + 1) / 2).astype(np.float32)).reshape(shape)
        x = x.double().requires_grad_()
        logits = model.double()(x)
        (logits * torch.tensor(noise("logits", 20).reshape(2, 10))).sum().backward()
        gradient = x.grad.flatten().numpy()
        found[name] = {"shape": shape, "parameters": sum(p.numel() for p in model.parameters()),
                       "tensors": len(state), "names": hash_of(state), "logits": logits.tolist(),
                       "gradient": {"norm": float(np.linalg.norm(gradient)),
                                    "along": float(gradient @ noise("gradient", gradient.size)),
                                    "some": gradient[::gradient.size // 16][:16].tolist()}}
        print(name, found[name]["parameters"], np.abs(logits.detach().numpy()).max(), found[name]["gradient"]["norm"])
    path = pathlib.Path(__file__).parent / "architectures.json"
    path.write_text(json.dumps(found).replace('}, "', '},\n"') + "\n")


if __name__ == "__main__":
    main()
