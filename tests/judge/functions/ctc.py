"""Label sequences: losses by enumerating alignments, decoding by enumeration and by the beam's rules."""

import itertools
import math

import numpy as np
import scipy.special
import torch

from .cases import EPSILON, Case, Disagreement, judged


def collapse(alignment, blank):
    """The labels of an alignment: repeated classes count once, then blanks go."""
    return tuple(c for c, _ in itertools.groupby(alignment) if c != blank)


def alignments(steps, classes):
    return list(itertools.product(range(classes), repeat=steps))


def probabilities(r, shape):
    return scipy.special.softmax(r.numbers(shape) * r.one_of(0.5, 1.0, 3.0), -1)


# -- Losses ----------------------------------------------------------------------------------------


def negative_log_likelihood(logs, label, steps):
    """-log of the sum over all alignments of `steps` frames that collapse to the label."""
    if steps == 0:
        return logs.sum() * 0 + (math.inf if label else 0.0)
    classes = logs.shape[1]
    fitting = [a for a in alignments(steps, classes) if collapse(a, classes - 1) == label]
    if not fitting:
        return torch.tensor(math.inf, dtype=logs.dtype)
    paths = torch.tensor(fitting)
    return -torch.logsumexp(logs[torch.arange(steps), paths].sum(1), 0)


@judged("ctc_batch_cost")
def ctc_batch_cost(r):
    """Also labels that do not fit into the frames, equal neighbours, and empty ones."""
    batch, classes, steps, longest = r.size(1, 3), r.size(2, 4), r.size(1, 5), r.size(1, 3)
    label_length = r.integers(0, longest + 1, size=(batch, 1)).astype(r.one_of("int32", "int64"))
    input_length = r.integers(0, steps + 1, size=(batch, 1)).astype(r.one_of("int32", "int64"))
    labels = r.integers(0, classes - 1, size=(batch, longest)).astype("int32")
    labels[np.arange(longest) >= label_length] = -1

    def reference(labels, y, lengths, label_lengths):
        logs = torch.log_softmax(torch.log(y + EPSILON), -1)
        costs = [negative_log_likelihood(logs[b], tuple(labels[b, :label_lengths[b, 0]].tolist()),
                                         int(lengths[b, 0]))
                 for b in range(batch)]
        return torch.stack(costs).unsqueeze(1)

    return Case([labels, probabilities(r, (batch, steps, classes)), input_length, label_length], reference,
                known=True)


@judged("ctc_cost")
def ctc_cost(r):
    """By the spec's remark: it sums over all frames, what each alone would give."""
    classes, steps = r.size(2, 4), r.size(2, 5)
    label = r.integers(0, classes - 1, size=r.size(1, 2)).astype("int32")

    def reference(predict, y):
        log_probs, mask = path_probs(predict, interleaved(y), 1e-4)
        return -torch.logsumexp(log_probs[mask], 0)

    return Case([probabilities(r, (steps, classes)), label], reference, known=True)


# -- Helpers for one sample ------------------------------------------------------------------------


def interleaved(y):
    result = torch.full((2 * len(y) + 1,), -1, dtype=y.dtype)
    result[1::2] = y
    return result


def skip_indices(y):
    return [s for s in range(1, len(y) - 2, 2) if y[s] != y[s + 2]]


def step(skips, zeros, active, current, previous):
    """The next (number of reachable states, log probabilities of states)."""
    states = len(zeros)
    skips = [s for s in skips if s < active]
    reached = min(max(active + 1, max(skips, default=-1) + 3), states)
    entries = []
    for s in range(reached):
        sources = [s] if s < active else []
        sources += [s - 1] if 0 <= s - 1 < active else []
        sources += [s - 2] if s - 2 in skips else []
        entries.append(current[s] + torch.logsumexp(previous[sources], 0))
    return reached, torch.cat([torch.stack(entries), zeros[reached:]])


def path_probs(predict, y, alpha):
    logs = torch.log((1 - alpha) * predict[:, y.long()] + alpha / len(y))

    def forward(logs, y):
        active, log_p = 1, torch.zeros(len(y), dtype=logs.dtype)
        zeros, collected, reachable = log_p, [], []
        for current in logs:
            active, log_p = step(skip_indices(y), zeros, active, current, log_p)
            collected.append(log_p)
            reachable.append(torch.arange(len(y)) < active)
        return torch.stack(collected), torch.stack(reachable)

    log_f, mask_f = forward(logs, y)
    log_b, mask_b = forward(logs.flip(0, 1), y.flip(0))
    return log_f + log_b.flip(0, 1) - logs, mask_f & mask_b.flip(0, 1)


def random_label(r, classes, low=1, high=3):
    return r.integers(0, classes - 1, size=r.size(low, high)).astype(r.one_of("int32", "int64"))


@judged("ctc_interleave_blanks")
def ctc_interleave_blanks(r):
    return Case([random_label(r, 5, 0, 6)], interleaved)


@judged("ctc_create_skip_idxs")
def ctc_create_skip_idxs(r):
    label = interleaved(torch.from_numpy(random_label(r, r.size(2, 4), 1, 6))).numpy()
    return Case([label], lambda y: torch.tensor(skip_indices(y), dtype=torch.int64))


@judged("ctc_update_log_p")
def ctc_update_log_p(r):
    label = interleaved(torch.from_numpy(random_label(r, r.size(2, 4), 1, 4)))
    states = len(label)
    skips = np.array(skip_indices(label), "int32")
    active = np.asarray(r.size(1, states), "int32")

    def reference(skips, zeros, active, current, previous):
        reached, log_p = step(skips.tolist(), zeros, int(active), current, previous)
        return torch.tensor(reached, dtype=torch.int32), log_p

    return Case([skips, r.numbers(states), active, r.numbers(states), r.numbers(states)], reference, known=True)


@judged("ctc_path_probs")
def ctc_path_probs(r):
    """Only what the mask selects means anything."""
    classes, steps, alpha = r.size(2, 4), r.size(1, 5), r.one_of(1e-4, 1e-2)
    label = interleaved(torch.from_numpy(random_label(r, classes, 1, 2))).numpy()

    def reference(predict, y):
        log_probs, mask = path_probs(predict, y, alpha)
        return torch.where(mask, log_probs, torch.zeros_like(log_probs)), mask

    return Case([probabilities(r, (steps, classes)), label], reference, {"alpha": alpha}, known=True)


# -- Decoding --------------------------------------------------------------------------------------


def rows_of(sequences):
    """Label sequences as rows, padded with -1."""
    longest = max(map(len, sequences), default=0)
    return torch.tensor([[*s, *[-1] * (longest - len(s))] for s in sequences],
                        dtype=torch.int64).reshape(len(sequences), longest)


def decoding_input(r, classes, steps):
    batch = r.size(1, 3)
    lengths = r.integers(1, steps + 1, size=batch).astype(r.one_of("int32", "int64"))
    return [probabilities(r, (batch, steps, classes)), lengths]


@judged("ctc_decode-greedy")
def greedy(r):
    inputs = decoding_input(r, r.size(2, 4), r.size(1, 8))
    inputs[1] = inputs[1] * r.one_of(0, 1, 1, 1)  # no frame at all, too

    def reference(y, lengths):
        z = torch.log(y + EPSILON)
        blank = y.shape[2] - 1
        sequences = [collapse(z[b, :n].argmax(1).tolist(), blank) for b, n in enumerate(lengths.tolist())]
        sums = [-z[b, :n].amax(1).sum() for b, n in enumerate(lengths.tolist())]
        return rows_of(sequences), torch.stack(sums).unsqueeze(1).detach()

    return Case(inputs, reference)


def beam_search(d, width):
    """The rules of a beam over prefixes, for normalised log probabilities of frames."""
    blank = d.shape[1] - 1
    beam = {(): (0.0, -math.inf)}  # ends in a blank, ends in its last label

    def total(pair):
        return np.logaddexp(*pair)

    for frame in d:
        old = dict(beam)
        order = sorted(old, key=lambda prefix: -total(old[prefix]))
        for prefix in order:
            ends_in_label = -math.inf
            if prefix:
                ends_in_label = old[prefix][1]
                parent = prefix[:-1]
                if parent in beam:
                    doubled = len(prefix) > 1 and prefix[-1] == prefix[-2]
                    extended = old[parent][0] if doubled else total(old[parent])
                    ends_in_label = np.logaddexp(ends_in_label, extended)
                ends_in_label += frame[prefix[-1]]
            beam[prefix] = (total(old[prefix]) + frame[blank], ends_in_label)
        for prefix in order:
            before = total(old[prefix])
            lowest = min(map(total, beam.values()))
            if not math.isfinite(before) or (len(beam) >= width and before <= lowest):
                continue
            for c in range(blank):
                extended = (*prefix, c)
                if extended in beam:
                    continue
                p = frame[c] + (old[prefix][0] if prefix and prefix[-1] == c else before)
                if not math.isfinite(p):
                    continue
                if len(beam) >= width:
                    worst = min(beam, key=lambda other: total(beam[other]))
                    if p <= total(beam[worst]):
                        continue
                    del beam[worst]
                beam[extended] = (-math.inf, p)
    return sorted(((total(pair), prefix) for prefix, pair in beam.items()), reverse=True)


def enumeration(d):
    """All prefixes with their likelihoods, out of all alignments."""
    found = {}
    for alignment in alignments(len(d), d.shape[1]):
        prefix = collapse(alignment, d.shape[1] - 1)
        score = sum(frame[c] for frame, c in zip(d, alignment))
        found[prefix] = np.logaddexp(found.get(prefix, -math.inf), score)
    return sorted(((score, prefix) for prefix, score in found.items()), reverse=True)


def decoded(y, lengths, search, paths, merge):
    """The `paths` best of each sample, as ctc_decode returns them, after a look for near ties."""
    z = torch.log(y + EPSILON)
    d = torch.log_softmax(z, -1).detach().numpy()
    sequences, scores = [[] for _ in range(paths)], []
    for b, n in enumerate(lengths.tolist()):
        best = search(d[b, :n])
        ordered = [score for score, _ in best[:paths + 1]]
        if any(above - below < 1e-5 for above, below in zip(ordered, ordered[1:])):
            raise Disagreement("a tie, which the case must not have")
        for path, (_, prefix) in zip(sequences, best):
            path.append(tuple(c for c, _ in itertools.groupby(prefix)) if merge else prefix)
        scores.append(ordered[:paths])
    return *map(rows_of, sequences), torch.tensor(scores, dtype=torch.float64)


@judged("ctc_decode-beam")
def beam(r):
    """Narrow beams, whose pruning must follow the rules."""
    classes, width = r.size(2, 4), r.size(2, 6)
    inputs = decoding_input(r, classes, r.size(1, 7))
    paths, merge = r.size(1, 2), r.chance(0.3)

    def reference(y, lengths):
        return decoded(y, lengths, lambda d: beam_search(d, width), paths, merge)

    return Case(inputs, reference, {"beam_width": width, "top_paths": paths, "merge_repeated": merge})


@judged("ctc_decode-all")
def all_paths(r):
    """Beams that drop nothing, against all alignments."""
    classes, steps = r.one_of((2, 5), (3, 4), (4, 3))
    inputs = decoding_input(r, classes, steps)
    paths = r.size(1, 2)

    def reference(y, lengths):
        return decoded(y, lengths, enumeration, paths, False)

    return Case(inputs, reference, {"beam_width": 200, "top_paths": paths, "merge_repeated": False})
