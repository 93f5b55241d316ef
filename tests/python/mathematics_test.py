"""What NumPy, SciPy and TensorFlow have beside keras.backend, against them."""
import decimal
import itertools
import math

import numpy as np
import pytest
from scipy import special

import keratin.backend as K
from support import agree, both_ways, numbers

EDGES = np.array([0., -0., 1., -1., 0.3, -2.5, np.inf, -np.inf, np.nan, 1e300, 1e-300, -1e-300])


def pairs():
    """All pairs of numbers of interest."""
    return (np.array(side) for side in zip(*itertools.product(EDGES, EDGES)))


@pytest.mark.parametrize('name', ['hypot', 'arctan2', 'xlogy'])
def test_of_two_numbers(name):
    x, y = pairs()
    found = both_ways(getattr(K, {'arctan2': 'atan2'}.get(name, name)), x, y)
    with np.errstate(all='ignore'):
        expected = (special.xlogy if name == 'xlogy' else getattr(np, name))(x, y)
    if name == 'hypot':  # C's is infinite beside NaN, too
        expected[np.isnan(x) | np.isnan(y)] = np.nan
    np.testing.assert_allclose(found, expected, rtol=4e-16)
    if name == 'arctan2':
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize('name, reference', [('expm1', np.expm1), ('log1p', np.log1p), ('sinc', np.sinc)])
@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-15), ('float32', 5e-7)])
def test_of_one_number(name, reference, dtype, tolerance):
    x = np.concatenate([np.linspace(-0.99, 3, 400), [0., 1e-8, -1e-8, 1 / np.pi, 0.31830987]]).astype(dtype)
    found = both_ways(getattr(K, name), x)
    np.testing.assert_allclose(found, reference(x.astype('float64')), rtol=tolerance, atol=tolerance / 4)


# Edges, small and large numbers, poles.
SPECIAL = np.concatenate([EDGES, np.linspace(-6, 12, 200), [-1., -2., -100., 1e-8, 50., 300., 1e5, -26., 1e15]])


@pytest.mark.parametrize('name, reference', [
    ('erfc', special.erfc), ('erfinv', special.erfinv), ('lgamma', special.gammaln), ('digamma', special.digamma),
    ('bessel_i0e', special.i0e), ('bessel_i1e', special.i1e), ('ndtr', special.ndtr), ('log_ndtr', special.log_ndtr)])
@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-13), ('float32', 2e-6)])
@pytest.mark.filterwarnings('ignore')
def test_special_function(name, reference, dtype, tolerance):
    x = SPECIAL.astype(dtype)
    expected = reference(x.astype('float64'))
    if name == 'lgamma':
        expected[np.isneginf(x)] = np.inf
    if name == 'digamma':
        expected[np.isneginf(x)] = np.nan
    found = both_ways(getattr(K, name), x)
    with np.errstate(over='ignore'):
        expected = expected.astype(dtype)
    # Far right the logarithm is -ndtr(-x), which changes by x units where x does by half of one.
    if name == 'log_ndtr':
        tolerance *= 5
    # Left of 0 gamma functions are differences.
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance if 'gamma' in name else 0)


@pytest.mark.filterwarnings('ignore')
def test_quantiles_of_the_normal_distribution():
    p = np.concatenate([np.linspace(-0.1, 1.1, 121), 10. ** -np.arange(1, 320, 7.), 1 - 2. ** -np.arange(2, 53), [0, 1, np.nan]])
    np.testing.assert_allclose(both_ways(K.ndtri, p), special.ndtri(p), rtol=3e-15, atol=1e-16)
    single = p.astype('float32')
    np.testing.assert_allclose(both_ways(K.ndtri, single), special.ndtri(single.astype('float64')), rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings('ignore')
def test_zeta():
    x = np.array([2., 3., 2.5, 1., 0.5, 1.0001, 10., 40.])
    q = np.array([1., 0.25, 77., 1e-3, 1e10, -0.5, -3.25, 0., -2., np.inf, np.nan, -20.5])
    x, q = (side.ravel() for side in np.meshgrid(x, q))
    expected = special.zeta(x, q)
    expected[np.isnan(q)] = np.nan
    np.testing.assert_allclose(both_ways(K.zeta, x, q), expected, rtol=1e-12)


def parameters(count, seed):
    """Numbers of all sizes for the parameters of a distribution."""
    return 10 ** np.random.default_rng(seed).uniform(-3, 3, count)


@pytest.mark.parametrize('name, reference', [('igamma', special.gammainc), ('igammac', special.gammaincc)])
@pytest.mark.filterwarnings('ignore')
def test_incomplete_gamma(name, reference):
    a = parameters(2000, 1)
    near = a + np.random.default_rng(2).normal(size=a.size) * np.sqrt(a)
    x = np.concatenate([a * parameters(a.size, 3) ** 0.3, np.maximum(near, 1e-3)])
    a = np.concatenate([a, a])
    expected = reference(a, x)
    usual = expected > 1e-30
    np.testing.assert_allclose(both_ways(getattr(K, name), a, x)[usual], expected[usual], rtol=1e-12)
    single = a.astype('float32'), x.astype('float32')
    np.testing.assert_allclose(both_ways(getattr(K, name), *single)[usual],
                               reference(*(side.astype('float64') for side in single))[usual], rtol=2e-6)
    edges = [side.ravel() for side in np.meshgrid([0., -1., 2., np.inf, np.nan], [0., -1., 3., np.inf, np.nan])]
    expected = reference(*edges)
    expected[np.isnan(edges[0]) | np.isnan(edges[1])] = np.nan
    np.testing.assert_allclose(both_ways(getattr(K, name), *edges), expected, rtol=1e-14)


@pytest.mark.filterwarnings('ignore')
def test_incomplete_beta():
    a, b = parameters(2000, 1), parameters(2000, 2)
    generator = np.random.default_rng(3)
    near = a / (a + b) + generator.normal(size=a.size) * np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
    x = np.where(generator.uniform(size=a.size) < 0.5, np.clip(near, 1e-3, 0.999), generator.uniform(size=a.size))
    expected = special.betainc(a, b, x)
    usual = expected > 1e-30
    np.testing.assert_allclose(both_ways(K.betainc, a, b, x)[usual], expected[usual], rtol=1e-11)
    edges = [side.ravel() for side in np.meshgrid([-1., 2., np.nan], [-1., 0.5, np.nan], [-1., 0., 0.3, 1., 2., np.nan])]
    np.testing.assert_allclose(both_ways(K.betainc, *edges), special.betainc(*edges), rtol=1e-14)
    np.testing.assert_allclose(K.eval(K.betainc([[2.], [3.]], 0.5, [0.1, 0.7])),
                               special.betainc([[2.], [3.]], 0.5, [0.1, 0.7]), rtol=1e-6)


def test_gradients_by_the_parameters():
    a, b, x = (K.variable(value, dtype='float64') for value in
               ([0.3, 2., 30., 300.], [0.7, 4., 20., 150.], [0.1, 0.4, 0.6, 0.65]))
    step = 1e-6

    def slope(function, values, place):
        up, down = list(values), list(values)
        up[place], down[place] = up[place] + step * up[place], down[place] - step * down[place]
        return (function(*up) - function(*down)) / (2 * step * values[place])

    for function, reference, operands in ((K.igamma, special.gammainc, (a, b)), (K.igammac, special.gammaincc, (a, b)),
                                          (K.betainc, special.betainc, (a, b, x))):
        values = [K.get_value(operand) for operand in operands]
        for place, gradient in enumerate(K.gradients(K.sum(function(*operands)), list(operands))):
            np.testing.assert_allclose(K.eval(gradient), slope(reference, values, place), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize('n', [0, 1, 2, 3, 20])
def test_polygamma(n):
    x = np.concatenate([np.linspace(0.1, 12, 40), [1e-3, 100.], [-0.5, -2.25] if n < 3 else []])
    np.testing.assert_allclose(both_ways(lambda x: K.polygamma(n, x), x),
                               np.concatenate([special.polygamma(n, x[:42]), [float(mp_polygamma(n, v)) for v in x[42:]]]),
                               rtol=1e-12)


def mp_polygamma(n, x):
    """Of negative x, by its recurrence from a positive one: SciPy has no more digits there than elsewhere."""
    value, factor = 0., np.prod(np.arange(1., n + 1)) * (-1) ** (n + 1)
    while x <= 0:
        value += factor * x ** -(n + 1.)
        x += 1
    return value + special.polygamma(n, x)


def exact_polygamma(n, x):
    """Of positive x, by 200 terms and the formula of Euler and Maclaurin, with 60 digits."""
    with decimal.localcontext() as context:
        context.prec, s, x = 60, n + 1, decimal.Decimal(float(x))
        w = x + 200
        rest = w ** -n / n + w ** -s / 2 + s * w ** -(s + 1) / 12 - s * (s + 1) * (s + 2) * w ** -(s + 3) / 720
        return float((-1) ** s * math.factorial(n) * (rest + sum((x + k) ** -s for k in range(200))))


@pytest.mark.parametrize('n', [3, 20, 34, 100, 101, 130, 170])
@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-13), ('float32', 1e-6)])
@pytest.mark.filterwarnings('ignore')
def test_polygamma_of_large_orders(n, dtype, tolerance):
    limit = 2 ** (1000 / (n + 1))
    x = np.concatenate([np.geomspace(0.05, 100, 30), limit * np.array([0.9, 1, 1.1, 2, 30])]).astype(dtype)
    expected = np.array([exact_polygamma(n, at) if np.isfinite(at) else 0 for at in x])
    found = both_ways(lambda x: K.polygamma(n, x), x)
    np.testing.assert_allclose(found, expected.astype(dtype), rtol=tolerance, atol=np.finfo(dtype).tiny)
    x = K.placeholder((None,), dtype='float64')
    at = np.array([0.9, 1.1, 20]) * limit if n < 170 else np.array([40., 50.])
    slope = K.function([x], K.gradients(K.sum(K.polygamma(n, x)), x))([at])[0]
    np.testing.assert_allclose(slope, [exact_polygamma(n + 1, v) for v in at], rtol=1e-12, atol=1e-307)


def test_polygamma_at_poles():
    at = np.array([0., -0., -1., -2., -np.inf, np.inf, np.nan])
    inf, nan = np.inf, np.nan
    for n in (1, 3):
        np.testing.assert_array_equal(both_ways(lambda x: K.polygamma(n, x), at), [inf, inf, inf, inf, nan, 0, nan])
    for n in (2, 4):
        np.testing.assert_array_equal(both_ways(lambda x: K.polygamma(n, x), at), [-inf, inf, nan, nan, nan, 0, nan])


@pytest.mark.parametrize('name', ['erfc', 'erfinv', 'lgamma', 'digamma', 'bessel_i0e', 'bessel_i1e', 'ndtr', 'log_ndtr', 'ndtri'])
def test_derivatives_of_special_functions(name):
    at = np.array([0.02, 0.3, 0.5, 0.9]) if name in ('ndtri', 'erfinv') else np.array([-3.3, -0.5, 0.2, 1.4616, 3., 11., -24.3, 4.2])
    x = K.placeholder((None,), dtype='float64')
    value = getattr(K, name)(x)
    first = K.gradients(value, x)[0]
    f, g = K.function([x], [value]), K.function([x], [first, K.gradients(first, x)[0]])
    step = 1e-4
    slope, curve = g([at])
    around = [f([at + i * step])[0] for i in (-2, -1, 1, 2)]
    np.testing.assert_allclose(slope, (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * step), rtol=1e-7, atol=1e-9)
    around = [g([at + i * step])[0] for i in (-2, -1, 1, 2)]
    np.testing.assert_allclose(curve, (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * step), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize('axis', [0, 1, -1])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int8', 'uint16', 'bool'])
def test_running_extremes(axis, dtype):
    x = (numbers(6, 9, 5) * 10).astype(dtype)
    if dtype == 'float32':
        x[2, 3, 1] = np.nan
        x[0, 0] = -np.inf
    agree(both_ways(lambda x: K.cummax(x, axis), x), np.maximum.accumulate(x, axis))
    agree(both_ways(lambda x: K.cummin(x, axis), x), np.minimum.accumulate(x, axis))


@pytest.mark.parametrize('shape', [(3, 1000), (40, 7), (0, 3)])
@pytest.mark.parametrize('axis', [0, 1])
def test_cumlogsumexp(shape, axis):
    x = numbers(*shape, dtype='float64') * 1000
    agree(both_ways(lambda x: K.cumlogsumexp(x, axis), x), np.logaddexp.accumulate(x, axis), 1e-12)
    x[:1, :] = -np.inf
    agree(both_ways(lambda x: K.cumlogsumexp(x, axis), x), np.logaddexp.accumulate(x, axis), 1e-12)


def test_gradients_of_running_functions():
    x = K.variable([1., 3., 3., 2., 5.])
    weights = np.array([1, 10, 100, 1000, 10000], 'float32')
    agree(K.eval(K.gradients(K.cummax(x) * weights, x)[0]), np.array([1, 1110, 0, 0, 10000], 'float32'))
    agree(K.eval(K.gradients(K.cummin(x) * weights, x)[0]), np.array([11111, 0, 0, 0, 0], 'float32'))
    x = K.variable([1000., -np.inf, 1000., -1000.], dtype='float64')
    agree(K.eval(K.gradients(K.cumlogsumexp(x), x)[0]), np.array([3., 0, 1, 0]), 1e-12)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'uint8'])
def test_segment_extremes(dtype):
    x, ids = (numbers(30, 4) * 20).astype(dtype), np.arange(30) * 7 % 5
    for name, reduce in (('segment_max', np.max), ('segment_min', np.min)):
        found = both_ways(lambda x, ids: getattr(K, name)(x, ids, 6), x, ids)
        agree(found[:5], np.stack([reduce(x[ids == i], axis=0) for i in range(5)]))
        lowest, highest = ((-np.inf, np.inf) if x.dtype.kind == 'f' else (np.iinfo(dtype).min, np.iinfo(dtype).max))
        assert (found[5] == (lowest if name == 'segment_max' else highest)).all()


def test_gradient_of_segment_max_is_shared():
    x = K.variable([1., 5., 5., np.nan, 7.])
    found = K.eval(K.gradients(K.segment_max(x, [0, 0, 0, 1, 1], 2) * [6., 1.], x)[0])
    agree(found, np.array([0, 3, 3, 0, 0], 'float32'))


@pytest.mark.parametrize('call, kind, message', [
    (lambda x: K.polygamma(-1, x), ValueError, 'polygamma: n is -1; needed 0 to 170'),
    (lambda x: K.polygamma(171, x), ValueError, 'polygamma: n is 171; needed 0 to 170'),
    (lambda x: K.segment_max(x, [[0]], 1), ValueError, 'segment_ids have shape'),
    (lambda x: K.cummax(x, 2), ValueError, 'cummax: axis'),
])
def test_errors_of_special_functions(call, kind, message):
    with pytest.raises(kind, match=message):
        call(K.placeholder((None,)))


def test_derivatives_of_sinc_do_not_cancel():
    at = np.array([0., 1e-9, 1e-4, -0.01, 0.3, 0.32, 0.5, 2.25])
    x = K.placeholder((None,), dtype='float64')
    first = K.gradients(K.sinc(x), x)[0]
    second = K.gradients(first, x)[0]
    t = np.pi * at
    with np.errstate(all='ignore'):
        expected = np.pi * np.where(abs(t) < 1e-3, -t / 3 + t**3 / 30, (np.cos(t) - np.sin(t) / t) / t)
        curved = np.pi**2 * np.where(abs(t) < 1e-3, -1 / 3 + t**2 / 10,
                                     -np.sin(t) / t - 2 * np.cos(t) / t**2 + 2 * np.sin(t) / t**3)
    found, bent = K.function([x], [first, second])([at])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(bent, curved, rtol=1e-8)


def test_gradients_where_formulas_divide_by_zero():
    x, y = (K.variable([0., 3., 0., -4.], dtype='float64') for _ in 'xy')
    K.set_value(y, [0., 4., 2., 0.])
    for value, expected in [(K.hypot(x, y), ([0, .6, 0, -1], [0, .8, 1, 0])),
                            (K.atan2(y, x), ([0, -4 / 25, -.5, 0], [0, 3 / 25, 0, -.25]))]:
        found = [K.eval(g) for g in K.gradients(value, [x, y])]
        np.testing.assert_allclose(found, expected, atol=1e-15)
    K.set_value(x, [0., 2., 0., 0.])
    found = [K.eval(g) for g in K.gradients(K.xlogy(x, y), [x, y])]
    np.testing.assert_allclose(found, [[0, np.log(4), np.log(2), 0], [0, .5, 0, 0]])


@pytest.mark.parametrize('axis', [0, 1, -1])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int8', 'bool'])
def test_sort(axis, dtype):
    x = (numbers(7, 9, 5) * 3).astype(dtype)  # with equals, of whole numbers
    if dtype == 'float32':
        x[2, 3, 1] = x[5, 3, 1] = np.nan
        x[1, 1, 1] = -np.inf
    agree(both_ways(lambda x: K.sort(x, axis), x), np.sort(x, axis))
    places = np.argsort(x, axis, kind='stable')
    agree(both_ways(lambda x: K.argsort(x, axis), x), places)
    agree(both_ways(lambda x, i: K.take_along_axis(x, i, axis), x, places), np.sort(x, axis))


def test_sort_of_nothing():
    assert K.eval(K.sort(np.zeros((3, 0), 'float32'))).shape == (3, 0)


def test_gradient_of_sort_goes_back():
    x = K.variable([3., 1., 2.])
    agree(K.eval(K.gradients(K.sort(x) * [10., 20., 30.], x)[0]), np.array([30, 10, 20], 'float32'))


def test_take_along_axis_broadcasts():
    x, places = numbers(2, 1, 4), np.array([[[0], [3]], [[1], [1]]])
    agree(K.eval(K.take_along_axis(x, places)), np.take_along_axis(np.broadcast_to(x, (2, 2, 4)), places, -1))
    agree(K.eval(K.take_along_axis(x, places[:1])),
          np.take_along_axis(np.broadcast_to(x, (2, 2, 4)), np.broadcast_to(places[:1], (2, 2, 1)), -1))


@pytest.mark.parametrize('side', ['left', 'right'])
@pytest.mark.parametrize('size', [0, 1, 2, 7, 1000])
def test_searchsorted(side, size):
    line = np.sort(np.round(numbers(size) * 20))
    if size > 2:
        line[-1] = np.nan
    wanted = np.concatenate([line, np.round(numbers(50) * 25) + 0.5, [np.nan, np.inf, -np.inf]]).astype('float32')
    agree(both_ways(lambda x, v: K.searchsorted(x, v, side), line, wanted), np.searchsorted(line, wanted, side))
    whole = np.sort((numbers(size) * 20).astype('int32'))
    agree(both_ways(lambda x, v: K.searchsorted(x, v, side), whole, np.arange(-30, 30, dtype='int32')),
          np.searchsorted(whole, np.arange(-30, 30), side))


@pytest.mark.parametrize('shift, axis', [(1, None), (-7, None), (2, 0), (100, 1), (-1, -1), ((1, 2), (0, 2)),
                                         ([1, -1], [1, 1]), (3, (0, 1))])
def test_roll(shift, axis):
    x = numbers(3, 4, 5)
    agree(both_ways(lambda x: K.roll(x, shift, axis), x), np.roll(x, shift, axis))
    if isinstance(shift, int):  # one of the call
        agree(both_ways(lambda x, by: K.roll(x, by, axis), x, np.array(shift, 'int64')), np.roll(x, shift, axis))


def test_roll_of_nothing():
    assert both_ways(lambda x: K.roll(x, 2, 0), np.zeros((0, 2), 'float32')).shape == (0, 2)


NAN_REDUCTIONS = ['nansum', 'nanprod', 'nanmax', 'nanmin', 'nanmean', 'nanvar', 'nanstd']


@pytest.mark.parametrize('name', NAN_REDUCTIONS)
@pytest.mark.parametrize('axis', [None, 0, (0, 2), [1, -1]])
@pytest.mark.parametrize('keepdims', [False, True])
@pytest.mark.filterwarnings('ignore')
def test_nan_reduction(name, axis, keepdims):
    x = numbers(3, 4, 2, dtype='float64')
    x[0, 1, 1] = x[2, :, 0] = x[:, 3] = np.nan
    numpy_axis = tuple(axis) if isinstance(axis, list) else axis
    expected = np.asarray(getattr(np, name)(x, axis=numpy_axis, keepdims=keepdims))
    agree(both_ways(lambda x: getattr(K, name)(x, axis, keepdims), x), expected, 1e-12)
    whole = np.array([[1, 2], [3, -1]], 'int32')
    agree(K.eval(getattr(K, name)(whole, 0)), getattr(np, name)(whole, 0).astype(
        'int32' if name in ('nansum', 'nanprod', 'nanmax', 'nanmin') else 'float32'))


@pytest.mark.parametrize('name', NAN_REDUCTIONS)
def test_gradient_of_a_nan_reduction_leaves_nan_out(name):
    x = K.placeholder((None,), dtype='float64')
    value = K.function([x], [K.gradients(getattr(K, name)(x), x)[0]])
    plain = K.function([x], [K.gradients(getattr(K, name[3:])(x), x)[0]])
    found, = value([[1., np.nan, 3., np.nan, -2.]])
    expected, = plain([[1., 3., -2.]])
    agree(found[[0, 2, 4]], expected, 1e-12)
    agree(found[[1, 3]], np.zeros(2))


def test_segments():
    x, ids = numbers(6, 3), np.array([2, 0, 2, 2, 4, 0])
    expected = np.zeros((5, 3), 'float32')
    np.add.at(expected, ids, x)
    agree(both_ways(lambda x, i: K.segment_sum(x, i, 5), x, ids), expected)
    counts = np.maximum(np.bincount(ids, minlength=5), 1)
    agree(both_ways(lambda x, i: K.segment_mean(x, i, 5), x, ids), expected / counts[:, None].astype('float32'))
    agree(K.eval(K.segment_sum([True, True, False], [1, 1, 0], 2)), np.array([0, 2], 'int32'))
    agree(K.eval(K.segment_mean([1, 2, 5], [0, 0, 1], 3)), np.array([1.5, 5, 0], 'float32'))
    # More rows than a float16 counts.
    agree(K.eval(K.segment_mean(K.ones((3000,), 'float16'), np.zeros(3000, 'int32'), 1)), np.ones(1, 'float16'))


def test_bincount():
    x, weights = np.array([[1, 4], [1, 0]]), np.array([[.5, 1], [2, 4]], 'float32')
    agree(both_ways(lambda x: K.bincount(x, 6), x), np.bincount(x.ravel(), minlength=6))
    agree(both_ways(lambda x, w: K.bincount(x, 6, w), x, weights),
          np.bincount(x.ravel(), weights.ravel(), 6).astype('float32'))
    agree(K.eval(K.bincount(x, 6, 2.)), 2 * np.bincount(x.ravel(), minlength=6).astype('float32'))


def test_histogram():
    x = np.concatenate([numbers(500) * 2, [-1.5, 2., 1.0, 2.5, -1.6, np.nan, np.inf]]).astype('float32')
    edges = np.linspace(-1.5, 2, 15)
    agree(both_ways(lambda x: K.histogram(x, 14, -1.5, 2), x), np.histogram(x[~np.isnan(x)], edges)[0])


@pytest.mark.parametrize('x', [
    [[3, 1, 3], [1, 1, 7]], [], [2.5, np.nan, -0., 0., np.nan, -np.inf, 2.5], [True, False, True], [5]])
@pytest.mark.parametrize('room', [None, 0, 3])
def test_unique(x, room):
    x = np.asarray(x, 'float32' if x == [] or x[0] == 2.5 else None)
    expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    size = None if room is None else len(expected[0]) + room
    for i, numbers in enumerate(expected):
        padding = np.zeros(0 if i == 2 else room or 0, numbers.dtype)
        numbers = np.concatenate([numbers.ravel(), padding])
        agree(both_ways(lambda x: K.unique(x, size)[i], x), numbers.reshape(x.shape) if i == 2 else numbers)


def test_gradient_of_unique():
    x = K.variable([3., 1., 3., 2.])
    for size in (None, 5):
        values, _, _, counts = K.unique(x, size)
        agree(K.eval(K.gradients(K.sum(values * K.cast(counts, 'float32')), x)[0]), np.array([2, 1, 0, 1], 'float32'))


def test_more_differ_than_size():
    x = K.placeholder((None,))
    f = K.function([x], [K.unique(x, 2)[0]])
    agree(f([[4., 4.]])[0], np.array([4, 0], 'float32'))
    with pytest.raises(Exception, match='unique: x has more than size elements that differ'):
        f([[1., 2., 3.]])


@pytest.mark.parametrize('shape', [(4, 4), (2, 3, 5), (5, 2)])
def test_parts_of_matrices(shape):
    x = numbers(*shape)
    for k in range(-5, 6):
        agree(both_ways(lambda x: K.tril(x, k), x), np.tril(x, k))
        agree(both_ways(lambda x: K.triu(x, k), x), np.triu(x, k))
    for lower, upper in itertools.product((-1, 0, 1, 9), (-1, 0, 2)):
        expected = np.triu(x, -lower) if lower >= 0 else x
        expected = np.tril(expected, upper) if upper >= 0 else expected
        agree(both_ways(lambda x: K.band_part(x, lower, upper), x), expected)


@pytest.mark.parametrize('a, b', [((2, 3), (4, 5)), ((3,), (2, 2)), ((2, 1, 3), (4,)), ((), (2, 2))])
def test_kron(a, b):
    x, y = np.asarray(numbers(*a)), np.asarray(numbers(*b, seed=2))
    agree(both_ways(K.kron, x, y), np.kron(x, y))


def test_cross():
    x, y = numbers(4, 3), numbers(2, 1, 3, seed=2)
    agree(both_ways(K.cross, x, y), np.cross(x, y))
    agree(both_ways(lambda x, y: K.cross(x, y, 0), x[:3], x[1:]), np.cross(x[:3], x[1:], axis=0))


@pytest.mark.parametrize('order', [None, 2, 1, 0, np.inf, -np.inf, 3, 0.5, -2])
@pytest.mark.parametrize('axis', [0, -1])
@pytest.mark.parametrize('keepdims', [False, True])
def test_norm_of_vectors(order, axis, keepdims):
    x = numbers(3, 4)
    x[0, 0] = x[1, 2] = 0
    with np.errstate(divide='ignore'):
        expected = np.linalg.norm(x, order, axis, keepdims)
    agree(both_ways(lambda x: K.norm(x, order, axis, keepdims), x), expected)


@pytest.mark.parametrize('order', [None, 'fro', 'nuc', 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize('axis', [(0, 1), (1, 0), (-1, 0), (1, 2)])
@pytest.mark.parametrize('keepdims', [False, True])
def test_norm_of_matrices(order, axis, keepdims):
    x = numbers(3, 4, 2)
    agree(both_ways(lambda x: K.norm(x, order, axis, keepdims), x), np.linalg.norm(x, order, axis, keepdims))


def test_norm_of_everything():
    x = numbers(2, 3, 4)
    agree(both_ways(K.norm, x), np.linalg.norm(x))
    agree(both_ways(lambda x: K.norm(x, 1), x[0]), np.linalg.norm(x[0], 1))
    agree(both_ways(lambda x: K.norm(x, 3), x[0, 0]), np.linalg.norm(x[0, 0], 3))
    agree(K.eval(K.norm(K.constant([300., 400.], 'float16'))), np.float16(500))


def test_gradient_of_a_norm_at_zero():
    x = K.variable(np.zeros(3))
    agree(K.eval(K.gradients(K.norm(x), x)[0]), np.zeros(3, 'float32'))


@pytest.mark.parametrize('n', [0, 1, 2, 3, 7, 12])
def test_matrix_power(n):
    x = numbers(2, 3, 3) / 2
    agree(both_ways(lambda x: K.matrix_power(x, n), x), np.linalg.matrix_power(x, n))


@pytest.mark.parametrize('num', [0, 1, 2, 17])
@pytest.mark.parametrize('endpoint', [True, False])
def test_linspace(num, endpoint):
    agree(K.eval(K.linspace(0.1, 7.3, num, endpoint)), np.linspace(0.1, 7.3, num, endpoint, dtype='float32'), 1e-7)
    agree(K.eval(K.linspace(8, -8, num, endpoint, 'int32')), np.trunc(np.linspace(8, -8, num, endpoint)).astype('int32'))
    start, stop, count = (K.placeholder((), dtype=d) for d in ('float32', 'float64', 'int32'))
    found, = K.function([start, stop, count], [K.linspace(start, stop, count, endpoint, 'float64')])([-1., 2., num])
    agree(found, np.linspace(-1, 2, num, endpoint), 1e-15)


@pytest.mark.parametrize('indexing', ['xy', 'ij'])
@pytest.mark.parametrize('sizes', [(), (3,), (2, 3), (2, 3, 4)])
def test_meshgrid(indexing, sizes):
    vectors = [numbers(size, seed=size) for size in sizes]
    for found, expected in zip(K.meshgrid(vectors, indexing), np.meshgrid(*vectors, indexing=indexing), strict=True):
        agree(K.eval(found), expected)


@pytest.mark.parametrize('wrong, error, what', [
    (lambda x: K.take_along_axis(x, [[0.]]), TypeError, 'indices have dtype float32; needed integers'),
    (lambda x: K.take_along_axis(x, [0]), ValueError, 'needed the rank of x, 2'),
    (lambda x: K.roll(x, (1, 2)), ValueError, 'shift has 2 entries; without axis needed one'),
    (lambda x: K.roll(x, (1, 2), (0, 1, 0)), ValueError, 'shift has 2 entries, axis has 3; needed as many, or one shift'),
    (lambda x: K.roll(x, None), ValueError, 'shift is None; needed integers'),
    (lambda x: K.roll(x, (1, None), (0, 1)), ValueError, 'an entry of shift is None or a name; needed integers'),
    (lambda x: K.roll(x, x), ValueError, 'a shift has dtype float32 and shape (2, 3); needed integer scalars'),
    (lambda x: K.searchsorted([1.], x, 'middle'), ValueError, "unknown side 'middle'; needed left or right"),
    (lambda x: K.searchsorted(x, 1.), ValueError, 'the sorted sequence has shape (2, 3); needed rank 1'),
    (lambda x: K.segment_sum(x, [0, 1, 2], 3), ValueError, 'segment_ids and the rows of x'),
    (lambda x: K.segment_sum(x, [[0, 1]], 3), ValueError, 'segment_ids have shape (1, 2); needed rank 1'),
    (lambda x: K.segment_sum(1., [0], 3), ValueError, 'x is a scalar; needed at least one axis'),
    (lambda x: K.segment_mean(x, [0., 1.], 3), TypeError, 'segment_ids have dtype float32; needed integers'),
    (lambda x: K.segment_sum(x, [0, 1], -1), ValueError, 'num_segments must not be negative'),
    (lambda x: K.bincount(x, 3), TypeError, 'x have dtype float32; needed integers'),
    (lambda x: K.histogram(x, 0, 0, 1), ValueError, 'bins is 0; needed 1 to 16777216'),
    (lambda x: K.histogram(x, 3, 1, 1), ValueError, 'the range is from 1.000000 to 1.000000; needed two finite numbers, the smaller first'),
    (lambda x: K.tril(x[0]), ValueError, 'x has shape (3,); needed rank 2 or more'),
    (lambda x: K.cross(x[:, :2], x[:, :2]), ValueError, 'axis 1 has size 2; needed 3'),
    (lambda x: K.cross(x > 0, x > 0), TypeError, 'found bools; needed numbers'),
    (lambda x: K.matrix_power(x, 2), ValueError, 'rows and columns of x must be equal; found 2 and 3'),
    (lambda x: K.matrix_power(x > 0, 2), TypeError, 'found bools; needed numbers'),
    (lambda x: K.norm(x, 3), ValueError, "unknown ord 3.0 of matrices; needed 1, -1, 2, -2, inf, -inf, 'fro', 'nuc' or None"),
    (lambda x: K.norm(x, 'fro', 0), ValueError, "unknown ord 'fro' of vectors; needed a number, or None"),
    (lambda x: K.norm(K.stack([x, x]), 1), ValueError, 'x has rank 3; with ord needed rank 1 or 2, or an axis'),
    (lambda x: K.norm(x, None, (0, 0)), ValueError, 'axis names 2 axes; needed one, of vectors, or two different ones, of matrices'),
    (lambda x: K.linspace(x, 1.), ValueError, 'start has shape (2, 3); needed a scalar'),
    (lambda x: K.linspace(0, 1, -1), ValueError, 'num must not be negative'),
    (lambda x: K.meshgrid([x]), ValueError, 'entry 0 has shape (2, 3); needed vectors'),
    (lambda x: K.meshgrid([], 'yx'), ValueError, "unknown indexing 'yx'; needed xy or ij"),
])
def test_what_is_refused(wrong, error, what):
    with pytest.raises(error) as caught:
        wrong(K.constant(numbers(2, 3)))
    assert what in str(caught.value)
    assert 'mathematics_test.py' in str(caught.value)


@pytest.mark.parametrize('wrong, what', [
    (lambda i: K.take_along_axis([1., 2.], i), 'take_along_axis: an index is outside the axis'),
    (lambda i: K.segment_sum([1., 2.], i, 2), 'segment_sum: a segment is not below num_segments, or negative'),
    (lambda i: K.bincount(i, 2), 'bincount: a number is not below length, or negative'),
])
@pytest.mark.parametrize('place', [-1, 2])
def test_what_a_call_refuses(wrong, what, place):
    i = K.placeholder((2,), dtype='int32')
    f = K.function([i], [wrong(i)])
    f([[0, 1]])
    with pytest.raises(ValueError) as caught:
        f([[0, place]])
    assert what in str(caught.value)
