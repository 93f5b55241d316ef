"""Complex numbers, against NumPy."""
import numpy as np
import pytest

import keratin.backend as K

inf, nan = float('inf'), float('nan')
DTYPES = ['complex64', 'complex128']


def complexes(*shape, dtype='complex64', seed=0):
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)


def parts(z):
    return np.stack([np.real(z), np.imag(z)], -1)


def agree(actual, expected, error=None):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    error = error or (1e-5 if expected.dtype in ('complex64', 'float32') else 1e-12)
    np.testing.assert_allclose(parts(actual), parts(expected), rtol=error, atol=error)


def run(function, *arrays):
    """The function of placeholders, which are fed."""
    inputs = [K.placeholder(a.shape, dtype=str(a.dtype)) for a in arrays]
    return K.function(inputs, [function(*inputs)])(list(arrays))[0]


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', [(), (3,), (2, 3), (0, 2), (2, 1, 5)])
def test_numbers_go_in_and_come_out(dtype, shape):
    z = np.asarray(complexes(*shape, dtype=dtype))
    agree(run(K.identity, z), z)
    agree(K.eval(K.constant(z, dtype=dtype)), z)
    variable = K.variable(z, dtype=dtype)
    assert variable.dtype == dtype
    agree(K.get_value(variable), z)
    K.set_value(variable, z + 1)
    agree(K.get_value(variable), z + np.asarray(1, dtype))


@pytest.mark.parametrize('dtype', DTYPES)
def test_parts(dtype):
    z = complexes(2, 3, dtype=dtype)
    agree(run(K.real, z), z.real)
    agree(run(K.imag, z), z.imag)
    agree(run(K.conj, z), z.conj())
    agree(run(K.complex, z.real.copy(), z.imag.copy()), z)
    agree(run(K.angle, z), np.angle(z))


def test_parts_of_real_numbers():
    x = np.array([-1, 2], 'float32')
    agree(run(K.real, x), x)
    agree(run(K.imag, x), np.zeros(2, 'float32'))
    agree(run(K.conj, x), x)
    agree(run(K.angle, x), np.angle(x))


def test_constants_take_floatx():
    assert K.constant(1 + 2j).dtype == 'complex64'
    assert K.variable(np.array([1 + 2j])).dtype == 'complex64'
    K.set_floatx('float64')
    assert K.constant(1 + 2j).dtype == 'complex128'


def test_views_with_strides():
    z = complexes(4, 6)
    agree(run(K.identity, z[::2, ::-3]), z[::2, ::-3])
    agree(run(K.identity, z.T), z.T)


MOVES = {
    'transpose': (K.transpose, np.transpose),
    'reshape': (lambda z: K.reshape(z, (3, 4)), lambda z: z.reshape(3, 4)),
    'concatenate': (lambda z: K.concatenate([z, z], 0), lambda z: np.concatenate([z, z], 0)),
    'stack': (lambda z: K.stack([z, z], 1), lambda z: np.stack([z, z], 1)),
    'slice': (lambda z: z[1:, ::2], lambda z: z[1:, ::2]),
    'gather': (lambda z: K.gather(z, [1, 0, 1]), lambda z: z[[1, 0, 1]]),
    'tile': (lambda z: K.tile(z, (2, 1)), lambda z: np.tile(z, (2, 1))),
    'repeat_elements': (lambda z: K.repeat_elements(z, 2, 1), lambda z: np.repeat(z, 2, 1)),
    'pad': (lambda z: K.pad(z, [(1, 0), (0, 2)]), lambda z: np.pad(z, [(1, 0), (0, 2)])),
    'where': (lambda z: K.where(K.real(z) > 0, z, -z), lambda z: np.where(z.real > 0, z, -z)),
    'reverse': (lambda z: K.reverse(z, 0), lambda z: z[::-1]),
    'sum': (lambda z: K.sum(z, 1), lambda z: z.sum(1)),
    'mean': (lambda z: K.mean(z, 0), lambda z: z.mean(0)),
    'cumsum': (lambda z: K.cumsum(z, 1), lambda z: z.cumsum(1)),
    'zeros_like': (K.zeros_like, np.zeros_like),
    'ones_like': (K.ones_like, np.ones_like),
    'expand_dims': (lambda z: K.expand_dims(z, 1), lambda z: z[:, None]),
    'roll': (lambda z: K.roll(z, 1, 1), lambda z: np.roll(z, 1, 1)),
    'to complex128': (lambda z: K.cast(z, 'complex128'), lambda z: z.astype('complex128')),
}


@pytest.mark.parametrize('name', sorted(MOVES))
def test_moves(name):
    ours, numpys = MOVES[name]
    z = complexes(2, 6)
    agree(run(ours, z), numpys(z))


def test_nothing_but_copies():
    z = complexes(2, 3)
    x, v, w = K.placeholder((None, 3), dtype=z.dtype), K.variable(z), K.variable(2 * z)
    found = K.function([x], [x, v, w], [(v, w), (w, v)])([z])
    for one, other in zip(found + [K.get_value(v), K.get_value(w)], [z, z, 2 * z, 2 * z, z]):
        agree(one, other)


ARITHMETIC = {
    'add': lambda a, b: a + b, 'subtract': lambda a, b: a - b, 'multiply': lambda a, b: a * b,
    'divide': lambda a, b: a / b, 'with numbers': lambda a, b: 2 * a - b / 3 + 1j,
    'power': lambda a, b: a**3 + b**-2 + a**0,
}


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('name', sorted(ARITHMETIC))
def test_arithmetic(name, dtype):
    a, b = complexes(2, 3, dtype=dtype), complexes(3, dtype=dtype, seed=1)
    agree(run(ARITHMETIC[name], a, b), ARITHMETIC[name](a, b).astype(dtype))


FUNCTIONS = ['abs', 'exp', 'log', 'sin', 'cos', 'tan', 'tanh', 'sqrt', 'square']


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('scale', [1e-6, 1, 20])
@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions(name, scale, dtype):
    z = (scale * complexes(100, dtype='complex128')).astype(dtype)
    actual, expected = run(getattr(K, name), z), getattr(np, name)(z)
    assert actual.dtype == expected.dtype
    error = 1e-5 if dtype == 'complex64' else 2e-13
    size = np.maximum(np.abs(expected), 1e-300)
    assert (np.abs(actual - expected) / size).max() < error


def test_power_of_tensors():
    a, b = complexes(20), complexes(20, seed=1)
    agree(run(K.pow, a, b), a**b, 1e-4)
    zero = np.zeros(2, 'complex64')
    agree(run(K.pow, zero, np.array([0, 2], 'complex64')), np.array([1, 0], 'complex64'))


SIZES = [0., -0., 1., -1., 1e30, -1e30, 3e38, 1e-30, -1e-42, inf, -inf]


@pytest.mark.parametrize('name', ['abs', 'sqrt', 'log'])
def test_edges(name):
    z = np.empty((len(SIZES), len(SIZES)), 'complex64')
    z.real, z.imag = np.meshgrid(np.array(SIZES, 'float32'), np.array(SIZES, 'float32'))
    with np.errstate(all='ignore'):
        expected = getattr(np, name)(z)
    actual = run(getattr(K, name), z)
    np.testing.assert_allclose(parts(actual), parts(expected), rtol=1e-5, atol=1e-44)
    if name == 'sqrt':  # zeros have signs
        finite = ~np.isnan(parts(expected))
        assert (np.signbit(parts(actual)) == np.signbit(parts(expected)))[finite].all()


def test_quotients_do_not_overflow():
    a = np.array([1e38 + 1e38j, 1e-38 + 1e-38j, 1 + 2j], 'complex64')
    b = np.array([1.5e38 + 1e38j, 2e-38 - 1e-38j, inf + 0j], 'complex64')
    agree(run(lambda a, b: a / b, a, b), (a.astype('complex128') / b).astype('complex64'))


def test_comparisons():
    a = np.array([1 + 2j, 1 - 2j, nan + 0j], 'complex64')
    b = np.array([1 + 2j, 1 + 2j, nan + 0j], 'complex64')
    assert (run(K.equal, a, b) == (a == b)).all()
    assert (run(K.not_equal, a, b) == (a != b)).all()


@pytest.mark.parametrize('dtype', DTYPES)
def test_products(dtype):
    a, b = complexes(4, 3, dtype=dtype), complexes(3, 5, dtype=dtype, seed=1)
    x = np.random.default_rng(2).normal(size=(3, 5)).astype('float32')
    agree(run(K.dot, a, b), a @ b)
    agree(run(K.matmul, a, b), a @ b)
    agree(run(K.dot, a, x), (a @ x).astype(dtype))
    agree(run(lambda a, b: K.einsum('ij,jk->ki', [a, b]), a, b), (a @ b).T)
    agree(run(lambda a, b: K.batch_dot(a, b), complexes(2, 4, 3, dtype=dtype), complexes(2, 3, 5, dtype=dtype)),
          complexes(2, 4, 3, dtype=dtype) @ complexes(2, 3, 5, dtype=dtype))


def test_dtypes_of_results():
    z = K.placeholder((2,), dtype='complex64')
    for other, result in [('float32', 'complex64'), ('float64', 'complex128'), ('int32', 'complex64'),
                          ('bool', 'complex64'), ('complex128', 'complex128')]:
        assert (z + K.placeholder((2,), dtype=other)).dtype == result
    assert (z * 2.5).dtype == 'complex64' and (z + 1j).dtype == 'complex64'
    assert (K.placeholder((2,)) * 1j).dtype == 'complex64'


def test_variables_are_updated():
    z = K.variable(np.array([1 + 2j, 3 - 1j]))
    turn = K.function([], [z], updates=[(z, K.conj(z) * 1j), ])
    before = K.get_value(z)
    turn([])
    agree(K.get_value(z), before.conj() * np.complex64(1j))
    K.function([], [], updates=[K.update_add(z, np.array([1j, 1], 'complex64'))])([])
    agree(K.get_value(z), before.conj() * np.complex64(1j) + np.array([1j, 1], 'complex64'))


def test_unknown_sizes():
    z = K.placeholder((None, None), dtype='complex64')
    f = K.function([z], [K.dot(z, K.transpose(z)), z[0]])
    for n in (1, 3):
        x = complexes(n, n + 1)
        product, row = f([x])
        agree(product, x @ x.T)
        agree(row, x[0])


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('count', [0, 1, 2, 7, 63, 64, 65, 200])
def test_prod(dtype, count):
    # Of size 1, so that products of many keep it.
    z = np.exp(1j * np.angle(complexes(2, count, 3, dtype=dtype)) + .01).astype(dtype)
    shapes = z.shape, (None, None, None)
    for axis, keepdims in (1, False), (-2, True), ((0, 1), False), (None, True), ([], False):
        expected = z if axis == [] else np.prod(z, axis=axis, keepdims=keepdims)
        for shape in shapes:
            place = K.placeholder(shape, dtype=dtype)
            y = K.prod(place, axis=axis, keepdims=keepdims)
            agree(K.function([place], [y])([z])[0], np.asarray(expected, dtype), 2e-4 if dtype == 'complex64' else 1e-11)


def test_prod_of_what_is_not_finite():
    for shape in (None,), (1,):
        place = K.placeholder(shape, dtype='complex64')
        y = K.function([place], [K.prod(place)])([np.array([complex(inf, 1)])])[0]
        assert (y.real, y.imag) == (inf, 1)


# Gradients.

LOSSES = {
    'size': lambda z: K.sum(K.square(K.abs(z))), 'real': lambda z: K.sum(K.real(z * z)),
    'exp': lambda z: K.sum(K.abs(K.exp(z))), 'log': lambda z: K.sum(K.imag(K.log(z)) + K.real(K.log(z))),
    'sqrt': lambda z: K.sum(K.real(K.sqrt(z)) * K.imag(K.sqrt(z))), 'tan': lambda z: K.sum(K.real(K.tan(z))),
    'sin': lambda z: K.sum(K.imag(K.sin(z) * K.cos(z))), 'quotient': lambda z: K.sum(K.real((z + 1) / (z * 2 - 1j))),
    'angle': lambda z: K.sum(K.angle(z) * K.imag(z)), 'power': lambda z: K.sum(K.real(K.pow(z, z))),
    'product': lambda z: K.sum(K.real(K.dot(K.transpose(z), z))),
    'prod': lambda z: K.imag(K.prod(z)) + K.sum(K.real(K.prod(z, 0))),
}


@pytest.mark.parametrize('name', sorted(LOSSES))
def test_gradients(name):
    K.set_floatx('float64')
    z = K.placeholder((2, 3), dtype='complex128')
    loss = LOSSES[name](z)
    f = K.function([z], [loss])
    g = K.function([z], K.gradients(loss, [z]))
    x, h = complexes(2, 3, dtype='complex128', seed=3), 1e-6
    actual = g([x])[0]
    assert actual.dtype == 'complex128'
    for place in np.ndindex(2, 3):
        def moved(step):
            y = x.copy()
            y[place] += step
            return f([y])[0]
        expected = (moved(h) - moved(-h)) / (2 * h) + 1j * (moved(h * 1j) - moved(-h * 1j)) / (2 * h)
        np.testing.assert_allclose(actual[place], expected, rtol=2e-6, atol=1e-6)


def test_gradients_of_products_of_zeros():
    z = np.exp(1j * np.arange(70))
    z[5] = 0
    others = np.array([np.prod(np.delete(z, i)) for i in range(len(z))])
    for shape in (None,), z.shape:
        place = K.placeholder(shape, dtype='complex128')
        loss = K.real(K.prod(place))
        agree(K.function([place], K.gradients(loss, [place]))([z])[0], others.conj())


def test_gradients_of_parts_of_made_numbers():
    a, b = K.variable([1., 2.]), K.variable([3., -1.])
    z = K.complex(a, b)
    loss = K.sum(K.square(K.abs(z)) * a)
    ga, gz = K.function([], K.gradients(loss, [a, z]))([])
    agree(ga, np.array([2 * 1 * 1 + 10, 2 * 2 * 2 + 5], 'float32'))
    agree(gz, np.array([2 * 1 * (1 + 3j), 2 * 2 * (2 - 1j)], 'complex64'))


def test_complex_losses_are_refused():
    z = K.placeholder((2,), dtype='complex64')
    with pytest.raises(TypeError, match='gradients: the loss is complex64; needed a real one, such as real, imag and abs make'):
        K.gradients(K.sum(z), [z])


# Loops.


def test_loops_carry_complex_states():
    z = complexes(5, 3)
    agree(run(lambda z: K.map_fn(lambda e: e * e, z), z), z * z)
    agree(run(lambda z: K.foldl(lambda s, e: s * e, z), z), z.prod(0))
    x = K.placeholder((2, 5, 3), dtype='complex64')
    last, outputs, _ = K.rnn(lambda e, s: (s[0] + e, [s[0] * 1j]), x, [K.zeros_like(x[:, 0])])
    value = complexes(2, 5, 3)
    state, expected = np.zeros((2, 3), 'complex64'), []
    for t in range(5):
        expected.append(state + value[:, t])
        state = state * 1j
    agree(K.function([x], [outputs])([value])[0], np.stack(expected, 1).astype('complex64'))


def test_while_loop():
    def square(n, z):
        return n + 1, z * z
    z = K.placeholder((), dtype='complex64')
    n, last = K.while_loop(lambda n, z: K.abs(z) < 1e6, square, [K.constant(0, dtype='int32'), z], 100)
    count, value = K.function([z], [n, last])([np.complex64(1 + 1j)])
    expected = np.complex64(1 + 1j)
    for _ in range(int(count)):
        expected = expected * expected
    agree(value, expected)


# What takes real numbers.

@pytest.mark.parametrize('name', ['sigmoid', 'relu', 'softmax', 'floor', 'sign', 'max', 'cumprod', 'argmax', 'var', 'erf'])
def test_others_refuse(name):
    z = K.placeholder((2, 2), dtype='complex64')
    with pytest.raises(TypeError, match=name + ': an argument is complex64; needed real numbers, such as real, imag and abs make'):
        getattr(K, name)(z)


def test_order_is_refused():
    z = K.placeholder((2,), dtype='complex64')
    with pytest.raises(TypeError, match='less: an argument is complex64'):
        z < z
    with pytest.raises(TypeError, match='maximum'):
        K.maximum(z, 1.)


def test_casts_to_real_are_refused():
    z = K.placeholder((2,), dtype='complex64')
    with pytest.raises(TypeError, match='cast: complex64 does not become float32; needed a complex dtype, or the real numbers that real, imag and abs make'):
        K.cast(z, 'float32')
    with pytest.raises(TypeError, match='variable: numbers of complex128 are no float32; needed real ones'):
        K.variable(np.array([1j]), dtype='float32')
    agree(run(lambda z: K.cast(z, 'bool'), np.array([0, 1j], 'complex64')), np.array([False, True]))
