// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The axes go; the gradient is repeated along them.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.reduce_sum %{{.*}} axes = [0, 2] : (tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>) -> tensor<?xf32, #keratin.dims<d0>>
// GRAD:         %[[G:.*]] = keratin.broadcast %{{.*}} dims = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<1xf32> [10]
// VALUE:      result #1: tensor<2x1x2xf32> {{\[}}{{\[}}[20, 20]], {{\[}}[20, 20]]]
func.func @main(%x: tensor<2x?x2xf32, #keratin.dims<2, d0, 2>> {check.value = dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>})
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>) {
  %y = keratin.reduce_sum %x axes = [0, 2] : (tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>) -> tensor<?xf32, #keratin.dims<d0>>
  %z = keratin.mul %y, %y : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %g = keratin.gradients %z wrt %x : (tensor<?xf32, #keratin.dims<d0>>, tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>) -> tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>
  return %y, %g : tensor<?xf32, #keratin.dims<d0>>, tensor<2x?x2xf32, #keratin.dims<2, d0, 2>>
}
