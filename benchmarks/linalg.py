"""Factorizations beside NumPy's and torch's: linalg.py [names of functions] [options]

A row for each function, dtype and size; the libraries take turns in one process, each with one thread, and the least of
all turns counts, in processor time. Compile times are of a process without a cache. Run it by a Python that has keratin
(PYTHONPATH=build/release/python); torch is measured where there is one.

  --sizes N,…     of the matrices (4,8,16,64,256,1000); batches have as many as make 16,000 rows, 1,000 at most
  --dtypes …      float32,float64
  --turns N       of each library (5)
  --limit S       seconds that a call of ours may take before larger sizes of the function are left out (20)
  --markdown      the table of docs/linear-algebra.md
"""
import argparse
import os
import time

for name in ['OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'KERATIN_NUM_THREADS']:
    os.environ[name] = '1'
os.environ.setdefault('KERATIN_CACHE', 'off')

import numpy as np  # noqa: E402
import keratin.backend as K  # noqa: E402

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

ROWS, MOST = 16_000, 1_000
# Ours, NumPy's, torch's; whether a second operand of one column is given.
FUNCTIONS = {
    'cholesky': (K.cholesky, np.linalg.cholesky, lambda t: t.linalg.cholesky, False),
    'solve': (K.solve, np.linalg.solve, lambda t: t.linalg.solve, True),
    'inv': (K.inv, np.linalg.inv, lambda t: t.linalg.inv, False),
    'det': (K.det, np.linalg.det, lambda t: t.linalg.det, False),
    'lu': (K.lu, None, lambda t: t.linalg.lu_factor, False),
    'qr': (K.qr, np.linalg.qr, lambda t: t.linalg.qr, False),
    'eigh': (K.eigh, np.linalg.eigh, lambda t: t.linalg.eigh, False),
    'svd': (K.svd, lambda x: np.linalg.svd(x, full_matrices=False),
            lambda t: lambda x: t.linalg.svd(x, full_matrices=False), False),
}


def operands(n, dtype, columns):
    batch = max(1, min(MOST, ROWS // n)) if n < 256 else 1
    random = np.random.default_rng(n)
    x = random.standard_normal((batch, n, n)) / np.sqrt(n)
    x = (x + x.swapaxes(-1, -2)) / 4 + 2 * np.eye(n)
    b = random.standard_normal((batch, n, 1))
    return [each.astype(dtype) for each in ([x, b] if columns else [x])]


def once(call, arrays):
    """Seconds of a call, of several where it is short."""
    begin, calls = time.process_time(), 0
    while True:
        call(arrays)
        calls += 1
        passed = time.process_time() - begin
        if passed > 0.02:
            return passed / calls


def ours(function, arrays):
    places = [K.placeholder(x.shape, dtype=str(x.dtype)) for x in arrays]
    made = function(*places)
    begin = time.process_time()
    compiled = K.function(places, list(made) if isinstance(made, (list, tuple)) else [made])
    compiled(arrays)
    return compiled, time.process_time() - begin


def measure(name, n, dtype, turns):
    function, numpy_, torch_, columns = FUNCTIONS[name]
    arrays = operands(n, dtype, columns)
    compiled, seconds = ours(function, arrays)
    calls = {'ours': (compiled, arrays)}
    if numpy_:
        calls['NumPy'] = (lambda arrays: numpy_(*arrays), arrays)
    if torch:
        of = torch_(torch)
        calls['torch'] = (lambda arrays: of(*arrays), [torch.from_numpy(x) for x in arrays])
    least = {}
    for _ in range(turns):
        for library, (call, given) in calls.items():
            least[library] = min(least.get(library, np.inf), once(call, given))
    return len(arrays[0]), seconds, least


def text(seconds):
    micro = seconds * 1e6
    return f'{micro:,.0f}' if micro >= 100 else f'{micro:.3g}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', default=list(FUNCTIONS))
    parser.add_argument('--sizes', default='4,8,16,64,256,1000')
    parser.add_argument('--dtypes', default='float32,float64')
    parser.add_argument('--turns', type=int, default=5)
    parser.add_argument('--limit', type=float, default=20)
    parser.add_argument('--markdown', action='store_true')
    options = parser.parse_args()
    head = ['function', 'dtype', 'matrices', 'ours', 'NumPy', 'torch', 'best / ours', 'compiled in']
    if options.markdown:
        print('| ' + ' | '.join(head) + ' |\n' + '|---' * len(head) + '|')
    else:
        print('\t'.join(head))
    for name in options.names:
        for dtype in options.dtypes.split(','):
            for n in map(int, options.sizes.split(',')):
                batch, compiling, least = measure(name, n, dtype, options.turns)
                best = min((v for k, v in least.items() if k != 'ours'), default=np.nan)
                cells = [name, dtype, f'{batch} of {n}' if batch > 1 else str(n),
                         *(text(least[k]) if k in least else '' for k in ['ours', 'NumPy', 'torch']),
                         f'{best / least["ours"]:.2f}', f'{compiling:.1f} s']
                print('| ' + ' | '.join(cells) + ' |' if options.markdown else '\t'.join(cells), flush=True)
                if least['ours'] > options.limit:
                    break


if __name__ == '__main__':
    main()
