// RUN: keratin-opt %s --keratin-simplify-loops | FileCheck %s

// The second state and the first stack feed only each other.
// CHECK-LABEL: func.func @dead_states_stacks_sequences_and_captures_go
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d0, 4>>, %{{.*}}, %[[H:[a-z0-9]+]]: tensor<4xf32>, %{{.*}}: tensor<i32>, %{{.*}})
// CHECK-NEXT:    %[[L:.*]] = keratin.scan length = <d0> init(%[[H]]) over(%[[X]]) with()
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[N:.*]] = keratin.add %[[S]], %[[E]]
// CHECK-NEXT:      keratin.yield %[[N]] : tensor<4xf32>
// CHECK:         return %[[L]]
func.func @dead_states_stacks_sequences_and_captures_go(
    %x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %y: tensor<?x4xf32, #keratin.dims<d0, 4>>,
    %h: tensor<4xf32>, %n: tensor<i32>, %w: tensor<i32>) -> tensor<4xf32> {
  %last, %count, %all = keratin.scan length = #keratin.dims<d0> init(%h, %n) over(%x, %y) with(%w)
      : (tensor<4xf32>, tensor<i32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<i32>)
      -> (tensor<4xf32>, tensor<i32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %c: tensor<i32>, %e: tensor<4xf32>, %f: tensor<4xf32>, %v: tensor<i32>):
    %0 = keratin.add %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %c, %v : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = keratin.mul %f, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0, %1, %2 : tensor<4xf32>, tensor<i32>, tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// CHECK-LABEL: func.func @what_prints_needs_its_state
// CHECK:         keratin.scan
// CHECK:           keratin.print "n"
// CHECK:           keratin.yield %{{.*}} : tensor<i32>
func.func @what_prints_needs_its_state(%n: tensor<i32>) -> tensor<i32> {
  %count = keratin.scan length = #keratin.dims<3> init(%n) over() with() : (tensor<i32>) -> tensor<i32> {
  ^bb0(%t: tensor<i64>, %c: tensor<i32>):
    %0 = keratin.print "n" %c : tensor<i32>
    %1 = keratin.add %c, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
    keratin.yield %1 : tensor<i32>
  }
  return %n : tensor<i32>
}

// CHECK-LABEL: func.func @a_state_that_is_handed_on_becomes_a_capture
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[L:.*]] = keratin.scan length = <d0> init(%[[H]]) over() with(%[[W]])
// CHECK:         return %[[L]], %[[W]]
func.func @a_state_that_is_handed_on_becomes_a_capture(%h: tensor<4xf32>, %w: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = keratin.scan length = #keratin.dims<d0> init(%h, %w) over() with()
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    %2 = keratin.mul %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2, %v : tensor<4xf32>, tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @a_state_that_stays_zero_is_a_constant
// CHECK:         keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over() with()
// CHECK:           %[[Z:.*]] = keratin.constant dense<0.000000e+00>
// CHECK:           keratin.maximum %{{.*}}, %[[Z]]
func.func @a_state_that_stays_zero_is_a_constant(%h: tensor<f32>) -> tensor<f32> {
  %z = keratin.constant dense<0.0> : tensor<f32>
  %0, %1 = keratin.scan length = #keratin.dims<d0> init(%h, %z) over() with()
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %v: tensor<f32>):
    %2 = keratin.maximum %s, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %3 = keratin.exp %2 : (tensor<f32>) -> tensor<f32>
    %4 = keratin.constant dense<0.0> : tensor<f32>
    keratin.yield %3, %4 : tensor<f32>, tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @equal_captures_and_sequences_are_one
// CHECK:         keratin.scan length = <3> init(%{{[a-z0-9]+}}) over(%{{[a-z0-9]+}}) with(%{{[a-z0-9]+}})
func.func @equal_captures_and_sequences_are_one(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.scan length = #keratin.dims<3> init(%h) over(%x, %x) with(%w, %w)
      : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %f: tensor<4xf32>, %v: tensor<4xf32>, %u: tensor<4xf32>):
    %1 = keratin.mul %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.mul %f, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = keratin.sub %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = keratin.mul %3, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Both are x, but %y depends on one of them.
// CHECK-LABEL: func.func @equal_captures_by_which_is_derived_stay_two
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %[[A:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[W:.*]] = keratin.identity %[[A]]
// CHECK-NEXT:      %[[V:.*]] = keratin.identity %[[A]]
// CHECK-NEXT:      %[[Y:.*]] = keratin.sin %[[V]]
// CHECK-NEXT:      keratin.jvp of %[[Y]] wrt %[[V]], %[[W]] along %[[Y]], %[[Y]]
func.func @equal_captures_by_which_is_derived_stay_two(%x: tensor<f32>) -> tensor<3xf32> {
  %all = keratin.scan length = #keratin.dims<3> init() over() with(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<3xf32> {
  ^bb0(%t: tensor<i64>, %v: tensor<f32>, %w: tensor<f32>):
    %y = keratin.sin %v : (tensor<f32>) -> tensor<f32>
    %0 = keratin.jvp of %y wrt %v, %w along %y, %y : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %all : tensor<3xf32>
}

// The bias is read as a vector, and nobody stores its broadcast.
// CHECK-LABEL: func.func @broadcasts_are_made_inside
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<2x4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    keratin.scan length = <d0> init(%[[H]]) over() with(%[[B]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<2x4xf32>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:      keratin.broadcast %[[V]] dims = [1]
func.func @broadcasts_are_made_inside(%h: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%0)
      : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %v: tensor<2x4xf32>):
    %2 = keratin.add %s, %v : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %2 : tensor<2x4xf32>
  }
  return %1 : tensor<2x4xf32>
}

// A contraction reads its operands from memory; made inside, the broadcast would be written at every step.
// CHECK-LABEL: func.func @a_broadcast_that_must_lie_in_memory_stays
// CHECK:         keratin.broadcast
// CHECK:         keratin.scan
// CHECK-NOT:       keratin.broadcast
// CHECK:         return
func.func @a_broadcast_that_must_lie_in_memory_stays(%h: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%0)
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4x4xf32>, %v: tensor<4x4xf32>):
    %2 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @regular_sequences_are_no_sequences
// CHECK-SAME:  (%[[G:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<?xf32, #keratin.dims<d0>>, %[[H:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    keratin.scan length = <d0> reverse init(%[[H]]) over(%[[X]]) with(%[[G]])
// CHECK-NEXT:    ^bb0(%[[T:.*]]: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<f32>, %[[C:.*]]: tensor<4xf32>):
// CHECK-DAG:       keratin.cast %[[T]] : (tensor<i64>) -> tensor<f32>
// CHECK-DAG:       keratin.broadcast %[[E]] dims = []
// CHECK-DAG:       keratin.add %[[S]], %[[C]]
func.func @regular_sequences_are_no_sequences(%g: tensor<4xf32>, %x: tensor<?xf32, #keratin.dims<d0>>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.broadcast %g dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %1 = keratin.broadcast %x dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %2 = keratin.iota {axis = 0 : i64} : tensor<?x4xf32, #keratin.dims<d0, 4>>
  %3 = keratin.scan length = #keratin.dims<d0> reverse init(%h) over(%0, %1, %2) with()
      : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %4 = keratin.add %s, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = keratin.mul %4, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = keratin.sub %5, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %6 : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @stacks_that_are_known_are_not_stacked
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<3x4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-DAG:     %[[B:.*]] = keratin.broadcast %[[W]] dims = [1]
// CHECK-DAG:     %[[I:.*]] = keratin.iota {axis = 0 : i64} : tensor<3xi64>
// CHECK:         %[[S:.*]] = keratin.scan
// CHECK:           keratin.yield %{{.*}} : tensor<4xf32>
// CHECK:         return %[[X]], %[[B]], %[[I]], %[[S]], %[[S]]
func.func @stacks_that_are_known_are_not_stacked(%x: tensor<3x4xf32>, %w: tensor<4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:5 = keratin.scan length = #keratin.dims<3> init() over(%x) with(%w) : (tensor<3x4xf32>, tensor<4xf32>)
      -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%t: tensor<i64>, %e: tensor<4xf32>, %v: tensor<4xf32>):
    %1 = keratin.mul %e, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %e, %v, %t, %1, %1 : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi64>, tensor<3x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @the_last_element_of_a_stack_is_a_state
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <d0> init(%{{.*}}, %{{.*}}) over() with()
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %{{.*}}: tensor<f16>):
// CHECK-NEXT:      %[[N:.*]] = keratin.tanh %[[S]]
// CHECK-NEXT:      %[[R:.*]] = keratin.reduce_sum %[[N]]
// CHECK-NEXT:      %[[C:.*]] = keratin.cast %[[R]]
// CHECK-NEXT:      keratin.yield %[[N]], %[[C]] : tensor<4xf32>, tensor<f16>
// CHECK:         %[[A:.*]] = keratin.reshape %[[L]]#0 : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %[[B:.*]] = keratin.slice %[[A]] starts = <0, 1>
// CHECK-NEXT:    %[[D:.*]] = keratin.reshape %[[L]]#1 : (tensor<f16>) -> tensor<1xf16>
// CHECK-NEXT:    return %[[B]], %[[D]]
func.func @the_last_element_of_a_stack_is_a_state(%h: tensor<4xf32>) -> (tensor<1x2xf32>, tensor<1xf16>) {
  %last, %states, %sums = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>)
      -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?xf16, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.reduce_sum %0 axes = [0] : (tensor<4xf32>) -> tensor<f32>
    %2 = keratin.cast %1 : (tensor<f32>) -> tensor<f16>
    keratin.yield %0, %0, %2 : tensor<4xf32>, tensor<4xf32>, tensor<f16>
  }
  %3 = keratin.slice %states starts = #keratin.dims<d0 - 1, 1> strides = [1, 1]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<1x2xf32>
  %4 = keratin.slice %sums starts = #keratin.dims<d0 - 1> strides = [1] : (tensor<?xf16, #keratin.dims<d0>>) -> tensor<1xf16>
  return %3, %4 : tensor<1x2xf32>, tensor<1xf16>
}

// Place 0 is the last step's in a loop that goes backwards, and the first one's in one that goes forwards.
// CHECK-LABEL: func.func @the_last_step_of_a_reverse_scan_has_place_zero
// CHECK:         keratin.scan length = <d0> reverse init
// CHECK:           keratin.yield %{{.*}} : tensor<4xf32>
// CHECK:         keratin.scan length = <d0> init
// CHECK:           keratin.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @the_last_step_of_a_reverse_scan_has_place_zero(%h: tensor<4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<d0> reverse init(%h) over() with() : (tensor<4xf32>)
      -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %5 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %5, %5 : tensor<4xf32>, tensor<4xf32>
  }
  %1:2 = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>)
      -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %5 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %5, %5 : tensor<4xf32>, tensor<4xf32>
  }
  %2 = keratin.slice %0#1 starts = #keratin.dims<0, 0> strides = [1, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<1x4xf32>
  %3 = keratin.slice %1#1 starts = #keratin.dims<0, 0> strides = [1, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<1x4xf32>
  return %2, %3 : tensor<1x4xf32>, tensor<1x4xf32>
}

// CHECK-LABEL: func.func @one_step_is_no_loop
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<1x4xf32>)
// CHECK-NOT:     keratin.scan
// CHECK:         %[[E:.*]] = keratin.reshape %[[X]]
// CHECK-NEXT:    %[[N:.*]] = keratin.add %[[H]], %[[E]]
// CHECK-NEXT:    %[[S:.*]] = keratin.reshape %[[N]]
// CHECK-NEXT:    return %[[N]], %[[S]]
func.func @one_step_is_no_loop(%h: tensor<4xf32>, %x: tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<1> init(%h) over(%x) with() : (tensor<4xf32>, tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %1 = keratin.add %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<1x4xf32>
}

// CHECK-LABEL: func.func @no_step_is_no_loop
// CHECK-NOT:     keratin.scan
// CHECK:         return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<0x4xf32>
func.func @no_step_is_no_loop(%h: tensor<4xf32>, %x: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<0> init(%h) over(%x) with() : (tensor<4xf32>, tensor<0x4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %1 = keratin.add %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<0x4xf32>
}

// The inner loop's capture was all that the outer one's second sequence was for.
// CHECK-LABEL: func.func @nested_loops_from_the_inside
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<f32>, %[[X:[a-z0-9]+]]: tensor<5x3xf32>, %{{.*}})
// CHECK-NEXT:    keratin.scan length = <5> init(%[[H]]) over(%[[X]]) with()
// CHECK:           keratin.scan length = <3> reverse init(%{{[a-z0-9]+}}) over(%{{[a-z0-9]+}}) with()
func.func @nested_loops_from_the_inside(%h: tensor<f32>, %x: tensor<5x3xf32>, %y: tensor<5xf32>) -> tensor<f32> {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over(%x, %y) with() : (tensor<f32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %row: tensor<3xf32>, %c: tensor<f32>):
    %1:2 = keratin.scan length = #keratin.dims<3> reverse init(%s, %s) over(%row) with(%c)
        : (tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    ^bb0(%u: tensor<i64>, %a: tensor<f32>, %b: tensor<f32>, %e: tensor<f32>, %d: tensor<f32>):
      %2 = keratin.mul %a, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %3 = keratin.mul %b, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %2, %3 : tensor<f32>, tensor<f32>
    }
    keratin.yield %1#0 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// The constant is made before the broadcast that reads it.
// CHECK-LABEL: func.func @chains_are_made_inside_in_order
// CHECK:         keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over() with()
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[C:.*]] = keratin.constant dense<2.000000e+00>
// CHECK-NEXT:      %[[B:.*]] = keratin.broadcast %[[C]] dims = []
// CHECK-NEXT:      keratin.mul %{{.*}}, %[[B]]
func.func @chains_are_made_inside_in_order(%h: tensor<4xf32>) -> tensor<4xf32> {
  %c = keratin.constant dense<2.0> : tensor<f32>
  %0 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    %2 = keratin.mul %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// A loop that ends when it likes keeps its condition, though nobody reads it at the end. A state that nobody needs goes with
// what computes it, one that stays the same is a capture, and so is the stack that nobody reads.
// CHECK-LABEL: func.func @open_loop
// CHECK:         %[[Y:.*]]:3 = keratin.while length = <d7> init(%{{.*}}, %{{.*}}) with(%{{.*}}) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>, tensor<i64>) {
// CHECK-NEXT:    ^bb0(%[[T:.*]]: tensor<i64>, %{{.*}}: tensor<i1>, %[[S:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>):
// CHECK-NOT:       keratin.exp
// CHECK:           %[[N:.*]] = keratin.mul %[[S]], %[[W]]
// CHECK:           keratin.yield %{{.*}}, %[[N]] : tensor<i1>, tensor<4xf32>
// CHECK:         return %[[Y]]#1, %[[Y]]#2
func.func @open_loop(%go: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  %y:6 = keratin.while length = <d7> init(%go, %x, %x, %w) with() : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<?x4xf32, #keratin.dims<d7, 4>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<4xf32>, %unread: tensor<4xf32>, %same: tensor<4xf32>):
    %most = keratin.constant dense<9> : tensor<i64>
    %again = keratin.compare lt %t, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %n = keratin.mul %s, %same : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %e = keratin.exp %unread : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %again, %n, %e, %same, %e : tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %y#1, %y#4 : tensor<4xf32>, tensor<i64>
}
