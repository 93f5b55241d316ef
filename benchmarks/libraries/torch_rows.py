"""PyTorch's, eager; and what torch.compile takes to compile."""

import os
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

from libraries import common, torch_models


class Torch:
    name = "torch"
    version = torch.__version__

    def __init__(self, inputs, is_large=False):
        torch.set_num_threads(1)
        self.inputs, self.is_large = inputs, is_large
        forwards = {"ew_chain": [], "gemm": [], "softmax": [], "reduce": []}
        self.families = {name: self.only_forward(name) for name in forwards} | {
            "mlp": self.perceptron,
            "embedding": self.embedding,
            "small": self.small,
            "layernorm": self.layernorm,
            "batchnorm": self.batchnorm,
            "attention": self.attention,
            "xformer": self.transformer,
            "sepconv": self.only_forward("sepconv"),
            "cnn_cifar": self.image_step("step b32", 32, 32, 10, torch_models.cifar_net),
            "resnet20": self.image_step("step b64", 64, 32, 10, torch_models.resnet20),
            "resnet50": self.resnet50,
            "rnn": self.recurrent,
            "ctc": self.ctc,
            "eval_shapes": self.eval_shapes,
            "dynbatch": self.sizes,
        }

    def tensors(self, arrays):
        return [torch.from_numpy(array) for array in arrays]

    # ---- Without gradients ----

    def forward(self, timer, name):
        with torch.inference_mode():
            rows = torch_models.forwards(self.inputs, [name], self.is_large)
            for name, case, function, arguments, dtype in rows:
                self.check(name, case, function(*arguments), arguments, dtype)
                yield case, timer.measure(lambda: function(*arguments))

    def only_forward(self, name):
        return lambda timer: self.forward(timer, name)

    def check(self, name, case, result, arguments, dtype):
        """Against NumPy, those that have a plain result."""
        inputs, of = self.inputs, [x.double().numpy() for x in arguments]
        expected = None
        if name == "ew_chain":
            expected = common.numpy_chain(*of)
        elif name == "gemm":
            expected = common.product_body("A^T" in case)(*of)
        elif name == "mlp":
            expected = common.numpy_forward(inputs.parameters, of[0])
        elif name == "softmax":
            expected = common.numpy_softmax(of[0], int(case.split("axis ")[1][0]), "log" in case)
        elif name == "attention":
            expected = common.numpy_attention(*of)
        if expected is not None:
            common.expect_near(f"{name} {case}", result.double().numpy(), expected, dtype)

    def small(self, timer):
        yield from self.forward(timer, "small")
        # Gradients of these do not vanish.
        w, v = ((0.95 + 0.05 * torch.rand(8)).requires_grad_() for _ in range(2))
        x = 0.2 * torch.rand(200, 8) - 0.1

        def scan():
            h = torch.zeros(8)
            for row in x:
                h = v * torch.tanh(w * h + row)
            return h

        with torch.inference_mode():
            yield "scan of 200", timer.measure(scan)
        gradient = lambda: torch.autograd.grad(scan().sum(), (w, v))
        yield "scan of 200, gradient", timer.measure(gradient)
        yield from self.logistic(timer)

    def eval_shapes(self, timer):
        truncated = torch.nn.init.trunc_normal_
        draws = {
            "random_uniform": torch.rand,
            "truncated_normal": lambda shape: truncated(torch.empty(shape)),
        }
        with torch.inference_mode():
            yield from common.eval_rows(timer, torch.ones, draws)

    def sizes(self, timer):
        net = torch_models.Perceptron(self.inputs.parameters)
        batches = self.tensors(self.inputs.rows[:size] for size in self.inputs.order)
        with torch.inference_mode():
            yield from common.size_rows(timer, batches, net)

    # ---- With gradients ----

    def logistic(self, timer):
        x, labels, w = self.tensors(self.inputs.logistic)
        w.requires_grad_()

        def step():
            z = x @ w
            density = torch.sum(labels * z - F.softplus(z))
            return density, torch.autograd.grad(density, w)[0]

        for ours, expected in zip(step(), common.numpy_logistic(*self.inputs.logistic)):
            common.expect_near("logistic", ours.detach().numpy(), expected)
        yield "logistic 1000x10, gradient", timer.measure(step)

    def training(self, timer, parameters, loss, optimizer=None):
        parameters = list(parameters)
        optimizer = optimizer or torch.optim.SGD(parameters, lr=0.01, foreach=True)

        def step():
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()

        return timer.measure(step)

    def perceptron(self, timer):
        labels = torch.from_numpy(self.inputs.labels).long()
        x = torch.from_numpy(self.inputs.rows[:128])
        kinds = {
            "sgd": lambda p: torch.optim.SGD(p, lr=common.RATE, foreach=True),
            "adam": lambda p: torch.optim.Adam(p, lr=1e-3, eps=1e-7, fused=True),
        }
        for kind, make in kinds.items():
            net = torch_models.Perceptron(self.inputs.parameters)
            loss = lambda: F.cross_entropy(net(x), labels)
            optimizer = make(list(net.parameters()))
            yield f"step b128 {kind}", self.training(timer, net.parameters(), loss, optimizer)
        yield from self.forward(timer, "mlp")

    def embedding(self, timer):
        """Only the rows that are looked up have a gradient, and are changed, but by Adam that is not lazy."""
        ids = torch.from_numpy(self.inputs.ids).long()
        target = torch.rand(64, 128, 256)
        for kind, sparse, make in (("step sgd", True, lambda p: torch.optim.SGD(p, lr=0.5)),
                                   ("step adam", False, lambda p: torch.optim.Adam(p, lr=1e-3)),
                                   ("lazy step adam", True, lambda p: torch.optim.SparseAdam(list(p), lr=1e-3))):
            table = nn.Embedding(50000, 256, sparse=sparse)
            loss = lambda: (table(ids) - target).square().sum() / 64
            time = self.training(timer, table.parameters(), loss, make(table.parameters()))
            yield f"{kind} 50000x256, 8192 rows", time

    def layernorm(self, timer):
        yield from self.forward(timer, "layernorm")
        gamma, beta = torch.rand(1024).requires_grad_(), torch.rand(1024).requires_grad_()
        x, dy = torch.rand(4096, 1024).requires_grad_(), torch.rand(4096, 1024)

        def body():
            y = F.layer_norm(x, (1024,), gamma, beta, 1e-3)
            torch.autograd.grad(y, (x, gamma, beta), dy)

        yield "4096x1024, gradient", timer.measure(body)

    def batchnorm(self, timer):
        x, dy = torch_models.images(32, 56, 64).requires_grad_(), torch_models.images(32, 56, 64)
        gamma, beta = torch.rand(64).requires_grad_(), torch.rand(64).requires_grad_()

        def body():
            y = F.batch_norm(x, None, None, gamma, beta, training=True, eps=1e-3)
            torch.autograd.grad(y, (x, gamma, beta), dy)

        yield "32x56x56x64, gradient", timer.measure(body)

    def attention(self, timer):
        yield from self.forward(timer, "attention")
        q, k, v, dy = self.tensors(self.inputs.heads())
        for x in (q, k, v):
            x.requires_grad_()
        body = lambda: torch.autograd.grad(torch_models.attention(q, k, v), (q, k, v), dy)
        yield "8x8 heads 256x64, gradient", timer.measure(body)

    def transformer(self, timer):
        yield from self.forward(timer, "xformer")
        net, x = torch_models.Block(), torch.rand(8, 128, 512)
        loss = lambda: net(x).square().mean()
        yield "step b8 T128 D512 H8 sgd", self.training(timer, net.parameters(), loss)

    def image_step(self, case, batch, side, classes, make):
        def family(timer):
            net = make().to(memory_format=torch.channels_last)
            x, labels = torch_models.images(batch, side), torch.randint(0, classes, (batch,))
            loss = lambda: F.cross_entropy(net(x), labels)
            yield case, self.training(timer, net.parameters(), loss)

        return family

    def resnet50(self, timer):
        if self.is_large:
            yield from self.forward(timer, "resnet50")
            net = lambda: torch_models.resnet50(True)
            yield from self.image_step("step b8 sgd", 8, 224, common.CLASSES, net)(timer)

    def recurrent(self, timer):
        lstm = nn.LSTM(128, 256, batch_first=True)
        x = torch.rand(32, 64, 128)

        def step():
            lstm.zero_grad()
            lstm(x)[0].square().mean().backward()

        yield "lstm T64 b32 128-256, gradient", timer.measure(step)
        gru = nn.GRU(128, 512, batch_first=True)
        one = torch.rand(1, 128, 128)
        with torch.inference_mode():
            yield "gru T128 b1 128-512, forward", timer.measure(lambda: gru(one))

    def ctc(self, timer):
        probabilities = torch.softmax(torch.rand(200, 32, 32) * 6 - 3, 2).requires_grad_()
        labels = torch.randint(0, 31, (32, 30))
        times, lengths = torch.full((32,), 200), torch.full((32,), 30)

        def step():
            logs = torch.log(probabilities)
            loss = F.ctc_loss(logs, labels, times, lengths, blank=31, reduction="sum")
            torch.autograd.grad(loss, probabilities)

        yield "T200 b32 C32 L30, gradient", timer.measure(step)


class Inductor:
    """torch.compile, only for what compiling takes: minutes for 10,000 ops."""

    name = "inductor"
    version = torch.__version__

    def __init__(self, inputs, is_large=False):
        os.environ.setdefault("CXX", "clang++-19")
        torch.set_num_threads(1)
        self.inputs = inputs
        self.families = {"dag": self.dag}

    def dag(self, timer):
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
        yield from common.dag_rows(timer, library, inputs, compiled, most=1000)
