"""Keratin: a compiler for graphs of tensors, with gradients.

    import keratin.backend as K

    x = K.placeholder((None, 784))
    w = K.variable(numpy.zeros((784, 10)))
    f = K.function([x], [K.softmax(K.dot(x, w))])
    probabilities, = f([images])

Every function of keras.backend is here and in keratin.backend; with KERAS_BACKEND=keratin, Keras
2.3.1 runs on it.
"""
import os as _os
import sys as _sys

from keratin import _loading

try:
    _native = _loading.load()
except ImportError as error:
    # Keras reports any ImportError of its backend as a backend that is not there.
    _sys.stderr.write('keratin: the native part cannot be loaded: %s\n' % error)
    raise

from keratin._native import DeviceArray, Dim, Function, Tensor
from keratin._model import Model
from keratin import _pictures, _tensor, distributed, keras_files, onnx
from keratin.backend import *

# The module, not the function of that name.
backend = _sys.modules['keratin.backend']

if _os.environ.get('KERATIN_SHARD'):
    from keratin import _shard
    _shard.join()

__version__ = '0.1.0'
