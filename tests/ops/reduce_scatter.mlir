// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Of one rank; tests/execution/RankOpsTest.cpp has several.
// CHECK:        keratin.reduce_scatter sum %{{.*}} : tensor<3xf32> -> tensor<3xf32>
// CHECK:        keratin.reduce_scatter max %{{.*}} : tensor<3xf32> -> tensor<3xf32>
// VALUE:        result #0: tensor<3xf32> [1, -2, 3]
// VALUE:        result #1: tensor<3xf32> [1, -2, 3]
// VALUE:        result #2: tensor<3xf32> [3, -3, 7]
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, -2.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = keratin.reduce_scatter sum %x : tensor<3xf32> -> tensor<3xf32>
  %b = keratin.reduce_scatter max %x : tensor<3xf32> -> tensor<3xf32>
  %aa = keratin.mul %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = keratin.add %aa, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %l = keratin.reduce_sum %c axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %a, %b, %g : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
