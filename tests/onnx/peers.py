"""Whether ONNX and ONNX Runtime take the models that Keratin writes: peers.py EXPORTS DATA [--verbose].

EXPORTS is the folder that `onnx_backend_tests DATA tests/onnx/exceptions.txt --export=EXPORTS` wrote models to, DATA that of
ONNX's own tests (/usr/share/libonnx-testdata/data). Each model is checked by onnx.checker with shape inference, and run by ONNX
Runtime on the test's inputs; the outputs must be those of the test. Needs the packages onnx, onnxruntime and numpy, which the
suite has not: docs/testing.md."""

import collections
import multiprocessing
import os
import pathlib
import subprocess
import sys
import warnings

import numpy
import onnx
import onnx.numpy_helper
import onnxruntime

RELATIVE, ABSOLUTE = 1e-3, 1e-6   # of ONNX's runner, and what sums of float32 round


def tensors(path, value):
    """By their names; a sequence has as many as it is long."""
    kind = value.type.WhichOneof("value")
    protos = {"sequence_type": (onnx.SequenceProto, onnx.numpy_helper.to_list),
              "optional_type": (onnx.OptionalProto, onnx.numpy_helper.to_optional)}
    proto, convert = protos.get(kind, (onnx.TensorProto, onnx.numpy_helper.to_array))
    found = convert(proto.FromString(path.read_bytes()))
    return {f"{value.name}_{i}": part for i, part in enumerate(found)} if isinstance(found, list) else {value.name: found}


def numbered(folder, what):
    for i in range(1000):
        path = folder / f"{what}_{i}.pb"
        if not path.exists():
            return
        yield path


def difference(found, expected, relative=RELATIVE, absolute=ABSOLUTE):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if found.dtype.kind in "biu":
        return "" if numpy.array_equal(found, expected) else f"{found.ravel()[:4]}, expected {expected.ravel()[:4]}"
    found, expected = found.astype("float64"), expected.astype("float64")
    if numpy.allclose(found, expected, relative, absolute, equal_nan=True):
        return ""
    worst = numpy.argmax(numpy.nan_to_num(abs(found - expected), nan=numpy.inf))
    return f"{found.ravel()[worst]}, expected {expected.ravel()[worst]}"


def largest(values):
    return max((abs(value.astype("float64")).max(initial=0) for value in values), default=0)


def net_difference(found, expected, noise=0):
    """Of what an exporter wrote. Sums that cancel are as far off as what they add: a share of the largest number of a tensor."""
    return difference(found, expected, 1e-4, 1e-5 * largest([expected]) + noise)


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def object_outputs(build, path, feeds):
    """What the object that keratin-compile makes of a model gives for each of the inputs, by names."""
    def call(tool, *arguments):
        done = subprocess.run([build / "bin" / tool, *arguments], capture_output=True, text=True, cwd=path.parent)
        if done.returncode:
            raise ValueError(f"{tool}: {done.stderr or done.stdout}")
    call("keratin-compile", path.name, "-o", "libmodel.so")
    for feed in feeds:
        numpy.savez(path.parent / "in.npz", **feed)
        call("keratin-run", "libmodel.so", "--input=in.npz", "--output=out.npz", "--quiet")
        with numpy.load(path.parent / "out.npz") as outputs:
            yield dict(outputs)


def judge(model, data):
    """What is wrong with the model, by kind: "" if nothing is."""
    try:
        onnx.checker.check_model(onnx.load(model), full_check=True)
    except Exception as error:
        return "checker", str(error)
    graph = onnx.load(model, load_external_data=False).graph
    if any(value.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for value in (*graph.input, *graph.output)):
        return "not implemented there", "NumPy has no bfloat16"
    try:
        runtime = session(model)
    except Exception as error:
        return ("not implemented there" if "NOT_IMPLEMENTED" in str(error) else "load"), str(error)
    original = onnx.load(data / "model.onnx", load_external_data=False)
    inputs = {value.name for value in runtime.get_inputs()}
    for folder in sorted(data.glob("test_data_set_*")):
        feeds, expected = ({name: part for value, path in zip(values, numbered(folder, what)) for name, part in tensors(path, value).items()}
                           for values, what in ((original.graph.input, "input"), (original.graph.output, "output")))
        try:
            outputs = runtime.run(None, {name: value for name, value in feeds.items() if name in inputs})
        except Exception as error:
            return "run", str(error)
        for i, (found, value) in enumerate(zip(outputs, expected.values())):
            wrong = difference(found, value)
            if wrong:
                return "numbers", f"output {i}: {wrong}"
    return "", ""


def judge_apart(model, data):
    """The same in a process of its own, which may die."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(judge, (model, data)).get(60)
        except multiprocessing.TimeoutError:
            return "death", "no answer in a minute"


def main():
    exports, data = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    warnings.filterwarnings("ignore")
    folders = {path.parent.name: path.parent for path in data.rglob("model.onnx")}
    # What Keratin does otherwise than these tests.
    lists = [pathlib.Path(__file__).with_name(name).read_text() for name in ("exceptions.txt", "export_exceptions.txt")]
    excepted = {line.split()[0] for text in lists for line in text.splitlines() if line and line[0] != "#"}
    counts = collections.Counter()
    for model in sorted(exports.rglob("model.onnx")):
        if model.parent.name in excepted:
            continue
        kind, text = judge_apart(model, folders[model.parent.name])
        counts[kind or "agrees"] += 1
        if kind:
            print(f"{model.parent.name}: {kind}: {text[:600 if '--verbose' in sys.argv else 160]!r}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    sys.exit(any(kind not in ("agrees", "not implemented there") for kind in counts))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
