// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// In one process they are the values themselves; tests/passes/shard-statistics.mlir has ranks.
// CHECK-LABEL:  func.func @main
// CHECK:        keratin.enter_rank %{{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK:        keratin.leave_rank %{{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// What comes in goes out.
// GRAD-LABEL:   func.func @main
// GRAD:         %[[Y:.*]] = keratin.leave_rank
// GRAD:         %[[DY:.*]] = keratin.enter_rank
// GRAD:         keratin.leave_rank
// VALUE:        result #0: tensor<3xf32> [1, 4, 9]
// VALUE:        result #1: tensor<3xf32> [2, -4, 6]
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>) {
  %own = keratin.enter_rank %x : (tensor<3xf32>) -> tensor<3xf32>
  %s = keratin.mul %own, %own : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.leave_rank %s : (tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<3xf32>, tensor<3xf32>
}
