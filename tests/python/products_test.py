"""Products, against NumPy."""
import numpy as np
import pytest

import keratin.backend as K
from support import agree, both_ways, numbers


@pytest.mark.parametrize('x, y', [((2, 3), (3, 4)), ((2, 3), (4, 3, 5)), ((2, 5, 3), (3, 4)), ((3,), (3,)),
                                  ((2, 3), (3,)), ((3,), (3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 3))])
@pytest.mark.parametrize('dtype', ['float64', 'float32', 'int32', 'float16'])
def test_dot(x, y, dtype):
    x, y = (numbers(*shape) * 3 for shape in (x, y))
    x, y = x.astype(dtype), y.astype(dtype)
    agree(both_ways(K.dot, x, y), np.asarray(np.dot(x, y)), 1e-2 if dtype == 'float16' else 1e-4)


def test_dot_of_unknown_rows():
    x = K.placeholder((None, 28, 3))
    y = K.dot(x, np.ones((3, 4)))
    assert K.int_shape(y) == (None, 28, 4)


def test_matmul_operator_is_dot():
    x, y = numbers(2, 3), numbers(3, 2)
    agree(K.eval(K.constant(x) @ y), x @ y)
    agree(K.eval(x @ K.constant(y)), x @ y)


@pytest.mark.parametrize('x, y, axes, shape', [
    ((2, 3, 4), (2, 4, 5), None, (2, 3, 5)), ((2, 3, 4), (2, 4), None, (2, 3)), ((2, 4), (2, 3, 4), (1, 2), (2, 3)),
    ((2, 4), (2, 4), 1, (2, 1)), ((2, 4), (2, 4), None, (2, 1)), ((2, 3, 4, 5), (2, 6, 3, 4), (2, 3), (2, 3, 5, 6, 3)),
    ((2, 3, 4), (2, 5, 3, 4), [2, 3], (2, 3, 5, 3)),
])
def test_batch_dot(x, y, axes, shape):
    x, y = numbers(*x), numbers(*y, seed=2)
    numpys = axes or ((x.ndim - 1, y.ndim - 1) if y.ndim == 2 else (x.ndim - 1, y.ndim - 2))
    a, b = (numpys, numpys) if isinstance(numpys, int) else numpys
    expected = np.stack([np.tensordot(p, q, axes=(a - 1, b - 1)) for p, q in zip(x, y)]).reshape(shape)
    found = both_ways(lambda x, y: K.batch_dot(x, y, axes), x, y)
    agree(found, expected)
    assert K.int_shape(K.batch_dot(K.constant(x), K.constant(y), axes)) == shape


def test_batch_dot_of_the_documentation():
    agree(K.eval(K.batch_dot([[1., 2], [3, 4]], [[5., 6], [7, 8]], axes=1)), np.array([[17], [53]], 'float32'))


@pytest.mark.parametrize('formula, shapes', [('ij,jk->ik', [(2, 3), (3, 4)]), ('bij,bkj->bik', [(2, 3, 4), (2, 5, 4)]),
                                             ('ii->i', [(3, 3)]), ('ij->', [(2, 3)])])
def test_einsum(formula, shapes):
    arrays = [numbers(*shape) for shape in shapes]
    agree(K.eval(K.einsum(formula, [K.constant(a) for a in arrays])), np.asarray(np.einsum(formula, *arrays)))


def test_matmul():
    x, y = numbers(2, 3, 4), numbers(2, 4, 5)
    agree(both_ways(K.matmul, x, y), x @ y)


def test_diagonals():
    x = numbers(3, 3)
    agree(K.eval(K.trace(K.constant(x))), np.asarray(np.trace(x)))
    agree(K.eval(K.diag(K.constant(x))), np.diag(x))
    batch = numbers(2, 5, 3, 4)
    for k in (-1, 0, 2):
        agree(both_ways(lambda x, k=k: K.diag(x, k), batch), np.diagonal(batch, k, -2, -1))
