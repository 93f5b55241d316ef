// RUN: keratin-opt %s --keratin-schedule --split-input-file | FileCheck %s

// Two products of large size, each reduced: one after the other they need half of the memory.
// CHECK-LABEL: func.func @big_values_one_after_the_other
func.func @big_values_one_after_the_other(%x: tensor<1000xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output"}) {
  // CHECK: keratin.exp
  // CHECK: keratin.reduce_sum
  // CHECK: keratin.tanh
  // CHECK: keratin.reduce_sum
  %big1 = keratin.kernel (%x) : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.exp %p : (tensor<1000xf32>) -> tensor<1000xf32>
    keratin.yield %0 : tensor<1000xf32>
  }
  %big2 = keratin.kernel (%x) : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.tanh %p : (tensor<1000xf32>) -> tensor<1000xf32>
    keratin.yield %0 : tensor<1000xf32>
  }
  %s1 = keratin.kernel (%big1) : (tensor<1000xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<1000xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %s2 = keratin.kernel (%big2) : (tensor<1000xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<1000xf32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %y = keratin.kernel (%s1, %s2) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %0 = keratin.add %p, %q : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// The same with prints: what is seen outside keeps its order.
// CHECK-LABEL: func.func @effects_keep_their_order
func.func @effects_keep_their_order(%x: tensor<1000xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output"}) {
  // CHECK: keratin.print "first"
  // CHECK: keratin.print "second"
  // CHECK: keratin.print "third"
  %big1 = keratin.kernel (%x) {keratin.effect} : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.print "first" %p : tensor<1000xf32>
    keratin.yield %0 : tensor<1000xf32>
  }
  %big2 = keratin.kernel (%x) {keratin.effect} : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.print "second" %p : tensor<1000xf32>
    keratin.yield %0 : tensor<1000xf32>
  }
  %s1 = keratin.kernel (%big1) {keratin.effect} : (tensor<1000xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<1000xf32>):
    %0 = keratin.reduce_sum %p axes = [0] : (tensor<1000xf32>) -> tensor<f32>
    %1 = keratin.print "third" %0 : tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  %y = keratin.kernel (%s1, %big2) : (tensor<f32>, tensor<1000xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<f32>, %q: tensor<1000xf32>):
    %0 = keratin.reduce_sum %q axes = [0] : (tensor<1000xf32>) -> tensor<f32>
    %1 = keratin.add %p, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @order_is_kept_when_no_other_is_better
func.func @order_is_kept_when_no_other_is_better(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "output"}) {
  // CHECK: keratin.exp
  // CHECK: keratin.tanh
  %a = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %b = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.tanh %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The write over the variable waits for the reader of its old value and for what can fail.
// CHECK-LABEL: func.func @update_comes_after_readers_and_failures
func.func @update_comes_after_readers_and_failures(
      %x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}, %i: tensor<2xi32> {keratin.kind = "input", keratin.name = "i"},
      %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2xf32> {keratin.kind = "output"}, tensor<2x2xf32> {keratin.kind = "output"},
        tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK-DAG: keratin.gather
  // CHECK-DAG: keratin.exp
  // CHECK: keratin.sub
  %new = keratin.kernel (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %0 = keratin.sub %q, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %y = keratin.kernel (%x, %i) {keratin.fallible = 0 : i64} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<2xi32>):
    %0 = keratin.gather %p, %q : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
    keratin.yield %0 : tensor<2xf32>
  }
  %v = keratin.reshape %w : (tensor<4xf32>) -> tensor<2x2xf32>
  %z = keratin.kernel (%v) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%p: tensor<2x2xf32>):
    %0 = keratin.exp %p : (tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %0 : tensor<2x2xf32>
  }
  return %y, %z, %new : tensor<2xf32>, tensor<2x2xf32>, tensor<4xf32>
}

// -----

// What needs both the new and the old value, and can fail besides, leaves the update where it is.
// CHECK-LABEL: func.func @no_constraint_when_new_value_is_needed_first
func.func @no_constraint_when_new_value_is_needed_first(
      %i: tensor<2xi32> {keratin.kind = "input", keratin.name = "i"}, %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  // CHECK: keratin.neg
  // CHECK: keratin.gather
  %new = keratin.kernel (%w) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = keratin.neg %p : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %y = keratin.kernel (%new, %w, %i) {keratin.fallible = 0 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>, %r: tensor<2xi32>):
    %0 = keratin.add %p, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.gather %0, %r : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
    keratin.yield %1 : tensor<2xf32>
  }
  return %y, %new : tensor<2xf32>, tensor<4xf32>
}

// -----

// Constants stand first, views right behind what they view, copies for results that share storage.
// CHECK-LABEL: func.func @constants_views_and_copies
func.func @constants_views_and_copies(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "output"}) {
  // CHECK: %[[C:.*]] = keratin.constant
  // CHECK: %[[V:.*]] = keratin.reshape %{{.*}} : (tensor<4xf32>) -> tensor<2x2xf32>
  // CHECK: %[[A:.*]] = keratin.kernel(%[[V]], %[[C]])
  // CHECK: %[[B:.*]] = keratin.reshape %[[A]]
  // CHECK: %[[COPY:.*]] = keratin.kernel(%[[B]])
  // CHECK: return %[[B]], %[[COPY]]
  %v = keratin.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  %c = keratin.constant dense<1.0> : tensor<2x2xf32>
  %a = keratin.kernel (%v, %c) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%p: tensor<2x2xf32>, %q: tensor<2x2xf32>):
    %0 = keratin.add %p, %q : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %0 : tensor<2x2xf32>
  }
  %b = keratin.reshape %a : (tensor<2x2xf32>) -> tensor<4xf32>
  return %b, %b : tensor<4xf32>, tensor<4xf32>
}
