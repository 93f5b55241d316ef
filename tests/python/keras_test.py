"""Keras 2.3.1 as it is on PyPI, on Keratin. Its own tests: keras_suite.sh, by hand."""
import os

os.environ['KERAS_BACKEND'] = 'keratin'

import keratin.keras_compat  # noqa: E402,F401
import numpy as np  # noqa: E402
import pytest  # noqa: E402

keras = pytest.importorskip('keras')
from keras import backend as K  # noqa: E402
from keras import layers, models  # noqa: E402

import keratin  # noqa: E402


@pytest.fixture(autouse=True)
def fresh_graph():
    np.random.seed(3)
    yield
    keratin.clear_session()


def two_classes(count=128, features=8):
    x = np.random.rand(count, features).astype('float32')
    return x, (x[:, 0] > x[:, 1]).astype('float32')[:, None]


def classifier(*inner):
    model = models.Sequential(list(inner) + [layers.Dense(1, activation='sigmoid')])
    model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
    return model


def test_sequential_learns():
    x, y = two_classes()
    model = classifier(layers.Dense(16, activation='relu', input_shape=(8,)), layers.BatchNormalization(),
                       layers.Dropout(0.1))
    first = model.evaluate(x, y, verbose=0)
    history = model.fit(x, y, epochs=40, batch_size=16, validation_split=0.1, verbose=0)
    last = model.evaluate(x, y, verbose=0)
    assert last[0] < first[0] and last[1] > 0.85
    assert set(history.history) == {'loss', 'accuracy', 'val_loss', 'val_accuracy'}


def test_predicts_any_batch_with_one_compilation():
    x, _ = two_classes()
    model = classifier(layers.Dense(4, input_shape=(8,)))
    whole = model.predict(x, batch_size=128)
    for size in (1, 7, 128):
        np.testing.assert_allclose(model.predict(x, batch_size=size), whole, rtol=1e-5)
    assert isinstance(model.predict_function, keratin.Function)


def test_functional_model_with_two_inputs_and_outputs():
    a, b = layers.Input((4,), name='a'), layers.Input((3,), name='b')
    joined = layers.concatenate([layers.Dense(5)(a), layers.Dense(5)(b)])
    first = layers.Dense(1, name='first')(joined)
    second = layers.Dense(2, activation='softmax', name='second')(joined)
    model = models.Model([a, b], [first, second])
    model.compile('sgd', ['mse', 'categorical_crossentropy'], loss_weights=[1, 0.5])
    data = [np.random.rand(20, 4), np.random.rand(20, 3)]
    targets = [np.random.rand(20, 1), np.eye(2)[np.random.randint(0, 2, 20)]]
    losses = [model.train_on_batch(data, targets, sample_weight=[np.ones(20), np.ones(20)])[0]
              for _ in range(30)]
    assert losses[-1] < losses[0]
    assert [out.shape for out in model.predict(data)] == [(20, 1), (20, 2)]


@pytest.mark.parametrize('cell', [layers.LSTM, layers.GRU, layers.SimpleRNN])
def test_masked_steps_change_nothing(cell):
    model = models.Sequential([layers.Masking(0., input_shape=(None, 3)), cell(4)])
    x = np.random.rand(5, 6, 3)
    longer = np.concatenate([x, np.zeros((5, 4, 3))], axis=1)
    np.testing.assert_allclose(model.predict(longer), model.predict(x), rtol=1e-5, atol=1e-6)


def test_stateful_rnn_goes_on():
    model = models.Sequential([layers.LSTM(4, stateful=True, batch_input_shape=(2, 3, 2))])
    x = np.random.rand(2, 3, 2)
    first = model.predict(x)
    assert not np.allclose(model.predict(x), first)
    model.reset_states()
    np.testing.assert_allclose(model.predict(x), first, rtol=1e-5)


def test_saves_and_loads(tmp_path):
    x, y = two_classes()
    model = classifier(layers.Dense(4, activation='relu', input_shape=(8,)))
    model.fit(x, y, verbose=0)
    path = str(tmp_path / 'model.h5')
    model.save(path)
    loaded = models.load_model(path)
    np.testing.assert_allclose(loaded.predict(x), model.predict(x), rtol=1e-6)
    # The optimizer's state too: both go on in the same way.
    loaded.fit(x, y, verbose=0, shuffle=False)
    model.fit(x, y, verbose=0, shuffle=False)
    np.testing.assert_allclose(loaded.predict(x), model.predict(x), rtol=1e-5)


def test_custom_layer_lambda_and_loss():
    class Scale(layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight('scale', (input_shape[-1],), initializer='ones',
                                         constraint=keras.constraints.NonNeg())
            super(Scale, self).build(input_shape)

        def call(self, x):
            return x * self.scale

    model = models.Sequential([Scale(input_shape=(8,)), layers.Lambda(lambda x: K.square(x) - 0.1),
                               layers.Dense(1)])
    model.compile('rmsprop', lambda y, p: K.mean(K.abs(y - p), axis=-1))
    x, y = two_classes()
    assert model.fit(x, y, epochs=3, verbose=0).history['loss'][-1] >= 0
    assert (model.layers[0].get_weights()[0] >= 0).all()


def test_fit_generator_with_callbacks(tmp_path):
    x, y = two_classes()

    def batches():
        while True:
            for i in range(0, 128, 32):
                yield x[i:i + 32], y[i:i + 32]

    model = classifier(layers.Dense(4, input_shape=(8,)))
    log = str(tmp_path / 'log.csv')
    model.fit_generator(batches(), steps_per_epoch=4, epochs=3, verbose=0,
                        callbacks=[keras.callbacks.CSVLogger(log),
                                   keras.callbacks.ModelCheckpoint(str(tmp_path / 'w.h5')),
                                   keras.callbacks.EarlyStopping('loss', patience=5)])
    assert len(open(log).readlines()) == 4


def test_metrics_see_the_batch_of_their_call():
    model = models.Sequential([layers.Dense(1, use_bias=False, input_shape=(2,),
                                            kernel_initializer='ones')])
    model.compile(keras.optimizers.SGD(0.), 'mse', metrics=['mae'])
    loss, mae = model.train_on_batch(np.array([[1., 2.]]), np.array([[1.]]))
    assert (loss, mae) == (4., 2.)


def test_convolutional_net():
    model = classifier(layers.Conv2D(4, 3, activation='relu', input_shape=(8, 8, 1)),
                       layers.MaxPooling2D(), layers.Flatten())
    x = np.random.rand(16, 8, 8, 1)
    assert model.fit(x, np.ones((16, 1)), epochs=2, verbose=0).history['loss']


def test_configuration_is_shared():
    assert K.backend() == 'keratin'
    before = K.floatx()
    try:
        K.set_floatx('float64')
        assert keratin.floatx() == 'float64'
        assert K.variable(1.).dtype == 'float64'
        keratin.set_floatx('float16')
        assert K.floatx() == 'float16'
    finally:
        K.set_floatx(before)


def test_errors_name_the_users_line():
    x = layers.Input((4,))
    with pytest.raises(ValueError, match=r'keras_test\.py:\d+'):
        layers.Lambda(lambda t: K.dot(t, K.ones((5, 2))))(x)


@pytest.mark.parametrize('optimizer', ['sgd', 'adam', 'rmsprop', 'adagrad', 'adamax', 'nadam'])
def test_lazy_updates_leave_rows_that_no_batch_has_alone(optimizer):
    def trained(**options):
        model = models.Sequential([layers.Embedding(64, 16, input_length=4, mask_zero=True), layers.LSTM(4), layers.Dense(1)])
        model.layers[0].set_weights([np.linspace(-1, 1, 64 * 16).reshape(64, 16)])
        for layer in model.layers[1:]:
            layer.set_weights([np.full_like(weight, 0.1) for weight in layer.get_weights()])
        model.compile(optimizer, 'mse', **options)
        for words in [[1, 2, 3, 3]], [[1, 2, 0, 0], [4, 4, 4, 2]]:
            model.train_on_batch(np.array(words), np.ones((len(words), 1)))
        return model

    lazy, whole = trained(lazy_updates=True), trained()
    table, all_rows = lazy.layers[0].get_weights()[0], whole.layers[0].get_weights()[0]
    first = np.linspace(-1, 1, 64 * 16).reshape(64, 16).astype('float32')
    np.testing.assert_array_equal(table[5:], first[5:])
    np.testing.assert_array_equal(table[[1, 2]], all_rows[[1, 2]])  # which both batches have
    assert (table[1:5] != first[1:5]).any(axis=1).all()
    for ours, theirs in zip(lazy.layers[1].get_weights(), whole.layers[1].get_weights()):
        np.testing.assert_array_equal(ours, theirs)
