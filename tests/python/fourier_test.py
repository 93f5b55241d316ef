"""Fourier transforms, against numpy.fft."""
import itertools

import numpy as np
import pytest

import keratin.backend as K
from support import numbers

TOLERANCE = {'float32': 5e-6, 'float64': 1e-13, 'complex64': 5e-6, 'complex128': 1e-13}
REAL, COMPLEX = ('float32', 'float64'), ('complex64', 'complex128')
NORMS = ('backward', 'ortho', 'forward')


def samples(*shape, dtype='float64'):
    x = numbers(*shape)
    if dtype in COMPLEX:
        x = x + 1j * np.flip(numbers(*shape), axis=tuple(range(len(shape))))
    return x.astype(dtype)


def close(found, expected, dtype):
    narrow = dtype in ('float32', 'complex64')
    kind = np.result_type(expected)
    wanted = {'c': ('complex64', 'complex128'), 'f': ('float32', 'float64')}[kind.kind][0 if narrow else 1]
    assert (str(found.dtype), found.shape) == (wanted, expected.shape)
    size = np.sqrt(np.mean(np.abs(expected) ** 2)) if expected.size else 0
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 4 * size)


def check(name, x, unknown=False, **options):
    """Of a K function what numpy.fft's has, with the same arguments."""
    wide = x.astype('complex128' if x.dtype.kind == 'c' else 'float64')
    place = K.placeholder((None,) * x.ndim if unknown else x.shape, dtype=str(x.dtype))
    y = getattr(K, name)(place, **options)
    close(K.function([place], [y])([x])[0], getattr(np.fft, name)(wide, **options), str(x.dtype))


@pytest.mark.parametrize('n', [1, 2, 3, 8, 30, 31, 32, 61, 64, 67, 96, 100, 128, 134, 256, 499, 1000, 1024])
@pytest.mark.parametrize('dtype', REAL + COMPLEX)
def test_lengths(n, dtype):
    x = samples(2, n, dtype=dtype)
    for name in ('fft', 'ifft', 'irfft') if n > 1 else ('fft', 'ifft'):
        check(name, x)
    if dtype in REAL:
        check('rfft', x)


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft'])
@pytest.mark.parametrize('norm', NORMS)
def test_sizes_axes_and_norms(name, norm):
    x = samples(3, 10, 4, dtype='float64' if name == 'rfft' else 'complex128')
    for n, axis in itertools.product([None, 1, 7, 10, 16, 70], [0, 1, -1, -3]):
        check(name, x, n=n, axis=axis, norm=norm)


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft'])
def test_unknown_sizes(name):
    x = samples(3, 11, dtype='float32' if name == 'rfft' else 'complex64')
    for options in {}, {'axis': 0, 'norm': 'ortho'}, {'n': 64}, {'n': 4, 'norm': 'forward'}:
        check(name, x, unknown=True, **options)


@pytest.mark.parametrize('two, several', [
    ('fft2', 'fftn'), ('ifft2', 'ifftn'), ('rfft2', 'rfftn'), ('irfft2', 'irfftn')])
def test_several_axes(two, several):
    x = samples(4, 6, 5, dtype='float64' if two == 'rfft2' else 'complex128')
    check(two, x)
    check(two, x, s=(8, 3), axes=(0, 1), norm='ortho')
    check(two, x, axes=(2, 0))
    check(several, x)
    check(several, x, axes=(1,), norm='forward')
    check(several, x, s=(3, 9))
    check(several, x, s=(3, 9, 4), axes=(2, 0, 1))
    check(several, samples(2, 3, 2, 5, dtype=x.dtype), unknown=True)


def test_images():
    x = samples(3, 64, 96, dtype='float32')
    check('rfft2', x)
    spectrum = K.rfft2(K.placeholder(x.shape))
    place = K.placeholder(x.shape)
    back = K.irfft2(K.rfft2(place))
    np.testing.assert_allclose(K.function([place], [back])([x])[0], x, rtol=1e-5, atol=1e-5)
    assert K.int_shape(spectrum) == (3, 64, 49)


def test_other_dtypes():
    for dtype, expected in ('int32', 'complex64'), ('bool', 'complex64'), ('float16', 'complex64'):
        y = K.eval(K.fft(K.constant([1, 0, 1, 1], dtype=dtype)))
        assert str(y.dtype) == expected
        np.testing.assert_allclose(y, np.fft.fft([1, 0, 1, 1]), atol=1e-6)
    np.testing.assert_allclose(K.eval(K.fft([1., 2., 3.])), np.fft.fft([1, 2, 3]), rtol=1e-6)


def test_empty_batches():
    for name in 'fft', 'rfft', 'irfft':
        check(name, np.zeros((0, 8), dtype='float32'))


@pytest.mark.parametrize('name', ['fft', 'ifft', 'rfft', 'irfft'])
@pytest.mark.parametrize('n', [5, 8, 64])
def test_gradients(name, n):
    x = samples(2, n)
    count = {'rfft': n // 2 + 1, 'irfft': 2 * (n - 1)}.get(name, n)
    weights, others = samples(2, count, dtype='complex128'), samples(2, n)

    def loss(re, im):
        y = getattr(K, name)(re if name == 'rfft' else K.complex(re, im))
        return K.sum(K.real(y) * weights.real + K.sin(K.imag(y)) * weights.imag)

    places = [K.placeholder(x.shape, dtype='float64') for _ in range(2)]
    value = loss(*places)
    gradients = K.function(places, K.gradients(value, places[:1 if name == 'rfft' else 2]))([x, others])
    value = K.function(places, [value])
    for which, gradient in enumerate(gradients):
        for place in (0, 0), (1, 2), (1, n - 1):
            step = np.zeros_like(x)
            step[place] = 1e-6
            moved = [[x + step, x - step], [others + step, others - step]]
            ends = [value([moved[0][i], others] if which == 0 else [x, moved[1][i]])[0] for i in range(2)]
            np.testing.assert_allclose(gradient[place], (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-6)


def test_maps():
    x = samples(3, 4, 8, dtype='complex128')
    place = K.placeholder(x.shape, dtype='complex128')
    y = K.vectorized_map(lambda row: K.fft(row, axis=0), place)
    np.testing.assert_allclose(K.function([place], [y])([x])[0], np.fft.fft(x, axis=1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('n', [1, 2, 7, 8])
def test_frequencies(n):
    np.testing.assert_allclose(K.eval(K.fftfreq(n)), np.fft.fftfreq(n), rtol=1e-6)
    np.testing.assert_allclose(K.eval(K.rfftfreq(n, d=0.1)), np.fft.rfftfreq(n, d=0.1), rtol=1e-6)
    x = samples(n, 3, dtype='complex64')
    for shift in 'fftshift', 'ifftshift':
        for axes in None, 0, (0, 1), -1:
            assert (K.eval(getattr(K, shift)(K.constant(x, dtype='complex64'), axes)) == getattr(np.fft, shift)(x, axes)).all()
    place = K.placeholder((None,))
    y = K.function([place], [K.fftshift(place), K.fftfreq(K.shape(place)[0], d=2.)])([x[:, 0].real])
    np.testing.assert_array_equal(y[0], np.fft.fftshift(x[:, 0].real))
    np.testing.assert_allclose(y[1], np.fft.fftfreq(n, d=2.), rtol=1e-6)


def test_convolution_theorem():
    a, b = samples(50, dtype='float32'), samples(30, dtype='float32')
    first, second = K.placeholder(a.shape), K.placeholder(b.shape)
    y = K.irfft(K.rfft(first, 79) * K.rfft(second, 79), 79)
    np.testing.assert_allclose(K.function([first, second], [y])([a, b])[0], np.convolve(a, b), rtol=1e-4, atol=1e-4)


def test_messages():
    x = K.placeholder((2, 0, 4))
    z = K.placeholder((4,), dtype='complex64')
    for message, call in [
            ("fft: unknown norm 'both'; needed backward, ortho or forward", lambda: K.fft(z, norm='both')),
            ('rfft: x is complex64; needed real numbers', lambda: K.rfft(z)),
            ('fft: the length of the result along axis 1 is 0; needed 1 or more', lambda: K.fft(x, axis=1)),
            ('ifft: n is 0; needed 1 or more', lambda: K.ifft(z, 0)),
            ('irfft: the length of the result along axis 0 is 0; needed 1 or more', lambda: K.irfft(z[:1])),
            ('fft: n is 1099511627776; needed 1073741824 at most', lambda: K.fft(z, 2**40)),
            ('irfft: n is 4611686018427387904; needed 1073741824 at most', lambda: K.irfft(z, 2**62)),
            ('rfft: n is 16777213; needed 4194304 at most, or no prime factor above 61', lambda: K.rfft(x, 2**24 - 3)),
            ('fftn: entry 0 of s is 2147483648; needed 1073741824 at most', lambda: K.fftn(x, (2**31, 4))),
            ('fft: the length of the result along axis 0 is 2147483648; needed 1073741824 at most',
             lambda: K.fft(K.placeholder((2**31,)))),
            ('fft2: entry 1 of s is -1; needed 1 or more', lambda: K.fft2(x, (1, -1))),
            ('fftn: s has 1 entries, axes has 2; needed as many', lambda: K.fftn(x, (4,), (0, 2))),
            ('fftn: s has 4 entries; x has rank 3', lambda: K.fftn(x, (4, 4, 4, 4))),
            ('ifftn: axis 2 is among the axes twice', lambda: K.ifftn(x, axes=(2, -1))),
            ('rfftn: found no axes; needed one or more', lambda: K.rfftn(x, axes=())),
            ('fftfreq: n is 0; needed 1 or more', lambda: K.fftfreq(0)),
            ('rfftfreq: d is 0.000000; needed a number other than 0', lambda: K.rfftfreq(4, d=0.))]:
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert message in str(raised.value)
    place = K.placeholder((None,))
    run = K.function([place], [K.real(K.fft(place))])
    with pytest.raises(ValueError, match='the length of the result along axis 0 must be 1 or more'):
        run([np.zeros(0, dtype='float32')])
