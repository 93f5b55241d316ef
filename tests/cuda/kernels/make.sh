#!/bin/sh
# Makes the .ptx files again: needs nvcc 13 (in PATH or /usr/local/cuda/bin) and clang 19 with llc.
set -eu
cd "$(dirname "$0")"
PATH="$PATH:/usr/local/cuda/bin"
nvcc -arch=sm_80 -ptx simple.cu -o simple.nvcc.ptx
nvcc -arch=sm_80 -ptx tensor.cu -o tensor.nvcc.ptx
nvcc -arch=sm_90a -ptx warpgroup.cu -o warpgroup.nvcc.ptx
clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version -O2 \
  -ffp-contract=fast -Xclang -target-feature -Xclang +ptx80 -S simple.cu -o simple.clang.ptx
llc-19 -O3 -march=nvptx64 -mcpu=sm_80 -mattr=+ptx80 intrinsics.ll -o intrinsics.llc.ptx
