"""What several of these tests need."""
import subprocess
import sys
import textwrap

import numpy as np

import keratin.backend as K


def agree(found, expected, tolerance=2e-5):
    """Values, shape and, where `expected` is an array, dtype."""
    found = np.asarray(found)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert found.dtype == expected.dtype
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    if found.dtype.kind == 'f':
        if found.dtype == np.float16:
            tolerance = max(tolerance, 2e-3)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found, expected)


def both_ways(function, *arrays):
    """The value of a K function of these arrays: as constants by eval, and fed with unknown sizes."""
    found = K.eval(function(*[K.constant(a, dtype=a.dtype) for a in arrays]))
    placeholders = [K.placeholder((None,) * a.ndim, dtype=a.dtype) for a in arrays]
    again, = K.function(placeholders, [function(*placeholders)])(list(arrays))
    agree(found, again, 1e-6)
    return again


def child(program, *arguments, timeout=60, **options):
    """Runs a program in a process of its own; what it wrote, what it complained, its exit code."""
    return subprocess.run([sys.executable, '-c', textwrap.dedent(program), *arguments],
                          capture_output=True, text=True, timeout=timeout, **options)


def numbers(*shape, dtype='float32', seed=1):
    return np.random.RandomState(seed).standard_normal(shape).astype(dtype)
