"""Configuration: of the process, of keras.json, of Keras."""
import json
import os
import sys
import types

import numpy as np
import pytest

import keratin.backend as K
from support import child

SHOW = '''
    import keratin.backend as K
    print(K.backend(), K.floatx(), K.epsilon(), K.image_data_format())
'''


def shown(home, **environment):
    kept = {name: value for name, value in os.environ.items() if name != 'KERAS_BACKEND'}
    return child(SHOW, env=dict(kept, KERAS_HOME=str(home), **environment))


def test_a_first_import_writes_the_defaults(tmp_path):
    found = shown(tmp_path)
    assert found.stdout == 'keratin float32 1e-07 channels_last\n', found.stderr
    written = json.loads((tmp_path / 'keras.json').read_text())
    assert set(written) == {'floatx', 'epsilon', 'image_data_format'}


@pytest.mark.parametrize('text, expected', [
    ('{"floatx": "float64", "epsilon": 1e-3, "image_data_format": "channels_first", "backend": "mine"}',
     'mine float64 0.001 channels_first'),
    ('{"floatx": "float16"}', 'keratin float16 1e-07 channels_last'),
    ('no JSON', 'keratin float32 1e-07 channels_last'),
])
def test_keras_json(tmp_path, text, expected):
    (tmp_path / 'keras.json').write_text(text)
    assert shown(tmp_path).stdout == expected + '\n'
    assert (tmp_path / 'keras.json').read_text() == text


def test_keras_json_with_a_wrong_value(tmp_path):
    (tmp_path / 'keras.json').write_text('{"floatx": "float8"}')
    found = shown(tmp_path)
    assert found.returncode == 1 and 'needed float16, float32 or float64' in found.stderr


def test_the_environment_wins(tmp_path):
    assert shown(tmp_path, KERAS_BACKEND='other').stdout.startswith('other ')
    assert shown(tmp_path, KERAS_BACKEND='').stdout.startswith('keratin ')


def test_a_home_that_cannot_be_written():
    assert shown('/proc/nowhere').stdout == 'keratin float32 1e-07 channels_last\n'


def test_settings():
    K.set_floatx('float64')
    assert K.floatx() == 'float64' == K.variable(1).dtype
    K.set_epsilon(np.float32(.5))
    assert K.epsilon() == .5 and isinstance(K.epsilon(), float)
    K.set_image_data_format('channels_first')
    assert K.image_data_format() == 'channels_first' == K.normalize_data_format(None)
    assert K.normalize_data_format('Channels_LAST') == 'channels_last'

    def function():
        pass
    assert K.symbolic(function) is function and K.eager(function) is function


def test_epsilon_and_floatx_hold_for_what_is_made_then():
    p = K.constant([0.])
    before = K.binary_crossentropy(K.constant([1.]), p)
    K.set_epsilon(.1)
    after = K.binary_crossentropy(K.constant([1.]), p)
    np.testing.assert_allclose(K.eval(before), [15.424949], rtol=1e-5)
    np.testing.assert_allclose(K.eval(after), [-np.log(.2)], rtol=1e-5)


def test_keras_holds_the_settings_where_it_is_loaded(monkeypatch):
    common = types.ModuleType('keras.backend.common')
    exec('''
_FLOATX, _EPSILON, _IMAGE_DATA_FORMAT = 'float32', 1e-7, 'channels_last'
def floatx(): return _FLOATX
def epsilon(): return _EPSILON
def image_data_format(): return _IMAGE_DATA_FORMAT
def set_floatx(value):
    global _FLOATX
    _FLOATX = value
''', common.__dict__)
    monkeypatch.setitem(sys.modules, 'keras.backend.common', common)
    common.set_floatx('float64')
    assert K.floatx() == 'float64' and K.variable(1.).dtype == 'float64'
    K.set_floatx('float16')
    assert common._FLOATX == 'float16' and K.zeros(2).dtype == 'float16'
    common._IMAGE_DATA_FORMAT = 'channels_first'
    assert K.image_data_format() == 'channels_first'
    assert K.int_shape(K.spatial_2d_padding(K.zeros((1, 2, 3, 3)))) == (1, 2, 5, 5)
    common._FLOATX, common._IMAGE_DATA_FORMAT = 'float32', 'channels_last'
    assert K.zeros(2).dtype == 'float32'


def test_devices():
    before = K.device()
    assert isinstance(before, str)
    K.set_device(before)
    assert K.device() == before
    with pytest.raises(ValueError, match='set_device'):
        K.set_device('abacus')
    with pytest.raises(ValueError, match='abacus'):
        K.function([], [K.constant(1.)], device='abacus')


def test_saved_functions_and_weights(tmp_path):
    x, w = K.placeholder((None, 2), name='x'), K.variable([[1.], [2.]], name='w')
    f = K.function([x], [K.dot(x, w)], name='f')
    g = K.function([x], [x * 2], name='g')
    path = tmp_path / 'functions.ktg'
    K.save_functions([f, g], path)
    found = K.load_functions(str(path))
    assert [each.name for each in found] == ['f', 'g']
    assert found[0]([[[1, 1]]])[0].tolist() == [[3]] and found[1]({'x': [[1, 2]]})[0].tolist() == [[2, 4]]
    K.save_function(f, tmp_path / 'f.ktg')
    assert K.load_function(tmp_path / 'f.ktg')([[[1, 0]]])[0].tolist() == [[1]]
    for name in ('w.npz', 'w.safetensors'):
        K.save_weights([w], tmp_path / name)
        K.set_value(w, 0)
        K.load_weights(f, tmp_path / name)
        assert K.get_value(w).tolist() == [[1], [2]]
    with np.load(tmp_path / 'w.npz') as arrays:
        assert list(arrays) == ['w'] and arrays['w'].tolist() == [[1], [2]]
