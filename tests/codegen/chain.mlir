// RUN: keratin-check %s --compiled | FileCheck %s

// Several kernels of every kind after one another, with values that some of them share.

// CHECK:      difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #2: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #3: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// CHECK:      difference #4: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<8x4xf32>, %i: tensor<8xi32> {check.value = dense<[3, 2, 1, 0, 1, 2, 3, 1]> : tensor<8xi32>}) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<f32>, tensor<8x4xf32>) {
  %0 = keratin.tanh %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = keratin.reduce_sum %0 axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %r = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %cb = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %rb = keratin.broadcast %r dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %1 = keratin.sub %0, %cb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.sub %1, %rb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = keratin.reduce_max %2 axes = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %g = keratin.gather %2, %i : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  %t = keratin.transpose %g permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %d = keratin.dot_general %0, %t batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %s = keratin.slice %d starts = <0, 2> strides = [1, 1] : (tensor<8x8xf32>) -> tensor<8x4xf32>
  %e = keratin.mul %s, %g : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2, %r, %c, %3, %e : tensor<8x4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<f32>, tensor<8x4xf32>
}
