"""What Keras 2.3.1's own tests need besides Keras, as a plugin of pytest (-p keras_conftest).

Keras 2.3.1 knows its three backends by name, and its tests compare with that of TensorFlow. So:

- keras.backend.tensorflow_backend is Keratin; theano_backend is another module with the same
  functions, since backend_test flips kernels for Theano's and compares modules to know.
- keras.backend.clear_session, which Keras does not take over from an external backend.
- Lambda infers its output's shape only for TensorFlow and CNTK: there, the name is TensorFlow's.
- Each test ends with clear_session(), as Keras's own conftest has it for TensorFlow: some set the
  learning phase.
- KERATIN_TEST_AS_TENSORFLOW=1: everywhere, for tests that are skipped otherwise.
"""
import os
import sys
import types

import keratin.keras_compat  # noqa: F401
import keras
import keratin
from keras import backend as K
import keras.layers.core
import pytest


def _copy(name):
    module = types.ModuleType(name)
    module.__dict__.update(keratin.__dict__)
    return module


keratin._is_tf_1 = lambda: False
keras.backend.tensorflow_backend = keratin
sys.modules['keras.backend.tensorflow_backend'] = keratin
for _name in ('theano_backend', 'cntk_backend'):
    _module = _copy('keras.backend.' + _name)
    setattr(keras.backend, _name, _module)
    sys.modules['keras.backend.' + _name] = _module
keras.backend.clear_session = keratin.clear_session

_named = types.ModuleType('K')
_named.__dict__.update(K.__dict__)
_named.backend = lambda: 'tensorflow'
keras.layers.core.K = _named

if os.environ.get('KERATIN_TEST_AS_TENSORFLOW') == '1':
    keras.backend.backend = lambda: 'tensorflow'


@pytest.fixture(autouse=True)
def clear_session():
    yield
    keratin.clear_session()
