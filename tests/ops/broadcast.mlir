// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// Sums over the new dimension and the one of size one, then gives the latter back.
// GRAD-LABEL: func.func @main
// GRAD:         %[[DY:.*]] = keratin.broadcast {{.*}} -> tensor<4x2x3xf32>
// GRAD:         %[[SUM:.*]] = keratin.reduce_sum %[[DY]] axes = [0, 1] : (tensor<4x2x3xf32>) -> tensor<3xf32>
// GRAD:         %[[G:.*]] = keratin.reshape %[[SUM]] : (tensor<3xf32>) -> tensor<1x3xf32>
// GRAD:         return %[[G]]
// VALUE:      result #0: tensor<1x3xf32> {{\[}}[8, 8, 8]]
func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %y = keratin.broadcast %x dims = [1, 2] : (tensor<1x3xf32>) -> tensor<4x2x3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4x2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %g : tensor<1x3xf32>
}
