"""Keras 2.3.1, unmodified, trains handwritten digits on Keratin: keras_digits.py DIGITS.csv [EPOCHS]

Prints the accuracy on digits that it has not seen, and the seconds from start to trained.
"""
import os
import sys
import time

start = time.perf_counter()
os.environ.setdefault('KERAS_BACKEND', 'keratin')

import keratin.keras_compat  # noqa: E402,F401  What Keras 2.3.1 needs of a current Python.
import keras  # noqa: E402
from keras.layers import Dense, Dropout  # noqa: E402
import numpy  # noqa: E402

imported = time.perf_counter()
table = numpy.loadtxt(sys.argv[1], delimiter=',', skiprows=1)
epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
images, labels = table[:, :64] / 16, keras.utils.to_categorical(table[:, 64], 10)
# Rows are ordered by writer: every fifth is held out.
held_out = numpy.arange(len(images)) % 5 == 0

model = keras.models.Sequential([
    Dense(64, activation='relu', input_shape=(64,)),
    Dropout(0.1),
    Dense(10, activation='softmax'),
])
model.compile(optimizer='adam', loss='categorical_crossentropy', metrics=['accuracy'])
model.fit(images[~held_out], labels[~held_out], batch_size=32, epochs=epochs, verbose=0)
end = time.perf_counter()
loss, accuracy = model.evaluate(images[held_out], labels[held_out], verbose=0)
print('Keras %s on %s: %d epochs in %.2f s (imports %.2f s), accuracy %.1f %%' % (
    keras.__version__, keras.backend.backend(), epochs, end - start, imported - start,
    100 * accuracy))
