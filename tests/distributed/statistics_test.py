"""local_statistics: batch normalisation by the mean and the variance of each rank's own rows, against one process that has them apart."""
import os
import sys

import pytest

from distributed_test import run_ranks

# What ranks with these rows make together, as one process says it of all of them: of each rank's rows by themselves.
APART = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init()
draw = numpy.random.RandomState(5)
counts = [int(each) for each in '%s'.split(',')]
rows = [draw.randn(count, 3).astype('float32') * 2 + 1 for count in counts]
wanted = [draw.randn(count, 3).astype('float32') for count in counts]
start = [draw.rand(3) + .5 for _ in range(5)]
weights = [K.variable(each) for each in start]  # gamma, beta, w, moving mean and variance


def normalized(x):
    return K.normalize_batch_in_training(x, weights[0], weights[1], [0], 1e-2)


def losses(y, t):
    return K.sum(K.square(K.tanh(y * weights[2]) - t))


def step(inputs, batches, loss, mean, variance, **options):
    updates = [(w, w - .1 * g) for w, g in zip(weights, K.gradients(loss, weights[:3]))]
    updates += [K.moving_average_update(weights[3], mean, .9), K.moving_average_update(weights[4], variance, .9)]
    return K.function(inputs, [loss, *K.gradients(loss, batches)], updates, **options)


def after(f, values):
    for each, value in zip(weights, start):
        K.set_value(each, value)
    results = [f(values) for _ in range(3)]
    return results[-1], K.batch_get_value(weights)


present = [rank for rank, count in enumerate(counts) if count]
xs, ts = ([K.placeholder((counts[rank], 3)) for rank in present] for _ in range(2))
made = [normalized(x) for x in xs]
loss = sum(losses(y, t) for (y, _, _), t in zip(made, ts)) / sum(counts)
mean, variance = (sum(each[i] * counts[rank] for each, rank in zip(made, present)) / sum(counts) for i in (1, 2))
apart = step([*xs, *ts], xs, loss, mean, variance)
(expected_loss, *expected_gradients), expected = after(apart, [each[rank] for each in (rows, wanted) for rank in present])

x, t = (K.placeholder((K.Dim('batch'), 3)) for _ in range(2))
y, mean, variance = normalized(x)
loss = losses(y, t) / K.cast(K.shape(x)[0], 'float32')
f = step([x, t], [x], loss, mean, variance, shard=['batch'], local_statistics=True)
(found_loss, found_gradient), found = after(f, [rows[D.rank()], wanted[D.rank()]])
numpy.testing.assert_allclose(found_loss, expected_loss, rtol=1e-5)
if D.rank() in present:
    numpy.testing.assert_allclose(found_gradient, expected_gradients[present.index(D.rank())], rtol=1e-4, atol=1e-6)
for one, other in zip(found, expected):
    numpy.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
same = D.all_gather(numpy.stack(found)[None])
assert (same == same[0]).all(), same
'''


@pytest.mark.parametrize('counts', ['4,4', '5,2', '0,3', '3,4,2'])
def test_training_by_own_statistics_is_that_of_batches_apart(counts):
    command = [sys.executable, '-c', APART % counts]
    for code, output in run_ranks(counts.count(',') + 1, 'statistics-%d-%s' % (os.getpid(), counts.replace(',', '-')), command):
        assert code == 0, output


# Of each step of a loop, whose own statistics its gradient takes again.
STEPS = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init()
draw = numpy.random.RandomState(5)
counts = [int(each) for each in '%s'.split(',')]
rows = [draw.randn(count, 4, 3).astype('float32') * 2 + 1 for count in counts]
start = [draw.rand(3) + .5 for _ in range(3)]
apart, weights = ([K.variable(each) for each in start] for _ in range(2))


def made(x, gamma, beta, w):
    def step(each, states):
        h, _, _ = K.normalize_batch_in_training(each + states[0], gamma, beta, [0], 1e-2)
        h = K.tanh(h * w)
        return h, [h]
    return K.rnn(step, x, [K.zeros_like(x[:, 0])])[1]


def trained(inputs, loss, weights, **options):
    updates = [(w, w - .1 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    return K.function(inputs, [loss, *K.gradients(loss, inputs)], updates, **options)


present = [rank for rank, count in enumerate(counts) if count]
xs = [K.placeholder((counts[rank], 4, 3)) for rank in present]
expected = trained(xs, sum(K.sum(K.square(made(x, *apart))) for x in xs) / sum(counts), apart)
x = K.placeholder((K.Dim('batch'), 4, 3))
loss = K.sum(K.square(made(x, *weights))) / K.cast(K.shape(x)[0], 'float32')
found = trained([x], loss, weights, shard=['batch'], local_statistics=True)
for call in range(3):
    loss, *gradients = expected([rows[rank] for rank in present])
    own_loss, gradient = found([rows[D.rank()]])
    numpy.testing.assert_allclose(own_loss, loss, rtol=2e-5)
    if D.rank() in present:
        numpy.testing.assert_allclose(gradient, gradients[present.index(D.rank())], rtol=2e-4, atol=2e-6)
    for one, other in zip(K.batch_get_value(apart), K.batch_get_value(weights)):
        numpy.testing.assert_allclose(other, one, rtol=2e-4, atol=2e-6)
'''


@pytest.mark.parametrize('counts', ['4,4', '5,2', '0,3'])
def test_own_statistics_of_steps_go_through_their_gradients(counts):
    for code, output in run_ranks(2, 'steps-%d-%s' % (os.getpid(), counts.replace(',', '-')), [sys.executable, '-c', STEPS % counts]):
        assert code == 0, output


# In a mesh with columns of variables along another axis: against two processes' batches apart.
BESIDE = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init({'data': 2, 'model': 2})
draw = numpy.random.RandomState(5)
counts = [int(each) for each in '%s'.split(',')]
rows = [draw.randn(count, 5).astype('float32') * 2 + 1 for count in counts]
wanted = [draw.randn(count, 2).astype('float32') for count in counts]
shapes = [(5, 6), (6, 3), (6,), (6,), (6, 2), (6,), (6,)]
start = [draw.rand(*shape) + .5 for shape in shapes]


class Net:
    """Columns, normalised by their rows' statistics, then rows; gamma, beta and moving statistics are in parts, too."""

    def __init__(self):
        self.weights = [K.variable(each) for each in start]
        self.w, self.u, self.gamma, self.beta, self.v, self.mean, self.variance = self.weights

    def made(self, x):
        # What is added up along 'model' is normalised, too.
        shares = K.dot(K.tanh(K.dot(x, self.w)), self.u)
        other, _, _ = K.normalize_batch_in_training(shares, None, None, [0], 1e-2)
        y, mean, variance = K.normalize_batch_in_training(K.dot(x, self.w), self.gamma, self.beta, [0], 1e-2)
        return K.dot(K.tanh(y), self.v) + other[:, :2], mean, variance

    def function(self, inputs, loss, mean, variance, **options):
        trained = self.weights[:5]
        updates = [(w, w - .1 * g) for w, g in zip(trained, K.gradients(loss, trained))]
        updates += [K.moving_average_update(self.mean, mean, .9), K.moving_average_update(self.variance, variance, .9)]
        return K.function(inputs, [loss], updates, **options)


apart, net = Net(), Net()
present = [place for place, count in enumerate(counts) if count]
xs, ts = ([K.placeholder((counts[place], size)) for place in present] for size in (5, 2))
made = [apart.made(x) for x in xs]
loss = sum(K.sum(K.square(y - t)) for (y, _, _), t in zip(made, ts)) / sum(counts)
mean, variance = (sum(each[i] * counts[place] for each, place in zip(made, present)) / sum(counts) for i in (1, 2))
expected = apart.function([*xs, *ts], loss, mean, variance)

x, t = (K.placeholder((K.Dim('batch'), size)) for size in (5, 2))
y, mean, variance = net.made(x)
loss = K.sum(K.square(y - t)) / K.cast(K.shape(x)[0], 'float32')
parts = [(net.w, 1), (net.u, 0), (net.gamma, 0), (net.beta, 0), (net.v, 0), (net.mean, 0), (net.variance, 0)]
found = net.function([x, t], loss, mean, variance, local_statistics=True,
                     shard=[('batch', 'data')] + [(*part, 'model') for part in parts])
for step in range(4):
    one = expected([each[place] for each in (rows, wanted) for place in present])
    other = found([rows[D.rank('data')], wanted[D.rank('data')]])
    numpy.testing.assert_allclose(other, one, rtol=2e-5)
    for one, other in zip(K.batch_get_value(apart.weights), K.batch_get_value(net.weights)):
        numpy.testing.assert_allclose(other, one, rtol=2e-4, atol=2e-5)
'''


@pytest.mark.parametrize('counts', ['4,4', '5,2', '0,3'])
def test_own_statistics_beside_variables_in_parts(counts):
    for code, output in run_ranks(4, 'beside-%d-%s' % (os.getpid(), counts.replace(',', '-')), [sys.executable, '-c', BESIDE % counts]):
        assert code == 0, output


WHOLE = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

rows = numpy.random.RandomState(3).randn(5, 2).astype('float32')
x, moving = K.placeholder((None, 2)), K.variable(numpy.zeros(2))
y, mean, variance = K.normalize_batch_in_training(x, None, None, [0], 0)
f = K.function([x], [y, mean, variance], [K.moving_average_update(moving, variance, .5)])
first, second = rows[:2], rows[2:]
y, mean, variance = f([rows])
numpy.testing.assert_allclose(y, numpy.concatenate([(each - each.mean(0)) / each.std(0) for each in (first, second)]), rtol=1e-5, atol=1e-5)
numpy.testing.assert_allclose(mean, rows.mean(0), rtol=1e-5, atol=1e-6)
numpy.testing.assert_allclose(variance, .4 * first.var(0) + .6 * second.var(0), rtol=1e-5)
numpy.testing.assert_allclose(K.get_value(moving), variance / 2, rtol=1e-6)
'''


def test_programs_that_know_nothing_of_ranks_have_own_statistics_where_the_environment_says_so(monkeypatch):
    monkeypatch.setenv('KERATIN_SHARD', 'batch')
    monkeypatch.setenv('KERATIN_LOCAL_STATISTICS', 'on')
    for code, output in run_ranks(2, 'whole-statistics-%d' % os.getpid(), [sys.executable, '-c', WHOLE]):
        assert (code, output) == (0, ''), output


SAVED = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init()
x, beta = K.placeholder((K.Dim('batch'), 1)), K.variable(numpy.zeros(1))
y, mean, _ = K.normalize_batch_in_training(x, None, beta, [0], 0)
loss = K.sum(y ** 3)
path = '%s.' + str(D.rank())
K.save_function(K.function([x], [y, mean], [(beta, beta + K.gradients(loss, [beta])[0])], shard=['batch'], local_statistics=True), path)
f, g = K.load_function(path), K.load_function(path, shard=['batch'])
rows = numpy.array([[1.], [4.], [1.]]) * (D.rank() + 1)
for each, wanted in ((f, numpy.array([[-1.], [2.], [-1.]]) / 2 ** .5), (g, (rows - 3) / 6 ** .5)):
    found, mean = each([rows])
    numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert mean == 3, mean
'''


def test_it_is_saved_with_the_sizes_that_are_sharded(tmp_path):
    command = [sys.executable, '-c', SAVED % (tmp_path / 'f.ktg')]
    for code, output in run_ranks(2, 'saved-statistics-%d' % os.getpid(), command):
        assert code == 0, output


# Sizes along two axes of a mesh: statistics are of the rows that a rank has along the axes that what is normalised has parts along.
GRID = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init({'data': 2, 'model': 2})
draw = numpy.random.RandomState(5)
counts, columns = ([int(each) for each in text.split(',')] for text in ('%s', '%s'))
rows, keys = ([draw.randn(count, 3).astype('float32') * 2 + 1 for count in each] for each in (counts, columns))
start = [draw.rand(*shape) + .5 for shape in [(3,), (3,), (3,), (4, 3)]]
apart, weights = ([K.variable(each) for each in start] for _ in range(2))


def normalized(x, gamma=None, axes=[0]):
    return K.normalize_batch_in_training(x, gamma, None, axes, 1e-2)


def made(blocks, ks, gamma, other, scale, whole):
    """Of rows and keys, each by themselves; of their products, by rows, and by both; and of what all ranks have."""
    xs, ks = [normalized(x, gamma) for x in blocks], [normalized(k, other) for k in ks]
    lines = [[K.dot(x[0], K.transpose(k[0])) for k in ks] for x in xs]
    loss = sum(K.sum(K.tanh(normalized(each)[0]) ** 3) for line in lines for each in line)
    loss += sum(K.sum(K.tanh(normalized(each, None, [0, 1])[0]) ** 3) for line in lines for each in line)
    y, mean, _ = normalized(whole, scale)
    return loss + K.sum(K.tanh(y) * whole) + K.sum(mean), K.sum(y), mean


def trained(inputs, result, weights, **options):
    loss, total, mean = result
    updates = [(w, w - .01 * g) for w, g in zip(weights, K.gradients(loss, weights))]
    return K.function(inputs, [loss, total, mean, *K.gradients(loss, inputs)], updates, **options)


one, two = ([place for place, count in enumerate(each) if count] for each in (counts, columns))
xs, ks = [K.placeholder((counts[i], 3)) for i in one], [K.placeholder((columns[i], 3)) for i in two]
expected = trained([*xs, *ks], made(xs, ks, *apart), apart)
x, k = K.placeholder((K.Dim('batch'), 3)), K.placeholder((K.Dim('keys'), 3))
found = trained([x, k], made([x], [k], *weights), weights, shard={'batch': 'data', 'keys': 'model'}, local_statistics=True)
data, model = D.rank('data'), D.rank('model')
for step in range(3):
    loss, total, mean, *gradients = expected([rows[i] for i in one] + [keys[i] for i in two])
    own_loss, own_total, own_mean, dx, dk = found([rows[data], keys[model]])
    numpy.testing.assert_allclose(own_loss, loss, rtol=2e-5)
    numpy.testing.assert_allclose(own_total, total, rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(own_mean, mean, rtol=1e-5)
    if data in one:
        numpy.testing.assert_allclose(dx, gradients[one.index(data)], rtol=2e-4, atol=1e-4)
    if model in two:
        numpy.testing.assert_allclose(dk, gradients[len(one) + two.index(model)], rtol=2e-4, atol=1e-4)
    for each, other in zip(K.batch_get_value(apart), K.batch_get_value(weights)):
        numpy.testing.assert_allclose(other, each, rtol=2e-4, atol=2e-5)
'''


@pytest.mark.parametrize('counts', [('4,4', '3,3'), ('5,2', '2,4'), ('0,3', '2,2'), ('2,2', '3,0')])
def test_own_statistics_along_two_axes_of_a_mesh(counts):
    name = 'grid-%d-%s' % (os.getpid(), '-'.join(counts).replace(',', '-'))
    for code, output in run_ranks(4, name, [sys.executable, '-c', GRID % counts]):
        assert code == 0, output


# A loop that goes on by what has been normalised, and a branch that is chosen by it: what leaves the ranks is the same on all of them.
CHOSEN = '''
import numpy
import keratin.backend as K
from keratin import distributed as D

D.init()
draw = numpy.random.RandomState(5)
rows = [draw.randn(count, 3).astype('float32') * 2 + 1 for count in (5, 2)]


def made(blocks, join):
    def more(step, *xs):
        return K.sum(K.stack([K.sum(K.square(x)) for x in xs])) > 2.

    def next_step(step, *xs):
        return [step + 1, *(.7 * K.normalize_batch_in_training(x, None, None, [0], .5)[0] for x in xs)]

    steps, *xs = K.while_loop(more, next_step, [K.constant(0), *blocks], maximum_iterations=20)
    chosen = [K.switch(K.max(join(xs)) > .3, lambda: x * 2, lambda: x - 1) for x in xs]
    return steps, chosen


xs = [K.placeholder((5, 3)), K.placeholder((2, 3))]
steps, chosen = made(xs, lambda all: K.concatenate(all, axis=0))
wanted_steps, *wanted = K.function(xs, [steps, *chosen])(rows)
x = K.placeholder((K.Dim('batch'), 3))
steps, chosen = made([x], lambda all: all[0])
found_steps, found = K.function([x], [steps, *chosen], shard=['batch'], local_statistics=True)([rows[D.rank()]])
assert 1 < wanted_steps < 20 and found_steps == wanted_steps, (found_steps, wanted_steps)
numpy.testing.assert_allclose(found, wanted[D.rank()], rtol=1e-4, atol=1e-6)
'''


def test_loops_and_branches_by_what_own_statistics_have_made():
    for code, output in run_ranks(2, 'chosen-%d' % os.getpid(), [sys.executable, '-c', CHOSEN]):
        assert code == 0, output
