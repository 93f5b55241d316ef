"""What callables raise comes out unchanged and leaves the graph usable."""
import gc
import weakref

import numpy as np
import pytest

import keratin.backend as K


class Mine(Exception):
    pass


ERRORS = [Mine('here'), KeyboardInterrupt(), SystemExit(3), GeneratorExit(), StopIteration(), KeyError('x')]
X = np.ones((4, 2, 3), 'float32')


def raising(error):
    def function(*unused):
        raise error
    return function


def calls(fail):
    x = K.constant(X)
    return {
        'rnn': lambda: K.rnn(fail, x, [K.zeros((4, 3))]),
        'unrolled rnn': lambda: K.rnn(fail, x, [K.zeros((4, 3))], unroll=True),
        'map_fn': lambda: K.map_fn(fail, x),
        'map_fn of tuples': lambda: K.map_fn(fail, (x, x)),
        'foldl': lambda: K.foldl(fail, x),
        'foldr': lambda: K.foldr(fail, x, initializer=K.zeros((2, 3))),
        'then of switch': lambda: K.switch(K.placeholder(()), fail, lambda: x),
        'else of switch': lambda: K.switch(K.placeholder(()), lambda: x, fail),
        'condition of while_loop': lambda: K.while_loop(fail, lambda a: a, [x]),
        'body of while_loop': lambda: K.while_loop(lambda a: K.sum(a) < 3, fail, [x]),
        'in_train_phase': lambda: K.in_train_phase(fail, x),
        'in_test_phase': lambda: K.in_test_phase(lambda: x, fail),
        'nested': lambda: K.map_fn(lambda e: K.rnn(lambda i, s: (K.switch(K.sum(i), fail, lambda: i), s),
                                                   K.expand_dims(e, 0), [K.zeros((1, 3))])[0], x),
    }


def still_works():
    x = K.placeholder((None, 3))
    f = K.function([x], [K.sum(K.map_fn(lambda e: e * 2, x))])
    return f([np.ones((5, 3))])[0] == 30 and K.eval(K.exp(K.constant(0.))) == 1


@pytest.mark.parametrize('name', sorted(calls(None)))
@pytest.mark.parametrize('error', ERRORS, ids=lambda e: type(e).__name__)
def test_exceptions_come_out(name, error):
    with pytest.raises(BaseException) as found:
        calls(raising(error))[name]()
    assert found.value is error
    assert 'raising' in [entry.name for entry in found.traceback] or 'function' in [e.name for e in found.traceback]
    assert still_works()


def test_errors_of_keratin_inside_come_out_as_they_are():
    x = K.constant(X)
    with pytest.raises(ValueError, match='^dot: '):
        K.map_fn(lambda e: K.dot(e, e), x)
    with pytest.raises(TypeError, match='^dot: y is'):
        K.rnn(lambda i, s: (K.dot(i, 'abc'), s), x, [K.zeros((4, 3))])
    assert still_works()


def test_an_exception_that_is_caught_inside():
    def step(e):
        try:
            return K.dot(e, 'abc')
        except TypeError:
            return e * 2
    assert K.eval(K.sum(K.map_fn(step, K.constant(X)))) == 48


def test_scopes_end_with_exceptions():
    with pytest.raises(Mine):
        with K.name_scope('a'), K.control_dependencies([K.update(K.variable(1.), 2.)]):
            raise Mine
    assert not K.constant(1.).name.startswith('a/')

    def step(e):
        K.name_scope('left open').__enter__()
        raise Mine
    with pytest.raises(Mine):
        K.map_fn(step, K.constant(X))


def test_tensors_of_a_step_are_refused_outside():
    kept = []
    K.map_fn(lambda e: kept.append(e) or e, K.constant(X))
    with pytest.raises(ValueError, match='map_fn'):
        K.eval(kept[0] * 2)
    assert still_works()


def test_an_exception_keeps_nothing():
    x = K.constant(X)
    gone = weakref.ref(x)
    try:
        K.map_fn(raising(Mine()), x)
    except Mine:
        pass
    del x
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize('arguments, message', [
    ((lambda i, s: 3, []), r'rnn: step_function has returned 3 \(int\); needed \(output, states\)'),
    ((lambda i, s: (i, s, s), []), r'rnn: step_function has returned 3 values; needed \(output, states\)'),
    ((lambda i, s: (None, s), []), r'rnn: step_function has returned None; needed a tensor'),
    ((lambda i, s: ('abc', s), []), r"rnn: step_function's result is 'abc' \(str\)"),
])
def test_what_steps_return(arguments, message):
    with pytest.raises(TypeError, match=message):
        K.rnn(arguments[0], K.constant(X), arguments[1])


def test_numbers_and_arrays_from_callables():
    assert K.eval(K.map_fn(lambda e: 2., K.constant(X))).tolist() == [2] * 4
    assert K.eval(K.switch(K.constant(1), lambda: np.array([1, 2]), lambda: [3., 4.])).tolist() == [1, 2]
    assert K.eval(K.foldl(lambda a, e: a + 1, K.constant([1., 2., 3.]))) == 3


def test_wrong_numbers_of_parameters_are_pythons_error():
    with pytest.raises(TypeError, match='positional argument'):
        K.foldl(lambda a: a, K.constant(X))
    with pytest.raises(TypeError, match='positional argument'):
        K.switch(K.placeholder(()), lambda a: a, lambda: 1)
    assert still_works()


def test_progress_that_raises_ends_the_compilation():
    x = K.placeholder((3,))
    error = Mine('enough')

    def progress(*arguments):
        raise error
    with pytest.raises(Mine) as found:
        K.function([x], [K.exp(x) * 1.25], progress=progress)
    assert found.value is error
    seen = []
    f = K.function([x], [K.exp(x) * 1.25], progress=lambda *arguments: seen.append(arguments))
    assert f([[0, 0, 0]])[0].tolist() == [1.25] * 3
    assert seen and all(len(each) == 5 for each in seen)
    seen.clear()
    K.function([x], [K.exp(x) * 1.25], progress=lambda *arguments: seen.append(arguments))
    assert not seen  # the code is there
