"""Tensors out of nothing, variables and their updates, random numbers, what is known of a graph."""

import math

import numpy as np
import scipy.stats
import torch

from .cases import Case, Disagreement, judged

FLOATS = {"float32": torch.float32, "float64": torch.float64}
DTYPES = FLOATS | {name: getattr(torch, name)
                   for name in ("int8", "int16", "int32", "int64", "uint8", "bool")}

# -- Creation --------------------------------------------------------------------------------------


@judged("constant")
def constant(r):
    shape, dtype = r.dims(r.size(0, 3)), r.one_of("float64", "float32", "int32")
    value = r.whole(shape if r.chance() else ())

    def reference():
        return torch.tensor(value).to(DTYPES[dtype]).expand(shape).clone()

    return Case([], reference, {"values": value.reshape(-1).tolist(), "dims": value.shape, "shape": shape,
                                "dtype": dtype})


@judged("zeros", "ones")
def filled(r, name):
    """A variable, or a tensor with a size that another one has."""
    shape, dtype = r.dims(r.size(1, 3)), r.one_of("float64", "float32", "int32", "bool")
    like = r.chance()
    wanted = [*shape, r.size()]

    def reference(x):
        return getattr(torch, name)(wanted, dtype=DTYPES[dtype])

    return Case([r.numbers(shape)], reference, {"shape": wanted, "dtype": dtype, "like": like})


@judged("eye")
def eye(r):
    rows, columns = r.dims(2, 1, 5)
    square = r.chance()
    return Case([], lambda: torch.eye(rows, rows if square else columns, dtype=torch.float64),
                {"size": rows if square else [rows, columns]})


@judged("zeros_like", "ones_like")
def filled_like(r, name):
    shape, dtype = r.dims(r.size(0, 3)), r.one_of(None, "float64", "int32", "bool")
    x = r.numbers(shape) if r.chance() else r.whole(shape)
    return Case([x], lambda x: getattr(torch, name)(x, dtype=DTYPES.get(dtype)), {"dtype": dtype})


@judged("identity", "print_tensor")
def same(r, name):
    return Case([r.numbers(r.dims(r.size(0, 3)))], lambda x: torch.clone(x))


@judged("arange")
def arange(r):
    start, stop, step = r.size(-9, 9), r.size(-9, 9), r.one_of(-3, -2, -1, 1, 2, 3)
    tensors = r.chance()  # scalars that are fed

    def reference(*numbers):
        a, b, c = numbers or (start, stop, step)
        return torch.from_numpy(np.arange(int(a), int(b), int(c)).astype("int32"))

    return Case([np.asarray(n, "int32") for n in (start, stop, step)] if tensors else [], reference,
                {"start": start, "stop": stop, "step": step})


@judged("cast")
def cast(r):
    source, to = r.one_of(*DTYPES), r.one_of(*DTYPES)
    shape = r.dims(r.size(0, 3))
    x = r.uniform(-100, 100, size=shape) if source in FLOATS else r.integers(0, 100, size=shape)
    # Negative numbers have no unsigned ones.
    x = np.abs(x) if to == "uint8" else x
    x = (x > 50) if source == "bool" else x.astype("float64" if source in FLOATS else source)

    def reference(x):
        return torch.clone(x) if to in FLOATS and x.is_floating_point() else x.to(DTYPES[to])

    return Case([x], reference, {"dtype": to})


@judged("cast_to_floatx")
def cast_to_floatx(r):
    x = r.numbers(r.dims(2)) if r.chance() else r.whole(r.dims(2))
    return Case([x], lambda x: torch.clone(x) if x.is_floating_point() else x.double())


# -- What is known of a graph ----------------------------------------------------------------------


@judged("shape", "size")
def shape(r, name):
    def reference(x):
        return torch.tensor(x.shape if name == "shape" else x.numel(), dtype=torch.int32)

    return Case([r.numbers(r.dims(r.size(0, 4)))], reference)


@judged("stop_gradient")
def stop_gradient(r):
    return Case([r.numbers(r.dims(2))], lambda x: torch.sin(x).detach() * x)


@judged("gradients")
def gradients(r):
    """With respect to a tensor in the middle of the graph, and to what it is made of."""
    shape = r.dims(2)

    def reference(x, y):
        middle = torch.sin(x) * y
        loss = (middle * middle * x).sum()
        return torch.autograd.grad(loss, [middle, x], create_graph=True)

    return Case([r.numbers(shape), r.numbers(shape)], reference, known=True)


# -- Variables -------------------------------------------------------------------------------------


@judged("variable")
def variable(r):
    shape = r.dims(r.size(0, 3))
    return Case([r.numbers(shape), r.numbers(shape)], lambda v, x: torch.sin(v) * x, kinds={0: "variable"},
                known=True)


UPDATES = {
    "update": lambda v, x: x.expand(v.shape),
    "update_add": lambda v, x: v + x,
    "update_sub": lambda v, x: v - x,
    "moving_average_update": lambda v, x, m: v * m + x * (1 - m),
}


@judged(*UPDATES)
def update(r, name):
    """The new value, and what others read in the same call: the old one."""
    shape = r.dims(r.size(0, 3))
    arrays = [r.numbers(shape), r.numbers(shape)]
    if name == "moving_average_update":
        arrays.append(np.asarray(r.random()))

    def reference(v, x, *momentum):
        return UPDATES[name](v, x, *momentum).detach(), v * x

    return Case(arrays, reference, kinds={0: "variable"}, known=True)


@judged("control_dependencies")
def control_dependencies(r):
    """What is made inside reads the new value, a constant; what is made before reads the old one."""
    shape = r.dims(2)
    return Case([r.numbers(shape), r.numbers(shape)], lambda v, x: ((v + x).detach() * 2, v * 2),
                kinds={0: "variable"}, known=True)


# -- Random numbers --------------------------------------------------------------------------------


def resembles(draws, distribution):
    """Kolmogorov and Smirnov's test; seeds are fixed, so that it is passed always or never."""
    p = scipy.stats.kstest(draws.double().detach().numpy().reshape(-1), distribution.cdf).pvalue
    if p < 1e-4:
        raise Disagreement(f"the draws are not from the distribution (p = {p:.2g})")


def many(r):
    return [r.size(30, 50), r.size(30, 50)]


# Each as (standard distribution, whether its parameters are an interval).
CONTINUOUS = {
    "random_normal": (scipy.stats.norm, False),
    "truncated_normal": (scipy.stats.truncnorm(-2, 2), False),
    "random_uniform": (scipy.stats.uniform, True),
}


@judged(*CONTINUOUS)
def continuous(r, name):
    """Moved and scaled by tensors, through which gradients flow."""
    distribution, interval = CONTINUOUS[name]
    shape = many(r)

    def reference(found, a, b):
        scale = b - a if interval else b
        draws = ((torch.from_numpy(found[0]).double() - a) / scale).detach()
        resembles(draws, distribution)
        if interval and not (0 <= draws.min() and draws.max() <= 1):
            raise Disagreement("a draw is outside the interval")
        return draws * scale + a

    a = r.normal()
    b = a + r.positive(()) if interval else r.positive(())
    return Case([np.asarray(a), np.asarray(b)], reference, {"shape": shape, "seed": r.size(0, 10**6)}, drawn=True,
                slack=50.0)


@judged("random_uniform-integers")
def random_integers(r):
    shape, low = many(r), r.size(-9, 9)
    high = low + r.size(1, 9)

    def reference(found):
        draws = found[0].reshape(-1)
        if draws.min() < low or draws.max() >= high:
            raise Disagreement("a draw is outside the interval")
        p = scipy.stats.chisquare(np.bincount(draws - low, minlength=high - low)).pvalue
        if p < 1e-4:
            raise Disagreement(f"the draws are not uniform (p = {p:.2g})")
        return torch.from_numpy(found[0])

    return Case([], reference, {"shape": shape, "low": low, "high": high, "seed": r.size(0, 10**6)}, drawn=True)


def check_frequency(hits, count, probability):
    p = scipy.stats.binomtest(int(hits), count, probability).pvalue
    if p < 1e-4:
        raise Disagreement(f"{hits} of {count} at probability {probability} (p = {p:.2g})")


@judged("random_binomial")
def random_binomial(r):
    shape, probability = many(r), r.one_of(0.0, 1.0, float(r.random()))

    def reference(found):
        draws = found[0]
        if not np.isin(draws, (0, 1)).all():
            raise Disagreement("a draw is neither 0 nor 1")
        check_frequency(draws.sum(), draws.size, probability)
        return torch.from_numpy(draws)

    return Case([], reference, {"shape": shape, "p": probability, "seed": r.size(0, 10**6)}, drawn=True)


@judged("random_uniform_variable", "random_normal_variable")
def random_variable(r, name):
    a, b = float(r.normal()), float(r.positive(()))
    args = {"shape": many(r), "a": a, "b": a + b if "uniform" in name else b, "seed": r.size(0, 10**6)}

    def reference(found):
        draws = torch.from_numpy(found[0])
        resembles((draws.double() - a) / b, scipy.stats.uniform if "uniform" in name else scipy.stats.norm)
        return draws

    return Case([], reference, args, drawn=True)


@judged("dropout")
def dropout(r):
    """Also with one choice for several elements."""
    shape, level = many(r), r.one_of(0.0, 0.2, 0.5, 0.9)
    noise = r.one_of(None, [shape[0], 1], [None, shape[1]])

    def reference(found, x):
        mask = torch.from_numpy(found[0] != 0)
        chosen = mask[:, 0] if noise and noise[1] == 1 else mask
        if not (chosen.unsqueeze(1) == mask).all() if chosen.dim() == 1 else False:
            raise Disagreement("elements of one choice differ")
        check_frequency(chosen.sum(), math.prod(chosen.shape), 1 - level)
        return torch.where(mask, x / (1 - level), torch.zeros_like(x))

    return Case([r.positive(shape)], reference, {"level": level, "noise_shape": noise, "seed": r.size(0, 10**6)},
                second=False, drawn=True)
