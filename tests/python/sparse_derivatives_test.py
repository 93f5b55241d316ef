"""Sparse Jacobians and Hessians against the dense ones."""
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import keratin.backend as K
from support import agree, numbers

N = 12
BAND = np.triu(np.tril(numbers(N, N, dtype='float64'), 1), -2)
INDICES = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def stencil(u):
    """Five points in the plane, with what lies around them zero."""
    n = K.int_shape(u)[0]
    p = K.spatial_2d_padding(K.reshape(u, (1, n, n, 1)))[0, :, :, 0]
    return 4 * u - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:] + K.exp(u)


# Each with the shape of x, and how many entries there are at most.
MAPS = {
    'elementwise': (lambda x: K.exp(x) * K.sin(x), (N,), N),
    'slices': (lambda x: x[1:-1] ** 2 * x[2:] - x[:-2], (N,), 3 * (N - 2)),
    'stencil': (stencil, (5, 5), 5 * 25),
    'gather': (lambda x: K.gather(x, K.constant(INDICES, 'int32')) * x[:8], (N,), 16),
    'concatenate': (lambda x: K.concatenate([x[6:] ** 2, K.ones((2,)), K.sin(x[:6])]), (N,), N),
    'band': (lambda x: K.square(K.dot(K.constant(BAND), K.expand_dims(x, 1))), (N,), np.count_nonzero(BAND)),
    'sparse matrix': (lambda x: K.sin(K.dot(K.variable(scipy.sparse.csr_matrix(BAND)), K.expand_dims(x, 1))), (N,),
                      np.count_nonzero(BAND)),
    'rows': (lambda x: K.sum(K.square(x), 1), (4, 3), 12),
    'softmax': (lambda x: K.softmax(x), (4, 3), 36),
    'transposed': (lambda x: K.transpose(x)[::-1] * K.transpose(x), (4, 3), 24),
    'product': (lambda x: K.dot(x, K.constant(numbers(3, 5, dtype='float64'))), (4, 3), 60),
    'convolution': (lambda x: K.square(K.conv1d(K.reshape(x, (1, N, 1)), K.ones((3, 1, 2)), padding='same')), (N,), 6 * N),
    'pool': (lambda x: K.pool2d(K.reshape(x, (1, 4, 4, 1)), (2, 2), (2, 2)), (4, 4), 16),
    'mean pool': (lambda x: K.pool2d(K.reshape(x, (1, 4, 4, 1)), (2, 2), (2, 2), pool_mode='avg'), (4, 4), 16),
    'mask': (lambda x: x * K.constant(np.arange(N) % 3 == 0, 'float64') + x[::-1] ** 2, (N,), N + N // 3),
    'where': (lambda x: K.where(K.constant(np.arange(N) % 2), x ** 2, x[::-1]), (N,), N),
    'scalar': (lambda x: K.sum(x ** 2), (N,), N),
    'full row and column': (lambda x: K.concatenate([K.expand_dims(K.sum(x ** 3)), x[1:] ** 2 * x[0]]), (N,), N + 2 * (N - 1)),
    'full columns': (lambda x: K.concatenate([x * x[3], K.sum(K.reshape(x * x[5], (3, 4)), 1)]), (N,), 2 * N - 1 + 2 * N),
    'nothing': (lambda x: K.stop_gradient(x) * 2., (N,), 0),
    'running': (lambda x: K.cumsum(x ** 2, 1), (3, 4), 48),
    'loop': (lambda x: K.map_fn(lambda e: K.sum(e) * e, x), (3, 4), 144),
    'map': (lambda x: K.vectorized_map(lambda e: K.sum(e) * e, x), (3, 4), 48),
    'derivative': (lambda x: K.gradients(K.sum(x[1:] ** 2 * x[:-1]), x)[0], (N,), 3 * N - 2),
    'tangent': (lambda x: K.jvp(x[1:] ** 2 * x[:-1], x, K.ones((N,)))[0], (N,), 2 * N - 2),
    'dense': (lambda x: x / K.sum(x), (5,), 25),
}


def fed(shape):
    return K.placeholder(shape, dtype='float64')


def at(shape):
    return .5 + np.random.RandomState(7).rand(*shape)


def matrix(rows, columns, values, shape):
    """What SciPy makes of coordinates, which are in row-major order, each once."""
    flat = rows * max(shape[1], 1) + columns
    assert (np.diff(flat) > 0).all()
    return scipy.sparse.coo_matrix((values, (rows, columns)), shape)


@pytest.mark.parametrize('mode', ['auto', 'forward', 'reverse'])
@pytest.mark.parametrize('name', sorted(MAPS))
def test_jacobian(name, mode):
    K.set_floatx('float64')
    function, shape, most = MAPS[name]
    x = fed(shape)
    y = function(x)
    found = K.sparse_jacobian(y, x, mode)
    size = int(np.prod(K.int_shape(y)))
    assert K.is_sparse(found) and K.int_shape(found) == (size, int(np.prod(shape))) and found.dtype == 'float64'
    f = K.function([x], K.sparse_parts(found) + [K.to_dense(found), K.reshape(K.jacobian(y, x)[0], (size, -1))])
    rows, columns, values, dense, expected = f([at(shape)])
    assert len(values) <= most
    np.testing.assert_allclose(dense, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(matrix(rows, columns, values, expected.shape).toarray(), expected, rtol=1e-12, atol=1e-14)


LOSSES = {
    'separable': (lambda x: K.exp(x), (N,), N),
    'chain': (lambda x: K.square(x[1:] - x[:-1] ** 2), (N,), 3 * N - 2),
    'stencil': (lambda x: K.square(stencil(x)), (5, 5), 13 * 25),
    'arrow': (lambda x: K.sum(x[0] ** 2 * x[1:] ** 2), (N,), 3 * N - 2),
    'least squares': (lambda x: K.square(K.dot(K.constant(BAND), K.expand_dims(x ** 2, 1)) - 1.), (N,), 7 * N),
    'linear': (lambda x: 3 * x, (N,), 0),
    'product': (lambda x: K.prod(x), (5,), 25),
    'rows': (lambda x: K.logsumexp(x, 1), (4, 3), 36),
}


@pytest.mark.parametrize('name', sorted(LOSSES))
def test_hessian(name):
    K.set_floatx('float64')
    function, shape, most = LOSSES[name]
    x = fed(shape)
    loss = K.sum(function(x))
    found = K.sparse_hessian(loss, x)
    size = int(np.prod(shape))
    f = K.function([x], K.sparse_parts(found) + [K.reshape(K.hessian(loss, x), (size, size))])
    rows, columns, values, expected = f([at(shape)])
    assert len(values) <= most
    np.testing.assert_allclose(matrix(rows, columns, values, (size, size)).toarray(), expected, rtol=1e-10, atol=1e-12)


def test_random_graphs():
    """Chains of shifts, products, sums and gathers, whose structure has all kinds of overlaps."""
    K.set_floatx('float64')
    for seed in range(12):
        random = np.random.RandomState(seed)
        x = fed((N,))
        values = [x]
        for _ in range(6):
            a, b = (values[random.randint(len(values))] for _ in range(2))
            kind = random.randint(4)
            if kind == 0:
                values.append(a * K.gather(b, K.constant(random.randint(0, N, N), 'int32')))
            elif kind == 1:
                values.append(K.sin(a) + K.concatenate([b[3:], b[:3]]))
            elif kind == 2:
                values.append(K.where(K.constant(random.randint(0, 2, N)), a, b[::-1]))
            else:
                values.append(K.reshape(K.dot(K.constant((random.rand(N, N) < .15) * 1.), K.expand_dims(a, 1)), (N,)))
        y = values[-1] * x
        loss = K.sum(y * K.sin(x))
        f = K.function([x], [K.to_dense(K.sparse_jacobian(y, x)), K.jacobian(y, x)[0],
                             K.to_dense(K.sparse_hessian(loss, x)), K.hessian(loss, x)])
        jacobian, expected, hessian, second = f([at((N,))])
        np.testing.assert_allclose(jacobian, expected, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(hessian, second, rtol=1e-10, atol=1e-11)


def test_what_is_between():
    """An input from the middle of the graph, with fed values and variables around."""
    x, w, v = fed((N,)), fed((None, N)), K.variable(numbers(N, dtype='float64'))
    middle = K.sin(x) * K.sum(w, 0)
    y = middle[1:] * x[1:] * v[1:] + middle[:-1]
    f = K.function([x, w], [K.to_dense(K.sparse_jacobian(y, middle)), K.jacobian(y, middle)[0]])
    found, expected = f([at((N,)), at((3, N))])
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_products_and_derivatives():
    """A Jacobian goes into dot, and has derivatives as the dense one."""
    K.set_floatx('float64')
    x, v = fed((N,)), fed((N, 1))
    y = x[1:] ** 3 * x[:-1]
    sparse, dense = K.sparse_jacobian(y, x), K.jacobian(y, x)[0]
    found, expected = K.dot(sparse, v), K.dot(dense, v)
    f = K.function([x, v], [found, expected, K.gradients(K.sum(K.square(found)), x)[0],
                            K.gradients(K.sum(K.square(expected)), x)[0],
                            K.gradients(K.sum(K.square(K.sparse_parts(sparse)[2])), x)[0],
                            K.gradients(K.sum(K.square(dense)), x)[0]])
    values = f([at((N,)), at((N, 1))])
    for a, b in zip(values[::2], values[1::2]):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_newton():
    """A nonlinear boundary value problem solved with SciPy: the structure once, values in each step."""
    n = 200
    u = fed((n,))
    padded = K.concatenate([K.zeros((1,), 'float64'), u, K.zeros((1,), 'float64')])
    residual = padded[2:] - 2 * u + padded[:-2] + K.exp(u) / (n + 1) ** 2
    starts, columns, values = K.sparse_parts(K.sparse_jacobian(residual, u), 'csr')
    starts, columns = K.eval(starts), K.eval(columns)
    f = K.function([u], [residual, values])
    point = np.zeros(n)
    for _ in range(6):
        value, slopes = f([point])
        slopes = scipy.sparse.csr_matrix((slopes, columns, starts), (n, n))
        assert slopes.nnz == 3 * n - 2
        point = point - scipy.sparse.linalg.spsolve(slopes.tocsc(), value)
    assert abs(f([point])[0]).max() < 1e-13


def test_large():
    """Ten thousand unknowns and more, in memory by the entries."""
    n = 100000
    x = K.placeholder((n,))
    loss = K.sum(K.square(x[1:] - K.square(x[:-1])))
    slopes, curvature = K.sparse_jacobian(K.sin(x[1:]) * x[:-1], x), K.sparse_hessian(loss, x)
    ones = np.ones(n, 'float32')
    values, second = K.function([x], [K.sparse_parts(slopes)[2], K.sparse_parts(curvature)[2]])([ones])
    agree(values, np.tile(np.array([np.sin(1), np.cos(1)], 'float32'), n - 1), 1e-6)
    assert second.shape == (3 * n - 2,)


def test_parts():
    dense = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 4]], 'float32')
    v = K.variable(scipy.sparse.csr_matrix(dense))
    rows, columns, values = map(K.eval, K.sparse_parts(v))
    agree(rows, np.array([0, 0, 2, 2]))
    agree(columns, np.array([1, 3, 0, 3]))
    agree(values, np.array([1, 2, 3, 4], 'float32'))
    starts, columns, values = map(K.eval, K.sparse_parts(v, 'csr'))
    agree(starts, np.array([0, 2, 2, 4]))
    agree(scipy.sparse.csr_matrix((values, columns, starts), (3, 4)).toarray(), dense)


def test_no_elements():
    x = fed((0,))
    for y in (x * 2., K.concatenate([x, K.ones((2,), 'float64')])):
        found = K.sparse_jacobian(y, x)
        rows, columns, values = K.function([x], K.sparse_parts(found))([np.zeros(0)])
        assert len(rows) == len(columns) == len(values) == 0


def test_what_is_refused():
    x, unknown = K.variable([1., 2.]), K.placeholder((None,))
    whole = K.cast(x, 'int32')
    cases = [(lambda: K.sparse_jacobian(x, x, 'sideways'), "sparse_jacobian: unknown mode 'sideways'; needed auto, forward or reverse"),
             (lambda: K.sparse_jacobian(whole, x), 'sparse_jacobian: output is int32, which has no derivative'),
             (lambda: K.sparse_jacobian(x, whole), 'sparse_jacobian: input is int32, which has no derivative'),
             (lambda: K.sparse_jacobian(unknown, unknown), 'sparse_jacobian: output has shape (None,); needed known sizes'),
             (lambda: K.sparse_jacobian(K.sum(unknown), unknown), 'sparse_jacobian: input has shape (None,); needed known sizes'),
             (lambda: K.sparse_jacobian(K.sum(unknown * x[0]), x), 'sparse_jacobian: a size between the two depends on the call'),
             (lambda: K.sparse_hessian(whole, x), 'sparse_hessian: loss is int32, which has no derivative'),
             (lambda: K.sparse_hessian(K.sum(unknown), unknown), 'sparse_hessian: x has shape (None,); needed known sizes'),
             (lambda: K.sparse_parts(x), 'is dense; needed a sparse one'),
             (lambda: K.sparse_parts(K.sparse_jacobian(x, x), 'csc'), "sparse_parts: unknown format 'csc'; needed coo or csr")]
    for wrong, what in cases:
        with pytest.raises(ValueError) as caught:
            wrong()
        assert what in str(caught.value)
        assert 'sparse_derivatives_test.py' in str(caught.value)
    with pytest.raises(NotImplementedError, match='sparse_parts: not implemented: csr of a tensor whose places are not known'):
        K.sparse_parts(K.placeholder((3, 4), sparse=True), 'csr')
