// Device code of a model with several functions: PTX is one module, of which an assembler takes all; machine code is of one.
// RUN: rm -rf %t && mkdir %t
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda --emit=ptx -o %t/all.ptx
// RUN: grep "^\.version" %t/all.ptx | count 1
// RUN: grep "^\.target" %t/all.ptx | count 1
// RUN: grep "^\.address_size" %t/all.ptx | count 1
// RUN: FileCheck %s < %t/all.ptx
// CHECK: .target sm_80
// CHECK: .visible .entry {{.*}}first
// CHECK: .visible .entry {{.*}}second
// One that is for sm_90a makes the module one for sm_90a.
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda:sm_90a --emit=ptx -o %t/own.ptx 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING: warning: only PTX
// RUN: grep "^\.target" %t/own.ptx | FileCheck %s --check-prefix=OWN
// OWN: .target sm_90a
// OWN-NOT: .target

// A function alone has the kernels that it has among others.
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda --emit=ptx --function=first | FileCheck %s --check-prefix=ALONE
// ALONE:     .visible .entry {{.*}}first
// ALONE-NOT: .visible .entry {{.*}}second

// RUN: %{exits} 1 keratin-compile %s --target=cuda:sm_80 --emit=cubin -o %t/no.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// CUBIN: error: --emit=cubin: the model has 4 functions ('first', 'second', 'product', 'same'); choose one with --function=NAME, or take --emit=ptx
// RUN: not ls %t/no.cubin
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_CACHE= keratin-compile %s --target=cuda:sm_80 --emit=cubin --function=second -o %t/second.cubin
// RUN: grep "machine code for sm_80" %t/second.cubin
// A function without kernels alone has no code for a device.
// RUN: %{exits} 1 keratin-compile %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=NOPTX
// NOPTX: error: --emit=ptx needs a function with kernels and --target=cuda

func.func @first(%x: tensor<256x4096xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<256xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<256x4096xf32>) -> tensor<256x4096xf32>
  %1 = keratin.reduce_sum %0 axes = [1] : (tensor<256x4096xf32>) -> tensor<256xf32>
  return %1 : tensor<256xf32>
}
func.func @second(%x: tensor<64x4096xf64> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf64> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<64x4096xf64>) -> tensor<64xf64>
  return %0 : tensor<64xf64>
}
func.func @product(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
// Without kernels, maybe.
func.func @same(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  return %x : tensor<4xf32>
}
