"""Keratin's steps on ranks: run by an interpreter that has numpy, with the module in PYTHONPATH."""

import itertools

import keratin.backend as K
import numpy as np
from keratin import distributed

from libraries import common


def join(rank, size, port):
    distributed.init()
    return distributed.engine()


class Net:
    """The variables of a net."""

    def __init__(self):
        self.variables, self.seeds = [], itertools.count()

    def variable(self, value):
        self.variables.append(K.variable(value))
        return self.variables[-1]

    def weight(self, *shape):
        return self.variable(common.uniform(next(self.seeds), -0.05, 0.05, *shape))

    def bias(self, x, n):
        return K.bias_add(x, self.variable(np.zeros(n, "float32")))

    def dense(self, x, n, m):
        return self.bias(K.dot(x, self.weight(n, m)), m)

    def norm(self, x, n):
        centred = x - K.mean(x, axis=-1, keepdims=True)
        scaled = centred / K.sqrt(K.mean(K.square(centred), axis=-1, keepdims=True) + 1e-3)
        return self.bias(scaled * self.variable(np.ones(n, "float32")), n)


def mlp(net, x):
    for layer, (n, m) in enumerate(zip(common.SIZES, common.SIZES[1:])):
        x = net.dense(x, n, m)
        x = K.relu(x) if layer < 2 else x
    return x


def cnn_cifar(net, x):
    channels = 3
    for filters in (32, 64):
        for padding, inputs in (("same", channels), ("valid", filters)):
            x = K.conv2d(x, net.weight(3, 3, inputs, filters), padding=padding, data_format="channels_last")
            x = K.relu(net.bias(x, filters))
        x = K.pool2d(x, (2, 2), (2, 2), data_format="channels_last")
        channels = filters
    return net.dense(K.relu(net.dense(K.batch_flatten(x), 2304, 512)), 512, 10)


def xformer(net, x, width=512, heads=8, time=128, wide=2048):
    def split(x):
        x = K.permute_dimensions(K.reshape(x, (-1, time, heads, width // heads)), (0, 2, 1, 3))
        return K.reshape(x, (-1, time, width // heads))

    y = net.norm(x, width)
    q, k, v = (split(net.dense(y, width, width)) for _ in range(3))
    scores = K.softmax(K.batch_dot(q, k, axes=[2, 2]) / (width // heads) ** 0.5)
    heard = K.reshape(K.batch_dot(scores, v), (-1, heads, time, width // heads))
    x = x + net.dense(K.reshape(K.permute_dimensions(heard, (0, 2, 1, 3)), (-1, time, width)), width, width)
    y = net.dense(net.norm(x, width), width, wide)
    return x + net.dense(y * 0.5 * (1 + K.erf(y / 2**0.5)), wide, width)


def step(name, rows, labels):
    """A call of it is a step on this rank's rows; it returns the loss."""
    net, x = Net(), K.placeholder((K.Dim("batch"), *rows.shape[1:]))
    y = {"mlp": mlp, "cnn_cifar": cnn_cifar, "xformer": xformer}[name](net, x)
    if labels is None:
        inputs, values, loss = [x], [rows], K.mean(K.square(y))
    else:
        t = K.placeholder((K.Dim("batch"),), dtype="int32")
        inputs, values = [x, t], [rows, labels]
        loss = K.mean(K.sparse_categorical_crossentropy(t, y, from_logits=True))
    updates = [K.update(w, w - 0.01 * g) for w, g in zip(net.variables, K.gradients(loss, net.variables))]
    function = K.function(inputs, [loss], updates, shard=["batch"])
    distributed.broadcast(net.variables)
    return lambda: function(values)[0]


def leave():
    distributed.finalize()
