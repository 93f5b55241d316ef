"""JAX's: each function is compiled once, for its shapes."""

import tempfile
from types import SimpleNamespace

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from libraries import common

CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")


def chain(x, y):
    t = x * y + x
    v = jnp.tanh(t) * y - x
    w = jnp.where(v > 0, v, 0.1 * v)
    return jnp.sqrt(w * w + 1) * jax.nn.sigmoid(w)


def perceptron(parameters, x):
    for layer in range(3):
        x = x @ parameters[2 * layer] + parameters[2 * layer + 1]
        if layer < 2:
            x = jax.nn.relu(x)
    return x


def crossentropy(logits, labels):
    logs = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], 1))


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def normalize(x, gamma, beta, axes=(-1,)):
    centred = x - x.mean(axes, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(axes, keepdims=True) + 1e-3) * gamma + beta


def block(p, x, heads=8):
    """A block of a transformer, normalised before each part."""
    batch, time, width = x.shape
    parts = normalize(x, *p["first"]) @ p["inputs"][0] + p["inputs"][1]
    parts = parts.reshape(batch, time, 3, heads, width // heads).transpose(2, 0, 3, 1, 4)
    heard = attention(*parts).transpose(0, 2, 1, 3).reshape(batch, time, width)
    x = x + heard @ p["output"][0] + p["output"][1]
    wide = normalize(x, *p["second"]) @ p["wide"][0] + p["wide"][1]
    return x + jax.nn.gelu(wide, approximate=False) @ p["narrow"][0] + p["narrow"][1]


def block_parameters(width=512, wide=2048):
    dense = lambda n, m: (common.uniform(m, -0.05, 0.05, n, m), np.zeros(m, np.float32))
    norm = (np.ones(width, np.float32), np.zeros(width, np.float32))
    return {
        "first": norm,
        "second": norm,
        "inputs": dense(width, 3 * width),
        "output": dense(width, width),
        "wide": dense(width, wide),
        "narrow": dense(wide, width),
    }


def convolution(x, filters, stride=1, groups=1, padding="SAME"):
    return lax.conv_general_dilated(
        x,
        filters,
        (stride, stride),
        padding,
        dimension_numbers=CHANNELS_LAST,
        feature_group_count=groups,
    )


def pool(x, size, padding="VALID"):
    shape = (1, size, size, 1)
    return lax.reduce_window(x, -jnp.inf, lax.max, shape, (1, 2, 2, 1), padding)


class Net:
    """A net over images, as a function that draws its parameters first and takes them later."""

    def __init__(self, net):
        self.net, self.drawn = net, []

    def draw(self, x):
        self.given = None
        jax.eval_shape(lambda x: self.net(self, x), x)
        return self.drawn

    def __call__(self, parameters, x):
        self.given = iter(parameters)
        return self.net(self, x)

    def parameter(self, *shape, low=-0.05, high=0.05):
        if self.given is not None:
            return next(self.given)
        self.drawn.append(common.uniform(len(self.drawn), low, high, *shape))
        return self.drawn[-1]

    def conv(self, x, size, filters, stride=1, padding="SAME"):
        weights = self.parameter(size, size, x.shape[-1], filters)
        return convolution(x, weights, stride, padding=padding)

    def bias(self, x):
        return x + self.parameter(x.shape[-1])

    def norm(self, x):
        gamma = self.parameter(x.shape[-1], low=0.5, high=1.5)
        return normalize(x, gamma, self.parameter(x.shape[-1]), (0, 1, 2))

    def dense(self, x, units):
        return self.bias(x @ self.parameter(x.shape[-1], units))


def cifar_net(layers, x):
    for filters in (32, 64):
        x = jax.nn.relu(layers.bias(layers.conv(x, 3, filters)))
        x = jax.nn.relu(layers.bias(layers.conv(x, 3, filters, padding="VALID")))
        x = pool(x, 2)
    x = jax.nn.relu(layers.dense(x.reshape(x.shape[0], -1), 512))
    return layers.dense(x, 10)


def resnet20(layers, x):
    x = jax.nn.relu(layers.norm(layers.conv(x, 3, 16)))
    for filters in (16, 32, 64):
        for place in range(3):
            narrows = filters > 16 and place == 0
            y = jax.nn.relu(layers.norm(layers.conv(x, 3, filters, 2 if narrows else 1)))
            y = layers.norm(layers.conv(y, 3, filters))
            x = jax.nn.relu(y + (layers.conv(x, 1, filters, 2) if narrows else x))
    return layers.dense(x.mean((1, 2)), 10)


def resnet50(is_training):
    def net(layers, x):
        def conv(x, size, filters, stride=1):
            y = layers.conv(x, size, filters, stride)
            return layers.norm(y) if is_training else layers.bias(y)

        x, filters = pool(jax.nn.relu(conv(x, 7, 64, 2)), 3, "SAME"), 64
        for blocks in (3, 4, 6, 3):
            for place in range(blocks):
                stride = 2 if filters > 64 and place == 0 else 1
                y = jax.nn.relu(conv(x, 1, filters))
                y = conv(jax.nn.relu(conv(y, 3, filters, stride)), 1, 4 * filters)
                x = jax.nn.relu(y + (conv(x, 1, 4 * filters, stride) if place == 0 else x))
            filters *= 2
        return layers.dense(x.mean((1, 2)), common.CLASSES)

    return net


class Jax:
    name = "jax"
    version = jax.__version__

    def __init__(self, inputs, is_large=False):
        self.inputs, self.is_large = inputs, is_large
        # The first function of the process is one of the rows of compile.
        self.families = {
            "compile": self.compile,
            "from_disk": self.from_disk,
            "equal_functions": self.equal_functions,
            "eval_shapes": self.eval_shapes,
            "dag": self.dag,
            "ew_chain": self.chain,
            "gemm": self.products,
            "mlp": self.perceptron,
            "embedding": self.embedding,
            "small": self.small,
            "dynbatch": self.sizes,
            "reduce": self.reductions,
            "batchnorm": self.batchnorm,
            "softmax": self.softmaxes,
            "layernorm": self.layernorm,
            "attention": self.attention,
            "xformer": self.transformer,
            "sepconv": self.convolutions,
            "cnn_cifar": self.image_step("step b32", 32, 32, 10, cifar_net),
            "resnet20": self.image_step("step b64", 64, 32, 10, resnet20),
            "resnet50": self.resnet50,
            "rnn": self.recurrent,
        }

    def timed(self, timer, function, *arguments):
        arguments = [jax.device_put(x) for x in arguments]
        return timer.measure(lambda: jax.block_until_ready(function(*arguments)))

    # ---- Compiling ----

    @staticmethod
    def three_ops(n):
        x, y = jnp.ones(n), jnp.ones(n)
        # A new function each time, as keratin-bench builds a new graph.
        jax.block_until_ready(jax.jit(lambda x, y: jnp.tanh(x * y) + x)(x, y))

    def compile(self, timer):
        first = timer.once(lambda: self.three_ops(1000))
        yield "3 ops, first of the process", (first, first)
        for case, sizes in (("cold", range(1001, 1011)), ("warm", [1010] * 10)):
            readings = sorted(timer.once(lambda: self.three_ops(n)) for n in sizes)
            yield f"3 ops, {case}", (readings[0], readings[5])

    def kept(self, measure):
        """With the persistent cache: JAX knows no functions of one process."""
        settings = {
            "jax_persistent_cache_min_compile_time_secs": 0.0,
            "jax_persistent_cache_min_entry_size_bytes": -1,
        }
        before = {name: getattr(jax.config, name) for name in settings}
        with tempfile.TemporaryDirectory() as folder:
            for name, value in {**settings, "jax_compilation_cache_dir": folder}.items():
                jax.config.update(name, value)
            readings = sorted(measure())
            for name, value in {**before, "jax_compilation_cache_dir": None}.items():
                jax.config.update(name, value)
        return readings[0], readings[len(readings) // 2]

    def from_disk(self, timer):
        def measure():
            for i in range(11):
                jax.clear_caches()
                reading = timer.once(lambda: self.three_ops(800))
                if i:
                    yield reading

        yield "3 ops", self.kept(measure)

    def equal_functions(self, timer):
        def measure():
            self.three_ops(900)
            for _ in range(5):
                yield timer.once(lambda: [self.three_ops(900) for _ in range(50)])

        yield "50 of 3 ops", self.kept(measure)

    def eval_shapes(self, timer):
        key = jax.random.key(7)
        draws = {
            "random_uniform": lambda shape: jax.random.uniform(key, shape),
            "truncated_normal": lambda shape: jax.random.truncated_normal(key, -2, 2, shape),
        }
        yield from common.eval_rows(timer, jnp.ones, draws, jax.block_until_ready)

    def dag(self, timer):
        library = SimpleNamespace(
            tanh=jnp.tanh,
            sigmoid=jax.nn.sigmoid,
            sin=jnp.sin,
            maximum=jnp.maximum,
            minimum=jnp.minimum,
            mean=lambda a, axis: a.mean(axis, keepdims=True),
        )
        inputs = [jax.device_put(x) for x in self.inputs.dag]
        yield from common.dag_rows(timer, library, inputs, jax.jit, jax.block_until_ready)

    def sizes(self, timer):
        forward = jax.jit(perceptron)
        parameters = [jnp.array(p) for p in self.inputs.parameters]
        batches = [jax.device_put(self.inputs.rows[:size]) for size in self.inputs.order]
        done = lambda x: jax.block_until_ready(forward(parameters, x))
        yield from common.size_rows(timer, batches, done)

    # ---- Without gradients ----

    def chain(self, timer):
        function = jax.jit(chain)
        expected = common.numpy_chain(*self.inputs.chain)
        common.expect_near("ew_chain", function(*self.inputs.chain), expected)
        yield "n=2^20", self.timed(timer, function, *self.inputs.chain)

    def products(self, timer):
        for *shape, is_transposed, dtype in common.PRODUCTS:
            body = common.product_body(is_transposed)
            # Without it float64 becomes float32.
            with jax.enable_x64(dtype == "float64"):
                product = jax.jit(body)
                a, b = [jnp.asarray(x, dtype or "float32") for x in self.inputs.product(*shape, is_transposed)]
                expected = body(np.asarray(a, np.float64), np.asarray(b, np.float64))
                case = common.product_case(*shape, is_transposed, dtype)
                common.expect_near(f"gemm {case}", product(a, b), expected, dtype)
                yield case, self.timed(timer, product, a, b)

    def softmaxes(self, timer):
        for rows, columns, axis, is_log, dtype in common.SOFTMAXES:
            of = jax.nn.log_softmax if is_log else jax.nn.softmax
            function = jax.jit(lambda x: of(x, axis))
            x = jnp.asarray(self.inputs.softmax(rows, columns), dtype or "float32")
            case = common.softmax_case(rows, columns, axis, is_log, dtype)
            expected = common.numpy_softmax(np.asarray(x, np.float64), axis, is_log)
            common.expect_near(f"softmax {case}", function(x), expected, dtype)
            yield case, self.timed(timer, function, x)

    def reductions(self, timer):
        for name, axes, dims in common.REDUCTIONS:
            axis = axes if name != "argmax" else axes[0]
            function = jax.jit(lambda x: getattr(jnp, name)(x, axis))
            x = self.inputs.reduce(dims)
            case = common.reduction_case(name, axes, dims)
            expected = common.numpy_reduce(name, x, axes)
            common.expect_near(f"reduce {case}", function(x), expected)
            yield case, self.timed(timer, function, x)

    def convolutions(self, timer):
        for is_depthwise, batch, side, channels in common.CONVOLUTIONS:
            depth = common.uniform(1, -0.3, 0.3, 3, 3, 1, channels)
            point = common.uniform(2, -0.1, 0.1, 1, 1, channels, 128)

            def both(x):
                x = jax.nn.relu6(convolution(x, depth, groups=channels))
                return jax.nn.relu6(convolution(x, point))

            first = lambda x: convolution(x, depth, groups=channels)
            case = common.convolution_case(is_depthwise, batch, side, channels)
            x = common.uniform(3, -2, 2, batch, side, side, channels)
            yield case, self.timed(timer, jax.jit(first if is_depthwise else both), x)

    # ---- With gradients ----

    def training(self, timer, step, state, *arguments):
        """step(state, ...) returns (loss, new state); the old one is given back, as in place as JAX does it."""
        step = jax.jit(step, donate_argnums=0)
        arguments = [jax.device_put(x) for x in arguments]
        held = [jax.tree.map(jnp.array, state)]

        def body():
            loss, held[0] = step(held[0], *arguments)
            jax.block_until_ready(held[0])

        return timer.measure(body)

    def descent(self, timer, loss, parameters, *arguments, rate=0.01):
        def step(parameters, *arguments):
            value, gradients = jax.value_and_grad(loss)(parameters, *arguments)
            return value, jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)

        return self.training(timer, step, parameters, *arguments)

    def perceptron(self, timer):
        data = self.inputs
        loss = lambda parameters, x, labels: crossentropy(perceptron(parameters, x), labels)

        def adam(state, x, labels):
            parameters, first, second, iterations = state
            value, gradients = jax.value_and_grad(loss)(parameters, x, labels)
            t = iterations + 1
            rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
            second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
            moved = zip(parameters, first, second)
            parameters = [p - rate * m / (jnp.sqrt(v) + 1e-7) for p, m, v in moved]
            return value, (parameters, first, second, t)

        examples = data.rows[:128], data.labels
        time = self.descent(timer, loss, data.parameters, *examples, rate=common.RATE)
        yield "step b128 sgd", time
        zeros = [np.zeros_like(p) for p in data.parameters]
        yield "step b128 adam", self.training(timer, adam, (data.parameters, zeros, zeros, 0.0), *examples)
        forward, parameters = jax.jit(perceptron), [jnp.array(p) for p in data.parameters]
        for batch in (1, 32):
            x = data.rows[:batch]
            expected = common.numpy_forward(data.parameters, x)
            common.expect_near("mlp", forward(parameters, x), expected)
            yield f"forward b{batch}", self.timed(timer, forward, parameters, x)

    def embedding(self, timer):
        """Gradients by the rows that are looked up, which alone are changed."""
        target = common.uniform(2, -1, 1, 64, 128, 256)

        def step(table, ids, target):
            loss = lambda rows: jnp.sum((rows - target) ** 2) / 64
            value, gradients = jax.value_and_grad(loss)(table[ids])
            return value, table.at[ids].add(-0.5 * gradients)

        table = common.uniform(1, -1, 1, 50000, 256)
        time = self.training(timer, step, table, self.inputs.ids, target)
        yield "step sgd 50000x256, 8192 rows", time

    def small(self, timer):
        add = jax.jit(lambda x, y: x + y)
        yield "add of 4", self.timed(timer, add, *self.inputs.four)

        def density(x, labels, w):
            z = x @ w
            return jnp.sum(labels * z - jax.nn.softplus(z))

        logistic = jax.jit(jax.value_and_grad(density, argnums=2))
        expected = common.numpy_logistic(*self.inputs.logistic)
        for ours, theirs in zip(logistic(*self.inputs.logistic), expected):
            common.expect_near("logistic", ours, theirs)
        yield "logistic 1000x10, gradient", self.timed(timer, logistic, *self.inputs.logistic)

        def scan(w, v, x):
            step = lambda h, now: (v * jnp.tanh(w * h + now), None)
            return lax.scan(step, jnp.zeros(8), x)[0]

        # Gradients of these do not vanish.
        bounds = [(0.95, 1, 8), (0.95, 1, 8), (-0.1, 0.1, 200, 8)]
        arguments = [common.uniform(i, *of) for i, of in enumerate(bounds)]
        yield "scan of 200", self.timed(timer, jax.jit(scan), *arguments)
        gradient = jax.grad(lambda *a: scan(*a).sum(), argnums=(0, 1))
        yield "scan of 200, gradient", self.timed(timer, jax.jit(gradient), *arguments)

    def normalization(self, timer, axes, *dims):
        """Result and gradients by x, gamma and beta."""

        def both(x, dy, gamma, beta):
            y, back = jax.vjp(lambda *a: normalize(*a, axes), x, gamma, beta)
            return y, back(dy)

        arguments = [common.uniform(i, -1, 1, *dims) for i in range(2)]
        arguments += [common.uniform(i, 0.5, 1, dims[-1]) for i in range(2)]
        return self.timed(timer, jax.jit(both), *arguments)

    def layernorm(self, timer):
        x = self.inputs.softmax(1024, 1024)
        arguments = x, np.ones(1024, np.float32), np.zeros(1024, np.float32)
        function = jax.jit(normalize)
        expected = common.numpy_layernorm(*arguments)
        common.expect_near("layernorm", function(*arguments), expected)
        yield "1024x1024, forward", self.timed(timer, function, *arguments)
        yield "4096x1024, gradient", self.normalization(timer, (-1,), 4096, 1024)

    def batchnorm(self, timer):
        yield "32x56x56x64, gradient", self.normalization(timer, (0, 1, 2), 32, 56, 56, 64)

    def attention(self, timer):
        def both(q, k, v, dy):
            y, back = jax.vjp(attention, q, k, v)
            return y, back(dy)

        heads, function = self.inputs.heads(), jax.jit(attention)
        expected = common.numpy_attention(*heads[:3])
        common.expect_near("attention", function(*heads[:3]), expected)
        yield "8x8 heads 256x64, forward", self.timed(timer, function, *heads[:3])
        yield "8x8 heads 256x64, gradient", self.timed(timer, jax.jit(both), *heads)

    def transformer(self, timer):
        parameters, forward = block_parameters(), jax.jit(block)
        x = common.uniform(3, -1, 1, 1, 16, 512)
        put = jax.tree.map(jnp.array, parameters)
        yield "forward b1 T16 D512 H8", timer.measure(lambda: jax.block_until_ready(forward(put, x)))
        loss = lambda parameters, x: jnp.mean(block(parameters, x) ** 2)
        x = common.uniform(3, -1, 1, 8, 128, 512)
        yield "step b8 T128 D512 H8 sgd", self.descent(timer, loss, parameters, x)

    def image_step(self, case, batch, side, classes, make):
        def family(timer):
            net, x = Net(make), common.uniform(3, -1, 1, batch, side, side, 3)
            labels = np.random.default_rng(5).integers(0, classes, batch).astype(np.int32)
            loss = lambda parameters, x, labels: crossentropy(net(parameters, x), labels)
            yield case, self.descent(timer, loss, net.draw(x), x, labels)

        return family

    def resnet50(self, timer):
        if not self.is_large:
            return
        for batch in (1, 8):
            net, x = Net(resnet50(False)), common.uniform(3, -1, 1, batch, 224, 224, 3)
            parameters = [jnp.array(p) for p in net.draw(x)]
            time = self.timed(timer, jax.jit(net.__call__), parameters, x)
            yield f"forward b{batch}", time
        step = self.image_step("step b8 sgd", 8, 224, common.CLASSES, resnet50(True))
        yield from step(timer)

    def recurrent(self, timer):
        def lstm_loss(weights, x):
            w, u, b = weights
            units = u.shape[0]

            def step(state, now):
                h, c = state
                i, f, g, o = jnp.split(now + h @ u, 4, 1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
                return (h, c), h

            zeros = jnp.zeros((x.shape[0], units))
            return jnp.mean(lax.scan(step, (zeros, zeros), (x @ w + b).swapaxes(0, 1))[1] ** 2)

        def weights(inputs, units, gates):
            shapes = (inputs, gates * units), (units, gates * units), (gates * units,)
            return [common.uniform(i, -0.1, 0.1, *shape) for i, shape in enumerate(shapes)]

        x = common.uniform(3, -1, 1, 32, 64, 128)
        gradient = jax.jit(jax.value_and_grad(lstm_loss))
        time = self.timed(timer, gradient, weights(128, 256, 4), x)
        yield "lstm T64 b32 128-256, gradient", time

        def gru(weights, x):
            w, u, b = weights

            def step(h, now):
                z, r, n = jnp.split(now, 3, 1)
                hz, hr, hn = jnp.split(h @ u, 3, 1)
                z = jax.nn.sigmoid(z + hz)
                candidate = jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn)
                h = z * h + (1 - z) * candidate
                return h, None

            zeros = jnp.zeros((x.shape[0], u.shape[0]))
            return lax.scan(step, zeros, (x @ w + b).swapaxes(0, 1))[0]

        x = common.uniform(3, -1, 1, 1, 128, 128)
        time = self.timed(timer, jax.jit(gru), weights(128, 512, 3), x)
        yield "gru T128 b1 128-512, forward", time
