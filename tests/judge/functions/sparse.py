"""Sparse tensors, which PyTorch gets as dense ones: what is not stored has no gradient."""

import torch

from .cases import Case, judged


def sparse_kind(r):
    return r.one_of("sparse", "sparse variable")


@judged("to_dense")
def to_dense(r):
    return Case([r.sparse(r.dims(2))], lambda x: torch.clone(x), kinds={0: sparse_kind(r)})


@judged("to_dense-integers")
def to_dense_integers(r):
    shape = r.dims(2)
    x = r.whole(shape) * (r.random(shape) < 0.4)
    return Case([x], lambda x: torch.clone(x), kinds={0: sparse_kind(r)})


@judged("dot-sparse")
def dot(r):
    a, b, c = r.dims(3, 1, 6)
    return Case([r.sparse((a, b)), r.numbers((b, c))], torch.matmul, kinds={0: sparse_kind(r)}, known=True)


@judged("dot-sparse-chain")
def chain(r):
    """The product of what was concatenated and cast."""
    a, b, c = r.dims(3, 1, 4)
    axis = r.one_of(0, 1, -1, -2)
    other = (r.size(), b) if axis in (0, -2) else (a, r.size())
    rows = b if axis in (0, -2) else b + other[1]

    def reference(x, y, z):
        return torch.cat([x, y], axis) @ z

    return Case([r.sparse((a, b)), r.sparse(other), r.numbers((rows, c))], reference, {"axis": axis},
                kinds={0: sparse_kind(r), 1: sparse_kind(r)}, known=True)


@judged("concatenate-sparse")
def concatenate(r):
    """Of two sparse tensors, or of a sparse and a dense one."""
    shape, axis = list(r.dims(2)), r.axis(2)
    other = list(shape)
    other[axis] = r.size()
    kinds = {0: sparse_kind(r)} | ({1: sparse_kind(r)} if r.chance(0.7) else {})
    second = r.sparse(other) if 1 in kinds else r.numbers(other)
    return Case([r.sparse(shape), second], lambda x, y: torch.cat([x, y], axis), {"axis": axis}, kinds=kinds)


@judged("identity-sparse")
def identity(r):
    return Case([r.sparse(r.dims(2))], lambda x: torch.clone(x), kinds={0: sparse_kind(r)})


@judged("cast-sparse")
def cast(r):
    to = r.one_of("float32", "float64", "int32", "bool")

    def reference(x):
        return x.to(getattr(torch, to)) if to != "float32" else torch.clone(x)

    # A number below 1 becomes a 0 that is stored.
    return Case([r.sparse(r.dims(2)) * 3], reference, {"dtype": to}, kinds={0: sparse_kind(r)})


@judged("shape-sparse")
def shape(r):
    return Case([r.sparse(r.dims(2))], lambda x: torch.tensor(x.shape, dtype=torch.int32),
                kinds={0: sparse_kind(r)})


@judged("ctc_label_dense_to_sparse")
def labels(r):
    batch, longest = r.dims(2)
    lengths = r.integers(0, longest + 1, size=batch).astype(r.one_of("int32", "int64"))
    values = r.integers(0, 9, size=(batch, longest)).astype(r.one_of("int32", "int64"))

    def reference(labels, lengths):
        mask = torch.arange(longest) < lengths.unsqueeze(1)
        kept = torch.where(mask, labels, torch.zeros_like(labels))
        return kept, kept.sum(1)

    return Case([values, lengths], reference)
