// What NVIDIA's programs make of PTX, by programs that look like them; and what is said where there is none.
// RUN: rm -rf %t && mkdir %t

// Above each kernel stands what it takes, for each architecture that is named, and for sm_80 if none is.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh keratin-dump %s --stage=ptx --target=cuda:sm_90,sm_120 | FileCheck %s --check-prefix=TAKES
// TAKES:      // sm_90: 34 registers, spills 12 bytes stored and 16 loaded, shared memory 256 bytes, stack 8 bytes
// TAKES-NEXT: // sm_120: 34 registers
// TAKES-NEXT: .visible .entry
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh keratin-dump %s --stage=ptx --target=cuda | FileCheck %s --check-prefix=OLDEST
// OLDEST:      // sm_80: 34 registers
// OLDEST-NEXT: .visible .entry
// RUN: env KERATIN_PTXAS= keratin-dump %s --stage=ptx --target=cuda:sm_90 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}// registers, spills, shared memory: not known; ptxas is not there: KERATIN_PTXAS is empty
// NONE: .visible .entry
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh FAKE_PTXAS_REFUSES=sm_90 keratin-dump %s --stage=ptx --target=cuda:sm_90 | FileCheck %s --check-prefix=SAID
// SAID: // ptxas for sm_90: ptxas fatal   : not today

// Machine code as text.
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_NVDISASM=%S/Inputs/nvdisasm.sh keratin-dump %s --stage=sass --target=cuda:sm_90 | FileCheck %s --check-prefix=SASS
// SASS:      // sm_90
// SASS-NEXT: disassembled: machine code for sm_90
// RUN: env KERATIN_PTXAS= %{exits} 1 keratin-dump %s --stage=sass --target=cuda 2>&1 | FileCheck %s --check-prefix=NOSASS
// NOSASS: error: --stage=sass: ptxas is not there: KERATIN_PTXAS is empty
// RUN: env KERATIN_PTXAS=%S/Inputs/ptxas.sh KERATIN_NVDISASM= KERATIN_CUOBJDUMP=/nowhere %{exits} 1 keratin-dump %s --stage=sass --target=cuda 2>&1 | FileCheck %s --check-prefix=NODISASM
// NODISASM: error: --stage=sass: nvdisasm is not there: KERATIN_NVDISASM is empty; cuobjdump is not there: KERATIN_CUOBJDUMP names '/nowhere', which cannot be executed

// Names that are none.
// RUN: %{exits} 1 keratin-dump %s --stage=ptx --target=cuda:sm_75 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{exits} 1 keratin-compile %s --target=cuda:sm_90,sm_75 -o %t/x.so 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{exits} 1 keratin-run %s --target=cuda:sm_75 --device=emulated --random 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{exits} 1 keratin-compile %s --target=cuda:../../x -o %t/x.so 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: %{exits} 1 keratin-compile %s --target=cuda: -o %t/x.so 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %{exits} 1 keratin-compile %s --target=cpu:sm_90 -o %t/x.so 2>&1 | FileCheck %s --check-prefix=CPU
// UNKNOWN: error: {{.*}}unknown architecture 'sm_75'; known architectures: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_120
// PATH: error: unknown architecture '../../x'; known architectures: sm_80
// EMPTY: error: the target 'cuda:' names no architecture behind its colon
// CPU: error: the target 'cpu' has no architectures to choose from; found 'cpu:sm_90'
func.func @f(%x: tensor<64xf32> {keratin.name = "x"}) -> (tensor<64xf32> {keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
