"""Random numbers of distributions against SciPy's, at fixed seeds."""
import re

import numpy as np
import pytest
from scipy import stats

import keratin.backend as K

COUNT = 20000


def drawn(tensor):
    return np.asarray(K.eval(tensor))


def agrees(numbers, distribution):
    """By the test of Kolmogorov and Smirnov: of a right one wrong once in 10,000 seeds."""
    assert stats.kstest(np.asarray(numbers, 'float64').ravel(), distribution.cdf).pvalue > 1e-4


def agrees_with_counts(numbers, probabilities):
    """By that of chi-square, of classes that are expected five times or more."""
    numbers = np.asarray(numbers).ravel().astype('int64')
    found = np.bincount(numbers, minlength=len(probabilities)).astype('float64')
    assert found.size == len(probabilities)
    expected = np.asarray(probabilities) * numbers.size
    usual = expected >= 5
    found = np.append(found[usual], found[~usual].sum())
    expected = np.append(expected[usual], max(numbers.size - expected[usual].sum(), 1e-9))
    if expected[-1] < 5:
        found, expected = found[:-1], expected[:-1]
    statistic = ((found - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, len(expected) - 1) > 1e-4


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('alpha', [0.05, 0.5, 1., 2.5, 30., 1000.])
def test_gamma(alpha, dtype):
    agrees(drawn(K.random_gamma((COUNT,), alpha, 2., dtype=dtype, seed=3)), stats.gamma(alpha, scale=0.5))


@pytest.mark.parametrize('a, b', [(0.5, 0.5), (2., 5.), (40., 3.), (0.02, 0.03)])
def test_beta(a, b):
    numbers = drawn(K.random_beta((COUNT,), a, b, dtype='float64', seed=5))
    assert numbers.min() >= 0 and numbers.max() <= 1 and not np.isnan(numbers).any()
    if a > 0.1:
        agrees(numbers, stats.beta(a, b))
    else:  # most are nearly 0 or 1
        assert abs((numbers > 0.5).mean() - stats.beta(a, b).sf(0.5)) < 0.02


def test_exponential():
    agrees(drawn(K.random_exponential((COUNT,), 3., seed=1)), stats.expon(scale=3))


@pytest.mark.parametrize('rate', [0.3, 4., 9.99, 10., 37., 2500.])
def test_poisson(rate):
    numbers = drawn(K.random_poisson((COUNT,), rate, seed=2))
    assert numbers.dtype == np.int64
    last = int(rate + 12 * np.sqrt(rate) + 20)
    agrees_with_counts(numbers, stats.poisson(rate).pmf(np.arange(last)))


def test_parameters_are_tensors():
    alpha = K.variable([[0.3], [3.], [-1.], [np.nan], [np.inf]])
    numbers = drawn(K.random_gamma((5, COUNT), alpha, seed=1))
    agrees(numbers[0], stats.gamma(0.3))
    agrees(numbers[1], stats.gamma(3))
    assert np.isnan(numbers[2:4]).all() and np.isposinf(numbers[4]).all()
    counts = drawn(K.random_poisson((4, COUNT), K.variable([[0.], [3.], [50.], [-1.]]), dtype='float32', seed=1))
    assert (counts[0] == 0).all() and np.isnan(counts[3]).all()
    for rate, row in ((3, counts[1]), (50, counts[2])):
        agrees_with_counts(row, stats.poisson(rate).pmf(np.arange(150)))


def test_categorical():
    logits = np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]).astype('float32') + 3
    numbers = drawn(K.random_categorical(logits, COUNT, seed=4))
    assert numbers.shape == (2, COUNT) and numbers.dtype == np.int64
    agrees_with_counts(numbers[0], [0.1, 0.2, 0.7])
    agrees_with_counts(numbers[1], [0.5, 0.25, 0.25])
    assert drawn(K.random_categorical([0., -np.inf], 9, seed=1)).tolist() == [0] * 9


def test_permutation():
    order = drawn(K.random_permutation(1000, seed=1))
    assert sorted(order) == list(range(1000)) and (order != np.arange(1000)).any()
    rows = np.arange(12.).reshape(4, 3)
    found = drawn(K.random_permutation(rows, seed=2))
    assert sorted(found[:, 0]) == [0, 3, 6, 9] and (found == found[:, :1] + [0, 1, 2]).all()
    tensor = K.random_permutation(3, seed=8)
    orders = [tuple(drawn(tensor)) for _ in range(600)]
    agrees_with_counts([sorted(set(orders)).index(order) for order in orders], [1 / 6] * 6)


def test_choice():
    agrees_with_counts(drawn(K.random_choice(5, (COUNT,), seed=1)), [0.2] * 5)
    agrees_with_counts(drawn(K.random_choice(3, (COUNT,), p=[1., 2., 5.], seed=1)), [0.125, 0.25, 0.625])
    assert drawn(K.random_choice(np.eye(4), (2, 3), seed=1)).shape == (2, 3, 4)
    found = drawn(K.random_choice(50, (5, 10), replace=False, seed=1))
    assert sorted(found.ravel()) == list(range(50))
    pair = K.random_choice(3, (2,), replace=False, p=[1., 2., 5.], seed=6)
    first = [drawn(pair).tolist() for _ in range(600)]
    assert all(a != b for a, b in first)
    agrees_with_counts([a for a, _ in first], [0.125, 0.25, 0.625])


def test_equal_seeds_repeat():
    for draw in (lambda seed: K.random_gamma((7,), 0.5, seed=seed), lambda seed: K.random_poisson((7,), 30., seed=seed),
                 lambda seed: K.random_permutation(20, seed=seed)):
        one, other, third = draw(1), draw(1), draw(2)
        first = drawn(one)
        np.testing.assert_array_equal(first, drawn(other))
        assert (first != drawn(third)).any() and (first != drawn(one)).any()


@pytest.mark.parametrize('value', [0.05, 0.7, 3., 50.])
def test_gradient_by_the_shape(value):
    """The quantile of the same probability at another shape."""
    alpha = K.variable(np.full(200, value), dtype='float64')
    numbers = K.random_gamma((200,), alpha, dtype='float64', seed=1)
    found, gradient = K.function([], [numbers, K.gradients(K.sum(numbers), [alpha])[0]])([])
    step = 1e-6 * value
    p = stats.gamma(value).sf(found)
    expected = (stats.gamma(value + step).isf(p) - stats.gamma(value - step).isf(p)) / (2 * step)
    usual = (found > 1e-30) & (found < value + 20)
    np.testing.assert_allclose(gradient[usual], expected[usual], rtol=1e-4, atol=1e-12)


def test_gradient_of_a_mean():
    """Of a beta distribution the mean is a / (a + b)."""
    a, b = K.variable(np.full(COUNT, 2.), dtype='float64'), K.variable(np.full(COUNT, 3.), dtype='float64')
    by_a, by_b = K.function([], K.gradients(K.sum(K.random_beta((COUNT,), a, b, dtype='float64', seed=1)), [a, b]))([])
    assert abs(by_a.mean() - 3 / 25) < 3e-3 and abs(by_b.mean() + 2 / 25) < 3e-3


@pytest.mark.parametrize('call, message', [
    (lambda: K.random_gamma((2,), -1.), 'random_gamma: alpha is -1; needed a finite number above 0'),
    (lambda: K.random_gamma((2,), 1., 0.), 'random_gamma: beta is 0; needed a finite number above 0'),
    (lambda: K.random_beta((2,), 1., -2.), 'random_beta: b is -2; needed a finite number above 0'),
    (lambda: K.random_exponential((2,), -1.), 'random_exponential: scale is -1; needed a finite number, 0 or more'),
    (lambda: K.random_poisson((2,), -1.), 'random_poisson: lam is -1; needed a finite number, 0 or more'),
    (lambda: K.random_categorical(1., 2), 'random_categorical: logits is a scalar; needed at least one axis'),
    (lambda: K.random_categorical(np.zeros((2, 0), 'float32'), 2), 'random_categorical: logits have no classes'),
    (lambda: K.random_permutation(1.5), 'random_permutation: x is a scalar of dtype float32; needed a tensor with rows, or an integer'),
    (lambda: K.random_choice(3, (4,), replace=False),
     'random_choice: without replacement there must be as many to choose from as are chosen, 4; found 3'),
    (lambda: K.random_choice(0, (4,)), 'random_choice: there is nothing to choose from'),
    (lambda: K.random_choice(2, (4,), p=[[1., 2.]]), 'random_choice: p has shape'),
    (lambda: K.random_choice(2, (4,), p=[1., 2., 3.]),
     'random_choice: p and what is chosen from must have equal shapes; found (2,) and (3,)'),
    (lambda: K.random_choice(2, (4,), p=[0., 0.]), 'random_choice: p has 0 weights above 0; needed 1 or more'),
    (lambda: K.random_choice(3, (2,), replace=False, p=[0., 0., 1.]), 'random_choice: p has 1 weights above 0; needed 2 or more'),
    (lambda: K.random_choice(2, (4,), p=[1., np.nan]), 'random_choice: p is nan; needed finite numbers, 0 or more'),
    (lambda: K.random_choice(2, (4,), p=[1., -2.]), 'random_choice: p is -2; needed finite numbers, 0 or more'),
])
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        K.eval(call())
