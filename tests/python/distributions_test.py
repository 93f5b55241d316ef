"""Logarithms of densities against SciPy's, and their gradients against differences."""
import numpy as np
import pytest
from scipy import special, stats

import keratin.backend as K
from support import both_ways

X = np.array([-1.5, -1., 0., 0.25, 0.7, 1., 1.5, 4., 30., np.nan])
COUNTS = np.array([-1., 0., 1., 2., 2.5, 5., 6., 40.])

OF_NUMBERS = {
    'normal_log_prob': (stats.norm.logpdf, [0.3, 1.7]),
    'lognormal_log_prob': (lambda x, s, scale: stats.lognorm.logpdf(x, s, scale=scale), [0.8, 1.7]),
    'half_normal_log_prob': (lambda x, scale: stats.halfnorm.logpdf(x, scale=scale), [1.7]),
    'student_t_log_prob': (stats.t.logpdf, [3.5, 0.3, 1.7]),
    'cauchy_log_prob': (stats.cauchy.logpdf, [0.3, 1.7]),
    'laplace_log_prob': (stats.laplace.logpdf, [0.3, 1.7]),
    'exponential_log_prob': (lambda x, scale: stats.expon.logpdf(x, scale=scale), [1.7]),
    'gamma_log_prob': (lambda x, a, scale: stats.gamma.logpdf(x, a, scale=scale), [2.5, 1.7]),
    'inverse_gamma_log_prob': (lambda x, a, scale: stats.invgamma.logpdf(x, a, scale=scale), [2.5, 1.7]),
    'beta_log_prob': (stats.beta.logpdf, [2.5, 1.7]),
    'chi2_log_prob': (stats.chi2.logpdf, [3.5]),
    'uniform_log_prob': (stats.uniform.logpdf, [-0.5, 1.7]),
}
OF_COUNTS = {
    'binomial_log_prob': (stats.binom.logpmf, [5., 0.3]),
    'poisson_log_prob': (stats.poisson.logpmf, [3.5]),
    'negative_binomial_log_prob': (stats.nbinom.logpmf, [2.5, 0.3]),
}


def compare(name, reference, x, parameters, dtype, tolerance):
    x, *parameters = (np.asarray(value, dtype) for value in np.broadcast_arrays(x, *parameters))
    found = both_ways(getattr(K, name), x, *parameters)
    with np.errstate(all='ignore'):
        expected = reference(*(value.astype('float64') for value in (x, *parameters)))
    expected[np.isnan(x)] = np.nan
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-13), ('float32', 2e-6)])
@pytest.mark.parametrize('name', sorted(OF_NUMBERS))
def test_density(name, dtype, tolerance):
    reference, parameters = OF_NUMBERS[name]
    compare(name, reference, X, parameters, dtype, tolerance)


@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-13), ('float32', 5e-6)])
@pytest.mark.parametrize('name', sorted(OF_COUNTS))
def test_probability(name, dtype, tolerance):
    reference, parameters = OF_COUNTS[name]
    compare(name, reference, COUNTS, parameters, dtype, tolerance)


@pytest.mark.parametrize('name, reference, x, parameters', [
    ('gamma_log_prob', OF_NUMBERS['gamma_log_prob'][0], [0., 0., 0.], [[0.5, 1., 2.], 1.]),
    ('beta_log_prob', stats.beta.logpdf, [0., 0., 1., 1.], [[1., 2., 3., 3.], [2., 2., 1., 2.]]),
    ('binomial_log_prob', stats.binom.logpmf, [0., 5., 0., 5.], [5., [0., 0., 1., 1.]]),
    ('poisson_log_prob', stats.poisson.logpmf, [0., 1.], [0.]),
    ('negative_binomial_log_prob', stats.nbinom.logpmf, [0., 1.], [2., 1.]),
    ('normal_log_prob', stats.norm.logpdf, [0.5, 0.5], [0., [0., -1.]]),
    ('gamma_log_prob', OF_NUMBERS['gamma_log_prob'][0], [0.5, 0.5], [[-1., 1.], [1., -1.]]),
    ('binomial_log_prob', stats.binom.logpmf, [1., 1., 1.], [[-1., 2.5, 3.], [0.5, 0.5, 1.5]]),
])
def test_edges(name, reference, x, parameters):
    compare(name, reference, x, parameters, 'float64', 1e-13)


def test_bernoulli():
    k, logits = (side.ravel() for side in np.meshgrid([0., 1., 0.5, -1.], [-800., -2., 0., 3., 800.]))
    expected = np.where(k == 1, special.log_expit(logits), np.where(k == 0, special.log_expit(-logits), -np.inf))
    np.testing.assert_allclose(both_ways(K.bernoulli_log_prob, k, logits), expected, rtol=1e-14)


def test_categorical():
    logits = np.array([[1., 2., 3.], [0., -np.inf, 5.]])
    expected = special.log_softmax(logits, axis=-1)
    found = K.eval(K.categorical_log_prob([[0], [1], [2], [3], [-1]], K.constant(logits, dtype='float64')))
    np.testing.assert_allclose(found[:3], expected.T, rtol=1e-12)
    assert np.isneginf(found[3:]).all()


def test_dirichlet():
    x = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [1.2, -0.3, 0.1]])
    alpha = np.array([0.7, 2., 3.])
    found = both_ways(K.dirichlet_log_prob, x, alpha)
    np.testing.assert_allclose(found[:2], [stats.dirichlet.logpdf(row, alpha) for row in x[:2]], rtol=1e-13)
    assert np.isneginf(found[2])


def test_multivariate_normal():
    cov = np.array([[2., 0.3, 0.1], [0.3, 1., -0.2], [0.1, -0.2, 0.5]])
    x = np.random.default_rng(1).normal(size=(2, 4, 3))
    mean = np.array([0.5, -1., 0.])
    np.testing.assert_allclose(both_ways(K.multivariate_normal_log_prob, x, mean, cov),
                               stats.multivariate_normal(mean, cov).logpdf(x), rtol=1e-12)


@pytest.mark.parametrize('name', sorted({**OF_NUMBERS, **OF_COUNTS}))
def test_gradients(name):
    """Also beside what lies outside, which has none."""
    isCount = name in OF_COUNTS
    reference, parameters = {**OF_NUMBERS, **OF_COUNTS}[name]
    numbers = np.array([0., 2., 5., 2.5, -3.]) if isCount else np.array([0.3, 0.6, 0.9, -40., 80.])
    values = [numbers] + [np.full(numbers.size, value) for value in parameters]
    variables = [K.variable(value, dtype='float64') for value in values]
    y = getattr(K, name)(*variables)
    # x itself is a count, or the first operand.
    places = [place for place in range(len(values)) if not (isCount and (place == 0 or name == 'binomial_log_prob' and place == 1))]
    loss = K.sum(K.where(K.abs(y) < 1e300, y, K.zeros_like(y)))
    # None where the density is the same for all numbers.
    found = K.gradients(loss, [variables[place] for place in places])
    gradients = [np.zeros(numbers.size) if gradient is None else K.eval(gradient) for gradient in found]
    for place, gradient in zip(places, gradients):
        def at(offset):
            moved = list(values)
            moved[place] = moved[place] + offset
            with np.errstate(all='ignore'):
                return reference(*moved)
        with np.errstate(all='ignore'):
            expected = (at(1e-6) - at(-1e-6)) / 2e-6
        inside = np.isfinite(reference(*values))
        assert not np.isnan(gradient).any()
        np.testing.assert_allclose(gradient[inside], expected[inside], rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(gradient[~inside], 0)


@pytest.mark.parametrize('call, error, message', [
    (lambda: K.categorical_log_prob(0.5, [1., 2.]), TypeError, 'categorical_log_prob: k is float32; needed an integer dtype'),
    (lambda: K.categorical_log_prob(1, 2.), ValueError, 'categorical_log_prob: logits is a scalar; needed at least one axis'),
    (lambda: K.dirichlet_log_prob(1., 2.), ValueError, 'dirichlet_log_prob: x and alpha are scalars; needed at least one axis'),
    (lambda: K.multivariate_normal_log_prob(1., 2., [[1.]]), ValueError, 'multivariate_normal_log_prob: x is a scalar; needed at least one axis'),
    (lambda: K.multivariate_normal_log_prob([1.], 2., 1.), ValueError, r'multivariate_normal_log_prob: cov has shape \(\); needed a matrix'),
    (lambda: K.multivariate_normal_log_prob([1., 2.], 2., [[1.]]), ValueError, 'cov and the last axis of x'),
])
def test_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
