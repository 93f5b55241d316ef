// RUN: keratin-opt %s --keratin-sink-stacks | FileCheck %s

// The layer behind the cell reads the states, which are stacked for somebody else.
// CHECK-LABEL: func.func @the_output_layer_of_a_recurrent_net
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<2x4xf32>, %[[V:[a-z0-9]+]]: tensor<4x3xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>)
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <d0> init(%[[H]]) over() with()
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<2x4xf32>):
// CHECK-NEXT:      %[[N:.*]] = keratin.tanh %[[S]]
// CHECK-NEXT:      keratin.yield %[[N]], %[[N]]
// CHECK:         %[[D:.*]] = keratin.dot_general %[[L]]#1, %[[V]] batch = [] x [] contract = [2] x [0]
// CHECK:         %[[A:.*]] = keratin.add %[[D]], %{{.*}} -> tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
// CHECK:         %[[Y:.*]] = keratin.logistic %[[A]]
// CHECK:         return %[[L]]#1, %[[Y]]
func.func @the_output_layer_of_a_recurrent_net(%h: tensor<2x4xf32>, %v: tensor<4x3xf32>, %b: tensor<3xf32>)
    -> (tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) {
  %0:3 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%v, %b) : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3xf32>)
      -> (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %w: tensor<4x3xf32>, %c: tensor<3xf32>):
    %1 = keratin.tanh %s : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.dot_general %1, %w batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %3 = keratin.broadcast %c dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %4 = keratin.add %2, %3 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = keratin.logistic %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    keratin.yield %1, %1, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>
  }
  return %0#1, %0#2 : tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
}

// The state before the step is stacked anew; of the transpose, what it moves.
// CHECK-LABEL: func.func @what_is_not_at_hand_is_stacked
// CHECK:         %[[L:.*]]:2 = keratin.scan
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<2x4xf16>):
// CHECK:           keratin.yield %{{.*}}, %[[S]] : tensor<2x4xf16>, tensor<2x4xf16>
// CHECK:         %[[T:.*]] = keratin.transpose %[[L]]#1 permutation = [0, 2, 1]
// CHECK-NEXT:    keratin.dot_general %{{.*}}, %[[T]]
func.func @what_is_not_at_hand_is_stacked(%h: tensor<2x4xf16>, %v: tensor<3x4xf16>) -> tensor<5x3x2xf16> {
  %0:2 = keratin.scan length = #keratin.dims<5> reverse init(%h) over() with(%v) : (tensor<2x4xf16>, tensor<3x4xf16>) -> (tensor<2x4xf16>, tensor<5x3x2xf16>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf16>, %w: tensor<3x4xf16>):
    %1 = keratin.tanh %s : (tensor<2x4xf16>) -> tensor<2x4xf16>
    %2 = keratin.transpose %s permutation = [1, 0] : (tensor<2x4xf16>) -> tensor<4x2xf16>
    %3 = keratin.dot_general %w, %2 batch = [] x [] contract = [1] x [0] : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16>
    keratin.yield %1, %3 : tensor<2x4xf16>, tensor<3x2xf16>
  }
  return %0#1 : tensor<5x3x2xf16>
}

// Stacking a hundred numbers for one costs more than it saves.
// CHECK-LABEL: func.func @what_would_need_much_memory_stays
// CHECK:         keratin.scan
// CHECK:           keratin.dot_general
// CHECK:         }
// CHECK-NOT:     keratin.dot_general
func.func @what_would_need_much_memory_stays(%h: tensor<2x100xf32>, %v: tensor<100xf32>) -> tensor<5x2xf32> {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%h) over() with(%v) : (tensor<2x100xf32>, tensor<100xf32>) -> (tensor<2x100xf32>, tensor<5x2xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x100xf32>, %w: tensor<100xf32>):
    %1 = keratin.tanh %s : (tensor<2x100xf32>) -> tensor<2x100xf32>
    %2 = keratin.dot_general %1, %w batch = [] x [] contract = [1] x [0] : (tensor<2x100xf32>, tensor<100xf32>) -> tensor<2xf32>
    keratin.yield %1, %2 : tensor<2x100xf32>, tensor<2xf32>
  }
  return %0#1 : tensor<5x2xf32>
}

// CHECK-LABEL: func.func @what_states_need_stays
// CHECK:         keratin.scan
// CHECK:           keratin.dot_general
// CHECK:         }
// CHECK-NOT:     keratin.dot_general
func.func @what_states_need_stays(%h: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<5x4x4xf32> {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%h) over() with(%v) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<5x4x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4x4xf32>, %w: tensor<4x4xf32>):
    %1 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = keratin.tanh %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#1 : tensor<5x4x4xf32>
}

// A scan inside the step is no op that can be done for all steps at once: what it reads is computed inside.
// CHECK-LABEL: func.func @what_inner_loops_read_stays
// CHECK:         keratin.scan length = <5>
// CHECK:           keratin.dot_general
// CHECK:           keratin.scan length = <d0>
// CHECK:         return
func.func @what_inner_loops_read_stays(%h: tensor<4xf32>, %v: tensor<4x4xf32>) -> tensor<5x4xf32> {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%h) over() with(%v) : (tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %w: tensor<4x4xf32>):
    %1 = keratin.dot_general %s, %w batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %2 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    %3 = keratin.scan length = #keratin.dims<d0> init(%1) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%u: tensor<i64>, %a: tensor<4xf32>):
      %4 = keratin.sin %a : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %4 : tensor<4xf32>
    }
    keratin.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<5x4xf32>
}
