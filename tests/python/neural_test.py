"""Activations, losses and normalisation, against NumPy."""
import numpy as np
import pytest

import keratin.backend as K
from support import agree, both_ways, numbers


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize('axis', [-1, 0, 1])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16'])
def test_softmax(axis, dtype):
    K.set_floatx(dtype)
    x = numbers(3, 4, dtype=dtype)
    agree(both_ways(lambda x: K.softmax(x, axis), x), softmax(x.astype('float64'), axis).astype(dtype))


@pytest.mark.parametrize('target, output, from_logits, expected', [
    ([1, 0, 1, .5], [.9, .9, 0, .5], False, [.105360, 2.302584, 15.424949, .693147]),
    ([1, 0, 1, .5], [2, 2, -30, 0], True, [.126928, 2.126928, 30, .693147]),
    ([0], [1], False, [15.333239]),
])
def test_binary_crossentropy(target, output, from_logits, expected):
    target, output = np.array(target, 'float32'), np.array(output, 'float32')
    agree(both_ways(lambda t, o: K.binary_crossentropy(t, o, from_logits), target, output),
          np.array(expected, 'float32'), 1e-5)


def test_categorical_crossentropy():
    p = K.constant([[.2, .3, .5], [0, 0, 1]])
    agree(K.eval(K.categorical_crossentropy(K.constant([[0, 0, 1], [1, 0, 0]]), p)),
          np.array([.693147, 16.118095], 'float32'), 1e-5)
    logits = numbers(2, 3)
    expected = -np.log(softmax(logits))[[0, 1], [2, 0]]
    agree(K.eval(K.categorical_crossentropy(np.eye(3)[[2, 0]], K.constant(logits), from_logits=True)), expected)
    turned = K.categorical_crossentropy(np.eye(3)[[2, 0]].T, K.constant(logits.T), from_logits=True, axis=0)
    agree(K.eval(turned), expected)


@pytest.mark.parametrize('target', [[2, 0], [[2], [0]], [2., 0.]])
def test_sparse_categorical_crossentropy(target):
    logits = numbers(2, 3)
    expected = -np.log(softmax(logits))[[0, 1], [2, 0]]
    agree(K.eval(K.sparse_categorical_crossentropy(np.array(target), K.constant(logits), from_logits=True)), expected)
    agree(K.eval(K.sparse_categorical_crossentropy(np.array(target), K.constant(softmax(logits)))), expected)


def test_dropout():
    x = np.ones((100, 100), 'float32')
    found = K.eval(K.dropout(K.constant(x), .2, seed=1))
    assert set(np.unique(found)) == {np.float32(0), np.float32(1.25)} and abs(found.mean() - 1) < .05
    rows = K.eval(K.dropout(K.constant(x), .5, noise_shape=(None, 1), seed=1))
    assert (rows == rows[:, :1]).all()
    agree(K.eval(K.dropout(K.constant(x), 0)), x)
    p = K.placeholder((None, 100))
    dropped = K.function([p], [K.dropout(p, .5, noise_shape=(K.shape(p)[0], 100))])
    assert 0 < dropped([x])[0].mean() < 2


@pytest.mark.parametrize('axis', [None, 0, -1, (0, 1)])
def test_l2_normalize(axis):
    x = numbers(3, 4)
    norm = np.sqrt((x * x).sum(axis, keepdims=True))
    agree(both_ways(lambda x: K.l2_normalize(x, axis), x), x / norm)
    agree(K.eval(K.l2_normalize(np.zeros(3, 'float32'))), np.zeros(3, 'float32'))


def test_in_top_k():
    scores = np.array([[.1, .5, .4], [.3, .3, .4], [np.inf, 0, 1]], 'float32')
    agree(K.eval(K.in_top_k(scores, np.array([2, 0, 1]), 2)), np.array([True, True, False]))


@pytest.mark.parametrize('shape', [(2, 5), (2, 3, 5), (2, 3, 4, 5), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_bias_add(shape, data_format):
    x = numbers(*shape)
    first = data_format == 'channels_first' and len(shape) > 2
    bias = numbers(shape[1 if first else -1], seed=2)
    expected = x + (bias.reshape((1, -1) + (1,) * (len(shape) - 2)) if first else bias)
    agree(K.eval(K.bias_add(K.constant(x), bias, data_format)), expected)
    if len(shape) > 2:
        channels = shape[1] if first else shape[-1]
        spatial = shape[2:] if first else shape[1:-1]
        bias = numbers(*spatial, channels, seed=3)
        expected = x + (bias.reshape((1, channels) + spatial) if first else bias)
        agree(K.eval(K.bias_add(K.constant(x), bias, data_format)), expected)


@pytest.mark.parametrize('axes', [[0], [0, 1], [1], 'per-activation'])
@pytest.mark.parametrize('with_parameters', [True, False])
def test_normalize_batch(axes, with_parameters):
    x = numbers(4, 5)
    numpys = (0,) if axes == 'per-activation' else tuple(axes)
    mean, variance = x.mean(numpys), x.var(numpys)
    kept = x.mean(numpys, keepdims=True).shape
    gamma = numbers(*mean.shape, seed=2) if with_parameters else None
    beta = numbers(*mean.shape, seed=3) if with_parameters else None
    expected = (x - mean.reshape(kept)) / np.sqrt(variance.reshape(kept) + 1e-3)
    if with_parameters:
        expected = expected * gamma.reshape(kept) + beta.reshape(kept)
    normed, m, v = K.normalize_batch_in_training(K.constant(x), gamma, beta, axes)
    agree(K.eval(normed), expected.astype('float32'), 1e-4)
    agree(K.eval(m), np.asarray(mean))
    agree(K.eval(v), np.asarray(variance))


def test_batch_normalization():
    x = numbers(4, 5)
    mean, var, beta, gamma = (abs(numbers(5, seed=s)) for s in (2, 3, 4, 5))
    expected = (x - mean) / np.sqrt(var + 1e-3) * gamma + beta
    agree(K.eval(K.batch_normalization(K.constant(x), mean, var, beta, gamma)), expected, 1e-4)
    agree(K.eval(K.batch_normalization(K.constant(x), mean, var, None, None, epsilon=.1)),
          (x - mean) / np.sqrt(var + np.float32(.1)), 1e-4)
    agree(K.eval(K.batch_normalization(K.constant(x.T), mean, var, beta, gamma, axis=0)),
          np.ascontiguousarray(expected.T), 1e-4)


def test_no_number_is_lost_behind_a_softmax():
    logits = K.constant([[100., 0.]])
    agree(K.eval(K.categorical_crossentropy(K.constant([[0., 1.]]), K.softmax(logits))),
          np.array([16.118095], 'float32'), 1e-5)
