// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// The second operand starts where the first ends, known or not.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[A:[^:]*]]: tensor<?xf32, #keratin.dims<d0>>{{.*}}, %[[B:[^:]*]]: tensor<2xf32>
// GRAD:         %[[Y:.*]] = keratin.concatenate %[[A]], %[[B]]
// GRAD:         %[[DY:.*]] = keratin.stop_gradient %[[Y]]
// GRAD:         %[[DA:.*]] = keratin.slice %[[DY]] starts = <0> strides = [1]
// GRAD:         %[[DB:.*]] = keratin.slice %[[DY]] starts = <d0> strides = [1]
// GRAD:         return %[[DA]], %[[DB]]
// VALUE:      result #0: tensor<3xf32> [3, 5, 7]
// VALUE:      result #1: tensor<2xf32> [1, 0]
func.func @main(%a: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[3.0, 5.0, 7.0]> : tensor<3xf32>},
                %b: tensor<2xf32> {check.value = dense<[1.0, 0.0]> : tensor<2xf32>}) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<2xf32>) {
  %y = keratin.concatenate %a, %b {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>, tensor<2xf32>) -> tensor<?xf32, #keratin.dims<d0 + 2>>
  %s = keratin.stop_gradient %y : (tensor<?xf32, #keratin.dims<d0 + 2>>) -> tensor<?xf32, #keratin.dims<d0 + 2>>
  %z = keratin.mul %y, %s : (tensor<?xf32, #keratin.dims<d0 + 2>>, tensor<?xf32, #keratin.dims<d0 + 2>>) -> tensor<?xf32, #keratin.dims<d0 + 2>>
  %g:2 = keratin.gradients %z wrt %a, %b : (tensor<?xf32, #keratin.dims<d0 + 2>>, tensor<?xf32, #keratin.dims<d0>>, tensor<2xf32>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<2xf32>)
  return %g#0, %g#1 : tensor<?xf32, #keratin.dims<d0>>, tensor<2xf32>
}
