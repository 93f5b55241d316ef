"""What the libraries share: a clock, data, plain results, graphs that are drawn.

A library is a class with a name, a version, and `families`: functions by the names of keratin-bench's rows. Each yields
(case, (minimum, median) in milliseconds), with the cases of keratin-bench, so that rows can be told to be the same.
"""

import functools
import random
import sys
import time

import numpy as np

SIZES = (784, 512, 512, 10)
RATE = 0.1
CLASSES = 1000  # of ResNet-50


class Timer:
    """Batches of at least 4 ms, as keratin-bench has them."""

    def __init__(self, clock, batches):
        self.clock = time.process_time if clock == "cpu" else time.perf_counter
        self.batches = batches

    def batch(self, body, calls):
        start = self.clock()
        for _ in range(calls):
            body()
        return self.clock() - start

    def measure(self, body):
        """(minimum, median) milliseconds of a call."""
        self.batch(body, 1)
        calls = 1
        while (elapsed := self.batch(body, calls)) < 0.004:
            calls = min(max(int(calls * 0.0048 / max(elapsed, 1e-9)) + 1, calls + 1), 100 * calls)
        # Of what takes long, fewer: its least is near soon.
        count = max(2, min(self.batches, int(1 / elapsed)))
        readings = sorted(self.batch(body, calls) / calls * 1e3 for _ in range(count))
        return readings[0], readings[len(readings) // 2]

    def once(self, body):
        return self.batch(body, 1) * 1e3


def uniform(seed, low, high, *shape):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


class Inputs:
    """The same data for all."""

    def __init__(self):
        self.chain = (uniform(1, -3, 3, 1 << 20), uniform(2, -3, 3, 1 << 20))
        self.four = (uniform(1, -1, 1, 4), uniform(2, -1, 1, 4))
        self.rows = uniform(3, -1, 1, 256, SIZES[0])
        generator = np.random.default_rng(1)
        self.labels = generator.integers(0, SIZES[-1], 128).astype(np.int32)
        self.parameters = []
        for inputs, outputs in zip(SIZES, SIZES[1:]):
            limit = (6 / (inputs + outputs)) ** 0.5
            self.parameters.append(uniform(inputs, -limit, limit, inputs, outputs))
            self.parameters.append(uniform(outputs, -0.1, 0.1, outputs))
        self.logistic = (
            uniform(3, -2, 2, 1000, 10),
            generator.integers(0, 2, 1000).astype(np.float32),
            uniform(5, -1, 1, 10),
        )
        self.dag = tuple(uniform(i, -1, 1, *s) for i, s in enumerate([(16, 16), (1, 16), (16, 1)]))
        self.order = list(range(1, 257))
        random.Random(9).shuffle(self.order)
        self.ids = generator.integers(0, 50000, (64, 128)).astype(np.int32)

    @staticmethod
    def product(m, n, k, is_transposed):
        rows = (k, m) if is_transposed else (m, k)
        return uniform(1, -1, 1, *rows), uniform(2, -1, 1, k, n)

    @staticmethod
    def softmax(rows, columns):
        return uniform(1, -3, 3, rows, columns)

    @staticmethod
    @functools.cache
    def reduce(dims):
        # Positive, as keratin-bench has them.
        return uniform(1, 0.5, 1.5, *dims)

    @staticmethod
    def heads():
        """Queries, keys, values, and what gradients are multiplied by."""
        return [uniform(31 + i, -1, 1, 8, 8, 256, 64) for i in range(4)]


# ---- Cases -------------------------------------------------------------------------------------

# gemm: rows, columns, depth, whether of the first matrix's transpose, as gradients of weights are, dtype.
PRODUCTS = [(512, 512, 512, False, "")]
PRODUCTS += [(1024, 1024, 1024, False, dtype) for dtype in ("", "float64", "bfloat16", "float16")]
PRODUCTS += [(2048, 512, 512, True, ""), (1024, 2048, 256, True, "")]
# softmax: rows, columns, axis, whether of the logarithm, dtype.
SOFTMAXES = [
    (1024, 1024, 1, False, ""),
    (1024, 1024, 0, False, ""),
    (64, 32768, 1, False, ""),
    (1024, 1024, 1, True, ""),
    (1024, 1024, 0, True, ""),
    (1024, 1024, 1, False, "float16"),
    (1024, 1024, 0, False, "float16"),
    (1024, 1024, 1, False, "bfloat16"),
    (1024, 1024, 0, False, "bfloat16"),
]
# reduce: function, axes, dimensions.
CUBE = (256, 256, 256)
REDUCTIONS = [("sum", axes, CUBE) for axes in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2))]
REDUCTIONS += [(name, axes, CUBE) for name in ("max", "argmax", "var") for axes in ((0,), (2,))]
REDUCTIONS += [("sum", axes, (1024, 1024)) for axes in ((0,), (1,))]
# sepconv: whether depthwise alone, batch, side, channels.
CONVOLUTIONS = [(False, 1, 112, 64), (False, 8, 56, 128), (True, 8, 56, 128)]


def product_case(m, n, k, is_transposed, dtype):
    return f"{m}x{n}x{k} {'A^T ' * is_transposed}{dtype}".strip()


def product_body(is_transposed):
    """Of arrays of any library."""
    return (lambda a, b: a.T @ b) if is_transposed else (lambda a, b: a @ b)


def softmax_case(rows, columns, axis, is_log, dtype):
    return f"{'log, ' * is_log}{rows}x{columns} axis {axis} {dtype}".strip()


def reduction_case(name, axes, dims):
    places = ",".join(map(str, axes))
    text = f"{name} ({places})" if len(axes) > 1 else f"{name} {places}"
    return text if dims == CUBE else text + " of " + "x".join(map(str, dims))


def convolution_case(is_depthwise, batch, side, channels):
    return f"{'depthwise ' * is_depthwise}{batch}x{side}x{side}x{channels}"


# ---- Plain results -----------------------------------------------------------------------------


def numpy_chain(x, y):
    t = x * y + x
    v = np.tanh(t) * y - x
    w = np.where(v > 0, v, np.float32(0.1) * v)
    return np.sqrt(w * w + 1) / (1 + np.exp(-w))


def numpy_forward(parameters, x):
    for layer in range(3):
        x = x @ parameters[2 * layer] + parameters[2 * layer + 1]
        if layer < 2:
            x = np.maximum(x, 0)
    return x


def numpy_logistic(x, labels, w):
    z = x @ w
    gradient = (labels - 1 / (1 + np.exp(-z))) @ x
    return np.sum(labels * z - np.logaddexp(0, z)), gradient


def numpy_softmax(x, axis, is_log):
    exponentials = np.exp(x)
    y = exponentials / exponentials.sum(axis, keepdims=True)
    return np.log(y) if is_log else y


def numpy_reduce(name, x, axes):
    if name == "argmax":
        return x.argmax(axes[0])
    # float32 sums of many are not exact enough to judge others.
    return getattr(np, name)(x.astype(np.float64), axes)


def numpy_attention(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return numpy_softmax(scores, -1, False) @ v


def numpy_layernorm(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-3) * gamma + beta


def expect_near(what, actual, expected, dtype=""):
    """Off by no more than a result of the dtype may be; what computes with fewer bits than it was given is no peer."""
    relative, absolute = {
        "": (1e-4, 1e-4),
        "float64": (1e-9, 1e-12),
        "float16": (2e-3, 2e-4),
        "bfloat16": (2e-2, 2e-3),
    }[dtype]
    # A sum's error is one of what was added up, however much of it cancels.
    scale = np.abs(expected).max()
    if not np.allclose(np.asarray(actual, np.float64), expected, rtol=relative, atol=absolute * scale):
        raise AssertionError(f"{what}: not the expected result")


def say(text):
    print(f"measure: {text}", file=sys.stderr, flush=True)


# ---- What is compiled --------------------------------------------------------------------------


def eval_rows(timer, ones, draws, done=lambda value: value):
    """Values of 200 small graphs, each of another shape, as EvalShapes.cpp asks for them."""
    shape = lambda n: (n % 89 + 2, n % 97 + 100)

    def product(n):
        return ones((n % 89 + 2, n % 97 + 10)) @ ones((n % 97 + 10, n % 7 + 110))

    def squares(n):
        x = ones(shape(n))
        return (x * x + 1).mean(1)

    cases = {"200 dot": product, "200 mean of squares": squares}
    for name, draw in draws.items():
        cases[f"200 {name}"] = lambda n, draw=draw: draw(shape(n))
    for case, make in cases.items():
        done(make(0))
        readings = []
        for first in (200, 400, 600):
            body = lambda: [done(make(n)) for n in range(first, first + 200)]
            readings.append(timer.once(body))
        yield case, (min(readings), sorted(readings)[1])


def size_rows(timer, batches, forward):
    """Batches of every size; a library that compiles does so at the first of each."""

    def all_sizes():
        for x in batches:
            forward(x)

    first = timer.once(all_sizes)
    yield "256 sizes, first", (first, first)
    yield "256 sizes, later", timer.measure(all_sizes)


class Draws:
    """RandomDag.cpp's."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def random_dag(library, ops, seed):
    """The outputs of RandomDag.cpp's graph, as a function of (16, 16), (1, 16) and (16, 1)."""

    def outputs(*inputs):
        draws, nodes, unused = Draws(seed), list(inputs), list(range(len(inputs)))

        def add(node):
            unused.append(len(nodes))
            nodes.append(node)

        def pick():
            if len(unused) > 16:
                picked = unused[0]
            else:
                picked = len(nodes) - 1 - draws.below(min(len(nodes), 64))
            if picked in unused:
                unused.remove(picked)
            return nodes[picked]

        made = 0
        while made < ops:
            kind = draws.below(10)
            a = pick()
            is_square = a.shape[0] == a.shape[1]
            made += 1
            if kind < 3:
                add((library.tanh, library.sigmoid, library.sin)[kind](a))
            elif kind == 3 and not is_square:
                add(a.T)
            elif kind <= 4 and is_square:
                add(library.mean(a, kind - 3))
            else:
                b = pick()
                if kind == 5:
                    add(library.maximum(a, b))
                elif kind == 6:
                    add(library.minimum(a, b))
                elif kind == 7 and is_square and b.shape[0] == b.shape[1]:
                    add(a @ b * (1 / 16))
                    made += 1
                elif kind == 8:
                    add((a - b) * 0.5)
                    made += 1
                else:
                    add(a * b)
        return [nodes[i] for i in unused]

    return outputs


def dag_rows(timer, library, inputs, compiled, done=lambda value: value, most=10000):
    """Compiles and calls graphs of many ops, each once."""
    for case, ops, seeds in (("1,000 ops", 1000, (1, 2, 3)), ("10,000 ops", 10000, (1,))):
        if ops > most:
            return
        bodies = [lambda seed=seed: done(compiled(random_dag(library, ops, seed))(*inputs)) for seed in seeds]
        readings = sorted(timer.once(body) for body in bodies)
        yield case, (readings[0], readings[len(readings) // 2])
