"""Fourier transforms beside SciPy's (pocketfft): fourier.py [cases] [options]

A row for each shape and dtype, of which those with the names given; ours and SciPy's take turns in one process of one
thread, and the least of all turns counts, in processor time. Compile times are of a process without a cache. Run it by a
Python that has keratin (PYTHONPATH=build/release/python) and SciPy.

  --dtypes …      complex64,complex128,float32,float64; of real numbers rfft and irfft
  --turns N       of each library (7)
  --markdown      the table of docs/fourier.md
"""
import argparse
import os
import time

for name in ['OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'KERATIN_NUM_THREADS']:
    os.environ[name] = '1'
os.environ.setdefault('KERATIN_CACHE', 'off')

import keratin.backend as K  # noqa: E402
import numpy as np  # noqa: E402
import scipy.fft  # noqa: E402

# By name: the shape, and how many of its last axes are transformed.
CASES = {
    '16': ((16,), 1),
    '64': ((64,), 1),
    '256': ((256,), 1),
    '1000': ((1000,), 1),
    '1024': ((1024,), 1),
    '4096': ((4096,), 1),
    '2^14': ((1 << 14,), 1),
    '2^16': ((1 << 16,), 1),
    '2^18': ((1 << 18,), 1),
    '2^20': ((1 << 20,), 1),
    '10007': ((10007,), 1),
    '1000x16': ((1000, 16), 1),
    '1000x64': ((1000, 64), 1),
    '256x256': ((256, 256), 1),
    '64x4096': ((64, 4096), 1),
    '64x3000': ((64, 3000), 1),
    '512x512 2-D': ((512, 512), 2),
}
FUNCTIONS = {'complex64': ['fft'], 'complex128': ['fft'], 'float32': ['rfft', 'irfft'], 'float64': ['rfft', 'irfft']}


def once(call):
    """Seconds of a call, of several where it is short."""
    begin, calls = time.process_time(), 0
    while True:
        call()
        calls += 1
        passed = time.process_time() - begin
        if passed > 0.02:
            return passed / calls


def measure(function, shape, axes, dtype, turns):
    random = np.random.default_rng(shape[0])
    x = random.standard_normal(shape).astype(dtype)
    if dtype.startswith('complex'):
        x += (1j * random.standard_normal(shape)).astype(dtype)
    of_axes = function + ('n' if axes > 1 else '')
    over = dict(axes=tuple(range(-axes, 0))) if axes > 1 else {}
    if function == 'irfft':
        x = getattr(scipy.fft, of_axes.replace('irfft', 'rfft'))(x, **over)
    place = K.placeholder(x.shape, dtype=str(x.dtype))
    y = getattr(K, of_axes)(place, **over)
    begin = time.process_time()
    compiled = K.function([place], [y])
    found = compiled([x])[0]
    compiling = time.process_time() - begin
    theirs = getattr(scipy.fft, of_axes)
    expected = theirs(x.astype('complex128' if x.dtype.kind == 'c' else 'float64'), **over)
    error = np.abs(found - expected).max() / np.sqrt(np.mean(np.abs(expected) ** 2))
    assert error < (1e-4 if dtype in ('complex64', 'float32') else 1e-12), error
    least = [np.inf, np.inf]
    for _ in range(turns):
        for i, call in enumerate([lambda: compiled([x]), lambda: theirs(x, **over)]):
            least[i] = min(least[i], once(call))
    return compiling, least


def text(seconds):
    micro = seconds * 1e6
    return f'{micro:,.0f}' if micro >= 100 else f'{micro:.3g}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', default=list(CASES))
    parser.add_argument('--dtypes', default=','.join(FUNCTIONS))
    parser.add_argument('--turns', type=int, default=7)
    parser.add_argument('--markdown', action='store_true')
    options = parser.parse_args()
    head = ['function', 'dtype', 'shape', 'ours', 'SciPy', 'SciPy / ours', 'compiled in']
    print('| ' + ' | '.join(head) + ' |\n' + '| --- ' * len(head) + '|' if options.markdown else '\t'.join(head))
    for dtype in options.dtypes.split(','):
        for function in FUNCTIONS[dtype]:
            for name in options.names:
                compiling, (ours, theirs) = measure(function, *CASES[name], dtype, options.turns)
                cells = [function, dtype, name, text(ours), text(theirs), f'{theirs / ours:.2f}', f'{compiling:.2f} s']
                print('| ' + ' | '.join(cells) + ' |' if options.markdown else '\t'.join(cells), flush=True)


if __name__ == '__main__':
    main()
