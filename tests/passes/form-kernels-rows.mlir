// RUN: keratin-opt %s --split-input-file --keratin-form-kernels | FileCheck %s
// RUN: keratin-opt %s --split-input-file --keratin-form-kernels=update-rows=false | FileCheck %s --check-prefix=APART
// RUN: keratin-opt %s --split-input-file --keratin-form-kernels --keratin-schedule --keratin-plan-memory --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN

// Rows that are scattered, scaled and taken from a variable are one kernel, which cannot fail: it
// is in the variable's place, and nothing else is as large as the table.

// CHECK-LABEL: func.func @descent
// CHECK-SAME:    %[[I:[^:]*]]: tensor<2x3xi32>{{.*}}, %[[G:[^:]*]]: tensor<2x3x16xf32>{{.*}}, %[[W:[^:]*]]: tensor<64x16xf32>
// CHECK:         %[[CHECKED:.*]] = keratin.kernel(%[[I]]) {keratin.fallible
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      keratin.check_range %{{.*}} lower = <0> upper = <64> "scatter_add: an index is outside the first axis of the result"
// CHECK-NEXT:      keratin.yield
// CHECK:         %[[NEW:.*]]:2 = keratin.kernel(%[[CHECKED]], %[[G]], %[[W]]) {keratin.workspaces = 1 : i64} :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[C:.*]] = keratin.constant
// CHECK-NEXT:      %[[SUM:.*]] = keratin.scatter_add
// CHECK-NEXT:      keratin.broadcast %[[C]]
// CHECK-NEXT:      keratin.mul
// CHECK-NEXT:      keratin.sub
// CHECK-NEXT:      keratin.iota {{.*}} : tensor<1x6xi32>
// CHECK-NEXT:      keratin.yield
// CHECK:         return %[[NEW]]#0
// APART-LABEL: func.func @descent
// APART-NOT:     check_range
// APART:         keratin.kernel({{.*}}) {keratin.fallible
// APART-NEXT:    ^bb0
// APART-NEXT:      keratin.scatter_add
// APART-NEXT:      keratin.yield
// PLAN-LABEL:  func.func @descent
// PLAN-SAME:     keratin.memories = [#keratin.memory<host, 128>]
// PLAN:          #keratin.place<variable 0, over 2>
func.func @descent(
      %i: tensor<2x3xi32> {keratin.kind = "input"}, %g: tensor<2x3x16xf32> {keratin.kind = "input"},
      %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<0.01> : tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<2x3xi32>, tensor<2x3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func.func @products_and_sums_at_once
// CHECK:         keratin.check_range
// CHECK:           keratin.scatter_add
// CHECK-NEXT:      keratin.broadcast
// CHECK-NEXT:      keratin.neg
// CHECK-NEXT:      keratin.multiply_add
// CHECK-NEXT:      keratin.iota
// CHECK-NEXT:      keratin.yield
func.func @products_and_sums_at_once(
      %i: tensor<3xi64> {keratin.kind = "input"}, %g: tensor<3x16xf64> {keratin.kind = "input"},
      %w: tensor<64x16xf64> {keratin.kind = "variable"})
    -> (tensor<64x16xf64> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<0.01> : tensor<f64>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi64>, tensor<3x16xf64>) -> tensor<64x16xf64>
  %1 = keratin.broadcast %c dims = [] : (tensor<f64>) -> tensor<64x16xf64>
  %2 = keratin.neg %0 : (tensor<64x16xf64>) -> tensor<64x16xf64>
  %3 = keratin.multiply_add %2, %1, %w : (tensor<64x16xf64>, tensor<64x16xf64>, tensor<64x16xf64>) -> tensor<64x16xf64>
  return %3 : tensor<64x16xf64>
}

// -----

// What a row of zeros is times an infinity is not zero: of a number that only the call knows the
// kernel sees what it is.
// CHECK-LABEL: func.func @rate_that_the_call_knows
// CHECK:         keratin.check_range
// CHECK:           keratin.scatter_add
// CHECK-NEXT:      keratin.broadcast
// CHECK-NEXT:      keratin.mul
// CHECK-NEXT:      keratin.sub
func.func @rate_that_the_call_knows(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %c: tensor<f32> {keratin.kind = "input"}, %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func.func @no_row_update_by_an_infinite_rate
// CHECK-NOT:     check_range
func.func @no_row_update_by_an_infinite_rate(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<0x7F800000> : tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func.func @clipped_by_value_and_divided
// CHECK:         keratin.check_range
// CHECK:           keratin.scatter_add
// CHECK:           keratin.minimum
// CHECK:           keratin.maximum
// CHECK:           keratin.div
// CHECK-NEXT:      keratin.sub
func.func @clipped_by_value_and_divided(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %c: tensor<f32> {keratin.kind = "input"}, %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %high = keratin.constant dense<0.5> : tensor<f32>
  %low = keratin.constant dense<-0.5> : tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.broadcast %high dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %2 = keratin.broadcast %low dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %3 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %4 = keratin.minimum %0, %1 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %5 = keratin.maximum %4, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %6 = keratin.div %5, %3 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %7 = keratin.sub %w, %6 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %7 : tensor<64x16xf32>
}

// -----

// A bound above zero: the smallest step is another one than none.
// CHECK-LABEL: func.func @no_row_update_where_zeros_are_clipped
// CHECK-NOT:     check_range
func.func @no_row_update_where_zeros_are_clipped(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %low = keratin.constant dense<0.5> : tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.broadcast %low dims = [] : (tensor<f32>) -> tensor<64x16xf32>
  %2 = keratin.maximum %0, %1 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func.func @no_row_update_when_the_gradient_has_another_use
// CHECK-NOT:     check_range
func.func @no_row_update_when_the_gradient_has_another_use(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "output"}, tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.sub %w, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %0, %1 : tensor<64x16xf32>, tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func.func @rows_of_float16
// CHECK:         keratin.check_range
// CHECK:           keratin.scatter_add
// CHECK-NEXT:      keratin.sub
func.func @rows_of_float16(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf16> {keratin.kind = "input"},
      %w: tensor<64x16xf16> {keratin.kind = "variable"})
    -> (tensor<64x16xf16> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf16>) -> tensor<64x16xf16>
  %1 = keratin.sub %w, %0 : (tensor<64x16xf16>, tensor<64x16xf16>) -> tensor<64x16xf16>
  return %1 : tensor<64x16xf16>
}

// -----

// Memory for the places of equal indices is planned as the call has them.
// CHECK-LABEL: func.func @as_many_rows_as_the_call_has
// CHECK:         keratin.check_range
// CHECK:           keratin.scatter_add
// CHECK-NEXT:      keratin.sub
// CHECK-NEXT:      keratin.iota {{.*}} : tensor<?x?xi64, #keratin.dims<min(max(floordiv(d0, 2048), 1), 8), d0>>
func.func @as_many_rows_as_the_call_has(
      %i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input"},
      %g: tensor<?x16xf32, #keratin.dims<d0, 16>> {keratin.kind = "input"},
      %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x16xf32, #keratin.dims<d0, 16>>) -> tensor<64x16xf32>
  %1 = keratin.sub %w, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// -----

// w - dy, not dy - w; and the variable's own old value.
// CHECK-LABEL: func.func @no_row_update_of_another_value
// CHECK-NOT:     check_range
func.func @no_row_update_of_another_value(
      %i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %v: tensor<64x16xf32> {keratin.kind = "variable"}, %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 1}) {
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.sub %w, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = keratin.neg %g : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %3 = keratin.scatter_add %i, %2 : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %4 = keratin.sub %3, %w : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1, %4 : tensor<64x16xf32>, tensor<64x16xf32>
}

// -----

// Of lazy updates: all variables that follow from the gradient, and what only they read, together.
// CHECK-LABEL: func.func @moments_and_a_variable_of_named_rows
// CHECK:         keratin.check_range
// CHECK:         keratin.kernel{{.*}} {keratin.workspaces = 1 : i64}
// CHECK:           keratin.scatter_add {{.*}} -> tensor<64x16xf32>
// CHECK-NEXT:      keratin.mul
// CHECK-NEXT:      keratin.add
// CHECK-NEXT:      keratin.select
// CHECK-NEXT:      keratin.sub
// CHECK-NEXT:      keratin.select
// CHECK-NEXT:      keratin.iota
// PLAN-LABEL:  func.func @moments_and_a_variable_of_named_rows
// PLAN:          #keratin.place<variable 0, over {{.*}}>, #keratin.place<variable 1, over
func.func @moments_and_a_variable_of_named_rows(%i: tensor<3xi32> {keratin.kind = "input"}, %j: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %v: tensor<64x16xf32> {keratin.kind = "variable"}, %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 1}) {
  %one = keratin.constant dense<1> : tensor<3xi32>
  %none = keratin.constant dense<0> : tensor<64xi32>
  %n = keratin.scatter_add %i, %one : (tensor<3xi32>, tensor<3xi32>) -> tensor<64xi32>
  %is = keratin.compare gt %n, %none : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
  %named = keratin.broadcast %is dims = [0] : (tensor<64xi1>) -> tensor<64x16xi1>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.mul %v, %v : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = keratin.add %1, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.select %named, %2, %v : (tensor<64x16xi1>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %4 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %5 = keratin.select %named, %4, %w : (tensor<64x16xi1>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3, %5 : tensor<64x16xf32>, tensor<64x16xf32>
}

// -----

// Rows are named that nothing is added to.
// CHECK-LABEL: func.func @no_row_update_in_rows_of_other_indices
// CHECK-NOT:     check_range
func.func @no_row_update_in_rows_of_other_indices(%i: tensor<3xi32> {keratin.kind = "input"}, %j: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x16xf32> {keratin.kind = "input"},
      %v: tensor<64x16xf32> {keratin.kind = "variable"}, %w: tensor<64x16xf32> {keratin.kind = "variable"})
    -> (tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<64x16xf32> {keratin.kind = "update", keratin.variable = 1}) {
  %one = keratin.constant dense<1> : tensor<3xi32>
  %none = keratin.constant dense<0> : tensor<64xi32>
  %n = keratin.scatter_add %j, %one : (tensor<3xi32>, tensor<3xi32>) -> tensor<64xi32>
  %is = keratin.compare gt %n, %none : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
  %named = keratin.broadcast %is dims = [0] : (tensor<64xi1>) -> tensor<64x16xi1>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x16xf32>) -> tensor<64x16xf32>
  %1 = keratin.mul %v, %v : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = keratin.add %1, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %3 = keratin.select %named, %2, %v : (tensor<64x16xi1>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %4 = keratin.sub %w, %2 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %5 = keratin.select %named, %4, %w : (tensor<64x16xi1>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3, %5 : tensor<64x16xf32>, tensor<64x16xf32>
}
