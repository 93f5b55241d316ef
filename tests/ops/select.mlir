// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// What is not chosen does not matter: its gradient is 0, and a NaN in it is not seen.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[C:[^:]*]]: tensor<?xi1, #keratin.dims<d0>>
// GRAD:         keratin.select %[[C]]
// GRAD:         %[[DA:.*]] = keratin.select %[[C]], %[[DY:[^,]*]], %[[ZERO:[^ ]*]] :
// GRAD:         %[[DB:.*]] = keratin.select %[[C]], %[[ZERO]], %[[DY]] :
// GRAD:         return %{{.*}}, %[[DA]], %[[DB]]
// VALUE:      result #0: tensor<3xf32> [1, 20, 3]
// VALUE:      result #1: tensor<3xf32> [1, 0, 1]
// VALUE:      result #2: tensor<3xf32> [0, 1, 0]
func.func @main(%c: tensor<?xi1, #keratin.dims<d0>> {check.value = dense<[true, false, true]> : tensor<3xi1>},
                %a: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[1.0, 0x7fc00000, 3.0]> : tensor<3xf32>},
                %b: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[0x7fc00000, 20.0, 0x7fc00000]> : tensor<3xf32>})
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %y = keratin.select %c, %a, %b : (tensor<?xi1, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %g:2 = keratin.gradients %y wrt %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>)
  return %y, %g#0, %g#1 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}
