// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s --check-prefix=HOST

// Of one rank; tests/execution/RankOpsTest.cpp has several. What comes back from all goes to the one.
// CHECK:        keratin.broadcast_from %{{.*}} root = 0 : tensor<3xf32>
// GRAD:         %[[ALL:.*]] = keratin.all_reduce sum
// GRAD:         keratin.permute %[[ALL]] pairs = [0, 0]
// VALUE:        result #0: tensor<3xf32> [1, -2, 3]
// VALUE:        result #1: tensor<3xf32> [2, -4, 6]
// HOST:         host.start_collective kernel {{.*}} {name = "broadcast_from"}
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.broadcast_from %x root = 0 : tensor<3xf32>
  %s = keratin.mul %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %l = keratin.reduce_sum %s axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %g : tensor<3xf32>, tensor<3xf32>
}
