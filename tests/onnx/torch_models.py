"""What the importer does with models that PyTorch writes: PYTHON torch_models.py BUILD [--only=MODEL,…]
[--exporters=NAME,…] [--opset=N] [--keep=FOLDER] [--verbose].

BUILD is a folder of a build with the Python module, PYTHON has torch, onnx, onnxscript, onnxruntime and numpy, which the suite has
not, and is of the version that the module was built for: docs/testing.md. Each model is written by both exporters with unknown sizes. At
two sizes the outputs must be those of ONNX Runtime and PyTorch, and the gradients of all weights those of PyTorch; an object that
keratin-compile makes must give the very numbers of the function in process. Prints a line for each model and exporter; ends with 1 if any fails."""

import dataclasses
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import onnxruntime
import onnxscript
import torch
from torch import nn
from torch._higher_order_ops.scan import scan

import peers

BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(BUILD / "python"))
os.environ.setdefault("KERATIN_CACHE", "off")
import keratin
import keratin.backend as K

# The second is a share of the largest number of a tensor: sums that cancel are as far off as what they add.
RELATIVE, ABSOLUTE = 1e-4, 1e-5


@dataclasses.dataclass
class Model:
    """A module, its inputs at two sizes, and the names of the unknown sizes of each input."""
    make: type
    first: tuple
    second: tuple
    sizes: tuple
    scripted: bool = False        # what the old exporter writes comes of torch.jit.script, not of a trace
    traced: tuple | None = None   # the second inputs of a trace that makes a number of a size


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 12), nn.SiLU(), nn.Linear(12, 4))


class Cnn(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 12, 3, 2, bias=False), nn.BatchNorm2d(12), nn.LeakyReLU(0.1),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.block = nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                                   nn.Conv2d(16, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16))
        self.side = nn.Sequential(nn.Conv2d(8, 16, 1, 2, bias=False), nn.BatchNorm2d(16))
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.stem(x)
        return self.head(torch.relu(self.block(x) + self.side(x)).mean((2, 3)))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 8)
        self.layers = nn.LSTM(8, 12, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(24, 5)

    def forward(self, words):
        y, (h, c) = self.layers(self.embedding(words))
        return self.head(y), h, c


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.GRU(6, 10, batch_first=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x, state):
        y, h = self.layers(x, state)
        return self.head(y), h


class Encoder(nn.Module):
    """Of words, some of them padding."""
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16), nn.Embedding(32, 16)
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0, activation="gelu", batch_first=True)

    def forward(self, words, padding):
        places = torch.arange(words.shape[1], device=words.device)
        return self.layer(self.words(words) + self.places(places), src_key_padding_mask=padding)


class Attention(nn.Module):
    """A step of a decoder: words behind those whose keys and values are given."""
    def __init__(self):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(40, 24), nn.LayerNorm(24)
        self.project, self.out = nn.Linear(24, 72), nn.Linear(24, 24)

    def forward(self, words, keys, values):
        x = self.embedding(words)
        q, k, v = (t.view(t.shape[0], t.shape[1], 4, 6).transpose(1, 2) for t in self.project(self.norm(x)).chunk(3, -1))
        k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        n, m = q.shape[2], k.shape[2]
        seen = torch.arange(m)[None] <= torch.arange(n)[:, None] + (m - n)
        y = nn.functional.scaled_dot_product_attention(q, k, v, seen)
        return x + self.out(y.transpose(1, 2).reshape(x.shape)), k, v


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(1, 8, 3, 1, 1), nn.Conv2d(8, 12, 3, 2, 1), nn.Conv2d(12, 16, 3, 2, 1)])
        self.up = nn.ModuleList([nn.Conv2d(28, 12, 3, 1, 1), nn.Conv2d(20, 8, 3, 1, 1)])
        self.across, self.head = nn.ConvTranspose2d(12, 12, 2, 2), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = torch.relu(self.down[0](x))
        b = torch.relu(self.down[1](a))
        c = torch.relu(self.down[2](b))
        c = nn.functional.interpolate(c, scale_factor=2, mode="nearest")
        b = torch.relu(self.up[0](torch.cat([b, c], 1)))
        b = self.across(b) + nn.functional.interpolate(b, size=a.shape[2:], mode="bilinear", align_corners=False)
        return self.head(torch.relu(self.up[1](torch.cat([a, b], 1))))


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), nn.Conv2d(8, 16, 5, 1, 2, groups=8), nn.BatchNorm2d(16),
                                    nn.ReLU6(), nn.Conv2d(16, 12, 1), nn.Conv2d(12, 12, 3, 1, 2, dilation=2, groups=12))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 4, 1), nn.ReLU(), nn.Conv2d(4, 12, 1), nn.Hardsigmoid())

    def forward(self, x):
        x = self.layers(x)
        return (x * self.scale(x)).mean((2, 3))


class Vision(nn.Module):
    """Patches of a picture, and a word for all of it."""
    def __init__(self):
        super().__init__()
        self.patches, self.places = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 17, 16))
        self.word, self.head = nn.Parameter(torch.randn(1, 1, 16)), nn.Linear(16, 5)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.layers(torch.cat([self.word.expand(x.shape[0], -1, -1), x], 1) + self.places)[:, 0])


class Boxes(nn.Module):
    """Boxes of a grid, and how likely each is."""
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 21, 1))

    def forward(self, x):
        x = self.layers(x)
        n, _, h, w = x.shape
        x = x.view(n, 3, 7, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        grid = torch.stack(torch.meshgrid(torch.arange(w), torch.arange(h), indexing="xy"), -1).float()
        return torch.cat([(x[..., :2] * 2 - 0.5 + grid) * 8, (x[..., 2:4] * 2) ** 2, x[..., 4:]], -1).view(n, -1, 7)


class Branch(nn.Module):
    """What is computed depends on the numbers."""
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        if torch.jit.is_scripting():
            if bool(x.sum() > 0):
                y = torch.tanh(self.one(x))
            else:
                y = self.other(x) - x
        else:
            y = self.cond(x)
        return y * 2

    @torch.jit.unused
    def cond(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.tanh(self.one(x)), lambda x: self.other(x) - x, (x,))


class Loop(nn.Module):
    """As many steps as the input has rows."""
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.zeros_like(x[0])
        if torch.jit.is_scripting():
            for i in range(x.shape[0]):
                h = torch.tanh(self.step(h) + x[i])
        else:
            h = self.scan(h, x)
        return h

    @torch.jit.unused
    def scan(self, h, x):
        def step(h, x):
            h = torch.tanh(self.step(h) + x)
            return h, h.clone()
        return scan(step, h, x)[0]


def normal(*sizes):
    return torch.randn(sizes, generator=random)


def words(*sizes):
    return torch.randint(0, 30, sizes, generator=random)


def padding(batch, length):
    return torch.arange(length)[None] >= length - torch.arange(batch)[:, None] % 3


random = torch.Generator().manual_seed(1)
MODELS = {
    "mlp": Model(Mlp, (normal(2, 6),), (normal(5, 6),), ({0: "batch"},)),
    "cnn": Model(Cnn, (normal(2, 3, 16, 16),), (normal(3, 3, 20, 24),), ({0: "batch", 2: "height", 3: "width"},)),
    "residual": Model(Residual, (normal(2, 3, 32, 32),), (normal(3, 3, 32, 32),), ({0: "batch"},)),
    "lstm": Model(Lstm, (words(2, 9),), (words(3, 5),), ({0: "batch", 1: "length"},)),
    "gru": Model(Gru, (normal(2, 7, 6), normal(1, 2, 10)), (normal(3, 4, 6), normal(1, 3, 10)), ({0: "batch", 1: "length"}, {1: "batch"})),
    "encoder": Model(Encoder, (words(2, 9), padding(2, 9)), (words(3, 5), padding(3, 5)), ({0: "batch", 1: "length"},) * 2,
                     traced=(words(3, 9), padding(3, 9))),
    "attention": Model(Attention, (words(2, 3), normal(2, 4, 5, 6), normal(2, 4, 5, 6)), (words(3, 4), normal(3, 4, 7, 6), normal(3, 4, 7, 6)),
                       ({0: "batch", 1: "length"}, {0: "batch", 2: "past"}, {0: "batch", 2: "past"})),
    "vision": Model(Vision, (normal(2, 3, 32, 32),), (normal(3, 3, 32, 32),), ({0: "batch"},)),
    "boxes": Model(Boxes, (normal(2, 3, 16, 16),), (normal(3, 3, 24, 32),), ({0: "batch", 2: "height", 3: "width"},)),
    "unet": Model(Unet, (normal(2, 1, 16, 16),), (normal(3, 1, 24, 32),), ({0: "batch", 2: "height", 3: "width"},)),
    "depthwise": Model(Depthwise, (normal(2, 3, 16, 16),), (normal(3, 3, 24, 20),), ({0: "batch", 2: "height", 3: "width"},)),
    "branch": Model(Branch, (normal(3, 4) + 1,), (normal(2, 4) - 1,), ({0: "batch"},), scripted=True),
    "loop": Model(Loop, (normal(3, 2, 4),), (normal(5, 3, 4),), ({0: "steps", 1: "batch"},), scripted=True),
}


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def make(model):
    torch.manual_seed(0)
    module = model.make().eval()
    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            nn.init.normal_(layer.running_mean)
            nn.init.uniform_(layer.running_var, 0.5, 1.5)
    for parameter in module.parameters():   # no two alike: exporters write such once
        parameter.data += 0.1 * torch.randn_like(parameter)
    return module


def export(model, module, exporter, path, opset, weights):
    """Writes the model; with `weights` all of them as they are, by their names, else as the exporter likes it best."""
    names = [f"x{i}" for i in range(len(model.first))]
    outputs = [f"y{i}" for i in range(len(as_tuple(module(*model.first))))]
    options = dict(input_names=names, output_names=outputs, opset_version=opset, verbose=False)
    if exporter == "dynamo":
        options.update(dynamo=True, dynamic_shapes=model.sizes, external_data=False, optimize=not weights)
    else:
        module = torch.jit.script(module) if model.scripted else module
        options.update(dynamo=False, dynamic_axes=dict(zip(names, model.sizes)))
        if weights:
            options.update(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    torch.onnx.export(module, model.first, path, **options)


def difference(found, expected):
    largest = abs(expected.astype("float64")).max(initial=0)
    return peers.difference(found, expected, RELATIVE, ABSOLUTE * largest)


def feeds(arguments):
    return {f"x{i}": value.numpy() for i, value in enumerate(arguments)}


def call_function(path, inputs):
    function = keratin.onnx.load(path)
    return [function(feeds(arguments)) for arguments in inputs]


def check_numbers(results, compute, inputs):
    for arguments, result in zip(inputs, results):
        for i, (found, expected) in enumerate(zip(result, compute(arguments), strict=True)):
            if wrong := difference(found, expected):
                raise ValueError(f"output {i}: {wrong}")


def check_with_pytorch(module, inputs, results):
    check_numbers(results, lambda arguments: [value.detach().numpy() for value in as_tuple(module(*arguments))], inputs)


def check_with_runtime(path, inputs, results):
    session = peers.session(path)
    check_numbers(results, lambda arguments: session.run(None, feeds(arguments)), inputs)


def check_object(path, inputs, results):
    """An object gives the bits that the function gives."""
    def call(tool, *arguments):
        done = subprocess.run([BUILD / "bin" / tool, *arguments], capture_output=True, text=True, cwd=path.parent)
        if done.returncode:
            raise ValueError(f"{tool}: {done.stderr or done.stdout}")
    call("keratin-compile", path.name, "-o", "libmodel.so")
    for arguments, result in zip(inputs, results):
        numpy.savez(path.parent / "in.npz", **feeds(arguments))
        call("keratin-run", "libmodel.so", "--input=in.npz", "--output=out.npz", "--quiet")
        with numpy.load(path.parent / "out.npz") as outputs:
            for i, expected in enumerate(result):
                if not numpy.array_equal(outputs[f"y{i}"], expected, equal_nan=True):
                    raise ValueError(f"output {i}: {peers.difference(outputs[f'y{i}'], expected) or 'other bits'}")


def check_gradients(path, module, inputs):
    """Those of sums of the outputs, with weights of their own, by all parameters."""
    K.clear_session()   # names are those of the file
    function = keratin.onnx.load(path, trainable=True)
    scales = [K.placeholder(ndim=len(value.shape)) for value in function.outputs]
    loss = sum(K.sum(value * scale) for value, scale in zip(function.outputs, scales))
    variables = {variable.name.split(":")[0]: variable for variable in function.variables}
    parameters = dict(module.named_parameters())
    if missing := sorted(set(parameters) - set(variables)):
        raise ValueError(f"no variables {', '.join(missing)}; there are {', '.join(sorted(variables))}")
    gradients = K.function(list(function.inputs) + scales, K.gradients(loss, [variables[name] for name in parameters]))
    for arguments in inputs:
        outputs = as_tuple(module(*arguments))
        given = [torch.linspace(-1, 2, value.numel()).reshape(value.shape) for value in outputs]
        module.zero_grad()
        sum((value * scale).sum() for value, scale in zip(outputs, given)).backward()
        feed = feeds(arguments)
        found = gradients([feed[value.name.split(":")[0]] for value in function.inputs] + [scale.numpy() for scale in given])
        for (name, parameter), value in zip(parameters.items(), found, strict=True):
            expected = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            if wrong := difference(value, expected.numpy()):
                raise ValueError(f"gradient by {name}: {wrong}")


def judge(model, exporter, opset, folder):
    """What is wrong, by kind."""
    module, problems = make(model), {}
    inputs = model.first, model.traced if model.traced and exporter == "torchscript" else model.second

    def attempt(kind, check, *arguments):
        try:
            return check(*arguments)
        except Exception as error:
            problems[kind] = f"{type(error).__name__}: {error}"
    path = folder / "model.onnx"
    attempt("export", export, model, module, exporter, path, opset, False)
    if not problems and (results := attempt("call", call_function, path, inputs)):
        attempt("PyTorch", check_with_pytorch, module, inputs, results)
        attempt("ONNX Runtime", check_with_runtime, path, inputs, results)
        attempt("object", check_object, path, inputs, results)
    path = folder / "weights.onnx"
    attempt("export with weights", export, model, module, exporter, path, opset, True)
    if "export with weights" not in problems:
        attempt("gradients", check_gradients, path, module, inputs)
    return problems


def main():
    options = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[2:])
    warnings.filterwarnings("ignore")
    torch._logging.set_logs(all=logging.ERROR)
    torch.backends.mha.set_fastpath_enabled(False)   # an op of PyTorch's own, which no exporter knows
    print(f"torch {torch.__version__}, onnxscript {onnxscript.__version__}, onnxruntime {onnxruntime.__version__}", flush=True)
    opset, failed = int(options["opset"]) if "opset" in options else None, False
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.get("only", ",".join(MODELS)).split(","):
            for exporter in options.get("exporters", "dynamo,torchscript").split(","):
                folder = pathlib.Path(options.get("keep", scratch)) / f"{name}-{exporter}"
                folder.mkdir(parents=True, exist_ok=True)
                problems = judge(MODELS[name], exporter, opset, folder)
                failed |= bool(problems)
                texts = (f"{kind}: {text if 'verbose' in options else ' '.join(text.split())[:200]}" for kind, text in problems.items())
                print(f"{name}, {exporter}: {'; '.join(texts) or 'agrees'}", flush=True)
    sys.exit(failed)


main()
