// NVIDIA's assembler takes the PTX of several functions.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %S/cuda-functions.mlir --target=cuda --emit=ptx -o %t/all.ptx
// RUN: %{ptxas} -arch=sm_80 %t/all.ptx -o %t/all.cubin
// RUN: keratin-compile %S/cuda-functions.mlir --target=cuda:sm_90a --emit=ptx -o %t/own.ptx
// RUN: grep -q wgmma %t/own.ptx
// RUN: %{ptxas} -arch=sm_90a %t/own.ptx -o %t/own.cubin
// keratin-compile does so itself, and keratin-dump says what the assembler says of each kernel.
// RUN: env KERATIN_PTXAS=%{ptxas} keratin-compile %S/cuda-functions.mlir --target=cuda:sm_80 --emit=cubin --function=second -o %t/second.cubin
// RUN: env KERATIN_PTXAS=%{ptxas} keratin-dump %S/cuda-functions.mlir --target=cuda --stage=ptx --function=second | FileCheck %s
// CHECK: // sm_80: {{[0-9]+}} registers
