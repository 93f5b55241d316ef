"""Gradients and tangents against central differences."""
import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers

X = numbers(3, 4, dtype='float64')
POSITIVE = abs(X) + .5
FUNCTIONS = {
    'tanh': (K.tanh, X), 'exp': (K.exp, X), 'log': (K.log, POSITIVE), 'sqrt': (K.sqrt, POSITIVE),
    'sigmoid': (K.sigmoid, X), 'softmax': (lambda x: K.square(K.softmax(x)), X), 'relu': (lambda x: K.relu(x, .1), X),
    'elu': (K.elu, X), 'std': (lambda x: K.std(x, 0), X), 'logsumexp': (lambda x: K.logsumexp(x, 1), X),
    'prod': (lambda x: K.prod(x, 1), X), 'max': (lambda x: K.max(x, 0), X), 'cumprod': (lambda x: K.cumprod(x, 1), X),
    'dot': (lambda x: K.dot(x, K.transpose(x)), X), 'indexing': (lambda x: x[1:, ::-1] * x[0], X),
    'batch_dot': (lambda x: K.batch_dot(x, K.square(x)), X), 'l2_normalize': (lambda x: K.l2_normalize(x, -1), X),
    'pow': (lambda x: K.pow(x, 2.5), POSITIVE), 'pow to': (lambda x: K.pow(2., x), X),
    'clip': (lambda x: K.clip(x, -.5, .5) * x, X), 'gather': (lambda x: K.gather(x, [0, 2, 0]) ** 2, X),
    'conv1d': (lambda x: K.square(K.conv1d(K.expand_dims(x, 0), K.ones((2, 4, 2)), padding='same')), X),
    'pool2d': (lambda x: K.square(K.pool2d(K.reshape(x, (1, 3, 4, 1)), (2, 2))), X),
    'switch': (lambda x: K.switch(K.greater(x, 0), K.square(x), -x), X),
    'crossentropy': (lambda x: K.categorical_crossentropy(K.softmax(K.constant(X[::-1])), x, from_logits=True), X),
    'rnn': (lambda x: K.rnn(lambda i, s: (i * s[0], [K.tanh(i + s[0])]), K.reshape(x, (3, 2, 2)),
                            [K.ones((3, 2))])[1], X),
    'foldl': (lambda x: K.foldl(lambda a, e: a * e + e, x), X),
    'map_fn': (lambda x: K.map_fn(lambda e: K.sum(e) * e, x), X),
    'operators': (lambda x: (x + 1) * x / (2 + abs(x)) - x % 7 + -x, X),
}


@pytest.mark.parametrize('name', sorted(FUNCTIONS))
def test_central_differences(name):
    K.set_floatx('float64')
    function, x = FUNCTIONS[name]
    p = K.placeholder(x.shape)
    y = function(p)
    weights = K.constant(np.cos(np.arange(np.prod(K.int_shape(y)))).reshape(K.int_shape(y)))
    loss = K.sum(y * weights)
    gradient, = K.gradients(loss, [p])
    f = K.function([p], [loss])
    expected = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        expected[place] = (f([x + step])[0] - f([x - step])[0]) / 2e-6
    found, = K.function([p], [gradient])([x])
    assert found.shape == x.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('name', sorted(FUNCTIONS))
def test_tangents_and_second_derivatives(name):
    K.set_floatx('float64')
    function, x = FUNCTIONS[name]
    p, v = K.placeholder(x.shape), K.placeholder(x.shape)
    y = function(p)
    w = K.placeholder(K.int_shape(y))
    loss = K.sum(y * w)
    weighted = K.sum(K.gradients(loss, p)[0] * v)
    f = K.function([p, v, w], K.jvp(y, p, v) + K.vector_jacobian_product(y, p, w) + K.hessian_vector_product(loss, p, v)
                   + [y, K.gradients(weighted, p)[0] if K.gradients(weighted, p)[0] is not None else K.zeros_like(p)])
    direction, weights = np.cos(np.arange(x.size)).reshape(x.shape), np.sin(1 + np.arange(np.prod(K.int_shape(y))))
    weights = weights.reshape(K.int_shape(y))
    tangent, gradient, product, _, expected = f([x, direction, weights])
    high, low = (f([x + step * direction, direction, weights])[3] for step in (1e-6, -1e-6))
    np.testing.assert_allclose(tangent, (high - low) / 2e-6, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose((tangent * weights).sum(), (gradient * direction).sum(), rtol=1e-10)
    np.testing.assert_allclose(product, expected, rtol=1e-10, atol=1e-12)


def test_tangents_of_lists():
    x, w = K.variable([1., 2.]), K.variable([3., 4.])
    ones, direction = K.constant([1., 1.]), K.constant([1., -1.])
    agree(*map(K.eval, K.jvp(x * w, [x, w], [ones, direction])), np.array([4, 2], 'float32'))
    tangents = K.jvp([x * w, w, K.stop_gradient(x)], x, ones)
    assert [K.eval(t).tolist() for t in tangents] == [[3, 4], [0, 0], [0, 0]]
    agree(K.eval(K.jvp(K.jvp(x ** 3, x, ones), x, ones)[0]), np.array([6, 12], 'float32'))


def test_no_gradient_is_none():
    x, y = K.variable(1.), K.variable(2.)
    assert K.gradients(x * 2, [y]) == [None]
    assert K.gradients(K.cast(K.argmax(K.stack([x, y])), 'float32'), [x]) == [None]
    assert K.gradients(x * K.stop_gradient(y), [x, y])[1] is None
    assert [K.eval(t) for t in K.stop_gradient([x, y])] == [1, 2]
    assert K.gradients(x, K.variable(1, dtype='int32')) == [None]


def test_a_single_tensor_and_intermediate_ones():
    x = K.variable([1., 2.])
    y = K.square(x)
    gradient, = K.gradients(y, x)
    agree(K.eval(gradient), np.array([2, 4], 'float32'))
    agree(K.eval(K.gradients(K.sum(y), [y])[0]), np.ones(2, 'float32'))
    agree(K.eval(K.gradients(K.gradients(x ** 3, x)[0], x)[0]), np.array([6, 12], 'float32'))


@pytest.mark.parametrize('function, at, expected', [
    (K.abs, 0., 0), (K.relu, 0., 0), (lambda x: K.relu(x, .1), 0., .1), (K.sqrt, -1., 0), (K.sign, 1., 0),
    (lambda x: K.clip(x, 0, 1), 1., 1), (lambda x: K.maximum(x, 0.), 0., 1), (K.hard_sigmoid, 2.5, .2),
])
def test_kinks(function, at, expected):
    x = K.variable(at)
    agree(K.eval(K.gradients(function(x), [x])[0]), np.float32(expected))


def columns_of(function, x, step=1e-6):
    """The Jacobian by central differences: the shape of the value and, behind it, of x."""
    columns = []
    for place in np.ndindex(*x.shape):
        high, low = x.copy(), x.copy()
        high[place] += step
        low[place] -= step
        columns.append((function(high) - function(low)) / (2 * step))
    return np.stack(columns, -1).reshape(columns[0].shape + x.shape)


def scanned(x):
    """Running products with what a loop carries, and a branch."""
    last, states, _ = K.rnn(lambda a, s: (K.tanh(a) * s[0], [s[0] + K.sin(a)]), K.expand_dims(x, 0), [x[:1] * 0. + 1.])
    return K.switch(K.sum(x) > 0, states[0] * K.sum(last), states[0])


MAPS = {
    'elements': lambda x: K.tanh(x) * x,
    'products': lambda x: K.dot(K.square(x), K.transpose(x)),
    'reductions': lambda x: K.softmax(x) / K.sum(K.exp(x), 0),
    'a scalar': lambda x: K.logsumexp(x) * K.prod(x),
    'places': lambda x: K.concatenate([K.sort(x, 1), K.gather(x, K.constant([2, 0], 'int32'))], 0),
    'a loop': scanned,
    'convolution': lambda x: K.conv1d(K.expand_dims(K.expand_dims(K.flatten(x), 0)), K.constant([[[.5]], [[-2.]]], 'float64'))
    * K.sum(x),
}


@pytest.mark.parametrize('name', sorted(MAPS))
@pytest.mark.parametrize('known', [True, False])
def test_jacobian(name, known):
    at = np.array([[.3, -1.2], [.9, .4], [-.5, 2.]])
    x = K.placeholder((3, 2) if known else (None, 2), dtype='float64')
    y = MAPS[name](x)
    value = K.function([x], [y])
    expected = columns_of(lambda x: value([x])[0], at)
    for mode in ('forward', 'reverse', 'auto'):
        found, = K.function([x], K.jacobian(y, x, mode))([at])
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize('name', sorted(MAPS))
def test_hessian(name):
    at = np.array([[.3, -1.2], [.9, .4], [-.5, 2.]])
    x = K.placeholder((3, 2), dtype='float64')
    y = MAPS[name](x)
    first = K.function([x], K.gradients(y, x))
    expected = columns_of(lambda x: first([x])[0], at)
    found, again = K.function([x], [K.hessian(y, x), K.jacobian(K.gradients(y, x)[0], x)[0]])([at])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(again, found, rtol=1e-9, atol=1e-12)


def test_jacobian_with_several_inputs():
    x, w = K.variable(np.ones((2, 3)), 'float64'), K.variable(np.arange(12.).reshape(3, 4), 'float64')
    unused = K.variable([1.], 'float64')
    for mode in ('forward', 'reverse'):
        of_x, of_w, of_unused = K.jacobian(K.dot(x, w), [x, w, unused], mode)
        agree(K.eval(of_x), np.einsum('ik,lj->ijkl', np.eye(2), np.arange(12.).reshape(3, 4)), 1e-12)
        agree(K.eval(of_w), np.einsum('il,jm->ijlm', np.ones((2, 3)), np.eye(4)), 1e-12)
        agree(K.eval(of_unused), np.zeros((2, 4, 1)))


def test_jacobian_with_no_input():
    for mode in ('forward', 'reverse', 'auto'):
        assert K.jacobian(K.variable([1.]), [], mode) == []


def test_jacobian_has_gradients():
    x = K.variable([.5, -1., 2.], 'float64')
    volume = K.sum(K.square(K.jacobian(K.sin(x) * x[0], x)[0]))
    found = K.function([], K.gradients(volume, x))([])[0]

    def value(at):
        K.set_value(x, at)
        return np.asarray(K.eval(volume))
    np.testing.assert_allclose(found, columns_of(value, np.array([.5, -1., 2.])), rtol=1e-7, atol=1e-8)


def test_jacobian_for_each_example():
    x = K.placeholder((None, 3), dtype='float64')
    y = K.vectorized_map(lambda row: K.jacobian(K.square(row) * row[0], row)[0], x)
    at = np.array([[1., 2, 3], [-1, .5, 4]])
    expected = np.stack([2 * np.diag(row) * row[0] + np.outer(row**2, [1, 0, 0]) for row in at])
    agree(K.function([x], [y])([at])[0], expected, 1e-12)


def test_what_jacobian_refuses():
    x = K.variable([1., 2.])
    for wrong, what in [(lambda: K.jacobian(x, x, 'sideways'), "unknown mode 'sideways'; needed auto, forward or reverse"),
                        (lambda: K.jacobian(K.cast(x, 'int32'), x), 'output is int32'),
                        (lambda: K.hessian(K.cast(x, 'int32'), x), 'loss is int32, which has no derivative'),
                        (lambda: K.hessian(x, K.cast(x, 'int32')), 'x is int32, which has no derivative; needed floats')]:
        with pytest.raises(ValueError) as caught:
            wrong()
        assert what in str(caught.value)
