"""The tests of nodes that Python's package onnx makes, as folders for onnx_backend_tests: node_tests.py FOLDER [WORD…].

They are newer than those of Debian's libonnx-testdata. With words only those whose names have one; those of sequences and optional
values are left out."""

import os
import sys

import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node

words = sys.argv[2:]
for case in node.collect_testcases(None):
    graph = case.model.graph
    if any(not value.type.HasField("tensor_type") for value in [*graph.input, *graph.output]):
        continue
    if words and not any(word in case.name for word in words):
        continue
    data = os.path.join(sys.argv[1], case.name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    onnx.save(case.model, os.path.join(data, os.pardir, "model.onnx"))
    for kind, values, places in ("input", case.data_sets[0][0], graph.input), ("output", case.data_sets[0][1], graph.output):
        for i, (value, place) in enumerate(zip(values, places)):
            tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(value, place.name)
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                file.write(tensor.SerializeToString())
