"""CTC: costs and decodings, against sums over all alignments and the specification's numbers."""
import itertools

import numpy as np
import pytest

import keratin.backend as K
from support import agree

FRAMES = np.array([[.5, .2, .1, .2], [.1, .6, .1, .2], [.1, .5, .1, .3], [.05, .15, .6, .2]], 'float32')
BLANK = 3


def likelihood(frames, label):
    total = 0.
    for path in itertools.product(range(4), repeat=len(frames)):
        if [c for c, _ in itertools.groupby(path) if c != BLANK] == list(label):
            total += np.prod([frame[c] for frame, c in zip(frames, path)])
    return total


@pytest.mark.parametrize('label, frames', [([0, 1, 2], 4), ([1, 1], 4), ([2], 3), ([], 4), ([0, 1], 2)])
def test_batch_cost(label, frames):
    y_true = np.full((1, 3), -1.)
    y_true[0, :len(label)] = label
    cost = K.eval(K.ctc_batch_cost(K.constant(y_true), K.constant(FRAMES[None]), np.array([[frames]]),
                                   np.array([[len(label)]])))
    agree(cost, np.array([[-np.log(likelihood(FRAMES[:frames], label))]], 'float32'), 1e-4)


@pytest.mark.parametrize('label, batch_cost, cost', [([0, 1, 2], 1.518684, .132647), ([1, 1], 3.932226, 2.545984)])
def test_costs_of_the_specification(label, batch_cost, cost):
    found = K.ctc_batch_cost(K.constant([label]), K.constant(FRAMES[None]), [[4]], [[len(label)]])
    agree(K.eval(found), np.array([[batch_cost]], 'float32'), 1e-5)
    agree(K.eval(K.ctc_cost(K.constant(FRAMES), np.array(label))), np.float32(cost), 1e-4)


def test_impossible_labels_cost_infinitely():
    cost = K.ctc_batch_cost(K.constant([[0, 1, 2]]), K.constant(FRAMES[None]), [[2]], [[3]])
    assert np.isposinf(K.eval(cost)).all()


def test_steps():
    agree(K.eval(K.ctc_interleave_blanks(np.array([1, 1]))), np.array([-1, 1, -1, 1, -1]).astype(
        K.dtype(K.ctc_interleave_blanks(np.array([1, 1])))))
    assert list(K.eval(K.ctc_create_skip_idxs(K.ctc_interleave_blanks(np.array([1, 1]))))) == []
    assert list(K.eval(K.ctc_create_skip_idxs(K.ctc_interleave_blanks(np.array([0, 1, 2]))))) == [1, 3]
    log_p, mask = K.ctc_path_probs(K.constant(FRAMES), K.ctc_interleave_blanks(np.array([1, 1])))
    mask = K.eval(mask).astype(int)
    assert mask.tolist() == [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1]]
    first = np.array([-5.22142, -4.25456, -1.68749, -1.87742, -4.42288])
    np.testing.assert_allclose(K.eval(log_p)[0][:2], first[:2], atol=1e-4)
    active, log_p = K.ctc_update_log_p(np.array([1, 3]), K.zeros(7), 1, K.constant([-1.] * 7), K.zeros(7))
    assert K.eval(active) == 2
    np.testing.assert_allclose(K.eval(log_p)[:2], [-1, -1], atol=1e-5)


def test_sparse_labels():
    sparse = K.ctc_label_dense_to_sparse(np.array([[1, 0, 5], [2, 5, 5]]), np.array([2, 1]))
    assert K.is_sparse(sparse)
    assert K.eval(K.to_dense(sparse)).tolist() == [[1, 0, 0], [2, 0, 0]]


def test_greedy_decoding():
    (decoded,), score = K.ctc_decode(K.constant(FRAMES[None]), np.array([4]))
    agree(K.eval(decoded), np.array([[0, 1, 2]]))
    agree(K.eval(score), np.array([[2.407945]], 'float32'), 1e-4)


@pytest.mark.parametrize('width, expected', [
    (1, [([0, 1, 2], -1.937943)]),
    (2, [([0, 1, 2], -1.634756), ([0, 1], -2.216866)]),
    (3, [([0, 1, 2], -1.634756), ([1, 2], -2.100461), ([0, 1], -2.216866)]),
    (100, [([0, 1, 2], -1.518684), ([1, 2], -1.835085), ([0, 1], -2.211374)]),
])
def test_beam_search(width, expected):
    decoded, scores = K.ctc_decode(K.constant(FRAMES[None]), np.array([4]), greedy=False, beam_width=width,
                                   top_paths=len(expected))
    for path, (label, _) in zip(decoded, expected):
        assert [c for c in K.eval(path)[0] if c >= 0] == label
    agree(K.eval(scores), np.array([[score for _, score in expected]], 'float32'), 1e-4)


@pytest.mark.parametrize('merge, expected', [(False, [0, 1, 1, 0]), (True, [0, 1, 0])])
def test_merging(merge, expected):
    frames = np.eye(3, dtype='float32')[[2, 0, 1, 2, 1, 0]][None]
    (decoded,), _ = K.ctc_decode(K.constant(frames), np.array([6]), greedy=False, beam_width=1, merge_repeated=merge)
    assert K.eval(decoded)[0].tolist() == expected
