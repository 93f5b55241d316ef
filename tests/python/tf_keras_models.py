"""Models of tf.keras, as TensorFlow up to 2.15 writes them, loaded by keratin.keras_files: by hand, with two Pythons.

  TENSORFLOWS_PYTHON tests/python/tf_keras_models.py write FOLDER [MobileNetV2 ResNet50 …]  # models, inputs and predictions
  PYTHONPATH=build/release/python build/python-env/bin/python tests/python/tf_keras_models.py check FOLDER
"""
import os
import pathlib
import sys

import numpy as np


def numbers(*shape):
    return np.random.uniform(-1, 1, shape).astype('float32')


def made():
    """Pairs of a model and its inputs, by names."""
    from tensorflow import keras
    L, Model, Input = keras.layers, keras.Model, keras.Input

    def one(layer, x, **options):
        inputs = Input(x.shape[1:], **options)
        return Model(inputs, layer(inputs)), [x]

    def several(layer, *values):
        inputs = [Input(x.shape[1:]) for x in values]
        return Model(inputs, layer(inputs)), list(values)

    image = numbers(3, 8, 9, 4)
    sequence, other = numbers(3, 6, 4), numbers(3, 5, 4)
    yield 'dense', *one(L.Dense(3, activation='gelu'), numbers(3, 5))
    yield 'swish', *one(L.Dense(3, activation='swish'), numbers(3, 5))
    yield 'conv', *one(L.Conv2D(6, 3, padding='same', strides=2), image)
    yield 'groups', *one(L.Conv2D(6, 3, groups=2), image)
    yield 'transposed', *one(L.Conv2DTranspose(5, 3, strides=2, padding='same', output_padding=1), image)
    yield 'separable', *one(L.SeparableConv2D(6, 3), image)
    yield 'depthwise', *one(L.DepthwiseConv2D(3, strides=2, padding='same'), image)
    yield 'batch norm', *one(L.BatchNormalization(), image)
    yield 'layer norm', *one(L.LayerNormalization(), sequence)
    yield 'layer norm of axes', *one(L.LayerNormalization(axis=[1, 2], epsilon=0.01), image)
    yield 'layer norm without', *one(L.LayerNormalization(center=False, scale=False), sequence)
    yield 'pooling', *one(L.GlobalAveragePooling2D(keepdims=True), image)
    yield 'average', *one(L.AveragePooling2D(3, 2, padding='same'), image)
    yield 'upsampling', *one(L.UpSampling2D(2), image)
    for kind in L.SimpleRNN, L.LSTM, L.GRU:
        yield kind.__name__, *one(kind(5, return_sequences=True, return_state=True), sequence)
        yield 'both ' + kind.__name__, *one(L.Bidirectional(kind(5, return_sequences=True)), sequence)
    yield 'gru reset before', *one(L.GRU(5, reset_after=False), sequence)
    yield 'cells', *one(L.RNN([L.LSTMCell(4), L.GRUCell(3)]), sequence)
    yield 'other way', *one(L.Bidirectional(L.LSTM(3), backward_layer=L.GRU(2, go_backwards=True)), sequence)
    yield 'time distributed', *one(L.TimeDistributed(L.Dense(2)), sequence)
    yield 'attention', *several(L.Attention(use_scale=True), sequence, other)
    yield 'attention with keys', *several(L.Attention(), sequence, other, numbers(3, 5, 4))
    yield 'additive', *several(L.AdditiveAttention(), sequence, other)
    a, b = Input((6, 4)), Input((5, 4))
    yield 'multi head', Model([a, b], L.MultiHeadAttention(2, 3, value_dim=5)(a, b)), [sequence, other]
    yield 'multi head by names', Model([a, b], L.MultiHeadAttention(2, 3)(query=a, value=b, key=b)), [sequence, other]
    yield 'multi head causal', Model(a, L.MultiHeadAttention(2, 3, output_shape=7, use_bias=False)(a, a, use_causal_mask=True)), [sequence]
    y, scores = L.MultiHeadAttention(2, 3)(a, b, return_attention_scores=True)
    yield 'multi head scores', Model([a, b], [y, scores]), [sequence, other]
    yield 'attention causal', Model(a, L.Attention()([a, a], use_causal_mask=True)), [sequence]
    words = Input((6,))
    embedded = L.Embedding(9, 4, mask_zero=True)(words)
    masked = [L.LSTM(3)(embedded), L.Bidirectional(L.GRU(3, return_sequences=True))(embedded), L.Attention()([embedded, embedded]),
              L.MultiHeadAttention(2, 3)(embedded, embedded), L.GlobalAveragePooling1D()(embedded), L.Conv1D(3, 2)(embedded),
              L.LSTM(3, return_sequences=True)(L.LayerNormalization()(embedded))]
    yield 'masks', Model(words, masked), [np.array([[1, 4, 2, 0, 0, 0], [3, 0, 5, 8, 1, 0], [1, 1, 1, 1, 1, 1]], 'float32')]
    inner = keras.Sequential([L.Dense(4, activation='relu'), L.BatchNormalization()])
    within = Input((4,))
    tower = Model(within, [L.Dense(3)(inner(within)), within])
    x, y = Input((4,), name='x'), Input((4,), name='y')
    p, q = tower(x), tower(L.Dense(4)(y))
    tower.layers[-1].trainable = False
    yield 'nested', Model([x, y], {'sum': L.Add()([p[0], q[0]]), 'more': L.Concatenate()([p[1], q[1]])}), [numbers(3, 4), numbers(3, 4)]
    yield 'sequential', keras.Sequential([L.Dense(3, input_shape=(4,)), L.Dropout(0.3), keras.Sequential([L.Dense(2)])]), [numbers(3, 4)]
    states = [Input((5,)), Input((5,))]
    yield 'states', Model([a, *states], L.LSTM(5)(a, initial_state=states)), [sequence, numbers(3, 5), numbers(3, 5)]
    encoder = Input((6, 4))
    z = L.LayerNormalization()(L.Add()([encoder, L.MultiHeadAttention(2, 2)(encoder, encoder)]))
    yield 'encoder', Model(encoder, L.LayerNormalization()(L.Add()([z, L.Dense(4)(L.Dense(8, activation='gelu')(z))]))), [sequence]
    for name in sys.argv[3:]:
        yield name, getattr(keras.applications, name)(weights=None, input_shape=(64, 64, 3)), [numbers(2, 64, 64, 3)]


def write(folder):
    np.random.seed(5)
    for name, model, inputs in made():
        model.set_weights([np.random.uniform(0.1, 0.9, w.shape) * (1 if 'variance' in w.name else np.random.choice([-1, 1], w.shape))
                           for w in model.weights] if len(model.weights) < 50 else model.get_weights())
        outputs = model.predict(inputs, verbose=0)
        outputs = [outputs[name] for name in sorted(outputs)] if isinstance(outputs, dict) else outputs if isinstance(outputs, (list, tuple)) else [outputs]
        model.save(folder / (name + '.h5'))
        np.savez(folder / (name + '.npz'), *inputs, **{'out_%d' % i: each for i, each in enumerate(outputs)})


def check(folder):
    import keratin
    failed = 0
    for path in sorted(folder.glob('*.h5')):
        values = np.load(path.with_suffix('.npz'))
        outputs = [values['out_%d' % i] for i in range(sum(key.startswith('out_') for key in values))]
        try:
            found = keratin.keras_files.load(path)([values['arr_%d' % i] for i in range(len(values) - len(outputs))])
            assert len(found) == len(outputs)
            for ours, theirs in zip(found, outputs):
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5 * max(1, np.abs(theirs).max()))
        except Exception as error:
            failed += 1
            print('%s: %s' % (path.name, str(error).strip()[:300]))
    print('%d of %d differ' % (failed, len(list(folder.glob('*.h5')))))
    return failed


if __name__ == '__main__':
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    sys.exit({'write': write, 'check': check}[sys.argv[1]](pathlib.Path(sys.argv[2])))
