// What keratin-opt says of itself, and what it refuses.

// RUN: keratin-opt --help | FileCheck %s --check-prefix=HELP
// RUN: keratin-opt --help | FileCheck %s --check-prefix=OURS
// RUN: keratin-opt --help-hidden | FileCheck %s --check-prefix=HIDDEN
// HELP: Keratin:
// HELP: --verify-numerics
// HELP: Passes:
// HELP: --keratin-form-kernels
// HELP: --stop-after=<string>
// OURS-NOT: {{x86-|amdgpu|arm-|bpf}}
// HIDDEN: --x86-

// RUN: %{exits} 2 keratin-opt %s --keratin-pipeline=stop-after=fusion 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: keratin-pipeline: stop-after needs one of graph|grad|simplified|fused|plan|host, found 'fusion'

// RUN: env KERATIN_DUMP_DIR=%s %{exits} 1 keratin-opt %s 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: keratin-opt: error: cannot write '{{.*}}keratin-opt.mlir': Not a directory

// Files of a dump folder are called after the stages.
// RUN: rm -rf %t && keratin-compile %s --emit=obj --dump-dir=%t -o %t.o && ls %t | FileCheck %s --check-prefix=FILES
// FILES:      f.0-input.mlir
// FILES-NEXT: f.1-graph.mlir
// FILES-NEXT: f.2-grad.mlir
// FILES-NEXT: f.3-simplified.mlir
// FILES-NEXT: f.4-fused.mlir
// FILES-NEXT: f.5-plan.mlir
// FILES-NEXT: f.6-host.mlir
// FILES-NEXT: f.7-kernels.txt
// FILES-NEXT: f.8-llvm.mlir
// FILES-NEXT: f.9-asm.s
func.func @f(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  %0 = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
