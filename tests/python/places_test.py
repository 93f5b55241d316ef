"""The user's line in messages: at once, in helpers and callables, when compiled and when called."""
import re
import threading

import numpy as np
import pytest

import helper
import keratin.backend as K


def here(offset=0):
    import inspect
    frame = inspect.currentframe().f_back
    return '%s:%d' % (__file__, frame.f_lineno + offset)


def raised(kind, function, *arguments):
    with pytest.raises(kind) as found:
        function(*arguments)
    return str(found.value)


def test_at_the_line_of_the_call():
    x, at = K.placeholder((2, 3)), here(+1)
    message = raised(ValueError, lambda: K.dot(x, x))
    assert message.endswith('at ' + at) or at in message
    with pytest.raises(TypeError, match=re.escape(here(+1))):
        K.dot(x, 'abc')
    with pytest.raises(TypeError, match=re.escape(here(+1))):
        x + 'abc'
    with pytest.raises(ValueError, match=re.escape(here(+1))):
        x[5]
    with pytest.raises(ValueError, match=re.escape(here(+1))):
        K.variable(2 ** 70)
    with pytest.raises(TypeError, match=re.escape(here(+1))):
        K.zeros((2, 2.5))


def test_in_a_helper_the_helpers_line():
    x = K.placeholder((2, 3))
    assert helper.__file__ + ':6' in raised(TypeError, helper.wrong_product, x)
    assert helper.__file__ + ':10' in raised(ValueError, helper.wrong_sizes, x)


def test_in_callables():
    x, at = K.placeholder((5, 2, 3)), here(+1)
    assert at in raised(ValueError, lambda: K.map_fn(lambda e: K.dot(e, e), x))
    def step(i, states):
        return K.dot(i, 'abc'), []
    at = here(-1)
    assert at in raised(TypeError, lambda: K.rnn(step, x, []))
    at = here(+1)
    assert at in raised(TypeError, lambda: K.map_fn(lambda e: None, x))
    at = here(+1)
    assert at in raised(TypeError, lambda: K.switch(K.constant(1), lambda: 'abc', 1))


def test_at_call_time():
    x = K.placeholder((None, None), name='x')
    f = K.function([x], [helper.at_the_call(x)])
    assert f([np.ones((7, 2))])[0].shape == (2, 7)
    assert helper.__file__ + ':14' in raised(ValueError, f, [np.ones((2, 3))])
    i = K.placeholder((None,), dtype='int32')
    with K.name_scope('lookup'):
        at = here(+1)
        f = K.function([i], [K.gather(K.constant([1., 2.]), i)])
    message = raised(ValueError, f, [[5]])
    assert at in message and 'gather' in message
    assert f([[1]])[0].tolist() == [2]


def test_at_evaluation():
    i, at = K.placeholder((2,), dtype='int32'), here(+1)
    y = K.gather(K.constant([1., 2.]), K.constant([5, 0], dtype='int32'))
    message = raised(ValueError, K.eval, y)
    assert at in message and 'gather' in message
    assert K.eval(K.gather(K.constant([1., 2.]), [1, 0])).tolist() == [2, 1]


def test_a_tensor_of_a_step_says_where_it_was_made():
    x, kept, made = K.placeholder((4, 3)), {}, {}

    def keep(name, a):
        made[name] = here(+1)
        kept[name] = a * 2.
        return kept[name]
    K.map_fn(lambda a: keep('the function of map_fn', a), x)
    K.foldl(lambda a, b: keep('the function of foldl', a) + b, x)
    K.foldr(lambda a, b: keep('the function of foldr', a) + b, x)
    K.rnn(lambda a, states: (keep('the step function of rnn', a), []), K.placeholder((2, 4, 3)), [])
    K.while_loop(lambda a: a < 3., lambda a: keep('the body of while_loop', a), [K.constant(1.)])
    for name in kept:
        for function in 'eval', 'get_value':
            message = raised(ValueError, getattr(K, function), kept[name])
            assert message == ('%s: a tensor of %s has no value of its own, but one in each step; needed a tensor made outside of it; at %s'
                               % (function, name, made[name]))
    # What it is given in a step was made by the loop.
    at = here(+1)
    K.map_fn(lambda a: kept.setdefault('argument', a), x)
    assert raised(ValueError, K.eval, kept['argument']).endswith('; at ' + at)


def test_a_size_that_nothing_gives_says_which_op_needs_it():
    rows, at = K.placeholder(('places_rows',)), here(+1)
    ones = K.ones_like(rows)
    assert raised(ValueError, K.eval, ones).endswith('; at ' + at)


def test_under_a_name_scope_the_scope():
    x = K.placeholder((2, 3))
    with K.name_scope('tower'):
        with pytest.raises(ValueError) as found:
            K.dot(x, x)
    assert __file__ in str(found.value)
    assert K.int_shape(x + 1) == (2, 3) and not (x + 1).name.startswith('tower')


def test_what_exec_compiles():
    space = {'K': K, 'x': K.placeholder((2, 3))}
    code = compile('\n\nK.dot(x, x)', '<cell 3>', 'exec')
    assert '<cell 3>:3' in raised(ValueError, lambda: exec(code, space))


def test_in_a_thread():
    x, messages = K.placeholder((2, 3)), []

    def work():
        messages.append(raised(ValueError, lambda: K.dot(x, x)))
    at = here(-1)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert at in messages[0]


def test_feeds_say_the_line_of_the_call():
    x = K.placeholder((2,))
    f = K.function([x], [x * 1])
    with pytest.raises(TypeError, match=re.escape(here(+1))):
        f(['abc'])
    with pytest.raises(TypeError, match=re.escape(here(+1))):
        f(3)
    with pytest.raises(ValueError, match=re.escape(here(+1))):
        f([[[1, 2], [3]]])
