"""keratin.distributed's tensors: what ranks do together within a function, against NumPy on what all of them have."""
import os

import pytest

from distributed_test import run_ranks, script

# What a rank has, and what all have.
VALUES = ['size, rank = D.size(), D.rank()',
          "every = [numpy.random.RandomState(5 + r).randn(6, 12).astype('float32') for r in range(size)]",
          'own = every[rank]',
          'x = K.placeholder((6, 12))',
          'def value(y): return K.function([x], [y])([own])[0]',
          'def close(y, expected): numpy.testing.assert_allclose(value(y), expected, rtol=1e-6, atol=1e-6)']


def check(size, lines, output=''):
    job = 'ops-%d-%d' % (os.getpid(), check.jobs)
    check.jobs += 1
    for code, printed in run_ranks(size, job, script(VALUES + lines)):
        assert (code, printed) == (0, output), printed


check.jobs = 0
sizes = pytest.mark.parametrize('size', [1, 2, 3])


@sizes
def test_reductions(size):
    check(size, ['for name in ("sum", "max", "min", "mean"):',
                 '    whole = getattr(numpy, name)(every, axis=0)',
                 '    close(D.all_reduce(x, name), whole)',
                 '    close(D.reduce_scatter(x, 0, name), numpy.split(whole, size)[rank])',
                 '    close(D.reduce_scatter(x, -1, name), numpy.split(whole, size, axis=1)[rank])',
                 'count = K.constant(rank + 1, dtype="int32")',
                 'assert value(D.all_reduce(count, "max")) == size'])


@sizes
def test_gathers(size):
    check(size, ['for axis in (0, 1, -1): close(D.all_gather(x, axis), numpy.concatenate(every, axis))',
                 'y = D.all_gather(x)',
                 'assert y.shape == (6 * size, 12), y.shape',
                 # Of the rows that a call is given.
                 'rows = K.placeholder((None, 12))',
                 'f = K.function([rows], [D.all_gather(rows, 0), D.reduce_scatter(rows)])',
                 'whole, part = f([own])',
                 'assert (whole == numpy.concatenate(every)).all()',
                 'numpy.testing.assert_allclose(part, numpy.split(sum(every), size)[rank], rtol=1e-6)'])


@sizes
def test_what_goes_to_one_rank_or_comes_from_one(size):
    check(size, ['for root in range(size): assert (value(D.broadcast_from(x, root)) == every[root]).all()',
                 'ring = [(r, (r + 1) % size) for r in range(size)]',
                 'assert (value(D.permute(x, ring)) == every[rank - 1]).all()',
                 'expected = every[rank - 1] if rank else numpy.zeros((6, 12))',
                 'assert (value(D.permute(x, ring[:-1])) == expected).all()',
                 'for split in (0, 1):',
                 '    for concat in (0, 1):',
                 '        parts = [numpy.split(each, size, split)[rank] for each in every]',
                 '        assert (value(D.all_to_all(x, split, concat)) == numpy.concatenate(parts, concat)).all()',
                 'assert (value(D.rank_index()), value(D.rank_count())) == (rank, size)'])


# Of the sum of what all ranks make; a rank at a time moves one of its elements.
def test_gradients_are_those_of_all_ranks_sum():
    check(3, ['weights = K.constant(numpy.random.RandomState(rank).randn(12))',
              'def loss(y): return K.sum(K.square(y)[..., :1] * weights[0]) + K.mean(K.sin(y))',
              'made = [D.all_reduce(x), D.all_reduce(x, "mean"), D.all_reduce(x, "max"), D.all_gather(x, 1),',
              '        D.reduce_scatter(x, 0), D.reduce_scatter(x, 1, "mean"), D.reduce_scatter(x, 1, "min"),',
              '        D.broadcast_from(x, 1), D.all_to_all(x, 0, 1), D.permute(x, [(0, 2), (2, 1)])]',
              'for number, y in enumerate(made):',
              '    f = K.function([x], [loss(y), K.gradients(loss(y), [x])[0]])',
              '    gradient = f([own])[1]',
              '    for mover in range(size):',
              '        for place in ((0, 0), (3, 7), (5, 11)):',
              '            totals = []',
              '            for step in (1e-2, -1e-2):',
              '                given = own.copy()',
              '                given[place] += step * (rank == mover)',
              '                totals.append(D.all_gather(f([given])[0].reshape(1).astype("float64")).sum())',
              '            found = (totals[0] - totals[1]) / 2e-2',
              '            if rank == mover: numpy.testing.assert_allclose(gradient[place], found, rtol=2e-2, atol=2e-2, err_msg=str((number, place)))'])


def test_a_step_that_averages_gradients_by_itself(tmp_path):
    check(3, ['w = K.variable(numpy.ones((12, 1)))',
              'loss = K.mean(K.square(K.dot(x, w)))',
              'gradient = K.gradients(loss, [w])[0]',
              'step = K.function([x], [D.all_reduce(loss, "mean")], [(w, w - .125 * D.all_reduce(gradient, "mean"))], name="step")',
              'if rank == 0: K.save_function(step, %r)' % str(tmp_path / 'step.ktg'),
              'D.barrier()',
              'loaded = K.load_function(%r)' % str(tmp_path / 'step.ktg'),
              'expected = numpy.ones((12, 1))',
              'whole = numpy.concatenate(every).astype("float64")',
              'for i in range(3):',
              '    numpy.testing.assert_allclose(step([own])[0], numpy.mean((whole @ expected) ** 2), rtol=1e-5)',
              '    assert loaded([own])[0] is not None',
              '    expected -= .125 * 2 / len(whole) * whole.T @ (whole @ expected)',
              'numpy.testing.assert_allclose(K.get_value(w), expected, rtol=1e-4, atol=1e-5)',
              'assert (K.get_value(loaded.variables[0]) == K.get_value(w)).all()'])


REFUSED = [('D.all_reduce(x, "product")', "distributed.all_reduce: there is no reduction 'product'; needed sum, max, min or mean; at"),
           ('D.all_reduce(K.constant(1, dtype="int32"), "mean")', 'distributed.all_reduce: the mean of int32; needed floats; at'),
           ('D.reduce_scatter(x[:5], 0)', 'distributed.reduce_scatter: axis 0 has size 5; needed a multiple of 2, the number of ranks; at'),
           ('D.broadcast_from(x, 2)', 'distributed.broadcast_from: there is no rank 2; needed one of 2, from 0 on; at'),
           ('D.permute(x, [(0, 1), (0, 0)])', 'distributed.permute: the pair (0, 0) has the sender or the receiver of an earlier one; needed others; at'),
           ('D.permute(x, [(0, 1), (1, 1)])', 'distributed.permute: the pair (1, 1) has the sender or the receiver of an earlier one; needed others; at')]


def test_what_does_not_fit_is_refused():
    check(2, ['for text, message in %r:' % REFUSED,
              '    try: eval(text)',
              '    except ValueError as error: assert message in str(error), error',
              '    else: raise AssertionError(text)',
              'rows = K.placeholder((None, 12))',
              'f = K.function([rows], [D.reduce_scatter(rows)])',
              'try: f([own[:5]])',
              'except ValueError as error: assert "axis 0 and 2 parts of it, one for each rank, must have equal sizes" in str(error), error',
              'else: raise AssertionError("uneven")'])


def test_in_a_sharded_function_they_take_what_is_the_same():
    check(2, ['rows = K.placeholder((K.Dim("batch"), 12))',
              'loss = K.sum(rows)',
              'f = K.function([rows], [D.all_reduce(loss), D.broadcast_from(loss, 1), K.shape(D.all_gather(rows[0] * 0 + loss))[0]], shard=["batch"], gather_parts=True)',
              'total = numpy.sum(every)',
              'numpy.testing.assert_allclose(f([own]), [2 * total, total, 24], rtol=1e-5)',
              'for y, message in ((D.all_reduce(rows), "all_reduce of \'batch\', of which each rank has a part; needed what is the same on all"),',
              '                   (D.reduce_scatter(K.sum(rows, 0)), "reduce_scatter gives each rank another value, and a function sharded along \'batch\' is the same on all")):',
              '    try: K.function([rows], [y], shard=["batch"])',
              '    except ValueError as error: assert message in str(error), error',
              '    else: raise AssertionError(message)'])
