"""Tensor objects: identity, attributes, operators, what they refuse."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import keratin
import keratin.backend as K
from support import agree

X = np.array([[1., 2., 3.], [4., 5., 6.]], 'float32')


def test_one_object_for_a_value():
    x, v = K.placeholder((2, 3)), K.variable(X)
    f = K.function([x], [x, v], [K.update(v, x)])
    assert f.inputs[0] is x and f.outputs[0] is x and f.outputs[1] is v and f.variables == [v]
    assert K.learning_phase() is K.learning_phase()
    assert v.value() is v and +v is v


def test_attributes_stay_with_the_value():
    x = K.placeholder((2, 3))
    x._keras_history = ('layer', 0, 0)
    x.anything = [1]
    assert K.is_keras_tensor(x) and not K.is_keras_tensor(x * 2)
    f = K.function([x], [x])
    assert f.inputs[0].anything == [1] and x._keras_history[0] == 'layer'
    del x.anything
    with pytest.raises(AttributeError, match="no attribute 'anything'"):
        x.anything


def test_an_object_goes_with_its_last_reference():
    x = K.constant(X)
    y = x * 2
    gone = weakref.ref(y)
    del y
    assert gone() is None
    x.itself = x
    x.list = [x, lambda: x]
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_identity_and_hash():
    x, y = K.constant(X), K.constant(X)
    assert x == x and x != y and not x == y and not x != x
    assert len({x, y, x}) == 2 and x in [y, x] and x not in [y] and {x: 1}[x] == 1
    assert not (x == X) and x != None and not (np.float32(1) == x)  # noqa: E711
    assert hash(x) == hash(x)
    assert x not in {0, False}


def test_names():
    x = K.placeholder((2,), name='input')
    assert x.name == 'input:0'
    names = {K.placeholder((2,), name='input').name, (x * 2).name, (x * 2).name, x.name}
    assert len(names) == 4
    with K.name_scope('outer') as outer:
        with K.name_scope('inner') as inner:
            assert (x + 1).name.startswith('outer/inner/')
            assert K.variable(1, name='w').name == 'outer/inner/w:0'
    assert (outer, inner) == ('outer/', 'outer/inner/')
    with K.name_scope('outer') as again, K.name_scope() as empty:
        assert again == 'outer_1/' and empty in ('', 'outer_1/')
    assert 'input' in repr(x) and 'float32' in repr(x) and '(2,)' in str(x)


def test_dtypes_are_strings():
    x = K.constant(1, dtype='int8')
    assert x.dtype == 'int8' and x.dtype != 'int16' and x.dtype.name == 'int8' and x.dtype.base_dtype == 'int8'
    assert isinstance(x.dtype, str) and np.dtype(x.dtype) == np.int8 and K.zeros(1, x.dtype).dtype is x.dtype
    assert K.cast(x, np.float64).dtype == 'float64' and K.cast(x, float).dtype == 'float64'
    assert pickle.loads(pickle.dumps(x.dtype)) == 'int8' and copy.deepcopy(x.dtype) == 'int8'


def test_shapes():
    x = K.placeholder((None, 3))
    assert x.shape == (None, 3) == x.get_shape() == x._keras_shape == K.int_shape(x) and x.ndim == 2
    assert list(x.shape) == [None, 3] and x.shape[-1] == 3
    x._keras_shape = (7, 3)
    assert K.int_shape(x) == (7, 3) and x.shape == (None, 3)


def test_keras_attributes():
    x, v = K.placeholder((2,)), K.variable(1., constraint=abs)
    assert x._uses_learning_phase is False
    x._uses_learning_phase = True
    assert x._uses_learning_phase is True and K.function([x], [x]).inputs[0]._uses_learning_phase
    assert v.constraint is abs and K.variable(1.).constraint is None and x.constraint is None
    v.constraint = None
    assert v.constraint is None
    assert v.trainable is True
    v.trainable = False
    assert K.function([], [v]).variables[0].trainable is False
    assert x.trainable is False
    x.trainable = 'whatever'
    assert x.trainable == 'whatever'
    with pytest.raises(ValueError, match='ambiguous'):
        v.trainable = np.array([1, 2])
    assert not hasattr(x, '_keras_mask')


@pytest.mark.parametrize('refused', [bool, len, iter, list, float, int, np.asarray, np.array, lambda x: 1 in x,
                                     lambda x: [*x], lambda x: x and 1, lambda x: range(x), lambda x: np.exp(x),
                                     pickle.dumps, copy.copy, copy.deepcopy])
def test_what_a_tensor_is_not(refused):
    with pytest.raises(TypeError):
        refused(K.constant(X))


BINARY = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': lambda a, b: a / b,
    '//': lambda a, b: a // b, '%': lambda a, b: a % b, '**': lambda a, b: a ** b,
    '<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b, '>=': lambda a, b: a >= b,
}


@pytest.mark.parametrize('other', [2, 2.5, np.float32(2), np.float64(2.5), np.array(2.), np.array([1., 2., 3.]),
                                   X[::-1], [1., 2., 3.], (1, 2, 3), [[2.], [3.]]], ids=str)
@pytest.mark.parametrize('operator', sorted(BINARY))
def test_operators_in_both_directions(operator, other):
    f = BINARY[operator]
    numpys = np.asarray(other, 'float32')
    agree(K.eval(f(K.constant(X), other)), f(X, numpys), 1e-5)
    agree(K.eval(f(other, K.constant(X))), f(numpys, X), 1e-5)


def test_unary_operators():
    x = K.constant(-X)
    agree(K.eval(-x), X)
    agree(K.eval(+x), -X)
    agree(K.eval(abs(x)), X)
    bools = K.constant([True, False], dtype='bool')
    assert K.eval(~bools).tolist() == [False, True]
    assert K.eval(bools & [True, True]).tolist() == [True, False] == K.eval([True, True] & bools).tolist()
    assert K.eval(bools | False).tolist() == [True, False]
    whole = K.constant([6, 5], dtype='int32')
    assert K.eval(whole & 3).tolist() == [2, 1] and K.eval(whole | 8).tolist() == [14, 13]
    assert K.eval(~whole).tolist() == [-7, -6]


def test_in_place_operators_make_new_tensors():
    v = K.variable(1.)
    w = v
    w += 1
    assert w is not v and K.get_value(v) == 1 and K.eval(w) == 2 and not K.is_variable(w)


@pytest.mark.parametrize('a, b, expected', [
    (('int32', 3), 2, 'int32'), (('int32', 3), 2., 'float32'), (('bool', True), 1, 'int32'), (('bool', True), 1., 'float32'),
    (('float16', 3), 2., 'float16'), (('float32', 3), ('float64', 1), 'float64'), (('int8', 3), ('int32', 1), 'int32'),
    (('int8', 1), ('uint8', 1), 'int16'), (('int64', 1), ('float16', 1), 'float16'), (('bool', 1), ('int8', 1), 'int8'),
    (('float32', 1), np.float64(2), 'float32'), (('int8', 1), np.array([1], 'int64'), 'int8'),
])
def test_dtypes_of_results(a, b, expected):
    x = K.constant(a[1], dtype=a[0])
    y = K.constant(b[1], dtype=b[0]) if isinstance(b, tuple) else b
    assert (x + y).dtype == expected and (y + x).dtype == expected
    assert (x < y).dtype == 'bool'


def test_true_division_of_integers_is_floatx():
    assert K.eval(K.constant(7, dtype='int32') / 2) == np.float32(3.5)
    assert K.eval(7 / K.constant(2, dtype='int64')).dtype == np.float32


def test_is_tensor_and_the_like():
    x, v = K.placeholder((2,)), K.variable(1)
    for other in (1, X, [x], None, 'x', keratin, K.Tensor, object()):
        assert not K.is_tensor(other) and not K.is_variable(other) and not K.is_placeholder(other)
        assert not K.is_sparse(other)
    assert K.is_tensor(x) and K.is_tensor(v) and K.is_variable(v) and not K.is_variable(x) and not K.is_variable(v * 1)
    assert isinstance(x, keratin.Tensor) and K.is_same(x, x) and not K.is_same(x, v)


def test_tensors_are_made_by_functions_alone():
    with pytest.raises(TypeError):
        K.Tensor()
    with pytest.raises(TypeError):
        class Mine(K.Tensor):
            pass


def test_functions_as_objects():
    x = K.placeholder((2,), name='x')
    f = K.function([x], {'double': x * 2, 'x': x}, name='twice')
    f.mine = 3
    assert f.mine == 3 and f.name == 'twice' and f.input_names == ['x'] and f.output_names == ['double', 'x']
    assert 'twice' in repr(f) and f.kernel_count >= 1 and f.arena_bytes >= 0 and f.compile_milliseconds >= 0
    assert isinstance(f.memory_plan, str) and isinstance(f.compile_report, str)
    assert f({'x': [1, 2]})[0].tolist() == [2, 4] == f((np.array([1, 2]),))[0].tolist()
    gone = weakref.ref(f)
    f.itself = f
    del f
    gc.collect()
    assert gone() is None
    assert K.function([], [])([]) == []


