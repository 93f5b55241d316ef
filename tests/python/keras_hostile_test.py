"""Models of Keras whose configuration or weights were changed at random: each is loaded, or refused by an error of ours, within ten
seconds and four gigabytes. KERATIN_TEST_HOSTILE says how many are made, others each day.

Bytes of files are not changed here: it is libhdf5 that reads them (docs/keras-files.md)."""
import copy
import json
import os
import random
import resource
import signal
import time

import numpy as np
import pytest

import keratin

h5py = pytest.importorskip('h5py')

SANITIZED = 'ASAN_OPTIONS' in os.environ


def layer(kind, *weights, inputs=('x',), name=None, **config):
    name = name or kind.lower()
    return dict(class_name=kind, name=name, config=dict(config, name=name), inbound_nodes=[[[each, 0, 0, {}] for each in inputs]]), \
        [np.ones(shape, 'float32') for shape in weights]


def source(kind, shape, *layers):
    """A functional model: one of these layers behind the other, unless they say otherwise."""
    first = dict(class_name='InputLayer', name='x', config=dict(batch_input_shape=[None, *shape], dtype='float32', name='x'), inbound_nodes=[])
    config = dict(name='net', layers=[first] + [each for each, _ in layers], input_layers=[['x', 0, 0]],
                  output_layers=[[layers[-1][0]['name'], 0, 0]])
    return dict(class_name=kind, config=config), {each['name']: weights for each, weights in layers}


def sequence():
    lstm = layer('LSTM', (4, 12), (3, 12), (12,), use_bias=True, activation='tanh', recurrent_activation='sigmoid', return_sequences=True)
    gru = layer('GRU', (3, 6), (2, 6), (2, 6), use_bias=True, reset_after=True, activation='tanh', recurrent_activation='sigmoid', inputs=['lstm'])
    both = layer('Bidirectional', (3, 2), (2, 2), (3, 2), (2, 2), merge_mode='concat', inputs=['lstm'], layer=dict(
        class_name='SimpleRNN', config=dict(name='inner', activation='tanh')))
    cells = layer('RNN', (3, 8), (2, 8), inputs=['lstm'], cell=dict(class_name='LSTMCell', config=dict(
        name='cell', activation='tanh', recurrent_activation='sigmoid')))
    each = layer('TimeDistributed', (3, 2), inputs=['lstm'], layer=dict(class_name='Dense', config=dict(name='each')))
    heads = layer('MultiHeadAttention', (3, 2, 2), (3, 2, 2), (3, 2, 2), (2, 2, 3), inputs=['lstm', 'lstm'])
    return source('Functional', [None, 4], layer('Masking', mask_value=0), lstm, gru, both, cells, each, heads,
                  layer('Attention', inputs=['lstm', 'multiheadattention']), layer('GlobalAveragePooling1D', inputs=['attention']),
                  layer('Concatenate', axis=-1, inputs=['gru', 'bidirectional', 'rnn', 'globalaveragepooling1d']))


def images():
    common = dict(data_format='channels_last', padding='same', strides=[2, 2], kernel_size=[3, 3], dilation_rate=[1, 1], use_bias=False)
    return source('Model', [12, 10, 4], layer('Conv2D', (3, 3, 4, 6), **common),
                  layer('DepthwiseConv2D', (3, 3, 6, 2), inputs=['conv2d'], **common),
                  layer('Conv2DTranspose', (3, 3, 5, 12), inputs=['depthwiseconv2d'], output_padding=[1, 1], **common),
                  layer('BatchNormalization', (5,), (5,), (5,), (5,), scale=True, center=True, axis=[3], epsilon=1e-3, inputs=['conv2dtranspose']),
                  layer('MaxPooling2D', pool_size=[2, 2], strides=[1, 1], padding='valid', data_format='channels_last', inputs=['batchnormalization']),
                  layer('ZeroPadding2D', padding=[[1, 2], [0, 3]], data_format='channels_last', inputs=['maxpooling2d']),
                  layer('Cropping2D', cropping=[[1, 0], [1, 1]], data_format='channels_last', inputs=['zeropadding2d']),
                  layer('UpSampling2D', size=[2, 3], interpolation='nearest', data_format='channels_last', inputs=['cropping2d']),
                  layer('Permute', dims=[3, 1, 2], inputs=['upsampling2d']), layer('Flatten', inputs=['permute']),
                  layer('RepeatVector', n=3, inputs=['flatten']), layer('Reshape', target_shape=[3, -1], inputs=['repeatvector']),
                  layer('LayerNormalization', axis=[1], inputs=['reshape']))


def nested():
    inner, _ = source('Functional', [4], layer('Dense', activation='relu', use_bias=True), layer('Add', inputs=['x', 'dense']))
    model, weights = source('Functional', [4], layer('Embedding', (9, 4), mask_zero=True), layer('Dot', axes=[1, 1], inputs=['embedding', 'embedding']),
                            layer('Flatten', inputs=['dot']), layer('PReLU', (16,), inputs=['flatten']))
    model['config']['layers'].append(dict(inner, name='net2', inbound_nodes=[[['x', 0, 0, {}]], [['net2', 1, 0, {}]]]))
    model['config']['layers'][-1]['config']['name'] = 'net2'
    model['config']['output_layers'].append(['net2', 2, 0])
    return model, dict(weights, net2=[np.ones((4, 4), 'float32'), np.ones(4, 'float32')])


SOURCES = [sequence(), images(), nested()]
VALUES = [None, True, False, -1, 0, 1, 2, 3, 7, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, -(1 << 63), 0.5, 1e300, '', 'x', 'same', 'valid',
          'causal', 'channels_first', 'relu', 'softmax', 'lstm', [], {}, [1], [2, 2], [[1, 1]], ['x', 0, 0], ['lstm', 0, 1]]


def places(value, found):
    """All entries of lists and dicts, as pairs of a container and a key."""
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(entry, (dict, list)):
            places(entry, found)
    return found


def write(path, model, weights):
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'] = json.dumps(model)
        file.attrs['keras_version'] = '2.15.0'
        file.attrs['layer_names'] = [name.encode() for name in weights]
        for name, arrays in weights.items():
            file.create_group(name).attrs['weight_names'] = [b'%d' % i for i in range(len(arrays))]
            for i, array in enumerate(arrays):
                file[name]['%d' % i] = array


def write_changed(path, number):
    pick = random.Random(number)
    model, weights = copy.deepcopy(pick.choice(SOURCES))
    for _ in range(pick.choice([1, 1, 2, 3])):
        found = places(model, [])
        container, key = pick.choice(found)
        kind = pick.randrange(6)
        if kind == 0 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif kind == 1:
            del container[key]
        elif kind == 2:
            other, from_key = pick.choice(found)
            container[key] = copy.deepcopy(other[from_key])
        elif kind == 3 and isinstance(container[key], int):
            container[key] += pick.choice([-2, -1, 1, 2])
        else:
            container[key] = pick.choice(VALUES)
    if not pick.randrange(3):
        arrays = weights[pick.choice(list(weights))]
        if arrays:
            shape = list(arrays[0].shape)
            shape[pick.randrange(len(shape))] = pick.choice([0, 1, 2, 5])
            arrays[pick.randrange(len(arrays))] = np.ones(shape[:pick.choice([1, 2, 9])], pick.choice(['f2', 'f4', 'f8', 'i4']))
    write(path, model, weights)


def load_all(path, numbers, tell):
    for number in numbers:
        signal.alarm(100 if SANITIZED else 10)
        write_changed(path, number)
        try:
            keratin.keras_files.load(path)
            result = b'l'
        except (ValueError, NotImplementedError, RuntimeError, MemoryError) as error:
            text = str(error)
            if '\n' in text or not ('load_keras' in text or '; at ' in text):
                os.write(2, b'%d: a message of another form: %s\n' % (number, text.encode()))
                os._exit(1)
            result = b'r'
        os.write(tell, result)
        keratin.clear_session()


def test_hostile(tmp_path):
    count, number = int(os.environ.get('KERATIN_TEST_HOSTILE', 150)), int(time.time() // 86400) * 1000000
    end, failed, results = number + count, [], b''
    while number < end:
        heard, tell = os.pipe()
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            load_all(tmp_path / 'm.h5', range(number, min(end, number + 50)), tell)
            os._exit(0)
        os.close(tell)
        with os.fdopen(heard, 'rb') as file:
            made = file.read()
        results += made
        number += len(made)
        _, status = os.waitpid(child, 0)
        if status:
            failed.append((number, status))
            number += 1
    assert not failed, 'numbers and how they ended: %s' % failed
    assert b'l' in results and b'r' in results
    print(results.count(b'l'), 'loaded,', results.count(b'r'), 'refused')


@pytest.mark.parametrize('number', range(len(SOURCES)))
def test_unchanged(number, tmp_path):
    write(tmp_path / 'm.h5', *SOURCES[number])
    keratin.keras_files.load(tmp_path / 'm.h5')
