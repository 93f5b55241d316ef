"""What PyTorch takes on a GPU for the cases of `keratin-bench --device=cuda`: one JSON object a line, as soon as it is
there. Each case is called eagerly, as a CUDA graph, and with --compile as torch.compile makes it.

min_ms and median_ms are of a call and a wait for its end on the host's clock; kernels_ms is the time between CUDA events
around many calls, over their number. A case that fails is a line with its error, and the next one follows.

Compared with what keratin-bench printed: torch_device.py --beside keratin.json torch.json [more files]
"""

import argparse
import json
import math
import statistics
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

RATE = 0.01
SHORT = {"f32": "float32", "tf32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64"}
# For CPUs: the least that a try takes.
LEAST_CALLS, MOST_CALLS = 3, 2000


# ---- Cases -------------------------------------------------------------------------------------


class Cases:
    """Names and sizes are those of benchmarks/keratin-bench/DeviceCases.cpp. Each is (name, case, numbers, make), where
    make() gives a function without arguments, whose results are not looked at.
    """

    def __init__(self, torch, device, scale):
        self.torch, self.device, self.scale = torch, device, scale
        self.functional = torch.nn.functional

    def rows(self, size):
        return max(size // self.scale, 1)

    def side(self, size):
        return max(int(size / math.sqrt(self.scale)) // 16 * 16, 16)

    def array(self, *shape, numbers="f32", low=-1.0, high=1.0):
        dtype = getattr(self.torch, SHORT[numbers])
        return self.torch.empty(shape, device=self.device).uniform_(low, high).to(dtype)

    def parameter(self, *shape, limit=0.05):
        return self.array(*shape, low=-limit, high=limit).requires_grad_()

    def integers(self, count, below):
        return self.torch.randint(0, below, (count,), device=self.device)

    def __iter__(self):
        yield from self.elementwise()
        yield from self.reductions()
        yield from self.moves()
        yield from self.products()
        yield from self.attention()
        yield from self.images()
        yield from self.steps()

    # -- Element by element, reductions, moves --

    def elementwise(self):
        torch, F = self.torch, self.functional
        yield "small", "add of 4", "f32", lambda: (torch.add, (self.array(4), self.array(4)))
        n = self.rows(1 << 27)
        yield "negate", f"n={n}", "f32", lambda n=n: (torch.neg, (self.array(n),))

        def chain(x, y):
            v = torch.tanh(x * y + x) * y - x
            w = F.leaky_relu(v, 0.1)
            return torch.sqrt(w * w + 1) * torch.sigmoid(w)

        for n in (self.rows(1 << 20), self.rows(1 << 26)):
            yield "ew_chain", f"n={n}", "f32", lambda n=n: (chain, (self.array(n), self.array(n)))
        n = self.rows(8192)
        biased = lambda x, bias: torch.relu(x + bias)
        yield "broadcast", f"{n}x8192 + 8192, relu", "f32", lambda n=n: (biased, (self.array(n, 8192), self.array(8192)))
        n = self.rows(1 << 26)
        yield "dropout", f"n={n}", "f32", lambda n=n: (lambda x: F.dropout(x, 0.2, True), (self.array(n),))

    def reductions(self):
        torch, F = self.torch, self.functional
        for count in (8192, 1024):
            for numbers in ("f32", "f16", "bf16"):
                n = self.rows(count)
                make = lambda n=n, numbers=numbers: (lambda x: F.softmax(x, -1), (self.array(n, 1024, numbers=numbers),))
                yield "softmax", f"{n}x1024 {numbers}", numbers, make
        n = self.rows(4096)
        normal = lambda x, gamma, beta: F.layer_norm(x, (1024,), gamma, beta, 1e-3)

        def arguments():
            return self.array(n, 1024), self.array(1024, low=0.5, high=1.5), self.array(1024)

        def gradient():
            x, gamma, beta = (each.requires_grad_() for each in arguments())
            return self.with_gradients(normal, (x, gamma, beta), self.array(n, 1024))

        yield "layernorm", f"{n}x1024", "f32", lambda: (normal, arguments())
        yield "layernorm", f"{n}x1024, gradient", "f32", gradient
        n = self.rows(256)
        for axis in (0, 1, 2, 3):
            name = f"sum {axis} of {n}x256x256" if axis < 3 else f"sum all of {n}x256x256"
            function = (lambda x, axis=axis: x.sum(axis)) if axis < 3 else torch.sum
            yield "reduce", name, "f32", lambda f=function, n=n: (f, (self.array(n, 256, 256),))
        n = self.rows(1 << 26)
        yield "reduce", f"sum of {n}", "f32", lambda n=n: (torch.sum, (self.array(n),))
        n = self.rows(8192)
        yield "cumsum", f"{n}x1024 axis 1", "f32", lambda n=n: (lambda x: x.cumsum(1), (self.array(n, 1024),))

    def moves(self):
        n, count = self.side(8192), self.rows(1 << 20)
        yield "transpose", f"{n}x{n}", "f32", lambda: (lambda x: x.T.contiguous(), (self.array(n, n),))
        take = lambda table, rows: table.index_select(0, rows)
        make = lambda: (take, (self.array(65536, 64), self.integers(count, 65536).int()))
        yield "gather", f"{count} rows of 64", "f32", make

    # -- Products --

    def product(self, m, k, n, numbers):
        make = lambda: (self.torch.mm, (self.array(m, k, numbers=numbers), self.array(k, n, numbers=numbers)))
        return "gemm", f"{m}x{k}x{n} {numbers}", numbers, make

    def products(self):
        sizes = {"f32": (1024, 4096), "tf32": (1024, 4096), "f16": (1024, 4096, 8192), "bf16": (1024, 4096, 8192)}
        for numbers, sides in (sizes | {"f64": (2048,)}).items():
            for n in sides:
                yield self.product(self.side(n), self.side(n), self.side(n), numbers)
        yield self.product(32, 512, 10, "f32")
        yield self.product(128, 784, 512, "f32")

    def attention(self):
        heads = self.rows(64)
        attend = lambda q, k, v: self.functional.scaled_dot_product_attention(q, k, v)

        def inputs(count, time, numbers):
            # One sample: kernels of attention want batches of heads.
            return tuple(self.array(1, heads, time, 64, numbers=numbers) for _ in range(count))

        def gradient(time, numbers):
            *qkv, dy = inputs(4, time, numbers)
            return self.with_gradients(attend, tuple(x.requires_grad_() for x in qkv), dy)

        for time in (256, self.side(1024)):
            for numbers in ("f32", "f16", "bf16"):
                make = lambda time=time, numbers=numbers: (attend, inputs(3, time, numbers))
                yield "attention", f"{heads} heads {time}x64 {numbers}", numbers, make
        for time, numbers in ((256, "f32"), (256, "f16"), (self.side(1024), "f16"), (self.side(1024), "bf16")):
            make = lambda time=time, numbers=numbers: gradient(time, numbers)
            yield "attention", f"{heads} heads {time}x64 {numbers}, gradient", numbers, make

    def with_gradients(self, function, arguments, dy):
        def both(*arguments):
            y = function(*arguments)
            return (y, *self.torch.autograd.grad(y, arguments, dy))

        return both, arguments

    # -- Images, channels last in memory, where that is the fast layout --

    def image(self, *shape, numbers="f32"):
        return self.array(*shape, numbers=numbers).to(memory_format=self.torch.channels_last)

    def images(self):
        torch, F = self.torch, self.functional
        batch = self.rows(32)
        convolve = lambda x, filters, bias: F.relu(F.conv2d(x, filters, bias, padding=1))

        def forward(numbers):
            dtype = getattr(torch, SHORT[numbers])
            filters = self.image(64, 64, 3, 3, numbers=numbers) * 0.05
            return convolve, (self.image(batch, 64, 56, 56, numbers=numbers), filters, self.array(64).to(dtype))

        def step():
            x = self.image(batch, 64, 56, 56)
            filters, bias = (self.image(64, 64, 3, 3) * 0.05).requires_grad_(), self.parameter(64)
            return self.descent(lambda: convolve(x, filters, bias).square().mean(), [filters, bias])

        for numbers in ("f32", "tf32", "f16"):
            yield "conv", f"forward {batch}x56x56x64 to 64 {numbers}", numbers, lambda n=numbers: forward(n)
        for numbers in ("f32", "tf32"):
            yield "conv", f"step {batch}x56x56x64 to 64 {numbers}", numbers, step

        def separable(x, depth, point):
            return F.relu6(F.conv2d(F.relu6(F.conv2d(x, depth, padding=1, groups=128)), point))

        make = lambda: (separable, (self.image(batch, 128, 56, 56), self.image(128, 1, 3, 3), self.image(128, 128, 1, 1)))
        yield "sepconv", f"{batch}x56x56x128 to 128", "f32", make

        def batch_norm():
            normal = lambda x, gamma, beta: F.batch_norm(x, None, None, gamma, beta, True, 0.1, 1e-3)
            x = self.image(batch, 64, 56, 56).requires_grad_()
            return self.with_gradients(normal, (x, self.parameter(64), self.parameter(64)), self.image(batch, 64, 56, 56))

        yield "batchnorm", f"{batch}x56x56x64, gradient", "f32", batch_norm
        make = lambda: (lambda x: F.max_pool2d(x, 2), (self.image(batch, 64, 112, 112),))
        yield "maxpool", f"{batch}x112x112x64", "f32", make

    # -- Training steps --

    def descent(self, loss, parameters):
        """Gradient descent, in as few kernels as PyTorch has for it."""
        torch = self.torch
        parameters = list(parameters)

        def step():
            value = loss()
            gradients = torch.autograd.grad(value, parameters)
            with torch.no_grad():
                torch._foreach_add_(parameters, gradients, alpha=-RATE)
            return value

        return step, ()

    def steps(self):
        torch, F = self.torch, self.functional
        batch = self.rows(128)

        def perceptron():
            sizes = (784, 512, 512, 10)
            weights = [self.parameter(*pair) for pair in zip(sizes, sizes[1:])]
            biases = [self.parameter(size) for size in sizes[1:]]
            x, labels = self.array(batch, 784), self.integers(batch, 10)

            def loss():
                y = x
                for layer in range(3):
                    y = torch.addmm(biases[layer], y, weights[layer])
                    y = torch.relu(y) if layer < 2 else y
                return F.cross_entropy(y, labels)

            return self.descent(loss, weights + biases)

        for numbers in ("f32", "tf32"):
            yield "mlp", f"step b{batch} sgd {numbers}", numbers, perceptron
        sequences, inputs, units = self.rows(64), self.side(256), self.side(512)

        def lstm():
            net = torch.nn.LSTM(inputs, units, bias=False, batch_first=True).to(self.device)
            x = self.array(sequences, 32, inputs)
            return self.descent(lambda: net(x)[0].square().mean(), net.parameters())

        yield "lstm", f"step T32 b{sequences} {inputs}-{units}", "f32", lstm
        texts, words = self.rows(8), self.side(128)

        def transformer():
            from libraries import torch_models  # imports PyTorch, which --beside does without

            net = torch_models.Block().to(self.device)
            x = self.array(texts, words, 512)
            return self.descent(lambda: net(x).square().mean(), net.parameters())

        for numbers in ("f32", "tf32"):
            yield "xformer", f"step b{texts} T{words} D512 H8 sgd {numbers}", numbers, transformer


# ---- Times -------------------------------------------------------------------------------------


class Clock:
    def __init__(self, torch, device, seconds):
        self.torch, self.seconds = torch, seconds
        self.is_cuda = device.startswith("cuda")

    def wait(self):
        if self.is_cuda:
            self.torch.cuda.synchronize()

    def host(self, body):
        """(minimum, median) milliseconds of a call and a wait."""
        for _ in range(5):
            body()
        self.wait()
        readings, begin = [], time.perf_counter()
        while len(readings) < LEAST_CALLS or time.perf_counter() - begin < self.seconds:
            start = time.perf_counter()
            body()
            self.wait()
            readings.append((time.perf_counter() - start) * 1e3)
            if len(readings) == MOST_CALLS:
                break
        return min(readings), statistics.median(readings)

    def device(self, body, about_ms):
        """Milliseconds of a call between events around many; None on the host."""
        if not self.is_cuda:
            return None
        calls = min(max(int(self.seconds / 5 * 1e3 / max(about_ms, 1e-3)), 3), 200)
        best = math.inf
        for _ in range(5):
            first, last = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            for _ in range(calls):
                body()
            last.record()
            last.synchronize()
            best = min(best, first.elapsed_time(last) / calls)
        return best

    def times(self, body):
        minimum, median = self.host(body)
        return {"min_ms": minimum, "median_ms": median, "kernels_ms": self.device(body, minimum)}


def graph_of(torch, body):
    """The body as a CUDA graph, warmed up on a stream of its own."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            body()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()
    return graph.replay


def measure(options):
    import torch

    torch.backends.cudnn.benchmark = True  # takes the fastest of its convolutions
    clock = Clock(torch, options.device, options.seconds)
    name = torch.cuda.get_device_name() if clock.is_cuda else "cpu"
    first = {"name": "machine", "case": options.device, "device": name, "torch": torch.__version__}
    print(json.dumps(first), flush=True)
    for name, case, numbers, make in Cases(torch, options.device, options.scale):
        if (options.names and name not in options.names) or options.case not in case:
            continue
        is_tf32 = numbers == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
        ways = ["eager"] + ["graph"] * clock.is_cuda + ["compiled"] * options.compile
        for way in ways:
            row = {"peer": f"torch {way}", "name": name, "case": case, "numbers": numbers}
            try:
                print(json.dumps(row | measure_way(torch, clock, way, make)), flush=True)
            except Exception as problem:
                # The first line of it says most.
                print(json.dumps(row | {"error": repr(problem)[:300]}), flush=True)
                if options.verbose:
                    traceback.print_exc()
            if clock.is_cuda:
                torch.cuda.empty_cache()


def measure_way(torch, clock, way, make):
    torch.manual_seed(1)
    function, arguments = make()
    if way == "compiled":
        torch._dynamo.reset()
        function = torch.compile(function, mode="max-autotune-no-cudagraphs")
    body = lambda: function(*arguments)
    needs_gradients = any(getattr(x, "requires_grad", False) for x in arguments) or not arguments
    with torch.set_grad_enabled(needs_gradients):
        start = time.perf_counter()
        body()
        clock.wait()
        first = time.perf_counter() - start
        if way == "graph":
            body = graph_of(torch, body)
        return clock.times(body) | {"first_s": first}


# ---- Beside keratin-bench ----------------------------------------------------------------------


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # cut off, or a message
            if "min_ms" in row:
                yield row


def beside(ours, others):
    """A table: our times, and each other way's over them. Above 1 ours is faster."""
    peers = {}
    for path in others:
        for row in read_rows(path):
            peers.setdefault((row["name"], row["case"]), {})[row["peer"]] = row
    ways = sorted({way for rows in peers.values() for way in rows})
    print("| row | case | call us | kernels us |", " | ".join(f"{way}: call | kernels" for way in ways), "|")
    print("| --- " * (4 + 2 * len(ways)) + "|")
    for row in read_rows(ours):
        cells = [row["name"], row["case"] + ("" if row.get("right", True) else " (wrong)")]
        cells += [f"{row['min_ms'] * 1e3:.1f}", f"{row['kernels_ms'] * 1e3:.1f}"]
        for way in ways:
            other = peers.get((row["name"], row["case"]), {}).get(way)
            for time_of in ("min_ms", "kernels_ms"):
                known = other and other[time_of] and row[time_of]
                cells.append(f"{other[time_of] / row[time_of]:.2f}" if known else "")
        print("|", " | ".join(cells), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of rows; all without any")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--case", default="", help="only cases whose names have this in them")
    parser.add_argument("--seconds", type=float, default=0.3, help="of calls that are timed, a case")
    parser.add_argument("--scale", type=int, default=1, help="sizes are divided by it")
    parser.add_argument("--compile", action="store_true", help="with torch.compile, too")
    parser.add_argument("--verbose", action="store_true", help="the whole of each error")
    parser.add_argument("--beside", metavar="FILE", help="only compares: of keratin-bench; the names are files of this")
    options = parser.parse_args()
    if options.beside:
        beside(options.beside, options.names)
    else:
        measure(options)


if __name__ == "__main__":
    sys.exit(main())
