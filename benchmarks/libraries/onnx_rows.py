"""What one library takes for a model of onnx_files.py: onnx_rows.py LIBRARY FOLDER, run by benchmarks/onnx_models.py.

Prints one JSON object a line with the case and milliseconds, as measure.py does. LIBRARY is keratin, which calls FOLDER/model.so,
onnxruntime or openvino.
"""

import measure  # first: it sets what libraries read

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from libraries import common, exported_rows


class Keratin:
    """An object of keratin-compile."""

    name = "keratin"

    def __init__(self):
        import keratin

        self.keratin = keratin
        self.version = keratin.__version__

    def load(self, path, arguments, dtype):
        model = self.keratin.Model(path.with_suffix(".so"))
        arrays = [argument.numpy() for argument in arguments]
        return lambda: model(arrays), lambda: model(arrays)[0].astype(np.float64)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=("keratin", "onnxruntime", "openvino"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--batches", type=int, default=10)
    options = parser.parse_args()
    others = {"onnxruntime": exported_rows.OnnxRuntime, "openvino": exported_rows.OpenVino}
    library = others[options.library](None) if options.library in others else Keratin()
    timer = common.Timer(options.clock, options.batches)
    for path in sorted(options.folder.glob("*.npz")):
        with np.load(path) as arrays:
            inputs = [torch.from_numpy(value) for name, value in arrays.items() if name.startswith("in ")]
            expected = next(value for name, value in arrays.items() if name.startswith("out "))
        row = {"peer": f"{library.name} {library.version}", "name": options.folder.name, "case": path.stem}
        # One that fails does not hide the others.
        try:
            compute, result = library.load(options.folder / "model.onnx", inputs, "")
            compute()
            common.expect_near(f"{row['name']} {row['case']}", result(), expected)
            minimum, median = timer.measure(compute)
            print(json.dumps(row | {"min_ms": minimum, "median_ms": median}), flush=True)
        except Exception as problem:
            common.say(f"{library.name}: {row['name']} {row['case']} is left out: {problem!r}")


if __name__ == "__main__":
    main()
