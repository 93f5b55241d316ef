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
import tempfile
import time
from types import SimpleNamespace

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
        self.logistic = (
            uniform(2, 1000, 10),
            generator.integers(0, 2, 1000).astype(np.float32),
            uniform(1, 10),
        )
        self.dag = (uniform(1, 16, 16), uniform(1, 1, 16), uniform(1, 16, 1))
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


def numpy_logistic(x, labels, w):
    z = x @ w
    gradient = (labels - 1 / (1 + np.exp(-z))) @ x
    return np.sum(labels * z - np.logaddexp(0, z)), gradient


def expect_near(what, actual, expected):
    if not np.allclose(np.asarray(actual), expected, rtol=1e-4, atol=1e-4):
        raise AssertionError(f"{what}: not NumPy's result")


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
        yield "eval_shapes", case, (min(readings), sorted(readings)[1])


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
        bodies = [
            lambda seed=seed: done(compiled(random_dag(library, ops, seed))(*inputs))
            for seed in seeds
        ]
        readings = sorted(timer.once(body) for body in bodies)
        yield "dag", case, (readings[0], readings[len(readings) // 2])


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
        logistic = timer.measure(lambda: numpy_logistic(*data.logistic))
        yield "small", "logistic 1000x10, gradient", logistic
        generator = np.random.Generator(np.random.Philox(7))
        draws = {"random_uniform": lambda shape: generator.random(shape, np.float32)}
        yield from eval_rows(timer, lambda shape: np.ones(shape, np.float32), draws)
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

    def kept(self, timer, three_ops):
        """What was compiled before, with the persistent cache: it knows no functions of one process."""
        jax = self.jax
        settings = {
            "jax_persistent_cache_min_compile_time_secs": 0.0,
            "jax_persistent_cache_min_entry_size_bytes": -1,
        }
        before = {name: getattr(jax.config, name) for name in settings}
        with tempfile.TemporaryDirectory() as folder:
            for name, value in {**settings, "jax_compilation_cache_dir": folder}.items():
                jax.config.update(name, value)

            def from_disk():
                jax.clear_caches()
                return timer.once(lambda: three_ops(800))

            from_disk()
            readings = sorted(from_disk() for _ in range(10))
            yield "from_disk", "3 ops", (readings[0], readings[5])
            three_ops(900)
            fifty = lambda: [three_ops(900) for _ in range(50)]
            readings = sorted(timer.once(fifty) for _ in range(5))
            yield "equal_functions", "50 of 3 ops", (readings[0], readings[2])
            for name, value in {**before, "jax_compilation_cache_dir": None}.items():
                jax.config.update(name, value)

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

        yield from self.kept(timer, three_ops)

        key = jax.random.key(7)
        draws = {
            "random_uniform": lambda shape: jax.random.uniform(key, shape),
            "truncated_normal": lambda shape: jax.random.truncated_normal(key, -2, 2, shape),
        }
        yield from eval_rows(timer, jnp.ones, draws, jax.block_until_ready)

        library = SimpleNamespace(
            tanh=jnp.tanh,
            sigmoid=jax.nn.sigmoid,
            sin=jnp.sin,
            maximum=jnp.maximum,
            minimum=jnp.minimum,
            mean=lambda a, axis: a.mean(axis, keepdims=True),
        )
        inputs = [put(x) for x in data.dag]
        yield from dag_rows(timer, library, inputs, jax.jit, jax.block_until_ready)

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

        def density(x, labels, w):
            z = x @ w
            return jnp.sum(labels * z - jax.nn.softplus(z))

        logistic = jax.jit(jax.value_and_grad(density, argnums=2))
        arguments = [put(x) for x in data.logistic]
        for ours, expected in zip(logistic(*arguments), numpy_logistic(*data.logistic)):
            expect_near("logistic", ours, expected)
        yield "small", "logistic 1000x10, gradient", timed(logistic, *arguments)

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

    def batchnorm(self, timer):
        torch, F = self.torch, self.torch.nn.functional
        shape = (32, 64, 56, 56)
        last = torch.channels_last
        x = torch.rand(shape).contiguous(memory_format=last).requires_grad_()
        dy = torch.rand(shape).contiguous(memory_format=last)
        gamma, beta = torch.rand(64).requires_grad_(), torch.rand(64).requires_grad_()

        def body():
            y = F.batch_norm(x, None, None, gamma, beta, training=True, eps=1e-3)
            torch.autograd.grad(y, (x, gamma, beta), dy)

        yield "batchnorm", "32x56x56x64, gradient", timer.measure(body)

    def softmax(self, timer):
        torch = self.torch
        cases = [(1024, 1024, 1, ""), (1024, 1024, 0, ""), (64, 32768, 1, "")]
        cases += [(1024, 1024, axis, " " + t) for t in ("float16", "bfloat16") for axis in (1, 0)]
        with torch.inference_mode():
            for rows, columns, axis, dtype in cases:
                x = torch.rand(rows, columns) * 6 - 3
                x = x.to(getattr(torch, dtype.strip() or "float32"))
                case = f"{rows}x{columns} axis {axis}{dtype}"
                yield "softmax", case, timer.measure(lambda: torch.softmax(x, axis))
            x = torch.rand(1024, 1024) * 6 - 3
            for axis in (1, 0):
                body = lambda: torch.log_softmax(x, axis)
                yield "softmax", f"log, 1024x1024 axis {axis}", timer.measure(body)

    def layernorm(self, timer):
        torch, F = self.torch, self.torch.nn.functional
        gamma, beta = torch.rand(1024).requires_grad_(), torch.rand(1024).requires_grad_()
        with torch.inference_mode():
            rows = torch.rand(1024, 1024)
            body = lambda: F.layer_norm(rows, (1024,), gamma, beta, 1e-3)
            yield "layernorm", "1024x1024, forward", timer.measure(body)
        x, dy = torch.rand(4096, 1024).requires_grad_(), torch.rand(4096, 1024)

        def body():
            y = F.layer_norm(x, (1024,), gamma, beta, 1e-3)
            torch.autograd.grad(y, (x, gamma, beta), dy)

        yield "layernorm", "4096x1024, gradient", timer.measure(body)

    def sepconv(self, timer):
        torch, F = self.torch, self.torch.nn.functional
        last = torch.channels_last
        with torch.inference_mode():
            for batch, side, channels in ((1, 112, 64), (8, 56, 128)):
                x = torch.rand(batch, channels, side, side).contiguous(memory_format=last)
                depth = torch.rand(channels, 1, 3, 3).contiguous(memory_format=last)
                point = torch.rand(128, channels, 1, 1).contiguous(memory_format=last)

                def body():
                    y = F.relu6(F.conv2d(x, depth, padding=1, groups=channels))
                    return F.relu6(F.conv2d(y, point))

                yield "sepconv", f"{batch}x{side}x{side}x{channels}", timer.measure(body)

    def cifar_net(self):
        nn = self.torch.nn
        layers = []
        for inputs, filters in ((3, 32), (32, 64)):
            layers += [nn.Conv2d(inputs, filters, 3, padding=1), nn.ReLU()]
            layers += [nn.Conv2d(filters, filters, 3), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Flatten(), nn.Linear(2304, 512), nn.ReLU(), nn.Linear(512, 10)]
        return nn.Sequential(*layers)

    def resnet20(self):
        nn = self.torch.nn

        class Block(nn.Module):
            def __init__(self, inputs, filters, stride):
                super().__init__()
                norm = lambda: nn.BatchNorm2d(filters, track_running_stats=False)
                convolution = lambda n, s: nn.Conv2d(n, filters, 3, s, 1, bias=False)
                self.path = nn.Sequential(
                    convolution(inputs, stride), norm(), nn.ReLU(), convolution(filters, 1), norm()
                )
                self.short = nn.Identity()
                if stride != 1:
                    self.short = nn.Conv2d(inputs, filters, 1, stride, bias=False)

            def forward(self, x):
                return nn.functional.relu(self.path(x) + self.short(x))

        layers = [nn.Conv2d(3, 16, 3, padding=1, bias=False)]
        layers += [nn.BatchNorm2d(16, track_running_stats=False), nn.ReLU()]
        inputs = 16
        for filters in (16, 32, 64):
            for block in range(3):
                layers.append(Block(inputs, filters, 2 if filters > 16 and block == 0 else 1))
                inputs = filters
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))

    def image_steps(self, timer):
        torch = self.torch
        for name, batch, make in (
            ("cnn_cifar", 32, self.cifar_net),
            ("resnet20", 64, self.resnet20),
        ):
            net = make().to(memory_format=torch.channels_last)
            x = torch.rand(batch, 3, 32, 32).contiguous(memory_format=torch.channels_last)
            labels = torch.randint(0, 10, (batch,))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)

            def step():
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(net(x), labels).backward()
                optimizer.step()

            yield name, f"step b{batch}", timer.measure(step)

    def rnn(self, timer):
        torch = self.torch
        lstm = torch.nn.LSTM(128, 256, batch_first=True)
        x = torch.rand(32, 64, 128)

        def step():
            lstm.zero_grad()
            lstm(x)[0].square().mean().backward()

        yield "rnn", "lstm T64 b32 128-256, gradient", timer.measure(step)
        gru = torch.nn.GRU(128, 512, batch_first=True)
        one = torch.rand(1, 128, 128)
        with torch.inference_mode():
            yield "rnn", "gru T128 b1 128-512, forward", timer.measure(lambda: gru(one))

    def ctc(self, timer):
        torch = self.torch
        probabilities = torch.softmax(torch.rand(200, 32, 32) * 6 - 3, 2).requires_grad_()
        labels = torch.randint(0, 31, (32, 30))
        times, lengths = torch.full((32,), 200), torch.full((32,), 30)

        def step():
            logs = torch.log(probabilities)
            loss = torch.nn.functional.ctc_loss(
                logs, labels, times, lengths, blank=31, reduction="sum"
            )
            torch.autograd.grad(loss, probabilities)

        yield "ctc", "T200 b32 C32 L30, gradient", timer.measure(step)

    def scan(self, timer):
        torch = self.torch
        w, v = torch.rand(8).requires_grad_(), torch.rand(8).requires_grad_()
        x = torch.rand(200, 8)

        def forward():
            h = torch.zeros(8)
            for row in x:
                h = v * torch.tanh(w * h + row)
            return h

        with torch.inference_mode():
            yield "small", "scan of 200", timer.measure(forward)
        gradient = lambda: torch.autograd.grad(forward().sum(), (w, v))
        yield "small", "scan of 200, gradient", timer.measure(gradient)

    def logistic(self, timer):
        torch = self.torch
        x, labels, w = [torch.from_numpy(array) for array in self.inputs.logistic]
        w.requires_grad_()

        def step():
            z = x @ w
            density = torch.sum(labels * z - torch.nn.functional.softplus(z))
            return density, torch.autograd.grad(density, w)

        yield "small", "logistic 1000x10, gradient", timer.measure(step)

    def rows(self, timer):
        families = (self.dense, self.batchnorm, self.softmax, self.layernorm, self.sepconv)
        for family in (*families, self.image_steps, self.rnn, self.ctc, self.scan, self.logistic):
            yield from family(timer)

    def dense(self, timer):
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

            truncated = torch.nn.init.trunc_normal_
            draws = {
                "random_uniform": torch.rand,
                "truncated_normal": lambda shape: truncated(torch.empty(shape)),
            }
            yield from eval_rows(timer, torch.ones, draws)

            batches = [tensor(data.rows[:size]) for size in data.order]

            def all_sizes():
                for rows in batches:
                    self.forward(parameters, rows)

            first = timer.once(all_sizes)
            yield "dynbatch", "256 sizes, first", (first, first)
            yield "dynbatch", "256 sizes, later", timer.measure(all_sizes)


class Inductor:
    """torch.compile, only for what compiling takes: minutes for 10,000 ops."""

    name = "inductor"

    def __init__(self, inputs):
        os.environ.setdefault("CXX", "clang++-19")
        import torch

        torch.set_num_threads(1)
        self.torch = torch
        self.version = torch.__version__
        self.inputs = inputs

    def rows(self, timer):
        torch = self.torch
        library = SimpleNamespace(
            tanh=torch.tanh,
            sigmoid=torch.sigmoid,
            sin=torch.sin,
            maximum=torch.maximum,
            minimum=torch.minimum,
            mean=lambda a, axis: a.mean(axis, keepdim=True),
        )
        inputs = [torch.from_numpy(x) for x in self.inputs.dag]
        compiled = lambda function: torch.compile(function, fullgraph=True)
        yield from dag_rows(timer, library, inputs, compiled, most=1000)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    arguments.add_argument("--batches", type=int, default=40)
    arguments.add_argument("--peer", help="only this one")
    options = arguments.parse_args()
    timer = Timer(options.clock, options.batches)
    inputs = Inputs()
    # JAX first: one of its rows is the first function that it compiles.
    for library in (Jax, Numpy, Torch, Inductor):
        if options.peer not in (None, library.name):
            continue
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
