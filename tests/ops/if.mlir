// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s --function=first | FileCheck %s --check-prefix=FIRST
// RUN: keratin-check %s --function=second | FileCheck %s --check-prefix=SECOND

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

// Only the branch that is taken is run: the index in the other one would be an error.
// FIRST: result #0: tensor<f32> 5
func.func @first(%x: tensor<2xf32> {check.value = dense<5.0> : tensor<2xf32>}) -> tensor<f32> {
  %p = keratin.constant dense<true> : tensor<i1>
  %y = keratin.if %p with(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<2xf32>):
    %i = keratin.constant dense<1> : tensor<i64>
    %0 = keratin.gather %a, %i : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    %i = keratin.constant dense<9> : tensor<i64>
    %0 = keratin.gather %a, %i : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<f32>
}

// SECOND-NOT:  not taken
// SECOND:      taken 3
// SECOND-NEXT: result #0: tensor<f32> 3
// SECOND-NEXT: result #1: tensor<i32> 2
func.func @second(%x: tensor<f32> {check.value = dense<3.0> : tensor<f32>}) -> (tensor<f32>, tensor<i32>) {
  %p = keratin.constant dense<false> : tensor<i1>
  %y:2 = keratin.if %p with(%x) : (tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  ^bb0(%a: tensor<f32>):
    %0 = keratin.print "not taken" %a : tensor<f32>
    %1 = keratin.constant dense<1> : tensor<i32>
    keratin.yield %0, %1 : tensor<f32>, tensor<i32>
  } else {
  ^bb0(%a: tensor<f32>):
    %0 = keratin.print "taken" %a : tensor<f32>
    %1 = keratin.constant dense<2> : tensor<i32>
    keratin.yield %0, %1 : tensor<f32>, tensor<i32>
  }
  return %y#0, %y#1 : tensor<f32>, tensor<i32>
}
