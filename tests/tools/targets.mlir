// A target other than the CPU's, by its name: tools that know the plain target (tests/support/PlainTarget.h).
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-run-plain %s --target=plain --random=3 --repeat=3 --check --save-state=%t/state | FileCheck %s
// RUN: keratin-run-plain %s --random=3 --repeat=3 --check --save-state=%t/other | FileCheck %s
// RUN: keratin-compile-plain %s --target=plain -o %t/model.so
// RUN: keratin-run-plain %t/model.so --random=3 --repeat=3 --check --model=%s | FileCheck %s
// RUN: keratin-compile-plain %s --target=plain --emit=plan | FileCheck %s --check-prefix=PLAN

// An object says what it needs.
// RUN: not keratin-run %t/model.so --random=3 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not keratin-run-plain %t/model.so --random=3 --target=plain 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not keratin-run %s --random=3 --target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not keratin-compile %s --target=abacus -o %t/no.so 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK: y: float32 (3,)
// CHECK: check: 3 calls agree with the reference interpreter
// PLAN: arena
// UNKNOWN: error: model 'targets' needs device 'plain', which is not known; known devices: cpu
// OBJECT: error: --target goes with a model, not a shared object
// TARGET: unknown target 'abacus'; known targets: cpu
func.func @step(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"},
                %v: tensor<3xf32> {keratin.kind = "variable", keratin.name = "v", keratin.initial = dense<1.0> : tensor<3xf32>})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.mul %x, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %n = keratin.add %v, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %n : tensor<3xf32>, tensor<3xf32>
}
