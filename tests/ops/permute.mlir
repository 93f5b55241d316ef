// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s --check-prefix=HOST

// Of one rank; tests/execution/RankOpsTest.cpp has several.
// CHECK-LABEL:  func.func @main
// CHECK:        keratin.permute %{{.*}} pairs = [0, 0] : tensor<3xf32>
// VALUE:        result #0: tensor<3xf32> [1, -2, 3]
// HOST:         host.start_collective kernel {{.*}} {name = "permute"}
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>}) -> tensor<3xf32> {
  %y = keratin.permute %x pairs = [0, 0] : tensor<3xf32>
  return %y : tensor<3xf32>
}

// What was sent comes back.
// GRAD-LABEL:   func.func @gradient
// GRAD:         keratin.permute %{{.*}} pairs = [1, 0, 2, 1]
func.func @gradient(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = keratin.permute %x pairs = [0, 1, 1, 2] : tensor<3xf32>
  %s = keratin.mul %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %l = keratin.reduce_sum %s axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %g : tensor<3xf32>
}
