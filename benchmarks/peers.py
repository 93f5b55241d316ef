"""What other libraries take for the rows of keratin-bench: one JSON object a line, with one thread.

Run by benchmarks/run.sh in a virtual environment; each library that cannot be imported is left out,
with a word on stderr. Names and cases are those of keratin-bench, so that `--peers=FILE` finds them.
Chains, products and forward passes are compared with NumPy's results before they are timed.
"""

import argparse
import json
import os
import random
import sys
import time

# Before the libraries are imported: they read these once.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import numpy as np

SIZES = (784, 512, 512, 10)
RATE = 0.1


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
        readings = sorted(self.batch(body, calls) / calls * 1e3 for _ in range(self.batches))
        return readings[0], readings[len(readings) // 2]

    def once(self, body):
        return self.batch(body, 1) * 1e3


class Inputs:
    """The same data for all."""

    def __init__(self):
        generator = np.random.default_rng(1)

        def uniform(limit, *shape):
            return generator.uniform(-limit, limit, shape).astype(np.float32)

        self.uniform = uniform
        self.chain = (uniform(3, 1 << 20), uniform(3, 1 << 20))
        self.square = (uniform(1, 512, 512), uniform(1, 512, 512))
        self.four = (uniform(1, 4), uniform(1, 4))
        self.rows = uniform(1, 256, SIZES[0])
        self.labels = generator.integers(0, SIZES[-1], 128).astype(np.int32)
        self.parameters = []
        for inputs, outputs in zip(SIZES, SIZES[1:]):
            self.parameters.append(uniform((6 / (inputs + outputs)) ** 0.5, inputs, outputs))
            self.parameters.append(uniform(0.1, outputs))
        self.order = list(range(1, 257))
        random.Random(9).shuffle(self.order)


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


def expect_near(what, actual, expected):
    if not np.allclose(np.asarray(actual), expected, rtol=1e-4, atol=1e-4):
        raise AssertionError(f"{what}: not NumPy's result")


class Numpy:
    name = "numpy"

    def __init__(self, inputs):
        self.version = np.__version__
        self.inputs = inputs

    def rows(self, timer):
        data = self.inputs
        yield "ew_chain", "n=2^20", timer.measure(lambda: numpy_chain(*data.chain))
        yield "gemm", "512x512x512", timer.measure(lambda: data.square[0] @ data.square[1])
        for batch in (1, 32):
            x = data.rows[:batch]
            body = lambda: numpy_forward(data.parameters, x)
            yield "mlp", f"forward b{batch}", timer.measure(body)
        yield "small", "add of 4", timer.measure(lambda: data.four[0] + data.four[1])
        batches = [data.rows[:size] for size in data.order]

        def all_sizes():
            for x in batches:
                numpy_forward(data.parameters, x)

        yield "dynbatch", "256 sizes, first", (timer.once(all_sizes),) * 2
        yield "dynbatch", "256 sizes, later", timer.measure(all_sizes)


class Jax:
    name = "jax"

    def __init__(self, inputs):
        import jax

        self.jax = jax
        self.version = jax.__version__
        self.inputs = inputs

    def chain(self, x, y):
        jnp = self.jax.numpy
        t = x * y + x
        v = jnp.tanh(t) * y - x
        w = jnp.where(v > 0, v, 0.1 * v)
        return jnp.sqrt(w * w + 1) * self.jax.nn.sigmoid(w)

    def forward(self, parameters, x):
        for layer in range(3):
            x = x @ parameters[2 * layer] + parameters[2 * layer + 1]
            if layer < 2:
                x = self.jax.nn.relu(x)
        return x

    def loss(self, parameters, x, labels):
        logs = self.jax.nn.log_softmax(self.forward(parameters, x))
        return -self.jax.numpy.mean(self.jax.numpy.take_along_axis(logs, labels[:, None], 1))

    def sgd(self, parameters, x, labels):
        loss, gradients = self.jax.value_and_grad(self.loss)(parameters, x, labels)
        return loss, [p - RATE * g for p, g in zip(parameters, gradients)]

    def adam(self, state, x, labels):
        jnp = self.jax.numpy
        parameters, first, second, iterations = state
        loss, gradients = self.jax.value_and_grad(self.loss)(parameters, x, labels)
        t = iterations + 1
        rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
        moved = zip(parameters, first, second)
        parameters = [p - rate * m / (jnp.sqrt(v) + 1e-7) for p, m, v in moved]
        return loss, (parameters, first, second, t)

    def rows(self, timer):
        jax, data = self.jax, self.inputs
        jnp = jax.numpy
        put = jax.device_put

        def timed(function, *arguments):
            return timer.measure(lambda: jax.block_until_ready(function(*arguments)))

        def three_ops(n):
            x, y = jnp.ones(n), jnp.ones(n)
            # A new function each time, as keratin-bench builds a new graph.
            jax.block_until_ready(jax.jit(lambda x, y: jnp.tanh(x * y) + x)(x, y))

        first = timer.once(lambda: three_ops(1000))
        yield "compile", "3 ops, first of the process", (first, first)
        for case, sizes in (("cold", range(1001, 1011)), ("warm", [1010] * 10)):
            readings = sorted(timer.once(lambda: three_ops(n)) for n in sizes)
            yield "compile", f"3 ops, {case}", (readings[0], readings[5])

        chain = jax.jit(self.chain)
        arguments = [put(x) for x in data.chain]
        expect_near("ew_chain", chain(*arguments), numpy_chain(*data.chain))
        yield "ew_chain", "n=2^20", timed(chain, *arguments)

        product = jax.jit(lambda a, b: a @ b)
        arguments = [put(x) for x in data.square]
        expect_near("gemm", product(*arguments), data.square[0] @ data.square[1])
        yield "gemm", "512x512x512", timed(product, *arguments)

        labels, x = put(data.labels), put(data.rows[:128])

        def training(function, state):
            # The old state is given back, as in place as JAX does it.
            step = jax.jit(function, donate_argnums=0)
            held = [state]

            def body():
                loss, held[0] = step(held[0], x, labels)
                jax.block_until_ready(held[0])

            return timer.measure(body)

        fresh = lambda: [jnp.array(p) for p in data.parameters]
        zeros = lambda: [jnp.zeros_like(p) for p in data.parameters]
        yield "mlp", "step b128 sgd", training(self.sgd, fresh())
        state = (fresh(), zeros(), zeros(), jnp.array(0.0))
        yield "mlp", "step b128 adam", training(self.adam, state)

        forward = jax.jit(self.forward)
        parameters = fresh()
        for batch in (1, 32):
            x = data.rows[:batch]
            expect_near("mlp", forward(parameters, put(x)), numpy_forward(data.parameters, x))
            yield "mlp", f"forward b{batch}", timed(forward, parameters, put(x))

        add = jax.jit(lambda x, y: x + y)
        yield "small", "add of 4", timed(add, *[put(x) for x in data.four])

        # A size met for the first time is compiled.
        batches = [put(data.rows[:size]) for size in data.order]
        forward = jax.jit(lambda parameters, x: self.forward(parameters, x))

        def all_sizes():
            for x in batches:
                jax.block_until_ready(forward(parameters, x))

        first = timer.once(all_sizes)
        yield "dynbatch", "256 sizes, first", (first, first)
        yield "dynbatch", "256 sizes, later", timer.measure(all_sizes)


class Torch:
    """Eager PyTorch."""

    name = "torch"

    def __init__(self, inputs):
        import torch

        torch.set_num_threads(1)
        self.torch = torch
        self.version = torch.__version__
        self.inputs = inputs

    def chain(self, x, y):
        torch = self.torch
        t = x * y + x
        v = torch.tanh(t) * y - x
        w = torch.nn.functional.leaky_relu(v, 0.1)
        return torch.sqrt(w * w + 1) * torch.sigmoid(w)

    def forward(self, parameters, x):
        for layer in range(3):
            x = self.torch.addmm(parameters[2 * layer + 1], x, parameters[2 * layer])
            if layer < 2:
                x = self.torch.relu(x)
        return x

    def rows(self, timer):
        torch, data = self.torch, self.inputs
        tensor = torch.from_numpy
        with torch.inference_mode():
            arguments = [tensor(x) for x in data.chain]
            expect_near("ew_chain", self.chain(*arguments), numpy_chain(*data.chain))
            yield "ew_chain", "n=2^20", timer.measure(lambda: self.chain(*arguments))

            a, b = [tensor(x) for x in data.square]
            expect_near("gemm", a @ b, data.square[0] @ data.square[1])
            yield "gemm", "512x512x512", timer.measure(lambda: a @ b)

        labels, x = tensor(data.labels).long(), tensor(data.rows[:128])
        kinds = {
            "sgd": lambda p: torch.optim.SGD(p, lr=RATE, foreach=True),
            "adam": lambda p: torch.optim.Adam(p, lr=1e-3, eps=1e-7, fused=True),
        }
        for kind, make in kinds.items():
            parameters = [tensor(p.copy()).requires_grad_() for p in data.parameters]
            optimizer = make(parameters)

            def step():
                optimizer.zero_grad()
                logits = self.forward(parameters, x)
                torch.nn.functional.cross_entropy(logits, labels).backward()
                optimizer.step()

            yield "mlp", f"step b128 {kind}", timer.measure(step)

        with torch.inference_mode():
            parameters = [tensor(p) for p in data.parameters]
            for batch in (1, 32):
                rows = tensor(data.rows[:batch])
                expected = numpy_forward(data.parameters, data.rows[:batch])
                expect_near("mlp", self.forward(parameters, rows), expected)
                body = lambda: self.forward(parameters, rows)
                yield "mlp", f"forward b{batch}", timer.measure(body)

            x, y = [tensor(x) for x in data.four]
            yield "small", "add of 4", timer.measure(lambda: x + y)

            batches = [tensor(data.rows[:size]) for size in data.order]

            def all_sizes():
                for rows in batches:
                    self.forward(parameters, rows)

            first = timer.once(all_sizes)
            yield "dynbatch", "256 sizes, first", (first, first)
            yield "dynbatch", "256 sizes, later", timer.measure(all_sizes)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    arguments.add_argument("--batches", type=int, default=40)
    options = arguments.parse_args()
    timer = Timer(options.clock, options.batches)
    inputs = Inputs()
    # JAX first: one of its rows is the first function that it compiles.
    for library in (Jax, Numpy, Torch):
        try:
            peer = library(inputs)
        except ImportError as error:
            print(f"peers.py: {library.name} left out: {error}", file=sys.stderr)
            continue
        for name, case, (minimum, median) in peer.rows(timer):
            row = {"peer": f"{peer.name} {peer.version}", "name": name, "case": case}
            print(json.dumps(row | {"min_ms": minimum, "median_ms": median}), flush=True)


if __name__ == "__main__":
    main()
