"""Compares derivatives and maps of random graphs with JAX: transforms.py [--count=N] [--seed=N].

    PYTHONPATH=build/release/python PYTHON tests/judge/transforms.py --count=300

PYTHON has JAX and NumPy and is of the module's version. A graph is made of a table of functions, once
for either side, in float64. Compared are its value, tangents, gradients, tangents of gradients, its
Jacobian by columns and by rows, the Hessian of a weighted sum, and what maps of it give. Prints
disagreements, with the graph as text; exit code 1 if there are any.
"""

import argparse
import dataclasses
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("KERATIN_CACHE", "off")

import numpy as np
import jax
import jax.numpy as jnp

import keratin.backend as K

jax.config.update("jax_enable_x64", True)
K.set_floatx("float64")

# Of the largest number of a result: what two orders of summation may differ by. Second derivatives
# add up more.
FIRST, SECOND = 1e-9, 1e-7


@dataclasses.dataclass
class Function:
    """What both sides make of operands; `shapes` says whether it takes operands of these shapes."""
    name: str
    operands: int
    ours: object
    theirs: object
    shapes: object = lambda *shapes: True


def same(*shapes):
    return len(set(shapes)) == 1


def matrices(a, b):
    return len(a) == 2 and len(b) == 2 and a[1] == b[0]


def has_rank(least):
    return lambda shape: len(shape) >= least


def steps(ours_step, theirs_step):
    """A loop over the first dimension."""
    def theirs(x):
        state = jnp.zeros_like(x[0])
        for element in x:
            state = theirs_step(state, element)
        return state
    return (lambda x: K.foldl(ours_step, x, initializer=K.zeros_like(x[0]))), theirs



FUNCTIONS = [
    Function("add", 2, lambda a, b: a + b, lambda a, b: a + b, same),
    Function("sub", 2, lambda a, b: a - b, lambda a, b: a - b, same),
    Function("mul", 2, lambda a, b: a * b, lambda a, b: a * b, same),
    Function("div", 2, lambda a, b: a / (1.5 + K.square(b)), lambda a, b: a / (1.5 + jnp.square(b)), same),
    Function("maximum", 2, K.maximum, jnp.maximum, same),
    Function("where", 2, lambda a, b: K.switch(K.greater(a, b), K.sin(a), a * b),
             lambda a, b: jnp.where(a > b, jnp.sin(a), a * b), same),
    Function("tanh", 1, K.tanh, jnp.tanh),
    Function("sin", 1, K.sin, jnp.sin),
    Function("sigmoid", 1, K.sigmoid, jax.nn.sigmoid),
    Function("softplus", 1, K.softplus, jax.nn.softplus),
    Function("exp", 1, lambda x: K.exp(K.tanh(x)), lambda x: jnp.exp(jnp.tanh(x))),
    Function("log", 1, lambda x: K.log(1.5 + K.square(x)), lambda x: jnp.log(1.5 + jnp.square(x))),
    Function("sqrt", 1, lambda x: K.sqrt(1.5 + K.square(x)), lambda x: jnp.sqrt(1.5 + jnp.square(x))),
    Function("pow", 1, lambda x: K.pow(1.5 + K.square(x), .7), lambda x: jnp.power(1.5 + jnp.square(x), .7)),
    Function("expm1", 1, lambda x: K.expm1(K.sin(x)), lambda x: jnp.expm1(jnp.sin(x))),
    Function("hypot", 2, lambda a, b: K.hypot(a, b + 2), lambda a, b: jnp.hypot(a, b + 2), same),
    Function("atan2", 2, lambda a, b: K.atan2(a, K.square(b) + 1), lambda a, b: jnp.arctan2(a, jnp.square(b) + 1), same),
    Function("transpose", 1, K.transpose, jnp.transpose, has_rank(1)),
    Function("flatten", 1, lambda x: K.reshape(x, (-1,)), lambda x: jnp.reshape(x, (-1,))),
    Function("reverse", 1, lambda x: K.reverse(x, 0), lambda x: x[::-1], has_rank(1)),
    Function("roll", 1, lambda x: K.roll(x, 1, axis=0), lambda x: jnp.roll(x, 1, 0), has_rank(1)),
    Function("slice", 1, lambda x: x[1:], lambda x: x[1:], lambda s: len(s) >= 1 and s[0] > 2),
    Function("gather", 1, lambda x: K.gather(x, [1, 0, 1]), lambda x: x[jnp.array([1, 0, 1])],
             lambda s: len(s) >= 1 and s[0] >= 2),
    Function("concatenate", 2, lambda a, b: K.concatenate([a, b], 0), lambda a, b: jnp.concatenate([a, b], 0),
             lambda a, b: len(a) >= 1 and len(a) == len(b) and a[1:] == b[1:] and a[0] + b[0] <= 8),
    Function("outer", 2, lambda a, b: K.expand_dims(a, -1) * b, lambda a, b: a[:, None] * b,
             lambda a, b: len(a) == len(b) == 1),
    Function("dot", 2, lambda a, b: K.dot(a, b), lambda a, b: a @ b, matrices),
    Function("gram", 1, lambda x: K.dot(x, K.transpose(x)), lambda x: x @ x.T, lambda s: len(s) == 2),
    Function("batch_dot", 1, lambda x: K.batch_dot(x, K.sin(x), axes=(2, 2)),
             lambda x: jnp.einsum("bik,bjk->bij", x, jnp.sin(x)), lambda s: len(s) == 3),
    Function("sum", 1, lambda x: K.sum(x, 0), lambda x: jnp.sum(x, 0), has_rank(1)),
    Function("mean", 1, lambda x: K.mean(x, -1), lambda x: jnp.mean(x, -1), has_rank(1)),
    Function("max", 1, lambda x: K.max(x, -1), lambda x: jnp.max(x, -1), has_rank(1)),
    Function("prod", 1, lambda x: K.prod(K.cos(x), -1), lambda x: jnp.prod(jnp.cos(x), -1), has_rank(1)),
    Function("var", 1, lambda x: K.var(x, 0), lambda x: jnp.var(x, 0), has_rank(1)),
    Function("cumsum", 1, lambda x: K.cumsum(x, 0), lambda x: jnp.cumsum(x, 0), has_rank(1)),
    Function("cumprod", 1, lambda x: K.cumprod(K.sin(x), 0), lambda x: jnp.cumprod(jnp.sin(x), 0), has_rank(1)),
    Function("softmax", 1, lambda x: K.softmax(x, -1), lambda x: jax.nn.softmax(x, -1), has_rank(2)),
    Function("logsumexp", 1, lambda x: K.logsumexp(x, -1), lambda x: jax.nn.logsumexp(x, -1), has_rank(1)),
    Function("sort", 1, lambda x: K.sort(x, -1), lambda x: jnp.sort(x, -1), has_rank(1)),
    Function("norm", 1, lambda x: K.norm(x + .5), lambda x: jnp.linalg.norm((x + .5).ravel()), has_rank(1)),
    Function("tril", 1, K.tril, jnp.tril, has_rank(2)),
    Function("kron", 2, K.kron, jnp.kron, lambda a, b: len(a) == len(b) == 2 and np.prod(a) * np.prod(b) <= 64),
    Function("foldl", 1, *steps(lambda s, e: K.tanh(s * e + e), lambda s, e: jnp.tanh(s * e + e)), has_rank(1)),
    Function("map_fn", 1, lambda x: K.map_fn(lambda e: K.sum(K.sin(e)) * e, x),
             lambda x: jax.vmap(lambda e: jnp.sum(jnp.sin(e)) * e)(x), has_rank(1)),
    Function("vectorized_map", 1, lambda x: K.vectorized_map(lambda e: K.cumsum(K.sin(e), 0) * e, x),
             lambda x: jax.vmap(lambda e: jnp.cumsum(jnp.sin(e), 0) * e)(x), has_rank(2)),
]
SHAPES = [(), (3,), (4,), (2, 3), (3, 2), (3, 3), (4, 2), (2, 3, 2)]
MOST_ELEMENTS = 64


class Graph:
    """Inputs, and lines of a function and the places of its operands; the last is the result."""

    def __init__(self, random):
        self.inputs = [random.normal(size=SHAPES[random.integers(len(SHAPES))]) * .8
                       for _ in range(random.integers(1, 4))]
        self.lines = []
        shapes = [x.shape for x in self.inputs]
        length = random.integers(3, 10)
        for _ in range(200):
            if len(self.lines) == length:
                break
            function = FUNCTIONS[random.integers(len(FUNCTIONS))]
            # What was made last is likelier to be used.
            operands = [min(len(shapes) - 1, int(random.exponential(1.2)))
                        for _ in range(function.operands)]
            operands = [len(shapes) - 1 - place for place in operands]
            found = [shapes[place] for place in operands]
            if not function.shapes(*found):
                continue
            made = jax.eval_shape(function.theirs, *(jax.ShapeDtypeStruct(s, "float64") for s in found))
            if 0 < np.prod(made.shape) <= MOST_ELEMENTS:
                self.lines.append((function, operands))
                shapes.append(made.shape)

    def text(self):
        lines = [f"%{i}: input {x.shape}" for i, x in enumerate(self.inputs)]
        return "\n".join(lines + [f"%{len(self.inputs) + i} = {function.name}(" + ", ".join(f"%{o}" for o in operands) + ")"
                                  for i, (function, operands) in enumerate(self.lines)])

    def apply(self, side, inputs):
        values = list(inputs)
        for function, operands in self.lines:
            values.append(getattr(function, side)(*(values[place] for place in operands)))
        return values[-1]


def theirs(graph, weights, tangents):
    """Results by name. One program: to compile operations one by one takes ten times as long."""
    program = jax.jit(lambda inputs, tangents: theirs_of(graph, weights, inputs, tangents))
    results = program(tuple(graph.inputs), tuple(tangents))
    return {name: np.asarray(x) for name, x in results.items()}


def theirs_of(graph, weights, inputs, tangents):
    function = lambda *xs: graph.apply("theirs", xs)
    loss = lambda *xs: jnp.sum(function(*xs) * weights)
    every = tuple(range(len(inputs)))
    gradient = jax.grad(loss, every)
    y, tangent = jax.jvp(function, inputs, tangents)
    results = {"value": y, "tangent": tangent}
    products = jax.jvp(gradient, inputs, tangents)[1]
    for i, (g, p) in enumerate(zip(gradient(*inputs), products)):
        results[f"gradient {i}"], results[f"tangent of gradient {i}"] = g, p
    results["Jacobian"] = jax.jacobian(function, 0)(*inputs)
    results["Hessian"] = jax.hessian(loss, 0)(*inputs)
    batch = jnp.stack([inputs[0], inputs[0] * .5, inputs[0] + .25])
    results["map"] = jax.vmap(lambda x: function(x, *inputs[1:]))(batch)
    results["map of gradients"] = jax.vmap(lambda x: jax.grad(loss)(x, *inputs[1:]))(batch)
    return results


def ours(graph, weights, tangents):
    inputs = [K.placeholder(x.shape) for x in graph.inputs]
    directions = [K.placeholder(x.shape) for x in graph.inputs]
    y = graph.apply("ours", inputs)
    loss = K.sum(y * K.constant(weights))
    zeros = lambda found, like: [K.zeros_like(x) if g is None else g for g, x in zip(found, like)]
    names, results = ["value", "tangent"], [y, K.jvp(y, inputs, directions)[0]]
    gradients = zeros(K.gradients(loss, inputs), inputs)
    products = K.hessian_vector_product(loss, inputs, directions)
    for i, (g, p) in enumerate(zip(gradients, products)):
        names += [f"gradient {i}", f"tangent of gradient {i}"]
        results += [g, p]
    for mode in ("forward", "reverse"):
        names.append("Jacobian")
        results.append(K.jacobian(y, inputs[0], mode=mode)[0])
    names.append("Hessian")
    results.append(K.hessian(loss, inputs[0]))
    batch = K.stack([inputs[0], inputs[0] * .5, inputs[0] + .25])
    names.append("map")
    results.append(K.vectorized_map(lambda x: graph.apply("ours", [x, *inputs[1:]]), batch))

    def gradient_at(x):
        inner = K.sum(graph.apply("ours", [x, *inputs[1:]]) * K.constant(weights))
        return zeros(K.gradients(inner, [x]), [x])[0]

    names.append("map of gradients")
    results.append(K.vectorized_map(gradient_at, batch))
    found = K.function([*inputs, *directions], results)([*graph.inputs, *tangents])
    return list(zip(names, found))


def disagreements(graph, random):
    result = jax.eval_shape(lambda *xs: graph.apply("theirs", xs), *graph.inputs)
    weights = np.cos(np.arange(int(np.prod(result.shape))) * .7 + .3).reshape(result.shape)
    tangents = [random.normal(size=x.shape) for x in graph.inputs]
    expected = theirs(graph, weights, tangents)
    wrong = []
    for name, found in ours(graph, weights, tangents):
        right, found = expected[name], np.asarray(found)
        if found.shape != right.shape:
            wrong.append(f"{name}: shape {found.shape}, JAX has {right.shape}")
            continue
        limit = FIRST if name in ("value", "tangent", "map") or name.startswith("gradient") else SECOND
        scale = max(1, np.abs(right).max(initial=0))
        error = np.abs(found - right).max(initial=0)
        if not error <= limit * scale:
            wrong.append(f"{name}: off by {error:.3g} of {scale:.3g}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    used = set()
    for seed in range(options.seed, options.seed + options.count):
        random = np.random.default_rng(seed)
        K.clear_session()
        graph = Graph(random)
        used.update(function.name for function, _ in graph.lines)
        try:
            wrong = disagreements(graph, random)
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}"]
        if wrong:
            failures += 1
            print(f"seed {seed}:\n{graph.text()}\n  " + "\n  ".join(wrong), flush=True)
    unused = {function.name for function in FUNCTIONS} - used
    print(f"{options.count} graphs, {failures} disagree" + (f"; never used: {', '.join(sorted(unused))}" if unused else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
