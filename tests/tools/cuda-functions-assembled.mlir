// NVIDIA's assembler takes the PTX of several functions.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %S/cuda-functions.mlir --target=cuda --emit=ptx -o %t/all.ptx
// RUN: %{ptxas} -arch=sm_80 %t/all.ptx -o %t/all.cubin
// RUN: keratin-compile %S/cuda-functions.mlir --target=cuda:sm_90a --emit=ptx -o %t/own.ptx
// RUN: grep -q wgmma %t/own.ptx
// RUN: %{ptxas} -arch=sm_90a %t/own.ptx -o %t/own.cubin
