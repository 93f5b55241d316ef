"""Convolutions and pooling, against sums written out."""
import itertools

import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers


def before(size, k, stride, dilation, padding):
    """Zeros before and after an axis."""
    k = (k - 1) * dilation + 1
    if padding == 'valid':
        return 0, 0
    if padding == 'causal':
        return k - 1, 0
    total = max((-(-size // stride) - 1) * stride + k - size, 0)
    return total // 2, total - total // 2


def windows(x, sizes, strides, dilations, padding, fill=0.):
    """x is (batch, spatial..., channels); yields an output position and its window."""
    pads = [before(n, k, s, d, padding) for n, k, s, d in zip(x.shape[1:-1], sizes, strides, dilations)]
    padded = np.pad(x, [(0, 0)] + pads + [(0, 0)], constant_values=fill)
    counts = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(padded.shape[1:-1], sizes, strides, dilations)]
    for place in itertools.product(*map(range, counts)):
        key = tuple(slice(o * s, o * s + (k - 1) * d + 1, d) for o, s, k, d in zip(place, strides, sizes, dilations))
        yield counts, place, padded[(slice(None),) + key]


def convolved(x, kernel, strides, dilations, padding):
    rank = x.ndim - 2
    result = None
    for counts, place, window in windows(x, kernel.shape[:rank], strides, dilations, padding):
        if result is None:
            result = np.zeros([len(x)] + counts + [kernel.shape[-1]], x.dtype)
        axes = list(range(rank + 1))
        result[(slice(None),) + place] = np.tensordot(window, kernel, ([a + 1 for a in axes], axes))
    return result


def channels_first(x):
    return np.moveaxis(x, -1, 1)


CONVOLUTIONS = {1: K.conv1d, 2: K.conv2d, 3: K.conv3d}
X = {1: numbers(2, 7, 3), 2: numbers(2, 6, 7, 3), 3: numbers(1, 4, 5, 3, 2)}
KERNELS = {1: numbers(3, 3, 4), 2: numbers(3, 2, 3, 4), 3: numbers(2, 3, 2, 2, 3)}


@pytest.mark.parametrize('rank', [1, 2, 3])
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('strides, dilations', [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_convolutions(rank, padding, strides, dilations, data_format):
    x, kernel = X[rank], KERNELS[rank]
    if rank == 3:
        dilations = 1
    expected = convolved(x, kernel, (strides,) * rank, (dilations,) * rank, padding)
    s, d = (strides, dilations) if rank == 1 else ((strides,) * rank, [dilations] * rank)
    if data_format == 'channels_first':
        x, expected = channels_first(x), channels_first(expected)
    found = K.eval(CONVOLUTIONS[rank](K.constant(x), kernel, s, padding, data_format, d))
    agree(found, np.ascontiguousarray(expected), 1e-4)


@pytest.mark.parametrize('arguments, expected', [
    ({'padding': 'same'}, [3210, 4321, 5432, 6543, 654, 65]),
    ({'padding': 'same', 'strides': 2}, [3210, 5432, 654]),
    ({'padding': 'same', 'dilation_rate': 2}, [4200, 5310, 6420, 531, 642, 53]),
    ({'padding': 'valid', 'strides': (2,)}, [4321, 6543]),
    ({'padding': 'causal', 'dilation_rate': [2]}, [1000, 2000, 3100, 4200, 5310, 6420]),
])
def test_conv1d_of_the_specification(arguments, expected):
    x, kernel = np.arange(1., 7).reshape(1, 6, 1), np.array([1., 10, 100, 1000]).reshape(4, 1, 1)
    if arguments['padding'] == 'causal':
        x[:] = x
    agree(K.eval(K.conv1d(K.constant(x), K.constant(kernel), **arguments)).ravel(), np.array(expected, 'float32'))


@pytest.mark.parametrize('arguments, expected', [
    (((1, 7, 1, 1), 'valid'), [1, 10, 102, 20, 203, 30, 300]),
    (((1, 8, 1, 1), 'valid'), [1, 10, 102, 20, 203, 30, 300, 0]),
    (((None, 6, 1, 1), 'same'), [1, 10, 102, 20, 203, 30]),
    (((1, 5, 1, 1), 'same'), [10, 102, 20, 203, 30]),
])
def test_conv2d_transpose_of_the_specification(arguments, expected):
    x, kernel = K.constant([[[[1.]], [[2.]], [[3.]]]]), K.constant(np.array([1., 10, 100]).reshape(3, 1, 1, 1))
    shape, padding = arguments
    agree(K.eval(K.conv2d_transpose(x, kernel, shape, strides=(2, 1), padding=padding)).ravel(),
          np.array(expected, 'float32'))


@pytest.mark.parametrize('rank, transpose', [(2, K.conv2d_transpose), (3, K.conv3d_transpose)])
@pytest.mark.parametrize('padding', ['valid', 'same'])
def test_transposes_are_gradients(rank, transpose, padding):
    x = K.constant(X[rank])
    kernel = K.constant(KERNELS[rank])
    y = CONVOLUTIONS[rank](x, kernel, (2,) * rank, padding)
    dy = K.constant(numbers(*K.int_shape(y), seed=5))
    expected, = K.gradients(K.sum(y * dy), [x])
    agree(K.eval(transpose(dy, kernel, K.int_shape(x), (2,) * rank, padding)), K.eval(expected), 1e-4)


def depthwise(x, kernel, strides, padding):
    parts = [convolved(x[..., c:c + 1], kernel[..., c:c + 1, :], strides, (1, 1), padding) for c in range(x.shape[-1])]
    return np.concatenate(parts, -1)


@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_separable(padding, data_format):
    x, kernel, point = X[2], numbers(3, 2, 3, 2), numbers(1, 1, 6, 4, seed=2)
    deep = depthwise(x, kernel, (2, 2), padding)
    expected = deep @ point[0, 0]
    if data_format == 'channels_first':
        x, deep, expected = channels_first(x), channels_first(deep), channels_first(expected)
    deep, expected = np.ascontiguousarray(deep), np.ascontiguousarray(expected)
    agree(K.eval(K.depthwise_conv2d(K.constant(x), kernel, (2, 2), padding, data_format)), deep, 1e-4)
    agree(K.eval(K.separable_conv2d(K.constant(x), kernel, point, (2, 2), padding, data_format)), expected, 1e-4)


def test_separable_conv1d():
    x, kernel, point = X[1], numbers(3, 3, 2), numbers(1, 6, 4, seed=2)
    expected = depthwise(x[:, None], kernel[None], (1, 1), 'same')[:, 0] @ point[0]
    agree(K.eval(K.separable_conv1d(K.constant(x), kernel, point, padding='same')), expected, 1e-4)


def test_local_conv1d():
    x, kernel = X[1], numbers(3, 9, 2)
    expected = np.stack([x[:, o * 2:o * 2 + 3].reshape(2, 9) @ kernel[o] for o in range(3)], 1)
    agree(K.eval(K.local_conv1d(K.constant(x), kernel, (3,), (2,))), expected, 1e-4)


@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_local_conv2d(data_format):
    x, kernel = X[2][:, :3, :3], numbers(4, 12, 2)
    if data_format == 'channels_first':
        x = np.ascontiguousarray(channels_first(x))
    places = [(slice(None), slice(r, r + 2), slice(c, c + 2)) for r in range(2) for c in range(2)]
    if data_format == 'channels_first':
        places = [(p[0], slice(None)) + p[1:] for p in places]
    expected = np.stack([x[p].reshape(2, 12) @ kernel[i] for i, p in enumerate(places)], 1).reshape(2, 2, 2, 2)
    if data_format == 'channels_first':
        expected = np.ascontiguousarray(channels_first(expected))
    agree(K.eval(K.local_conv2d(K.constant(x), kernel, (2, 2), (1, 1), (2, 2), data_format)), expected, 1e-4)


@pytest.mark.parametrize('rank, pool', [(2, K.pool2d), (3, K.pool3d)])
@pytest.mark.parametrize('padding', ['valid', 'same'])
@pytest.mark.parametrize('mode', ['max', 'avg'])
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_pooling(rank, pool, padding, mode, data_format):
    x, size = X[rank], (2, 3, 2)[:rank]
    result = None
    for counts, place, window in windows(x, size, (2,) * rank, (1,) * rank, padding, np.nan):
        if result is None:
            result = np.zeros([len(x)] + counts + [x.shape[-1]], 'float32')
        axes = tuple(range(1, rank + 1))
        result[(slice(None),) + place] = (np.nanmax if mode == 'max' else np.nanmean)(window, axis=axes)
    if data_format == 'channels_first':
        x, result = channels_first(x), channels_first(result)
    found = K.eval(pool(K.constant(x), size, (2,) * rank, padding, data_format, mode))
    agree(found, np.ascontiguousarray(result))
