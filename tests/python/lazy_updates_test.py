"""Updates of gathered rows alone: K.function(..., lazy_updates=True)."""
import numpy as np
import pytest
from keratin import backend as K

ROWS, WIDTH = 64, 24
TABLE_BYTES = ROWS * WIDTH * 4


def momentum(w, g, rate):
    v = K.zeros((ROWS, WIDTH))
    new = 0.9 * v - rate * g
    return [v], [K.update(v, new), K.update(w, w + new)]


def nesterov(w, g, rate):
    v = K.zeros((ROWS, WIDTH))
    new = 0.9 * v - rate * g
    return [v], [K.update(v, new), K.update(w, w + 0.9 * new - rate * g)]


def heavy_ball(w, g, rate):
    v = K.zeros((ROWS, WIDTH))
    new = 0.9 * v + g
    return [v], [K.update(v, new), K.update(w, w - rate * (g + 0.9 * new))]


def adam(w, g, rate):
    m, v, best = (K.zeros((ROWS, WIDTH)) for _ in range(3))
    new_m = 0.9 * m + 0.1 * g
    new_v = 0.99 * v + 0.01 * K.square(g)
    new_best = K.maximum(best, new_v)
    return [m, v, best], [K.update(m, new_m), K.update(v, new_v), K.update(best, new_best),
                          K.update(w, w - rate * new_m / (K.sqrt(new_best) + 1e-7))]


def adagrad(w, g, rate):
    a = K.zeros((ROWS, WIDTH))
    new = a + K.square(g)
    return [a], [K.update(a, new), K.update(w, w - rate * g / (K.sqrt(new) + 1e-7))]


def steps(optimizer, lazy, rows, shape=(None, None)):
    """What variables are after each call that looks these rows up."""
    w = K.variable(np.linspace(-1, 1, ROWS * WIDTH).reshape(ROWS, WIDTH))
    ids, y = K.placeholder(shape, dtype='int32'), K.placeholder((WIDTH,))
    loss = K.sum(K.square(K.gather(w, ids) - y)) / 8.
    g, = K.gradients(loss, [w])
    state, updates = optimizer(w, g, K.variable(0.1))
    f = K.function([ids, y], [loss], updates, lazy_updates=lazy)
    values = [K.batch_get_value([w] + state)]
    for now in rows:
        f([np.array(now), np.cos(np.arange(WIDTH))])
        values.append(K.batch_get_value([w] + state))
    return f, values


@pytest.mark.parametrize('optimizer', [momentum, nesterov, heavy_ball, adam, adagrad])
def test_named_rows_take_the_step_and_others_wait(optimizer):
    # A row that is named in every step has in each what a whole step makes of it.
    rows = [[[3, 5], [5, 9]], [[5, 3], [5, 5]], [[5, 60], [3, 5]]]
    _, lazy = steps(optimizer, True, rows)
    _, whole = steps(optimizer, False, rows)
    for step, named in enumerate(rows):
        named = np.unique(named)
        others = np.setdiff1d(np.arange(ROWS), named)
        for before, after, dense in zip(lazy[step], lazy[step + 1], whole[step + 1]):
            np.testing.assert_array_equal(after[others], before[others])
            np.testing.assert_array_equal(after[[3, 5]], dense[[3, 5]])
            assert (after[named] != before[named]).any(axis=1).all()


def test_there_is_no_table_of_the_gradient():
    f, _ = steps(adam, True, [], shape=(1, 4))
    whole, _ = steps(adam, False, [], shape=(1, 4))
    assert f.arena_bytes < TABLE_BYTES / 2 < whole.arena_bytes


def test_functions_that_differ_in_it_have_code_of_their_own():
    for lazy in (True, False, True):
        _, values = steps(momentum, lazy, [[[1]], [[2]]])
        moved = (values[2][0][1] != values[1][0][1]).any()
        assert moved != lazy


def test_other_weights_are_updated_as_always():
    w, dense = K.variable(np.ones((ROWS, WIDTH))), K.variable(np.ones((WIDTH, 2)))
    v = K.variable(np.ones((WIDTH, 2)))
    ids = K.placeholder((None,), dtype='int32')
    g, = K.gradients(K.sum(K.dot(K.gather(w, ids), dense)), [dense])
    new = 0.5 * v - g
    f = K.function([ids], [], [K.update(v, new), K.update(dense, dense + new)], lazy_updates=True)
    f([np.array([0, 1])])
    np.testing.assert_array_equal(K.get_value(v), np.full((WIDTH, 2), -1.5))


def test_a_regulariser_is_of_all_rows():
    def regularised(w, g, rate):
        return momentum(w, g + 0.01 * w, rate)

    _, lazy = steps(regularised, True, [[[1]], [[2]]])
    _, whole = steps(regularised, False, [[[1]], [[2]]])
    for a, b in zip(lazy[-1], whole[-1]):
        np.testing.assert_array_equal(a, b)


def test_a_table_that_is_gathered_twice_keeps_the_rows_that_neither_names():
    w, v = K.variable(np.ones((ROWS, WIDTH))), K.variable(np.ones((ROWS, WIDTH)))
    a, b = (K.placeholder((None,), dtype='int32') for _ in range(2))
    g, = K.gradients(K.sum(K.gather(w, a)) + 2. * K.sum(K.gather(w, b)), [w])
    new = 0.5 * v + g
    f = K.function([a, b], [], [K.update(v, new), K.update(w, w - new)], lazy_updates=True)
    f([np.array([1, 2]), np.array([2, 3, 3])])
    expected = np.ones(ROWS)
    expected[[1, 2, 3]] = [1.5, 3.5, 4.5]
    np.testing.assert_array_equal(K.get_value(v)[:, 0], expected)
