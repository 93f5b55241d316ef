"""keratin.keras_files and K.load_weights: files that Keras 2.3.1 writes, and its own predictions; files of tf.keras are written
here, and held to NumPy."""
import os

os.environ['KERAS_BACKEND'] = 'keratin'

import inspect  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402

import keratin.keras_compat  # noqa: E402,F401
import numpy as np  # noqa: E402
import pytest  # noqa: E402

keras = pytest.importorskip('keras')
h5py = pytest.importorskip('h5py')
from keras import layers as L, models  # noqa: E402
from keras.engine.saving import _convert_rnn_weights  # noqa: E402
from keras.layers.convolutional_recurrent import ConvRNN2D  # noqa: E402

import keratin  # noqa: E402
import keratin.backend as K  # noqa: E402
from api_test import documented_parameters  # noqa: E402

load = keratin.keras_files.load


@pytest.fixture(autouse=True)
def fresh_graph():
    np.random.seed(7)
    yield
    keratin.clear_session()


def numbers(*shape):
    return np.random.uniform(-1, 1, shape).astype('float32')


def words(*shape):
    return np.random.randint(0, 4, shape).astype('float32')


def randomize(model):
    """Weights of which none is like another: those that a layer begins with are often 0 or 1."""
    model.set_weights([np.random.uniform(0.1, 0.9, w.shape).astype(w.dtype) * (1 if 'variance' in name else np.random.choice([-1, 1], w.shape))
                       for w, name in zip(model.get_weights(), [w.name for w in model.weights])])


def bare(variable):
    return re.sub(r'(_\d)?:0$', '', variable.name)


def agrees(model, path, *inputs):
    """The file gives the model's own predictions; constants and variables give the same."""
    randomize(model)
    expected = model.predict(list(inputs))
    expected = expected if isinstance(expected, list) else [expected]
    model.save(str(path))
    for trainable in False, True:
        f = load(path, trainable=trainable)
        found = f(list(inputs))
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected):
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-6)
    # Keras's variables have the names themselves.
    assert {bare(w) for w in f.variables} == {bare(w) for w in model.weights}
    return f


LAYERS = {
    'dense': (numbers(5, 4), [L.Dense, dict(units=3, activation='tanh')]),
    'dense without bias': (numbers(5, 2, 4), [L.Dense, dict(units=3, use_bias=False)]),
    'flatten': (numbers(5, 2, 3, 4), [L.Flatten, {}]),
    'flatten, channels first': (numbers(5, 2, 3, 4), [L.Flatten, dict(data_format='channels_first')]),
    'reshape': (numbers(5, 6, 4), [L.Reshape, dict(target_shape=(3, -1))]),
    'permute': (numbers(5, 6, 4), [L.Permute, dict(dims=(2, 1))]),
    'repeat': (numbers(5, 6), [L.RepeatVector, dict(n=3)]),
    'embedding': (words(5, 6), [L.Embedding, dict(input_dim=4, output_dim=3)]),
    'dropout': (numbers(5, 6), [L.Dropout, dict(rate=0.4)]),
    'alpha dropout': (numbers(5, 6), [L.AlphaDropout, dict(rate=0.4)]),
    'gaussian dropout': (numbers(5, 6), [L.GaussianDropout, dict(rate=0.4)]),
    'gaussian noise': (numbers(5, 6), [L.GaussianNoise, dict(stddev=0.4)]),
    'spatial dropout 1D': (numbers(5, 6, 2), [L.SpatialDropout1D, dict(rate=0.4)]),
    'spatial dropout 2D': (numbers(5, 6, 2, 2), [L.SpatialDropout2D, dict(rate=0.4)]),
    'spatial dropout 3D': (numbers(5, 6, 2, 2, 2), [L.SpatialDropout3D, dict(rate=0.4)]),
    'activity': (numbers(5, 6), [L.ActivityRegularization, dict(l2=0.4)]),
    'leaky relu': (numbers(5, 6), [L.LeakyReLU, dict(alpha=0.2)]),
    'relu': (2 * numbers(5, 6), [L.ReLU, dict(max_value=1.2, negative_slope=0.1, threshold=0.3)]),
    'elu': (numbers(5, 6), [L.ELU, dict(alpha=0.7)]),
    'prelu': (numbers(5, 6, 2), [L.PReLU, dict(shared_axes=[1])]),
    'thresholded relu': (numbers(5, 6), [L.ThresholdedReLU, dict(theta=0.3)]),
    'softmax': (numbers(5, 6, 3), [L.Softmax, dict(axis=1)]),
    'batch norm': (numbers(5, 6), [L.BatchNormalization, dict(epsilon=0.01)]),
    'batch norm of an axis': (numbers(5, 3, 4, 2), [L.BatchNormalization, dict(axis=1, scale=False)]),
    'batch norm without center': (numbers(5, 3, 4, 2), [L.BatchNormalization, dict(center=False)]),
    'conv1d': (numbers(3, 9, 2), [L.Conv1D, dict(filters=4, kernel_size=3, activation='relu')]),
    'conv1d causal': (numbers(3, 9, 2), [L.Conv1D, dict(filters=4, kernel_size=3, padding='causal', dilation_rate=2)]),
    'conv1d, channels first': (numbers(3, 2, 9), [L.Conv1D, dict(filters=4, kernel_size=3, strides=2, data_format='channels_first')]),
    'conv2d': (numbers(3, 7, 8, 2), [L.Conv2D, dict(filters=4, kernel_size=(3, 2), strides=(2, 1), padding='same')]),
    'conv2d, channels first': (numbers(3, 2, 7, 8), [L.Conv2D, dict(filters=4, kernel_size=3, use_bias=False, data_format='channels_first')]),
    'conv2d dilated': (numbers(3, 7, 8, 2), [L.Conv2D, dict(filters=4, kernel_size=3, dilation_rate=(2, 1))]),
    'conv3d': (numbers(2, 5, 6, 4, 2), [L.Conv3D, dict(filters=3, kernel_size=(3, 2, 2), padding='same', activation='selu')]),
    'conv3d, channels first': (numbers(2, 2, 5, 6, 4), [L.Conv3D, dict(filters=3, kernel_size=2, strides=2, data_format='channels_first')]),
    'depthwise': (numbers(3, 7, 8, 2), [L.DepthwiseConv2D, dict(kernel_size=3, depth_multiplier=2, strides=2, padding='same')]),
    'depthwise, channels first': (numbers(3, 2, 7, 8), [L.DepthwiseConv2D, dict(kernel_size=3, data_format='channels_first')]),
    'separable 1D': (numbers(3, 9, 2), [L.SeparableConv1D, dict(filters=4, kernel_size=3, depth_multiplier=2, padding='same')]),
    'separable 2D': (numbers(3, 7, 8, 2), [L.SeparableConv2D, dict(filters=4, kernel_size=3, activation='softplus')]),
    'separable, channels first': (numbers(3, 2, 7, 8), [L.SeparableConv2D, dict(filters=4, kernel_size=3, data_format='channels_first')]),
    'transposed': (numbers(3, 4, 5, 2), [L.Conv2DTranspose, dict(filters=3, kernel_size=3, strides=2)]),
    'transposed same': (numbers(3, 4, 5, 2), [L.Conv2DTranspose, dict(filters=3, kernel_size=(3, 2), strides=(2, 3), padding='same')]),
    'transposed padded': (numbers(3, 4, 5, 2), [L.Conv2DTranspose, dict(filters=3, kernel_size=3, strides=2, padding='same', output_padding=1)]),
    'transposed padded valid': (numbers(3, 4, 5, 2), [L.Conv2DTranspose, dict(filters=3, kernel_size=3, strides=3, output_padding=(1, 2))]),
    'transposed dilated': (numbers(3, 4, 5, 2), [L.Conv2DTranspose, dict(filters=3, kernel_size=3, dilation_rate=2)]),
    'transposed, channels first': (numbers(3, 2, 4, 5), [L.Conv2DTranspose, dict(filters=3, kernel_size=3, strides=2, data_format='channels_first')]),
    'transposed 3D': (numbers(2, 3, 4, 3, 2), [L.Conv3DTranspose, dict(filters=3, kernel_size=2, strides=2, padding='same')]),
    'locally connected 1D': (numbers(3, 9, 2), [L.LocallyConnected1D, dict(filters=4, kernel_size=3, strides=2)]),
    'locally connected 2D': (numbers(3, 7, 8, 2), [L.LocallyConnected2D, dict(filters=4, kernel_size=(3, 2), strides=2)]),
    'max pooling 1D': (numbers(3, 9, 2), [L.MaxPooling1D, dict(pool_size=2, padding='same')]),
    'average pooling 1D, channels first': (numbers(3, 2, 9), [L.AveragePooling1D, dict(pool_size=3, strides=2, data_format='channels_first')]),
    'max pooling 2D': (numbers(3, 7, 8, 2), [L.MaxPooling2D, dict(pool_size=(2, 3), padding='same')]),
    'average pooling 2D': (numbers(3, 7, 8, 2), [L.AveragePooling2D, dict(pool_size=3, strides=2, padding='same')]),
    'max pooling 2D, channels first': (numbers(3, 2, 7, 8), [L.MaxPooling2D, dict(data_format='channels_first')]),
    'max pooling 3D': (numbers(2, 5, 6, 4, 2), [L.MaxPooling3D, {}]),
    'average pooling 3D': (numbers(2, 5, 6, 4, 2), [L.AveragePooling3D, dict(pool_size=(2, 3, 2), padding='same')]),
    'global max 1D': (numbers(3, 9, 2), [L.GlobalMaxPooling1D, {}]),
    'global average 1D': (numbers(3, 2, 9), [L.GlobalAveragePooling1D, dict(data_format='channels_first')]),
    'global max 2D': (numbers(3, 7, 8, 2), [L.GlobalMaxPooling2D, {}]),
    'global average 2D': (numbers(3, 2, 7, 8), [L.GlobalAveragePooling2D, dict(data_format='channels_first')]),
    'global max 3D': (numbers(2, 5, 6, 4, 2), [L.GlobalMaxPooling3D, {}]),
    'global average 3D': (numbers(2, 5, 6, 4, 2), [L.GlobalAveragePooling3D, {}]),
    'zero padding 1D': (numbers(3, 5, 2), [L.ZeroPadding1D, dict(padding=(1, 2))]),
    'zero padding 2D': (numbers(3, 5, 4, 2), [L.ZeroPadding2D, dict(padding=((1, 2), (0, 3)))]),
    'zero padding 2D, channels first': (numbers(3, 5, 4, 2), [L.ZeroPadding2D, dict(padding=(1, 2), data_format='channels_first')]),
    'zero padding 3D': (numbers(3, 5, 4, 2, 2), [L.ZeroPadding3D, dict(padding=1)]),
    'cropping 1D': (numbers(3, 5, 2), [L.Cropping1D, dict(cropping=(1, 2))]),
    'cropping 2D': (numbers(3, 5, 4, 2), [L.Cropping2D, dict(cropping=((1, 2), (0, 1)))]),
    'cropping 2D, channels first': (numbers(3, 2, 5, 4), [L.Cropping2D, dict(cropping=1, data_format='channels_first')]),
    'cropping 3D': (numbers(3, 5, 4, 3, 2), [L.Cropping3D, dict(cropping=((1, 0), (0, 0), (1, 1)))]),
    'upsampling 1D': (numbers(3, 5, 2), [L.UpSampling1D, dict(size=3)]),
    'upsampling 2D': (numbers(3, 5, 4, 2), [L.UpSampling2D, dict(size=(2, 3))]),
    'upsampling bilinear': (numbers(3, 2, 5, 4), [L.UpSampling2D, dict(size=2, interpolation='bilinear', data_format='channels_first')]),
    'upsampling 3D': (numbers(3, 3, 2, 4, 2), [L.UpSampling3D, dict(size=(2, 1, 3))]),
    'simple rnn': (numbers(3, 5, 2), [L.SimpleRNN, dict(units=4)]),
    'simple rnn without bias': (numbers(3, 5, 2), [L.SimpleRNN, dict(units=4, use_bias=False, return_sequences=True, go_backwards=True)]),
    'lstm': (numbers(3, 5, 2), [L.LSTM, dict(units=4, implementation=2)]),
    'lstm by gates': (numbers(3, 5, 2), [L.LSTM, dict(units=4, implementation=1, return_sequences=True, recurrent_activation='hard_sigmoid', dropout=0.2)]),
    'lstm unrolled': (numbers(3, 5, 2), [L.LSTM, dict(units=4, unroll=True, use_bias=False)]),
    'gru': (numbers(3, 5, 2), [L.GRU, dict(units=4)]),
    'gru reset after': (numbers(3, 5, 2), [L.GRU, dict(units=4, reset_after=True, return_sequences=True, go_backwards=True)]),
    'gru reset after without bias': (numbers(3, 5, 2), [L.GRU, dict(units=4, reset_after=True, use_bias=False)]),
    'conv lstm': (numbers(2, 4, 6, 5, 2), [L.ConvLSTM2D, dict(filters=3, kernel_size=(3, 2), strides=(2, 1), return_sequences=True)]),
    'conv lstm same': (numbers(2, 4, 6, 5, 2), [L.ConvLSTM2D, dict(filters=3, kernel_size=3, padding='same', use_bias=False, activation='relu',
                                                                   recurrent_activation='sigmoid', dropout=0.2)]),
    'conv lstm, channels first': (numbers(2, 4, 2, 6, 5), [L.ConvLSTM2D, dict(filters=3, kernel_size=2, dilation_rate=2, data_format='channels_first',
                                                                              go_backwards=True)]),
}


@pytest.mark.parametrize('name', list(LAYERS))
def test_layer(name, tmp_path):
    x, (kind, arguments) = LAYERS[name]
    model = models.Sequential([kind(input_shape=x.shape[1:], name='it', **arguments)])
    f = agrees(model, tmp_path / 'm.h5', x)
    assert f.output_names == ['it'] and f.input_names == ['it_input']
    # Of any number of samples.
    np.testing.assert_allclose(f([x[:1]])[0], model.predict(x[:1]), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize('name', ['softmax', 'elu', 'selu', 'softplus', 'softsign', 'relu', 'tanh', 'sigmoid', 'hard_sigmoid', 'exponential',
                                  'linear'])
def test_activation(name, tmp_path):
    agrees(models.Sequential([L.Activation(name, input_shape=(4, 3))]), tmp_path / 'm.h5', numbers(5, 4, 3))


@pytest.mark.parametrize('mode', ['sum', 'mul', 'ave', 'concat'])
@pytest.mark.parametrize('kind', [L.SimpleRNN, L.LSTM, L.GRU])
def test_bidirectional(mode, kind, tmp_path):
    model = models.Sequential([L.Bidirectional(kind(4, return_sequences=True), merge_mode=mode, input_shape=(None, 2)),
                               L.Bidirectional(kind(3), merge_mode=mode)])
    agrees(model, tmp_path / 'm.h5', numbers(3, 5, 2))


def test_cells(tmp_path):
    for number, cell in enumerate([L.LSTMCell(4), L.GRUCell(3, reset_after=True), [L.SimpleRNNCell(2), L.LSTMCell(4), L.GRUCell(3)]]):
        agrees(models.Sequential([L.RNN(cell, return_sequences=True, input_shape=(5, 2))]), tmp_path / ('%d.h5' % number), numbers(3, 5, 2))


def test_states(tmp_path):
    x, h, c = keras.Input((5, 2)), keras.Input((4,)), keras.Input((4,))
    y, last_h, last_c = L.LSTM(4, return_state=True, return_sequences=True, name='lstm')(x, initial_state=[h, c])
    again = L.LSTM(4)(y, initial_state=[last_h, last_c])
    both = L.Bidirectional(L.GRU(4, return_state=True), merge_mode=None)(x, initial_state=[h, c])
    f = agrees(models.Model([x, h, c], [y, last_h, last_c, again] + both), tmp_path / 'm.h5', numbers(3, 5, 2), numbers(3, 4), numbers(3, 4))
    assert f.output_names[:3] == ['lstm', 'lstm_1', 'lstm_2']


def test_states_of_convolutions(tmp_path):
    """Keras itself takes no initial states here."""
    x = keras.Input((4, 6, 5, 2))
    y, h, c = L.ConvLSTM2D(3, (3, 2), return_state=True, return_sequences=True, name='it')(x)
    both = L.Bidirectional(L.ConvLSTM2D(2, 3, padding='same', return_sequences=True))(y)
    agrees(models.Model(x, [y, h, c, both]), tmp_path / 'm.h5', numbers(3, 4, 6, 5, 2))
    agrees(models.Sequential([ConvRNN2D(L.ConvLSTM2DCell(3, 2), input_shape=(4, None, None, 2))]), tmp_path / 'cell.h5', numbers(3, 4, 6, 5, 2))


@pytest.mark.parametrize('rank', [1, 3])
def test_conv_lstm_of_tf_keras(rank, tmp_path):
    """Images of one row, or of one plane."""
    size, window, same = ((6, 1), (3, 1), (6,)) if rank == 1 else ((6, 5), (3, 2), (1, 6, 5))
    model = models.Sequential([L.ConvLSTM2D(3, window, return_sequences=True, input_shape=(4,) + size + (2,))])
    randomize(model)
    config = dict(filters=3, kernel_size=[3] if rank == 1 else [1, 3, 2], use_bias=True, return_sequences=True, activation='tanh',
                  recurrent_activation='hard_sigmoid')
    kernels = [w.reshape(tuple(config['kernel_size']) + w.shape[2:]) if w.ndim == 4 else w for w in model.get_weights()]
    path = write_model(tmp_path / 'm.h5', sequential(layer('ConvLSTM%dD' % rank, **config), shape=(None, 4) + same + (2,)), it=kernels)
    x = numbers(3, 4, *size, 2)
    found, = load(path)([x.reshape((3, 4) + same + (2,))])
    np.testing.assert_allclose(found.ravel(), model.predict(x).ravel(), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize('kind', [L.LSTM, L.GRU])
def test_cudnn(kind, tmp_path):
    """Keras itself makes plain weights of those for cuDNN."""
    more = {'reset_after': True} if kind is L.GRU else {}
    model = models.Sequential([kind(4, recurrent_activation='sigmoid', return_sequences=True, go_backwards=True, input_shape=(5, 3), **more)])
    gates = 3 if kind is L.GRU else 4
    weights = [numbers(3, 4 * gates), numbers(4, 4 * gates), numbers(8 * gates)]
    model.set_weights(_convert_rnn_weights(model.layers[0], weights))
    config = sequential(layer('CuDNN' + kind.__name__, units=4, return_sequences=True, go_backwards=True), shape=(None, 5, 3))
    path = write_model(tmp_path / 'm.h5', config, it=weights)
    x = numbers(2, 5, 3)
    for trainable in False, True:
        f = load(path, trainable=trainable)
        np.testing.assert_allclose(f([x])[0], model.predict(x), rtol=2e-6, atol=1e-6)
    assert {bare(w): K.get_value(w).tolist() for w in f.variables} == {'it/%d' % i: w.tolist() for i, w in enumerate(weights)}


def test_stateful(tmp_path):
    """Calls go on from what the one before left; without weights as variables the states are the only ones."""
    model = models.Sequential([L.LSTM(4, stateful=True, return_sequences=True, batch_input_shape=(3, None, 2), name='it'),
                               L.Bidirectional(L.GRU(3, stateful=True, return_sequences=True), name='both'),
                               L.RNN([L.SimpleRNNCell(2), L.LSTMCell(4)], stateful=True, name='cells')])
    randomize(model)
    model.save(str(tmp_path / 'm.h5'))
    x, y = numbers(3, 5, 2), numbers(3, 2, 2)
    expected = [model.predict(x, batch_size=3), model.predict(y, batch_size=3)]
    assert np.abs(expected[0] - model.predict(x, batch_size=3)).max() > 1e-3
    f = load(tmp_path / 'm.h5')
    states = f.variables
    kept = {'it/state_0', 'it/state_1', 'cells/state_0', 'cells/state_1', 'cells/state_2'}
    assert {w.name[:-2] for w in states} == kept and not any(w.trainable for w in states)
    for _ in range(2):
        for value, wanted in zip([x, y], expected):
            np.testing.assert_allclose(f([value])[0], wanted, rtol=2e-6, atol=1e-6)
        K.batch_set_value([(w, np.zeros(w.shape)) for w in states])
    assert len(load(tmp_path / 'm.h5', trainable=True).variables) == len(model.weights) + len(states)
    # Keras forgets the states of both ways, tf.keras does not.
    tf = tmp_path / 'tf.h5'
    tf.write_bytes((tmp_path / 'm.h5').read_bytes())
    with h5py.File(tf, 'r+') as file:
        file['model_weights'].attrs['keras_version'] = '2.15.0'
    keratin.clear_session()
    both = load(tf)
    ways = [w for w in both.variables if '_gru_' in w.name]
    assert {w.name[:-2].replace('gru_1', 'gru') for w in ways} == {'forward_gru/state_0', 'backward_gru/state_0'}
    np.testing.assert_allclose(both([x])[0], expected[0], rtol=2e-6, atol=1e-6)
    assert all(np.abs(K.get_value(w)).min() > 0 for w in ways)
    # An object has a function that begins anew.
    for name, value in zip('xy', [x, y]):
        np.save(tmp_path / (name + '.npy'), value)
    bin_folder = pathlib.Path(keratin.__file__).parents[2] / 'bin'
    environment = {name: value for name, value in os.environ.items() if name != 'LD_PRELOAD'}
    subprocess.run([bin_folder / 'keratin-compile', 'm.h5', '-o', 'libm.so'], cwd=tmp_path, env=environment, check=True)
    compiled = keratin.Model(tmp_path / 'libm.so')
    for _ in range(2):
        for value, wanted in zip([x, y], expected):
            np.testing.assert_allclose(compiled[model.name]([value])[0], wanted, rtol=2e-6, atol=1e-6)
        compiled['reset_states']([])


MERGES = [L.Add(), L.Subtract(), L.Multiply(), L.Average(), L.Maximum(), L.Minimum(), L.Concatenate(), L.Concatenate(axis=1), L.Dot(axes=2),
          L.Dot(axes=(1, -2), normalize=True)]


@pytest.mark.parametrize('number', range(len(MERGES)))
def test_merge(number, tmp_path):
    x, y = keras.Input((4, 3)), keras.Input((4, 3))
    agrees(models.Model([x, y], MERGES[number].__class__.from_config(MERGES[number].get_config())([x, y])), tmp_path / 'm.h5', numbers(5, 4, 3),
           numbers(5, 4, 3))


def test_merge_of_ranks(tmp_path):
    x, y, z = keras.Input((4, 3)), keras.Input((3,)), keras.Input((1, 3))
    agrees(models.Model([x, y, z], L.Add()([x, y, z])), tmp_path / 'm.h5', numbers(5, 4, 3), numbers(5, 3), numbers(5, 1, 3))


def test_masks(tmp_path):
    x = keras.Input((5,))
    y = L.Embedding(4, 3, mask_zero=True)(x)
    z = L.Embedding(4, 3, mask_zero=True)(L.Activation('relu')(x))
    outputs = [L.LSTM(4)(y), L.GRU(4, return_sequences=True)(y), L.Bidirectional(L.SimpleRNN(3, return_sequences=True))(y),
               L.GlobalAveragePooling1D()(L.Dense(2)(y)), L.LSTM(2)(L.add([y, z])), L.LSTM(2)(L.concatenate([y, z])),
               L.LSTM(2)(L.TimeDistributed(L.Dense(3))(y)), L.LSTM(3, go_backwards=True)(L.Dropout(0.5)(y))]
    agrees(models.Model(x, outputs), tmp_path / 'words.h5', np.array([[1, 2, 0, 3, 0], [0, 1, 1, 0, 0], [1, 1, 1, 1, 1]], 'float32'))
    values = numbers(3, 5, 2)
    values[0, 3:] = values[1, 0] = 0.5
    agrees(models.Sequential([L.Masking(0.5, input_shape=(None, 2)), L.LSTM(3, return_sequences=True), L.GRU(2)]), tmp_path / 'numbers.h5', values)


def test_time_distributed(tmp_path):
    inner = models.Sequential([L.Conv2D(3, 2, input_shape=(4, 5, 2)), L.BatchNormalization(), L.Flatten()])
    model = models.Sequential([L.TimeDistributed(inner, input_shape=(3, 4, 5, 2)), L.LSTM(2, return_sequences=True),
                               L.TimeDistributed(L.BatchNormalization())])
    agrees(model, tmp_path / 'm.h5', numbers(2, 3, 4, 5, 2))


def models_of_windows():
    """Each layer with windows, and windows in other layers; whether Keras turns those of Theano around."""
    for name, (x, (kind, arguments)) in LAYERS.items():
        if re.match('conv|depthwise|separable|transposed|locally', name):
            turned = kind in (L.Conv1D, L.Conv2D, L.Conv3D, L.Conv2DTranspose, L.ConvLSTM2D)
            yield name, models.Sequential([kind(input_shape=x.shape[1:], **arguments)]), turned
    for name, wrap in ('a model', lambda inner: inner), ('time distributed', lambda inner: L.TimeDistributed(inner, input_shape=(4, 6, 5, 2))):
        inner = models.Sequential([L.Conv2D(3, (3, 2), input_shape=(6, 5, 2)), L.BatchNormalization(), L.Conv2D(3, 2, trainable=False)])
        yield name, models.Sequential([wrap(inner)]), True
    yield 'bidirectional', models.Sequential([L.Bidirectional(L.ConvLSTM2D(3, (3, 2)), input_shape=(4, 6, 5, 2))]), True
    yield 'a cell', models.Sequential([ConvRNN2D(L.ConvLSTM2DCell(3, 2), input_shape=(4, 6, 5, 2))]), False


def test_files_of_theano(tmp_path):
    """Keras itself turns windows around."""
    path = tmp_path / 'm.h5'
    for name, model, turned in models_of_windows():
        randomize(model)
        model.save(str(path))
        with h5py.File(path, 'r+') as file:
            file['model_weights'].attrs['backend'] = 'theano'
        x = numbers(2, *model.input_shape[1:])
        expected = models.load_model(str(path), {'ConvRNN2D': ConvRNN2D, 'ConvLSTM2DCell': L.ConvLSTM2DCell}).predict(x)
        assert (np.abs(expected - model.predict(x)).max() > 1e-3) == turned, name
        for trainable in False, True:
            np.testing.assert_allclose(load(path, trainable=trainable)([x])[0], expected, rtol=2e-6, atol=1e-6, err_msg=name)
        keratin.clear_session()


def test_models_in_models(tmp_path):
    """Shared layers, called before and behind others; models as layers, called twice; several inputs and outputs."""
    x, y = keras.Input((4,), name='left'), keras.Input((4,), name='right')
    shared = L.Dense(4, activation='tanh', name='shared')
    inside = keras.Input((4,))
    deep = models.Sequential([L.Dense(3, input_shape=(4,)), L.BatchNormalization()])
    tower = models.Model(inside, [L.BatchNormalization()(deep(shared(inside))), L.Dense(2)(inside)], name='tower')
    between = L.Dense(4)(shared(x))
    a, b = tower(shared(between)), tower(L.add([shared(y), x]))
    model = models.Model([y, x], [L.concatenate([a[0], b[1]], name='joined'), a[1], b[0], shared(between)])
    f = agrees(model, tmp_path / 'm.h5', numbers(5, 4), numbers(5, 4))
    assert f.input_names == ['right', 'left']
    assert f.output_names == ['joined', 'tower', 'tower_1', 'shared']
    # What is frozen is behind what is not.
    tower.layers[-1].trainable = deep.layers[0].trainable = False
    f = agrees(model, tmp_path / 'frozen.h5', numbers(5, 4), numbers(5, 4))
    assert sum(not w.trainable for w in f.variables) >= 4


def test_a_list_of_layers(tmp_path):
    """The form of early versions."""
    model = models.Sequential([models.Sequential([L.Dense(3, input_shape=(4,), name='within')]), L.Dense(2)])
    agrees(model, tmp_path / 'm.h5', numbers(5, 4))
    x = numbers(5, 4)
    expected = load(tmp_path / 'm.h5')([x])[0]
    with h5py.File(tmp_path / 'm.h5', 'r+') as file:
        config = json.loads(file.attrs['model_config'])
        config['config'] = config['config']['layers']
        file.attrs['model_config'] = json.dumps(config)
    assert np.array_equal(load(tmp_path / 'm.h5')([x])[0], expected)


def test_a_large_net(tmp_path):
    """A residual net with its pieces of lists: more names than an attribute holds."""
    x = y = keras.Input((None, None, 3))
    y = L.Conv2D(8, 3, strides=2, padding='same', name='stem/conv')(y)
    for i in range(12):
        z = L.Activation('relu')(L.BatchNormalization()(y))
        y = L.add([y, L.Conv2D(8, 3, padding='same', name='block_%d_%s' % (i, 'long' * 1500))(z)])
    model = models.Model(x, L.Dense(10, activation='softmax')(L.GlobalAveragePooling2D()(y)))
    agrees(model, tmp_path / 'm.h5', numbers(2, 16, 20, 3))
    with h5py.File(tmp_path / 'm.h5', 'r') as file:
        assert 'layer_names1' in file['model_weights'].attrs


def test_it_trains(tmp_path):
    model = models.Sequential([L.Dense(8, activation='tanh', input_shape=(4,)), L.Dense(1)])
    model.save(str(tmp_path / 'm.h5'))
    f = load(tmp_path / 'm.h5', trainable=True, name='net')
    assert f.name == 'net' and [bare(w) for w in f.variables] == [bare(w) for w in model.weights]
    loss = K.mean(K.square(f.outputs[0] - 1))
    step = K.function(f.inputs, [loss], [(w, w - 0.1 * g) for w, g in zip(f.variables, K.gradients(loss, f.variables))])
    x = numbers(32, 4)
    losses = [float(step([x])[0]) for _ in range(50)]
    assert losses[-1] < 0.1 * losses[0]


def test_tools(tmp_path):
    """keratin-compile and keratin-run take the file, and the object computes the same."""
    model = models.Sequential([L.Dense(3, activation='relu', input_shape=(4,), name='hidden'), L.Dense(2, name='last')], name='small_net')
    randomize(model)
    model.save(str(tmp_path / 'm.h5'))
    x = numbers(5, 4)
    np.save(tmp_path / 'x.npy', x)
    bin_folder = pathlib.Path(keratin.__file__).parents[2] / 'bin'
    # Programs have a sanitizer's runtime of their own.
    environment = {name: value for name, value in os.environ.items() if name != 'LD_PRELOAD'}
    subprocess.run([bin_folder / 'keratin-compile', 'm.h5', '-o', 'libm.so'], cwd=tmp_path, env=environment, check=True)
    for file in 'm.h5', 'libm.so':
        subprocess.run([bin_folder / 'keratin-run', file, '--input=hidden_input=x.npy', '--output-dir=out', '--quiet', '--function=small_net'],
                       cwd=tmp_path, env=environment, check=True)
        np.testing.assert_allclose(np.load(tmp_path / 'out/last.npy'), model.predict(x), rtol=2e-6, atol=1e-6)
    (tmp_path / 'words.h5').write_text('words')
    done = subprocess.run([bin_folder / 'keratin-run', 'words.h5'], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode and done.stderr == 'words.h5: error: it is no file of HDF5, or damaged\n', done.stderr


def test_the_page_lists_the_layers():
    root = pathlib.Path(__file__).parents[2]
    known = set()
    for file in (root / 'frontend/keras_files').glob('*.cpp'):
        records = re.search(r'const LayerRecord \w+\[\] = (.*)', file.read_text(), re.S)
        known |= set(re.findall(r'\{"(\w+)", ', records[1])) if records else set()
    table = (root / 'docs/keras-files.md').read_text().partition('| subject | layers |')[2].partition('Known limits')[0]
    assert len(known) > 80 and set(re.findall(r'\b[A-Z]\w+', table)) == known


def test_documentation_fits():
    assert documented_parameters(inspect.getdoc(load)) == list(inspect.signature(load).parameters)
    assert [name for name in vars(keratin.keras_files) if not name.startswith('_')] == ['annotations', 'load']


def write_model(path, config, **weights):
    """A file with the configuration of a model, and weights of its layers by their names."""
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'] = config if isinstance(config, str) else json.dumps(config)
        group = file.create_group('model_weights')
        group.attrs['keras_version'] = '2.15.0'
        group.attrs['layer_names'] = [name.encode() for name in weights]
        for layer, arrays in weights.items():
            names = ['%s/%d:0' % (layer, i) for i in range(len(arrays))]
            group.create_group(layer).attrs['weight_names'] = names
            for name, array in zip(names, arrays):
                group[layer][name] = array.astype('f4') if array.dtype == 'f8' else array
    return path


def layer(kind, **config):
    return {'class_name': kind, 'config': dict(config, name=config.get('name', 'it'))}


def sequential(*layers, shape=(None, 4)):
    return {'class_name': 'Sequential', 'config': {'name': 'net', 'layers': [
        {'class_name': 'InputLayer', 'config': {'batch_input_shape': shape, 'name': 'x'}}, *layers]}}


def functional(layers, inputs=(('x', 0, 0),), outputs=(('it', 0, 0),)):
    """Layers are triples of a kind, a configuration and inbound nodes."""
    first = {'class_name': 'InputLayer', 'name': 'x', 'config': {'batch_input_shape': (None, 4), 'name': 'x'}, 'inbound_nodes': []}
    return {'class_name': 'Functional', 'config': {'name': 'net', 'input_layers': inputs, 'output_layers': outputs, 'layers': [
        first, *(dict(layer(kind, **config), inbound_nodes=nodes) for kind, config, nodes in layers)]}}


def relu(nodes, name='it'):
    return 'ReLU', dict(name=name), nodes


FROM_X = [[['x', 0, 0, {}]]]
WRONG_LAYERS = [
    (ValueError, layer('Dense', use_bias=3), (None, 4), [], 'load_keras: the layer has 3 for use_bias; needed true or false'),
    (ValueError, layer('Dense', use_bias=True), (None, 4), [np.ones((4, 2))], 'the layer has 1 weights in the file; needed 2: kernel, bias'),
    (ValueError, layer('Dense'), (None, 4), [np.ones((4, 2, 2))], 'the layer has a kernel of shape (4, 2, 2); needed rank 2'),
    (ValueError, layer('Dense', units=3), (None, 4), [np.ones((4, 2))], 'the layer has a kernel of shape (4, 2); needed (None, 3), as its configuration says'),
    (ValueError, layer('Dense', units=-1), (None, 4), [np.ones((4, 2))], 'a kernel of shape (4, 2); needed (None, -1)'),
    (ValueError, layer('Embedding', input_dim=4, output_dim=3), (None, 4), [np.ones((4, 2))], 'embeddings of shape (4, 2); needed (4, 3)'),
    (ValueError, layer('Conv2D', kernel_size=[2, 2], filters=2), (None, 4, 4, 1), [np.ones((2, 3, 1, 2))], 'a kernel of shape (2, 3, 1, 2); needed (2, 2, None, 2)'),
    (ValueError, layer('Conv2D', kernel_size=[2], filters=2), (None, 4, 4, 1), [np.ones((2, 2, 1, 2))], 'a kernel of shape (2, 2, 1, 2); needed (2, None, 2)'),
    (ValueError, layer('Conv2DTranspose', kernel_size=[2, 2], filters=2), (None, 4, 4, 3), [np.ones((2, 2, 3, 2))], 'needed (2, 2, 2, None)'),
    (ValueError, layer('DepthwiseConv2D', kernel_size=[2, 2], depth_multiplier=2), (None, 4, 4, 3), [np.ones((2, 2, 3, 1))], 'needed (2, 2, None, 2)'),
    (ValueError, layer('SeparableConv1D', kernel_size=[2], depth_multiplier=1, filters=5), (None, 4, 3), [np.ones((2, 3, 1)), np.ones((1, 3, 4))],
     'a pointwise_kernel of shape (1, 3, 4); needed (None, None, 5)'),
    (ValueError, layer('LocallyConnected1D', kernel_size=[2], filters=5), (None, 4, 3), [np.ones((3, 6, 4))], 'a kernel of shape (3, 6, 4); needed (None, None, 5)'),
    (ValueError, layer('GRU', units=3), (None, 4, 4), [np.ones((4, 9)), np.ones((3, 6))], 'a recurrent_kernel of shape (3, 6); needed (3, 9)'),
    (ValueError, layer('LSTM', units=1 << 62), (None, 4, 4), [np.ones((4, 8)), np.ones((2, 8))], 'a kernel of shape (4, 8); needed (None, 9223372036854775807)'),
    (ValueError, layer('Bidirectional', layer=layer('LSTM', units=3)), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 8))] * 2, 'needed (None, 12)'),
    (ValueError, layer('ConvLSTM2D', kernel_size=[1, 1], filters=3), (None, 3, 4, 4, 1), [np.ones((1, 1, 1, 12)), np.ones((1, 1, 2, 12))], 'needed (1, 1, 3, 12)'),
    (ValueError, layer('MultiHeadAttention', num_heads=2, key_dim=3), (None, 3, 4), [np.ones((4, 2, 2))] * 3 + [np.ones((2, 2, 4))],
     'a query_kernel of shape (4, 2, 2); needed (None, 2, 3)'),
    (ValueError, layer('Dense'), (None, 4), [np.ones((4, 2), int)], 'the layer has weights of dtype int64; needed floats'),
    (ValueError, layer('Dense'), (None, 4), [np.ones((3, 2))], 'dot: '),
    (ValueError, layer('Dense', activation='magic'), (None, 4), [np.ones((4, 2))], "activation: no function is named 'magic'"),
    (NotImplementedError, layer('Dense', activation={'class_name': 'ReLU'}), (None, 4), [np.ones((4, 2))], 'a layer for activation'),
    (NotImplementedError, layer('Lambda'), (None, 4), [], 'load_keras: not implemented: the layer Lambda'),
    (NotImplementedError, layer('Dense', dtype={'config': {'name': 'mixed_float16'}}), (None, 4), [], 'the policy {"config":{"name":"mixed_float16"}}'),
    (ValueError, layer('LeakyReLU', alpha='much'), (None, 4), [], 'has "much" for alpha; needed a number'),
    (ValueError, layer('Flatten', data_format=1), (None, 4), [], 'has 1 for data_format; needed a text'),
    (ValueError, layer('RepeatVector'), (None, 4), [], 'has nothing for n; needed a whole number'),
    (ValueError, layer('Reshape', target_shape=[2, 'b']), (None, 4), [], 'for target_shape; needed whole numbers'),
    (ValueError, layer('Softmax', axis=3), (None, 4), [], 'the layer has axis 3; needed one in [-2, 2)'),
    (ValueError, layer('BatchNormalization', axis=[4]), (None, 4), [np.ones(4)] * 2, 'the layer has axis 4 of 2'),
    (NotImplementedError, layer('BatchNormalization', axis=[0, 1]), (None, 4), [np.ones(4)] * 2, 'several axes'),
    (ValueError, layer('Conv2D', strides=[1, 2, 3]), (None, 4, 4, 1), [np.ones((2, 2, 1, 1))], 'has 3 numbers for strides; needed 2'),
    (ValueError, layer('Conv2DTranspose', strides=0), (None, 4, 4, 1), [np.ones((2, 2, 1, 1))], 'has strides or dilations outside [1, 1048576]'),
    (ValueError, layer('Conv2DTranspose'), (None, 1 << 50, 4, 1), [np.ones((2, 2, 1, 1))], 'has an input of size 1125899906842624'),
    (ValueError, layer('Conv2DTranspose'), (None, 4), [np.ones((2, 2, 1, 1))], 'has an input of rank 2; needed 4'),
    (ValueError, layer('LocallyConnected2D', kernel_size=2), (None, None, 4, 1), [np.ones((9, 4, 1))], '; needed known sizes of images'),
    (ValueError, layer('ZeroPadding2D', padding=[[1, 1], [2]]), (None, 4, 4, 1), [], 'has a padding of another form'),
    (ValueError, layer('Cropping1D', cropping=[0, -(1 << 63)]), (None, 4, 4), [], 'has a cropping of another form'),
    (ValueError, layer('Cropping3D', cropping=[1, 2]), (None, 4, 4, 4, 1), [], 'has a cropping of 2 axes; needed 3'),
    (ValueError, layer('UpSampling2D', size=[1, 2, 3]), (None, 4, 4, 1), [], 'has 3 numbers for size; needed 2'),
    (NotImplementedError, layer('UpSampling2D', size=2, interpolation='bilinear'), (None, 4, 4, 1), [], 'the interpolation bilinear of tf.keras'),
    (ValueError, layer('RepeatVector', n=2), (None, 4, 4), [], 'repeat: x has rank 3; needed 2'),
    (ValueError, layer('Add'), (None, 4), [], 'has 1 inputs; needed 2 or more'),
    (ValueError, layer('Dot', axes=[1, 2, 3]), (None, 4), [], 'has 1 inputs; needed 2'),
    (ValueError, layer('LSTM'), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 4))], 'a kernel of shape (4, 8) and a recurrent_kernel of shape (2, 4); needed 8 columns'),
    (ValueError, layer('LSTM', stateful=True), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 8))],
     'the layer is stateful, and has a state of shape (None, 2); needed known sizes, as of batch_input_shape'),
    (NotImplementedError, layer('LSTM', time_major=True), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 8))], 'a layer that is time_major'),
    (ValueError, layer('ConvLSTM2D'), (None, 3, 4), [np.ones((1, 1, 4, 8)), np.ones((1, 1, 2, 8))], 'has an input of rank 3; needed 5'),
    (ValueError, layer('CuDNNGRU'), (None, 3, 4), [np.ones((4, 6)), np.ones((2, 6)), np.ones(6)], 'has a bias of 6 numbers; needed 12'),
    (NotImplementedError, layer('RNN', cell=layer('StackedRNNCells', cells=[layer('ConvLSTM2DCell')])), (None, 3, 4),
     [np.ones((1, 1, 4, 8)), np.ones((1, 1, 2, 8))], 'convolutions in StackedRNNCells'),
    (NotImplementedError, layer('LSTM', num_constants=1), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 8))], 'constants of a recurrent layer'),
    (ValueError, layer('LSTM'), (None, 4), [np.ones((4, 8)), np.ones((2, 8))], 'has an input of rank 2; needed 3'),
    (NotImplementedError, layer('LSTMCell'), (None, 4), [np.ones((4, 8)), np.ones((2, 8))], 'a cell outside of a recurrent layer'),
    (ValueError, layer('RNN'), (None, 3, 4), [], 'has nothing for cell; needed a layer'),
    (ValueError, layer('RNN', cell=layer('ReLU')), (None, 3, 4), [], 'the layer is no cell of a recurrent layer'),
    (ValueError, layer('RNN', cell=layer('StackedRNNCells', cells=[])), (None, 3, 4), [], 'the layer has no cells'),
    (ValueError, layer('TimeDistributed', layer=layer('ReLU')), (None,), [], 'has an input of rank 1; needed 2 or more'),
    (NotImplementedError, layer('TimeDistributed', layer=layer('Masking')), (None, 3, 4), [], 'a layer with several outputs or a mask in TimeDistributed'),
    (ValueError, layer('Bidirectional', layer=3), (None, 3, 4), [], 'the layer has no layer'),
    (ValueError, layer('Bidirectional', layer=layer('LSTM'), merge_mode='max'), (None, 3, 4), [np.ones((4, 8)), np.ones((2, 8))] * 2,
     "has merge_mode 'max'; needed sum, mul, ave, concat or nothing"),
    (ValueError, layer('Attention'), (None, 3, 4), [], 'has 1 inputs; needed queries, values and perhaps keys'),
    (NotImplementedError, layer('MultiHeadAttention', attention_axes=[2]), (None, 3, 4), [np.ones((4, 2, 2))] * 3 + [np.ones((2, 2, 4))],
     'attention over other axes than the second of three'),
    (ValueError, layer('Sequential', layers=[]), (None, 4), [], 'the layer has no layers'),
]


@pytest.mark.parametrize('number', range(len(WRONG_LAYERS)))
def test_wrong_layers(number, tmp_path):
    kind, wrong, shape, weights, text = WRONG_LAYERS[number]
    path = write_model(tmp_path / 'm.h5', sequential(wrong, shape=shape), it=weights)
    message = says(kind, lambda: load(path), text)
    assert re.match('load_keras: |dot: |repeat: |activation: ', message)
    assert "; at m.h5: layer 'it'" in message or "; at m.h5: layer 'it/it'" in message or "; at m.h5: layer 'it/" in message, message


def test_wrong_models(tmp_path):
    def refuses(kind, text, config):
        path = write_model(tmp_path / 'm.h5', config)
        message = says(kind, lambda: load(path), text)
        assert 'm.h5' in message and message.startswith('load_keras: '), message

    both = [relu(FROM_X)]
    load(write_model(tmp_path / 'm.h5', functional(both)))
    load(write_model(tmp_path / 'm.h5', functional(both, inputs=('x', 0, 0), outputs=('it', 0, 0))))
    load(write_model(tmp_path / 'm.h5', functional([relu([['x', 0, 0, {'training': True}]])])))
    refuses(ValueError, 'has a model_config that is no JSON object, or too deep', '[1, 2')
    refuses(ValueError, 'has a model_config that is no JSON object, or too deep', '[' * 200000 + ']' * 200000)
    refuses(ValueError, 'has a layer without class_name and config', {'class_name': 'Sequential'})
    refuses(NotImplementedError, 'a file of a single layer', layer('ReLU'))
    deep = layer('Sequential', layers=[layer('ReLU')])
    for _ in range(36):
        deep = layer('Sequential', layers=[deep])
    refuses(ValueError, 'the layer is in more than 32 layers', deep)
    twice = sequential(layer('ReLU'), layer('ReLU'))['config']['layers']
    for _ in range(16):
        twice = [layer('Sequential', layers=twice)] * 2
    refuses(ValueError, 'has more than 100000 layers, those of models in it counted in each call', layer('Sequential', layers=twice))
    refuses(ValueError, 'has input_layers of another form', functional(both, inputs=[['x', 0]]))
    refuses(ValueError, 'has no output_layers', functional(both, outputs=[]))
    refuses(ValueError, "has two layers named 'it'", functional(both * 2))
    refuses(ValueError, 'has inbound_nodes of another form', functional([relu(3)]))
    refuses(ValueError, "needs output 1 of call 0 of 'it', which there is not", functional(both, outputs=[['it', 0, 1]]))
    refuses(ValueError, "needs output 0 of call 0 of 'y', which there is not", functional([relu([[['y', 0, 0, {}]]])]))
    refuses(ValueError, "has layers that need each other's outputs", functional([relu([[['a', 0, 0, {}]]]), relu([[['it', 0, 0, {}]]], 'a')]))
    refuses(NotImplementedError, 'an input that is no output of a layer', functional([relu([[['_CONSTANT_VALUE', -1, 3., {}]]])]))
    refuses(ValueError, 'the layer is called without inputs', functional([relu([[]])]))
    refuses(ValueError, 'the layer has a call of another form', functional([relu([[['x', 0, 0, 3]]])]))
    refuses(NotImplementedError, "the argument 'constants' of a call", functional([relu([[['x', 0, 0, {'constants': 3}]]])]))
    refuses(NotImplementedError, "the argument 'mask' of a call", functional([relu([[['x', 0, 0, {'mask': ['x', 0, 0]}]]])]))
    refuses(NotImplementedError, 'an initial state that is no output of a layer', functional([relu([[['x', 0, 0, {'initial_state': [3]}]]])]))
    refuses(ValueError, 'the layer has 2 inputs; needed 1', functional([relu([[['x', 0, 0], ['x', 0, 0]]])]))
    refuses(ValueError, "has an input 'it' that is no InputLayer", functional(both, inputs=[['it', 0, 0]]))
    refuses(ValueError, 'is an input in the middle of a model', functional([('InputLayer', dict(batch_input_shape=[None, 4]), FROM_X)]))
    refuses(NotImplementedError, "a model without a shape of its input 'it_input'", layer('Sequential', layers=[layer('ReLU')]))
    refuses(ValueError, 'has -1 for a size of its input', sequential(layer('ReLU'), shape=(None, -1)))
    refuses(ValueError, "the layer is refused: dtype: unknown name 'odd'", layer('Sequential', layers=[layer('InputLayer', batch_input_shape=[4], dtype='odd')]))
    refuses(NotImplementedError, 'a sparse or ragged input', layer('Sequential', layers=[layer('InputLayer', batch_input_shape=[None, 4], sparse=True)]))
    wrong = functional(both)
    wrong['config']['layers'] = {}
    refuses(ValueError, 'the layer has no layers', wrong)
    refuses(ValueError, 'the layer has no list of layers', {'class_name': 'Functional', 'config': [layer('ReLU')]})
    score = functional([('Attention', dict(score_mode='concat'), [[['y', 0, 0], ['y', 0, 0]]]),
                        ('Reshape', dict(name='y', target_shape=[2, 2]), FROM_X)])
    refuses(NotImplementedError, 'scores of another mode than dot', score)
    states = functional([('LSTM', {}, [[['y', 0, 0], ['x', 0, 0], ['x', 0, 0], ['x', 0, 0]]]), ('Reshape', dict(name='y', target_shape=[2, 2]), FROM_X)])
    path = write_model(tmp_path / 'm.h5', states, it=[np.ones((2, 16)), np.ones((4, 16))])
    says(ValueError, lambda: load(path), 'has 3 initial states; needed 2')
    ways = functional([('Bidirectional', dict(layer=layer('LSTM')), [[['y', 0, 0], ['x', 0, 0]]]), ('Reshape', dict(name='y', target_shape=[2, 2]), FROM_X)])
    path = write_model(tmp_path / 'm.h5', ways, it=[np.ones((2, 16)), np.ones((4, 16))] * 2)
    says(ValueError, lambda: load(path), 'has 2 inputs; needed 1, and as many states for both ways')
    dot = functional([('Dot', dict(axes=[1, 1, 1]), [[['x', 0, 0], ['x', 0, 0]]])])
    refuses(ValueError, 'the layer has 3 axes; needed 2', dot)
    twice = functional([('LSTM', dict(stateful=True), [[['y', 0, 0, {}]], [['y', 0, 0, {}]]]), ('Reshape', dict(name='y', target_shape=[2, 2]), FROM_X)],
                       outputs=[['it', 0, 0], ['it', 1, 0]])
    twice['config']['layers'][0]['config']['batch_input_shape'] = [3, 4]
    path = write_model(tmp_path / 'm.h5', twice, it=[np.ones((2, 16)), np.ones((4, 16))])
    says(NotImplementedError, lambda: load(path), 'a stateful layer that is called twice')
    for version in '1.2.2', None:
        path = write_model(tmp_path / 'm.h5', functional(both))
        with h5py.File(path, 'r+') as file:
            attributes = file['model_weights'].attrs
            del attributes['keras_version']
            if version:
                attributes['keras_version'] = version
        says(NotImplementedError, lambda: load(path), 'weights of Keras 1, which have a keras_version of 1 or none')
    with h5py.File(tmp_path / 'm.h5', 'w') as file:
        file['x'] = 1
    says(ValueError, lambda: load(tmp_path / 'm.h5'), "m.h5' has no model_config, as Model.save writes it; Model.save_weights writes none")
    says(RuntimeError, lambda: load(tmp_path / 'none.h5'), "none.h5': No such file or directory; at ")
    says(TypeError, lambda: load(3), 'load_keras: path is 3')
    says(ValueError, lambda: load(tmp_path / 'm.h5', colour=3), "load_keras: there is no argument 'colour'; there are trainable, name, ")


def says(kind, work, text):
    with pytest.raises(kind) as caught:
        work()
    message = str(caught.value)
    assert type(caught.value) is kind and text in message and '\n' not in message, message
    return message
