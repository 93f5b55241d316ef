"""NumPy's."""

import numpy as np

from libraries import common


class Numpy:
    name = "numpy"
    version = np.__version__

    def __init__(self, inputs, is_large=False):
        self.inputs = inputs
        self.families = {
            "ew_chain": self.chain,
            "gemm": self.products,
            "mlp": self.perceptron,
            "small": self.small,
            "softmax": self.softmaxes,
            "reduce": self.reductions,
            "eval_shapes": self.eval_shapes,
            "dynbatch": self.sizes,
        }

    def chain(self, timer):
        yield "n=2^20", timer.measure(lambda: common.numpy_chain(*self.inputs.chain))

    def products(self, timer):
        for *shape, is_transposed, dtype in common.PRODUCTS:
            if dtype in ("", "float64"):
                body = common.product_body(is_transposed)
                a, b = [x.astype(dtype or "float32") for x in self.inputs.product(*shape, is_transposed)]
                yield common.product_case(*shape, is_transposed, dtype), timer.measure(lambda: body(a, b))

    def perceptron(self, timer):
        for batch in (1, 32):
            x = self.inputs.rows[:batch]
            body = lambda: common.numpy_forward(self.inputs.parameters, x)
            yield f"forward b{batch}", timer.measure(body)

    def small(self, timer):
        four = self.inputs.four
        yield "add of 4", timer.measure(lambda: four[0] + four[1])
        body = lambda: common.numpy_logistic(*self.inputs.logistic)
        yield "logistic 1000x10, gradient", timer.measure(body)

    def softmaxes(self, timer):
        for rows, columns, axis, is_log, dtype in common.SOFTMAXES:
            if not dtype:
                x = self.inputs.softmax(rows, columns)
                body = lambda: common.numpy_softmax(x, axis, is_log)
                yield common.softmax_case(rows, columns, axis, is_log, dtype), timer.measure(body)

    def reductions(self, timer):
        for name, axes, dims in common.REDUCTIONS:
            x = self.inputs.reduce(dims)
            function, axis = getattr(np, name), axes if len(axes) > 1 else axes[0]
            yield common.reduction_case(name, axes, dims), timer.measure(lambda: function(x, axis))

    def eval_shapes(self, timer):
        generator = np.random.Generator(np.random.Philox(7))
        draws = {"random_uniform": lambda shape: generator.random(shape, np.float32)}
        yield from common.eval_rows(timer, lambda shape: np.ones(shape, np.float32), draws)

    def sizes(self, timer):
        batches = [self.inputs.rows[:size] for size in self.inputs.order]
        forward = lambda x: common.numpy_forward(self.inputs.parameters, x)
        yield from common.size_rows(timer, batches, forward)
