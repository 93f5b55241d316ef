"""Log densities and their gradients, Keratin's beside those that nutpie calls of a PyMC model: run by density_peers.py.

nutpie has PyTensor make the gradient's graph, and Numba compile it; its sampler calls what is made through a pointer,
and so is it timed here, beside Keratin's object. Values and time, one JSON object a line.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import keratin.backend as K
from libraries import native
from libraries.densities import densities


def of_keratin(density, calls, name):
    K.clear_session()
    K.set_floatx("float64")
    x = K.placeholder(density.point.shape)
    begin = time.perf_counter()
    value = density.ours(K, x)
    outputs = [np.zeros(()), np.zeros_like(density.point)]
    function = K.function([x], [value, K.gradients(value, [x])[0]], name="density")
    call = calls.keratin(function, [density.point], outputs, name)
    call.outputs = outputs
    return call, time.perf_counter() - begin


def of_nutpie(density, calls):
    import nutpie
    import pymc as pm
    import pytensor.tensor as pt

    model = density.theirs(pm, pt)
    begin = time.perf_counter()
    compiled = nutpie.compile_pymc_model(model)
    seconds = time.perf_counter() - begin
    return calls.numba(compiled.compiled_logp_func.address, density.point, compiled.user_data.ctypes.data, compiled), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="models; all without any")
    parser.add_argument("--check", action="store_true", help="values alone")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        calls = native.Native(folder)
        for number, density in enumerate(densities()):
            if options.names and density.name not in options.names:
                continue
            ours, our_seconds = of_keratin(density, calls, f"d{number}")
            theirs, their_seconds = of_nutpie(density, calls)
            ours()
            theirs()
            errors = []
            for found, expected in zip(ours.outputs, theirs.outputs):
                scale = np.abs(expected).max()
                errors.append(float(np.abs(found - expected).max() / scale))
            # PyTensor takes logarithms of constants that float32 holds in float32.
            if not (errors[0] < 1e-7 and errors[1] < 1e-10):
                raise AssertionError(f"{density.name}: off by {errors} of value and gradient")
            row = {"name": density.name, "case": density.case, "error": errors[1],
                   "build_s": {"keratin": our_seconds, "nutpie": their_seconds}}
            if not options.check:
                row["seconds"] = native.least_of_turns({"keratin": ours, "nutpie": theirs}, options.turns)
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
