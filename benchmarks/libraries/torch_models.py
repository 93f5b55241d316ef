"""Models in PyTorch: what its own rows run, and what is exported for ONNX Runtime and OpenVINO.

Images are channels-last in memory, where that is the fast layout.
"""

import torch
from torch import nn
from torch.nn import functional as F

from libraries import common


def chain(x, y):
    t = x * y + x
    v = torch.tanh(t) * y - x
    w = F.leaky_relu(v, 0.1)
    return torch.sqrt(w * w + 1) * torch.sigmoid(w)


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


class Perceptron(nn.Module):
    def __init__(self, parameters):
        super().__init__()
        self.parts = nn.ParameterList(torch.from_numpy(p.copy()) for p in parameters)

    def forward(self, x):
        for layer in range(3):
            x = torch.addmm(self.parts[2 * layer + 1], x, self.parts[2 * layer])
            if layer < 2:
                x = torch.relu(x)
        return x


class Block(nn.Module):
    """A block of a transformer, normalised before each part."""

    def __init__(self, width=512, heads=8, wide=2048):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width, 1e-3), nn.LayerNorm(width, 1e-3)
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, wide), nn.Linear(wide, width)

    def forward(self, x):
        batch, time, width = x.shape
        parts = self.inputs(self.first(x)).view(batch, time, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind()
        x = x + self.output(attention(q, k, v).transpose(1, 2).reshape(batch, time, width))
        return x + self.narrow(F.gelu(self.wide(self.second(x))))


class Separable(nn.Module):
    def __init__(self, channels, filters=128):
        super().__init__()
        self.depth = nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False)
        self.point = nn.Conv2d(channels, filters, 1, bias=False)

    def forward(self, x):
        return F.relu6(self.point(F.relu6(self.depth(x))))


def convolution(is_depthwise, channels):
    net = Separable(channels)
    return (net.depth if is_depthwise else net).to(memory_format=torch.channels_last)


def cifar_net():
    layers = []
    for inputs, filters in ((3, 32), (32, 64)):
        layers += [nn.Conv2d(inputs, filters, 3, padding=1), nn.ReLU()]
        layers += [nn.Conv2d(filters, filters, 3), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Flatten(), nn.Linear(2304, 512), nn.ReLU(), nn.Linear(512, 10)]
    return nn.Sequential(*layers)


class Residual(nn.Module):
    def __init__(self, path, short):
        super().__init__()
        self.path, self.short = path, short

    def forward(self, x):
        return F.relu(self.path(x) + self.short(x))


def resnet20():
    norm = lambda filters: nn.BatchNorm2d(filters, track_running_stats=False)
    conv = lambda n, filters, stride: nn.Conv2d(n, filters, 3, stride, 1, bias=False)
    layers, inputs = [conv(3, 16, 1), norm(16), nn.ReLU()], 16
    for filters in (16, 32, 64):
        for block in range(3):
            stride = 2 if filters > 16 and block == 0 else 1
            path = [conv(inputs, filters, stride), norm(filters), nn.ReLU()]
            path += [conv(filters, filters, 1), norm(filters)]
            short = nn.Identity()
            if stride != 1:
                short = nn.Conv2d(inputs, filters, 1, stride, bias=False)
            layers.append(Residual(nn.Sequential(*path), short))
            inputs = filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def resnet50(is_training):
    """For inference normalisations are in the filters, and leave a bias."""

    def conv(inputs, filters, size, stride=1):
        layer = nn.Conv2d(inputs, filters, size, stride, size // 2, bias=not is_training)
        return [layer] + [nn.BatchNorm2d(filters, track_running_stats=False)] * is_training

    layers, inputs, filters = [*conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64, 64
    for blocks in (3, 4, 6, 3):
        for block in range(blocks):
            stride = 2 if filters > 64 and block == 0 else 1
            path = [*conv(inputs, filters, 1), nn.ReLU(), *conv(filters, filters, 3, stride)]
            path += [nn.ReLU(), *conv(filters, 4 * filters, 1)]
            short = nn.Identity()
            if block == 0:
                short = nn.Sequential(*conv(inputs, 4 * filters, 1, stride))
            layers.append(Residual(nn.Sequential(*path), short))
            inputs = 4 * filters
        filters *= 2
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, common.CLASSES)]
    net = nn.Sequential(*layers)
    return (net if is_training else net.eval()).to(memory_format=torch.channels_last)


def images(batch, side, channels=3):
    x = torch.rand(batch, channels, side, side)
    return x.contiguous(memory_format=torch.channels_last)


def reduction(name, axes):
    if name == "argmax":
        return lambda x: torch.argmax(x, axes[0])
    if name == "max":
        return lambda x: torch.amax(x, axes)
    if name == "var":
        return lambda x: torch.var(x, axes, correction=0)
    return lambda x: getattr(torch, name)(x, axes)


def forwards(inputs, names, is_large):
    """Yields (name, case, function or module, arguments, dtype or "") of all that is only computed."""
    tensor = torch.from_numpy

    def of(dtype, *arrays):
        return [tensor(x).to(getattr(torch, dtype or "float32")) for x in arrays]

    if "ew_chain" in names:
        yield "ew_chain", "n=2^20", chain, of("", *inputs.chain), ""
    if "gemm" in names:
        for *shape, is_transposed, dtype in common.PRODUCTS:
            case = common.product_case(*shape, is_transposed, dtype)
            arguments = of(dtype, *inputs.product(*shape, is_transposed))
            yield "gemm", case, common.product_body(is_transposed), arguments, dtype
    if "mlp" in names:
        for batch in (1, 32):
            net = Perceptron(inputs.parameters)
            yield "mlp", f"forward b{batch}", net, of("", inputs.rows[:batch]), ""
    if "small" in names:
        yield "small", "add of 4", torch.add, of("", *inputs.four), ""
    if "softmax" in names:
        for rows, columns, axis, is_log, dtype in common.SOFTMAXES:
            function = torch.log_softmax if is_log else torch.softmax
            body = lambda x, function=function, axis=axis: function(x, axis)
            arguments = of(dtype, inputs.softmax(rows, columns))
            case = common.softmax_case(rows, columns, axis, is_log, dtype)
            yield "softmax", case, body, arguments, dtype
    if "reduce" in names:
        for name, axes, dims in common.REDUCTIONS:
            case = common.reduction_case(name, axes, dims)
            yield "reduce", case, reduction(name, axes), of("", inputs.reduce(dims)), ""
    if "layernorm" in names:
        norm = nn.LayerNorm(1024, 1e-3)
        yield "layernorm", "1024x1024, forward", norm, of("", inputs.softmax(1024, 1024)), ""
    if "attention" in names:
        yield "attention", "8x8 heads 256x64, forward", attention, of("", *inputs.heads()[:3]), ""
    if "xformer" in names:
        x = common.uniform(3, -1, 1, 1, 16, 512)
        yield "xformer", "forward b1 T16 D512 H8", Block().eval(), of("", x), ""
    if "sepconv" in names:
        for is_depthwise, batch, side, channels in common.CONVOLUTIONS:
            case = common.convolution_case(is_depthwise, batch, side, channels)
            net = convolution(is_depthwise, channels)
            yield "sepconv", case, net, [images(batch, side, channels)], ""
    if "resnet50" in names and is_large:
        net = resnet50(False)
        for batch in (1, 8):
            yield "resnet50", f"forward b{batch}", net, [images(batch, 224)], ""
