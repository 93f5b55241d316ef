"""Products in bfloat16: K.function(..., precision='mixed_bf16')."""
import numpy as np
import pytest

import keratin.backend as K
from support import numbers


def narrow(x):
    return K.cast(x, 'bfloat16')


def test_products_are_those_of_casts():
    x, w = K.placeholder((None, 24)), K.variable(numbers(24, 16))
    image, kernel = K.placeholder((None, 9, 9, 3)), K.variable(numbers(3, 3, 3, 8))
    plain = K.function([x, image], [K.tanh(K.dot(x, w)), K.relu(K.conv2d(image, kernel))], precision='mixed_bf16')
    casts = K.function([x, image], [K.tanh(K.cast(K.dot(narrow(x), narrow(w)), 'float32')),
                                    K.relu(K.cast(K.conv2d(narrow(image), narrow(kernel)), 'float32'))])
    at = [numbers(5, 24), numbers(2, 9, 9, 3)]
    for found, expected in zip(plain(at), casts(at)):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, expected)
    exact = K.function([x, image], [K.tanh(K.dot(x, w)), K.relu(K.conv2d(image, kernel))])(at)
    for found, expected in zip(plain(at), exact):
        assert 0 < np.abs(found - expected).max() < .1


def test_gradients_are_products_too():
    x, w = K.placeholder((6, 5)), K.variable(numbers(5, 4))
    y = K.dot(x, w)
    gradient = K.gradients(K.sum(K.square(y)), [w])[0]
    found = K.function([x], [gradient], precision='mixed_bf16')([numbers(6, 5)])[0]
    cotangent = 2. * K.cast(K.dot(narrow(x), narrow(w)), 'float32')
    expected = K.function([x], [K.cast(K.dot(K.transpose(narrow(x)), narrow(cotangent)), 'float32')])([numbers(6, 5)])[0]
    np.testing.assert_array_equal(found, expected)


def test_variables_keep_their_precision():
    # A step that is less than what bfloat16 can tell from 1.
    w = K.variable(np.ones((4, 4)))
    x = K.placeholder((2, 4))
    loss = K.sum(K.dot(x, w))
    step = K.function([x], [loss], [K.update(w, w - 1e-4 * K.gradients(loss, [w])[0])], precision='mixed_bf16')
    for _ in range(3):
        step([np.ones((2, 4))])
    np.testing.assert_allclose(K.get_value(w), 1 - 6e-4, rtol=1e-6)


def test_training_converges():
    random = np.random.RandomState(5)
    inputs = random.randn(256, 16).astype('float32')
    labels = np.tanh(inputs @ random.randn(16, 4)).astype('float32')
    losses = {}
    for precision in ['float32', 'mixed_bf16']:
        start = np.random.RandomState(6)
        w, v = K.variable(start.randn(16, 32) * .3), K.variable(start.randn(32, 4) * .3)
        x, t = K.placeholder((None, 16)), K.placeholder((None, 4))
        loss = K.mean(K.square(K.dot(K.tanh(K.dot(x, w)), v) - t))
        updates = [K.update(p, p - .2 * g) for p, g in zip([w, v], K.gradients(loss, [w, v]))]
        step = K.function([x, t], [loss], updates, precision=precision)
        losses[precision] = [step([inputs, labels])[0] for _ in range(200)]
    assert losses['mixed_bf16'][-1] < .3 * losses['mixed_bf16'][0]
    assert abs(losses['mixed_bf16'][-1] - losses['float32'][-1]) < .1 * losses['float32'][-1]


def test_saved_functions_keep_it(tmp_path):
    x, w = K.placeholder((3, 24)), K.variable(numbers(24, 16))
    f = K.function([x], [K.dot(x, w)], precision='mixed_bf16')
    f.save(tmp_path / 'f.ktg')
    np.testing.assert_array_equal(K.load_function(tmp_path / 'f.ktg')([numbers(3, 24)])[0], f([numbers(3, 24)])[0])
    K.function([x], [K.dot(x, w)]).save(tmp_path / 'g.ktg')
    loaded = K.load_function(tmp_path / 'g.ktg', precision='mixed_bf16')
    np.testing.assert_array_equal(loaded([numbers(3, 24)])[0], f([numbers(3, 24)])[0])


def test_what_is_refused():
    x = K.placeholder((2,))
    with pytest.raises(ValueError, match="precision is 'half'; needed 'float32' or 'mixed_bf16'"):
        K.function([x], [x], precision='half')
    with pytest.raises(NotImplementedError, match="not implemented: precision 'mixed_f16', in which gradients would need a scale"):
        K.function([x], [x], precision='mixed_f16')
