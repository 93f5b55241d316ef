"""The same from Python, with its standard library alone, by what the object says of itself:
predict.py <libdigits_model.so> <weights.safetensors> <digits.csv>"""
import ctypes as c, json, os, sys

library = c.CDLL(os.path.abspath(sys.argv[1]))
model = json.loads(c.string_at(c.addressof(c.c_char.in_dll(library, "keratin_model_metadata"))))
predict, state, status = model["functions"][0], c.c_void_p(), c.create_string_buffer(1024)

class Tensor(c.Structure):  # keratin_tensor_t of the model's header
    _fields_ = list(zip(("data", "dtype", "rank", "dims", "strides", "device"),
                        (c.c_void_p, c.c_int32, c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p)))

def call(symbol, *arguments):
    if library[symbol](*arguments, status):
        sys.exit("error: " + status.raw[4:].split(b"\0")[0].decode())

def tensor(floats, *dims):
    return c.byref(Tensor(c.cast(floats, c.c_void_p), predict["inputs"][0]["dtype_number"], len(dims),
                          c.cast((c.c_int64 * len(dims))(*dims), c.c_void_p)))

rows = [list(map(float, line.split(","))) for line in open(sys.argv[3]).readlines()[1::5]]
images = (c.c_float * (64 * len(rows)))(*[pixel / 16 for row in rows for pixel in row[:64]])
scores = (c.c_float * (10 * len(rows)))()
call(model["model"] + "_state_create", c.byref(state))
call(model["model"] + "_state_load_weights", state, sys.argv[2].encode())
call(predict["symbol"] + "_run", state, tensor(images, len(rows), 64), tensor(scores, len(rows), 10), None, c.c_size_t(0))
best = [max(range(10), key=lambda k: scores[10 * i + k]) for i in range(len(rows))]
print(f"test accuracy {sum(k == row[64] for k, row in zip(best, rows)) / len(rows):.4f}")
