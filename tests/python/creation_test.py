"""What makes tensors, and random numbers."""
import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers

DTYPES = ['float16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64',
          'bool']


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('shape', [(), (3,), (2, 3), (0, 2)])
def test_variables_keep_their_values(dtype, shape):
    x = (numbers(*shape, dtype='float64') * 3).astype(dtype) if dtype[0] != 'u' else np.ones(shape, dtype)
    x = np.asarray(x)
    v = K.variable(x, dtype=dtype)
    agree(K.get_value(v), x, 0)
    agree(K.eval(v), x, 0)
    assert v.dtype == dtype and K.dtype(v) == dtype and K.int_shape(v) == shape


@pytest.mark.parametrize('value, shape', [(1, ()), (2.5, ()), (True, ()), ([1, 2], (2,)), ([[1.], [2.]], (2, 1)),
                                          (np.float64(2), ()), (np.arange(3), (3,)), ((1, 2), (2,))])
def test_default_dtype_is_floatx(value, shape):
    for make in (K.variable, K.constant):
        agree(K.eval(make(value)), np.asarray(value, 'float32').reshape(shape))
    K.set_floatx('float64')
    assert K.variable(value).dtype == 'float64'


def test_a_variable_copies():
    x = numbers(3)
    v = K.variable(x)
    before = x.copy()
    x[:] = 0
    agree(K.get_value(v), before)


def test_variable_of_a_tensor():
    agree(K.get_value(K.variable(K.exp(K.constant([0., 1.])))), np.exp(np.array([0, 1], 'float32')))


def test_constants_of_shapes():
    agree(K.eval(K.constant(3, shape=(2, 2))), np.full((2, 2), 3, 'float32'))
    agree(K.eval(K.constant([1, 2, 3, 4], dtype='int32', shape=(2, 2))), np.array([[1, 2], [3, 4]], 'int32'))


@pytest.mark.parametrize('shape', [1, (2,), [2, 3], (), (0, 2), np.array([2, 2])])
def test_zeros_and_ones(shape):
    numpys = int(shape) if isinstance(shape, int) else tuple(shape)
    for dtype in (None, 'int8', 'float64'):
        agree(K.eval(K.zeros(shape, dtype)), np.zeros(numpys, dtype or 'float32'))
        agree(K.eval(K.ones(shape, dtype=dtype)), np.ones(numpys, dtype or 'float32'))
    assert K.is_variable(K.zeros(shape))


def test_zeros_of_a_shape_tensor():
    x = K.placeholder((None, 3))
    zeros = K.zeros(K.shape(x))
    assert not K.is_variable(zeros)
    agree(K.function([x], [zeros])([np.ones((4, 3))])[0], np.zeros((4, 3), 'float32'))


def test_eye():
    agree(K.eval(K.eye(3)), np.eye(3, dtype='float32'))
    agree(K.eval(K.eye((2, 3), dtype='int32')), np.eye(2, 3, dtype='int32'))


def test_likes():
    x = np.ones((2, 3), 'int16')
    t = K.constant(x, dtype='int16')
    agree(K.eval(K.zeros_like(t)), np.zeros_like(x))
    agree(K.eval(K.ones_like(t, dtype='float64')), np.ones((2, 3)))
    agree(K.eval(K.identity(t)), x)


@pytest.mark.parametrize('arguments', [(5,), (2, 5), (1, 10, 3), (5, 0, -2), (-3,), (0, 1, .25)])
@pytest.mark.parametrize('dtype', ['int32', 'float32', 'int64'])
def test_arange(arguments, dtype):
    agree(K.eval(K.arange(*arguments, dtype=dtype)), np.arange(*arguments).astype(dtype))


def test_arange_of_a_tensor():
    n = K.placeholder((), dtype='int32')
    agree(K.function([n], [K.arange(n)])([4])[0], np.arange(4, dtype='int32'))


def test_random_numbers_have_their_distributions():
    shape = (200, 200)
    normal = K.eval(K.random_normal(shape, 2., 3., seed=1))
    assert abs(normal.mean() - 2) < .05 and abs(normal.std() - 3) < .05
    uniform = K.eval(K.random_uniform(shape, -1., 3., seed=1))
    assert uniform.min() >= -1 and uniform.max() < 3 and abs(uniform.mean() - 1) < .03
    cut = K.eval(K.truncated_normal(shape, 1., 2., seed=1))
    assert abs(cut - 1).max() <= 4 and abs(cut.std() - 2 * .87962566) < .03
    binomial = K.eval(K.random_binomial(shape, .3, seed=1))
    assert set(np.unique(binomial)) == {0, 1} and abs(binomial.mean() - .3) < .02
    whole = K.eval(K.random_uniform(shape, 2, 5, dtype='int32', seed=1))
    assert set(np.unique(whole)) == {2, 3, 4}
    assert K.int_shape(K.random_uniform_variable((2, 3), 0, 1)) == (2, 3)
    wide = K.get_value(K.random_normal_variable(shape, 1., 2., seed=3))
    assert abs(wide.mean() - 1) < .05 and abs(wide.std() - 2) < .05


@pytest.mark.parametrize('draw', [K.random_normal, K.random_uniform, K.truncated_normal,
                                  lambda shape, **more: K.random_binomial(shape, .5, **more)])
def test_a_seed_fixes_the_numbers(draw):
    first, second, other = (K.eval(draw((50,), seed=s)) for s in (7, 7, 8))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()
    f = K.function([], [draw((50,), seed=7)])
    assert (f([])[0] != f([])[0]).any()


def test_numpys_seed_decides_where_none_is_given():
    def draw():
        np.random.seed(3)
        return K.eval(K.random_normal((5,)))
    np.testing.assert_array_equal(draw(), draw())


def test_set_random_seed():
    def draw():
        K.set_random_seed(4)
        np.random.seed(4)
        return K.eval(K.random_normal((5,)))
    np.testing.assert_array_equal(draw(), draw())


def test_a_random_tensor_has_one_value_in_a_call():
    r = K.random_normal((5,))
    assert (K.eval(r - r) == 0).all()


def test_random_shape_of_a_tensor():
    x = K.placeholder((None, 2))
    f = K.function([x], [K.random_uniform(K.shape(x)), K.random_normal((K.shape(x)[0], 3))])
    assert [a.shape for a in f([np.zeros((7, 2))])] == [(7, 2), (7, 3)]


def test_placeholders():
    assert K.int_shape(K.placeholder((2, None))) == (2, None)
    assert K.int_shape(K.placeholder(ndim=3)) == (None, None, None)
    assert K.int_shape(K.placeholder(())) == ()
    x = K.placeholder((3,), dtype='int8', name='x')
    assert x.dtype == 'int8' and x.name.startswith('x') and K.is_placeholder(x)
    assert x._keras_shape == (3,)
    assert not K.is_placeholder(K.zeros(1)) and not K.is_placeholder(K.learning_phase()) and not K.is_placeholder(3)


def test_named_sizes():
    n = K.Dim('n', min=1, max=10)
    x = K.placeholder((n, 2))
    assert n.name == 'n' and K.int_shape(x) == (None, 2)
    f = K.function([x], [K.sum(x)])
    assert f([np.ones((10, 2))])[0] == 20
    with pytest.raises(ValueError, match='n'):
        f([np.ones((11, 2))])
