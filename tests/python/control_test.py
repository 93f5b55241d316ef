"""Loops, branches, phases, updates and their order."""
import sys

import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers


def add_step(x, states):
    return x + states[0], [x + states[0]]


MASK = np.array([[1, 1, 1, 1], [0, 1, 0, 1]])


@pytest.mark.parametrize('arguments, first, second, states', [
    ({}, [11, 13, 16, 20], [0, 12, 12, 16], [20, 16]),
    ({'zero_output_for_mask': True}, [11, 13, 16, 20], [0, 12, 0, 16], [20, 16]),
    ({'go_backwards': True}, [14, 17, 19, 20], [14, 14, 16, 16], [20, 16]),
])
@pytest.mark.parametrize('unroll', [False, True])
@pytest.mark.parametrize('time_major', [False, True])
def test_rnn_of_the_specification(arguments, first, second, states, unroll, time_major):
    x = np.tile(np.arange(1., 5).reshape(1, 4, 1), (2, 1, 1))
    mask = MASK
    if time_major:
        x, mask = x.transpose(1, 0, 2), mask.T
    initial = K.constant(np.full((2, 1), 10.))
    last, outputs, new = K.rnn(add_step, K.constant(x), [initial], mask=K.constant(mask), unroll=unroll,
                               time_major=time_major, **arguments)
    expected = np.array([first, second], 'float32')
    found = K.eval(outputs)[..., 0]
    agree(found.T if time_major else found, expected)
    agree(K.eval(last)[:, 0], expected[:, -1])
    agree(K.eval(new[0])[:, 0], np.array(states, 'float32'))


def test_rnn_without_states_and_with_constants():
    x = numbers(2, 3, 4)
    seen = []

    def step(x, states):
        seen.append((type(states), len(states)))
        return x * states[0], []
    last, outputs, states = K.rnn(step, K.constant(x), [], constants=[K.constant(2.)])
    agree(K.eval(outputs), x * 2)
    assert states == [] and set(seen) == {(list, 1)}


def test_rnn_of_unknown_time():
    x = K.placeholder((None, None, 2))
    f = K.function([x], [K.rnn(add_step, x, [K.zeros_like(x[:, 0])])[1]])
    for steps in (1, 5):
        data = numbers(3, steps, 2)
        agree(f([data])[0], data.cumsum(1))


def test_rnn_marks_the_learning_phase():
    def step(x, states):
        return K.in_train_phase(x, x * 2), []
    last, outputs, _ = K.rnn(step, K.placeholder((2, 3, 4)), [])
    assert last._uses_learning_phase


def test_vectorized_map():
    x = numbers(3, 4)
    agree(K.eval(K.vectorized_map(lambda e: K.sum(e) * 2, K.constant(x))), x.sum(1) * 2)
    pair = K.vectorized_map(lambda both: [both[0] + both[1], K.max(both[0])], (K.constant(x), K.constant(x)))
    assert isinstance(pair, list)
    agree(K.eval(pair[0]), x + x)
    agree(K.eval(pair[1]), x.max(1))
    one = K.vectorized_map(lambda e: [e], K.constant(x))
    assert isinstance(one, list) and len(one) == 1


def test_saved_maps_that_stay_loops(tmp_path):
    x = K.placeholder((4, 3))
    noise = lambda e: K.dropout(e, .5, seed=3)
    places = lambda e: K.searchsorted(K.constant([1., 5., 9.]), e)
    f = K.function([x], [K.vectorized_map(noise, x), K.vectorized_map(places, x)])
    f.save(tmp_path / 'f.ktg')
    at = np.arange(12.).reshape(4, 3)
    for found, expected in zip(K.load_function(tmp_path / 'f.ktg')([at]), f([at])):
        agree(found, expected)


def test_gradients_of_each_example():
    x, y = numbers(5, 3), numbers(5)
    w = K.variable(numbers(3))

    def gradient_of(example):
        x, y = example
        return K.gradients(K.square(K.sum(x * w) - y), [w])[0]
    found = K.eval(K.vectorized_map(gradient_of, [K.constant(x), K.constant(y)]))
    expected = 2 * (x @ K.get_value(w) - y)[:, None] * x
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_wrong_maps():
    x = K.constant(numbers(3, 4))
    with pytest.raises(TypeError, match='vectorized_map: fn is .*needed a function'):
        K.vectorized_map(3, x)
    with pytest.raises(TypeError, match="has returned None; needed a tensor"):
        K.vectorized_map(lambda e: None, x)
    with pytest.raises(ValueError, match='vectorized_map: fn returns an empty list; needed one tensor or more'):
        K.vectorized_map(lambda e: [], x)
    with pytest.raises(ValueError, match='vectorized_map: elems is a scalar'):
        K.vectorized_map(lambda e: e, K.constant(1.))


def test_vmap():
    x, w = numbers(3, 4), numbers(4)
    agree(K.eval(K.vmap(lambda a, b: K.sum(a * b), in_axes=(0, None))(K.constant(x), w)), (x * w).sum(1))
    agree(K.eval(K.vmap(lambda e: e * 2, in_axes=1, out_axes=-1)(x)), x * 2)
    both = K.vmap(lambda e: [K.sum(e), e], 1)(x)
    agree(K.eval(both[0]), x.sum(0))
    agree(K.eval(both[1]), x.T)
    with pytest.raises(TypeError, match='an axis for each argument'):
        K.vmap(lambda e: e, [])(x)
    with pytest.raises(ValueError, match='vmap: in_axes has 2 entries; needed 1, one for each argument'):
        K.vmap(lambda e: e, [0, 1])(x)


def test_map_fn():
    x = numbers(3, 4)
    agree(K.eval(K.map_fn(lambda e: K.sum(e) * 2, K.constant(x))), x.sum(1) * 2)
    pair = K.map_fn(lambda both: both[0] + both[1], (K.constant(x), K.constant(x)))
    agree(K.eval(pair), x + x)
    agree(K.eval(K.map_fn(lambda e: K.cast(e, 'int32'), K.constant([1.5, 2.5]), dtype='int32')),
          np.array([1, 2], 'int32'))


def test_folds():
    x = K.constant([1., 2., 3., 4.])
    assert K.eval(K.foldl(lambda a, e: a - e, x)) == -8
    assert K.eval(K.foldr(lambda a, e: a - e, x)) == -2
    assert K.eval(K.foldl(lambda a, e: a * 10 + e, x, initializer=5.)) == 51234
    assert K.eval(K.foldr(lambda a, e: a * 10 + e, x, initializer=K.constant(0.))) == 4321


def test_switch():
    x, y = numbers(3, 2), numbers(3, 2, seed=2)
    c = np.array([1, 0, 1])
    agree(K.eval(K.switch(K.constant(c), K.constant(x), y)), np.where(c[:, None] != 0, x, y))
    p = K.placeholder(())
    f = K.function([p], [K.switch(K.greater(p, 0), lambda: K.constant(x), lambda: K.constant(y))])
    agree(f([1])[0], x)
    agree(f([-1])[0], y)
    assert K.eval(K.switch(True, 1., 2.)) == 1


def test_only_the_chosen_branch_runs(capfd):
    p = K.placeholder(())
    f = K.function([p], [K.switch(p, lambda: K.print_tensor(p, 'then'), lambda: K.print_tensor(p, 'else'))])
    f([1]), f([0])
    assert capfd.readouterr().out == 'then 1.0\nelse 0.0\n'


def test_while_loop():
    i, total = K.while_loop(lambda i, total: i < 5, lambda i, total: [i + 1, total + i],
                            [K.constant(0, dtype='int32'), K.constant(0, dtype='int32')])
    assert K.eval(i) == 5 and K.eval(total) == 10
    limited = K.while_loop(lambda i: i < 5, lambda i: i + 1, K.constant(0.), maximum_iterations=3)
    assert K.eval(limited[0] if isinstance(limited, list) else limited) == 3


def test_learning_phase():
    phase = K.learning_phase()
    assert phase is K.learning_phase() and K.eval(phase) == 0
    y = K.in_train_phase(K.constant(1.), K.constant(2.))
    assert y._uses_learning_phase
    f = K.function([phase], [y, K.in_test_phase(1., 2.)])
    for fed, expected in ((0, 2), (1, 1), (True, 1), (0., 2), (None, 2), (np.float32(1), 1)):
        assert f([fed]) == [expected, 3 - expected]
    K.set_learning_phase(1)
    assert K.learning_phase() == 1 and isinstance(K.learning_phase(), int)
    assert K.eval(K.in_train_phase(lambda: K.constant(1.), lambda: 1 / 0)) == 1
    assert K.eval(K.in_train_phase(1., 2., training=False)) == 2
    for wrong in (2, -1, 'a', None):
        with pytest.raises((ValueError, TypeError), match='set_learning_phase'):
            K.set_learning_phase(wrong)


def test_updates():
    v = K.variable([1., 2.])
    assert K.eval(K.update(v, [3., 4.])).tolist() == [3, 4] == K.get_value(v).tolist()
    f = K.function([], [v * 1], updates=[K.update_add(v, 1), (v * 1), None])
    assert f([])[0].tolist() == [3, 4] and K.get_value(v).tolist() == [4, 5]
    K.function([], [], [K.update_sub(v, [1, 2])])([])
    assert K.get_value(v).tolist() == [3, 3]
    K.function([], [], [(v, v * 2)])([])
    assert K.get_value(v).tolist() == [6, 6]
    K.eval(K.moving_average_update(v, K.constant([1., 1.]), .5))
    assert K.get_value(v).tolist() == [3.5, 3.5]
    K.eval(K.moving_average_update(variable=v, value=[1., 1.], momentum=0.))
    assert K.get_value(v).tolist() == [1, 1]
    op = K.update_add(v, 1)
    K.function([], [], [op, op])([])
    assert K.get_value(v).tolist() == [2, 2]


def test_control_dependencies():
    v = K.variable(1.)
    op = K.update_add(v, 1)
    with K.control_dependencies([op]):
        after = v * 10
    before = v * 10
    assert [float(a) for a in K.function([], [before, after])([])] == [10, 20]
    assert K.get_value(v) == 2
    with K.control_dependencies(None), K.control_dependencies([]):
        pass


def test_values():
    v, w = K.variable([1., 2.]), K.variable(3.)
    assert [a.tolist() for a in K.batch_get_value([v, w])] == [[1, 2], 3] and K.batch_get_value([]) == []
    K.set_value(v, [5, 6])
    assert K.get_value(v).tolist() == [5, 6]
    K.set_value(v, 7)
    assert K.get_value(v).tolist() == [7, 7]
    K.batch_set_value([(v, [1, 2]), [w, np.float64(4)]])
    K.batch_set_value([])
    assert K.batch_get_value((v, w))[1] == 4
    assert K.get_value(v + 1).tolist() == [2, 3]
    many = [each for i in range(9) for each in (K.variable(i), K.constant(-i))]  # smaller than an array itself
    assert [float(a) for a in K.batch_get_value(many)] == [each for i in range(9) for each in (i, -i)]
    for wrong in ([1, 2, 3], [[1, 2]]):
        with pytest.raises(ValueError, match='set_value'):
            K.set_value(v, wrong)
        with pytest.raises(ValueError, match='batch_set_value'):
            K.batch_set_value([(v, wrong)])


def test_sessions():
    session = K.get_session()
    x = K.placeholder((2,))
    y, v = x * 2, K.variable(1.)
    assert session.run(y, {x: [1, 2]}).tolist() == [2, 4]
    found = session.run([y, [v, (y,)]], feed_dict={x: np.array([1, 2])})
    assert found[0].tolist() == [2, 4] and found[1][0] == 1 and found[1][1][0].tolist() == [2, 4]
    session.run(K.update_add(v, 1))
    assert K.get_value(v) == 2
    assert y.eval(session, {x: [1, 2]}).tolist() == [2, 4] and v.eval() == 2 and v.numpy() == 2 and v.value() is v
    with session as entered:
        assert entered is None or entered is session
    session.close()
    K.set_session('mine')
    assert K.get_session() == 'mine'
    K.set_session(session)
    assert session.graph is None
    K.manual_variable_initialization(True)
    assert K.eval(K.variable(1)) == 1


def test_print_tensor(capfd):
    x = K.print_tensor(K.constant([[1.]]), 'msg')
    K.eval(x + x)
    assert capfd.readouterr().out == 'msg [[1.]]\n'


def test_printing_goes_to_sys_stdout(capsys):
    K.eval(K.print_tensor(K.constant(2.), 'here'))
    assert capsys.readouterr().out == 'here 2.0\n'


def test_a_stdout_may_put_another_in_its_place(monkeypatch):
    class Once:
        def write(self, text):
            written.append(text)
            sys.stdout = before

        def flush(self):
            written.append('flushed')
    before, written = sys.stdout, []
    monkeypatch.setattr(sys, 'stdout', Once())
    K.eval(K.print_tensor(K.constant(2.), 'here'))
    assert written == ['here 2.0\n', 'flushed'] and sys.stdout is before


def test_uids():
    K.reset_uids()
    assert [K.get_uid('a'), K.get_uid('a'), K.get_uid('b'), K.get_uid()] == [1, 2, 1, 1]
    K.reset_uids()
    assert K.get_uid('a') == 1


def test_clear_session_leaves_what_exists():
    x, v = K.placeholder((2,)), K.variable([1., 2.])
    f = K.function([x], [x + v])
    phase = K.learning_phase()
    K.clear_session()
    assert K.learning_phase() is not phase
    assert f([[1, 1]])[0].tolist() == [2, 3] and K.get_value(v).tolist() == [1, 2]
