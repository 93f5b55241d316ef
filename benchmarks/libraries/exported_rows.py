"""ONNX Runtime's and OpenVINO's: models of torch_models.py, exported once for both. They only compute forwards.

Their `load` measures files of onnx_files.py, too (onnx_rows.py)."""

import contextlib
import logging
import os
import tempfile
import warnings

import numpy as np
import onnx
import torch

from libraries import common, torch_models

FAMILIES = ["ew_chain", "gemm", "mlp", "small", "softmax", "reduce", "layernorm", "attention"]
FAMILIES += ["xformer", "sepconv", "resnet50", "rnn"]
UNITS, WIDTH, TIME = 512, 128, 128  # of the GRU


class Wrapped(torch.nn.Module):
    """A function as a module, for the exporter."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def export(function, arguments, path):
    """Writes an ONNX model; the exporter's progress is not shown."""
    module = function if isinstance(function, torch.nn.Module) else Wrapped(function)
    names = [f"x{i}" for i in range(len(arguments))]
    logging.disable(logging.WARNING)
    with warnings.catch_warnings(), open(os.devnull, "w") as nothing:
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
            torch.onnx.export(module.eval(), tuple(arguments), path, input_names=names, dynamo=True)


def write_gru(path):
    """torch exports its GRU step by step; ONNX has one op for it."""
    limit = UNITS**-0.5
    shapes = {"w": (1, 3 * UNITS, WIDTH), "r": (1, 3 * UNITS, UNITS), "b": (1, 6 * UNITS)}
    weights = [
        onnx.numpy_helper.from_array(common.uniform(i, -limit, limit, *shape), name)
        for i, (name, shape) in enumerate(shapes.items())
    ]
    value = lambda name, *dims: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)
    inputs, outputs = ["x0", *shapes], ["y", "last"]
    node = onnx.helper.make_node("GRU", inputs, outputs, hidden_size=UNITS, linear_before_reset=1)
    results = [value("y", TIME, 1, 1, UNITS), value("last", 1, 1, UNITS)]
    graph = onnx.helper.make_graph([node], "gru", [value("x0", TIME, 1, WIDTH)], results, weights)
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=9), path)


class Exported:
    """What loads an ONNX file: `load(path, dtype)` returns a function of arrays, which returns one that computes."""

    def __init__(self, inputs, is_large=False):
        torch.set_num_threads(1)
        self.inputs, self.is_large = inputs, is_large
        self.families = {name: self.family(name) for name in FAMILIES}

    def family(self, name):
        return self.recurrent if name == "rnn" else lambda timer: self.rows(timer, name)

    def rows(self, timer, name):
        with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
            models = torch_models.forwards(self.inputs, [name], self.is_large)
            for number, (name, case, function, arguments, dtype) in enumerate(models):
                path = os.path.join(folder, f"{number}.onnx")
                # What one of them cannot do does not hide the others.
                try:
                    export(function, arguments, path)
                    compute, result = self.load(path, arguments, dtype)
                    compute()
                    expected = function(*arguments).double().numpy()
                    common.expect_near(f"{name} {case}", result(), expected, dtype)
                except Exception as problem:
                    text = str(problem).strip() or type(problem).__name__
                    common.say(f"{self.name}: {name} {case} is left out: {text.splitlines()[0]}")
                    continue
                yield case, timer.measure(compute)

    def recurrent(self, timer):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gru.onnx")
            write_gru(path)
            compute, _ = self.load(path, [torch.rand(TIME, 1, WIDTH)], "")
            yield "gru T128 b1 128-512, forward", timer.measure(compute)


class OnnxRuntime(Exported):
    name = "onnxruntime"

    def __init__(self, inputs, is_large=False):
        import onnxruntime

        super().__init__(inputs, is_large)
        self.runtime = onnxruntime
        self.version = onnxruntime.__version__

    def load(self, path, arguments, dtype):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = self.runtime.InferenceSession(path, options, ["CPUExecutionProvider"])
        binding = session.io_binding()
        kinds = {"bfloat16": onnx.TensorProto.BFLOAT16}
        # Inputs and outputs stay where they are.
        held = []
        for argument, place in zip(arguments, session.get_inputs()):
            argument = argument.contiguous()
            held.append(argument)
            kind = kinds.get(dtype) or argument.numpy().dtype.type
            shape, pointer = list(argument.shape), argument.data_ptr()
            binding.bind_input(place.name, "cpu", 0, kind, shape, pointer)
        for place in session.get_outputs():
            binding.bind_output(place.name, "cpu")
        held.append(binding)
        compute = lambda held=held: session.run_with_iobinding(binding)
        return compute, lambda: binding.get_outputs()[0].numpy().astype(np.float64)


class OpenVino(Exported):
    name = "openvino"

    def __init__(self, inputs, is_large=False):
        import openvino

        super().__init__(inputs, is_large)
        self.openvino = openvino
        self.core = openvino.Core()
        self.version = openvino.__version__.split("-")[0]

    def load(self, path, arguments, dtype):
        # Otherwise it multiplies float32 as bfloat16.
        precision = {"bfloat16": "bf16", "float16": "f16"}.get(dtype, "f32")
        settings = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
            "INFERENCE_PRECISION_HINT": precision,
        }
        compiled = self.core.compile_model(path, "CPU", settings)
        request = compiled.create_infer_request()
        held = []
        for i, argument in enumerate(arguments):
            argument = argument.contiguous()
            if dtype == "bfloat16":
                array = argument.view(torch.int16).numpy()
                tensor = self.openvino.Tensor(array, argument.shape, self.openvino.Type.bf16)
            else:
                array = argument.numpy()
                tensor = self.openvino.Tensor(array, shared_memory=True)
            held += [argument, array, tensor]
            request.set_input_tensor(i, tensor)

        def result():
            data = request.get_output_tensor(0).data
            if request.get_output_tensor(0).element_type == self.openvino.Type.bf16:
                data = torch.from_numpy(data.view(np.int16).copy()).view(torch.bfloat16).float().numpy()
            return data.astype(np.float64)

        return lambda held=held: request.infer(), result
