"""What several of these tests need."""
import os
import subprocess
import sys
import textwrap

import numpy as np

import keratin.backend as K

# Seconds for what takes moments: whoever waits for so long waits for what never comes, on any machine.
WAIT = 300


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


def child(*pieces, timeout=WAIT, **options):
    """Runs a program in a process of its own: what it wrote, what it complained, its exit code."""
    program = '\n'.join(map(textwrap.dedent, pieces))
    return subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=timeout, **options)


def source(function):
    """Where the code of a function came from: 'compiler', 'process', 'disk'."""
    for told, place in ('of this process', 'process'), ('from the cache folder', 'disk'):
        if told in function.compile_report:
            return place
    return 'compiler'


def held_child(folder, stage, *pieces):
    """The same of a program in which compiling the function `held` stops where it has begun to write this file of KERATIN_DUMP_DIR, until
    let_go(): the file is a pipe that holds less. Code that runs behind wait_until_held() runs in the middle of a compilation, however fast
    the machine is; last() says whether the last file has been written, without which there is no function.
    """
    return child('''
        import fcntl, os, select
        folder = os.environ['KERATIN_DUMP_DIR']
        pipe = os.path.join(folder, 'held.%s')
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        def wait_until_held():
            select.select([reader], [], [])
        def let_go():
            os.set_blocking(reader, True)
            while os.read(reader, 4096): pass
        def last():
            return os.path.exists(os.path.join(folder, 'held.9-asm.s'))
    ''' % stage, *pieces, env=dict(os.environ, KERATIN_DUMP_DIR=str(folder)))


def numbers(*shape, dtype='float32', seed=1):
    return np.random.RandomState(seed).standard_normal(shape).astype(dtype)
