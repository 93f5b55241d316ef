// RUN: keratin-opt %s | keratin-opt | FileCheck %s

// CHECK-LABEL: func.func @choose
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<?xf32, #keratin.dims<d0>>)
// CHECK:         %[[Y:.*]] = keratin.if %[[P]] with(%[[X]]) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?xf32, #keratin.dims<d0>>):
// CHECK-NEXT:      %[[T:.*]] = keratin.tanh %[[A]]
// CHECK-NEXT:      keratin.yield %[[T]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?xf32, #keratin.dims<d0>>):
// CHECK-NEXT:      keratin.yield %[[A]]
// CHECK:         return %[[Y]]
func.func @choose(%p: tensor<i1>, %x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.if %p with(%x) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    %t = keratin.tanh %a : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %t : tensor<?xf32, #keratin.dims<d0>>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    keratin.yield %a : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
