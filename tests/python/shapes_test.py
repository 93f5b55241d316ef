"""Functions that move elements, against NumPy."""
import numpy as np
import pytest

import keratin.backend as K
from support import agree, both_ways, numbers

X = numbers(2, 3, 4)


@pytest.mark.parametrize('shape, expected', [
    ((6, 4), (6, 4)), ((-1, 4), (6, 4)), ([4, -1], (4, 6)), ((None, 12), (2, 12)), (24, (24,)),
    ((1, 2, 3, 4, 1), (1, 2, 3, 4, 1)), (np.array([3, 8]), (3, 8)),
])
def test_reshape(shape, expected):
    agree(K.eval(K.reshape(X, shape)), X.reshape(expected))


def test_reshape_by_tensors():
    x = K.placeholder((None, 3, 4))
    by_tuple = K.reshape(x, (-1, K.shape(x)[2], 3, 1))
    by_list = K.reshape(x, (K.shape(x)[0],) + (12,))
    found = K.function([x], [by_tuple, by_list])([X])
    agree(found[0], X.reshape(2, 4, 3, 1))
    agree(found[1], X.reshape(2, 12))
    assert K.int_shape(by_tuple)[2:] == (3, 1)


@pytest.mark.parametrize('function, expected', [
    (lambda x: K.permute_dimensions(x, (2, 0, 1)), X.transpose(2, 0, 1)),
    (lambda x: K.permute_dimensions(x, [0, 2, 1]), X.transpose(0, 2, 1)),
    (K.transpose, X.T),
    (K.flatten, X.ravel()),
    (K.batch_flatten, X.reshape(2, 12)),
    (K.expand_dims, X[..., None]),
    (lambda x: K.expand_dims(x, 0), X[None]),
    (lambda x: K.expand_dims(x, -2), X[:, :, None, :]),
    (lambda x: K.squeeze(K.expand_dims(x, 1), 1), X),
    (lambda x: K.squeeze(K.expand_dims(x), -1), X),
    (lambda x: K.reverse(x, 1), X[:, ::-1]),
    (lambda x: K.reverse(x, (0, -1)), X[::-1, :, ::-1]),
    (lambda x: K.repeat_elements(x, 2, 1), np.repeat(X, 2, 1)),
    (lambda x: K.repeat_elements(x, 3, -1), np.repeat(X, 3, -1)),
    (lambda x: K.tile(x, 2), np.tile(X, (1, 1, 2))),
    (lambda x: K.tile(x, [2, 1, 3]), np.tile(X, (2, 1, 3))),
    (lambda x: K.tile(x, np.array([1, 2])), np.tile(X, (1, 2))),
    (lambda x: K.slice(x, [0, 1, 2], [1, 2, -1]), X[:1, 1:3, 2:]),
    (lambda x: K.slice(x, (1, 0, 0), (1, -1, 2)), X[1:, :, :2]),
    (lambda x: K.concatenate([x, x]), np.concatenate([X, X], -1)),
    (lambda x: K.concatenate([x, x, x], axis=0), np.concatenate([X] * 3)),
    (lambda x: K.stack([x, x]), np.stack([X, X])),
    (lambda x: K.stack((x, x), axis=-1), np.stack([X, X], -1)),
    (K.temporal_padding, np.pad(X, ((0, 0), (1, 1), (0, 0)))),
    (lambda x: K.temporal_padding(x, (2, 0)), np.pad(X, ((0, 0), (2, 0), (0, 0)))),
    (lambda x: K.pad(x, ((0, 1), (2, 0), (1, 1))), np.pad(X, ((0, 1), (2, 0), (1, 1)))),
    (lambda x: K.pad(x, ((0, 0), (0, 2), (1, 1)), 'reflect'), np.pad(X, ((0, 0), (0, 2), (1, 1)), 'reflect')),
    (lambda x: K.gather(x, [1, 0, 1]), X[[1, 0, 1]]),
    (lambda x: K.gather(x, np.array([[1], [0]])), X[[[1], [0]]]),
])
def test_moves(function, expected):
    agree(both_ways(function, X), np.ascontiguousarray(expected), 0)


def test_split():
    first, second = K.split(K.constant(X), 2, axis=-1)
    agree(K.eval(first), X[..., :2], 0)
    agree(K.eval(second), X[..., 2:], 0)
    parts = K.split(K.constant(X), [1, 3], axis=2)
    assert [K.int_shape(part) for part in parts] == [(2, 3, 1), (2, 3, 3)]


@pytest.mark.parametrize('dtype', ['float16', 'float64', 'int8', 'uint64', 'bool'])
def test_dtypes_are_kept(dtype):
    x = np.array([[1, 0, 2], [3, 4, 0]]).astype(dtype)
    t = K.constant(x, dtype=dtype)
    agree(K.eval(K.concatenate([t, K.reverse(t, 0)], 0)), np.concatenate([x, x[::-1]]))
    agree(K.eval(K.transpose(t)), x.T)
    agree(K.eval(K.tile(t, 2)), np.tile(x, 2))


def test_repeat():
    x = numbers(2, 3)
    agree(both_ways(lambda x: K.repeat(x, 4), x), np.repeat(x[:, None], 4, 1))
    n = K.placeholder((), dtype='int32')
    agree(K.function([n], [K.repeat(x, n)])([3])[0], np.repeat(x[:, None], 3, 1))


def test_stack_of_numbers_and_scalar_tensors():
    x = K.placeholder((None, 2))
    agree(K.function([x], [K.stack([1, K.shape(x)[0]])])([np.zeros((5, 2))])[0], np.array([1, 5], 'int32'))


@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first', None])
def test_spatial_padding(data_format):
    x = numbers(1, 2, 3, 4)
    pads = ((1, 0), (2, 1))
    widths = ((0, 0), (0, 0)) + pads if data_format == 'channels_first' else ((0, 0),) + pads + ((0, 0),)
    agree(both_ways(lambda x: K.spatial_2d_padding(x, pads, data_format), x), np.pad(x, widths))
    x, pads = numbers(1, 2, 3, 2, 2), ((1, 0), (2, 1), (0, 1))
    widths = ((0, 0), (0, 0)) + pads if data_format == 'channels_first' else ((0, 0),) + pads + ((0, 0),)
    agree(both_ways(lambda x: K.spatial_3d_padding(x, pads, data_format), x), np.pad(x, widths))


def test_resize_images():
    x = np.array([1., 2, 4], 'float32').reshape(1, 1, 3, 1)
    agree(K.eval(K.resize_images(x, 2, 2, 'channels_last')), x.repeat(2, 1).repeat(2, 2))
    found = K.eval(K.resize_images(x, 1, 2, 'channels_last', interpolation='bilinear'))
    agree(found.ravel(), np.array([1, 1.5, 2, 3, 4, 4], 'float32'))
    found = K.eval(K.resize_images(x.reshape(1, 1, 1, 3), 1, 3, 'channels_first', 'bilinear'))
    agree(found.ravel(), np.array([1, 4 / 3, 5 / 3, 2, 8 / 3, 10 / 3, 4, 4, 4], 'float32'))


def test_resize_volumes():
    x = numbers(1, 2, 1, 2, 3)
    agree(K.eval(K.resize_volumes(x, 2, 3, 1, 'channels_last')), x.repeat(2, 1).repeat(3, 2))
    agree(K.eval(K.resize_volumes(x, 2, 1, 3, 'channels_first')), x.repeat(2, 2).repeat(3, 4))


@pytest.mark.parametrize('dtype', ['int32', 'uint8', 'int64'])
def test_one_hot(dtype):
    agree(K.eval(K.one_hot(np.array([[0, 2], [5, 1]], dtype), 3)),
          np.array([[[1, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 1, 0]]], 'float32'))


def test_pattern_broadcast():
    x = K.placeholder((None, 3))
    y = K.pattern_broadcast(x, [True, False])
    assert K.int_shape(y) == (1, 3)
    agree(K.function([x], [y])([[[1, 2, 3]]])[0], np.array([[1, 2, 3]], 'float32'))


def test_scatter():
    x, rows = K.constant(np.zeros((4, 2))), np.array([[1, 2], [3, 4], [5, 6]])
    agree(K.eval(K.scatter(x, [1, 3, 1], rows)), np.array([[0, 0], [5, 6], [0, 0], [3, 4]], 'float32'))
    agree(K.eval(K.scatter(x, [1, 3, 1], rows, 'add')), np.array([[0, 0], [6, 8], [0, 0], [3, 4]], 'float32'))


KEYS = [0, -1, np.int64(1), slice(1), slice(None, None, -1), slice(0, 2, 2), (1, slice(None), 2), (Ellipsis, 1),
        (None, 1), (slice(None), None), (0, 1, 2), (slice(1, None), Ellipsis, slice(-3, -1)), slice(5, 9),
        (slice(None), slice(2, 0, -1)), Ellipsis, ()]


@pytest.mark.parametrize('key', KEYS, ids=str)
def test_indexing(key):
    agree(both_ways(lambda x: x[key], X), np.asarray(X[key]), 0)
    assert K.int_shape(K.constant(X)[key]) == X[key].shape


def test_indexing_by_tensors():
    i = K.placeholder((), dtype='int32')
    x = K.constant(X)
    found = K.function([i], [x[i], x[:, i], x[:, i:], x[K.constant([1, 0], dtype='int32')]])([1])
    for mine, numpys in zip(found, [X[1], X[:, 1], X[:, 1:], X[[1, 0]]]):
        agree(mine, numpys, 0)
    agree(K.eval(x[[1, 0, 1]]), X[[1, 0, 1]], 0)
    agree(K.eval(x[np.array([1, 0])]), X[[1, 0]], 0)


def test_sizes():
    x = K.placeholder((None, 3))
    found = K.function([x], [K.shape(x), K.size(x), K.shape(x)[0]])([np.zeros((4, 3))])
    agree(found[0], np.array([4, 3], 'int32'))
    agree(found[1], np.array(12, 'int32'))
    agree(found[2], np.array(4, 'int32'))
    assert K.int_shape(K.shape(x)) == (2,)
    assert (K.ndim(x), K.dtype(x), K.int_shape(x)) == (2, 'float32', (None, 3))
    assert K.count_params(K.zeros((2, 3))) == 6 and K.count_params(K.constant(1)) == 1
    assert K.ndim(np.zeros((2, 3))) == 2 and K.ndim([1, 2]) == 1
    assert K.int_shape(np.zeros((2, 3))) == K.get_variable_shape(K.zeros((2, 3))) == (2, 3)


@pytest.mark.parametrize('part', [
    lambda y, flat: flat[3:6][:, None], lambda y, flat: K.gather(flat, K.constant([3, 8, 23], 'int32'))[:, None],
    lambda y, flat: K.reshape(y, (-1, 3))[:3, :1], lambda y, flat: K.top_k(y, 1)[0],
], ids=['slice', 'gather', 'corner', 'top_k'])
@pytest.mark.parametrize('sizes', [(3, 8), (None, None)], ids=['known', 'unknown'])
def test_elements_of_another_shape_beside_the_whole(part, sizes):
    # One kernel cannot both make a value and read it in another order.
    x = K.placeholder(sizes)
    y = K.exp(x)
    taken = part(y, K.reshape(y, (-1,)))
    sums = y + taken
    second = K.gradients(K.sum(K.square(K.gradients(K.sum(K.tanh(sums)), [x])[0])), [x])
    a = numbers(3, 8)
    whole, few, found, _ = K.function([x], [y, taken, sums] + second)([a])
    alone, = K.function([x], [taken])([a])
    agree(whole, np.exp(a))
    agree(few, alone, 1e-6)
    agree(found, whole + alone)
