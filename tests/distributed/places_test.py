"""Rows of lists of samples * classes rows, which ranks pick by their samples' numbers: the loss of CTC, top_k, and what programs say with arange."""
import os

import pytest

from distributed_test import run_ranks, script

LIST = ["x, ids = K.placeholder((K.Dim('batch'), 5, 2)), K.placeholder((K.Dim('batch'),), dtype='int32')",
        "places = K.arange(K.shape(x)[0]) * 5 + ids",
        "y = K.gather(K.reshape(x, (-1, 2)), places)"]


def check(size, lines, mesh=None):
    check.jobs += 1
    init = 'D.init(%r)' % mesh if mesh else 'D.init()'
    for code, output in run_ranks(size, 'places-%d-%d' % (os.getpid(), check.jobs), script(lines, init=init)):
        assert (code, output) == (0, ''), output


check.jobs = 0

# 11 samples of up to 8 frames of 6 classes and 3 labels, some with too few frames for their labels.
CTC = ['draw = numpy.random.RandomState(2)',
       "samples = [draw.randn(11, 8, 4), draw.randint(0, 5, (11, 3)), draw.randint(2, 9, (11, 1)), draw.randint(1, 4, (11, 1))]",
       "samples[2][4], samples[3][4] = 2, 3",
       "rank, size = (D.rank(AXIS), D.size(AXIS)) if AXIS else (D.rank(), D.size())",
       'begin, end = (11 * (rank + i) // size for i in (0, 1))',
       'own = [each[begin:end] for each in samples]',
       "class Step:",
       "    def __init__(self, batch, **options):",
       "        frames, labels = K.placeholder((batch, None, 4)), K.placeholder((batch, 3), dtype='int32')",
       "        lengths = [K.placeholder((batch, 1), dtype='int32') for _ in range(2)]",
       "        start = numpy.random.RandomState(4)",
       "        self.weights = [K.variable(start.randn(4, 6)), K.variable(numpy.zeros(6))]",
       "        y = K.softmax(K.dropout(K.dot(frames, self.weights[0]) + self.weights[1], .2, seed=3))",
       "        costs = K.ctc_batch_cost(labels, y, *lengths)",
       "        loss = K.mean(K.minimum(costs, 50.))",
       "        updates = [K.update(w, w - .3 * g) for w, g in zip(self.weights, K.gradients(loss, self.weights))]",
       "        self.step = K.function([frames, labels, *lengths], [loss, costs, K.gradients(loss, [frames])[0]], updates, **options)",
       "whole, parts = Step(None), Step(K.Dim('batch'), shard=[('batch', AXIS)] if AXIS else ['batch'])",
       'for _ in range(4):',
       '    loss, costs, gradient = whole.step(samples)',
       '    assert numpy.isinf(costs).any() and numpy.isfinite(costs).any()',
       '    own_loss, own_costs, own_gradient = parts.step(own)',
       '    numpy.testing.assert_allclose(own_loss, loss, rtol=2e-5)',
       '    numpy.testing.assert_allclose(own_costs, costs[begin:end], rtol=2e-5)',
       '    numpy.testing.assert_allclose(own_gradient, gradient[begin:end], rtol=2e-4, atol=1e-7)',
       '    for one, other in zip(K.batch_get_value(whole.weights), K.batch_get_value(parts.weights)):',
       '        numpy.testing.assert_allclose(other, one, rtol=2e-5, atol=2e-6)']


@pytest.mark.parametrize('size', [1, 2, 3, 4])
def test_the_loss_of_ctc_trains_as_in_one_process(size):
    check(size, ["AXIS = ''", *CTC])


def test_the_loss_of_ctc_along_an_axis_of_a_mesh():
    check(4, ["AXIS = 'data'", *CTC], mesh={'data': 2, 'model': 2})


def test_the_loss_of_ctc_takes_no_message_of_its_own():
    check(2, ["frames, labels = K.placeholder((K.Dim('batch'), 7, 4)), K.placeholder((K.Dim('batch'), 3), dtype='int32')",
              "lengths = [K.placeholder((K.Dim('batch'), 1), dtype='int32') for _ in range(2)]",
              "costs = K.ctc_batch_cost(labels, K.softmax(frames), *lengths)",
              "f = K.function([frames, labels, *lengths], [costs, K.gradients(costs, [frames])[0]], shard=['batch'])",
              # So a rank may call it by itself.
              'if D.rank():',
              "    costs, gradient = f([numpy.ones((2, 7, 4)), [[0, 1, 2], [1, 1, 0]], [[7], [6]], [[3], [2]]])",
              '    assert numpy.isfinite(costs).all() and gradient.any()'])


def test_the_largest_of_rows_are_picked_where_they_are():
    check(3, ["x = K.placeholder((K.Dim('batch'), 4, 5))",
              'values, places = K.top_k(x, 2)',
              'loss = K.sum(K.square(values))',
              "rows = numpy.random.RandomState(3).randn(7, 4, 5).astype('float32')",
              'begin, end = (7 * (D.rank() + i) // 3 for i in (0, 1))',
              'outputs = [values, places, K.gradients(loss, [x])[0]]',
              "for part, whole in zip(K.function([x], outputs, shard=['batch'])([rows[begin:end]]), K.function([x], outputs)([rows])):",
              '    assert (part == whole[begin:end]).all()'])


def test_places_of_other_numbers_are_those_of_the_whole():
    check(2, [*LIST, "rows, picked = numpy.arange(40.).reshape(4, 5, 2), numpy.array([4, 0, 3, 1])",
              'own = slice(2 * D.rank(), 2 * D.rank() + 2)',
              "f = K.function([x, ids], [y], shard=['batch'])",
              'assert (f([rows[own], picked[own]])[0] == rows[numpy.arange(4), picked][own]).all()',
              # A row of the sample before, which is another rank's.
              'try: f([rows[own], [0, 0] if D.rank() == 0 else [-1, 0]])',
              'except Exception as error: said = str(error)',
              'else: said = "none"',
              'assert ("gather: an index is outside the rows that its rank has" in said) == (D.rank() == 1), said',
              'assert (K.function([x, ids], [y])([rows, [0, 0, -1, 0]])[0][2] == rows[1, 4]).all()',
              # What is made of the places themselves needs those of the whole.
              "def refused(*outputs): ",
              "    try: K.function([x, ids], outputs, shard=['batch'])",
              "    except ValueError as error: assert \"iota along 'batch', of which each rank has a part; needed gather_parts\" in str(error), error",
              "    else: raise AssertionError()",
              'refused(y, places)',
              'refused(K.gather(K.reshape(x, (-1, 2)), K.arange(K.shape(x)[0]) * 4 + ids))'])


@pytest.mark.parametrize('size', [1, 2, 3])
def test_where_ops_may_have_all_parts_places_are_those_of_the_whole(size):
    """A list of classes x samples, in which a sample's rows are not one behind the other; and what else is made of places."""
    check(size, ["x, ids = K.placeholder((5, K.Dim('batch'), 2)), K.placeholder((K.Dim('batch'),), dtype='int32')",
                 'samples = K.arange(K.shape(ids)[0])',
                 'mixed = K.gather(K.reshape(x, (-1, 2)), ids * K.shape(ids)[0] + samples)',
                 'moved = K.gather(K.reshape(x, (-1, 2)), samples * 5)',
                 'lines = K.permute_dimensions(x, (1, 0, 2))',
                 'own = K.gather(K.reshape(lines, (-1, 2)), samples * 5 + ids)',  # takes its own rows, if nothing else needs the whole
                 'loss = K.sum(K.square(mixed) * K.cos(moved))',
                 'draw = numpy.random.RandomState(3)',
                 "rows, picked = draw.randn(5, 7, 2).astype('float32'), draw.randint(0, 5, 7)",
                 'begin, end = (7 * (D.rank() + i) // size for i in (0, 1))'.replace('size', 'D.size()'),
                 'for made in ([mixed], [moved], [own], [mixed, moved, own, samples, K.gradients(loss, [x])[0]]):',
                 "    whole = K.function([x, ids], made)([rows, picked])",
                 "    parts = K.function([x, ids], made, shard=['batch'], gather_parts=True)([rows[:, begin:end], picked[begin:end]])",
                 '    for part, each in zip(parts, whole):',
                 '        each = each[:, begin:end] if each.ndim == 3 else each[begin:end]',
                 '        numpy.testing.assert_allclose(part, each, rtol=1e-6, atol=1e-7)'])


def test_sizes_that_the_whole_needs_are_checked_of_the_whole():
    check(2, ["x = K.placeholder((K.Dim('batch'),))",
              "f = K.function([x], [x[4] * K.sum(x)], shard=['batch'], gather_parts=True)",
              'assert f([numpy.arange(3.) + 3 * D.rank()])[0] == 60.',
              'assert f([numpy.arange(5.) if D.rank() == 0 else [5.]])[0] == 60.',
              'try: f([numpy.ones(2)])',
              'except Exception as error: said = str(error)',
              'else: said = "none"',
              'assert "4" in said, said',
              'assert f([numpy.arange(6. * (1 - D.rank()))])[0] == 60.'])
