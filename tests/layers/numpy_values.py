"""The numbers of LayerTest.cpp and OptimizerTest.cpp, by NumPy: each formula written down a second time.

  python3 numpy_values.py
"""
import math

import numpy as np


def wave(phase, *shape):
    return np.sin(0.7 * np.arange(np.prod(shape)) + phase).reshape(shape)


def show(name, array):
    numbers = ", ".join(f"{x:.10g}" for x in np.asarray(array, dtype=np.float64).ravel())
    print(f"{name} {np.shape(array)}: {numbers}")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def relu(x):
    return np.maximum(x, 0)


x = wave(0, 2, 3)
show("dense", relu(x @ wave(1, 3, 2) + wave(2, 2)))

table = wave(1, 4, 3)
show("embedding", table[np.array([[2, 0], [3, 3]])])


def windows(x, size, stride):
    """Windows along the axes between batch and channels: (batch, places…, sizes…, channels)."""
    axes = tuple(range(1, x.ndim - 1))
    w = np.lib.stride_tricks.sliding_window_view(x, size, axis=axes)
    for axis in axes:
        w = np.take(w, range(0, w.shape[axis], stride), axis)
    return np.moveaxis(w, x.ndim - 1, -1)


x = wave(0, 1, 6, 2)
w = windows(x, (3,), 2)
show("conv1d", np.tensordot(w, wave(1, 3, 2, 2), 2) + wave(2, 2))
x = wave(0, 1, 4, 3, 2)
w = windows(x, (2, 2), 1)
show("conv2d", np.tensordot(w, wave(1, 2, 2, 2, 1), 3) + wave(2, 1))
show("depthwise", np.einsum("bxyijc,ijcm->bxycm", w, wave(1, 2, 2, 2, 1)).reshape(1, 3, 2, 2) + wave(2, 2))
show("separable", np.einsum("bxyijc,ijcm->bxycm", w, wave(1, 2, 2, 2, 1)).reshape(1, 3, 2, 2) @ wave(3, 2, 1) + wave(2, 1))
x = wave(0, 1, 3, 2, 2, 1)
w = windows(x, (2, 2, 2), 1)
show("conv3d", np.tensordot(w, wave(1, 2, 2, 2, 1, 1), 4) + wave(2, 1))

x = wave(0, 2, 4)
y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.001)
show("layer norm", y * wave(1, 4) + wave(2, 4))

x = wave(0, 2, 3, 2)
mean, variance = x.mean((0, 1)), x.var((0, 1))
show("batch norm, training", (x - mean) / np.sqrt(variance + 0.001))
moving_mean, moving_variance = 0.1 * mean, 0.9 + 0.1 * variance  # momentum 0.9
show("moving mean", moving_mean)
show("moving variance", moving_variance)
show("batch norm, test", (x - moving_mean) / np.sqrt(moving_variance + 0.001))


def lstm(x, w, u, b, units):
    h, c, outputs = np.zeros((x.shape[0], units)), np.zeros((x.shape[0], units)), []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ w + h @ u + b, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, 1), h, c


def gru(x, w, u, b, d, units):
    h, outputs = np.zeros((x.shape[0], units)), []
    for t in range(x.shape[1]):
        az, ar, an = np.split(x[:, t] @ w + b, 3, -1)
        bz, br, bn = np.split(h @ u + d, 3, -1)
        z, r = sigmoid(az + bz), sigmoid(ar + br)
        h = z * h + (1 - z) * np.tanh(an + r * bn)
        outputs.append(h)
    return np.stack(outputs, 1), h


x = wave(0, 1, 3, 2)
forget = np.concatenate([np.zeros(2), np.ones(2), np.zeros(4)])
show("lstm", lstm(x, wave(1, 2, 8), wave(2, 2, 8), forget, 2)[0])
show("lstm backwards", lstm(x[:, ::-1], wave(1, 2, 8), wave(2, 2, 8), forget, 2)[1])
show("gru", gru(x, wave(1, 2, 6), wave(2, 2, 6), np.zeros(6), np.zeros(6), 2)[0])


def attention(q, k, v, heads, look):
    wq, wk, wv, wo = [wave(p, 4, 4) for p in (1, 2, 3, 4)]
    def split(x):
        return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)
    q, k, v = split(q @ wq), split(k @ wk), split(v @ wv)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    y = softmax(np.where(look, scores, -np.inf)) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1) @ wo


x, m = wave(0, 1, 3, 4), wave(5, 1, 2, 4)
show("attention", attention(x, x, x, 2, True))
show("causal", attention(x, x, x, 2, np.tri(3, dtype=bool)))
show("masked", attention(x, x, x, 2, np.array([True, True, False])))
show("cross", attention(x, m, m, 2, True))

z = np.array([-2, -0.5, 0, 0.5, 2.0])
for name, y in {
    "elu": np.where(z > 0, z, np.exp(z) - 1), "exponential": np.exp(z),
    "gelu": z / 2 * (1 + np.vectorize(math.erf)(z / np.sqrt(2))),
    "gelu_tanh": z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))),
    "hard_sigmoid": np.clip(0.2 * z + 0.5, 0, 1), "linear": z, "relu": relu(z),
    "selu": 1.0507009873554805 * np.where(z > 0, z, 1.6732632423543772 * (np.exp(z) - 1)), "sigmoid": sigmoid(z),
    "silu": z * sigmoid(z), "softmax": softmax(z), "softplus": np.log1p(np.exp(z)),
    "softsign": z / (1 + abs(z)), "swish": z * sigmoid(z), "tanh": np.tanh(z),
}.items():
    show(name, y)


# Three steps down 0.5 * sum(scale * (p - target)^2).
scale, target = np.array([1.0, 2.0, 0.5]), np.array([0.0, 1.0, 3.0])
rate = 0.1


def steps(name, rule):
    p, slots, found = np.array([1.0, -2.0, 0.5]), {}, []
    for t in (1, 2, 3):
        p = rule(p, scale * (p - target), t, slots)
        found.append(p)
    show(name, found)


def momentum(p, g, t, s):
    s["v"] = 0.9 * s.get("v", 0) - rate * g
    return p + s["v"]


def nesterov(p, g, t, s):
    return momentum(p, g, t, s) - s["v"] + 0.9 * s["v"] - rate * g


def rmsprop(p, g, t, s):
    s["a"] = 0.9 * s.get("a", 0) + 0.1 * g * g
    return p - rate * g / (np.sqrt(s["a"]) + 1e-7)


def centered(p, g, t, s):
    s["a"] = 0.9 * s.get("a", 0) + 0.1 * g * g
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.5 * s.get("v", 0) + rate * g / (np.sqrt(s["a"] - s["m"] ** 2) + 1e-7)
    return p - s["v"]


def adam(p, g, t, s, beta_2=0.999, amsgrad=False):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    v = s["v"] = beta_2 * s.get("v", 0) + (1 - beta_2) * g * g
    if amsgrad:
        v = s["x"] = np.maximum(s.get("x", 0), v)
    return p - rate * np.sqrt(1 - beta_2**t) / (1 - 0.9**t) * s["m"] / (np.sqrt(v) + 1e-7)


steps("sgd", lambda p, g, t, s: p - rate * g)
steps("momentum", momentum)
steps("nesterov", nesterov)
steps("rmsprop", rmsprop)
steps("centered rmsprop", centered)
steps("adam", adam)
steps("amsgrad", lambda p, g, t, s: adam(p, g, t, s, 0.5, True))
steps("adamw", lambda p, g, t, s: adam(p, g, t, s) - rate * 0.04 * p)
steps("clip.value", lambda p, g, t, s: p - rate * np.clip(g, -1, 1))
steps("clip.norm", lambda p, g, t, s: p - rate * g * min(1, 2 / np.linalg.norm(g)))
