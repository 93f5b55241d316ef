// Machine code for CUDA devices beside the PTX, by a program that looks like ptxas.
// RUN: rm -rf %t && mkdir %t

// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh keratin-compile %s --target=cuda:sm_90,sm_90a -o %t/model.so --name=m 2>&1 | count 0
// RUN: grep -c -a "cubin:sm_90" %t/model.so && grep -c -a "machine code for sm_90a" %t/model.so && grep -c -a "visible .entry" %t/model.so
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda:sm_90 -o %t/ptx.so --name=m 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: not grep -c -a "cubin:sm_90" %t/ptx.so
// WARNING: keratin-compile: warning: only PTX, which the driver compiles, and no cubin for sm_90: ptxas is not there: KERATIN_PTXAS is empty; nvJitLink is not there
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_REFUSES=sm_100 KERATIN_CACHE= %{exits} 3 keratin-compile %s --target=cuda:sm_90,sm_100 -o %t/no.so --name=m 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: ptxas for sm_100: ptxas fatal   : not today

// One of them alone.
// RUN: keratin-compile %s --target=cuda --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX: .target sm_80
// PTX: .visible .entry
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh keratin-compile %s --target=cuda:sm_120 --emit=cubin -o - | FileCheck %s --check-prefix=CUBIN
// CUBIN: machine code for sm_120
// RUN: %{exits} 1 keratin-compile %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=NOPTX
// NOPTX: error: --emit=ptx needs a function with kernels and --target=cuda
// RUN: %{exits} 1 keratin-compile %s --target=cuda --emit=cubin -o %t/x 2>&1 | FileCheck %s --check-prefix=NOCUBIN
// NOCUBIN: error: --emit=cubin needs a function with kernels, ptxas and an architecture: --target=cuda:sm_90
// RUN: %{exits} 1 keratin-compile %s --target=cuda:sm_80,sm_90 --emit=cubin -o %t/x 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: --emit=cubin writes the code for one architecture: --target=cuda:sm_90

// What was assembled is kept, and damage is noticed.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_LOG=%t/log KERATIN_CACHE=%t/cache keratin-compile %s --target=cuda:sm_90 --emit=cubin -o %t/1
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_LOG=%t/log KERATIN_CACHE=%t/cache keratin-compile %s --target=cuda:sm_90 --emit=cubin -o %t/2
// RUN: cmp %t/1 %t/2 && cat %t/log | count 1 && ls %t/cache | count 1
// RUN: for f in %t/cache/*; do printf x | dd of=$f bs=1 seek=90 conv=notrunc 2>%t/dd; done
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_LOG=%t/log KERATIN_CACHE=%t/cache keratin-compile %s --target=cuda:sm_90 --emit=cubin -o %t/3
// RUN: cmp %t/1 %t/3 && cat %t/log | count 2
// Another architecture and another assembler are other keys.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_LOG=%t/log KERATIN_CACHE=%t/cache keratin-compile %s --target=cuda:sm_80 --emit=cubin -o %t/4
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_VERSION=2 FAKE_PTXAS_LOG=%t/log KERATIN_CACHE=%t/cache keratin-compile %s --target=cuda:sm_90 --emit=cubin -o %t/5
// RUN: cat %t/log | count 4 && ls %t/cache | count 3
// A folder that cannot be written.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_CACHE=%t/log/x keratin-compile %s --target=cuda:sm_90 --emit=cubin -o %t/6 && cmp %t/1 %t/6

// The emulator takes PTX alone, and that is there too.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh keratin-run %s --target=cuda:sm_80 --device=emulated --random --check | FileCheck %s --check-prefix=CALLED
// CALLED: check: 1 call agrees
func.func @f(%x: tensor<64xf32> {keratin.name = "x"}) -> (tensor<64xf32> {keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
