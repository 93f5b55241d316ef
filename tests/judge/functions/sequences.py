"""Loops, choices and the training phase."""

import numpy as np
import torch

from .cases import Case, judged


def kept(form, batch, steps, r):
    """What rnn is told to skip steps by, as fed, and a function from it to (samples, time)."""
    if form == "lengths":
        lengths = r.integers(0, steps + 1, size=batch).astype(r.one_of("int32", "int64"))
        return lengths, lambda x: torch.arange(steps) < x.unsqueeze(1)
    mask = (r.random((batch, steps)) < 0.6).astype(r.one_of("bool", "int32", "float64"))
    if form == "mask of rank 3":
        return mask[:, :, None], lambda x: x.squeeze(2) != 0
    return mask, lambda x: x != 0


@judged("rnn")
def rnn(r):
    """Two states, of which the second also has a constant; the output is neither."""
    batch, steps, inputs, units = r.dims(4, 1, 4)
    backwards, unroll, zero = r.chance(), r.chance(0.3), r.chance()
    major, constant = r.chance(0.3), r.chance()
    form = r.one_of(None, None, "mask", "mask of rank 3", "lengths")
    selector, meaning = kept(form, batch, steps, r) if form else (None, None)

    def reference(x, w, u, h, c, *more):
        keep = meaning(more[-1].transpose(0, 1) if major and form != "lengths" else more[-1]) if form else None
        x = x.transpose(0, 1) if major else x
        out, outputs = torch.zeros_like(h), []
        for t in reversed(range(steps)) if backwards else range(steps):
            new_h = torch.tanh(x[:, t] @ w + h @ u)
            new_c = torch.sin(c) + 0.5 * new_h
            if constant:
                new_c = new_c * more[0]
            new_out = new_h * new_c
            if form:
                chosen = keep[:, t].unsqueeze(1)
                new_out = torch.where(chosen, new_out, torch.zeros_like(out) if zero else out)
                new_h, new_c = torch.where(chosen, new_h, h), torch.where(chosen, new_c, c)
            out, h, c = new_out, new_h, new_c
            outputs.append(out)
        return out, torch.stack(outputs, 0 if major else 1), h, c

    x = r.numbers((batch, steps, inputs))
    arrays = [x.swapaxes(0, 1) if major else x, r.numbers((inputs, units)), r.numbers((units, units)),
              r.numbers((batch, units)), r.numbers((batch, units))]
    if constant:
        arrays.append(r.numbers((batch, units)))
    if form:
        arrays.append(selector.swapaxes(0, 1) if major and form != "lengths" else selector)
    args = {"go_backwards": backwards, "unroll": unroll, "zero_output_for_mask": zero,
            "time_major": major, "constant": constant, "selector": form}
    return Case(arrays, reference, args, known=True)


@judged("map_fn")
def map_fn(r):
    """A function of one element or of a pair, with a tensor from outside."""
    pair = r.chance()
    count, inner = r.size(), r.dims(r.size(0, 2))

    def reference(x, outside, *y):
        results = [torch.tanh(x[i]) * outside + (torch.sin(y[0][i]) * x[i] if y else 1)
                   for i in range(count)]
        return torch.stack(results)

    arrays = [r.numbers((count, *inner)), r.numbers(inner)]
    return Case(arrays + ([r.numbers((count, *inner))] if pair else []), reference, known=True)


@judged("foldl", "foldr")
def fold(r, name):
    count, inner, initial = r.size(), r.dims(r.size(0, 2)), r.chance()

    def reference(x, outside, *start):
        elements = list(x) if name == "foldl" else list(reversed(x))
        sum_ = start[0] if start else elements.pop(0)
        for element in elements:
            sum_ = torch.tanh(sum_ * outside) + element * sum_
        return sum_

    arrays = [r.numbers((count, *inner)), r.numbers(inner)]
    return Case(arrays + ([r.numbers(inner)] if initial else []), reference, known=True)


@judged("switch")
def switch(r):
    shape = r.dims(r.size(0, 3))

    def reference(condition, x, y):
        return torch.sin(x) * y if condition != 0 else x - torch.cos(y) * y

    condition = np.asarray(r.size(0, 1)).astype(r.one_of("bool", "int32", "float64"))
    return Case([condition, r.numbers(shape), r.numbers(shape)], reference, known=True)


@judged("switch-elements")
def switch_elements(r):
    """A condition with the first axes of what it chooses from."""
    shape = r.dims(r.size(1, 4))
    condition = (r.random(shape[:r.size(1, len(shape))]) < 0.5).astype(r.one_of("bool", "int32"))

    def reference(condition, x, y):
        condition = condition.reshape(condition.shape + (1,) * (x.dim() - condition.dim()))
        return torch.where(condition != 0, x, y)

    return Case([condition, r.numbers(shape), r.numbers(shape)], reference, known=True)


@judged("learning_phase")
def learning_phase(r):
    return Case([np.asarray(r.size(0, 1), "int32"), r.numbers(r.dims(2))],
                lambda phase, x: torch.sin(x) * phase, kinds={0: "phase"})


@judged("in_train_phase", "in_test_phase")
def phases(r, name):
    """Told by the learning phase or by a tensor; branches are functions or tensors."""
    own = r.chance()
    shape = r.dims(r.size(0, 3))

    def reference(phase, x, y):
        chosen = (phase != 0) == (name == "in_train_phase")
        return torch.exp(x) * y if chosen else x * torch.sin(y)

    return Case([np.asarray(r.size(0, 1), "int32"), r.numbers(shape), r.numbers(shape)], reference,
                {"own": own, "functions": r.chance()}, kinds={} if own else {0: "phase"}, known=True)
