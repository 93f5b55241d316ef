"""Factorizations of matrices with orthonormal factors and what is made of them, against NumPy and SciPy."""
import numpy as np
import pytest
import scipy.linalg

import keratin.backend as K
from linear_algebra_test import DTYPES, both_ways, close
from support import numbers

SIZES = [(1, 1), (3, 3), (3, 7), (7, 3), (1, 4), (4, 1), (0, 0), (0, 4), (4, 0), (2, 0, 3), (0, 3, 3), (2, 3, 4, 4),
         (40, 5, 5), (3, 11, 6, 4), (33, 2, 3), (33, 33), (2, 36, 70), (70, 36)]
SQUARES = [shape for shape in SIZES if shape[-1] == shape[-2]]


def transposed(x):
    return np.swapaxes(x, -1, -2)


def each_way(f, x):
    """With known sizes and with unknown ones, which may give different bases."""
    for shape in [x.shape, (None,) * x.ndim]:
        place = K.placeholder(shape, dtype=str(x.dtype))
        yield K.function([place], f(place))([x])


def epsilon(x):
    return np.finfo(x.dtype).eps * max(*x.shape[-2:], 4)


def is_orthonormal(columns):
    unit = np.broadcast_to(np.eye(columns.shape[-1]), columns.shape[:-2] + (columns.shape[-1],) * 2)
    wide = columns.astype('float64')
    np.testing.assert_allclose(transposed(wide) @ wide, unit, atol=8 * epsilon(columns))


def is_product(found, x):
    """To a few roundings of the largest elements."""
    np.testing.assert_allclose(found, x, rtol=0, atol=16 * epsilon(x) * np.max(np.abs(x), initial=0))


def symmetric(*shape, dtype='float64'):
    x = numbers(*shape).astype('float64')
    return (x + transposed(x)).astype(dtype)


def deficient(rows, columns, rank, dtype='float64'):
    return (numbers(rows, rank).astype('float64') @ numbers(rank, columns, seed=2)).astype(dtype)


HARD = {
    'zeros': np.zeros((4, 3)), 'ones': np.ones((3, 5)), 'unit': np.eye(4), 'deficient': deficient(6, 5, 2),
    'wide and deficient': deficient(5, 40, 3), 'large': 1e30 * numbers(4, 4), 'small': 1e-30 * numbers(4, 3),
    'graded': np.diag(10. ** -np.arange(0, 8)), 'a column of zeros': numbers(5, 4) * [1, 0, 1, 1],
    'repeated': np.kron(np.eye(3), np.ones((2, 2))), 'rows of zeros': numbers(5, 3) * [[0], [0], [1], [1], [1]],
}




def band(diagonal, beside):
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


def turned(values):
    q = np.linalg.qr(numbers(len(values), len(values)).astype('float64'))[0]
    return q * values @ q.T


# Symmetric, of as many rows as are divided: what makes the parts meet, or keeps them apart.
MANY = {
    'zeros': np.zeros((40, 40)), 'unit': np.eye(40), 'ones': np.ones((40, 40)), 'large': 1e30 * turned(numbers(40)),
    'small': 1e-30 * turned(numbers(40)), 'repeated': turned(np.repeat([1., 2., 2., -1.], 10)),
    'deficient': turned(np.repeat([1., 0.], [5, 35])), 'nearly unit': np.eye(40) + 1e-7 * turned(numbers(40)),
    'graded': np.outer(*[10. ** -np.linspace(0, 15, 40)] * 2) * turned(numbers(40)),
    'blocks': np.kron(np.eye(10), np.ones((4, 4))), 'pairs': band(np.abs(np.arange(40.) - 20), np.ones(39)),
    'glued': band(np.tile(np.abs(np.arange(8.) - 4), 5), np.where(np.arange(39) % 8 == 7, 1e-6, 1)),
    'opposite': band(np.zeros(40), np.tile([1., 0.], 20)[:39]), 'a last row': np.outer(np.eye(40)[39], np.ones(40)),
}


def matrices(name, dtype):
    return HARD[name].astype(dtype)


#---- qr ----------------------------------------------------------------------------------------------------------------


def check_qr(x):
    q, r = both_ways(lambda x: list(K.qr(x)), x)
    assert q.dtype == r.dtype == x.dtype
    is_orthonormal(q)
    np.testing.assert_array_equal(r, np.triu(r))
    is_product(q.astype('float64') @ r, x)
    return q, r


@DTYPES
@pytest.mark.parametrize('shape', SIZES)
def test_qr(shape, dtype):
    x = numbers(*shape).astype(dtype)
    q, r = check_qr(x)
    expected = np.linalg.qr(x.astype('float64'))
    close(q, expected[0], dtype)
    close(r, expected[1], dtype)


@DTYPES
@pytest.mark.parametrize('name', sorted(HARD))
def test_qr_of_hard_matrices(name, dtype):
    check_qr(matrices(name, dtype))


def test_qr_of_half():
    q, r = (K.eval(y) for y in K.qr(K.constant(numbers(5, 3), 'float16')))
    assert q.dtype == r.dtype == 'float16'
    np.testing.assert_allclose(q.astype('float64') @ r, numbers(5, 3), atol=5e-3)


#---- eigh --------------------------------------------------------------------------------------------------------------


def check_eigh(x):
    for values, vectors in each_way(lambda x: list(K.eigh(x)), x):
        check_eigenvectors(x, values, vectors)
    return values


def check_eigenvectors(x, values, vectors):
    assert values.dtype == vectors.dtype == x.dtype
    whole = np.tril(x) + transposed(np.tril(x, -1))
    is_orthonormal(vectors)
    assert (np.diff(values) >= 0).all()
    is_product(vectors.astype('float64') * values[..., None, :] @ transposed(vectors), whole)
    expected = np.linalg.eigvalsh(whole.astype('float64'))
    size = np.max(np.abs(expected), initial=0)
    np.testing.assert_allclose(values, expected, rtol=0, atol=4 * epsilon(x) * size)


@DTYPES
@pytest.mark.parametrize('shape', SQUARES)
def test_eigh(shape, dtype):
    x = symmetric(*shape, dtype=dtype)
    values = check_eigh(x + np.triu(np.full(shape, np.nan, dtype), 1))  # not read
    close(both_ways(K.eigvalsh, x), values, dtype)


@DTYPES
@pytest.mark.parametrize('name', ['zeros', 'ones', 'unit', 'graded', 'large', 'small', 'repeated', 'deficient'])
def test_eigh_of_hard_matrices(name, dtype):
    x = matrices(name, dtype)
    n = min(x.shape)
    check_eigh((x[:n, :n] + x[:n, :n].T) / 2)


def results_of_many_rows(dtype, *functions):
    """A case, then what each function, compiled by itself, gives for it."""
    x = np.stack([MANY[name] for name in sorted(MANY)]).astype(dtype)
    place = K.placeholder(x.shape, dtype=dtype)
    return zip(x, *[zip(*K.function([place], f(place))([x])) for f in functions])


@DTYPES
def test_eigh_of_many_rows(dtype):
    for x, (values, vectors), (alone,) in results_of_many_rows(
            dtype, lambda x: list(K.eigh(x)), lambda x: [K.eigvalsh(x)]):
        check_eigenvectors(x, values, vectors)
        np.testing.assert_allclose(alone, values, rtol=0, atol=4 * epsilon(x) * np.abs(values).max())


def test_signs_of_eigenvectors():
    _, vectors = both_ways(lambda x: list(K.eigh(x)), symmetric(6, 5, 5))
    for column in np.moveaxis(vectors, -1, 0).reshape(-1, 5):
        large = np.abs(column) >= .999 * np.abs(column).max()
        assert column[np.argmax(large)] > 0
    _, vectors = both_ways(lambda x: list(K.eigh(x)), np.array([[0., 1.], [1., 0.]]))
    np.testing.assert_allclose(vectors, np.array([[1, 1], [-1, 1]]) / np.sqrt(2))


#---- svd ---------------------------------------------------------------------------------------------------------------


def check_svd(x):
    for u, s, vt in each_way(lambda x: list(K.svd(x)), x):
        check_singular_vectors(x, u, s, vt)


def check_singular_vectors(x, u, s, vt):
    assert u.dtype == s.dtype == vt.dtype == x.dtype
    is_orthonormal(u)
    is_orthonormal(transposed(vt))
    assert (np.diff(s) <= 0).all() and (s >= 0).all()
    is_product(u.astype('float64') * s[..., None, :] @ vt, x)
    expected = np.linalg.svd(x.astype('float64'), compute_uv=False)
    size = np.max(np.abs(expected), initial=0)
    np.testing.assert_allclose(s, expected, rtol=0, atol=4 * epsilon(x) * size)


@DTYPES
@pytest.mark.parametrize('shape', SIZES)
def test_svd(shape, dtype):
    check_svd(numbers(*shape).astype(dtype))


@DTYPES
@pytest.mark.parametrize('name', sorted(HARD))
def test_svd_of_hard_matrices(name, dtype):
    check_svd(matrices(name, dtype))


@DTYPES
def test_svd_of_many_rows(dtype):
    for x, (u, s, vt), (alone,) in results_of_many_rows(
            dtype, lambda x: list(K.svd(x)), lambda x: [K.svd(x)[1]]):
        check_singular_vectors(x, u, s, vt)
        np.testing.assert_allclose(alone, s, rtol=0, atol=4 * epsilon(x) * s.max())


@DTYPES
def test_svd_of_many_triangles(dtype):
    check_svd(np.triu(1e-3 ** numbers(20, 20).astype('float64')).astype(dtype))  # far from normal


@pytest.mark.parametrize('f', [lambda x: list(K.qr(x)), lambda x: list(K.eigh(x)), lambda x: list(K.svd(x))])
@pytest.mark.parametrize('wrong', [np.nan, np.inf])
@pytest.mark.parametrize('rows', [5, 20])
def test_what_is_not_finite_ends(f, wrong, rows):
    x = numbers(2, rows, rows).astype('float64')
    x[1, 2, 0] = wrong
    for one, other in zip(both_ways(f, x), both_ways(f, x[:1])):
        np.testing.assert_allclose(one[0], other[0], rtol=0, atol=1e-13)  # the other matrix does not matter
        assert np.isnan(one[1]).any()


#---- What is made of them ----------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize('shape', SIZES)
def test_pinv(shape, dtype):
    x = numbers(*shape).astype(dtype)
    rows, columns = shape[-2:]
    x = x + 3 * np.eye(rows, columns, dtype=dtype)
    close(both_ways(K.pinv, x), np.linalg.pinv(x.astype('float64')), dtype)


def test_pinv_of_less_than_full_rank():
    x = deficient(6, 5, 2)
    close(both_ways(K.pinv, x), np.linalg.pinv(x, rcond=1e-12), 'float64')
    close(both_ways(lambda x: K.pinv(x, 0.5), np.diag([4., 3., 1.])), np.diag([1 / 4, 1 / 3, 0]), 'float64')
    np.testing.assert_array_equal(both_ways(K.pinv, np.zeros((3, 2))), np.zeros((2, 3)))


@DTYPES
@pytest.mark.parametrize('shape', [(3, 3), (7, 3), (3, 7), (2, 5, 3)])
@pytest.mark.parametrize('columns', [None, 1, 4])
def test_lstsq(shape, columns, dtype):
    a = numbers(*shape).astype(dtype)
    b = numbers(*shape[-2:-1], *([columns] if columns else [])).astype(dtype)
    expected = np.linalg.pinv(a.astype('float64')) @ b
    close(both_ways(K.lstsq, a, b), expected, dtype)


def test_lstsq_of_less_than_full_rank():
    a, b = deficient(6, 5, 2), numbers(6, 2)
    close(both_ways(K.lstsq, a, b.astype('float64')), np.linalg.lstsq(a, b, rcond=None)[0], 'float64')
    assert K.int_shape(K.lstsq(K.constant(np.ones((4, 3))), np.ones((7, 4, 2)))) == (7, 3, 2)


@DTYPES
@pytest.mark.parametrize('name', sorted(HARD))
def test_matrix_rank(name, dtype):
    x = matrices(name, dtype)
    found = both_ways(K.matrix_rank, x)
    assert found.dtype == 'int64'
    np.testing.assert_array_equal(found, np.linalg.matrix_rank(x))


def test_matrix_rank_of_batches():
    x = np.stack([np.diag([3., 2., 1.]), np.diag([3., 0., 0.]), np.zeros((3, 3))])
    np.testing.assert_array_equal(both_ways(K.matrix_rank, x), [3, 1, 0])
    np.testing.assert_array_equal(both_ways(lambda x: K.matrix_rank(x, 1.5), x), [2, 1, 0])
    np.testing.assert_array_equal(both_ways(K.matrix_rank, np.zeros((2, 0, 3))), [0, 0])


@DTYPES
@pytest.mark.parametrize('shape', [(0, 0), (1, 1), (4, 4), (3, 5, 5), (40, 40)])
@pytest.mark.parametrize('size', [0, 1e-3, 1, 5])
def test_expm(shape, size, dtype):
    x = (size * numbers(*shape)).astype(dtype)
    close(both_ways(K.expm, x), scipy.linalg.expm(x.astype('float64')), dtype)


def test_expm_of_special_matrices():
    turn = np.array([[0., -np.pi / 2], [np.pi / 2, 0.]])
    np.testing.assert_allclose(both_ways(K.expm, turn), [[0, -1], [1, 0]], atol=1e-15)
    step = np.array([[0., 1.], [0., 0.]])
    batch = np.stack([100 * turn, 1e8 * step, np.full((2, 2), np.nan), np.diag([-1e9, 0.])])
    found = both_ways(K.expm, batch)
    np.testing.assert_allclose(found[0], np.eye(2), atol=1e-12)
    np.testing.assert_array_equal(found[1], [[1, 1e8], [0, 1]])
    assert np.isnan(found[2]).all()
    np.testing.assert_array_equal(found[3], [[0, 0], [0, 1]])


#---- Gradients ---------------------------------------------------------------------------------------------------------


SPD = symmetric(4, 4) + np.diag([0., 4., 8., 12.])
TALL = numbers(5, 3).astype('float64') + 2 * np.eye(5, 3)


def check_first_and_second_derivatives(f, x):
    """Against finite differences, of the second along one direction."""
    place = K.placeholder(x.shape, dtype='float64')
    first, = K.gradients(f(place), place)
    weights = np.cos(np.arange(x.size)).reshape(x.shape)
    second, = K.gradients(K.sum(first * weights), place)
    run = K.function([place], [f(place), first, K.sum(first * weights), second])
    _, slope, _, curve = run([x])
    for found, number in [(slope, 0), (curve, 2)]:
        expected = np.zeros_like(x)
        for i in np.ndindex(*x.shape):
            step = np.zeros_like(x)
            step[i] = 1e-5
            expected[i] = (run([x + step])[number] - run([x - step])[number]) / 2e-5
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize('f, x', [
    (lambda x: sum(K.sum(K.sin(y)) for y in K.qr(x)), TALL),
    (lambda x: sum(K.sum(K.sin(y)) for y in K.eigh((x + K.transpose(x)) / 2)), SPD),
    (lambda x: sum(K.sum(K.sin(y)) for y in K.svd(x)), TALL),
    (lambda x: sum(K.sum(K.sin(y)) for y in K.svd(x)), TALL.T),
    (lambda x: K.sum(K.sin(K.pinv(x))), TALL),
    (lambda x: K.sum(K.sin(K.lstsq(x, np.arange(5.)))), TALL),
    (lambda x: K.sum(K.sin(K.expm(x))), numbers(3, 3).astype('float64')),
    (lambda x: K.norm(x, 2) + K.norm(x, -2) + K.norm(x, 'nuc'), TALL),
], ids=['qr', 'eigh', 'svd', 'svd of more columns', 'pinv', 'lstsq', 'expm', 'norm'])
def test_first_and_second_derivatives(f, x):
    check_first_and_second_derivatives(f, x)


def test_gradient_of_values_where_they_are_equal():
    x = K.variable(np.eye(3), dtype='float64')
    gradient, = K.gradients(K.sum(K.eigvalsh(x)), x)
    np.testing.assert_allclose(K.eval(gradient), np.eye(3), atol=1e-15)
    gradient, = K.gradients(K.norm(x, 'nuc'), x)
    np.testing.assert_allclose(K.eval(gradient), np.eye(3), atol=1e-15)


@pytest.mark.parametrize('x', [2 * np.eye(3), np.eye(5, 3), np.eye(2, 4), turned(np.array([1., 1., -1., 2.]))],
                         ids=['square', 'tall', 'wide', 'turned'])
def test_derivatives_of_pseudoinverses_of_equal_singular_values(x):
    b = np.arange(float(len(x)))
    for f in (lambda x: K.sum(K.sin(K.pinv(x))), lambda x: K.sum(K.sin(K.lstsq(x, b)))):
        check_first_and_second_derivatives(f, x)


def test_tangent_of_a_pseudoinverse_of_less_than_full_rank():
    a, b = numbers(5, 2).astype('float64'), numbers(2, 4, seed=2).astype('float64')
    da, db = numbers(5, 2, seed=3).astype('float64'), numbers(2, 4, seed=4).astype('float64')

    t = K.placeholder((), dtype='float64')
    y = K.pinv(K.dot(K.constant(a, 'float64') + t * da, K.constant(b, 'float64') + t * db))
    slope, = K.function([t], [K.jvp(y, t, K.constant(1., 'float64'))[0]])([0.])
    step = 1e-6
    expected = (np.linalg.pinv((a + step * da) @ (b + step * db), rcond=1e-10)
                - np.linalg.pinv((a - step * da) @ (b - step * db), rcond=1e-10)) / (2 * step)
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_maps():
    x = numbers(4, 5, 3).astype('float64')
    for f in (lambda x: list(K.qr(x)), lambda x: list(K.svd(x)), lambda x: list(K.eigh(K.dot(K.transpose(x), x)))):
        place = K.placeholder(x.shape, dtype='float64')
        mapped = [K.vectorized_map(lambda one, i=i: f(one)[i], place) for i in range(len(f(K.constant(x[0]))))]
        whole = K.function([place], mapped)([x])
        for number, one in enumerate(x):
            for found, expected in zip(whole, [K.eval(y) for y in f(K.constant(one, 'float64'))]):
                np.testing.assert_allclose(found[number], expected, atol=1e-12)


@pytest.mark.parametrize('wrong, what', [
    (lambda x: K.qr(x[0]), 'x has shape (3,); needed rank 2 or more'),
    (lambda x: K.svd(1.), 'x has shape (); needed rank 2 or more'),
    (lambda x: K.eigh(x), 'rows and columns of x must be equal; found 2 and 3'),
    (lambda x: K.eigvalsh(x), 'rows and columns of x must be equal; found 2 and 3'),
    (lambda x: K.expm(x), 'rows and columns of x must be equal; found 2 and 3'),
    (lambda x: K.pinv(x, -1.), 'rcond is -1.0; needed 0 or more, or None'),
    (lambda x: K.matrix_rank(x, float('nan')), 'tol is nan; needed 0 or more, or None'),
    (lambda x: K.lstsq(x, 1.), 'b is a scalar; needed a vector or matrices'),
    (lambda x: K.lstsq(x, [1., 2., 3.]), 'rows of a and b must be equal; found 2 and 3'),
])
def test_what_is_refused(wrong, what):
    with pytest.raises(ValueError) as caught:
        wrong(K.constant(numbers(2, 3)))
    assert what in str(caught.value)
    assert 'orthogonal_test.py' in str(caught.value)
