"""Activations, losses and normalisations."""

import torch
import torch.nn.functional as F

from .cases import EPSILON, Case, judged, listed


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
