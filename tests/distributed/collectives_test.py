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


def check(size, lines, output='', mesh=None):
    job = 'ops-%d-%d' % (os.getpid(), check.jobs)
    check.jobs += 1
    init = 'D.init(%r)' % mesh if mesh else 'D.init()'
    for code, printed in run_ranks(size, job, script(VALUES + lines, init=init)):
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


# So a rank may ask by itself, and nobody waits for what the others do meanwhile.
def test_a_rank_knows_its_number_without_a_message():
    check(3, ['scaled = K.function([x], [x * K.cast(D.rank_index(), "float32"), D.rank_index("model"), D.rank_count(), D.rank_count("model")])',
              'for call in range(rank):',
              '    y, *numbers = scaled([own])',
              '    assert (y == own * numpy.float32(rank)).all() and numbers == [rank, 3, 3], numbers',
              'D.barrier()'], mesh={'model': 3})
    check(2, ['rows = K.placeholder((K.Dim("batch"), 12))',
              'f = K.function([rows], [K.sum(rows) * K.cast(D.rank_count(), "float32")], shard=["batch"])',
              'numpy.testing.assert_allclose(f([own])[0], 2 * numpy.sum(every), rtol=1e-5)'])
    check(2, ['rows = K.placeholder((K.Dim("batch"), 12))',
              'try: K.function([rows], [K.sum(rows), D.rank_index()], shard=["batch"])',
              'except ValueError as error: assert "rank_index gives each rank another value, and a function sharded along \'batch\' is the same on all" in str(error), error',
              'else: raise AssertionError()'])


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
           ('D.permute(x, [(0, 1), (1, 2 ** 32)])', 'distributed.permute: there is no rank 2147483647; needed one of 2, from 0 on; at'),
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


# Of each axis, what the ranks along it have.
ALONG = ['for axis in ("data", "model"):',
         '    n, place = D.size(axis), D.rank(axis)',
         '    stride = 1 if axis == "model" else D.size("model")',
         '    there = [every[rank + (i - place) * stride] for i in range(n)]',
         '    def same(y, expected): close(y, expected); assert y.shape == expected.shape, y.shape']


def test_along_an_axis_of_a_mesh():
    check(6, [*ALONG,
              '    same(D.all_reduce(x, along=axis), sum(there))',
              '    same(D.all_gather(x, along=axis), numpy.concatenate(there))',
              '    same(D.reduce_scatter(x, 1, "max", along=axis), numpy.split(numpy.max(there, 0), n, axis=1)[place])',
              '    same(D.broadcast_from(x, n - 1, along=axis), there[-1])',
              '    parts = [numpy.split(each, n, axis=1)[place] for each in there]',
              '    same(D.all_to_all(x, 1, 0, along=axis), numpy.concatenate(parts))',
              '    same(D.permute(x, [(i, (i + 1) % n) for i in range(n)], along=axis), there[place - 1])',
              '    assert (value(D.rank_index(axis)), value(D.rank_count(axis))) == (place, n)',
              '    same(K.gradients(K.sum(K.square(D.all_gather(x, along=axis))), [x])[0], 2 * n * own)',
              'close(D.all_reduce(D.all_reduce(x, along="model"), along="data"), sum(every))',
              'close(D.all_reduce(x), sum(every))'],
          mesh={'data': 2, 'model': 3})


# Rows along one axis, columns of one layer and rows of the next along the other.
def test_a_step_along_two_axes_is_that_of_one_process():
    check(4, ['random = numpy.random.RandomState(9)',
              'given, wanted = random.randn(10, 6), random.randn(10, 3)',
              'first, second = random.randn(6, 8), random.randn(8, 3)',
              'inputs, targets = K.placeholder((K.Dim("batch"), 6)), K.placeholder((K.Dim("batch"), 3))',
              'def step(w1, w2, along, **options):',
              '    y = K.dot(K.tanh(K.dot(inputs, w1)), w2)',
              '    if along: y = D.all_reduce(y, along=along)',
              '    loss = K.mean(K.square(y - targets))',
              '    made = D.size(along) if along else 1',
              '    updates = [(w, w - .1 * g) for w, g in zip([w1, w2], K.gradients(loss / made, [w1, w2]))]',
              '    return K.function([inputs, targets], [loss], updates, **options)',
              'w1, w2 = K.variable(first), K.variable(second)',
              'alone = step(w1, w2, None)',
              'd, m = D.rank("data"), D.rank("model")',
              'p1, p2 = K.variable(first[:, 4 * m:][:, :4]), K.variable(second[4 * m:][:4])',
              'parts = step(p1, p2, "model", shard={"batch": "data"})',
              'rows = slice(0, 7) if d == 0 else slice(7, 10)',
              'for i in range(3):',
              '    numpy.testing.assert_allclose(parts([given[rows], wanted[rows]])[0], alone([given, wanted])[0], rtol=1e-5)',
              'numpy.testing.assert_allclose(K.get_value(p1), K.get_value(w1)[:, 4 * m:][:, :4], rtol=1e-4, atol=1e-6)',
              'numpy.testing.assert_allclose(K.get_value(p2), K.get_value(w2)[4 * m:][:4], rtol=1e-4, atol=1e-6)'],
          mesh={'data': 2, 'model': 2})


def test_sizes_along_two_axes_of_a_mesh():
    check(4, ['a, b = K.placeholder((K.Dim("rows"), 2)), K.placeholder((K.Dim("columns"), 2))',
              'f = K.function([a, b], [K.sum(a), K.sum(b), K.sum(a) * K.sum(b), K.dot(K.sum(a, 0, keepdims=True), K.transpose(b))], shard={"rows": "data", "columns": "model"})',
              'd, m = D.rank("data"), D.rank("model")',
              'x, y = numpy.arange(10.).reshape(5, 2), numpy.arange(6.).reshape(3, 2) + 1',
              'rows, columns = [slice(0, 2), slice(2, 5)][d], [slice(0, 3), slice(3, 3)][m]',
              'results = f([x[rows], y[columns]])',
              'expected = [x.sum(), y.sum(), x.sum() * y.sum(), (x.sum(0, keepdims=True) @ y.T)[:, columns]]',
              'for result, one in zip(results, expected): numpy.testing.assert_allclose(result, one, rtol=1e-6)'],
          mesh={'data': 2, 'model': 2})


def test_axes_that_there_are_not():
    check(2, ['for call in (lambda: D.all_reduce(x, along="rows"), lambda: D.rank_count("rows")):',
              '    try: call()',
              '    except ValueError as error: assert "the mesh has no axis \'rows\'; there are \'data\'; at" in str(error), error',
              '    else: raise AssertionError()'],
          mesh={'data': 2})
    check(1, ['try: D.all_reduce(x, along="rows")',
              'except ValueError as error: assert "distributed.all_reduce: the mesh has no axis \'rows\'; the ranks are in none (distributed.init); at" in str(error), error',
              'else: raise AssertionError()'])


def test_a_saved_function_knows_its_axes(tmp_path):
    path = str(tmp_path / 'f.ktg')
    check(2, ['f = K.function([x], [D.all_reduce(x, along="model")], name="f")',
              'if rank == 0: K.save_function(f, %r)' % path,
              'D.barrier()',
              'numpy.testing.assert_allclose(K.load_function(%r)([own])[0], sum(every), rtol=1e-6)' % path],
          mesh={'model': 2})
    check(2, ['try: K.load_function(%r)' % path,
              'except ValueError as error: assert "has what ranks do along the axis \'model\' of a mesh; the axes of the 2 ranks are \'data\'" in str(error), error',
              'else: raise AssertionError()'],
          mesh={'data': 2})
