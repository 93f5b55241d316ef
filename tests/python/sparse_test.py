"""Sparse tensors and SciPy's matrices, of all formats."""
import numpy as np
import pytest
import scipy.sparse

import keratin.backend as K
from support import agree, numbers

FORMATS = ['bsr', 'coo', 'csc', 'csr', 'dia', 'dok', 'lil']
DENSE = np.array([[0, 1, 0, 2], [3, 0, 0, 0], [0, 0, 0, 4]], 'float32')


@pytest.mark.parametrize('kind', ['matrix', 'array'])
@pytest.mark.parametrize('form', FORMATS)
def test_feeds(form, kind):
    matrix = getattr(scipy.sparse, '%s_%s' % (form, kind))(DENSE)
    x = K.placeholder((None, 4), sparse=True)
    w = numbers(4, 2)
    assert K.is_sparse(x) and not K.is_sparse(K.to_dense(x))
    f = K.function([x], [K.dot(x, K.constant(w)), K.to_dense(x)])
    for fed in (matrix, DENSE, matrix.astype('float64')):
        product, dense = f([fed])
        agree(product, DENSE @ w, 1e-4)
        agree(dense, DENSE)


@pytest.mark.parametrize('form', FORMATS)
def test_variables(form):
    v = K.variable(getattr(scipy.sparse, form + '_matrix')(DENSE))
    assert K.is_sparse(v) and K.is_tensor(v) and v.dtype == 'float32' and K.int_shape(v) == (3, 4)
    agree(K.eval(v), DENSE)
    agree(K.get_value(v), DENSE)


def test_duplicates_add_up():
    matrix = scipy.sparse.coo_matrix(([1., 2., 4.], ([0, 0, 1], [1, 1, 0])), (2, 2))
    agree(K.eval(K.variable(matrix)), np.array([[0, 3], [4, 0]], 'float32'))


def test_concatenate():
    v = K.variable(scipy.sparse.csr_matrix(DENSE))
    both = K.concatenate([v, v], axis=0)
    assert K.is_sparse(both)
    agree(K.eval(both), np.concatenate([DENSE, DENSE]))
    mixed = K.concatenate([v, K.constant(DENSE)], axis=1)
    assert not K.is_sparse(mixed)
    agree(K.eval(mixed), np.concatenate([DENSE, DENSE], 1))


def test_other_functions_say_what_to_do():
    with pytest.raises(ValueError, match='to_dense'):
        K.exp(K.variable(scipy.sparse.csr_matrix(DENSE)))


def test_a_sparse_matrix_for_a_dense_placeholder():
    x = K.placeholder((3, 4))
    f = K.function([x], [x * 1])
    try:
        agree(f([scipy.sparse.csr_matrix(DENSE)])[0], DENSE)
    except (ValueError, TypeError) as error:
        assert 'sparse' in str(error)


def test_gradients():
    v, w = K.variable(scipy.sparse.csr_matrix(DENSE)), K.variable(numbers(4, 2))
    agree(K.eval(K.gradients(K.sum(K.dot(v, w)), [w])[0]), np.repeat(DENSE.sum(0)[:, None], 2, 1))


def test_wrong_shapes():
    x = K.placeholder((None, 4), sparse=True)
    f = K.function([x], [K.to_dense(x)])
    with pytest.raises(ValueError, match='4'):
        f([scipy.sparse.csr_matrix(np.ones((2, 5)))])
    with pytest.raises((TypeError, ValueError), match='value'):
        f(['abc'])
    with pytest.raises(ValueError, match='needed 2'):
        f([scipy.sparse.coo_array(np.ones(3))])
