"""NumPy and safetensors' own library read what keratin-run writes, and the other way around:
numpy_weights.py KERATIN_RUN SOURCE_FOLDER SCRATCH_FOLDER."""

import os
import shutil
import subprocess
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

RUN, SOURCE, SCRATCH = map(os.path.abspath, sys.argv[1:])
shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
MODEL = os.path.join(SOURCE, "Inputs", "variables.mlir")


def run(*arguments):
    done = subprocess.run([RUN, MODEL, "--repeat=0", *arguments], capture_output=True, cwd=SCRATCH, timeout=120)
    assert done.returncode == 0, done.stderr.decode()


def expect_equal(found, expected):
    assert sorted(found) == sorted(expected), (sorted(found), sorted(expected))
    for name, value in expected.items():
        got = found[name]
        assert got.dtype == value.dtype and got.shape == value.shape, (name, got.dtype, got.shape)
        assert got.tobytes() == value.tobytes(), (name, got, value)


weights = {
    "dense/kernel": np.array([[1.5, -2.0], [np.inf, 3e-40]], np.float32),
    "half": np.array([0.1, 65504], np.float16),
    "brain": np.array([1.5, -3.0, 2.0**-130], np.float32),  # bfloat16 in the model
    "steps": np.array(-(2**62), np.int64),
    "mask": np.array([True, False, True]),
    "empty": np.zeros((0, 3), np.uint8),
}
for save in (np.savez, np.savez_compressed):
    save(os.path.join(SCRATCH, "numpy.npz"), **weights)
    run("--weights=numpy.npz", "--save-weights=ours.npz")
    with np.load(os.path.join(SCRATCH, "ours.npz")) as ours:
        expect_equal(dict(ours), weights)
# Other layouts and dtypes, which NumPy has by default.
other = dict(weights, half=weights["half"].astype(np.float64), steps=np.int64(7).astype(">i8"))
other["dense/kernel"] = np.asfortranarray(weights["dense/kernel"])
np.savez(os.path.join(SCRATCH, "other.npz"), **other)
run("--weights=other.npz", "--save-weights=ours.npz")
with np.load(os.path.join(SCRATCH, "ours.npz")) as ours:
    expect_equal(dict(ours), dict(weights, steps=np.array(7, np.int64)))
run("--weights=numpy.npz", "--save-weights=ours.safetensors")
plain = {name: value for name, value in weights.items() if name != "brain"}
with safe_open(os.path.join(SCRATCH, "ours.safetensors"), framework="numpy") as ours:
    assert sorted(ours.keys()) == sorted(weights)
    expect_equal({name: ours.get_tensor(name) for name in plain}, plain)
save_file(weights, os.path.join(SCRATCH, "theirs.safetensors"))
run("--weights=theirs.safetensors", "--save-weights=ours.npz")
with np.load(os.path.join(SCRATCH, "ours.npz")) as ours:
    expect_equal(dict(ours), weights)
