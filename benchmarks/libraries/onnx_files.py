"""The models that benchmarks/onnx_models.py measures: onnx_files.py FOLDER NAME

Writes FOLDER/NAME/model.onnx and, for each case, CASE.npz with inputs and what ONNX Runtime makes of them, and CASE.sizes
with unknown sizes (batch=8). Models are those of ONNX's own tests with weights that are drawn, and those of
tests/onnx/torch_modules.py in sizes that are used, written by torch.onnx with unknown sizes. Those that are there stay.
"""

import functools
import logging
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "onnx"))
import light_models
import torch_modules as modules

draws = np.random.default_rng(7)


@dataclass
class Written:
    """A module, inputs by the names of cases, and the names of unknown sizes of each input."""

    make: callable
    cases: dict
    sizes: tuple
    scripted: bool = False

    @property
    def first(self):
        # Sizes that are 1 are no unknown ones to the exporter.
        return tuple(t.repeat([2 if axis in names else 1 for axis in range(t.dim())])
                     for t, names in zip(next(iter(self.cases.values())), self.sizes))


def normal(*sizes):
    return torch.from_numpy(draws.standard_normal(sizes, np.float32))


def words(most, *sizes):
    return torch.from_numpy(draws.integers(0, most, sizes))


def padding(batch, length):
    return torch.zeros(batch, length, dtype=torch.bool)


def images(side):
    return {f"b{batch}": (normal(batch, 3, side, side),) for batch in (1, 8)}


of, IMAGES = functools.partial, ({0: "batch"},)
WRITTEN = {
    "mobilenet_v3": lambda: Written(of(modules.Mobile, 15, 1000), images(224), IMAGES),
    "vit_small": lambda: Written(of(modules.Vision, 224, 16, 384, 6, 12, 1000), images(224), IMAGES),
    "yolo": lambda: Written(of(modules.Boxes, (32, 64, 128, 256, 512), 2, 80), {"b1 320x320": (normal(1, 3, 320, 320),)},
                            ({0: "batch", 2: "height", 3: "width"},)),
    "unet": lambda: Written(of(modules.Unet, (32, 64, 128)), {"b1 256x256": (normal(1, 1, 256, 256),)},
                            ({0: "batch", 2: "height", 3: "width"},)),
    "bert": lambda: Written(of(modules.Encoder, 30522, 512, 768, 12, 6),
                            {f"b1 T{n}": (words(30522, 1, n), padding(1, n)) for n in (16, 128)}, ({0: "batch", 1: "length"},) * 2),
    "gpt": lambda: Written(of(modules.Attention, 8192, 768, 12, 6),
                           {f"b1 T{n} behind {past}": (words(8192, 1, n), normal(6, 1, 12, past, 64), normal(6, 1, 12, past, 64))
                            for n, past in ((1, 127), (32, 96))}, ({0: "batch", 1: "length"}, {1: "batch", 3: "past"}, {1: "batch", 3: "past"})),
    "lstm": lambda: Written(of(modules.Lstm, 8192, 128, 256, 64), {f"b{n} T64": (words(8192, n, 64),) for n in (1, 16)},
                            ({0: "batch", 1: "length"},)),
}


def drawn(shape):
    """A weight that keeps numbers near 1 through many layers."""
    if len(shape) > 1:
        return draws.standard_normal(shape, np.float32) * np.float32((2 / np.prod(shape[1:])) ** 0.5)
    return draws.uniform(0.5, 1.5, shape).astype(np.float32)  # variances among them


def write_light(source, folder):
    model = onnx.load(source)
    graph = model.graph
    shapes = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    for node in weights:
        graph.node.remove(node)
        weight = drawn(tuple(shapes[node.input[0]]))
        graph.initializer.append(onnx.numpy_helper.from_array(weight, node.output[0]))
    inputs = light_models.inputs(graph)
    used = {name for node in graph.node for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.input[:], graph.initializer[:]
    graph.input.extend(value for value in inputs if value.name in used)
    graph.initializer.extend(kept)
    model.ir_version = 7
    onnx.save(model, folder / "model.onnx")
    return {"b1": {value.name: 2 * light_models.dummy(value) - 1 for value in graph.input}}


def write_torch(model, folder):
    module = modules.make(model.make, 0.01)
    logging.disable(logging.WARNING)
    torch.backends.mha.set_fastpath_enabled(False)  # an op of PyTorch's own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules.export(model, module, "dynamo", folder / "model.onnx")
    return {case: {f"x{i}": value.numpy() for i, value in enumerate(arguments)} for case, arguments in model.cases.items()}


def sizes_of(session, feeds):
    """Unknown sizes by their names."""
    return {size: number for value in session.get_inputs() for size, number in zip(value.shape, feeds[value.name].shape)
            if isinstance(size, str)}


def write(name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    light = light_models.paths().get(f"light_{name}")
    cases = write_light(light, folder) if light else write_torch(WRITTEN[name](), folder)
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    for case, feeds in cases.items():
        outputs = session.run(None, feeds)
        np.savez(folder / f"{case}.npz", **{f"in {name}": value for name, value in feeds.items()},
                 **{f"out {name}": value for name, value in zip(names, outputs)})
        sizes = sizes_of(session, feeds).items()
        (folder / f"{case}.sizes").write_text("".join(f"{size}={number}\n" for size, number in sizes), encoding="utf-8")
    (folder / "done").touch()


if __name__ == "__main__":
    target = Path(sys.argv[1]) / sys.argv[2]
    if not (target / "done").exists():
        write(sys.argv[2], target)
