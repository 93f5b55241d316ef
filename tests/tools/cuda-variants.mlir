// Code for an architecture on which kernels have forms of their own, beside that for all devices.
// RUN: rm -rf %t && mkdir %t

// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_CACHE= keratin-compile %s --target=cuda:sm_80,sm_90a -o %t/both.so --name=m 2>&1 | count 0
// RUN: for image in ptx:sm_90a cuda-kernels:sm_90a cubin:sm_80 cubin:sm_90a; do grep -c -a "$image" %t/both.so || echo no $image; done | not grep no
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_CACHE= keratin-compile %s --target=cuda:sm_80,sm_90 -o %t/plain.so --name=m 2>&1 | count 0
// RUN: not grep -c -a sm_90a %t/plain.so
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda:sm_90a --emit=ptx 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: .target sm_90a
// OWN: wgmma
// RUN: keratin-compile %s --target=cuda --emit=ptx | FileCheck %s --check-prefix=ALL
// ALL: .target sm_80
// ALL-NOT: wgmma

func.func @net(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
               %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
