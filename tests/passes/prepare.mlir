// RUN: keratin-opt %s --keratin-prepare --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-prepare --keratin-plan-memory --keratin-check-memory-plan --split-input-file | FileCheck %s --check-prefix=PLAN

// What is made of a variable alone comes first, and what it is made from; the last is kept, in memory of its own.
// CHECK-LABEL: func.func @of_a_variable_and_of_what_was_made_of_it
// CHECK:         %[[T:.*]] = keratin.kernel(%arg1) {keratin.prepared}
// CHECK:           keratin.transpose
// CHECK:         %[[E:.*]] = keratin.kernel(%[[T]]) {keratin.prepared}
// CHECK:         %[[X:.*]] = keratin.kernel(%arg0) :
// CHECK:         keratin.kernel(%[[X]], %[[E]]) :
// PLAN-LABEL: func.func @of_a_variable_and_of_what_was_made_of_it
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 64>, #keratin.memory<host, 64>]
// PLAN:         #keratin.place<arena, 0>], keratin.prepared
// PLAN:         #keratin.place<memory 1, 0>], keratin.prepared
// PLAN:         keratin.place<arena
// PLAN:         keratin.place<returned 0>
func.func @of_a_variable_and_of_what_was_made_of_it(%x: tensor<4x2xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<2x4xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<4x2xf32> {keratin.kind = "output"}) {
  %h = keratin.kernel (%x) : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%p: tensor<4x2xf32>):
    %0 = keratin.tanh %p : (tensor<4x2xf32>) -> tensor<4x2xf32>
    keratin.yield %0 : tensor<4x2xf32>
  }
  %t = keratin.kernel (%w) : (tensor<2x4xf32>) -> tensor<4x2xf32> {
  ^bb0(%p: tensor<2x4xf32>):
    %0 = keratin.transpose %p permutation = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    keratin.yield %0 : tensor<4x2xf32>
  }
  %e = keratin.kernel (%t) : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%p: tensor<4x2xf32>):
    %0 = keratin.exp %p : (tensor<4x2xf32>) -> tensor<4x2xf32>
    keratin.yield %0 : tensor<4x2xf32>
  }
  %y = keratin.kernel (%h, %e) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%p: tensor<4x2xf32>, %q: tensor<4x2xf32>):
    %0 = keratin.mul %p, %q : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    keratin.yield %0 : tensor<4x2xf32>
  }
  return %y : tensor<4x2xf32>
}

// -----

// The function writes it itself.
// CHECK-LABEL: func.func @not_of_a_variable_that_is_updated
// CHECK-NOT:     keratin.prepared
func.func @not_of_a_variable_that_is_updated(%w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %e = keratin.kernel (%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %y = keratin.kernel (%e) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %n = keratin.kernel (%e) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.neg %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %y, %n : tensor<4xf32>, tensor<4xf32>
}

// -----

// A result belongs to the caller, who gets another one in each call.
// CHECK-LABEL: func.func @not_what_is_returned
// CHECK-NOT:     keratin.prepared
func.func @not_what_is_returned(%w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Repeated elements are read as slowly as they are made; what is printed is printed in each call, what can fail fails in each.
// CHECK-LABEL: func.func @not_repetition_nor_effects_nor_failures
// CHECK-NOT:     keratin.prepared
func.func @not_repetition_nor_effects_nor_failures(%w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<4x4xf32> {keratin.kind = "output"}) {
  %b = keratin.kernel (%w) : (tensor<4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.broadcast %p dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  %s = keratin.kernel (%w) {keratin.effect} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.print "w" %p : tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %f = keratin.kernel (%w) {keratin.fallible = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %y = keratin.kernel (%b, %s, %f) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32> {
  ^bb0(%p0: tensor<4x4xf32>, %p1: tensor<4xf32>, %p2: tensor<4xf32>):
    %0 = keratin.add %p1, %p2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.broadcast %0 dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %2 = keratin.mul %p0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2 : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

// What has a size of the call is of the call.
// CHECK-LABEL: func.func @not_what_has_sizes_of_the_call
// CHECK-NOT:     keratin.prepared
func.func @not_what_has_sizes_of_the_call(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<f32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"}) {
  %e = keratin.kernel (%w) : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p: tensor<f32>):
    %0 = keratin.exp %p : (tensor<f32>) -> tensor<f32>
    %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %1 : tensor<?xf32, #keratin.dims<d0>>
  }
  %y = keratin.kernel (%x, %e) : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%p: tensor<?xf32, #keratin.dims<d0>>, %q: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.mul %p, %q : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
