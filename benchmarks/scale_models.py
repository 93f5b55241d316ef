"""The training steps that scale.py looks at: scale_models.py FOLDER writes digits.ktg, resnet50.ktg, resnet50_sync.ktg and transformer.ktg.

Variables are numbers alike: what is computed with them does not matter, what is sent does not depend on it.
"""
import pathlib
import sys

import numpy

import keratin.backend as K


class Layers:
    """Layers of one net, and its variables."""

    def __init__(self, is_synchronous=False):
        self.weights, self.is_synchronous = [], is_synchronous

    def weight(self, *shape):
        self.weights.append(K.variable(numpy.full(shape, .01, 'float32')))
        return self.weights[-1]

    def convolution(self, x, size, filters, stride=1):
        return K.conv2d(x, self.weight(size, size, K.int_shape(x)[-1], filters), (stride, stride), 'same', 'channels_last')

    def normalize(self, x):
        """Of the whole batch, if synchronous; else a scale and a shift alone, as if each rank had statistics of its own, which send nothing."""
        n = K.int_shape(x)[-1]
        if self.is_synchronous:
            x = (x - K.mean(x, axis=[0, 1, 2])) / K.sqrt(K.var(x, axis=[0, 1, 2]) + 1e-3)
        return x * self.weight(n) + self.weight(n)

    def normalize_rows(self, x):
        n = K.int_shape(x)[-1]
        x = (x - K.mean(x, axis=-1, keepdims=True)) / K.sqrt(K.var(x, axis=-1, keepdims=True) + 1e-5)
        return x * self.weight(n) + self.weight(n)

    def dense(self, x, n):
        return K.dot(x, self.weight(K.int_shape(x)[-1], n)) + self.weight(n)


def digits(layers, x):
    return layers.dense(K.relu(layers.dense(x, 64)), 10)


def resnet50(layers, x):
    x = K.relu(layers.normalize(layers.convolution(x, 7, 64, 2)))
    x = K.pool2d(x, (3, 3), (2, 2), 'same', 'channels_last')
    filters = 64
    for blocks in (3, 4, 6, 3):
        for block in range(blocks):
            stride = 2 if filters > 64 and block == 0 else 1
            y = K.relu(layers.normalize(layers.convolution(x, 1, filters)))
            y = K.relu(layers.normalize(layers.convolution(y, 3, filters, stride)))
            y = layers.normalize(layers.convolution(y, 1, 4 * filters))
            if block == 0:
                x = layers.normalize(layers.convolution(x, 1, 4 * filters, stride))
            x = K.relu(y + x)
        filters *= 2
    return layers.dense(K.mean(x, axis=[1, 2]), 1000)


def transformer(layers, x, blocks=6):
    """Blocks of an encoder with one head over 128 steps of 512, and the mean of the steps."""
    for _ in range(blocks):
        queries, keys, values = (layers.dense(x, 512) for _ in range(3))
        attended = K.batch_dot(K.softmax(K.batch_dot(queries, keys, axes=[2, 2]) / 512 ** .5), values)
        x = layers.normalize_rows(x + layers.dense(attended, 512))
        x = layers.normalize_rows(x + layers.dense(K.relu(layers.dense(x, 2048)), 512))
    return layers.dense(K.mean(x, axis=1), 1000)


NETS = {
    'digits': (digits, (64,), 10, False),
    'resnet50': (resnet50, (224, 224, 3), 1000, False),
    'resnet50_sync': (resnet50, (224, 224, 3), 1000, True),
    'transformer': (transformer, (128, 512), 1000, False),
}


def write(name, folder):
    net, shape, classes, is_synchronous = NETS[name]
    layers = Layers(is_synchronous)
    x, t = K.placeholder((K.Dim('batch'), *shape)), K.placeholder((K.Dim('batch'), classes))
    loss = K.mean(K.categorical_crossentropy(t, K.softmax(net(layers, x))))
    updates = [K.update(w, w - .1 * g) for w, g in zip(layers.weights, K.gradients(loss, layers.weights))]
    K.save_function(K.function([x, t], [loss], updates), str(folder / (name + '.ktg')))


if __name__ == '__main__':
    for each in NETS:
        write(each, pathlib.Path(sys.argv[1]))
