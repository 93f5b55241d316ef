"""States of optimizers, of which each rank has a part: the same bits as with all of them on all ranks."""
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
D.init()
data = numpy.random.RandomState(7)
images, labels = data.rand(40, 7).astype('float32'), numpy.eye(3, dtype='float32')[data.randint(0, 3, 40)]
rows = slice(40 * D.rank() // D.size(), 40 * (D.rank() + 1) // D.size())


class Model(object):
    """Adam of weights of which none has as many elements for each rank."""

    def __init__(self, **options):
        initial = numpy.random.RandomState(3)
        x, t = K.placeholder((K.Dim('batch'), 7)), K.placeholder((K.Dim('batch'), 3))
        self.weights = [K.variable(initial.randn(*shape) * .3, name='w%d' % i) for i, shape in enumerate([(7, 5), (5,), (5, 3), (1,)])]
        w, b, v, scale = self.weights
        y = K.softmax(K.dot(K.tanh(K.dot(x, w) + b), v) * scale)
        loss = K.mean(K.categorical_crossentropy(t, y))
        self.states, updates = [], []
        for i, (p, g) in enumerate(zip(self.weights, K.gradients(loss, self.weights))):
            m, u = (K.variable(numpy.zeros(K.int_shape(p)), name='%s%d' % (kind, i)) for kind in 'mu')
            new_m, new_u = .9 * m + .1 * g, .99 * u + .01 * K.square(g)
            updates += [K.update(m, new_m), K.update(u, new_u), K.update(p, p - .1 * new_m / (K.sqrt(new_u) + 1e-7))]
            self.states += [m, u]
        self.step = K.function([x, t], [loss], updates, shard=['batch'], **options)

    def train(self):
        return self.step([images[rows], labels[rows]])[0]

    def values(self):
        return b''.join(value.tobytes() for value in K.batch_get_value(self.weights + self.states))
'''


def run(size, lines, *arguments):
    run.jobs += 1
    command = [sys.executable, '-c', MODEL + '\n'.join(lines), *map(str, arguments)]
    outputs = run_ranks(size, 'states-%d-%d' % (os.getpid(), run.jobs), command)
    for code, output in outputs:
        assert code == 0, output
    return [output for _, output in outputs]


run.jobs = 0


@pytest.mark.parametrize('size', [1, 2, 3])
def test_the_bits_are_those_of_whole_states(size):
    run(size, ['whole, divided = Model(), Model(shard_states=True)',
               'for step in range(6):',
               '    assert whole.train().tobytes() == divided.train().tobytes()',
               '    assert whole.values() == divided.values(), step',
               'for one, other in zip(whole.states, divided.states):',
               '    assert K.get_value(one).tobytes() == K.get_value(other).tobytes()',
               '    assert K.get_value(one).any()'])


def test_values_are_set_whole():
    run(3, ['whole, divided = Model(), Model(shard_states=True)',
            'for model in (whole, divided):',
            '    for state in model.states:',
            '        K.set_value(state, numpy.arange(K.count_params(state)).reshape(K.int_shape(state)))',
            '    model.train()',
            'assert whole.values() == divided.values()',
            'K.batch_set_value([(state, numpy.ones(K.int_shape(state))) for state in divided.states])',
            'assert all((value == 1).all() for value in K.batch_get_value(divided.states))',
            'if D.rank(): D.broadcast(divided.states, 1)',
            'else: K.set_value(divided.states[0], numpy.zeros((7, 5))), D.broadcast(divided.states, 1)',
            'assert K.get_value(divided.states[0]).shape == (7, 5)'])


def test_checkpoints_are_those_of_any_number_of_ranks(tmp_path):
    index = tmp_path / 'net.safetensors.index.json'
    save = ['model = Model(shard_states=True)', 'for _ in range(3): model.train()',
            'D.save_checkpoint(model.step, sys.argv[1])', 'values = model.values()',
            'if D.rank() == 0: sys.stdout.write(values.hex())']
    load = ['model = Model(shard_states=True)', 'D.load_checkpoint(model.step, sys.argv[1])',
            'values = model.values()', 'if D.rank() == 0: sys.stdout.write(values.hex())']
    saved = run(3, save, index)[0]
    assert saved and {run(size, load, index)[0] for size in (1, 2, 3)} == {saved}


def test_a_saved_function_has_whole_states(tmp_path):
    path = tmp_path / 'step.ktg'
    run(2, ['model = Model(shard_states=True)', 'model.train()',
            "K.save_function(model.step, '%s.%d' % (sys.argv[1], D.rank()))", 'D.barrier()',
            'loaded = K.load_function(sys.argv[1] + ".0")',
            'assert loaded([images[rows], labels[rows]])[0].tobytes() == model.train().tobytes()',
            'state = next(each for each in loaded.variables if each.name.startswith("m0"))',
            'try: K.eval(state * 2)',
            'except ValueError as error: assert "is in parts, one on each rank, for another function" in str(error)',
            'else: raise AssertionError("whole")',
            "K.save_function(loaded, '%s.again.%d' % (sys.argv[1], D.rank()))",
            "whole = K.load_function(sys.argv[1] + '.0', shard=['batch'])",  # takes the place of all that the file says
            'assert K.eval(next(each for each in whole.variables if each.name.startswith("m0")) * 2).shape == (7, 5)'], path)
    assert (tmp_path / 'step.ktg.0').read_bytes() == (tmp_path / 'step.ktg.1').read_bytes()


MEMORY = '''
import sys
import numpy
import keratin.backend as K
from keratin import distributed as D
D.init()
x, w = K.placeholder((K.Dim('batch'),)), K.variable(numpy.ones(1 << 21))
states = [K.variable(numpy.zeros(1 << 21)) for _ in range(8)]
gradient, = K.gradients(K.mean(x) * K.sum(K.square(w)), [w])
new = [.9 * state + gradient for state in states]
step = K.function([x], [], [*zip(states, new), (w, w - .01 * sum(new))], shard=['batch'], shard_states=sys.argv[1] == 'divided')
for steps in (0, 3):
    for _ in range(steps):
        step([numpy.ones(2)])
    for line in open('/proc/self/status'):
        if line.startswith('RssAnon'):
            print(int(line.split()[1]) >> 10)
'''


def test_a_rank_has_memory_for_its_part_alone(monkeypatch):
    monkeypatch.setenv('MALLOC_MMAP_THRESHOLD_', '65536')  # what is freed goes back
    mebibytes = {}
    for how in ('whole', 'divided'):
        outputs = run_ranks(4, 'states-memory-%s-%d' % (how, os.getpid()), [sys.executable, '-c', MEMORY, how])
        assert [code for code, _ in outputs] == [0] * 4, outputs
        mebibytes[how] = [[int(line) for line in output.split()] for _, output in outputs]
    # Eight states of 8 MiB, or the quarters of them. Calls have the new quarters beside the old ones, and what is sent.
    for whole, divided in zip(mebibytes['whole'], mebibytes['divided']):
        assert whole[0] - divided[0] >= 44 and whole[1] - divided[1] >= 16, mebibytes


def test_functions_that_disagree_are_told():
    said = run(2, ['model = Model(shard_states=True)', 'x = K.placeholder((K.Dim("batch"), 7))',
                   'm = model.states[0]',
                   'def refused(work):',
                   '    try: work()',
                   '    except Exception as error: print(type(error).__name__, error)',
                   "refused(lambda: K.function([x], [K.sum(K.dot(x, m))], shard=['batch']))",
                   'refused(lambda: K.eval(m * 2))',
                   "a, b = K.variable(numpy.zeros(4)), K.variable(numpy.zeros(4))",
                   'w = K.variable(numpy.zeros(7))',
                   "K.function([x], [K.sum(x) + K.sum(a)], shard=['batch'])",
                   'new = a + K.sum(x)',
                   "refused(lambda: K.function([x], [], [K.update(a, new), K.update(b, b - new)], shard=['batch'], shard_states=True))",
                   'refused(lambda: K.function([x], [x], shard_states=True))',
                   "refused(lambda: K.function([x], [x], shard=['batch'], shard_states=True, lazy_updates=True))"])
    for output in said:
        lines = output.splitlines()
        assert len(lines) == 5
        needed_whole = "is in parts, one on each rank, for another function; needed the whole"
        for line in lines[:2]:
            assert line.startswith('ValueError ') and "variable 'm0' " + needed_whole in line
        assert 'is whole on each rank, for another function; needed a part of it on each' in lines[2]
        assert lines[3].startswith('ValueError function: states are to be in parts, and no size is; needed one that is sharded')
        assert lines[4].startswith('NotImplementedError function: ') and 'states in parts with lazy updates' in lines[4]


@pytest.mark.parametrize('axis', ['data', 'model'])
def test_states_along_an_axis_of_a_mesh(axis):
    mesh = MODEL.replace('D.init()', "D.init({'data': 2, 'model': 2})").replace('D.rank()', 'D.rank(%r)' % axis)
    mesh = mesh.replace('D.size()', 'D.size(%r)' % axis).replace("shard=['batch']", "shard={'batch': %r}" % axis)
    command = [sys.executable, '-c', mesh + """
parts, alone = Model(shard_states=True), Model()
for i in range(4):
    assert alone.train().tobytes() == parts.train().tobytes()
assert alone.values() == parts.values()
for state in parts.states:
    K.set_value(state, K.get_value(state) + 1)
    K.set_value(alone.states[parts.states.index(state)], K.get_value(state))
assert alone.train().tobytes() == parts.train().tobytes() and alone.values() == parts.values()
other = 'data' if %r == 'model' else 'model'
x = K.placeholder((K.Dim('batch'), 7))
m, w = parts.states[0], parts.weights[0]
try:
    K.function([x], [], [K.update(m, m + K.sum(x)), K.update(w, w - m)], shard={'batch': other}, shard_states=True)
except ValueError as error:
    assert "variable 'm0' is in parts along another axis of the mesh, for another function" in str(error), error
else:
    raise AssertionError('not refused')
""" % axis]
    for code, output in run_ranks(4, 'states-mesh-%s-%d' % (axis, os.getpid()), command):
        assert code == 0, output
