"""Memory stays bounded, whatever is made and dropped.

KERATIN_TEST_ROUNDS=N: N times as much of it; 50 makes and drops 10,000 functions, in some minutes.
"""
import gc
import os

import numpy as np
import pytest

import keratin.backend as K
from support import numbers

resource = pytest.importorskip('resource')
ROUNDS = int(os.environ.get('KERATIN_TEST_ROUNDS', 1))


def resident():
    """MiB that the process has in memory now."""
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def grows_by(work, rounds):
    rounds *= ROUNDS
    for i in range(max(rounds // 4, 20)):
        work(i)
    gc.collect()
    before = resident()
    for i in range(rounds):
        work(i)
    gc.collect()
    return resident() - before


def test_graphs():
    x = K.placeholder((None, 8))

    def work(i):
        y = K.softmax(K.dot(x, K.constant(np.ones((8, 8)))) + i)
        K.gradients(K.sum(y), [x])
    assert grows_by(work, 4000) < 8


def test_functions():
    x = K.placeholder((None, 8))

    def work(i):
        f = K.function([x], [x * 2.])
        f([np.ones((2, 8))])
    assert grows_by(work, 200) < 8


def test_variables():
    assert grows_by(lambda i: K.get_value(K.variable(np.ones(1 << 18))), 200) < 8


def test_cycles():
    def work(i):
        x = K.variable(np.ones(1 << 14))
        y = x * 2
        x.other, y.other, y.f = y, x, [lambda: (x, y)]
    assert grows_by(work, 2000) < 16


def test_functions_in_cycles():
    x = K.placeholder((4,))

    def work(i):
        f = K.function([x], [x * 3.])
        f.itself, f.call = f, lambda: f
    assert grows_by(work, 60) < 16


def test_results():
    x = K.placeholder((None,))
    f = K.function([x], [x * 2, x + 1])
    big = np.ones(1 << 20, 'float32')
    assert grows_by(lambda i: f([big]), 200) < 16


def test_feeds_of_every_kind():
    x = K.placeholder((None, None))
    f = K.function([x], [K.sum(x)])
    feeds = [numbers(512, 512, dtype='float64'), np.asfortranarray(numbers(512, 512)), numbers(512, 512)[::-1],
             numbers(32, 32).tolist(), numbers(512, 512).astype('>f4')]
    assert grows_by(lambda i: f([feeds[i % len(feeds)]]), 300) < 16


def test_refusals():
    x = K.placeholder((None, 3))
    f = K.function([x], [x * 1])
    wide = np.ones((1 << 16, 4), 'float32')

    def work(i):
        for refused in (lambda: f([wide]), lambda: K.dot(x, 'abc' * 100), lambda: K.reshape(wide, (7, -1)),
                        lambda: K.map_fn(lambda e: 1 / 0, K.constant(wide))):
            with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
                refused()
    assert grows_by(work, 100) < 16


def test_evaluations():
    assert grows_by(lambda i: K.eval(K.sum(K.constant(np.full(1 << 16, i)))), 400) < 16


def test_callables():
    x = K.constant(numbers(4, 8))
    assert grows_by(lambda i: K.map_fn(lambda e: e * i, x), 1000) < 8


def test_constraints():
    class Constraint:
        def __init__(self):
            self.memory = np.ones(1 << 16)

        def __call__(self, w):
            return w
    assert grows_by(lambda i: K.variable(1., constraint=Constraint()), 400) < 16
