"""Functions of each element, against NumPy."""
import numpy as np
import pytest
from scipy import special

import keratin.backend as K
from support import agree, both_ways, numbers

FLOATS = ['float16', 'float32', 'float64']
INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
SHAPES = [(), (3,), (2, 3), (2, 1, 3), (0, 2)]

UNARY = {
    'abs': np.abs, 'atan': np.arctan, 'ceil': np.ceil, 'cos': np.cos, 'erf': special.erf, 'exp': np.exp,
    'floor': np.floor, 'round': np.round, 'sigmoid': special.expit, 'sign': np.sign, 'sin': np.sin,
    'softplus': lambda x: np.logaddexp(x, np.zeros_like(x)), 'softsign': lambda x: x / (1 + abs(x)),
    'square': np.square, 'tan': np.tan, 'tanh': np.tanh, 'identity': lambda x: x,
    'hard_sigmoid': lambda x: np.clip(0.2 * x + 0.5, 0, 1), 'elu': lambda x: np.where(x > 0, x, np.expm1(x)),
}
BINARY = {
    'maximum': np.maximum, 'minimum': np.minimum, 'equal': np.equal, 'not_equal': np.not_equal,
    'greater': np.greater, 'greater_equal': np.greater_equal, 'less': np.less, 'less_equal': np.less_equal,
}


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('name', sorted(UNARY))
def test_unary(name, dtype):
    K.set_floatx(dtype)
    x = numbers(2, 3, dtype=dtype)
    expected = UNARY[name](x.astype('float64')).astype(dtype)
    agree(both_ways(getattr(K, name), x), expected, {'float64': 1e-12}.get(dtype, 2e-5))


@pytest.mark.parametrize('shape', SHAPES)
def test_unary_of_shapes(shape):
    x = numbers(*shape, dtype='float64')
    K.set_floatx('float64')
    agree(both_ways(K.tanh, np.asarray(x)), np.asarray(np.tanh(x)), 1e-12)


@pytest.mark.parametrize('name, x, expected', [
    ('log', [1., np.e, 0.], [0., 1., -np.inf]),
    ('sqrt', [4., 0., -1., np.nan], [2., 0., 0., np.nan]),
    ('round', [-2.5, -1.5, -.5, .5, 1.5, 2.5], [-2., -2., 0., 0., 2., 2.]),
    ('sign', [-3., 0., 4., np.nan], [-1., 0., 1., np.nan]),
    ('sigmoid', [-1e4, 1e4], [0., 1.]),
    ('softplus', [-1e4, 1e4], [0., 1e4]),
])
def test_special_points(name, x, expected):
    agree(K.eval(getattr(K, name)(K.constant(x))), np.array(expected, 'float32'))


def test_log_of_a_negative_number_is_nan():
    assert np.isnan(K.eval(K.log(K.constant(-1.))))


@pytest.mark.parametrize('dtype', INTEGERS)
@pytest.mark.parametrize('name', ['abs', 'sign', 'square', 'round'])
def test_integers_stay(name, dtype):
    x = np.array([0, 1, 3, 7], dtype)
    agree(K.eval(getattr(K, name)(K.constant(x, dtype=dtype))), getattr(np, name)(x).astype(dtype))


@pytest.mark.parametrize('name', ['exp', 'sqrt', 'tanh', 'sigmoid', 'softplus', 'elu', 'softsign', 'log', 'sin', 'cos'])
@pytest.mark.parametrize('dtype', ['int32', 'bool', 'uint8'])
def test_transcendental_functions_of_integers_are_floatx(name, dtype):
    x = np.array([1, 0, 1], dtype)
    result = getattr(K, name)(K.constant(x, dtype=dtype))
    assert result.dtype == 'float32'
    agree(K.eval(result), K.eval(getattr(K, name)(K.constant(x.astype('float32')))))


@pytest.mark.parametrize('dtype', ['float16', 'float64', 'int8', 'int64', 'uint32'])
@pytest.mark.parametrize('name', sorted(BINARY))
def test_binary(name, dtype):
    x = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    y = np.array([3, 2, 1], dtype)
    f = getattr(K, name)
    found = K.eval(f(K.constant(x, dtype=dtype), K.constant(y, dtype=dtype)))
    agree(found, BINARY[name](x, y))
    p, q = K.placeholder((None, 3), dtype=dtype), K.placeholder((None,), dtype=dtype)
    agree(K.function([p, q], [f(p, q)])([x, y])[0], BINARY[name](x, y))


@pytest.mark.parametrize('y', [2, 2., True, np.float32(2), np.float64(2), np.int64(2), np.array(2.), np.array(2),
                               [1., 2., 3.], (1, 2, 3), np.array([1, 2, 3], 'float64')])
@pytest.mark.parametrize('name', ['maximum', 'greater', 'equal', 'pow'])
def test_what_stands_for_a_tensor(name, y):
    x = np.array([[1, 2, 3], [4, 1, 2]], 'float32')
    reference = {'pow': np.power}.get(name) or BINARY[name]
    expected = reference(x, np.asarray(y, 'float32'))
    agree(K.eval(getattr(K, name)(K.constant(x), y)), expected)
    expected = reference(np.asarray(y, 'float32'), x)
    agree(K.eval(getattr(K, name)(y, K.constant(x))), expected)


def test_without_any_tensor():
    assert K.eval(K.greater(np.array(2.), 0))
    agree(K.eval(K.cast(1.0, 'float32')), np.float32(1))
    agree(K.eval(K.maximum([1, 5], [4, 2])), np.array([4, 5], 'int32'))


@pytest.mark.parametrize('x, a, expected', [
    (np.array([1., 2., -3.], 'float32'), 2, np.array([1, 4, 9], 'float32')),
    (np.array([1., 4., -1.], 'float32'), .5, np.array([1, 2, np.nan], 'float32')),
    (np.array([2, 3], 'int32'), 3, np.array([8, 27], 'int32')),
])
def test_pow(x, a, expected):
    agree(K.eval(K.pow(K.constant(x, dtype=x.dtype), a)), expected)


def test_pow_of_a_number_to_a_tensor():
    agree(K.eval(K.pow(np.array(.9), K.constant([1., 2.]))), np.array([.9, .81], 'float32'))


@pytest.mark.parametrize('low, high, expected', [
    (-1, 1, [-1, 0, 1]), (None, 1, [-2, 0, 1]), (-1, None, [-1, 0, 3]), (None, None, [-2, 0, 3]),
    (2, 1, [2, 2, 2]), (np.float32(-1), np.array(1.), [-1, 0, 1]), (np.zeros(3), np.ones(3), [0, 0, 1]),
])
def test_clip(low, high, expected):
    agree(K.eval(K.clip(K.constant([-2., 0., 3.]), low, high)), np.array(expected, 'float32'))


@pytest.mark.parametrize('to', FLOATS + INTEGERS + ['bool'])
@pytest.mark.parametrize('dtype', ['float32', 'int64', 'bool'])
def test_cast(dtype, to):
    x = np.array([0, 1, 1.7, 100], 'float32').astype(dtype)
    agree(K.eval(K.cast(K.constant(x, dtype=dtype), to)), x.astype(to))


@pytest.mark.parametrize('dtype', ['float32', np.float32, np.dtype('float32')])
def test_dtype_arguments(dtype):
    assert K.cast(K.constant(1), dtype).dtype == 'float32'
    assert K.cast(K.constant(1), K.constant(2, dtype='int8').dtype).dtype == 'int8'


def test_where():
    condition = np.array([True, False, True])
    x, y = np.array([1, 2, 3], 'float32'), np.array([4, 5, 6], 'float32')
    agree(K.eval(K.where(condition, K.constant(x), y)), np.where(condition, x, y))


@pytest.mark.parametrize('x, y', [([7, -7, 7, -7], [2, 2, -2, -2]), ([7.5, -7.5], [2., 2.])])
def test_floor_divide(x, y):
    dtype = np.asarray(x).dtype if isinstance(x[0], float) else 'int32'
    x, y = np.array(x, dtype).astype('float32' if dtype == 'float64' else dtype), np.array(y)
    agree(K.eval(K.floor_divide(K.constant(x, dtype=x.dtype), y.astype(x.dtype))), x // y.astype(x.dtype))


# relu's table: x, (alpha, max_value, threshold), expected (spec of the API, conformance numbers).
RELU_X = [-4, -3, -2.8, -1, 0, .5, .8, 1, 4, 5, 6, 9]


@pytest.mark.parametrize('arguments, expected', [
    ((.1, 5, .8), [-.48, -.38, -.36, -.18, -.08, -.03, 0, 1, 4, 5, 5, 5]),
    ((.1, 5, -2.8), [-.12, -.02, 0, 0, 0, .5, .8, 1, 4, 5, 5, 5]),
    ((.1, None, -2.8), [-.12, -.02, 0, -1, 0, .5, .8, 1, 4, 5, 6, 9]),
    ((.1, 0, .8), [-.48, -.38, -.36, -.18, -.08, -.03, 0, 0, 0, 0, 0, 0]),
])
@pytest.mark.parametrize('kind', [lambda v: v, np.array, np.float32], ids=['number', '0-d', 'scalar'])
def test_relu(arguments, expected, kind):
    given = [None if v is None else kind(v) for v in arguments]
    agree(K.eval(K.relu(K.constant(RELU_X), *given)), np.array(expected, 'float32'))


def test_elu_with_alpha():
    x = numbers(5)
    agree(K.eval(K.elu(x, alpha=1.7)), np.where(x > 0, x, 1.7 * np.expm1(x)).astype('float32'))
