// RUN: keratin-opt %s --keratin-resolve-requirements --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @proved_requirement_is_dropped
// CHECK-NOT: keratin.checks
// CHECK: return %arg0
func.func @proved_requirement_is_dropped(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> {
  %0 = keratin.require equal #keratin.dims<d0, 4> #keratin.dims<d0, 4> "add: sizes differ" %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %1 = keratin.require broadcast #keratin.dims<1> #keratin.dims<d0> "add: sizes differ" %0 : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %1 : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// -----

// Only the pairs that are not proved, and each once.
// CHECK-LABEL: func.func @unknown_requirement_is_checked_when_called
// CHECK-SAME: keratin.checks = [{kind = 1 : i64, lhs = #keratin.dims<d0>, location = {{#?loc[^,]*}}, message = "add: sizes differ", rhs = #keratin.dims<d1>}]
// CHECK: return %arg0
func.func @unknown_requirement_is_checked_when_called(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %y: tensor<?xf32, #keratin.dims<d1>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> {
  %0 = keratin.require broadcast #keratin.dims<4, d0> #keratin.dims<4, d1> "add: sizes differ" %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %1 = keratin.require broadcast #keratin.dims<d0> #keratin.dims<d1> "sub: sizes differ" %0 : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %1 : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// -----

func.func @failed_requirement_is_an_error(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @+1 {{add: sizes differ (input_0_dim0 + 1 and input_0_dim0)}}
  %0 = keratin.require equal #keratin.dims<d0 + 1> #keratin.dims<d0> "add: sizes differ" %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @too_small_is_an_error(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{window: too small (3 and 5)}}
  %0 = keratin.require at_least #keratin.dims<3> #keratin.dims<5> "window: too small" %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_of_unknown_count_is_checked
// CHECK-SAME: keratin.checks = [{kind = 0 : i64, lhs = #keratin.dims<d0>, location = {{#?loc[^,]*}}, message = ["reshape: (", #keratin.dims<d0>, ",) cannot take the shape (", #keratin.dims<d1, 2>, ")"], rhs = #keratin.dims<2*d1>}]
func.func @reshape_of_unknown_count_is_checked(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d1, 2>> {
  %0 = keratin.reshape %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d1, 2>>
  return %0 : tensor<?x2xf32, #keratin.dims<d1, 2>>
}

// -----

// CHECK-LABEL: func.func @reshape_of_equal_count_is_not_checked
// CHECK-NOT: keratin.checks
// CHECK: return
func.func @reshape_of_equal_count_is_not_checked(%x: tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<?x2xf32, #keratin.dims<3*d0, 2>> {
  %0 = keratin.reshape %x : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<?x2xf32, #keratin.dims<3*d0, 2>>
  return %0 : tensor<?x2xf32, #keratin.dims<3*d0, 2>>
}

// -----

// x[2:5] of an unknown size.
// CHECK-LABEL: func.func @slice_bounds_are_checked
// CHECK-SAME: kind = 2 : i64, lhs = #keratin.dims<d0>, location = {{#?loc[^,]*}}, message = ["slice: dimension 0: the box leaves the size ", #keratin.dims<d0>], rhs = #keratin.dims<5>
func.func @slice_bounds_are_checked(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<3xf32> {
  %0 = keratin.slice %x starts = <2> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// x[1:] cannot leave x, but its size can be negative.
// CHECK-LABEL: func.func @computed_size_must_not_be_negative
// CHECK-SAME: keratin.checks = [{kind = 2 : i64, lhs = #keratin.dims<d0 - 1>, location = {{#?loc[^,]*}}, message = ["slice: the size ", #keratin.dims<d0 - 1>, " is negative"], rhs = #keratin.dims<0>}]
func.func @computed_size_must_not_be_negative(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0 - 1>> {
  %0 = keratin.slice %x starts = <1> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0 - 1>>
  return %0 : tensor<?xf32, #keratin.dims<d0 - 1>>
}

// -----

// CHECK-LABEL: func.func @argmax_axis_must_not_be_empty
// CHECK-SAME: lhs = #keratin.dims<d0>, location = {{#?loc[^,]*}}, message = "arg_max: the axis 0 is empty", rhs = #keratin.dims<1>
func.func @argmax_axis_must_not_be_empty(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xi64> {
  %0 = "keratin.arg_max"(%x) {axis = 0 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

// CHECK-LABEL: func.func @top_k_must_find_k
// CHECK-SAME: lhs = #keratin.dims<d0>, location = {{#?loc[^,]*}}, message = ["top_k: the last axis has fewer elements than k; found size ", #keratin.dims<d0>, " and k = ", #keratin.dims<3>], rhs = #keratin.dims<3>
func.func @top_k_must_find_k(%x: tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4x3xi64> {
  %0 = keratin.top_k %x : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4x3xi64>
  return %0 : tensor<4x3xi64>
}

// -----

// Sizes are those of the function: what a step or a branch needs is checked before any work, also if there is no step.
// CHECK-LABEL: func.func @requirements_in_loops_and_branches_are_the_function_s
// CHECK-SAME: keratin.checks = [
// CHECK-SAME: lhs = #keratin.dims<d0>
// CHECK-SAME: message = "add: sizes differ", rhs = #keratin.dims<4>
// CHECK-NOT: keratin.require
func.func @requirements_in_loops_and_branches_are_the_function_s(%h: tensor<?xf32, #keratin.dims<d0>>, %c: tensor<i1>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.scan length = #keratin.dims<d1> init(%h) over() with(%c) : (tensor<?xf32, #keratin.dims<d0>>, tensor<i1>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%t: tensor<i64>, %s: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<i1>):
    %1 = keratin.if %b with(%s) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
    ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
      %2 = keratin.require equal #keratin.dims<d0> #keratin.dims<4> "add: sizes differ" %a : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
      keratin.yield %2 : tensor<?xf32, #keratin.dims<d0>>
    } else {
    ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
      keratin.yield %a : tensor<?xf32, #keratin.dims<d0>>
    }
    keratin.yield %1 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}
