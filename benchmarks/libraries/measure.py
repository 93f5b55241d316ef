"""What one library takes for the rows of keratin-bench: one JSON object a line, with one thread.

Run by benchmarks/peers.py with an interpreter that has the library: measure.py LIBRARY [names of rows]
"""

import argparse
import importlib
import json
import os
import sys
from pathlib import Path

# Before the libraries are imported: they read these once.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

LIBRARIES = {
    "numpy": ("numpy_rows", "Numpy"),
    "jax": ("jax_rows", "Jax"),
    "torch": ("torch_rows", "Torch"),
    "onnxruntime": ("exported_rows", "OnnxRuntime"),
    "openvino": ("exported_rows", "OpenVino"),
    "inductor": ("torch_rows", "Inductor"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("names", nargs="*", help="all without any")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    from libraries import common

    module, name = LIBRARIES[options.library]
    make = getattr(importlib.import_module(f"libraries.{module}"), name)
    library = make(common.Inputs(), options.large)
    timer = common.Timer(options.clock, options.batches)
    for name, family in library.families.items():
        if options.names and name not in options.names:
            continue
        # One that fails does not hide the others.
        try:
            for case, (minimum, median) in family(timer):
                row = {"peer": f"{library.name} {library.version}", "name": name, "case": case}
                print(json.dumps(row | {"min_ms": minimum, "median_ms": median}), flush=True)
        except Exception as problem:
            common.say(f"{library.name}: {name} is left out: {problem!r}")


if __name__ == "__main__":
    main()
