#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job: a C++ program that defines a network with K::, compiles its training step,
# trains it on handwritten digits, and saves it; then keratin-compile makes a shared object of the saved model, and a C program trains
# and predicts with that alone; then the training step runs on a CUDA device, or in the emulator of one; then Keras 2.3.1, as it is on
# PyPI, trains the digits on the Python module.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
# What comes later is built later.
tools/build.sh release digits second_order
out=build/release/demo
mkdir -p $out
build/release/examples/digits examples/data/digits.csv 30 $out/digits.ktg
build/release/examples/second_order

echo "--- ahead of time ---"
tools/build.sh release keratin-compile
build/release/bin/keratin-compile $out/digits.ktg -o $out/libdigits.so --header=$out/digits.h
clang-19 -std=c99 -D_POSIX_C_SOURCE=199309L -O2 -Wall -Wextra -I$out -Iexamples examples/digits_object.c -L$out -ldigits -Wl,-rpath,"$PWD/$out" \
  -o $out/digits_object
ls -l $out/libdigits.so
ldd $out/libdigits.so
$out/digits_object examples/data/digits.csv

echo "--- CUDA ---"
tools/build.sh release keratin-run keratin_cuda_emulator
tools/demo-cuda.sh build/release $out/digits.ktg $out/cuda

echo "--- Keras ---"
tools/build.sh release keratin_native
KERAS_HOME=$out/keras PYTHONPATH=build/release/python build/python-env/bin/python examples/keras_digits.py examples/data/digits.csv
