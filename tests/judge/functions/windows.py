"""Convolutions, pools and resizing."""

import dataclasses
import math

import torch
import torch.nn.functional as F

from .cases import Case, judged


def pads(size, window, stride, dilation, padding):
    """Zeros before and after one axis, and the number of windows."""
    covered = (window - 1) * dilation + 1
    if padding == "valid":
        return 0, 0, -(-(size - covered + 1) // stride)
    if padding == "causal":
        return covered - 1, 0, -(-size // stride)
    count = -(-size // stride)
    total = max((count - 1) * stride + covered - size, 0)
    return total // 2, total - total // 2, count


def spatial_of(x, first):
    return x.shape[2:] if first else x.shape[1:-1]


def channels_first(x, first):
    return x if first else x.movedim(-1, 1).contiguous()


def restored(y, first):
    return y if first else y.movedim(1, -1)


def padded(x, window, strides, dilation, padding, value=0.0):
    """x, channels first, with the zeros that the rule puts around it."""
    amounts = []
    for size, k, s, d in zip(x.shape[2:], window, strides, dilation):
        amounts = [*pads(size, k, s, d, padding)[:2], *amounts]
    return F.pad(x, amounts, value=value)


def convolve(x, kernel, strides, padding, dilation, groups=1):
    """x channels first, the kernel (spatial…, in, out)."""
    filter_ = kernel.movedim(-1, 0).movedim(-1, 1).contiguous()
    x = padded(x, kernel.shape[:-2], strides, dilation, padding)
    return (F.conv1d, F.conv2d, F.conv3d)[len(strides) - 1](
        x, filter_, stride=tuple(strides), dilation=tuple(dilation), groups=groups)


@dataclasses.dataclass
class Window:
    args: dict
    spatial: tuple
    window: tuple
    first: bool
    strides: list
    dilation: list

    def image(self, batch, channels):
        return (batch, channels, *self.spatial) if self.first else (batch, *self.spatial, channels)


def random_window(r, rank, causal=False, dilated=True):
    padding = r.one_of("valid", "same", *(["causal"] if causal else []))
    first = r.chance() and padding != "causal"
    window = r.dims(rank, 1, 3)
    strides, dilation = list(r.dims(rank, 1, 3)), list(r.dims(rank, 1, 2)) if dilated else [1] * rank
    spatial = tuple((k - 1) * d + r.size(1, 5) for k, d in zip(window, dilation))
    args = {"strides": strides, "padding": padding,
            "data_format": "channels_first" if first else "channels_last"}
    if dilated:
        args["dilation_rate"] = dilation
    return Window(args, spatial, window, first, strides, dilation)


@judged("conv1d", "conv2d", "conv3d")
def convolution(r, name):
    w = random_window(r, int(name[4]), causal=name == "conv1d")
    batch, channels, filters = r.size(1, 3), r.size(1, 4), r.size(1, 5)

    def reference(x, kernel):
        y = convolve(channels_first(x, w.first), kernel, w.strides, w.args["padding"], w.dilation)
        return restored(y, w.first)

    return Case([r.numbers(w.image(batch, channels)), r.numbers((*w.window, channels, filters))], reference, w.args)


@judged("conv2d_transpose", "conv3d_transpose")
def transposed(r, name):
    rank = int(name[4])
    w = random_window(r, rank, dilated=rank == 2)
    batch, channels, filters = r.size(1, 3), r.size(1, 3), r.size(1, 3)
    counts = [pads(size, k, s, d, w.args["padding"])[2]
              for size, k, s, d in zip(w.spatial, w.window, w.strides, w.dilation)]
    result = w.image(batch, channels)
    w.args["output_shape"] = [None if r.chance() else batch, *result[1:]]
    inner = dataclasses.replace(w, spatial=tuple(counts)).image(batch, filters)

    # The gradient of the convolution, by PyTorch's differentiation of it.
    def reference(x, kernel):
        image = torch.zeros(result, dtype=x.dtype, requires_grad=True)
        y = convolve(channels_first(image, w.first), kernel, w.strides, w.args["padding"], w.dilation)
        return torch.autograd.grad(restored(y, w.first), image, x, create_graph=True)[0]

    return Case([r.numbers(inner), r.numbers((*w.window, channels, filters))], reference, w.args)


def depthwise(x, kernel, w):
    channels = kernel.shape[-2]
    # (spatial…, 1, channels * each), in the order that groups have.
    grouped = kernel.reshape(*kernel.shape[:-2], 1, -1)
    return convolve(x, grouped, w.strides, w.args["padding"], w.dilation, groups=channels)


@judged("depthwise_conv2d")
def depthwise_conv2d(r):
    w = random_window(r, 2)
    channels = r.size(1, 4)

    def reference(x, kernel):
        return restored(depthwise(channels_first(x, w.first), kernel, w), w.first)

    return Case([r.numbers(w.image(r.size(1, 3), channels)), r.numbers((*w.window, channels, r.size(1, 3)))],
                reference, w.args)


@judged("separable_conv1d", "separable_conv2d")
def separable(r, name):
    rank = int(name[-2])
    w = random_window(r, rank)
    channels, each = r.size(1, 3), r.size(1, 3)

    def reference(x, kernel, points):
        y = depthwise(channels_first(x, w.first), kernel, w)
        return restored(convolve(y, points, [1] * rank, "valid", [1] * rank), w.first)

    return Case([r.numbers(w.image(r.size(1, 2), channels)), r.numbers((*w.window, channels, each)),
                 r.numbers((*[1] * rank, channels * each, r.size(1, 4)))], reference, w.args)


@judged("local_conv1d")
def local_conv1d(r):
    k, s, count, channels, filters = r.size(1, 3), r.size(1, 3), r.size(1, 4), r.size(1, 3), r.size(1, 3)
    steps = (count - 1) * s + k + r.size(0, s - 1)

    def reference(x, kernel):
        places = [x[:, o * s:o * s + k].reshape(x.shape[0], -1) @ kernel[o] for o in range(count)]
        return torch.stack(places, 1)

    args = {"kernel_size": [k], "strides": [s], "data_format": r.one_of("channels_last", "channels_first")}
    return Case([r.numbers((r.size(1, 3), steps, channels)), r.numbers((count, k * channels, filters))],
                reference, args)


@judged("local_conv2d")
def local_conv2d(r):
    w = random_window(r, 2, dilated=False)
    counts = [pads(size, k, s, 1, "valid")[2] for size, k, s in zip(w.spatial, w.window, w.strides)]
    channels, filters = r.size(1, 3), r.size(1, 3)
    args = {"kernel_size": list(w.window), "strides": w.strides, "output_shape": counts,
            "data_format": w.args["data_format"]}

    def reference(x, kernel):
        rows = []
        for i in range(counts[0]):
            for j in range(counts[1]):
                p = (i * w.strides[0], j * w.strides[1])
                box = (slice(p[0], p[0] + w.window[0]), slice(p[1], p[1] + w.window[1]))
                patch = x[(slice(None), slice(None), *box) if w.first else (slice(None), *box)]
                rows.append(patch.reshape(x.shape[0], -1) @ kernel[i * counts[1] + j])
        y = torch.stack(rows, 1).reshape(x.shape[0], *counts, filters)
        return y.movedim(-1, 1) if w.first else y

    return Case([r.numbers(w.image(r.size(1, 3), channels)),
                 r.numbers((counts[0] * counts[1], w.window[0] * w.window[1] * channels, filters))],
                reference, args)


@judged("pool2d", "pool3d")
def pool(r, name):
    rank = int(name[4])
    w = random_window(r, rank, dilated=False)
    mode = r.one_of("max", "avg")
    w.args.update(pool_size=list(w.window), pool_mode=mode)

    def reference(x):
        x = channels_first(x, w.first)
        if mode == "max":
            x = padded(x, w.window, w.strides, [1] * rank, w.args["padding"], -math.inf)
            y = (F.max_pool2d, F.max_pool3d)[rank - 2](x, w.window, tuple(w.strides))
            return restored(y, w.first)
        ones = torch.ones((1, 1, *x.shape[2:]), dtype=x.dtype)
        def sums(z):
            z = padded(z, w.window, w.strides, [1] * rank, w.args["padding"])
            return (F.avg_pool2d, F.avg_pool3d)[rank - 2](z, w.window, tuple(w.strides)) * math.prod(w.window)
        return restored(sums(x) / sums(ones), w.first)

    return Case([r.numbers(w.image(r.size(1, 3), r.size(1, 4)))], reference, w.args)


def interpolate(x, axis, factor):
    """Bilinear without a shift: place i lies at i / factor."""
    places = torch.arange(x.shape[axis] * factor)
    low = places // factor
    high = torch.clamp(low + 1, max=x.shape[axis] - 1)
    weight = (places % factor).to(x.dtype) / factor
    weight = weight.reshape([-1 if i == axis else 1 for i in range(x.dim())])
    return x.index_select(axis, low) * (1 - weight) + x.index_select(axis, high) * weight


@judged("resize_images")
def resize_images(r):
    first, mode = r.chance(), r.one_of("nearest", "bilinear")
    factors = [r.size(1, 3), r.size(1, 3)]

    def reference(x):
        for axis, factor in enumerate(factors, 2 if first else 1):
            x = (interpolate(x, axis, factor) if mode == "bilinear"
                 else x.repeat_interleave(factor, axis))
        return x

    args = {"height_factor": factors[0], "width_factor": factors[1], "interpolation": mode,
            "data_format": "channels_first" if first else "channels_last"}
    return Case([r.numbers(r.dims(4))], reference, args)


@judged("resize_volumes")
def resize_volumes(r):
    first, factors = r.chance(), r.dims(3, 1, 3)

    def reference(x):
        for axis, factor in enumerate(factors, 2 if first else 1):
            x = x.repeat_interleave(factor, axis)
        return x

    args = {"depth_factor": factors[0], "height_factor": factors[1], "width_factor": factors[2],
            "data_format": "channels_first" if first else "channels_last"}
    return Case([r.numbers(r.dims(5, 1, 3))], reference, args)
