"""What the importer does with models that PyTorch writes: PYTHON torch_models.py BUILD [--libraries] [--only=MODEL,…]
[--exporters=NAME,…] [--opset=N] [--keep=FOLDER] [--verbose].

BUILD is a folder of a build with the Python module, PYTHON has torch, onnx, onnxscript, onnxruntime and numpy, which the suite has
not, and is of the version that the module was built for: docs/testing.md. Each model is written by both exporters with unknown sizes. At
two sizes the outputs must be those of ONNX Runtime and PyTorch, and the gradients of all weights those of PyTorch; an object that
keratin-compile makes must give the very numbers of the function in process. Prints a line for each model and exporter; ends with 1 if any fails.
With --libraries the models are those of torchvision and transformers, which PYTHON has then, too."""

import logging
import os
import pathlib
import sys
import tempfile
import warnings

import numpy
import onnxruntime
import onnxscript
import torch

import peers
from torch_inputs import Model, normal, padding, words
from torch_modules import (Attention, Boxes, Branch, Cnn, Depthwise, Encoder, Gru, Loop, Lstm, Mlp, Mobile, Residual, Unet, Vision, as_tuple, export,
                           make)

BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(BUILD / "python"))
os.environ.setdefault("KERATIN_CACHE", "off")
import keratin
import keratin.backend as K

# Of the largest gradient, for those that are 0 but for rounding, as by what softmax takes off again.
NOISE = 1e-7

MODELS = {
    "mlp": Model(Mlp, (normal(2, 6),), (normal(5, 6),), ({0: "batch"},)),
    "cnn": Model(Cnn, (normal(2, 3, 16, 16),), (normal(3, 3, 20, 24),), ({0: "batch", 2: "height", 3: "width"},)),
    "residual": Model(Residual, (normal(2, 3, 32, 32),), (normal(3, 3, 32, 32),), ({0: "batch"},)),
    "lstm": Model(Lstm, (words(2, 9),), (words(3, 5),), ({0: "batch", 1: "length"},)),
    "gru": Model(Gru, (normal(2, 7, 6), normal(1, 2, 10)), (normal(3, 4, 6), normal(1, 3, 10)), ({0: "batch", 1: "length"}, {1: "batch"})),
    "encoder": Model(Encoder, (words(2, 9), padding(2, 9)), (words(3, 5), padding(3, 5)), ({0: "batch", 1: "length"},) * 2,
                     traced=(words(3, 9), padding(3, 9))),
    "attention": Model(Attention, (words(2, 3), normal(2, 2, 4, 5, 6), normal(2, 2, 4, 5, 6)), (words(3, 4), normal(2, 3, 4, 7, 6), normal(2, 3, 4, 7, 6)),
                       ({0: "batch", 1: "length"}, {1: "batch", 3: "past"}, {1: "batch", 3: "past"})),
    "vision": Model(Vision, (normal(2, 3, 32, 32),), (normal(3, 3, 32, 32),), ({0: "batch"},)),
    "boxes": Model(Boxes, (normal(2, 3, 16, 16),), (normal(3, 3, 24, 32),), ({0: "batch", 2: "height", 3: "width"},)),
    "unet": Model(Unet, (normal(2, 1, 16, 16),), (normal(3, 1, 24, 32),), ({0: "batch", 2: "height", 3: "width"},)),
    "depthwise": Model(Depthwise, (normal(2, 3, 16, 16),), (normal(3, 3, 24, 20),), ({0: "batch", 2: "height", 3: "width"},)),
    "mobile": Model(Mobile, (normal(2, 3, 16, 16),), (normal(3, 3, 24, 20),), ({0: "batch", 2: "height", 3: "width"},)),
    "branch": Model(Branch, (normal(3, 4) + 1,), (normal(2, 4) - 1,), ({0: "batch"},), scripted=True),
    "loop": Model(Loop, (normal(3, 2, 4),), (normal(5, 3, 4),), ({0: "steps", 1: "batch"},), scripted=True),
}


def feeds(arguments):
    return {f"x{i}": value.numpy() for i, value in enumerate(arguments)}


def call_function(path, inputs):
    function = keratin.onnx.load(path)
    return [function(feeds(arguments)) for arguments in inputs]


def check_numbers(results, compute, inputs):
    for arguments, result in zip(inputs, results):
        for i, (found, expected) in enumerate(zip(result, compute(arguments), strict=True)):
            if wrong := peers.net_difference(found, expected):
                raise ValueError(f"output {i}: {wrong}")


def check_with_pytorch(module, inputs, results):
    check_numbers(results, lambda arguments: [value.detach().numpy() for value in as_tuple(module(*arguments))], inputs)


def check_with_runtime(path, inputs, results):
    session = peers.session(path)
    check_numbers(results, lambda arguments: session.run(None, feeds(arguments)), inputs)


def check_object(path, inputs, results):
    """An object gives the bits that the function gives."""
    for result, outputs in zip(results, peers.object_outputs(BUILD, path, map(feeds, inputs)), strict=True):
        for i, expected in enumerate(result):
            if not numpy.array_equal(outputs[f"y{i}"], expected, equal_nan=True):
                raise ValueError(f"output {i}: {peers.difference(outputs[f'y{i}'], expected) or 'other bits'}")


def check_gradients(path, module, inputs):
    """Those of sums of the outputs, with weights of their own, by all parameters that train."""
    K.clear_session()   # names are those of the file
    function = keratin.onnx.load(path, trainable=True)
    scales = [K.placeholder(ndim=len(value.shape)) for value in function.outputs]
    loss = sum(K.sum(value * scale) for value, scale in zip(function.outputs, scales))
    variables = {variable.name.split(":")[0]: variable for variable in function.variables}
    outputs = as_tuple(module(*inputs[0]))
    used = torch.autograd.grad(sum(value.sum() for value in outputs), [each for each in module.parameters() if each.requires_grad], allow_unused=True)
    parameters = {}
    for parameter, use in zip((each for each in module.parameters() if each.requires_grad), used, strict=True):
        names = [name for name, each in module.named_parameters(remove_duplicate=False) if each is parameter]   # some have several
        if name := next((name for name in names if name in variables), None):
            parameters[name] = parameter
        elif use is not None and parameter.dim():   # scalars are constants
            raise ValueError(f"no variable {' or '.join(names)}; there are {', '.join(sorted(variables))}")
    gradients = K.function(list(function.inputs) + scales, K.gradients(loss, [variables[name] for name in parameters]))
    for arguments in inputs:
        outputs = as_tuple(module(*arguments))
        given = [torch.linspace(-1, 2, value.numel()).reshape(value.shape) for value in outputs]
        module.zero_grad()
        sum((value * scale).sum() for value, scale in zip(outputs, given)).backward()
        feed = feeds(arguments)
        found = gradients([feed[value.name.split(":")[0]] for value in function.inputs] + [scale.numpy() for scale in given])
        expected = [(torch.zeros_like(each) if each.grad is None else each.grad).numpy() for each in parameters.values()]
        noise = NOISE * peers.largest(expected)
        for name, value, right in zip(parameters, found, expected, strict=True):
            if wrong := peers.net_difference(value, right, noise):
                raise ValueError(f"gradient by {name}: {wrong}")


def judge(model, exporter, opset, folder):
    """What is wrong, by kind."""
    module, problems = make(model.make, 0.1), {}
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
    models = MODELS
    if "libraries" in options:
        from library_models import MODELS as models
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.get("only", ",".join(models)).split(","):
            for exporter in models[name].exporters:
                if exporter not in options.get("exporters", exporter):
                    continue
                folder = pathlib.Path(options.get("keep", scratch)) / f"{name}-{exporter}"
                folder.mkdir(parents=True, exist_ok=True)
                problems = judge(models[name], exporter, opset, folder)
                failed |= bool(problems)
                texts = (f"{kind}: {text if 'verbose' in options else ' '.join(text.split())[:200]}" for kind, text in problems.items())
                print(f"{name}, {exporter}: {'; '.join(texts) or 'agrees'}", flush=True)
    sys.exit(failed)


main()
