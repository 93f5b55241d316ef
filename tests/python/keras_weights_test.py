"""K.load_weights of files of HDF5, as Keras 2.3.1 writes them, and of forms that it does not write."""
import os
import subprocess
import sys

os.environ['KERAS_BACKEND'] = 'keratin'

import keratin.keras_compat  # noqa: E402,F401
import numpy as np  # noqa: E402
import pytest  # noqa: E402

keras = pytest.importorskip('keras')
h5py = pytest.importorskip('h5py')
from keras import layers as L, models  # noqa: E402

import keratin  # noqa: E402
import keratin.backend as K  # noqa: E402


@pytest.fixture(autouse=True)
def fresh_graph():
    np.random.seed(7)
    yield
    keratin.clear_session()


def numbers(*shape):
    return np.random.uniform(-1, 1, shape).astype('float32')


def test_weights(tmp_path):
    """K.load_weights reads both files of Keras, by names."""
    model = models.Sequential([L.Dense(3, input_shape=(4,), name='hidden'), L.BatchNormalization(name='norm')])
    model.set_weights([numbers(*w.shape) for w in model.get_weights()])
    model.save(str(tmp_path / 'model.h5'))
    model.save_weights(str(tmp_path / 'weights.hdf5'))
    expected = {w.name[:-2]: value for w, value in zip(model.weights, model.get_weights())}
    keratin.clear_session()
    for file in 'model.h5', 'weights.hdf5':
        variables = [K.variable(np.zeros(value.shape, 'float32'), name=name) for name, value in expected.items()]
        K.load_weights(variables[1:], tmp_path / file)
        for w, (name, value) in list(zip(variables, expected.items()))[1:]:
            assert np.array_equal(K.get_value(w), value), name
        assert not K.get_value(variables[0]).any()
        # The layer's name may come before.
        w = K.variable(np.zeros((4, 3), 'float64'), name='hidden/hidden/kernel')
        K.load_weights(w, tmp_path / file)
        assert np.array_equal(K.get_value(w), expected['hidden/kernel'].astype('float64'))
        keratin.clear_session()


def says(kind, work, text):
    with pytest.raises(kind) as caught:
        work()
    message = str(caught.value)
    assert text in message and '\n' not in message, message
    return message


def test_weights_that_do_not_fit(tmp_path):
    path = tmp_path / 'w.h5'
    kernel, bias = K.variable(np.zeros((2, 3)), name='dense/kernel'), K.variable(np.ones(3), name='dense/bias')

    def write(layers, **more):
        with h5py.File(path, 'w') as file:
            file.attrs['layer_names'] = list(layers)
            for layer, weights in layers.items():
                group = file.create_group(layer)
                group.attrs['weight_names'] = list(weights)
                for name, value in weights.items():
                    group.create_dataset(name, data=value, **more)

    def refuses(text, variables=(kernel, bias)):
        message = says(ValueError, lambda: K.load_weights(list(variables), path), text)
        assert "w.h5'" in message and 'keras_weights_test.py:' in message, message
        assert not K.get_value(kernel).any() and K.get_value(bias).all()

    good = {'dense/kernel:0': numbers(2, 3), 'dense/bias:0': numbers(3)}
    write({'dense': {'dense/bias:0': numbers(3)}})
    refuses("it has no 'dense/kernel'")
    write({'dense': {}})
    refuses("it has no 'dense/bias', nor 1 other variables")
    write({'dense': dict(good, **{'dense/kernel:0': numbers(3, 2)})})
    refuses("'dense/kernel' has shape (3, 2); needed the variable's shape (2, 3)")
    write({'dense': dict(good, **{'dense/kernel:0': np.zeros((2, 3), int)})})
    refuses("'dense/kernel' is int64; needed the variable's dtype float32")
    write({'a': good, 'b': good})
    refuses("two weights are named 'dense/kernel'; needed the layer's name before it, 'b/dense/kernel'")
    write({'dense': dict(good, **{'dense/kernel:0': np.zeros((2, 3), complex)})})
    refuses("'dense/dense/kernel:0' has elements of a type that Keratin has not")
    # Only what is no window may be Theano's.
    window = K.variable(np.zeros((3, 2, 4)), name='conv/kernel')
    write({'conv': {'conv/kernel:0': numbers(3, 2, 4)}, 'dense': good})
    K.load_weights(window, path)
    with h5py.File(path, 'r+') as file:
        file.attrs['backend'] = 'theano'
    refuses("Theano wrote 'conv/kernel', which has 3 axes: were it a convolution's, it would be turned around; needed a file of another backend, "
            "or a model's for load_keras", [window])
    other = K.variable(np.zeros((2, 3)), name='dense/dense/kernel')
    K.load_weights(other, path)
    assert np.array_equal(K.get_value(other), good['dense/kernel:0'])
    with h5py.File(path, 'w') as file:
        file['x'] = 1
    refuses('it has no layer_names, as weights of Keras 2 have')
    with h5py.File(path, 'r+') as file:
        file.attrs['layer_names'] = [b'dense', b'dense']
        file.create_group('dense')
    refuses("two layers are named 'dense'")
    with h5py.File(path, 'r+') as file:
        file.attrs['layer_names'] = [1., 2.]
    refuses("'' has an attribute layer_names of the root of no texts")
    with h5py.File(path, 'r+') as file:
        file.attrs['layer_names'] = [b'lost']
    refuses("it has no 'lost'")
    path.write_text('no file')
    refuses('it is no file of HDF5, or damaged')
    says(RuntimeError, lambda: K.load_weights(kernel, tmp_path / 'none.h5'), "none.h5': No such file or directory")
    says(ValueError, lambda: K.save_weights(kernel, path), 'ends in no known way; needed .safetensors or .npz')


def test_forms_of_datasets(tmp_path):
    """Packed, of other dtypes and orders; what lies elsewhere is refused."""
    path, other = tmp_path / 'w.h5', tmp_path / 'other.h5'
    w = K.variable(np.zeros((40, 30)), name='w')
    value = numbers(40, 30)

    def write(make, **options):
        with h5py.File(path, 'w', **options) as file:
            file.attrs['layer_names'] = np.array(['layer'], 'S')
            file.create_group('layer').attrs['weight_names'] = 'w:0'
            make(file['layer'])

    for kwargs in (dict(chunks=(7, 9)), dict(compression='gzip'), dict(compression='gzip', shuffle=True, fletcher32=True), dict(dtype='>f4'),
                   dict(dtype='f8'), dict(dtype='>f8', chunks=True)):
        for options in {}, dict(libver='latest'):
            write(lambda group: group.create_dataset('w:0', data=value, **kwargs), **options)
            K.load_weights(w, path)
            assert np.array_equal(K.get_value(w), value), kwargs
            K.set_value(w, np.zeros((40, 30)))
    half = numbers(40, 30).astype('f2')
    for dtype in '<f2', '>f2':
        write(lambda group: group.create_dataset('w:0', data=half, dtype=dtype))
        K.load_weights(w, path)
        assert np.array_equal(K.get_value(w), half.astype('f4'))
    K.set_value(w, np.zeros((40, 30)))
    integers = K.variable(np.zeros((40, 30)), dtype='int64', name='layer/w')
    for dtype in 'i1', 'u1', '>i2', 'u2', 'i4', 'u4', '>i8', 'u8':
        given = np.abs(100 * value).astype(dtype)
        write(lambda group: group.create_dataset('w:0', data=given))
        K.load_weights(integers, path)
        assert np.array_equal(K.get_value(integers), given)
    with h5py.File(other, 'w') as file:
        file['w'] = value

    def virtual(group):
        layout = h5py.VirtualLayout((40, 30), 'f4')
        layout[...] = h5py.VirtualSource(other, 'w', (40, 30))
        group.create_virtual_dataset('w:0', layout)

    for make, text in (
            (lambda group: group.__setitem__('w:0', h5py.SoftLink('/layer/x')), "'layer/w:0' is a link to another place"),
            (lambda group: group.__setitem__('w:0', h5py.ExternalLink(str(other), 'w')), "'layer/w:0' is a link to another place"),
            (lambda group: group.create_dataset('w:0', (40, 30), 'f4', external=[(str(other), 0, 4800)]), 'has elements in another file'),
            (virtual, 'has elements in another file'),
            (lambda group: group.create_dataset('w:0', data=value, compression='lzf'), 'is packed by the filter 32000; needed deflate, shuffle'),
            (lambda group: group.create_dataset('w:0', (1 << 20, 1 << 9), 'f4', chunks=(8, 8)), 'has 0 bytes in a file of'),
            (lambda group: group.create_dataset('w:0', (1 << 30, 1 << 30), 'f4', chunks=(8, 8)), 'has too many elements'),
            (lambda group: group.create_dataset('w:0', data=h5py.Empty('f4')), "is a dataset without elements"),
            (lambda group: group.create_group('w:0'), "'layer/w:0' is no dataset, or damaged"),
            (lambda group: None, "it has no 'layer/w:0'")):
        write(make)
        says(ValueError, lambda: K.load_weights(w, path), text)
    assert not K.get_value(w).any()


def test_without_the_library(tmp_path):
    with h5py.File(tmp_path / 'w.h5', 'w') as file:
        file.attrs['layer_names'] = []
    program = "import keratin.backend as K; K.load_weights(K.variable(1.), %r)" % str(tmp_path / 'w.h5')
    for library, text in (('/nonexistent/libhdf5.so', 'needed is the package libhdf5-103-1 of Debian 12, or a library that KERATIN_HDF5 names'),
                          ('libm.so.6', 'libhdf5 has no function H5open'), ('', "it has no 'Variable'")):
        done = subprocess.run([sys.executable, '-c', program], env=dict(os.environ, KERATIN_HDF5=library), capture_output=True, text=True)
        assert done.returncode and text in done.stderr, done.stderr
