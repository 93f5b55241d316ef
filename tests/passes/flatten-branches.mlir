// RUN: keratin-opt %s --keratin-flatten-branches | FileCheck %s

// CHECK-LABEL: func.func @cheap_branches_become_a_selection
// CHECK-SAME:  (%[[C:[a-z0-9]+]]: tensor<i1>, %[[X:[a-z0-9]+]]: tensor<?xf32, #keratin.dims<d0>>, %[[Y:[a-z0-9]+]]:
// CHECK-NEXT:    %[[A:.*]] = keratin.add %[[X]], %[[Y]]
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[C]] dims = []
// CHECK-NEXT:    %[[S:.*]] = keratin.select %[[B]], %[[A]], %[[X]]
// CHECK-NEXT:    return %[[S]], %[[Y]]
func.func @cheap_branches_become_a_selection(%c: tensor<i1>, %x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?xf32, #keratin.dims<d0>>)
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %0:2 = keratin.if %c with(%x, %y) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<?xf32, #keratin.dims<d0>>):
    %1 = keratin.add %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %1, %b : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<?xf32, #keratin.dims<d0>>):
    keratin.yield %a, %b : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
  }
  return %0#0, %0#1 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: func.func @a_constant_condition_takes_its_branch
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NOT:     keratin.if
// CHECK-NOT:     keratin.exp
// CHECK:         %[[T:.*]] = keratin.tanh %[[X]]
// CHECK-NEXT:    return %[[T]]
func.func @a_constant_condition_takes_its_branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = keratin.constant dense<false> : tensor<i1>
  %0 = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = keratin.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %1 = keratin.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// The inner branch, on another condition, becomes flat and with it the outer one.
// CHECK-LABEL: func.func @inner_branches_first
// CHECK-NOT:     keratin.if
// CHECK-COUNT-2: keratin.select
// CHECK-NOT:     keratin.if
// CHECK:         return
func.func @inner_branches_first(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.if %c with(%d, %x) : (tensor<i1>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%e: tensor<i1>, %a: tensor<4xf32>):
    %1 = keratin.if %e with(%a) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %2 = keratin.neg %b : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %2 : tensor<4xf32>
    } else {
    ^bb0(%b: tensor<4xf32>):
      keratin.yield %b : tensor<4xf32>
    }
    keratin.yield %1 : tensor<4xf32>
  } else {
  ^bb0(%e: tensor<i1>, %a: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @branches_of_a_loop
// CHECK:         keratin.scan
// CHECK-NOT:       keratin.if
// CHECK:           keratin.select
func.func @branches_of_a_loop(%x: tensor<9xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = keratin.scan length = #keratin.dims<9> init(%s) over(%x) with() : (tensor<f32>, tensor<9xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %a: tensor<f32>, %e: tensor<f32>):
    %1 = keratin.compare lt %a, %e : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = keratin.if %1 with(%a, %e) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%b: tensor<f32>, %f: tensor<f32>):
      %3 = keratin.mul %b, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %3 : tensor<f32>
    } else {
    ^bb0(%b: tensor<f32>, %f: tensor<f32>):
      keratin.yield %f : tensor<f32>
    }
    keratin.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @no_selection_of_what_is_dear
// CHECK:         keratin.if
// CHECK:           keratin.exp
func.func @no_selection_of_what_is_dear(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = keratin.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_selection_of_what_prints
// CHECK:         keratin.if
// CHECK:           keratin.print
func.func @no_selection_of_what_prints(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = keratin.print "x" %a : tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    keratin.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_selection_of_what_may_fail
// CHECK:         keratin.if
// CHECK:           keratin.dynamic_slice
func.func @no_selection_of_what_may_fail(%c: tensor<i1>, %x: tensor<4xf32>, %i: tensor<i64>) -> tensor<1xf32> {
  %0 = keratin.if %c with(%x, %i) : (tensor<i1>, tensor<4xf32>, tensor<i64>) -> tensor<1xf32> {
  ^bb0(%a: tensor<4xf32>, %j: tensor<i64>):
    %1 = keratin.dynamic_slice %a, %j : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    keratin.yield %1 : tensor<1xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %j: tensor<i64>):
    %1 = keratin.constant dense<0.0> : tensor<1xf32>
    keratin.yield %1 : tensor<1xf32>
  }
  return %0 : tensor<1xf32>
}

// Sizes of the branch that is not taken are not computed, and nothing is required of them.
// CHECK-LABEL: func.func @no_checks_of_sizes_that_are_gone
// CHECK-SAME:    keratin.checks = [{kind = 2 : i64, lhs = #keratin.dims<d0>, message = "kept", rhs = #keratin.dims<1>}]
// CHECK-NOT:     keratin.define_size
func.func @no_checks_of_sizes_that_are_gone(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<f32>
    attributes {keratin.checks = [{kind = 2 : i64, lhs = #keratin.dims<d0, d0>, rhs = #keratin.dims<1, d1>, message = "kept"},
                                  {kind = 2 : i64, lhs = #keratin.dims<d1>, rhs = #keratin.dims<2>, message = "gone"}]} {
  %c = keratin.constant dense<false> : tensor<i1>
  %0 = keratin.if %c with(%x, %n) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) -> tensor<f32> {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %m: tensor<i64>):
    keratin.define_size 1 %m at_most <d0> : tensor<i64>
    %1 = keratin.slice %a starts = <0> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d1>>
    %2 = keratin.reduce_sum %1 axes = [0] : (tensor<?xf32, #keratin.dims<d1>>) -> tensor<f32>
    keratin.yield %2 : tensor<f32>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %m: tensor<i64>):
    %1 = keratin.reduce_sum %a axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A size costs nothing.
// CHECK-LABEL: func.func @a_size_is_no_arithmetic
// CHECK-NOT:     keratin.if
// CHECK:         keratin.dim
// CHECK:         keratin.select
func.func @a_size_is_no_arithmetic(%c: tensor<i1>, %x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<i64> {
  %0 = keratin.if %c with(%x, %n) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<i64>):
    %1 = keratin.dim %a {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64>
    keratin.yield %1 : tensor<i64>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<i64>):
    keratin.yield %b : tensor<i64>
  }
  return %0 : tensor<i64>
}
