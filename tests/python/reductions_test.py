"""Reductions, against NumPy."""
import numpy as np
import pytest
from scipy import special

import keratin.backend as K
from support import agree, both_ways, numbers

REDUCTIONS = {
    'sum': np.sum, 'prod': np.prod, 'mean': np.mean, 'max': np.max, 'min': np.min, 'std': np.std, 'var': np.var,
    'logsumexp': lambda x, axis, keepdims: special.logsumexp(x, axis=axis, keepdims=keepdims),
    'any': np.any, 'all': np.all,
}


@pytest.mark.parametrize('name', sorted(REDUCTIONS))
@pytest.mark.parametrize('axis', [None, 0, -1, (0, 2), [1, -1], ()])
@pytest.mark.parametrize('keepdims', [False, True])
def test_reduction(name, axis, keepdims):
    x = numbers(2, 3, 4, dtype='float64')
    x[0, 1, 2] = 0
    K.set_floatx('float64')
    numpy_axis = tuple(axis) if isinstance(axis, list) else axis
    if axis == () and name == 'logsumexp':
        expected = x
    else:
        expected = np.asarray(REDUCTIONS[name](x, axis=numpy_axis, keepdims=keepdims))
    agree(both_ways(lambda x: getattr(K, name)(x, axis=axis, keepdims=keepdims), x), expected, 1e-12)


@pytest.mark.parametrize('name', ['sum', 'prod', 'max', 'min'])
@pytest.mark.parametrize('dtype', ['int8', 'int32', 'int64', 'uint8', 'float16', 'float32'])
def test_dtype_is_kept(name, dtype):
    x = np.array([[1, 2], [3, 1]], dtype)
    agree(K.eval(getattr(K, name)(K.constant(x, dtype=dtype), axis=0)), getattr(np, name)(x, axis=0).astype(dtype))


@pytest.mark.parametrize('name', ['mean', 'var', 'std'])
@pytest.mark.parametrize('dtype', ['int32', 'uint8', 'bool'])
def test_of_integers_is_floatx(name, dtype):
    x = np.array([[1, 0], [1, 1]], dtype)
    agree(K.eval(getattr(K, name)(K.constant(x, dtype=dtype), axis=0)),
          getattr(np, name)(x, axis=0).astype('float32'))


def test_sum_of_bools_counts():
    agree(K.eval(K.sum(K.constant([True, False, True], dtype='bool'))), np.int32(2))


@pytest.mark.parametrize('name, expected', [('sum', 0.), ('prod', 1.), ('max', -np.inf), ('min', np.inf)])
def test_of_nothing(name, expected):
    agree(K.eval(getattr(K, name)(np.zeros((0, 2), 'float32'), axis=0)), np.full(2, expected, 'float32'))


@pytest.mark.parametrize('name', ['argmax', 'argmin'])
@pytest.mark.parametrize('axis', [0, 1, -1])
def test_arg(name, axis):
    x = np.array([[3, 1, 3], [2, 1, 5]], 'float32')
    agree(both_ways(lambda x: getattr(K, name)(x, axis), x), getattr(np, name)(x, axis))


@pytest.mark.parametrize('name', ['cumsum', 'cumprod'])
@pytest.mark.parametrize('axis', [0, 1, -1])
def test_cumulative(name, axis):
    x = numbers(3, 4)
    agree(both_ways(lambda x: getattr(K, name)(x, axis), x), getattr(np, name)(x, axis))


@pytest.mark.parametrize('x, expected', [([1e4, 1e-4], 1e4), ([-np.inf] * 2, -np.inf), ([0, np.inf], np.inf)])
def test_logsumexp_of_extremes(x, expected):
    agree(K.eval(K.logsumexp(K.constant(x))), np.float32(expected))


def test_a_list_of_scalar_tensors_is_stacked():
    x = K.placeholder((None, 3))
    count = K.prod([K.shape(x)[0], 3, K.shape(x)[1]])
    assert K.function([x], [count])([np.zeros((5, 3))])[0] == 45


def test_nan_goes_through():
    assert np.isnan(K.eval(K.max(K.constant([1., np.nan, 3.]))))


def test_top_k():
    x = np.array([[1, 5, 3], [9, 2, 4]], 'float32')
    values, indices = K.top_k(K.constant(x), 2)
    agree(K.eval(values), np.array([[5, 3], [9, 4]], 'float32'))
    agree(K.eval(indices), np.array([[1, 2], [0, 2]], K.dtype(indices)))
