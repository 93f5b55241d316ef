"""Random cases of K functions, and what PyTorch or SciPy gives for them.

An entry takes a source of random numbers and gives a case: inputs, arguments as K takes them, and a
function of PyTorch tensors (floats are float64) that computes the same by other means.
"""

import dataclasses
import math
import typing

import numpy as np
import scipy.special
import torch
import torch.nn.functional as F


@dataclasses.dataclass
class Case:
    inputs: list
    reference: typing.Callable
    args: dict = dataclasses.field(default_factory=dict)
    second: bool = True  # gradients of gradients, too
    known: bool = False  # K must know all sizes
    id: str = ""
    function: str = ""
    dtype: str = "float64"
    declared: list = None


class Random(np.random.Generator):
    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))

    def size(self, low=1, high=5):
        return int(self.integers(low, high + 1))

    def dims(self, rank, low=1, high=4):
        return tuple(self.size(low, high) for _ in range(rank))

    def one_of(self, *options):
        return options[int(self.integers(len(options)))]

    def chance(self, probability=0.5):
        return bool(self.random() < probability)

    def numbers(self, shape):
        return self.normal(size=shape)

    def positive(self, shape):
        return self.uniform(0.2, 3.0, size=shape)

    def axis(self, rank):
        return int(self.integers(-rank, rank))

    def axes(self, rank):
        if self.chance(0.3):
            return None
        if self.chance(0.4):
            return self.axis(rank)
        count = self.size(1, rank)
        return [int(axis) for axis in self.permutation(rank)[:count]]


def make_case(name, number, make, random):
    case = make(random)
    case.id, case.function = f"{name}-{number:02}", name
    case.dtype = "float32" if number % 4 == 3 else "float64"
    case.inputs = [array.astype(case.dtype) if array.dtype.kind == "f" else array for array in case.inputs]
    case.declared = [
        {"dtype": str(array.dtype),
         "shape": [None if not case.known and random.chance(0.35) else size for size in array.shape]}
        for array in case.inputs]
    return case


TABLE = {}


def judged(*names):
    """Registers a maker of cases; one of several names gets its name as an argument."""

    def register(make):
        for name in names:
            TABLE[name] = (lambda r, name=name: make(r, name)) if len(names) > 1 else make
        return make

    return register


# -- Windows ---------------------------------------------------------------------------------------


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


# -- Elementwise -----------------------------------------------------------------------------------

UNARY = {
    "square": torch.square, "exp": torch.exp, "sin": torch.sin, "cos": torch.cos, "abs": torch.abs,
    "round": torch.round, "sign": torch.sign, "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "softsign": F.softsign, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "hard_sigmoid": lambda x: torch.clamp(0.2 * x + 0.5, 0, 1),
}


@judged(*UNARY)
def unary(r, name):
    return Case([r.numbers(r.dims(r.size(0, 4))) * 3], UNARY[name])


@judged("log", "sqrt")
def of_positive(r, name):
    return Case([r.positive(r.dims(r.size(0, 4)))], getattr(torch, name))


def broadcastable(r):
    shape = list(r.dims(r.size(1, 4)))
    other = [1 if r.chance(0.3) else size for size in shape][r.size(0, 1):]
    return tuple(shape), tuple(other)


BINARY = {
    "maximum": torch.maximum, "minimum": torch.minimum, "equal": torch.eq, "not_equal": torch.ne,
    "greater": torch.gt, "greater_equal": torch.ge, "less": torch.lt, "less_equal": torch.le,
    "add": torch.add, "sub": torch.sub, "mul": torch.mul,
}


@judged(*BINARY)
def binary(r, name):
    a, b = broadcastable(r)
    return Case([r.numbers(a), r.numbers(b)], BINARY[name], known=True)


@judged("div")
def div(r):
    a, b = broadcastable(r)
    return Case([r.numbers(a), r.positive(b)], torch.div, known=True)


@judged("pow")
def pow_(r):
    a, b = broadcastable(r)
    return Case([r.positive(a), r.numbers(b)], torch.pow, known=True)


@judged("clip")
def clip(r):
    low = float(r.normal()) - 1
    return Case([r.numbers(r.dims(3))], lambda x: torch.clamp(x, low, low + 1.5),
                {"min_value": low, "max_value": low + 1.5})


@judged("relu")
def relu(r):
    alpha, threshold = r.one_of(0.0, 0.3), r.one_of(0.0, 0.4, -0.5)
    most = r.one_of(None, 1.2)

    def reference(x):
        above = torch.where(x > threshold, x, torch.zeros_like(x))
        if most is not None:
            above = torch.clamp(above, 0, most)
        return above - alpha * torch.clamp(threshold - x, min=0)

    return Case([r.numbers(r.dims(3)) * 2], reference, {"alpha": alpha, "max_value": most, "threshold": threshold})


@judged("elu")
def elu(r):
    alpha = float(r.uniform(0.2, 2))
    return Case([r.numbers(r.dims(3))], lambda x: F.elu(x, alpha), {"alpha": alpha})


@judged("softmax")
def softmax(r):
    rank = r.size(1, 4)
    axis = r.axis(rank)
    return Case([r.numbers(r.dims(rank)) * 4], lambda x: torch.softmax(x, axis), {"axis": axis})


# -- Reductions ------------------------------------------------------------------------------------


def listed(axis, rank):
    axes = list(range(rank)) if axis is None else axis if isinstance(axis, list) else [axis]
    return sorted({a % rank for a in axes})


def product(x, axes, keepdims):
    for a in reversed(axes):
        x = torch.prod(x, a, keepdim=keepdims)
    return x


REDUCTIONS = {
    "sum": lambda x, axes, keep: torch.sum(x, axes, keepdim=keep),
    "prod": product,
    "max": lambda x, axes, keep: torch.amax(x, axes, keepdim=keep),
    "min": lambda x, axes, keep: torch.amin(x, axes, keepdim=keep),
    "mean": lambda x, axes, keep: torch.mean(x, axes, keepdim=keep),
    "var": lambda x, axes, keep: torch.var(x, axes, correction=0, keepdim=keep),
    "std": lambda x, axes, keep: torch.std(x, axes, correction=0, keepdim=keep),
    "logsumexp": lambda x, axes, keep: torch.logsumexp(x, axes, keepdim=keep),
}


@judged(*REDUCTIONS)
def reduction(r, name):
    rank = r.size(1, 4)
    axis, keep = r.axes(rank), r.chance()
    axes = listed(axis, rank)
    # The deviation of one element has no derivative.
    x = r.numbers(r.dims(rank, 2, 4))
    return Case([x], lambda x: REDUCTIONS[name](x, axes, keep), {"axis": axis, "keepdims": keep})


@judged("any", "all")
def truth(r, name):
    rank = r.size(1, 3)
    axis, keep = r.axes(rank), r.chance()

    def reference(x):
        for a in reversed(listed(axis, rank)):
            x = getattr(torch, name)(x, a, keepdim=keep)
        return x

    x = r.random(r.dims(rank)) < (0.3 if name == "any" else 0.8)
    return Case([x], reference, {"axis": axis, "keepdims": keep})


@judged("argmax", "argmin")
def arg(r, name):
    rank = r.size(1, 4)
    axis = r.axis(rank)
    return Case([r.numbers(r.dims(rank))], lambda x: getattr(torch, name)(x, axis), {"axis": axis})


@judged("cumsum", "cumprod")
def scan(r, name):
    rank = r.size(1, 4)
    axis = r.axis(rank)
    return Case([r.numbers(r.dims(rank))], lambda x: getattr(torch, name)(x, axis), {"axis": axis})


# -- Linear algebra --------------------------------------------------------------------------------


@judged("dot")
def dot(r):
    k = r.size()
    a = (*r.dims(r.size(0, 2)), k)
    b = (*r.dims(r.size(0, 2)), k, r.size()) if r.chance(0.8) else (k,)
    contract = 0 if len(b) == 1 else len(b) - 2
    return Case([r.numbers(a), r.numbers(b)], lambda x, y: torch.tensordot(x, y, ([len(a) - 1], [contract])))


@judged("batch_dot")
def batch_dot(r):
    n, k, m, l = r.size(), r.size(), r.size(), r.size()
    form = r.one_of("nmk,nkl->nml", "nk,nkl->nl", "nkm,nlk->nml", "nmk,nk->nm")
    axes = {"nmk,nkl->nml": None, "nk,nkl->nl": [1, 1], "nkm,nlk->nml": [1, 2], "nmk,nk->nm": [2, 1]}[form]
    sizes = dict(n=n, k=k, m=m, l=l)
    a, b = ([sizes[letter] for letter in term] for term in form.split("->")[0].split(","))
    return Case([r.numbers(a), r.numbers(b)], lambda x, y: torch.einsum(form, x, y), {"axes": axes})


@judged("transpose")
def transpose(r):
    rank = r.size(0, 4)
    return Case([r.numbers(r.dims(rank))], lambda x: x.permute(tuple(reversed(range(rank)))))


@judged("gather")
def gather(r):
    rows = r.size(2, 5)
    return Case([r.numbers((rows, *r.dims(r.size(0, 2)))),
                 r.integers(0, rows, size=r.dims(r.size(0, 2))).astype(r.one_of("int32", "int64"))],
                lambda x, i: x[i.long()])


# -- Moving elements -------------------------------------------------------------------------------


@judged("flatten", "batch_flatten")
def flatten(r, name):
    x = r.numbers(r.dims(r.size(1, 4)))
    return Case([x], lambda x: x.reshape(-1) if name == "flatten" else x.reshape(x.shape[0], -1))


@judged("concatenate")
def concatenate(r):
    rank = r.size(1, 4)
    axis, shape = r.axis(rank), list(r.dims(rank))
    other = list(shape)
    other[axis] = r.size()
    return Case([r.numbers(shape), r.numbers(other)], lambda x, y: torch.cat([x, y], axis), {"axis": axis})


@judged("stack")
def stack(r):
    rank = r.size(0, 3)
    shape, axis = r.dims(rank), r.axis(rank + 1)
    return Case([r.numbers(shape), r.numbers(shape)], lambda x, y: torch.stack([x, y], axis), {"axis": axis})


@judged("reshape")
def reshape(r):
    a, b, c = r.dims(3)
    target = r.one_of([a * b, c], [-1], [a, -1], [c, b, a], [1, -1, b])
    return Case([r.numbers((a, b, c))], lambda x: x.reshape(target), {"shape": target})


@judged("permute_dimensions")
def permute(r):
    rank = r.size(1, 5)
    pattern = [int(i) for i in r.permutation(rank)]
    return Case([r.numbers(r.dims(rank))], lambda x: x.permute(pattern), {"pattern": pattern})


@judged("repeat_elements")
def repeat_elements(r):
    rank = r.size(1, 4)
    axis, rep = r.axis(rank), r.size(1, 4)
    return Case([r.numbers(r.dims(rank))], lambda x: x.repeat_interleave(rep, axis), {"axis": axis, "rep": rep})


@judged("repeat")
def repeat(r):
    n = r.size()
    return Case([r.numbers(r.dims(2))], lambda x: x.unsqueeze(1).expand(-1, n, -1), {"n": n})


@judged("tile")
def tile(r):
    rank = r.size(1, 4)
    n = list(r.dims(r.size(1, rank), 1, 3))
    return Case([r.numbers(r.dims(rank))], lambda x: torch.tile(x, n), {"n": n})


@judged("expand_dims")
def expand_dims(r):
    rank = r.size(0, 3)
    axis = r.axis(rank + 1)
    return Case([r.numbers(r.dims(rank))], lambda x: x.unsqueeze(axis), {"axis": axis})


@judged("squeeze")
def squeeze(r):
    shape = list(r.dims(r.size(1, 4)))
    axis = r.axis(len(shape))
    shape[axis] = 1
    return Case([r.numbers(shape)], lambda x: x.squeeze(axis), {"axis": axis})


@judged("reverse")
def reverse(r):
    rank = r.size(1, 4)
    axes = listed(r.axes(rank), rank)
    return Case([r.numbers(r.dims(rank))], lambda x: torch.flip(x, axes), {"axes": axes})


@judged("slice")
def slice_(r):
    shape = r.dims(r.size(1, 4), 2, 5)
    start = [r.size(0, size - 1) for size in shape]
    size = [-1 if r.chance(0.3) else r.size(1, whole - first) for first, whole in zip(start, shape)]
    box = tuple(slice(a, None if n < 0 else a + n) for a, n in zip(start, size))
    return Case([r.numbers(shape)], lambda x: x[box], {"start": start, "size": size})


@judged("temporal_padding")
def temporal_padding(r):
    amounts = [r.size(0, 3), r.size(0, 3)]
    return Case([r.numbers(r.dims(3))], lambda x: F.pad(x, [0, 0, *amounts]), {"padding": amounts})


@judged("spatial_2d_padding", "spatial_3d_padding")
def spatial_padding(r, name):
    rank, first = int(name[8]), r.chance()
    amounts = [[r.size(0, 3), r.size(0, 3)] for _ in range(rank)]
    flat = [] if first else [0, 0]
    for pair in reversed(amounts):
        flat += pair
    return Case([r.numbers(r.dims(rank + 2, 1, 3))], lambda x: F.pad(x, flat),
                {"padding": amounts, "data_format": "channels_first" if first else "channels_last"})


@judged("one_hot")
def one_hot(r):
    classes = r.size(1, 6)
    places = r.integers(-2, classes + 2, size=r.dims(r.size(0, 3))).astype("int32")
    return Case([places], lambda i: (i.unsqueeze(-1) == torch.arange(classes)).float(), {"num_classes": classes})


# -- Neural networks -------------------------------------------------------------------------------

EPSILON = 1e-7


def clipped(p):
    return torch.clamp(p, EPSILON, 1 - EPSILON)


@judged("categorical_crossentropy")
def categorical_crossentropy(r):
    rank, logits = r.size(1, 3), r.chance()
    shape, axis = r.dims(rank, 2, 5), r.one_of(-1, r.size(0, rank - 1))

    def reference(target, output):
        if logits:
            return -(target * torch.log_softmax(output, axis)).sum(axis)
        return -(target * torch.log(clipped(output / output.sum(axis, keepdim=True)))).sum(axis)

    output = r.numbers(shape) if logits else r.positive(shape)
    return Case([r.positive(shape), output], reference, {"from_logits": logits, "axis": axis})


@judged("sparse_categorical_crossentropy")
def sparse_crossentropy(r):
    rank, logits = r.size(2, 3), r.chance()
    shape = r.dims(rank, 2, 5)
    target = r.integers(0, shape[-1], size=shape[:-1]).astype(r.one_of("int32", "int64"))

    def reference(target, output):
        logs = (torch.log_softmax(output, -1) if logits
                else torch.log(clipped(output) / clipped(output).sum(-1, keepdim=True)))
        return -torch.gather(logs, -1, target.long().unsqueeze(-1)).squeeze(-1)

    output = r.numbers(shape) if logits else r.uniform(0.05, 0.95, size=shape)
    return Case([target, output], reference, {"from_logits": logits, "axis": -1})


@judged("binary_crossentropy")
def binary_crossentropy(r):
    shape, logits = r.dims(r.size(1, 3)), r.chance()

    def reference(target, output):
        if logits:
            return F.binary_cross_entropy_with_logits(output, target, reduction="none")
        p = clipped(output)
        return -(target * torch.log(p + EPSILON) + (1 - target) * torch.log(1 - p + EPSILON))

    output = r.numbers(shape) * 4 if logits else r.uniform(0.05, 0.95, size=shape)
    return Case([r.random(shape), output], reference, {"from_logits": logits})


@judged("l2_normalize")
def l2_normalize(r):
    rank = r.size(1, 4)
    axis = r.axes(rank)
    axes = listed(axis, rank)
    return Case([r.numbers(r.dims(rank))],
                lambda x: x / torch.sqrt(torch.clamp((x * x).sum(axes, keepdim=True), min=1e-12)), {"axis": axis})


@judged("in_top_k")
def in_top_k(r):
    batch, classes = r.dims(2, 2, 6)
    k = r.size(0, classes + 1)
    target = r.integers(0, classes, size=batch).astype("int64")

    def reference(x, t):
        chosen = x.gather(1, t.unsqueeze(1))
        return (x > chosen).sum(1) < k

    return Case([r.numbers((batch, classes)), target], reference, {"k": k})


@judged("bias_add")
def bias_add(r):
    rank, first = r.size(3, 5), r.chance()
    shape = r.dims(rank)
    spatial, channels = (shape[2:], shape[1]) if first else (shape[1:-1], shape[-1])
    full = r.chance(0.4)

    def reference(x, bias):
        if full:
            return x + bias.reshape((1, channels, *spatial) if first else (1, *spatial, channels))
        return x + bias.reshape([channels] + [1] * (rank - 2)) if first else x + bias

    bias = r.numbers((*spatial, channels) if full else channels)
    return Case([r.numbers(shape), bias], reference,
                {"data_format": "channels_first" if first else "channels_last"}, known=True)


@judged("batch_normalization")
def batch_normalization(r):
    rank = r.size(2, 4)
    shape, axis, epsilon = r.dims(rank), r.axis(rank), r.one_of(1e-3, 1e-2)
    channels = shape[axis]
    along = [channels if i == axis % rank else 1 for i in range(rank)]

    def reference(x, mean, var, beta, gamma):
        mean, var, beta, gamma = (z.reshape(along) for z in (mean, var, beta, gamma))
        return (x - mean) / torch.sqrt(var + epsilon) * gamma + beta

    return Case([r.numbers(shape), r.numbers(channels), r.positive(channels), r.numbers(channels),
                 r.numbers(channels)], reference, {"axis": axis, "epsilon": epsilon}, known=True)


@judged("normalize_batch_in_training")
def normalize_batch(r):
    rank = r.size(2, 4)
    shape = r.dims(rank, 2, 4)
    axes = list(range(rank - 1))
    epsilon = 1e-2

    def reference(x, gamma, beta):
        mean, variance = x.mean(axes), x.var(axes, correction=0)
        return (x - mean) / torch.sqrt(variance + epsilon) * gamma + beta, mean, variance

    return Case([r.numbers(shape), r.numbers(shape[-1]), r.numbers(shape[-1])], reference,
                {"reduction_axes": axes, "epsilon": epsilon}, known=True)


# -- Loops and sequences ---------------------------------------------------------------------------


@judged("rnn")
def rnn(r):
    batch, steps, inputs, units = r.dims(4, 1, 4)
    backwards, unroll, zero = r.chance(), r.chance(0.3), r.chance()
    masked = r.chance()
    mask = r.random((batch, steps)) < 0.6

    def reference(x, w, u, state, *masks):
        outputs = []
        order = list(range(steps))
        last = torch.zeros_like(state)
        for t in reversed(order) if backwards else order:
            new = torch.tanh(x[:, t] @ w + state @ u)
            if masks:
                keep = masks[0][:, t].unsqueeze(1)
                last_before = torch.zeros_like(new) if zero else last
                out = torch.where(keep, new, last_before)
                state = torch.where(keep, new, state)
            else:
                out = state = new
            last = out
            outputs.append(out)
        return last, torch.stack(outputs, 1), state

    arrays = [r.numbers((batch, steps, inputs)), r.numbers((inputs, units)), r.numbers((units, units)),
              r.numbers((batch, units))]
    return Case(arrays + ([mask] if masked else []), reference,
                {"go_backwards": backwards, "unroll": unroll, "zero_output_for_mask": zero}, known=True)


@judged("ctc_batch_cost")
def ctc_batch_cost(r):
    batch, classes = r.size(1, 3), r.size(2, 4)
    label_length = r.integers(1, 4, size=(batch, 1)).astype("int32")
    steps = 7
    input_length = np.array([[r.size(2 * int(n), steps)] for n in label_length[:, 0]], "int32")
    labels = r.integers(0, classes - 1, size=(batch, 3)).astype("int32") if classes > 1 else None
    probabilities = scipy.special.softmax(r.numbers((batch, steps, classes)), -1)

    def reference(y, labels, lengths, label_lengths):
        logs = torch.log_softmax(torch.log(y + EPSILON), -1).movedim(1, 0)
        cost = F.ctc_loss(logs, labels.long(), lengths[:, 0].long(), label_lengths[:, 0].long(),
                          blank=classes - 1, reduction="none")
        return cost.unsqueeze(1)

    return Case([probabilities, labels, input_length, label_length], reference, second=False, known=True)
