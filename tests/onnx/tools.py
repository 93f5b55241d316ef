"""What tools make of models of ONNX, and say of wrong ones: tools.py FOLDER_OF_TOOLS FOLDER_OF_DATA SCRATCH_FOLDER.

The models are ONNX's own tests of backends, with inputs and outputs (tests/onnx/CMakeLists.txt)."""

import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "python"))
from onnx_messages import fields_of  # noqa: E402

BIN, DATA, SCRATCH = sys.argv[1:]
problems = []


def run(tool, *arguments):
    done = subprocess.run([os.path.join(BIN, tool), *arguments], capture_output=True, cwd=SCRATCH, timeout=300,
                          env=dict(os.environ, KERATIN_CACHE="off", KERAS_HOME=os.path.join(SCRATCH, "keras")))
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def expect(code, message, tool, *arguments):
    """The exit code, and what standard error holds."""
    got, out, err = run(tool, *arguments)
    if got != code or message not in err or bool(err) != bool(message):
        problems.append(f"{tool} {arguments}: exit code {got}, {err!r}; expected {code}, {message!r}")
    return out


def tensor(path):
    """Sizes and elements of a file with one tensor of float32."""
    with open(path, "rb") as file:
        fields = list(fields_of(file.read()))
    raw, = [value for key, value in fields if key == 9]
    return tuple(value for key, value in fields if key == 1), struct.unpack(f"<{len(raw) // 4}f", raw)


def write_npy(name, sizes, elements):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": sizes}).encode()
    with open(os.path.join(SCRATCH, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(elements)}f", *elements))


def read_npy(name):
    data = open(os.path.join(SCRATCH, name), "rb").read()
    length, = struct.unpack("<H", data[8:10])
    header, raw = eval(data[10:10 + length]), data[10 + length:]
    return header["shape"], struct.unpack(f"<{len(raw) // 4}f", raw)


def check_output(what, name, expected):
    sizes, elements = read_npy(name)
    if sizes != expected[0] or any(abs(a - b) > 1e-3 * abs(b) + 1e-6 for a, b in zip(elements, expected[1])):
        problems.append(f"{what}: found {sizes} {elements[:4]}, expected {expected[0]} {expected[1][:4]}")


def check_numbers():
    """In process and ahead of time the outputs are those that ONNX gives."""
    folder = os.path.join(DATA, "pytorch-converted", "test_Conv2d")
    shutil.copy(os.path.join(folder, "model.onnx"), os.path.join(SCRATCH, "conv net.onnx"))
    write_npy("x.npy", *tensor(os.path.join(folder, "test_data_set_0", "input_0.pb")))
    expected = tensor(os.path.join(folder, "test_data_set_0", "output_0.pb"))
    # The graph's name is none in C: the function has the file's.
    out = expect(0, "", "keratin-run", "conv net.onnx", "--function=conv_net", "--input=0=x.npy", "--output-dir=.", "--check")
    if "check: 1 call agrees" not in out:
        problems.append(f"keratin-run printed {out!r}")
    check_output("keratin-run model", "3.npy", expected)
    os.remove(os.path.join(SCRATCH, "3.npy"))
    expect(0, "", "keratin-compile", "conv net.onnx", "-o", "libconv.so", "--header=conv.h")
    if "conv_net_conv_net(" not in open(os.path.join(SCRATCH, "conv.h")).read():
        problems.append("the header has no function conv_net_conv_net")
    out = expect(0, "", "keratin-run", "libconv.so", "--input=0=x.npy", "--output-dir=.", "--model=conv net.onnx", "--check")
    check_output("keratin-run object", "3.npy", expected)


def check_dump():
    """A node is a place as a source line is one; a graph whose name is one in C gives it to the function."""
    model = os.path.join(DATA, "node", "test_conv_with_strides_padding", "model.onnx")
    out = expect(0, "", "keratin-dump", model)
    if "func.func @test_conv_with_strides_padding(" not in out or 'loc("model.onnx: node (Conv)":1' not in out:
        problems.append(f"keratin-dump printed {out!r}")
    out = expect(0, "", "keratin-dump", model, "--around=model.onnx: node (Conv):1", "--stage=fused")
    if "keratin.conv" not in out:
        problems.append(f"keratin-dump --around printed {out!r}")


def check_export():
    """A function becomes a model that computes the same."""
    with open(os.path.join(SCRATCH, "two.mlir"), "w") as file:
        file.write("""func.func @f(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.name = "y"}) attributes {keratin.sizes = ["batch"]} {
  %y = keratin.exp %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @g(%draw: tensor<i64>) -> tensor<2xui32> {
  %y = keratin.random_bits %draw {seed = 1 : i64} : (tensor<i64>) -> tensor<2xui32> loc("net.cc":7:1)
  return %y : tensor<2xui32>
}
""")
    expect(1, "keratin-compile: error: --emit=onnx: the model has 2 functions ('f', 'g'); choose one with --function=NAME",
           "keratin-compile", "two.mlir", "--emit=onnx")
    expect(1, "not implemented: op 'random_bits' (ONNX has no random numbers with given bits)", "keratin-compile", "two.mlir",
           "--emit=onnx", "--function=g")
    expect(1, "opset 24; needed 14 to 23", "keratin-compile", "two.mlir", "--emit=onnx", "--function=f", "--opset=24")
    expect(2, "--opset goes with --emit=onnx", "keratin-compile", "two.mlir", "--opset=17")
    expect(2, "--external-data goes with --emit=onnx", "keratin-compile", "two.mlir", "--external-data")
    expect(2, "--external-data needs a file for the model", "keratin-compile", "two.mlir", "--emit=onnx", "--external-data", "-o", "-")
    expect(0, "", "keratin-compile", "two.mlir", "--emit=onnx", "--function=f", "--opset=17", "-o", "f.onnx")
    if b"two.mlir" not in open(os.path.join(SCRATCH, "f.onnx"), "rb").read():
        problems.append("nodes have no source lines")
    out = expect(0, "", "keratin-run", "f.onnx", "--random", "--size=batch=4", "--check")
    if "check: 1 call agrees" not in out:
        problems.append(f"keratin-run f.onnx printed {out!r}")
    convolution = os.path.join(DATA, "pytorch-converted", "test_Conv3d_groups", "model.onnx")
    shutil.copy(convolution, os.path.join(SCRATCH, "filters.onnx"))
    expect(0, "", "keratin-compile", "filters.onnx", "--emit=onnx", "--external-data", "-o", "apart.onnx")
    sizes = [os.path.getsize(os.path.join(SCRATCH, name)) for name in ("apart.onnx", "apart.onnx.data")]
    if sizes[1] < 1024:
        problems.append(f"files have {sizes} bytes")
    expect(0, "", "keratin-run", "apart.onnx", "--random=1", "--output=apart.npz")
    expect(0, "", "keratin-run", "filters.onnx", "--random=1", "--output=whole.npz")
    with open(os.path.join(SCRATCH, "apart.npz"), "rb") as apart, open(os.path.join(SCRATCH, "whole.npz"), "rb") as whole:
        if apart.read() != whole.read():
            problems.append("a model with data in a file of its own computes something else")
    expect(0, "", "keratin-compile", "two.mlir", "--emit=onnx", "--function=f", "--strip-locations")
    if b"two.mlir" in open(os.path.join(SCRATCH, "two.onnx"), "rb").read():
        problems.append("nodes have source lines that were to be stripped")


def check_golden():
    """Each op of a saved graph has a form in ONNX, or is refused by its name."""
    refused = {"random_bits": "op 'random_bits'", "ctc_beam_search": "op 'ctc_beam_search'", "window_pick": "windows over integers"}
    ranks = "all_gather", "all_reduce", "all_to_all", "broadcast_from", "permute", "rank", "rank_count", "reduce_scatter"
    mathematics = ["bessel_i0e", "bessel_i1e", "beta_sample_gradient", "betainc", "cholesky", "complex", "digamma", "eigh", "erfc", "erfinv",
                   "gamma_sample_gradient", "igamma", "igammac", "lgamma", "lu", "qr", "svd", "triangular_solve", "zeta"]
    refused.update({op: f"op '{op}' (" for op in mathematics}, real="op 'complex' (", imag="op 'complex' (")
    refused.update({op: f"op '{op}' (ONNX has no ranks)" for op in ranks}, mesh_axis="op 'all_reduce' (ONNX has no ranks)")
    golden = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compat", "golden")
    for folder, _, files in sorted(os.walk(golden)):
        for name in sorted(name[:-4] for name in files if name.endswith(".ktg")):
            code, _, err = run("keratin-compile", os.path.join(folder, name + ".ktg"), "--emit=onnx", "-o", name + ".onnx")
            if (code == 1 and refused[name] in err) if name in refused else code == 0:
                continue
            if "; choose one with --function=NAME" not in err:
                problems.append(f"{name}: {err}")
    # The number of steps alone.
    with open(os.path.join(SCRATCH, "count.mlir"), "w") as file:
        file.write("""func.func @count(%x: tensor<f32> {keratin.name = "x"}) -> (tensor<f32>, tensor<i64>) {
  %true = keratin.constant dense<true> : tensor<i1>
  %last:3 = keratin.while at_most = <5> init(%true, %x) with() : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%step: tensor<i64>, %go: tensor<i1>, %state: tensor<f32>):
    %next = keratin.add %state, %state : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %go, %next : tensor<i1>, tensor<f32>
  }
  return %last#1, %last#2 : tensor<f32>, tensor<i64>
}
""")
    expect(0, "", "keratin-compile", "count.mlir", "--emit=onnx")
    out = expect(0, "", "keratin-run", "count.onnx", "--random", "--check")
    if "check: 1 call agrees" not in out:
        problems.append(f"keratin-run count.onnx printed {out!r}")


def check_errors():
    with open(os.path.join(SCRATCH, "text.onnx"), "w") as file:
        file.write("func.func @f() { return }\n")
    squeeze = os.path.join(DATA, "node", "test_squeeze", "model.onnx")
    for tool in "keratin-compile", "keratin-run", "keratin-dump":
        expect(1, "none.onnx: error: this cannot be read: No such file", tool, "none.onnx")
        expect(1, "text.onnx: error: this is no model of ONNX, or damaged", tool, "text.onnx")
        expect(1, "model.onnx: error: not implemented: axes that only a call knows; at model.onnx: node (Squeeze):1", tool, squeeze)
    expect(1, "conv net.onnx: error: there is no function 'f'; there are conv_net", "keratin-compile", "conv net.onnx", "--function=f")


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
check_numbers()
check_dump()
check_export()
check_golden()
check_errors()
for problem in problems:
    print(problem)
sys.exit(bool(problems))
