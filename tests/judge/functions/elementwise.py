"""Element by element, reductions and products."""

import numpy as np
import torch
import torch.nn.functional as F

from .cases import Case, judged, listed

UNARY = {
    "square": torch.square, "exp": torch.exp, "sin": torch.sin, "cos": torch.cos, "abs": torch.abs,
    "round": torch.round, "sign": torch.sign, "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "softsign": F.softsign, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "neg": torch.neg,
    "hard_sigmoid": lambda x: torch.clamp(0.2 * x + 0.5, 0, 1),
}


@judged(*UNARY)
def unary(r, name):
    if name in ("square", "abs", "round", "sign", "neg") and r.chance(0.25):
        return Case([r.whole(r.dims(r.size(0, 4)))], UNARY[name])
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
    if r.chance(0.25):
        x = r.whole(a)
        return Case([x, r.integers(-9, 10, size=b).astype(x.dtype)], BINARY[name], known=True)
    return Case([r.numbers(a), r.numbers(b)], BINARY[name], known=True)


@judged("div", "mod")
def div(r, name):
    a, b = broadcastable(r)
    return Case([r.numbers(a), r.positive(b) * r.one_of(-1, 1)], torch.div if name == "div" else torch.remainder,
                known=True)


@judged("pow")
def pow_(r):
    a, b = broadcastable(r)
    return Case([r.positive(a), r.numbers(b)], torch.pow, known=True)


@judged("pow-number")
def pow_number(r):
    """Exponents that have code of their own, at numbers of both signs."""
    exponent = r.one_of(0, 1, 2, 3, 4, 0.5, -1, -2, 1.5)
    x = r.numbers(r.dims(2)) if exponent == int(exponent) else r.positive(r.dims(2))
    return Case([x], lambda x: torch.pow(x, exponent), {"exponent": exponent})


@judged("clip-tensors")
def clip_tensors(r):
    shape = r.dims(2)
    low = r.numbers(shape)

    def reference(x, low, high):
        return torch.minimum(torch.maximum(x, low), high)

    return Case([r.numbers(shape) * 2, low, low + r.positive(shape)], reference, known=True)


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
    if name in ("sum", "prod", "max", "min") and r.chance(0.25):
        whole = r.integers(-3, 4, size=r.dims(rank, 1, 3)).astype("int64")
        return Case([whole], lambda x: REDUCTIONS[name](x, axes, keep), {"axis": axis, "keepdims": keep})
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


# -- Products --------------------------------------------------------------------------------------


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
