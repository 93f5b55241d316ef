// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// The product of the others is what stands before times what stands after.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<2x3xf32>
// GRAD-NOT:     keratin.div
// GRAD:         %[[BEFORE:.*]] = keratin.cumprod %[[X]] {axis = 1 : i64, exclusive}
// GRAD:         %[[AFTER:.*]] = keratin.cumprod %[[X]] {axis = 1 : i64, exclusive, reverse}
// GRAD:         %[[OTHERS:.*]] = keratin.mul %[[BEFORE]], %[[AFTER]]
// GRAD:         %[[DY:.*]] = keratin.broadcast {{.*}} dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
// GRAD:         %[[G:.*]] = keratin.mul %[[DY]], %[[OTHERS]]
// VALUE:      result #0: tensor<2x3xf32> {{\[}}[0, 6, 0]
// VALUE-SAME: [0, 0, 0]]
func.func @main(%x: tensor<2x3xf32> {check.value = dense<[[2.0, 0.0, 3.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf32>}) -> tensor<2x3xf32> {
  %y = keratin.reduce_prod %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// Several axes become one, known or not.
// GRAD-LABEL: func.func @several_axes
// GRAD:         keratin.transpose %{{.*}} permutation = [1, 0, 2]
// GRAD:         keratin.reshape {{.*}} -> tensor<4x?xf32, #keratin.dims<4, d0*d1>>
// GRAD:         keratin.cumprod {{.*}} {axis = 1 : i64, exclusive}
func.func @several_axes(%x: tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>>) -> tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>> {
  %y = keratin.reduce_prod %x axes = [0, 2] : (tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>>) -> tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>>
  return %g : tensor<?x4x?xf32, #keratin.dims<d0, 4, d1>>
}
