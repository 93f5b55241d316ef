"""Variables of which each rank has a part (tensor parallel): what one rank computes, and a part of its memory."""
import os
import sys

import numpy
import pytest

from distributed_test import run_ranks

MODEL = '''
import os, sys
import numpy
import keratin.backend as K
from keratin import distributed as D
mesh = %r
D.init(mesh)
data = numpy.random.RandomState(7)
images, labels = data.rand(4, 6, 5).astype('float32'), numpy.eye(3, dtype='float32')[data.randint(0, 3, (4, 6))]


def sgd(weights, gradients):
    return [], [K.update(p, p - .3 * g) for p, g in zip(weights, gradients)]


def adam(weights, gradients):
    states, updates = [], []
    for p, g in zip(weights, gradients):
        m, u = K.zeros(K.int_shape(p)), K.zeros(K.int_shape(p))
        new_m, new_u = .9 * m + .1 * g, .99 * u + .01 * K.square(g)
        updates += [K.update(m, new_m), K.update(u, new_u), K.update(p, p - .02 * new_m / (K.sqrt(new_u) + 1e-3))]
        states += [m, u]
    return states, updates


class Model(object):
    """A step of a net that subclasses say, with weights as (shape, dimension); None: whole. In a mesh those are along
    'model', and 4 sequences of 6 are along 'data'."""

    def __init__(self, optimizer, divides):
        initial = numpy.random.RandomState(3)
        batch = K.Dim('batch') if divides and mesh else 4
        x, t = K.placeholder((batch, 6, 5)), K.placeholder((batch, 6, 3))
        self.weights = [K.variable(initial.randn(*shape) * .4, name='w%%d' %% i) for i, (shape, _) in enumerate(self.SHAPES)]
        along = ('model',) if mesh else ()
        shards = [(w, dimension) + along for w, (_, dimension) in zip(self.weights, self.SHAPES) if dimension is not None]
        shards += [('batch', 'data')] if mesh else []
        self.rows = slice(2 * D.rank('data'), 2 * D.rank('data') + 2) if divides and mesh else slice(4)
        y = K.softmax(self.net(x, *self.weights))
        loss = K.mean(K.categorical_crossentropy(t, y))
        gradients = K.gradients(loss, self.weights)
        norm = K.sqrt(sum(K.sum(K.square(g)) for g in gradients))
        self.states, updates = optimizer(self.weights, [g / K.maximum(norm, .5) for g in gradients])
        self.step = K.function([x, t], [loss, norm, y], updates, shard=shards if divides else [])

    def train(self):
        return self.step([images[self.rows], labels[self.rows]])

    def values(self):
        return K.batch_get_value(self.weights + self.states)


class Perceptron(Model):
    """By columns, then by rows: a message each way."""
    SHAPES = [((5, 8), 1), ((8,), -1), ((8, 3), 0), ((3,), None)]

    def net(self, x, w, b, v, c):
        return K.dot(K.tanh(K.dot(x, w) + b), v) + c


class Block(Model):
    """One of a transformer, of 4 heads of 2."""
    SHAPES = [((5, 8), None)] + [((8, 8), 1)] * 3 + [((8, 8), 0), ((8, 16), 1), ((16,), 0), ((16, 8), 0), ((8,), None), ((8, 3), None)]

    def net(self, x, table, wq, wk, wv, wo, up, b, down, c, out):
        x = K.dot(x, table)
        q, k, v = (K.reshape(K.dot(self.norm(x), w), (-1, 6, 4, 2)) for w in (wq, wk, wv))
        p = K.softmax(K.einsum('bthd,bshd->bhts', [q, k]) + K.constant(numpy.triu(numpy.full((6, 6), -1e9), 1)))
        x = x + K.dot(K.reshape(K.einsum('bhts,bshd->bthd', [p, v]), (-1, 6, 8)), wo)
        x = x + K.dropout(K.dot(K.relu(K.dot(self.norm(x), up) + b), down) + c, .1, seed=2)
        return K.dot(x, out)

    def norm(self, x):
        x = x - K.mean(x, axis=-1, keepdims=True)
        return x / K.sqrt(K.mean(K.square(x), axis=-1, keepdims=True) + 1e-3)


class Words(Model):
    """A table by rows: each rank looks up what it has."""
    ROWS = 12
    SHAPES = property(lambda self: [((self.ROWS, 8), 0), ((8, 6), 1), ((6, 3), 0)])

    def net(self, x, table, w, v):
        words = K.cast(K.abs(x) * (self.ROWS - .1), 'int32')
        return K.dot(K.tanh(K.dot(K.sum(K.gather(table, words), axis=2), w)), v) + K.gather(table, words[:, :, 0])[..., :3]


class UnevenWords(Words):
    """Of three ranks one has no row."""
    ROWS = 2


class Channels(Model):
    """Filters by output channels, then by input channels: a message each way."""
    SHAPES = [((3, 5, 8), 2), ((8,), 0), ((3, 8, 6), 1), ((6, 3), None)]

    def net(self, x, first, b, second, out, each=None):
        h = K.expand_dims(K.relu(K.conv1d(x, first, padding='same') + b), 2)
        h = K.pool2d(h, (3, 1), padding='same')
        if each is not None: h = K.depthwise_conv2d(h, each, padding='same')
        return K.dot(K.conv1d(K.squeeze(h, 2), second, padding='same'), out)


class EachChannel(Channels):
    """With two filters for each channel between them."""
    SHAPES = [((3, 5, 8), 2), ((8,), 0), ((3, 16, 6), 1), ((6, 3), None), ((3, 1, 8, 2), 2)]


def check(ones, others, bound=2e-5):
    for one, other in zip(ones, others):
        assert one.shape == other.shape and (abs(one - other) <= bound * (1 + abs(one).max(initial=0))).all(), (one, other)


def refused(work):
    try: work()
    except Exception as error: print(type(error).__name__, error)
'''


def run(size, lines, *arguments, mesh=None):
    run.jobs += 1
    command = [sys.executable, '-c', MODEL % (mesh or {},) + '\n'.join(lines), *map(str, arguments)]
    outputs = run_ranks(size, 'variables-%d-%d' % (os.getpid(), run.jobs), command)
    for code, output in outputs:
        assert code == 0, output
    return [output for _, output in outputs]


run.jobs = 0


# 8 columns are 4 and 4, or 2, 3 and 3.
@pytest.mark.parametrize('model, size', [('Perceptron', 1), ('Perceptron', 2), ('Perceptron', 3), ('Block', 2),
                                         ('Words', 2), ('UnevenWords', 3), ('Channels', 2), ('Channels', 3), ('EachChannel', 2)])
@pytest.mark.parametrize('optimizer', ['sgd', 'adam'])
def test_steps_are_those_of_one_rank(model, size, optimizer):
    run(size, ['whole, divided = (%s(%s, divides) for divides in (False, True))' % (model, optimizer),
               'for step in range(6):',
               '    check(whole.train(), divided.train())',
               '    check(whole.values(), divided.values())',
               'assert all(state.any() for state in divided.values())'])


@pytest.mark.parametrize('model', ['Perceptron', 'Block', 'Words', 'EachChannel'])
@pytest.mark.parametrize('optimizer', ['sgd', 'adam'])
def test_a_batch_along_another_axis(model, optimizer):
    run(4, ['whole, divided = (%s(%s, divides) for divides in (False, True))' % (model, optimizer),
            'for step in range(6):',
            '    loss, norm, y = whole.train()',
            '    check((loss, norm, y[divided.rows]), divided.train())',
            '    check(whole.values(), divided.values())',
            'K.set_value(divided.weights[0], numpy.arange(K.count_params(divided.weights[0])).reshape(K.int_shape(divided.weights[0])))',
            'assert (K.get_value(divided.weights[0]).ravel() == range(K.count_params(divided.weights[0]))).all()'],
        mesh={'data': 2, 'model': 2})


def test_values_are_set_whole():
    run(3, ['whole, divided = (Perceptron(adam, divides) for divides in (False, True))',
            'divided.train()',
            'for model in (whole, divided):',
            '    for i, each in enumerate(model.weights + model.states):',
            '        K.set_value(each, numpy.linspace(.1, .5 + i * .01, K.count_params(each)).reshape(K.int_shape(each)))',
            'check(whole.values(), divided.values(), 0)',
            'check(whole.train(), divided.train())',
            'K.batch_set_value([(w, numpy.ones(K.int_shape(w))) for w in divided.weights])',
            'assert all((value == 1).all() for value in K.batch_get_value(divided.weights))',
            'if D.rank() == 0: K.set_value(divided.weights[0], numpy.arange(40).reshape(5, 8))',
            'else: K.set_value(divided.weights[0], numpy.zeros((5, 8)))',
            'D.broadcast(divided.weights)',
            # Each part is that of the whole that its rank was given.
            'assert K.get_value(divided.weights[0])[0].tolist() == [0, 1] + [0] * 6'])


def test_files_hold_the_whole(tmp_path):
    run(2, ['whole, divided = (Perceptron(adam, divides) for divides in (False, True))',
            'for _ in range(3): whole.train(), divided.train()',
            "path = '%s/%d.safetensors' % (sys.argv[1], D.rank())",
            'divided.step.save_weights(path)',
            'saved = divided.values()',
            'divided.train()',
            'divided.step.load_weights(path)',
            'check(saved, divided.values(), 0)',
            'check(whole.train(), divided.train())'], tmp_path)
    assert (tmp_path / '0.safetensors').read_bytes() == (tmp_path / '1.safetensors').read_bytes()


def test_checkpoints_are_those_of_any_number_of_ranks(tmp_path):
    index = tmp_path / 'net.safetensors.index.json'
    show = ["if D.rank() == 0: sys.stdout.write(b''.join(value.tobytes() for value in values).hex())"]
    save = ['model = Perceptron(adam, True)', 'for _ in range(3): model.train()',
            'D.save_checkpoint(model.step, sys.argv[1])', 'values = model.values()']
    load = ['model = Perceptron(adam, True)', 'D.load_checkpoint(model.step, sys.argv[1])', 'values = model.values()']
    saved = run(2, save + show, index)[0]
    assert saved and {run(size, load + show, index)[0] for size in (1, 2, 3)} == {saved}


# Rows that no rank was given stay, moments too; a part may get none at all.
@pytest.mark.parametrize('rows', [12, 11])
def test_lazy_updates_of_a_part_are_those_of_the_whole(rows):
    run(3, ['words = K.placeholder((5,), dtype="int32")',
            'initial = numpy.random.RandomState(1).randn(%d, 8)' % rows,
            'def make(divides):',
            '    table = K.variable(initial)',
            '    states, updates = adam([table], K.gradients(K.sum(K.square(K.gather(table, words) - 1)), [table]))',
            '    shards = [(table, 0)] if divides else []',
            '    return K.function([words], [K.gather(table, words)], updates, shard=shards, lazy_updates=True), [table] + states',
            '(whole, values), (divided, own) = make(False), make(True)',
            'for given in ([0, 1, 1, 3, 0], [3, 3, 3, 3, 3], [10, 4, 10, 9, 0]):',
            '    check(whole([given]), divided([given]))',
            '    check(K.batch_get_value(values), K.batch_get_value(own))',
            'assert (K.get_value(own[0])[5:9] == initial[5:9].astype("float32")).all()',
            'refused(lambda: divided([[0, 1, %d, 1, 0]]))' % rows])


# Indices in parts along another axis: what a rank's lookups leave out, those along the table's axis have; and what is added up to its rows comes along the batch's. Along the same one all
# ranks see all indices.
@pytest.mark.parametrize('rows', [12, 11])
@pytest.mark.parametrize('optimizer', ['sgd', 'adam'])
@pytest.mark.parametrize('lazy', [False, True])
@pytest.mark.parametrize('size, mesh, axis', [(4, {'data': 2, 'model': 2}, 'model'), (4, {'data': 2, 'model': 2}, 'data'), (3, {'data': 3}, 'data'), (2, None, None)])
def test_a_table_and_its_indices_in_parts(rows, optimizer, lazy, size, mesh, axis):
    table, batch = ((0, axis), ('batch', 'data')) if mesh else ((0,), 'batch')
    run(size, ['initial = numpy.random.RandomState(1).randn(%d, 8)' % rows,
            'class Table(object):',
            '    def __init__(self, batch, shards):',
            "        words, wanted = K.placeholder((batch, 3), dtype='int32'), K.placeholder((batch, 3, 8))",
            '        self.table = K.variable(initial)',
            '        found = K.gather(self.table, words)',
            '        loss = K.mean(K.square(K.tanh(found) - wanted))',
            '        self.states, updates = %s([self.table], K.gradients(loss, [self.table]))' % optimizer,
            '        self.step = K.function([words, wanted], [loss, found], updates, shard=shards and shards + [(self.table, *%r)], lazy_updates=%s)' % (table, lazy),
            '    def values(self): return K.batch_get_value([self.table] + self.states)',
            "whole, divided = Table(None, []), Table(K.Dim('batch'), [%r])" % (batch,),
            'draw = numpy.random.RandomState(8)',
            "own = [slice(0, 3), slice(3, 5), slice(5, 5)][D.rank('data') if mesh else D.rank()]",
            'for step in range(5):',
            '    words, wanted = draw.randint(0, 5 + step, (5, 3)), draw.rand(5, 3, 8)',
            '    loss, found = whole.step([words, wanted])',
            '    check((loss, found[own]), divided.step([words[own], wanted[own]]))',
            '    check(whole.values(), divided.values())',
            'assert (K.get_value(divided.table)[9:] == initial[9:].astype("float32")).all()',
            'words[4] = %d' % rows,
            'refused(lambda: divided.step([words[own], wanted[own]]))'],
        mesh=mesh)


@pytest.mark.parametrize('rows, size', [(12, 2), (11, 3)])
def test_lookups_by_indices_in_another_order(rows, size):
    """Of samples behind places, as one line: a rank's are not one behind the other."""
    run(size, ['initial = numpy.random.RandomState(1).randn(%d, 8)' % rows,
               'class Table(object):',
               '    def __init__(self, batch, **options):',
               "        words, wanted = K.placeholder((3, batch), dtype='int32'), K.placeholder((3, batch, 8))",
               '        self.table = K.variable(initial)',
               '        line = K.gather(self.table, K.reshape(words, (-1,)))',
               '        found = K.reshape(line, (3, -1, 8))',
               '        loss = K.mean(K.square(K.tanh(found) - wanted)) + K.mean(K.square(line))',
               '        self.states, updates = adam([self.table], K.gradients(loss, [self.table]))',
               "        shard = {'shard': ['batch', (self.table, 0)]} if options else {}",
               '        self.step = K.function([words, wanted], [loss, found], updates, **shard)',
               '    def values(self): return K.batch_get_value([self.table] + self.states)',
               "whole, divided = Table(None), Table(K.Dim('batch'), parts=True)",
               'draw = numpy.random.RandomState(8)',
               'own = [slice(0, 3), slice(3, 5), slice(5, 5)][D.rank()]',
               'for step in range(4):',
               '    words, wanted = draw.randint(0, %d, (3, 5)), draw.rand(3, 5, 8)' % rows,
               '    loss, found = whole.step([words, wanted])',
               '    check((loss, found[:, own]), divided.step([words[:, own], wanted[:, own]]))',
               '    check(whole.values(), divided.values())'])


def test_results_in_parts_along_two_axes():
    run(4, ["x = K.placeholder((K.Dim('batch'), 5))",
            'draw = numpy.random.RandomState(2)',
            'rows, *start = draw.rand(7, 5), draw.randn(5, 6), draw.randn(5, 7)',
            'def made(divides):',
            '    w, v = (K.variable(each) for each in start)',
            '    h, u = K.tanh(K.dot(x, w)), K.dot(x, v)',
            "    shards = [('batch', 'data'), (w, 1, 'model'), (v, 1, 'model')] if divides else []",
            '    return K.function([x], [h, K.expand_dims(K.transpose(h), 1), K.mean(h, axis=0), K.sum(h), u], shard=shards)',
            'h, turned, mean, total, u = made(False)([rows])',
            "own = slice(0, 3) if D.rank('data') == 0 else slice(3, 7)",
            'place = D.rank("model")',
            'columns, uneven = slice(3 * place, 3 * place + 3), slice(3 * place, 3 + 4 * place)',
            'check([h[own, columns], turned[columns, :, own], mean[columns], total, u[own, uneven]], made(True)([rows[own]]))'],
        mesh={'data': 2, 'model': 2})


def test_a_gradient_of_a_table_is_a_part():
    run(2, ['words, table = K.placeholder((3,), dtype="int32"), K.variable(numpy.ones((8, 2)))',
            'f = K.function([words], [K.gradients(K.sum(K.gather(table, words)), [table])[0]], shard=[(table, 0)])',
            'expected = numpy.zeros((8, 2)); expected[1], expected[6] = 2, 1',
            'check(f([[1, 6, 1]]), [expected[4 * D.rank():4 * D.rank() + 4]], 0)'])


def test_saved_graphs_keep_parts_and_axes(tmp_path):
    path = str(tmp_path / '%d.ktg')
    run(4, ['model = Perceptron(sgd, True)',
            'path = %r %% D.rank()' % path,
            'K.save_function(model.step, path)',
            'loaded = K.load_function(path)',
            "K.save_function(loaded, path + '2')",
            "assert open(path, 'rb').read() == open(path + '2', 'rb').read()",
            'for step in range(3): check(model.train(), loaded([images[model.rows], labels[model.rows]]), 0)',
            'check(K.batch_get_value(model.weights), K.batch_get_value(loaded.variables[:4]), 0)',
            # Each has its part: who wants the whole is told.
            'w = loaded.variables[0]',
            'try: K.function([], [w * 2])',
            "except ValueError as error: assert 'is in parts along dimension 1' in str(error), error",
            'else: raise AssertionError()'],
        mesh={'data': 2, 'model': 2})
    said = run(2, ['refused(lambda: K.load_function(%r))' % (path % 0)], mesh={'data': 2})
    for output in said:
        assert output.startswith("ValueError load_function: 'w0:0' is to be sharded, and the mesh has no axis 'model'; there are 'data'"), output
    # One process has all there is, and an object, too.
    run(1, ['import keratin',
            'step = K.load_function(%r)' % (path % 0),
            'keratin.compile_model(step, %r)' % str(tmp_path / 'libstep.so'),
            'whole = Perceptron(sgd, False)',
            'first = whole.train()',
            'check(first, step([images, labels]))',
            'model = keratin.Model(%r)' % str(tmp_path / 'libstep.so'),
            "name = model.metadata['functions'][0]['name']",
            'check(first, model[name]([images, labels]))'])


def test_a_rank_holds_its_part():
    run(2, ['def resident():',
            "    with open('/proc/self/statm') as file: return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 2**20",
            'def make(size):',
            '    x = K.placeholder((1, 64))',
            '    w, m = (K.variable(numpy.ones((64, size), "float32")) for _ in range(2))',
            '    g = K.gradients(K.sum(K.square(K.dot(x, w))), [w])[0]',
            '    new_m = .9 * m + g',
            '    before = resident()',
            '    step = K.function([x], [], [K.update(m, new_m), K.update(w, w - 1e-6 * new_m)], shard=[(w, 1)])',
            '    return step, before - resident()',
            'make(8)',  # what a process has once
            'step, given = make(2**19)',
            # Of 128 MiB of the variable and 128 of its state a half.
            'assert 110 < given < 140, given',
            'step([numpy.ones((1, 64))])'])


def test_functions_that_disagree_are_told():
    said = run(2, ['model = Perceptron(sgd, True)', 'w, b, v, c = model.weights',
                   'x = K.placeholder((4, 6, 5))', 'y = K.dot(x, w)',
                   'refused(lambda: K.function([x], [y]))',
                   'refused(lambda: K.eval(w * 2))',
                   'refused(lambda: K.function([x], [y], shard=[(w, 0)]))',
                   'whole = K.zeros((5, 8))',
                   'K.function([x], [K.dot(x, whole)])',
                   'refused(lambda: K.function([x], [K.dot(x, whole)], shard=[(whole, 1)]))',
                   'mine = K.function([x], [y], shard=[(w, 1)])([images])[0]',
                   'assert mine.shape == (4, 6, 4)',
                   'check([mine], [images.dot(K.get_value(w))[..., 4 * D.rank():4 * D.rank() + 4]])'])
    for output in said:
        lines = output.splitlines()
        assert len(lines) == 4
        in_parts = "variable 'w0' is in parts along dimension 1, one on each rank, for another function; needed "
        for line, needed in zip(lines, ['the whole', 'the whole', 'a part of it along dimension 0 on each']):
            assert line.startswith('ValueError ') and in_parts + needed in line
        assert 'is whole on each rank, for another function; needed a part of it along dimension 1 on each' in lines[3]


def test_what_cannot_be_done_with_parts():
    said = run(2, ['x, images = K.placeholder((2, 6)), K.placeholder((2, 8, 3))',
                   'w, b = K.variable(numpy.ones((6, 4)), name="w"), K.variable(numpy.zeros(4), name="b")',
                   'h = K.dot(x, w)',
                   'def function(y, *updates, **options): refused(lambda: K.function([x], [y], list(updates), shard=[(w, 1)], **options))',
                   'g = K.gradients(K.sum(K.square(h + b)), [b])[0]',
                   'function(h, K.update(b, b - g))',
                   'function(K.cumsum(h, 1))',
                   'function(K.concatenate([h, h]))',
                   'function(K.reshape(h, (2, 4, 1))[:, 1:3])',
                   'function(K.map_fn(lambda row: row * 2, h))',
                   'function(K.conv1d(K.reshape(h, (2, 4, 1)), K.ones((2, 1, 1))))',
                   'function(K.prod(h))'])
    needed = ["a part for the new value of variable 'b', which is whole on each rank",
              "cumsum of what has a part of variable 'w'", "concatenate of what has a part of variable 'w'",
              "slice of what has a part of variable 'w'", "scan of what has a part of variable 'w'",
              "convolution of what has a part of variable 'w'", 'reduce_prod over']
    for output in said:
        lines = output.splitlines()
        assert len(lines) == len(needed)
        for line, each in zip(lines, needed):
            assert line.startswith('ValueError not implemented: ') and each in line and '<string>:' in line, line
