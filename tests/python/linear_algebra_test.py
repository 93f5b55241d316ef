"""Factorizations of matrices and what is solved by them, against NumPy and SciPy."""
import numpy as np
import pytest
import scipy.linalg

import keratin.backend as K
from support import numbers

SIZES = [(0, 0), (1, 1), (3, 3), (2, 0, 0), (0, 3, 3), (5, 4, 4), (2, 3, 7, 7), (40, 5, 5), (3, 11, 2, 2), (33, 33), (2, 70, 70), (130, 130)]
TOLERANCE = {'float32': 2e-4, 'float64': 1e-11}
DTYPES = pytest.mark.parametrize('dtype', sorted(TOLERANCE))
SHAPES = pytest.mark.parametrize('shape', SIZES)


def general(*shape, dtype='float64'):
    """Far enough from singular, with rows that must be exchanged."""
    x = numbers(*shape) + 3 * np.sqrt(shape[-1]) * np.eye(shape[-2], shape[-1])
    return np.ascontiguousarray(x[..., ::-1, :]).astype(dtype)


def definite(*shape, dtype='float64'):
    x = numbers(*shape)
    return (x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def solved(a, b):
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.linalg.solve(a.astype('float64'), np.broadcast_to(b, batch + b.shape[-2:]))


def close(found, expected, dtype):
    assert np.shape(found) == np.shape(expected)
    size = np.nanmax(np.abs(expected), initial=0)
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * size)


def both_ways(f, *arrays):
    """What a K function of these arrays gives, with known sizes and with unknown ones."""
    def run(shapes):
        places = [K.placeholder(shape, dtype=str(x.dtype)) for shape, x in zip(shapes, arrays)]
        made = f(*places)
        values = K.function(places, made if isinstance(made, list) else [made])(list(arrays))
        return values if isinstance(made, list) else values[0]

    known, unknown = run([x.shape for x in arrays]), run([(None,) * x.ndim for x in arrays])
    for one, other in zip(known, unknown) if isinstance(known, list) else [(known, unknown)]:
        assert one.dtype == other.dtype
        if one.dtype.kind == 'f':
            close(one, other, str(one.dtype))
        else:
            np.testing.assert_array_equal(one, other)
    return known


def fails(match, f, *arrays):
    """At the call, with known sizes and with unknown ones."""
    for shapes in [[x.shape for x in arrays], [(None,) * x.ndim for x in arrays]]:
        places = [K.placeholder(shape, dtype=str(x.dtype)) for shape, x in zip(shapes, arrays)]
        with pytest.raises(ValueError, match=match):
            K.function(places, [f(*places)])(list(arrays))


@DTYPES
@SHAPES
def test_cholesky(shape, dtype):
    x = definite(*shape, dtype=dtype)
    above = x + np.triu(np.full(shape, np.nan, dtype), 1)  # not read
    found = both_ways(K.cholesky, above)
    assert found.dtype == dtype
    close(found, np.linalg.cholesky(x.astype('float64')), dtype)


def test_cholesky_of_what_is_not_definite():
    x = definite(4, 40, 40)
    x[1, 35, 35] = -1
    x[3] = 0
    found = both_ways(lambda x: K.cholesky(x, check=False), x)
    assert np.isnan(found[[1, 3]]).all()
    close(found[[0, 2]], np.linalg.cholesky(x[[0, 2]]), 'float64')
    fails(r'cholesky: matrix 1 of x is not positive definite; at .*linear_algebra_test.py', K.cholesky, x)
    fails('cholesky: x is not positive definite', K.cholesky, x[1])
    fails(r'cholesky: matrix \(1, 0\) of x is not', K.cholesky, x[[0, 2, 3, 1]].reshape(2, 2, 40, 40))
    fails(r'cholesky: matrix \(0, 1, 1\) of x is not', K.cholesky, x[[0, 2, 0, 1]].reshape(1, 2, 2, 40, 40))
    x = np.full((2, 2), np.inf)
    assert np.isnan(both_ways(lambda x: K.cholesky(x, check=False), x)).all()


@DTYPES
@pytest.mark.parametrize('lower', [False, True])
@pytest.mark.parametrize('transposed', [False, True])
@pytest.mark.parametrize('unit', [False, True])
def test_triangular_solve(lower, transposed, unit, dtype):
    for shape, columns in [((0, 0), 2), ((1, 1), 1), ((4, 4), 3), ((4, 4), 0), ((2, 5, 5), 2), ((34, 5, 5), 3), ((70, 70), 9)]:
        a = (numbers(*shape) / shape[-1] if shape[-1] else numbers(*shape)) + 2 * np.eye(shape[-1])
        a, b = a.astype(dtype), numbers(*shape[:-1], columns).astype(dtype)
        triangle = np.tril(a) if lower else np.triu(a)
        if unit:
            triangle = triangle - triangle * np.eye(shape[-1]) + np.eye(shape[-1])
        if transposed:
            triangle = np.swapaxes(triangle, -1, -2)
        hidden = (np.triu if lower else np.tril)(np.full(shape, np.nan, dtype), 1 if lower else -1)
        found = both_ways(lambda a, b: K.triangular_solve(a, b, lower, transposed, unit), a + hidden, b)
        close(found, solved(triangle.astype('float64'), b), dtype)


def test_triangular_solve_with_zeros_on_the_diagonal():
    a, b = np.stack([np.eye(3), np.diag([1., 0., 1.])]), np.ones((3, 1))
    found = both_ways(lambda a, b: K.triangular_solve(a, b, check=False), a, b)
    np.testing.assert_array_equal(found, [np.ones((3, 1)), np.full((3, 1), np.nan)])
    fails('triangular_solve: matrix 1 of a has a zero on its diagonal', K.triangular_solve, a, b)
    np.testing.assert_array_equal(both_ways(lambda a, b: K.triangular_solve(a, b, unit_diagonal=True), a, b)[1], b)


@DTYPES
def test_cholesky_solve(dtype):
    x, b = definite(3, 40, 40, dtype=dtype), numbers(40, 2).astype(dtype)
    found = both_ways(lambda x, b: K.cholesky_solve(K.cholesky(x), b), x, b)
    close(found, solved(x.astype('float64'), b), dtype)


@DTYPES
@pytest.mark.parametrize('shape', SIZES + [(3, 7), (7, 3), (0, 4), (4, 0), (2, 36, 70), (70, 36)])
def test_lu(shape, dtype):
    x = general(*shape, dtype=dtype)
    factors, order = both_ways(lambda x: list(K.lu(x)), x)
    assert factors.dtype == dtype and order.dtype == 'int64'
    assert factors.shape == shape and order.shape == shape[:-1]
    least = min(shape[-2:])
    lower = np.tril(factors, -1)[..., :least] + np.eye(shape[-2], least)
    upper = np.triu(factors)[..., :least, :]
    if shape[-2]:
        np.testing.assert_array_equal(np.sort(order, -1), np.broadcast_to(np.arange(shape[-2]), order.shape))
    close(lower @ upper, np.take_along_axis(x, order[..., None], -2), dtype)
    if dtype == 'float64' and len(shape) == 2 and least:
        expected, exchanges = scipy.linalg.lu_factor(x)
        close(factors, expected, dtype)


def test_lu_of_zeros_and_the_first_of_equals():
    x = np.array([[0., 1., 2.], [0., -1., 3.], [0., 1., 5.]])
    factors, order = both_ways(lambda x: list(K.lu(x)), x)
    np.testing.assert_array_equal(order, [0, 1, 2])
    np.testing.assert_array_equal(factors, [[0, 1, 2], [0, -1, 3], [0, -1, 8]])


@DTYPES
@SHAPES
def test_solve_and_inv(shape, dtype):
    a, b = general(*shape, dtype=dtype), numbers(*shape[:-1], 3).astype(dtype)
    wide = a.astype('float64')
    close(both_ways(K.solve, a, b), solved(wide, b), dtype)
    close(both_ways(K.inv, a), np.linalg.inv(wide), dtype)
    vector = numbers(shape[-1]).astype(dtype)
    close(both_ways(K.solve, a, vector), solved(wide, vector[:, None])[..., 0], dtype)


def test_solve_broadcasts():
    a, b = general(4, 1, 5, 5), numbers(3, 5, 2)
    close(both_ways(K.solve, a, b), solved(a, b), 'float64')
    close(both_ways(K.solve, a.astype('float32'), b), solved(a.astype('float32'), b), 'float32')
    close(K.eval(K.solve([[2, 0], [0, 4]], [2, 4])), [1, 1], 'float32')


def test_singular_matrices():
    a, b = general(3, 40, 40), numbers(40, 1)
    a[1, :, 7] = 0
    found = both_ways(lambda a, b: K.solve(a, b, check=False), a, b)
    assert np.isnan(found[1]).all()
    close(found[[0, 2]], solved(a[[0, 2]], b), 'float64')
    assert np.isnan(both_ways(lambda a: K.inv(a, check=False), a)[1]).all()
    fails(r'solve: matrix 1 of a is singular; at .*linear_algebra_test.py', K.solve, a, b)
    fails(r'inv: matrix 1 of x is singular; at .*linear_algebra_test.py', K.inv, a)
    fails(r'solve: matrix \(0, 1\) of a is singular', K.solve, a[None], numbers(5, 1, 40, 1))
    fails('solve: a is singular', K.solve, a[1], numbers(5, 40, 1))
    np.testing.assert_array_equal(both_ways(K.det, a)[1], 0)
    sign, size = both_ways(lambda a: list(K.slogdet(a)), a)
    assert sign[1] == 0 and size[1] == -np.inf


@DTYPES
@SHAPES
def test_determinants(shape, dtype):
    x = (general(*shape) / (3 * np.sqrt(shape[-1]) if shape[-1] else 1)).astype(dtype)
    wide = x.astype('float64')
    close(both_ways(K.det, x), np.linalg.det(wide), dtype)
    for found, expected in zip(both_ways(lambda x: list(K.slogdet(x)), x), np.linalg.slogdet(wide)):
        close(found, expected, dtype)


def test_the_first_of_many_singular_matrices_is_named():
    a = np.broadcast_to(np.eye(3, dtype='float32'), (5000, 3, 3)).copy()
    a[[4321, 777, 3000]] = 0
    fails('inv: matrix 777 of x is singular', K.inv, a)
    many = np.ones((300_000, 1, 1), 'float32')
    many[[131_000, 299_999]] = 0
    fails('inv: matrix 131000 of x is singular', K.inv, many)
    many[131_000] = 1
    fails('inv: a matrix of x is singular', K.inv, many)


def test_singular_matrices_update_nothing():
    v = K.variable(np.zeros((2, 2)))
    x = K.placeholder((None, 2, 2))
    f = K.function([x], [K.sum(x)], updates=[K.update(v, K.sum(K.inv(x), axis=0))])
    with pytest.raises(ValueError, match='inv: matrix 1 of x is singular'):
        f([np.stack([np.eye(2), np.zeros((2, 2))])])
    np.testing.assert_array_equal(K.get_value(v), 0)


def test_singular_matrices_of_maps_and_loops():
    a = np.stack([np.eye(3), np.zeros((3, 3))])
    fails('inv: x is singular', lambda x: K.vectorized_map(K.inv, x), a)
    fails('inv: matrix 1 of x is singular', lambda x: K.map_fn(K.inv, x), np.stack([a, a]))


def test_powers_below_zero():
    x = general(2, 4, 4)
    for n in [-1, -2, -5]:
        close(both_ways(lambda x: K.matrix_power(x, n), x), np.linalg.matrix_power(x, n), 'float64')
    close(K.eval(K.matrix_power([[2, 0], [0, 4]], -1)), [[.5, 0], [0, .25]], 'float32')
    fails('matrix_power: x is singular', lambda x: K.matrix_power(x, -2), np.zeros((3, 3)))
    with pytest.raises(ValueError, match='n is -9223372036854775808, which has no positive counterpart'):
        K.matrix_power(x, -2**63)


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_halves_are_computed_in_float32(dtype):
    x = K.constant(definite(6, 6), dtype=dtype)
    factor = K.cholesky(x)
    assert K.dtype(factor) == dtype
    wide = K.eval(K.cast(x, 'float64'))
    np.testing.assert_allclose(K.eval(K.cast(factor, 'float64')), np.linalg.cholesky(wide), atol=2e-2)
    np.testing.assert_allclose(K.eval(K.cast(K.inv(x), 'float64')), np.linalg.inv(wide), atol=2e-3)


def test_maps_are_batches():
    a, b = general(6, 5, 5), numbers(6, 5)
    x, y = K.placeholder((None, 5, 5), dtype='float64'), K.placeholder((None, 5), dtype='float64')
    mapped = K.vectorized_map(lambda each: K.solve(each[0], each[1]), [x, y])
    close(K.function([x, y], [mapped])([a, b])[0], solved(a, b[..., None])[..., 0], 'float64')
    fixed = K.vmap(lambda a, b: K.solve(a, b), in_axes=(None, 0))(x[0], y)
    close(K.function([x, y], [fixed])([a, b])[0], solved(a[:1], b[..., None])[..., 0], 'float64')


def test_in_loops_and_their_gradients():
    """Newton's iteration for a system of equations."""
    target = K.placeholder((3,), dtype='float64')

    def step(y, _):
        return y - K.solve(K.eye(3, dtype='float64') * (2 * y + 1), y * y + y - target)

    found = K.foldl(step, K.zeros((8, 1), dtype='float64'), initializer=K.ones((3,), dtype='float64'))
    at = np.array([2., 6., 12.])
    value, gradient = K.function([target], [found, K.gradients(found, target)[0]])([at])
    np.testing.assert_allclose(value, [1, 2, 3], rtol=1e-12)
    np.testing.assert_allclose(gradient, 1 / (2 * value + 1), rtol=1e-9)


def test_derivatives_of_the_logarithm_of_a_determinant():
    """The gradient is the inverse, transposed; the Hessian's product with v is -x^-T v^T x^-T."""
    at, v = general(5, 5), numbers(5, 5)
    x, tangent = K.placeholder((5, 5), dtype='float64'), K.constant(v, dtype='float64')
    gradient = K.gradients(K.slogdet(x)[1], x)[0]
    second = K.gradients(K.sum(gradient * tangent), x)[0]
    inverse = np.linalg.inv(at)
    first, found = K.function([x], [gradient, second])([at])
    close(first, inverse.T, 'float64')
    close(found, -inverse.T @ v.T @ inverse.T, 'float64')


def cofactors(x):
    """Of each element the determinant of the rest, with its sign."""
    n = len(x)
    rest = lambda i, j: np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    return np.array([[(-1) ** (i + j) * rest(i, j) for j in range(n)] for i in range(n)])


SINGULAR = {
    'a row of zeros': general(4, 4) * [[1], [0], [1], [1]], 'a column of zeros': general(4, 4) * [1, 0, 1, 1],
    'equal rows': general(4, 4)[[0, 1, 2, 0]], 'last of a diagonal': np.diag([3., 2., 1., 0.]),
    'rank 2': np.diag([3., 0., 1., 0.]), 'rank 1': np.ones((4, 4)), 'rank 0': np.zeros((4, 4)),
    'small': 1e-8 * np.diag([3., 2., 1., 0.]), 'regular': general(4, 4),
}


@DTYPES
def test_gradients_of_determinants_that_are_0(dtype):
    at = np.stack(list(SINGULAR.values())).astype(dtype)
    x, tangent = K.placeholder(at.shape, dtype=dtype), numbers(*at.shape).astype(dtype)
    y = K.det(x)
    gradient, slope = K.gradients(y, x)[0], K.jvp(y, x, K.constant(tangent, dtype))[0]
    found, along = K.function([x], [gradient, slope])([at])
    expected_of = map(cofactors, at.astype('float64'))
    for name, one, slope, direction, expected in zip(SINGULAR, found, along, tangent, expected_of):
        size = (np.abs(SINGULAR[name]).max() or 1) ** 3
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=size * 1e3 * np.finfo(dtype).eps, err_msg=name)
        np.testing.assert_allclose(slope, np.sum(expected * direction), rtol=1e-4,
                                   atol=size * 1e4 * np.finfo(dtype).eps, err_msg=name)


def test_gradient_of_the_determinant_of_one_number_and_of_none():
    x, none = K.variable(np.zeros((3, 1, 1)), dtype='float64'), K.variable(np.zeros((2, 0, 0)), dtype='float64')
    np.testing.assert_array_equal(K.eval(K.gradients(K.sum(K.det(x)), x)[0]), np.ones((3, 1, 1)))
    assert K.eval(K.gradients(K.sum(K.det(none)), none)[0]).shape == (2, 0, 0)


def test_second_derivatives_of_determinants():
    at, v = general(4, 4).astype('float64'), numbers(4, 4).astype('float64')
    x = K.placeholder((4, 4), dtype='float64')
    first = K.gradients(K.det(x), x)[0]
    second = K.gradients(K.sum(first * K.constant(v, dtype='float64')), x)[0]
    found = K.function([x], [second])([at])[0]
    step = 1e-5
    expected = (cofactors(at + step * v) - cofactors(at - step * v)) / (2 * step)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_errors():
    x = K.placeholder((2, 3))
    for f in [K.cholesky, K.inv, K.det, K.slogdet]:
        with pytest.raises(ValueError, match='rows and columns of x'):
            f(x)
        with pytest.raises(ValueError, match='x has shape .*; needed rank 2 or more'):
            f(K.placeholder((3,)))
    with pytest.raises(ValueError, match='lu: x has shape .*; needed rank 2 or more'):
        K.lu(1.0)
    square = K.placeholder((3, 3))
    with pytest.raises(ValueError, match='solve: rows of a and b'):
        K.solve(square, K.placeholder((2, 1)))
    with pytest.raises(ValueError, match='solve: b is a scalar; needed a vector or matrices'):
        K.solve(square, 1.0)
    with pytest.raises(ValueError, match='cholesky_solve: rows and columns of l'):
        K.cholesky_solve(x, K.placeholder((2, 1)))
    with pytest.raises(ValueError, match='cannot be broadcast'):
        K.solve(K.placeholder((4, 3, 3)), K.placeholder((5, 3, 1)))
