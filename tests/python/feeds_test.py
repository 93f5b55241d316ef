"""What functions take and what they return."""
import array
import gc
import weakref

import numpy as np
import pytest

import keratin.backend as K
from support import agree, numbers

X = numbers(3, 4)


def copy_of(shape=(None, None), dtype='float32'):
    x = K.placeholder(shape, dtype=dtype)
    return K.function([x], [K.identity(x)])


def misaligned(x):
    memory = np.zeros(x.nbytes + 1, 'uint8')
    view = memory[1:].view(x.dtype)[:x.size].reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


class DLPack:
    """What speaks DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Arrayish:
    def __array__(self, dtype=None, copy=None):
        return X


LAYOUTS = {
    'C order': lambda x: x, 'Fortran order': np.asfortranarray, 'strided': lambda x: np.repeat(x, 2, 1)[:, ::2],
    'negative strides': lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1], 'read-only': read_only,
    'misaligned': misaligned, 'byte order': lambda x: x.astype(x.dtype.newbyteorder()), 'list': lambda x: x.tolist(),
    'tuple of arrays': tuple, 'memoryview': lambda x: memoryview(x), 'DLPack': DLPack,
    'transposed': lambda x: np.ascontiguousarray(x.T).T, 'subclass': lambda x: x.view(np.matrix),
    'misaligned strides': lambda x: np.rec.fromarrays([np.zeros(x.shape, 'int8'), x], names='a,b')['b'],
}


@pytest.mark.parametrize('layout', sorted(LAYOUTS))
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int16'])
def test_layouts(layout, dtype):
    x = (X * 10).astype(dtype)
    fed = LAYOUTS[layout](x)
    agree(copy_of(dtype=dtype)([fed])[0], x)
    agree(copy_of()([fed])[0], x.astype('float32'))
    v = K.variable(np.zeros(x.shape), dtype=dtype)
    K.set_value(v, LAYOUTS[layout](x))
    agree(K.get_value(v), x)
    agree(K.eval(K.constant(LAYOUTS[layout](x), dtype=dtype)), x) if layout != 'DLPack' else None


def test_other_sources():
    agree(copy_of((None,))([array.array('d', [1, 2])])[0], np.array([1, 2], 'float32'))
    agree(copy_of()([Arrayish()])[0], X)
    agree(copy_of()([K.constant(X)])[0], X)
    agree(copy_of()([K.constant(X) * 2])[0], X * 2)
    agree(copy_of((None,))([range(3)])[0], np.arange(3, dtype='float32'))


@pytest.mark.parametrize('dtype', ['bool', 'int8', 'uint8', 'int64', 'uint64', 'float16', 'float64'])
@pytest.mark.parametrize('to', ['float32', 'int32', 'bool', 'float64'])
def test_conversions(dtype, to):
    x = np.array([[0, 1], [2, 3]]).astype(dtype)
    agree(copy_of(dtype=to)([x])[0], x.astype(to))
    agree(copy_of(dtype=to)([np.asfortranarray(x)])[0], x.astype(to))


@pytest.mark.parametrize('value', [3, 2.5, True, np.float64(2), np.int8(3), np.array(2.), np.bool_(True)])
def test_scalars(value):
    agree(copy_of(())([value])[0], np.asarray(value, 'float32'))


@pytest.mark.parametrize('shape', [(0, 4), (3, 0), (1, 1), (1, 4)])
def test_sizes(shape):
    agree(copy_of()([np.ones(shape)])[0], np.ones(shape, 'float32'))


def test_broadcast_views():
    x = np.broadcast_to(np.float32(3), (2, 5))
    agree(copy_of()([x])[0], x)


def test_sizes_in_any_order():
    x = K.placeholder((None, 4))
    f = K.function([x], [K.sum(x, 1)])
    for rows in (3, 1, 0, 7, 3):
        agree(f([np.ones((rows, 4))])[0], np.full(rows, 4, 'float32'))


@pytest.mark.parametrize('keep', [K.constant, K.variable])
def test_values_are_copied(keep):
    x = X.copy()
    t = keep(x)
    x[:] = 0
    agree(K.eval(t), X)
    agree(K.eval(t * 1), X)


def test_a_value_set_is_copied():
    v, x = K.zeros((3, 4)), X.copy()
    K.set_value(v, x)
    x[:] = 0
    agree(K.get_value(v), X)


def test_results_belong_to_the_caller():
    x, v = K.placeholder((None, 4)), K.variable(X)
    f = K.function([x], [x * 2, v, x], [K.update_add(v, 1)])
    first = f([X])
    before = [a.copy() for a in first]
    f([X * 3])
    for kept, copied in zip(first, before):
        np.testing.assert_array_equal(kept, copied)
        assert kept.flags.writeable and kept.flags.c_contiguous and kept.flags.aligned and type(kept) is np.ndarray
        kept[...] = 7
    agree(K.get_value(v), X + 2)
    value = K.get_value(v)
    value[...] = 0
    agree(K.get_value(v), X + 2)
    assert not np.shares_memory(f([X])[2], X)


def test_results_outlive_the_function():
    x = K.placeholder((2,))
    f = K.function([x], [x * 2])
    result, = f([[1, 2]])
    del f, x
    gc.collect()
    assert result.tolist() == [2, 4]


def test_feeds_are_let_go():
    class Mine(np.ndarray):
        pass
    f, x = copy_of(), X.view(Mine)
    f([x])
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_feeds_by_name():
    x, y = K.placeholder((2,), name='x'), K.placeholder((), name='y')
    f = K.function([x, y, K.learning_phase()], [x * y])
    assert f({'y': 2, 'x': [1, 2]})[0].tolist() == [2, 4]


def test_a_big_array_is_not_copied():
    resource = pytest.importorskip('resource')
    x = K.placeholder((None,))
    f = K.function([x], [K.sum(x[:10])])
    big = np.ones(1 << 24, 'float32')  # 64 MiB
    f([big[:16]])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        assert f([big])[0] == 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


def test_bfloat16_without_ml_dtypes():
    x = K.constant([1., 2.], dtype='bfloat16')
    assert K.eval(K.cast(x, 'float32')).tolist() == [1, 2]
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        with pytest.raises(TypeError, match='NumPy has no bfloat16: a value of that dtype needs the package '
                           'ml_dtypes, or K.cast to float32'):
            K.eval(x)
    else:
        assert K.eval(x).astype('float32').tolist() == [1, 2]


def test_values_may_change_the_dict_that_they_are_in():
    x = K.placeholder((None,), name='changed')
    f = K.function([x], [x * 2.])

    class Clears:
        def __array__(self, *arguments, **named):
            values.clear()
            return np.array(self.found)
    values = {'changed': Clears()}
    values['changed'].found = ['a']
    with pytest.raises(TypeError, match=r"input 'changed' is .* \(Clears\), an array of <U1; needed numbers or bools"):
        f(values)
    values = {'changed': Clears()}
    values['changed'].found = [1., 2.]
    assert f(values)[0].tolist() == [2, 4]


def test_names_may_change_the_dict_that_they_are_in():
    class Clears(str):
        def __str__(self):
            outputs.clear()
            return 'told'
    x = K.placeholder((None,))
    outputs = {Clears('name'): x * 2.}
    assert K.function([x], outputs).output_names == ['told']


def test_dlpack_refusals_come_out():
    class Refusing:
        def __dlpack__(self):
            raise BufferError('not now')
    with pytest.raises(BufferError, match='not now'):
        copy_of()([Refusing()])


def test_cast_to_floatx():
    found = K.cast_to_floatx(np.array([1, 2]))
    assert isinstance(found, np.ndarray)
    agree(found, np.array([1, 2], 'float32'))
    agree(K.cast_to_floatx(2), np.array(2, 'float32'))
    agree(K.cast_to_floatx([1., 2]), np.array([1, 2], 'float32'))
    assert K.cast_to_floatx(K.constant(1, dtype='int32')).dtype == 'float32'
