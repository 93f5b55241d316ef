// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Duplicates add up; what nobody names stays zero. The gradient of the updates is gathered.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[I:[^:]*]]: tensor<?xi32, #keratin.dims<d0>>
// GRAD:         %[[G:.*]] = keratin.gather %{{.*}}, %[[I]] : (tensor<4x2xf32>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<4x2xf32> {{\[}}[3, 4], [0, 0], [6, 8], [0, 0]]
// VALUE:      result #1: tensor<3x2xf32> {{\[}}[12, 16], [6, 8], [12, 16]]
func.func @main(%i: tensor<?xi32, #keratin.dims<d0>> {check.value = dense<[2, 0, 2]> : tensor<3xi32>},
                %u: tensor<?x2xf32, #keratin.dims<d0, 2>> {check.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>})
    -> (tensor<4x2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>) {
  %y = keratin.scatter_add %i, %u : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<4x2xf32>
  %z = keratin.mul %y, %y : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %g = keratin.gradients %z wrt %u : (tensor<4x2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y, %g : tensor<4x2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>
}
