"""Gradients of the user's own, checkpoints, implicit functions, differential equations."""
import re

import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers


def gradients_of(y, xs, feeds):
    inputs = [x for x, _ in feeds]
    return K.function(inputs, [y] + K.gradients(y, xs))(
        [value for _, value in feeds])


def test_custom_gradient_of_one():
    x = K.placeholder((3,))
    f = K.custom_gradient(lambda x: K.square(x), lambda x, y, dy: K.clip(dy, -1., 1.) * y)
    value, gradient = gradients_of(K.sum(f(x) * 5.), [x], [(x, [1., 2., 3.])])
    assert value == 70
    agree(gradient, np.array([1., 4., 9.], 'float32'))


def test_custom_gradient_of_several():
    x, w = K.placeholder((2,)), K.placeholder((2, 2))

    def vjp(inputs, outputs, cotangents):
        assert [K.int_shape(t) for t in inputs] == [(2,), (2, 2)] and len(outputs) == len(cotangents) == 2
        return [cotangents[0] * 10., None]
    y, z = K.custom_gradient(lambda x, w: [x * 2., K.sum(w)], vjp)(x, w)
    values = gradients_of(K.sum(y) + z, [x, w], [(x, [1., 2.]), (w, np.ones((2, 2)))])
    assert values[0] == 10
    agree(values[1], np.array([10., 10.], 'float32'))
    agree(values[2], np.zeros((2, 2), 'float32'))


def test_custom_gradient_has_a_gradient():
    # log(1 + exp(x)), whose gradient is made of the result: 1 - exp(-y).
    x = K.placeholder((4,), dtype='float64')
    f = K.custom_gradient(lambda x: K.log(1. + K.exp(x)), lambda x, y, dy: dy * (1. - K.exp(-y)))
    y = f(x)
    first = K.gradients(y, x)[0]
    second = K.gradients(first, x)[0]
    tangent = K.jvp(y, x, K.ones_like(x))[0]
    at = np.array([-2., -.5, .3, 4.])
    logistic = 1 / (1 + np.exp(-at))
    found = K.function([x], [y, first, second, tangent])([at])
    for value, expected in zip(found, [np.log1p(np.exp(at)), logistic, logistic * (1 - logistic), logistic]):
        agree(value, expected, 1e-12)


def test_second_gradient_does_not_go_around():
    # Through what the result is made of it would be another one: round() has none.
    x = K.placeholder((3,), dtype='float64')
    y = K.custom_gradient(lambda x: K.round(x), lambda x, y, dy: dy * y)(x)
    second = K.gradients(K.gradients(y, x)[0], x)[0]
    at = np.array([1.2, -2.4, 3.])
    agree(K.function([x], [second])([at])[0], np.round(at))


def test_custom_gradient_in_loops_and_maps():
    x = K.placeholder((5, 3), dtype='float64')
    w = K.variable([1., 2., 3.], 'float64')
    double = K.custom_gradient(lambda a, b: a * b, lambda inputs, y, dy: [dy * inputs[1] * 2., dy * inputs[0] * 3.])
    at, weights = numbers(5, 3).astype('float64'), np.array([1., 2., 3.])
    for mapped in (K.map_fn, K.vectorized_map):
        y = mapped(lambda row: double(row, w), x)
        of_x, of_w = K.function([x], [K.gradients(K.sum(y * y), [x])[0], K.gradients(K.sum(y * y), [w])[0]])([at])
        agree(of_x, 2 * at * weights * 2 * weights, 1e-12)
        agree(of_w, (2 * at * weights * 3 * at).sum(0), 1e-12)
    summed = K.foldl(lambda a, row: double(a, row), x, initializer=K.ones((3,), 'float64'))
    products = at.prod(0)
    # The last row's gradient is tripled, that of the first one doubled as often as there is a row behind it, too.
    agree(K.function([x], K.gradients(K.sum(summed), [x]))([at])[0],
          np.stack([3 * products / at[i] * 2.**(4 - i) for i in range(5)]), 1e-12)


def test_custom_gradient_of_each_example():
    x = K.placeholder((None, 3), dtype='float64')
    clipped = K.custom_gradient(lambda x: x, lambda x, y, dy: K.clip(dy, -1., 1.))
    y = K.vectorized_map(lambda row: K.gradients(K.sum(K.square(clipped(row))), [row])[0], x)
    at = np.array([[.1, -2., .3], [4., .2, -.4]])
    agree(K.function([x], [y])([at])[0], np.clip(2 * at, -1, 1), 1e-12)


def test_what_custom_gradient_refuses():
    x, n = K.placeholder((2,)), K.placeholder((2,), dtype='int32')

    def given(vjp, f=lambda x: x * 2.):
        return lambda: K.custom_gradient(f, vjp)(x)
    for wrong, what in [
            (given(lambda x, y, dy: [dy, dy]), 'the number of gradients that vjp returns is 2; needed 1, one for each input'),
            (given(lambda x, y, dy: K.cast(dy, 'float64')), 'gradient 0 that vjp returns is float64; needed float32, as the input is'),
            (given(lambda x, y, dy: K.sum(dy)), 'an input and its gradient, gradient 0 of vjp, must have equal shapes; found (2,) and ()'),
            (given(lambda x, y, dy: dy, lambda x: []), 'the function returns an empty list; needed one tensor or more'),
            (given(lambda x, y, dy: dy, lambda x: K.cast(x, 'int32')), 'output 0 is int32, which has no gradient; needed floats'),
            (lambda: K.custom_gradient(lambda x: x, lambda x, y, dy: dy)(n), 'input 0 is int32, which has no gradient; let the function take it from outside'),
            (lambda: K.custom_gradient(lambda: x, lambda x, y, dy: dy)(), 'there are no inputs; needed one tensor or more')]:
        with pytest.raises(ValueError) as caught:
            wrong()
        assert str(caught.value).startswith('custom_gradient: ' + what), caught.value
        assert 'derivatives_test.py' in str(caught.value)
    for wrong, what in [(lambda: K.custom_gradient(3, lambda x, y, dy: dy), 'custom_gradient: f is 3'),
                        (lambda: K.custom_gradient(lambda x: x, None), 'custom_gradient: vjp is None'),
                        (given(lambda x, y, dy: 'no'), "custom_gradient: vjp's result is 'no'"),
                        (lambda: K.checkpoint(3), 'checkpoint: f is 3'),
                        (lambda: K.custom_gradient(lambda x: x, lambda x, y, dy: dy)('no'), "custom_gradient: an argument of the function is 'no'")]:
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value).startswith(what), caught.value


def test_custom_jvp_of_one():
    # Both modes go by it, both orders too: it says 3 x^2 of x^2, whose own derivative is 6 x.
    x, v = K.placeholder((3,), dtype='float64'), K.placeholder((3,), dtype='float64')
    y = K.custom_jvp(lambda x: K.square(x), lambda x, t: t * 3. * K.square(x))(x)
    tangent, gradient = K.jvp(y, x, v)[0], K.gradients(y, x)[0]
    at, along = np.array([1., -2., 3.]), np.array([.5, 2., -1.])
    found = K.function([x, v], [y, tangent, gradient, K.jvp(gradient, x, v)[0], K.gradients(K.sum(tangent), x)[0],
                                K.jvp(tangent, x, v)[0], K.gradients(K.sum(gradient * v), x)[0]])([at, along])
    agree(found[0], at**2)
    agree(found[1], 3 * at**2 * along, 1e-12)
    agree(found[2], 3 * at**2, 1e-12)
    for second in found[3:5] + found[6:]:
        agree(second, 6 * at * along, 1e-12)
    agree(found[5], 6 * at * along**2, 1e-12)


def test_custom_jvp_of_several():
    x, w = K.placeholder((2,), dtype='float64'), K.placeholder((2, 2), dtype='float64')

    def jvp(inputs, tangents):
        assert [K.int_shape(t) for t in inputs] == [(2,), (2, 2)] == [K.int_shape(t) for t in tangents]
        return [tangents[0] * 10. + K.sum(tangents[1] * inputs[1], axis=0), None]
    y, z = K.custom_jvp(lambda x, w: [x * 2., K.sum(w)], jvp)(x, w)
    at, weights = np.array([1., 2.]), np.array([[1., 2.], [3., 4.]])
    values = K.function([x, w], [K.sum(y) + z] + K.gradients(K.sum(y) + z, [x, w]) +
                        K.jvp([y, z], [x, w], [x, K.ones_like(w)]))([at, weights])
    assert values[0] == 16
    agree(values[1], np.array([10., 10.]))
    agree(values[2], weights)
    agree(values[3], 10 * at + weights.sum(0))
    agree(values[4], np.float64(0))


def test_custom_jvp_in_loops_and_maps():
    x = K.placeholder((5, 3), dtype='float64')
    w = K.variable([1., 2., 3.], 'float64')
    double = K.custom_jvp(lambda a, b: a * b, lambda inputs, tangents: tangents[0] * inputs[1] * 2. + tangents[1] * inputs[0] * 3.)
    at, weights = numbers(5, 3).astype('float64'), np.array([1., 2., 3.])
    for mapped in (K.map_fn, K.vectorized_map):
        y = mapped(lambda row: double(row, w), x)
        loss = K.sum(y * y)
        of_x, of_w, along = K.function([x], K.gradients(loss, [x, w]) + K.jvp(y, w, K.ones_like(w)))([at])
        agree(of_x, 2 * at * weights * 2 * weights, 1e-12)
        agree(of_w, (2 * at * weights * 3 * at).sum(0), 1e-12)
        agree(along, 3 * at, 1e-12)
        # A map of derivatives: each row's own.
        rows = mapped(lambda row: K.jvp(double(row, w), row, K.ones_like(row))[0] + K.gradients(K.sum(double(row, w)), [row])[0], x)
        agree(K.function([x], [rows])([at])[0], np.broadcast_to(4 * weights, (5, 3)), 1e-12)
    summed = K.foldl(lambda a, row: double(a, row), x, initializer=K.ones((3,), 'float64'))
    products = at.prod(0)
    expected = np.stack([3 * products / at[i] * 2.**(4 - i) for i in range(5)])
    gradient, along = K.function([x], K.gradients(K.sum(summed), [x]) + K.jvp(summed, x, K.ones_like(x)))([at])
    agree(gradient, expected, 1e-12)
    agree(along, expected.sum(0), 1e-12)


def test_the_gradient_of_a_jvp_that_is_not_linear():
    # That of its derivative where tangents are zero.
    x = K.placeholder((2,))
    y = K.custom_jvp(lambda x: x, lambda x, t: K.sin(t) + K.square(t))(x)
    at = np.array([.5, 2.], 'float32')
    gradient, tangent = K.function([x], [K.gradients(y, x)[0], K.jvp(y, x, x)[0]])([at])
    agree(gradient, np.ones(2, 'float32'))
    agree(tangent, np.sin(at) + at**2)


def test_what_custom_jvp_refuses():
    x, n = K.placeholder((2,)), K.placeholder((2,), dtype='int32')

    def given(jvp, f=lambda x: x * 2.):
        return lambda: K.custom_jvp(f, jvp)(x)
    for wrong, what in [
            (given(lambda x, t: [t, t]), 'the number of tangents that jvp returns is 2; needed 1, one for each output'),
            (given(lambda x, t: K.cast(t, 'float64')), 'tangent 0 that jvp returns is float64; needed float32, as the output is'),
            (given(lambda x, t: K.sum(t)), 'an output and its tangent, tangent 0 of jvp, must have equal shapes; found (2,) and ()'),
            (given(lambda x, t: t, lambda x: K.cast(x, 'int32')), 'output 0 is int32, which has no gradient; needed floats'),
            (lambda: K.custom_jvp(lambda x: x, lambda x, t: t)(n), 'input 0 is int32, which has no gradient; let the function take it from outside'),
            (lambda: K.custom_jvp(lambda: x, lambda x, t: t)(), 'there are no inputs; needed one tensor or more')]:
        with pytest.raises(ValueError) as caught:
            wrong()
        assert str(caught.value).startswith('custom_jvp: ' + what), caught.value
        assert 'derivatives_test.py' in str(caught.value)
    for wrong, what in [(lambda: K.custom_jvp(3, lambda x, t: t), 'custom_jvp: f is 3'),
                        (lambda: K.custom_jvp(lambda x: x, None), 'custom_jvp: jvp is None'),
                        (given(lambda x, t: 'no'), "custom_jvp: jvp's result is 'no'")]:
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value).startswith(what), caught.value


def test_forward_mode_needs_a_linear_gradient():
    x = K.placeholder((2,))
    y = K.custom_gradient(lambda x: x, lambda x, y, dy: K.sin(dy))(x)
    with pytest.raises(ValueError, match='jvp: the gradient of custom_gradient is not linear in its cotangent'):
        K.function([x], K.jvp(y, x, x))


def arena_bytes(f):
    return int(re.search(r'arena +(\d+) bytes', f.memory_plan).group(1))


def layers(x, weights, wrap):
    for w in weights:
        def block(x, w=w):
            for _ in range(3):
                x = K.tanh(K.dot(x, w))
            return x
        x = wrap(block)(x)
    return x


def trained(wrap, count=6, size=32):
    np.random.seed(3)
    weights = [K.variable(np.random.randn(size, size) * .2) for _ in range(count)]
    x = K.placeholder((64, size))
    loss = K.sum(K.square(layers(x, weights, wrap)))
    f = K.function([x], [loss] + K.gradients(loss, weights))
    return f, f([numbers(64, size)])


def test_checkpoints_need_less_memory_for_the_same_results():
    plain, expected = trained(lambda f: f)
    checkpointed, found = trained(K.checkpoint)
    np.testing.assert_array_equal(found[0], expected[0])
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
    assert arena_bytes(checkpointed) < .6 * arena_bytes(plain)


def test_checkpoint_draws_the_same_numbers_again():
    np.random.seed(5)
    w = K.variable(np.random.randn(8, 8))
    x = K.placeholder((4, 8))
    for wrap in (lambda f: f, K.checkpoint):
        y = wrap(lambda x: K.tanh(K.dropout(K.tanh(K.dot(x, w)), .5, seed=7)) * 3.)(x)
        f = K.function([x], [y] + K.gradients(K.sum(y), [w]))
        first, second = f([numbers(4, 8)]), f([numbers(4, 8)])
        if wrap is K.checkpoint:
            for a, b in zip(first + second, expected):
                np.testing.assert_array_equal(a, b)
        expected = first + second
    assert np.any(first[0] != second[0])


def test_checkpoint_in_a_loop_and_twice_differentiated():
    x = K.placeholder((5, 3), dtype='float64')
    w = K.variable([.3, -.7, 1.1], 'float64')
    at = numbers(5, 3).astype('float64')

    def values(wrap):
        def step(a, row):
            return wrap(lambda a, row: K.sin(a * w) + K.cos(row * a))(a, row)
        y = K.sum(K.foldl(step, x, initializer=K.ones((3,), 'float64')))
        of_x, of_w = K.gradients(y, [x, w])
        again = K.gradients(K.sum(of_x * of_x) + K.sum(K.exp(of_w)), [x, w])
        tangent = K.jvp(y, x, K.square(x))
        return K.function([x], [y, of_x, of_w] + again + tangent)([at])
    for a, b in zip(values(K.checkpoint), values(lambda f: f)):
        agree(a, b, 1e-12)


def test_checkpoint_returns_what_its_function_does():
    x = K.placeholder((2,))
    y, z = K.checkpoint(lambda x: [x * 2., K.sum(x)])(x)
    one = K.checkpoint(lambda x: [x])(x)
    assert isinstance(one, list)
    found = K.function([x], [y, z, one[0], K.checkpoint(lambda: K.square(x))()])([[1., 2.]])
    for value, expected in zip(found, [[2., 4.], 3., [1., 2.], [1., 4.]]):
        agree(value, np.array(expected, 'float32'))
    with pytest.raises(ValueError, match='checkpoint: the function returns an empty list; needed one tensor or more'):
        K.checkpoint(lambda x: [])(x)


def test_gradients_of_functions_that_are_saved(tmp_path):
    x = K.placeholder((3,), dtype='float64')
    y = K.checkpoint(lambda x: K.sin(K.exp(x)))(K.custom_gradient(lambda x: x * 2., lambda x, y, dy: dy * 10.)(x))
    f = K.function([x], [y] + K.gradients(K.sum(y), [x]))
    K.save_function(f, str(tmp_path / 'f.ktg'))
    at = np.array([.1, -.4, .7])
    for a, b in zip(K.load_function(str(tmp_path / 'f.ktg'))([at]), f([at])):
        agree(a, b, 1e-12)
    plain = K.function([x], [y])
    K.save_function(plain, str(tmp_path / 'g.ktg'))
    agree(K.load_function(str(tmp_path / 'g.ktg'))([at])[0], plain([at])[0], 1e-12)


def differences(f, at, step=1e-6):
    at = np.asarray(at, 'float64')
    gradient = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        high, low = at.copy(), at.copy()
        high[i] += step
        low[i] -= step
        gradient[i] = (f(high) - f(low)) / (2 * step)
    return gradient


def test_fixed_point_of_a_number():
    a = K.placeholder((), dtype='float64')
    x = K.fixed_point(lambda x: (x + a / x) / 2., K.constant(1., 'float64'))
    first = K.gradients(x, a)[0]
    value, slope, curvature = K.function([a], [x, first, K.gradients(first, a)[0]])([3.])
    agree(value, np.float64(3**.5), 1e-12)
    agree(slope, np.float64(.5 / 3**.5), 1e-10)
    agree(curvature, np.float64(-.25 / 3**1.5), 1e-8)


def test_fixed_point_of_a_layer():
    np.random.seed(1)
    w, b = K.variable(np.random.randn(4, 4) * .2, 'float64'), K.variable(np.random.randn(4), 'float64')
    x = K.placeholder((3, 4), dtype='float64')
    scaled = w * 1.5  # taken by f together with what it is made of
    h = K.fixed_point(lambda h: K.tanh(K.dot(h, scaled) + K.dot(x, w) + b), K.zeros_like(x), tolerance=1e-13)
    loss = K.sum(K.square(h) * K.constant(np.arange(12.).reshape(3, 4), 'float64'))
    f = K.function([x], [loss, h] + K.gradients(loss, [w, b, x]))
    at = np.random.randn(3, 4)
    _, found, of_w, of_b, of_x = f([at])
    agree(found, np.tanh(found @ K.get_value(w) * 1.5 + at @ K.get_value(w) + K.get_value(b)), 1e-10)
    for variable, gradient in ((w, of_w), (b, of_b)):
        start = K.get_value(variable)

        def value(at_variable):
            K.set_value(variable, at_variable)
            return f([at])[0]
        agree(gradient, differences(value, start), 1e-6)
        K.set_value(variable, start)
    agree(of_x, differences(lambda at: f([at])[0], at), 1e-6)


def test_fixed_point_of_several():
    a = K.variable(.3, 'float64')
    x, y = K.fixed_point(lambda x, y: [K.cos(y) * a, K.sin(x) + .1], [K.constant(0., 'float64'), K.constant(0., 'float64')])
    value, of_a = K.function([], [x + y, K.gradients(x + y, [a])[0]])([])

    def at(a):
        x = y = 0.
        for _ in range(200):
            x, y = np.cos(y) * a, np.sin(x) + .1
        return x + y
    agree(value, np.float64(at(.3)), 1e-10)
    agree(of_a, np.float64((at(.3 + 1e-6) - at(.3 - 1e-6)) / 2e-6), 1e-8)


def test_fixed_points_of_rows():
    x = K.placeholder((None,), dtype='float64')
    roots = K.vmap(lambda a: K.fixed_point(lambda x: (x + a / x) / 2., K.constant(1., 'float64')))(x)
    at = np.array([2., 9., .25])
    value, gradient, tangent = K.function([x], [roots] + K.gradients(K.sum(roots), [x]) + K.jvp(roots, x, x))([at])
    agree(value, at**.5, 1e-12)
    agree(gradient, .5 / at**.5, 1e-9)
    agree(tangent, .5 * at**.5, 1e-9)


def test_tangents_of_a_fixed_point():
    # x = a cos(x) / 2, element by element, and a sum over all: a system of its own, whose matrix is not symmetric.
    a, v = K.placeholder((3,), dtype='float64'), K.placeholder((3,), dtype='float64')
    weights = K.constant([.1, -.2, .3], 'float64')
    x = K.fixed_point(lambda x: .5 * a * K.cos(x) + K.sum(x * weights) * K.square(a) * .1, K.zeros((3,), 'float64'), tolerance=1e-14)
    tangent, gradient = K.jvp(x, a, v)[0], K.gradients(K.sum(x * weights), a)[0]
    f = K.function([a, v], [x, tangent, gradient, K.gradients(K.sum(tangent * weights), a)[0], K.gradients(K.sum(tangent), v)[0],
                            K.jvp(gradient, a, v)[0], K.jvp(tangent, a, v)[0]])
    at, along, step = np.array([.5, 1.2, -.7]), np.array([1., -.5, 2.]), 1e-5
    found = f([at, along])

    def derivative(i):
        return (f([at + step * along, along])[i] - f([at - step * along, along])[i]) / (2 * step)
    agree(found[1], derivative(0), 1e-8)
    agree(found[2] @ along, np.float64(found[1] @ [.1, -.2, .3]), 1e-11)
    agree(found[5], derivative(2), 1e-8)
    agree(found[6], derivative(1), 1e-7)
    # The Hessian of a weighted sum, forwards over backwards and backwards over forwards.
    agree(found[3], found[5], 1e-10)
    agree(found[4], K.function([a], K.gradients(K.sum(x), a))([at])[0], 1e-11)


def test_root_of_a_system():
    a = K.placeholder((2,), dtype='float64')

    def f(x):
        return K.stack([x[0] * x[0] + x[1] - a[0], x[1] * K.exp(x[0]) - a[1]])
    x = K.root(f, K.constant([1., 1.], 'float64'))
    weights = K.constant([2., -3.], 'float64')
    first = K.gradients(K.sum(x * weights), a)[0]
    second = K.gradients(K.sum(K.square(first)), a)[0]
    tangent = K.jvp(x, a, K.constant([1., .5], 'float64'))[0]
    g = K.function([a], [x, first, second, tangent])
    at = np.array([3., 2.])
    found, gradient, again, along = g([at])
    agree(np.array([found[0]**2 + found[1], found[1] * np.exp(found[0])]), at, 1e-12)
    agree(gradient, differences(lambda at: (g([at])[0] * [2., -3.]).sum(), at), 1e-7)
    agree(again, differences(lambda at: np.square(g([at])[1]).sum(), at), 1e-6)
    agree(along, (g([at + 1e-6 * np.array([1., .5])])[0] - g([at - 1e-6 * np.array([1., .5])])[0]) / 2e-6, 1e-7)


def test_root_exchanges_rows():
    # The first pivot is 0.
    matrix, right = np.array([[0., 2., 1.], [1., 0., 1.], [3., 1., 0.]]), np.array([1., 2., 3.])
    m = K.variable(matrix, 'float64')
    x = K.root(lambda x: K.reshape(K.dot(m, K.expand_dims(x, 1)), (3,)) - right, K.zeros((3,), 'float64'))
    value, gradient = K.function([], [x] + K.gradients(K.sum(x), [m]))([])
    agree(value, np.linalg.solve(matrix, right), 1e-12)
    agree(gradient, -np.outer(np.linalg.solve(matrix.T, np.ones(3)), value), 1e-12)


def test_roots_of_elements():
    a = K.placeholder((None,), dtype='float64')
    x = K.vmap(lambda a: K.root(lambda x: x * x * x - a, K.constant(1., 'float64')))(a)
    at = np.array([8., .001, 27.])
    value, gradient = K.function([a], [x] + K.gradients(K.sum(x), [a]))([at])
    agree(value, np.cbrt(at), 1e-11)
    agree(gradient, 1 / (3 * np.cbrt(at)**2), 1e-9)


def test_equations_without_a_solution_found():
    a = K.placeholder((2,), dtype='float64')
    for make, what in [
            (lambda **how: K.vmap(lambda a: K.root(lambda x: x * x + a, K.constant(1., 'float64'), **how))(a), 'root: the iteration of root'),
            (lambda **how: K.fixed_point(lambda x: 1. + a - x, K.zeros((2,), 'float64'), **how), 'fixed_point: the iteration of fixed_point')]:
        with pytest.raises(ValueError) as caught:
            K.function([a], [make(maximum_iterations=21)])([[-4., 2.]])
        assert f'{what} has not come within the tolerance in maximum_iterations' in str(caught.value)
        reached = K.function([a], [make(maximum_iterations=21, check=False)])([[-4., 2.]])[0]
        assert np.isfinite(reached).all()
    with pytest.raises(ValueError, match='the gradient of fixed_point has not come within'):
        # At once there, but the gradient is a sum of powers of 1.
        x = K.fixed_point(lambda x: x * a, K.zeros((2,), 'float64'))
        K.function([a], K.gradients(K.sum(x), a))([[1., 1.]])


def test_lists_without_tensors():
    x = K.placeholder((2,))
    for wrong, what in [(lambda: K.jvp(None, x, x), 'jvp: outputs is an empty list; needed one tensor or more'),
                        (lambda: K.jvp(x, [], []), 'jvp: inputs is an empty list'),
                        (lambda: K.vector_jacobian_product(x, None, x), 'vector_jacobian_product: inputs is an empty list'),
                        (lambda: K.hessian_vector_product(K.sum(x), [], []), 'hessian_vector_product: x is an empty list')]:
        with pytest.raises(ValueError, match=what):
            wrong()


def test_what_solvers_refuse():
    x = K.constant([1., 2.])
    for wrong, what in [
            (lambda: K.fixed_point(lambda x: [x, x], x), 'fixed_point: f returns 2 tensors; needed 1, one for each of x0'),
            (lambda: K.fixed_point(lambda x: K.sum(x), x), 'fixed_point: x0 and f must have equal shapes; found (2,) and ()'),
            (lambda: K.fixed_point(lambda x: K.cast(x, 'float64'), x), 'fixed_point: f has dtype float64; needed float32, as x0 has'),
            (lambda: K.fixed_point(lambda x: x, x, tolerance=-1.), 'fixed_point: tolerance is -1.000000; needed a number that is not negative'),
            (lambda: K.fixed_point(lambda: [], []), 'fixed_point: x0 is an empty list; needed one tensor or more'),
            (lambda: K.root(lambda x: x, x, maximum_iterations=-1), 'root: maximum_iterations must not be negative'),
            (lambda: K.odeint(lambda y, t: y, [], [0., 1.]), 'odeint: y0 is an empty list; needed one tensor or more'),
            (lambda: K.odeint(lambda y, t: [y, y], x, [0., 1.]), 'odeint: f returns 2 tensors; needed 1, one for each of y0'),
            (lambda: K.odeint(lambda y, t: t, x, [0., 1.]), 'odeint: y0 and f must have equal shapes; found (2,) and ()'),
            (lambda: K.odeint(lambda y, t: K.cast(y, 'float64'), x, [0., 1.]), 'odeint: f has dtype float64; needed float32, as y0 has'),
            (lambda: K.odeint(lambda y, t: y, x, 0.), 'odeint: t has shape (); needed a vector of times'),
            (lambda: K.odeint(lambda y, t: y, x, [0., 1.], atol=0.), 'odeint: rtol is 0.000010 and atol 0.000000; needed 0 or more, and more than 0')]:
        with pytest.raises(ValueError) as caught:
            wrong()
        assert str(caught.value).startswith(what), caught.value
        assert 'derivatives_test.py' in str(caught.value)


def exponential(a):
    values, vectors = np.linalg.eig(a)
    return lambda t: (vectors @ np.diag(np.exp(values * t)) @ np.linalg.inv(vectors)).real


def test_odeint_of_a_linear_system():
    matrix = np.array([[-.5, 2.], [-2., -.3]])
    a = K.variable(matrix, 'float64')
    y0, t = K.placeholder((2,), dtype='float64'), K.placeholder((None,), dtype='float64')
    y = K.odeint(lambda y, t: K.reshape(K.dot(a, K.expand_dims(y, 1)), (2,)), y0, t, rtol=1e-9, atol=1e-10)
    loss = K.sum(y * K.constant([1., -2.], 'float64') * K.expand_dims(K.cos(t), 1))
    tangent = K.jvp(y, y0, K.constant([1., 2.], 'float64'))[0]
    f = K.function([y0, t], [y, loss, tangent] + K.gradients(loss, [y0, t, a]))
    start, times = np.array([1., -.5]), np.array([0., .4, .5, 3.])
    solution = exponential(matrix)
    found, _, along, of_y0, of_t, of_a = f([start, times])
    agree(found, np.stack([solution(t) @ start for t in times]), 1e-7)
    agree(along, np.stack([solution(t) @ [1., 2.] for t in times]), 1e-7)
    agree(of_y0, sum(np.cos(t) * np.array([1., -2.]) @ solution(t) for t in times), 1e-7)
    agree(of_t, differences(lambda t: f([start, t])[1], times, 1e-5), 1e-6)

    def value(matrix):
        solution = exponential(matrix)
        return sum(np.cos(t) * np.array([1., -2.]) @ solution(t) @ start for t in times)
    agree(of_a, differences(value, matrix), 1e-6)
    # Back in time.
    agree(f([found[-1], times[::-1]])[0][-1], start, 1e-6)


def test_odeint_of_what_depends_on_time():
    k = K.variable(2., 'float64')
    t = np.linspace(0., 2., 9)
    y = K.odeint(lambda y, t: k * K.cos(t) * y, K.constant([1., 3.], 'float64'), t, rtol=1e-10, atol=1e-10)
    first = K.gradients(K.sum(y[-1]), [k])[0]
    second = K.jvp(first, k, K.ones_like(k))[0]
    found, slope, curvature = K.function([], [y, first, second])([])
    agree(found, np.exp(2 * np.sin(t))[:, None] * [1., 3.], 1e-8)
    agree(slope, np.float64(4 * np.sin(2.) * np.exp(2 * np.sin(2.))), 1e-8)
    agree(curvature, np.float64(4 * np.sin(2.)**2 * np.exp(2 * np.sin(2.))), 1e-6)


def test_odeint_of_several():
    # A predator and its prey: x - log x + y - log y stays.
    x, y = K.odeint(lambda x, y, t: [x * (1. - y), y * (x - 1.)],
                    [K.constant(1.5, 'float64'), K.constant(.7, 'float64')], np.linspace(0., 20., 5), 1e-9, 1e-9)
    x, y = K.function([], [x, y])([])
    kept = x - np.log(x) + y - np.log(y)
    agree(kept, np.full(5, kept[0]), 1e-7)


def test_odeint_of_one_time_and_of_what_explodes():
    y = K.odeint(lambda y, t: y * y, K.constant([1., .1], 'float64'), K.constant([0.], 'float64'))
    agree(K.eval(y), np.array([[1., .1]]))
    y = K.odeint(lambda y, t: y * y, K.constant([1.], 'float64'), K.constant([0., .5, 2.], 'float64'), maximum_steps=500)
    found = K.eval(y)
    agree(found[:2, 0], np.array([1., 2.]), 1e-4)
    assert np.isnan(found[2, 0])


def test_odeint_in_float32_and_for_each_example():
    y0 = K.placeholder((None, 2))
    y = K.vmap(lambda y: K.odeint(lambda y, t: -y * K.exp(-t), y, [0., 1., 2.])[-1])(y0)
    f = K.function([y0], [y] + K.gradients(K.sum(y), [y0]))
    at = np.array([[1., 2.], [-3., .5], [100., 0.]], 'float32')
    factor = np.exp(np.exp(-2.) - 1)
    value, gradient = f([at])
    agree(value, (at * factor).astype('float32'), 1e-4)
    agree(gradient, np.full_like(at, factor), 1e-4)
