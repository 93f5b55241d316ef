"""What newcomers get wrong with the tools and with objects, and what they are told: one line that names the file, option or
argument as they wrote it, what was found, what is needed: wrong_uses.py BIN SOURCE_FOLDER SCRATCH_FOLDER.

(The API in C++: tests/frontend/WrongUsesTest.cpp.)"""

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile

BIN, SOURCE, SCRATCH = map(os.path.abspath, sys.argv[1:])
shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
os.chdir(SCRATCH)
shutil.copy(os.path.join(SOURCE, "Inputs", "net.mlir"), "net.mlir")
problems = []


def check(what, told, expected):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    if not re.fullmatch(pattern, told):
        problems.append(f"{what}\n  told   {told!r}\n  needed {expected!r}")


def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def tool(line):
    name, *arguments = line.split()
    done = subprocess.run([os.path.join(BIN, name), *arguments], capture_output=True, text=True, timeout=120)
    if not done.returncode:
        return "nothing"
    return done.stderr.rstrip("\n")


write("x64.npy", npy("<f8", "(1, 4)", bytes(32)))
write("x3.npy", npy("<f4", "(1, 3)", bytes(12)))
write("x.npy", npy("<f4", "(1, 4)", bytes(16)))
write("text.txt", b"hello\n")
with zipfile.ZipFile("other.npz", "w") as archive:
    archive.writestr("kernel.npy", npy("<f4", "(1,)", bytes(4)))
subprocess.run([os.path.join(BIN, "keratin-compile"), "net.mlir", "-o", "libnet.so"], check=True)
predict = "keratin-run net.mlir --function=predict"
random = predict + " --random"
TOOLS = [
    ("which function", "keratin-run net.mlir", "net.mlir: error: the model has several functions: predict, train, wide; choose with --function"),
    ("no such function", "keratin-run net.mlir --function=fit", "net.mlir: error: there is no function 'fit'; there are predict, train, wide"),
    ("an input forgotten", predict, "keratin-run: error: input 'x' (float32 (None, 4)) is not given: --input x=FILE.npy, or --random"),
    ("an input that is not there", predict + " --input=z=x.npy", "keratin-run: error: the function has no input 'z'; its inputs are x (float32 (None, 4))"),
    ("another dtype", predict + " --input=x=x64.npy", "keratin-run: error: input 'x' is an array of float64 with rank 2; float32 (None, 4) is needed"),
    ("another size", predict + " --input=x=x3.npy", "keratin-run: error: function 'predict': input 'x' (net.mlir:3) is fed a value of shape (1, 3); shape (x_dim0, 4) is needed"),
    ("no array", predict + " --input=x=none.npy", "none.npy: error: No such file or directory"),
    ("no size of that name", random + " --size=rows=3", "keratin-run: error: --size: the function has no size 'rows'; there are x_dim0 (d0)"),
    ("no such device", random + " --device=gpu", "keratin-run: error: --device=gpu: unknown device 'gpu'; known devices: cpu"),
    ("no weights", random + " --weights=none.npz", "none.npz: error: No such file or directory"),
    ("a kind of file that there is not", random + " --weights=w.txt", "keratin-run: error: 'w.txt' ends in no known way; needed .safetensors, .safetensors.index.json, .npz or .h5"),
    ("a kind that is not written", random + " --save-weights=w.h5 --repeat=1000000000", "keratin-run: error: 'w.h5' ends in no known way; needed .safetensors or .npz"),
    ("no number", random + " --repeat=many", "keratin-run: error: --repeat needs a number of at least 0, found 'many'"),
    ("no model", "keratin-run text.txt", "text.txt: error: this is a text without a function (func.func); needed a saved graph (.ktg) or textual IR"),
    ("an option for models", "keratin-run libnet.so --function=predict --random --target=cuda", "keratin-run: error: --target goes with a model, not a shared object"),
    ("an option that there is not", random + " --weight=w.npz", "keratin-run: error: there is no option '--weight'; --help lists them"),
    ("no such target", "keratin-compile net.mlir --target=tpu", "keratin-compile: error: unknown target 'tpu'; known targets: cpu, cuda, and of CPUs triples such as x86_64-linux-gnu"),
    ("no such output", "keratin-compile net.mlir --emit=exe", "keratin-compile: error: --emit needs one of ..., found 'exe'"),
    ("no name for C", "keratin-compile net.mlir --name=class-2", "keratin-compile: error: the model's name 'class-2' cannot begin names in C; needed letters, digits and single _ between them, a letter first, and not keratin"),
    ("no name for C, where text is made", "keratin-compile net.mlir --emit=asm --name=keratin", "keratin-compile: error: the model's name 'keratin' cannot begin names in C; needed letters, digits and single _ between them, a letter first, and not keratin"),
    ("a folder that is not there", "keratin-compile net.mlir -o /nonexistent/libnet.so", "keratin-compile: error: cannot write '/nonexistent/libnet.so': No such file or directory"),
    ("an object over its model", "keratin-compile net.mlir -o ./net.mlir", "keratin-compile: error: cannot write './net.mlir': it is the model and would be the object, too"),
    ("two outputs in a file", "keratin-compile net.mlir -o net.so --header=net.so", "keratin-compile: error: cannot write 'net.so': it is the object and would be the header, too"),
    ("no bytes", "keratin-compile net.mlir --memory-budget=much", "keratin-compile: error: --memory-budget needs a number of bytes as 500000, 64KiB, 64MiB or 2GiB, found 'much'"),
    ("weights of another model", "keratin-compile net.mlir --weights=other.npz", "other.npz: error: it has no 'w'"),
]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("device", ctypes.c_void_p)]


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 1020)]


FLOAT32, FLOAT64 = 12, 13
buffer = ctypes.create_string_buffer(1024)


def tensor(*dims, dtype=FLOAT32, data=buffer):
    return Tensor(ctypes.cast(data, ctypes.c_void_p), dtype, len(dims), (ctypes.c_int64 * len(dims))(*dims), None, None)


net = ctypes.CDLL(os.path.join(SCRATCH, "libnet.so"))
state = ctypes.c_void_p()


def told(function, *arguments):
    status = Status()
    code = getattr(net, function)(*arguments, ctypes.byref(status))
    return status.message.decode() if code else "nothing"


def predict_with(x, y, workspace=None, bytes=0, on=None):
    return told("net_predict_run", on or state, ctypes.byref(x), ctypes.byref(y), workspace, ctypes.c_size_t(bytes))


assert told("net_state_create", ctypes.byref(state)) == "nothing"
y = tensor(2, 3)
OBJECTS = [
    ("another size", lambda: predict_with(tensor(2, 5), y), "function 'predict': input 'x' (net.mlir:3) is fed a value of shape (2, 5); shape (x_dim0, 4) is needed"),
    ("another rank", lambda: predict_with(tensor(4), y), "function 'predict': input 'x' (net.mlir:3) is fed a value of rank 1; rank 2 is needed, shape (x_dim0, 4)"),
    ("another dtype", lambda: predict_with(tensor(2, 4, dtype=FLOAT64), y), "function 'predict': input 'x' (net.mlir:3) is fed a value of dtype float64; float32 is needed"),
    ("no data", lambda: predict_with(tensor(2, 4, data=None), y), "function 'predict': input 'x' (net.mlir:3) is fed no data"),
    ("an output of another size", lambda: predict_with(tensor(2, 4), tensor(2, 4)), "function 'predict': the buffer of output 'y' (net.mlir:7) has dtype float32 and shape (2, 4); dtype float32 and shape (2, 3) are needed"),
    ("a workspace in the way", lambda: predict_with(tensor(2, 4), y, buffer, 1), "function 'predict': the workspace overlaps the memory of input 'x' (net.mlir:3)"),
    ("no state", lambda: told("net_predict_run", None, ctypes.byref(tensor(2, 4)), ctypes.byref(y), None, ctypes.c_size_t(0)), "keratin_state_invoke: state is NULL"),
    ("no such variable", lambda: told("net_state_read", state, 7, buffer, ctypes.c_size_t(48)), "model 'net' has 1 variables; there is no variable 7"),
    ("another number of bytes", lambda: told("net_state_read", state, 0, buffer, ctypes.c_size_t(4)), "...the buffer to read into has 4 bytes; the value has 48"),
    ("a variable's other shape", lambda: told("net_state_write", state, 0, ctypes.byref(tensor(3, 4))), "...the new value has shape (3, 4); the variable has (4, 3)"),
    ("a state that is not there", lambda: told("net_state_load", state, b"none.state"), "cannot read 'none.state': No such file or directory"),
    ("no state at all", lambda: told("net_state_load", state, b"text.txt"), "'text.txt' is not a state of a model"),
]

for what, line, expected in TOOLS:
    check(f"{what}: {line}", tool(line), expected)
for what, use, expected in OBJECTS:
    check(what, use(), expected)
print("\n".join(problems) or f"{len(TOOLS) + len(OBJECTS)} wrong uses")
sys.exit(bool(problems))
