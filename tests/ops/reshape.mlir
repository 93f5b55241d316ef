// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Row-major order stays; whether the counts agree may be known only when the function is called.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<?x2xf32, #keratin.dims<d0, 2>>
// GRAD:         keratin.reshape %[[X]] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2x?xf32, #keratin.dims<2, d0>>
// GRAD:         %[[G:.*]] = keratin.reshape %{{.*}} : (tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2x3xf32> {{\[}}[1, 2, 3], [4, 5, 6]]
// VALUE:      result #1: tensor<3x2xf32> {{\[}}[2, 4], [6, 8], [10, 12]]
func.func @main(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {check.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>})
    -> (tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  %y = keratin.reshape %x : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2x?xf32, #keratin.dims<2, d0>>
  %z = keratin.mul %y, %y : (tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<2x?xf32, #keratin.dims<2, d0>>
  %g = keratin.gradients %z wrt %x : (tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y, %g : tensor<2x?xf32, #keratin.dims<2, d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>
}
