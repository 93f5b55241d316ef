// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Dimension i of the result is dimension permutation[i]; the gradient goes back by the inverse permutation.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.transpose %{{.*}} permutation = [2, 0, 1] : (tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) -> tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>
// GRAD:         %[[G:.*]] = keratin.transpose %{{.*}} permutation = [1, 2, 0] : (tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>) -> tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<3x1x2xf32> {{\[}}{{\[}}[1, 4]], {{\[}}[2, 5]], {{\[}}[3, 6]]]
// VALUE:      result #1: tensor<1x2x3xf32> {{\[}}{{\[}}[2, 4, 6], [8, 10, 12]]]
func.func @main(%x: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>> {check.value = dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>})
    -> (tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) {
  %y = keratin.transpose %x permutation = [2, 0, 1] : (tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) -> tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>
  %z = keratin.mul %y, %y : (tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>, tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>) -> tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>
  %g = keratin.gradients %z wrt %x : (tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) -> tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
  return %y, %g : tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
}
