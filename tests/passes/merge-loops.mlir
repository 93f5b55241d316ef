// RUN: keratin-opt %s --keratin-merge-loops | FileCheck %s

// Two counters that begin alike and step alike, though through each other's values.
// CHECK-LABEL: func.func @states_equal_by_coinduction_are_one
// CHECK:         %[[L:.*]] = keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over() with(%{{[a-z0-9]+}})
// CHECK:           keratin.yield %{{.*}} : tensor<i32>
// CHECK:         return %[[L]], %[[L]]
func.func @states_equal_by_coinduction_are_one(%n: tensor<i32>, %w: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:2 = keratin.scan length = #keratin.dims<d0> init(%n, %n) over() with(%w) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%t: tensor<i64>, %a: tensor<i32>, %b: tensor<i32>, %v: tensor<i32>):
    %1 = keratin.add %b, %v : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = keratin.add %v, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>
    keratin.yield %1, %2 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// Told apart only in the third round: %a and %b differ by what they get from %c and %d, which differ by their steps.
// CHECK-LABEL: func.func @states_that_come_apart_later_stay
// CHECK:         keratin.scan
// CHECK:           keratin.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
func.func @states_that_come_apart_later_stay(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:4 = keratin.scan length = #keratin.dims<d0> init(%n, %n, %n, %n) over() with()
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  ^bb0(%t: tensor<i64>, %a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = keratin.add %c, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = keratin.mul %d, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
    keratin.yield %c, %d, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// CHECK-LABEL: func.func @states_of_different_beginnings_stay
// CHECK:           keratin.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<i32>
func.func @states_of_different_beginnings_stay(%n: tensor<i32>, %m: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:2 = keratin.scan length = #keratin.dims<d0> init(%n, %m) over() with() : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%t: tensor<i64>, %a: tensor<i32>, %b: tensor<i32>):
    %1 = keratin.add %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = keratin.add %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    keratin.yield %1, %2 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// The second loop is the first one with more stacks, in another order of ops and captures; it moves up, and %z with it.
// CHECK-LABEL: func.func @a_loop_that_is_part_of_another_goes
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d0, 4>>, %[[H:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[Z:.*]] = keratin.neg %[[H]]
// CHECK-NEXT:    %[[B:.*]]:4 = keratin.scan length = <d0> init(%[[Z]], %[[H]]) over(%[[X]]) with(%[[W]])
// CHECK-NOT:     keratin.scan
// CHECK:         %[[E:.*]] = keratin.exp %[[B]]#1
// CHECK:         return %[[E]], %[[B]]#3, %[[B]]#2, %[[B]]#0
func.func @a_loop_that_is_part_of_another_goes(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %h: tensor<4xf32>, %w: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) {
  %a:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w) : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %v: tensor<4xf32>):
    %0 = keratin.mul %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
  }
  %y = keratin.exp %a#0 : (tensor<4xf32>) -> tensor<4xf32>
  %z = keratin.neg %h : (tensor<4xf32>) -> tensor<4xf32>
  %b:3 = keratin.scan length = #keratin.dims<d0> init(%z, %h) over(%x) with(%w) : (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %r: tensor<4xf32>, %s: tensor<4xf32>, %e: tensor<4xf32>, %v: tensor<4xf32>):
    %3 = keratin.sin %r : (tensor<4xf32>) -> tensor<4xf32>
    %0 = keratin.mul %v, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %3, %2, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %y, %a#1, %b#2, %b#0 : tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>
}

// CHECK-LABEL: func.func @a_loop_that_reads_the_other_stays
// CHECK-COUNT-2: keratin.scan
func.func @a_loop_that_reads_the_other_stays(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %b:2 = keratin.scan length = #keratin.dims<d0> init(%h, %a) over() with() : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %r: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %r, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %a, %b#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @direction_length_and_ops_make_a_difference
// CHECK-COUNT-4: keratin.scan
func.func @direction_length_and_ops_make_a_difference(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %b = keratin.scan length = #keratin.dims<d0> reverse init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %c = keratin.scan length = #keratin.dims<d1> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  %d = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.sin %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0 : tensor<4xf32>
  }
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The inner loops are merged before the outer bodies are compared.
// CHECK-LABEL: func.func @loops_in_loops_are_merged_too
// CHECK:         %[[O:.*]]:2 = keratin.scan length = <5>
// CHECK:           keratin.scan length = <d0>
// CHECK-NOT:     keratin.scan
// CHECK:         return %[[O]]#0, %[[O]]#1
func.func @loops_in_loops_are_merged_too(%h: tensor<f32>) -> (tensor<f32>, tensor<5xf32>) {
  %0 = keratin.scan length = #keratin.dims<5> init(%h) over() with() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>):
    %2 = keratin.scan length = #keratin.dims<d0> init(%s) over() with() : (tensor<f32>) -> tensor<f32> {
    ^bb0(%u: tensor<i64>, %a: tensor<f32>):
      %3 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
      keratin.yield %3 : tensor<f32>
    }
    keratin.yield %2 : tensor<f32>
  }
  %1:2 = keratin.scan length = #keratin.dims<5> init(%h) over() with() : (tensor<f32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>):
    %2:2 = keratin.scan length = #keratin.dims<d0> init(%s, %s) over() with() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    ^bb0(%u: tensor<i64>, %a: tensor<f32>, %b: tensor<f32>):
      %3 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
      %4 = keratin.tanh %b : (tensor<f32>) -> tensor<f32>
      keratin.yield %3, %4 : tensor<f32>, tensor<f32>
    }
    %5 = keratin.add %2#0, %2#1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %2#1, %5 : tensor<f32>, tensor<f32>
  }
  return %0, %1#1 : tensor<f32>, tensor<5xf32>
}
