"""A program of Keras's that knows nothing of ranks: keras_test.py runs it, once or on several.

keras_program.py KIND FOLDER: trains, and writes what it has found to FOLDER/<process>.npz, and the model to FOLDER/model.h5.
"""
import os
import sys

import keratin.keras_compat
import keras
import numpy
from keras import layers

kind, folder = sys.argv[1:]
# Of no seed: what rank 0 draws is what all ranks draw, unless the test compares runs.
if 'SEED' in os.environ:
    numpy.random.seed(int(os.environ['SEED']))
LAYERS = {
    # Without activation and bias before the normalisation: a bias there has a gradient of 0, of whose rounding Adam makes steps.
    'dense': lambda: [layers.Dense(16, use_bias=False, input_shape=(6,)), layers.BatchNormalization(), layers.Activation('relu'), layers.Dropout(0.3)],
    'conv': lambda: [layers.Conv2D(4, 3, activation='relu', input_shape=(8, 8, 1)), layers.MaxPooling2D(), layers.Flatten()],
    'lstm': lambda: [layers.LSTM(8, input_shape=(5, 3))],
    'fixed': lambda: [layers.LSTM(8, batch_input_shape=(6, 5, 3), stateful=True)],
}
model = keras.Sequential([*LAYERS[kind](), layers.Dense(3, activation='softmax')])
shape = model.input_shape[1:]
images = numpy.random.rand(54, *shape)
labels = keras.utils.to_categorical(numpy.random.randint(0, 3, 54), 3)
model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
batch = 6 if kind == 'fixed' else 10  # of which the last has 4 rows
history = model.fit(images, labels, batch_size=batch, epochs=3, verbose=2, validation_data=(images[:12], labels[:12]))
found = {'evaluated': model.evaluate(images, labels, batch_size=batch, verbose=0),
         'predicted': model.predict(images, batch_size=batch),
         'few': model.predict(images[:6 if kind == 'fixed' else 1], batch_size=batch),
         **history.history, **{'weight%d' % i: w for i, w in enumerate(model.get_weights())}}
path = os.path.join(folder, 'model.h5')
model.save(path)
found['loaded'] = keras.models.load_model(path).predict(images, batch_size=batch)
print('trained')
numpy.savez(os.path.join(folder, '%s.npz' % os.environ.get('KERATIN_RANK', os.environ.get('OMPI_COMM_WORLD_RANK', '0'))), **found)
