"""Functions that move elements."""

import torch
import torch.nn.functional as F

from .cases import Case, judged, listed


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


@judged("pattern_broadcast")
def pattern_broadcast(r):
    pattern = [r.chance() for _ in range(r.size(1, 4))]
    shape = [1 if one else r.size() for one in pattern]
    return Case([r.numbers(shape)], lambda x: torch.clone(x), {"broadcastable": pattern})


@judged("getitem")
def getitem(r):
    """A slice, an index, a new axis."""
    shape = r.dims(2, 2, 5)
    first, last = sorted((r.size(-shape[0], shape[0]), r.size(-shape[0], shape[0])))
    index = r.size(-shape[1], shape[1] - 1)
    return Case([r.numbers(shape)], lambda x: x[first:last, None, index],
                {"first": first, "last": last, "index": index})
