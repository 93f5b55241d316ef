"""Keratin beside other libraries that bring LLVM or Protocol Buffers along, in one process, by hand.

import_orders.py: with torch, tensorflow, numba, onnx and jax, as many of them as are installed, imports them before
and after keratin in ten orders, each in a process of its own, and has all of them compute something.
"""
import importlib.util
import itertools
import os
import random
import subprocess
import sys
import tempfile

WORK = {
    'keratin': '''
import tempfile
import keratin.backend as K
x = K.placeholder((3,))
f = K.function([x], [K.exp(x)])
with tempfile.TemporaryDirectory() as folder:
    f.save(folder + '/f.ktg')
    for each in f, K.load_function(folder + '/f.ktg'):
        assert each([[0., 0., 0.]])[0].tolist() == [1., 1., 1.]
''',
    'torch': 'import torch\nassert float(torch.ones(3).sum()) == 3\n',
    'tensorflow': 'import tensorflow as tf\nassert float(tf.function(tf.reduce_sum)(tf.ones(3))) == 3\n',
    'numba': 'import numba\nassert numba.njit(lambda x: x + 1)(2) == 3\n',
    'onnx': 'import onnx\nassert onnx.helper.make_tensor("x", 1, [1], [2.]).float_data[0] == 2\n',
    'jax': 'import jax\nassert float(jax.jit(lambda x: x + 1)(2.)) == 3\n',
}


def main():
    there = [name for name in WORK if importlib.util.find_spec(name)]
    orders = list(itertools.permutations(there))
    random.Random(1).shuffle(orders)
    failed = 0
    for order in orders[:10]:
        # All imports first, then the work in that order, then once more the other way round.
        program = ''.join('import %s\n' % name for name in order)
        program += ''.join(WORK[name] for name in order + order[::-1])
        # A home without settings, for Keras 3 in TensorFlow reads those that Keratin writes there.
        with tempfile.TemporaryDirectory() as home:
            result = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                                    env=dict(os.environ, KERAS_HOME=home))
        print('%-60s %s' % (' '.join(order), 'ok' if result.returncode == 0 else 'FAILED'), flush=True)
        if result.returncode:
            failed += 1
            print(result.stderr[-2000:])
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
