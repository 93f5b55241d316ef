"""Modules of PyTorch that are written as models of ONNX: small for tests (torch_models.py), and of the sizes that are used for
benchmarks/onnx_models.py."""

import torch
from torch import nn
from torch._higher_order_ops.scan import scan


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 12), nn.SiLU(), nn.Linear(12, 4))


class Cnn(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 12, 3, 2, bias=False), nn.BatchNorm2d(12), nn.LeakyReLU(0.1),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.block = nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                                   nn.Conv2d(16, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16))
        self.side = nn.Sequential(nn.Conv2d(8, 16, 1, 2, bias=False), nn.BatchNorm2d(16))
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.stem(x)
        return self.head(torch.relu(self.block(x) + self.side(x)).mean((2, 3)))


class Lstm(nn.Module):
    def __init__(self, words=30, width=8, units=12, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.LSTM(width, units, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * units, classes)

    def forward(self, words):
        y, (h, c) = self.layers(self.embedding(words))
        return self.head(y), h, c


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.GRU(6, 10, batch_first=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x, state):
        y, h = self.layers(x, state)
        return self.head(y), h


class Encoder(nn.Module):
    """Of words, some of them padding."""
    def __init__(self, words=40, places=32, width=16, heads=4, layers=1):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(places, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, words, padding):
        places = torch.arange(words.shape[1], device=words.device)
        return self.layers(self.words(words) + self.places(places), src_key_padding_mask=padding)


class AttentionLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.project, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))

    def forward(self, x, keys, values):
        batch, length, width = x.shape
        parts = self.project(self.norm(x)).chunk(3, -1)
        q, k, v = (t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in parts)
        k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        n, m = q.shape[2], k.shape[2]
        seen = torch.arange(m)[None] <= torch.arange(n)[:, None] + (m - n)
        y = nn.functional.scaled_dot_product_attention(q, k, v, seen)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        return x + self.wide(x), k, v


class Attention(nn.Module):
    """A step of a decoder: words behind those whose keys and values are given, of each layer."""
    def __init__(self, words=40, width=24, heads=4, layers=2):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(words, width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(AttentionLayer(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, words, keys, values):
        x, all_keys, all_values = self.embedding(words), [], []
        for i, layer in enumerate(self.layers):
            x, k, v = layer(x, keys[i], values[i])
            all_keys.append(k)
            all_values.append(v)
        return self.head(self.norm(x)), torch.stack(all_keys), torch.stack(all_values)


class Unet(nn.Module):
    def __init__(self, widths=(8, 12, 16)):
        super().__init__()
        a, b, c = widths
        self.down = nn.ModuleList([nn.Conv2d(1, a, 3, 1, 1), nn.Conv2d(a, b, 3, 2, 1), nn.Conv2d(b, c, 3, 2, 1)])
        self.up = nn.ModuleList([nn.Conv2d(b + c, b, 3, 1, 1), nn.Conv2d(a + b, a, 3, 1, 1)])
        self.across, self.head = nn.ConvTranspose2d(b, b, 2, 2), nn.Conv2d(a, 2, 1)

    def forward(self, x):
        a = torch.relu(self.down[0](x))
        b = torch.relu(self.down[1](a))
        c = torch.relu(self.down[2](b))
        c = nn.functional.interpolate(c, scale_factor=2, mode="nearest")
        b = torch.relu(self.up[0](torch.cat([b, c], 1)))
        b = self.across(b) + nn.functional.interpolate(b, size=a.shape[2:], mode="bilinear", align_corners=False)
        return self.head(torch.relu(self.up[1](torch.cat([a, b], 1))))


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), nn.Conv2d(8, 16, 5, 1, 2, groups=8), nn.BatchNorm2d(16),
                                    nn.ReLU6(), nn.Conv2d(16, 12, 1), nn.Conv2d(12, 12, 3, 1, 2, dilation=2, groups=12))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 4, 1), nn.ReLU(), nn.Conv2d(4, 12, 1), nn.Hardsigmoid())

    def forward(self, x):
        x = self.layers(x)
        return (x * self.scale(x)).mean((2, 3))


class Inverted(nn.Module):
    """A block of MobileNet v3: wide, each channel alone, weighed, narrow."""
    def __init__(self, inputs, size, wide, outputs, is_weighed, act, stride):
        super().__init__()
        self.is_residual = stride == 1 and inputs == outputs
        self.wide = nn.Sequential(nn.Conv2d(inputs, wide, 1, bias=False), nn.BatchNorm2d(wide), act()) if wide != inputs else nn.Identity()
        self.each = nn.Sequential(nn.Conv2d(wide, wide, size, stride, size // 2, groups=wide, bias=False), nn.BatchNorm2d(wide), act())
        self.weight = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, wide // 4, 1), nn.ReLU(),
                                    nn.Conv2d(wide // 4, wide, 1), nn.Hardsigmoid()) if is_weighed else None
        self.narrow = nn.Sequential(nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.each(self.wide(x))
        y = self.narrow(y if self.weight is None else y * self.weight(y))
        return x + y if self.is_residual else y


# Size of the filter, channels within, channels behind, whether they are weighed, activation, stride.
MOBILE_LARGE = [
    (3, 16, 16, False, nn.ReLU, 1), (3, 64, 24, False, nn.ReLU, 2), (3, 72, 24, False, nn.ReLU, 1), (5, 72, 40, True, nn.ReLU, 2),
    (5, 120, 40, True, nn.ReLU, 1), (5, 120, 40, True, nn.ReLU, 1), (3, 240, 80, False, nn.Hardswish, 2), (3, 200, 80, False, nn.Hardswish, 1),
    (3, 184, 80, False, nn.Hardswish, 1), (3, 184, 80, False, nn.Hardswish, 1), (3, 480, 112, True, nn.Hardswish, 1),
    (3, 672, 112, True, nn.Hardswish, 1), (5, 672, 160, True, nn.Hardswish, 2), (5, 960, 160, True, nn.Hardswish, 1),
    (5, 960, 160, True, nn.Hardswish, 1)]


class Mobile(nn.Module):
    """MobileNet v3, of its first blocks."""
    def __init__(self, blocks=5, classes=5):
        super().__init__()
        layers, inputs = [nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish()], 16
        for block in MOBILE_LARGE[:blocks]:
            layers.append(Inverted(inputs, *block))
            inputs = block[2]
        layers += [nn.Conv2d(inputs, 6 * inputs, 1, bias=False), nn.BatchNorm2d(6 * inputs), nn.Hardswish()]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Linear(6 * inputs, 8 * inputs), nn.Hardswish(), nn.Linear(8 * inputs, classes))

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class Vision(nn.Module):
    """Patches of a picture, and a word for all of it."""
    def __init__(self, side=32, patch=8, width=16, heads=2, layers=2, classes=5):
        super().__init__()
        self.patches, self.places = nn.Conv2d(3, width, patch, patch), nn.Parameter(torch.randn(1, (side // patch)**2 + 1, width))
        self.word, self.head = nn.Parameter(torch.randn(1, 1, width)), nn.Linear(width, classes)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.layers(torch.cat([self.word.expand(x.shape[0], -1, -1), x], 1) + self.places)[:, 0])


class Bottleneck(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(width, width // 2, 1), nn.SiLU(), nn.Conv2d(width // 2, width, 3, 1, 1), nn.SiLU())

    def forward(self, x):
        return x + self.layers(x)


class Boxes(nn.Module):
    """Boxes of a grid, and how likely each is."""
    def __init__(self, widths=(8,), depth=1, classes=2):
        super().__init__()
        layers = []
        for before, width in zip((3, *widths), widths):
            layers += [nn.Conv2d(before, width, 3, 2, 1), nn.SiLU(), *(Bottleneck(width) for _ in range(depth))]
        self.layers = nn.Sequential(*layers, nn.Conv2d(widths[-1], 3 * (5 + classes), 1))

    def forward(self, x):
        x = self.layers(x)
        n, _, h, w = x.shape
        x = x.view(n, 3, -1, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        grid = torch.stack(torch.meshgrid(torch.arange(w), torch.arange(h), indexing="xy"), -1).float()
        return torch.cat([(x[..., :2] * 2 - 0.5 + grid) * 8, (x[..., 2:4] * 2) ** 2, x[..., 4:]], -1).flatten(1, 3)


class Branch(nn.Module):
    """What is computed depends on the numbers."""
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        if torch.jit.is_scripting():
            if bool(x.sum() > 0):
                y = torch.tanh(self.one(x))
            else:
                y = self.other(x) - x
        else:
            y = self.cond(x)
        return y * 2

    @torch.jit.unused
    def cond(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.tanh(self.one(x)), lambda x: self.other(x) - x, (x,))


class Loop(nn.Module):
    """As many steps as the input has rows."""
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.zeros_like(x[0])
        if torch.jit.is_scripting():
            for i in range(x.shape[0]):
                h = torch.tanh(self.step(h) + x[i])
        else:
            h = self.scan(h, x)
        return h

    @torch.jit.unused
    def scan(self, h, x):
        def step(h, x):
            h = torch.tanh(self.step(h) + x)
            return h, h.clone()
        return scan(step, h, x)[0]


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def make(kind, noise):
    """A module whose parameters are all different: exporters write equal ones once."""
    torch.manual_seed(0)
    module = kind().eval()
    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            nn.init.normal_(layer.running_mean)
            nn.init.uniform_(layer.running_var, 0.5, 1.5)
    for parameter in module.parameters():
        parameter.data += noise * torch.randn_like(parameter)
    return module


def export(model, module, exporter, path, opset=None, weights=False):
    """Writes the model; with `weights` all of them as they are, by their names, else as the exporter likes it best."""
    names = [f"x{i}" for i in range(len(model.first))]
    outputs = [f"y{i}" for i in range(len(as_tuple(module(*model.first))))]
    options = dict(input_names=names, output_names=outputs, opset_version=opset, verbose=False)
    if exporter == "dynamo":
        options.update(dynamo=True, dynamic_shapes=model.sizes, external_data=False, optimize=not weights)
    else:
        module = torch.jit.script(module) if model.scripted else module
        options.update(dynamo=False, dynamic_axes=dict(zip(names, model.sizes)))
        if weights:
            options.update(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    torch.onnx.export(module, model.first, path, **options)
