"""The big models of ONNX's own tests, as folders for onnx_backend_tests: light_models.py FOLDER.

They come with Python's package onnx: graphs whose weights are of ConstantOfShape, so that they are small files, and the outputs
for inputs that count up from 0 to 1."""

import glob
import os
import shutil
import sys

import numpy as np
import onnx
from onnx import numpy_helper
import onnx.backend.test


def paths():
    """Of the models, by their names."""
    found = sorted(glob.glob(os.path.join(os.path.dirname(onnx.backend.test.__file__), "data", "light", "*.onnx")))
    return {os.path.basename(path)[:-len(".onnx")]: path for path in found}


def inputs(graph):
    initialised = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in initialised]


def dummy(value):
    """As onnx.backend.test.runner makes it."""
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    count = np.prod(shape)
    return (np.arange(count).reshape(shape) / count).astype(np.float32)


def main():
    for name, path in paths().items():
        data = os.path.join(sys.argv[1], f"test_{name}", "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        shutil.copy(path, os.path.join(data, os.pardir, "model.onnx"))
        graph = onnx.load(path).graph
        for i, value in enumerate(inputs(graph)):
            with open(os.path.join(data, f"input_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(dummy(value), value.name).SerializeToString())
        for i in range(len(graph.output)):
            shutil.copy(f"{path[:-len('.onnx')]}_output_{i}.pb", os.path.join(data, f"output_{i}.pb"))


if __name__ == "__main__":
    main()
