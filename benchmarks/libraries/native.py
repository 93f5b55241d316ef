"""Calls of compiled code without Python in between: Keratin's objects, CasADi's C, nutpie's densities.

Each is a Call: called once from Python for what it gives, and timed by native_calls.c. What a call is given and where
its results go is fixed when it is made.
"""

import ctypes as c
import subprocess
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
COMPILER = "gcc"
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
SECONDS = 0.004  # of a reading at least


def shared_object(source, path):
    """What gcc makes of a file of C, loaded."""
    subprocess.run([COMPILER, *FLAGS, source, "-o", path, "-lm"], check=True)
    return c.CDLL(str(path))


def structure(name, **fields):
    return type(name, (c.Structure,), {"_fields_": list(fields.items())})


NativeCall = structure("NativeCall", call=c.c_void_p, context=c.c_void_p)
CasadiCall = structure("CasadiCall", **dict.fromkeys("function arguments results integers work".split(), c.c_void_p))
KeratinCall = structure("KeratinCall", **dict.fromkeys("run state inputs outputs workspace".split(), c.c_void_p),
                        bytes=c.c_size_t)
NumbaCall = structure("NumbaCall", function=c.c_void_p, count=c.c_uint64, point=c.c_void_p, gradient=c.c_void_p,
                      density=c.c_void_p, data=c.c_void_p)
# keratin_tensor_t, and its dtypes.
KeratinTensor = structure("KeratinTensor", data=c.c_void_p, dtype=c.c_int32, rank=c.c_int32, dims=c.c_void_p,
                          strides=c.c_void_p, device=c.c_void_p)
DTYPES = {"float32": 12, "float64": 13}


def address(function):
    return c.cast(function, c.c_void_p).value


def of_array(array):
    return array.ctypes.data


class Native:
    """Makes calls. Files go into a folder, which is to be there as long as they are called."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.library = shared_object(HERE / "native_calls.c", self.folder / "native_calls.so")
        self.library.seconds_of.restype = c.c_double

    def keratin(self, keratin_function, inputs, outputs, name):
        """Of a K.function; outputs are arrays to be filled."""
        import keratin.backend as K

        path = self.folder / f"lib{name}.so"
        K.compile_model(keratin_function, path, name=name)
        model = c.CDLL(str(path))
        symbol = f"{name}_{keratin_function.name}"
        state = c.c_void_p()
        if getattr(model, f"{name}_state_create")(c.byref(state), None):
            raise RuntimeError(f"{name}_state_create failed")
        kept = [model, inputs, outputs]

        def tensors(arrays):
            made = (KeratinTensor * len(arrays))()
            for tensor, array in zip(made, arrays):
                dims = (c.c_int64 * array.ndim)(*array.shape)
                kept.append(dims)
                tensor.data, tensor.dtype, tensor.rank = of_array(array), DTYPES[str(array.dtype)], array.ndim
                tensor.dims = c.addressof(dims)
            kept.append(made)
            return c.addressof(made)

        context = KeratinCall(address(getattr(model, f"{symbol}_run")), state, tensors(inputs), tensors(outputs))
        return Call(self.library, "call_keratin", context, kept)

    def casadi(self, function, inputs, name):
        """Of a casadi.Function: a call whose results are the elements of its outputs."""
        import casadi

        generator = casadi.CodeGenerator(f"{name}.c", {"casadi_int": "long long int"})
        generator.add(function)
        source = generator.generate(f"{self.folder}/")
        code = shared_object(source, self.folder / f"{name}.so")
        sizes = [c.c_longlong() for _ in range(4)]
        getattr(code, f"{function.name()}_work")(*map(c.byref, sizes))
        arguments, results, integers, work = (max(1, size.value) for size in sizes)
        outputs = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
        pointers = (c.c_void_p * arguments)(*map(of_array, inputs)), (c.c_void_p * results)(*map(of_array, outputs))
        work = np.zeros(integers, np.int64), np.zeros(work)
        context = CasadiCall(address(getattr(code, function.name())), *map(c.addressof, pointers), *map(of_array, work))
        call = Call(self.library, "call_casadi", context, [code, inputs, outputs, pointers, work])
        call.outputs = outputs
        return call

    def numba(self, function_address, point, data_address, kept):
        """Of a density as nutpie has it, and its gradient."""
        outputs = [np.zeros(1), np.zeros_like(point)]
        density, gradient = map(of_array, outputs)
        context = NumbaCall(function_address, len(point), of_array(point), gradient, density, data_address)
        call = Call(self.library, "call_numba", context, [outputs, point, kept])
        call.outputs = outputs
        return call


class Call:
    def __init__(self, library, adapter, context, kept):
        self.library, self.kept = library, [context, kept]
        self.call = NativeCall(address(library[adapter]), c.addressof(context))
        self.calls = 1

    def seconds(self, calls):
        taken = self.library.seconds_of(c.byref(self.call), c.c_int64(calls))
        if taken < 0:
            raise RuntimeError("a call failed")
        return taken

    def __call__(self):
        self.seconds(1)

    def reading(self):
        """Seconds of a call, the mean of enough of them."""
        while (taken := self.seconds(self.calls)) < SECONDS:
            self.calls = max(self.calls + 1, int(self.calls * min(100, 1.2 * SECONDS / max(taken, 1e-9))))
        return taken / self.calls


class PythonCall:
    """A call that takes long enough for Python not to count."""

    def __init__(self, body):
        self.body = body

    def reading(self):
        begin, calls = time.process_time(), 0
        while not calls or time.process_time() - begin < SECONDS:
            self.body()
            calls += 1
        return (time.process_time() - begin) / calls


def least_of_turns(calls, turns):
    """Seconds of each by its name: the least of readings that are taken in turns."""
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(turns + 1):
        for name, call in calls.items():
            taken = call.reading()
            # In the first turn code and data come into the caches.
            if turn:
                best[name] = min(best[name], taken)
    return best
