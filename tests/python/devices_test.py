"""Arrays that stay on a device, on CUDA's look-alike: the driver whose place the emulator takes is
looked for once in a process, so all is run in one of its own."""
import os
import pathlib
import subprocess
import sys

import pytest

import keratin.backend as K
from keratin import _native

EMULATOR = pathlib.Path(_native.library_folder()) / 'libkeratin_cuda_emulator.so'
PROGRAM = """
import ctypes
import gc
import os
import numpy as np
import keratin
import keratin.backend as K

K.set_device('cuda')
assert K.device() == 'cuda'
x, y = K.placeholder((None, 3), name='x'), K.placeholder((None, 3), name='y')
double = K.function([x], [x * 2., K.sum(x)], name='double', keep_on_device=True)
add = K.function([x, y], [x + y], name='add')

values = np.arange(6, dtype='float32').reshape(2, 3)
kept, total = double([values])
assert type(kept) is keratin.DeviceArray
assert (kept.shape, kept.dtype, kept.ndim, kept.size, kept.device) == (
    (2, 3), 'float32', 2, 6, 'cuda')
assert repr(kept) == '<keratin.DeviceArray float32 (2, 3) on cuda>'
assert kept.to_host().tolist() == (values * 2).tolist()
assert total.shape == () and float(total.to_host()) == 15
assert np.asarray(kept, dtype='float64').tolist() == (values * 2).tolist()

# A value of other functions, beside arrays of the host, by place and by name.
assert add([kept, values])[0].tolist() == (values * 3).tolist()
assert add({'x': values, 'y': kept})[0].tolist() == (values * 3).tolist()
again = double([kept])[0]
del kept
gc.collect()
assert again.to_host().tolist() == (values * 4).tolist()
try:
    add([again, values[:, :2]])
    assert False
except ValueError as error:
    assert ") has shape (2, 2); needed (None, 3)" in str(error), error

# DLPack: there and back, and a capsule that nobody takes.
assert again.__dlpack_device__() == (2, 0)


class Foreign(object):
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **unused):
        return self.capsule

    def __dlpack_device__(self):
        return (2, 0)


foreign = Foreign(again.__dlpack__(stream=None))
again.__dlpack__()
del again
gc.collect()
assert add([foreign, values])[0].tolist() == (values * 5).tolist()

# What another library has put into its default stream: it is waited for where its tensor is taken, and where one of ours is
# let go of. (The emulator does nothing before somebody waits.)
cuda = ctypes.CDLL(os.environ['KERATIN_CUDA_DRIVER'])
context = ctypes.c_void_p()
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
ctypes.pythonapi.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


def fill(address, word):
    assert cuda.cuMemsetD32Async(ctypes.c_uint64(address), word, ctypes.c_size_t(6), None) == 0


theirs = double([values])[0]
capsule = theirs.__dlpack__()
tensor = ctypes.pythonapi.PyCapsule_GetPointer(capsule, b'dltensor')
address = ctypes.cast(tensor, ctypes.POINTER(ctypes.c_uint64))[0]
fill(address, 0x3f800000)
assert double([Foreign(capsule)])[0].to_host().tolist() == [[2] * 3] * 2

name = b'used_dltensor'
capsule = theirs.__dlpack__()
tensor = ctypes.pythonapi.PyCapsule_GetPointer(capsule, b'dltensor')
assert ctypes.pythonapi.PyCapsule_SetName(capsule, name) == 0
fill(address, 0x40000000)
deleter = ctypes.cast(tensor + 56, ctypes.POINTER(ctypes.c_void_p))[0]
del theirs
assert cuda.cuStreamQuery(None) != 0
ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(deleter)(tensor)
assert cuda.cuStreamQuery(None) == 0

# Variables on the device, trained there.
w = K.variable(np.ones(3), name='w')
step = K.function([x], [K.sum(x * w)], [(w, w * 0.5)], keep_on_device=True)
assert [float(step([values])[0].to_host()) for _ in range(2)] == [15, 7.5]
assert K.get_value(w).tolist() == [0.25] * 3

# On the host the option changes nothing.
K.set_device('cpu')
v = K.placeholder((2,))
host = K.function([v], [v + 1.], keep_on_device=True)([[1, 2]])[0]
assert type(host) is np.ndarray and host.tolist() == [2, 3]
try:
    K.function([v], [v], keep_on_device='yes')
    assert False
except TypeError as error:
    assert "function: keep_on_device is 'yes' (str); needed True or False" in str(error), error
print('done')
"""


@pytest.mark.skipif(not EMULATOR.exists(), reason='no emulator of CUDA beside the library')
def test_arrays_stay_on_a_device():
    environment = dict(os.environ, KERATIN_CUDA_DRIVER=str(EMULATOR), PYTHONPATH=os.pathsep.join(sys.path))
    result = subprocess.run([sys.executable, '-c', PROGRAM], env=environment, capture_output=True,
                            text=True, timeout=300)
    assert (result.stdout, result.returncode) == ('done\n', 0), result.stderr


def test_options_are_named():
    x = K.placeholder((2,))
    with pytest.raises(ValueError) as info:
        K.function([x], [x], keep=True)
    assert ("function: there is no argument 'keep'; there are name, device, target, memory_budget, "
            "time_limit, check_numbers, float32_products, keep_on_device, assume_equal_sizes, "
            "prepare_weights, lazy_updates, precision, shard, shard_states, gather_parts, local_statistics, progress") in str(info.value)
    with pytest.raises(TypeError, match=r'function: device is 3 \(int\); needed a string'):
        K.function([x], [x], device=3)
