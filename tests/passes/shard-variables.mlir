// RUN: keratin-opt %s --keratin-shard | FileCheck %s
// RUN: keratin-opt %s --keratin-shard --keratin-shard | FileCheck %s

// By columns, then by rows: one message. A bias that is whole is cut before it is repeated.
// CHECK-LABEL: func.func @two_layers
// CHECK-SAME:    %[[X:.*]]: tensor<5x6xf32> {keratin.kind = "input"}
// CHECK-SAME:    %[[W:.*]]: tensor<6x?xf32, #keratin.dims<6, d2>> {keratin.kind = "variable"}
// CHECK-SAME:    %[[B:.*]]: tensor<4xf32> {keratin.kind = "variable"}
// CHECK-SAME:    %[[V:.*]]: tensor<?x3xf32, #keratin.dims<d2, 3>> {keratin.kind = "variable"}
// CHECK-DAG:     %[[OWN:.*]] = keratin.slice %[[B]] starts = <d1> strides = [1] : (tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d2>>
// CHECK-DAG:     %[[REPEATED:.*]] = keratin.broadcast %[[OWN]] dims = [1]
// CHECK-DAG:     %[[H:.*]] = keratin.dot_general %[[X]], %[[W]] {{.*}} -> tensor<5x?xf32, #keratin.dims<5, d2>>
// CHECK:         %[[A:.*]] = keratin.add %[[H]], %[[REPEATED]]
// CHECK-NEXT:    %[[Y:.*]] = keratin.dot_general %[[A]], %[[V]] {{.*}} -> tensor<5x3xf32>
// CHECK-NEXT:    keratin.all_reduce sum %[[Y]] : tensor<5x3xf32>
// CHECK-NOT:     all_reduce
// CHECK:         keratin.tanh
func.func @two_layers(%x: tensor<5x6xf32> {keratin.kind = "input"},
    %w: tensor<6x4xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %b: tensor<4xf32> {keratin.kind = "variable"},
    %v: tensor<4x3xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<5x3xf32> {keratin.kind = "output"}) {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %r = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>
  %a = keratin.add %h, %r : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %y = keratin.dot_general %a, %v batch = [] x [] contract = [1] x [0] : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  %z = keratin.tanh %y : (tensor<5x3xf32>) -> tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}

// A value that is whole is the rank's part for a variable that is none.
// CHECK-LABEL: func.func @a_whole_new_value_is_cut
// CHECK:         %[[OWN:.*]] = keratin.slice %arg0 starts = <d1>
// CHECK:         return %[[OWN]] : tensor<?xf32, #keratin.dims<d2>>
func.func @a_whole_new_value_is_cut(%x: tensor<4xf32> {keratin.kind = "input"},
    %w: tensor<4xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  return %x : tensor<4xf32>
}

// Parts of one size have it in their types, and where one begins follows from the rank's number.
// Heads are parted from what they have in them, a slice is of other dimensions.
// CHECK-LABEL: func.func @heads_of_equal_parts
// CHECK-SAME:    %[[X:.*]]: tensor<5x6xf32> {keratin.kind = "input"}
// CHECK-SAME:    %[[W:.*]]: tensor<6x4xf32> {keratin.kind = "variable"}
// CHECK-SAME:    %[[V:.*]]: tensor<4x6xf32> {keratin.kind = "variable"}
// CHECK-SAME:    %[[B:.*]]: tensor<8xf32> {keratin.kind = "variable"}
// CHECK-DAG:     %[[OWN:.*]] = keratin.slice %[[B]] starts = <4*d1> strides = [1] : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-DAG:     %[[H:.*]] = keratin.dot_general %[[X]], %[[W]] {{.*}} -> tensor<5x4xf32>
// CHECK:         %[[A:.*]] = keratin.add %[[H]]
// CHECK-NEXT:    %[[APART:.*]] = keratin.reshape %[[A]] : (tensor<5x4xf32>) -> tensor<5x2x2xf32>
// CHECK-NEXT:    %[[TWO:.*]] = keratin.slice %[[APART]] starts = <1, 0, 0> {{.*}} -> tensor<4x2x2xf32>
// CHECK-NEXT:    %[[PADDED:.*]] = keratin.pad %[[TWO]] low = <0, 0, 0> {{.*}} -> tensor<5x2x2xf32>
// CHECK-NEXT:    %[[LINE:.*]] = keratin.reshape %[[PADDED]] : (tensor<5x2x2xf32>) -> tensor<5x4xf32>
// CHECK-NEXT:    %[[Y:.*]] = keratin.dot_general %[[LINE]], %[[V]]
// CHECK-NEXT:    %[[ALL:.*]] = keratin.all_reduce sum %[[Y]] : tensor<5x6xf32>
// CHECK-NEXT:    return %[[ALL]]
func.func @heads_of_equal_parts(%x: tensor<5x6xf32> {keratin.kind = "input"},
    %w: tensor<6x8xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %v: tensor<8x6xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %b: tensor<8xf32> {keratin.kind = "variable"}, %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<5x6xf32> {keratin.kind = "output"}) {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
  %r = keratin.broadcast %b dims = [1] : (tensor<8xf32>) -> tensor<5x8xf32>
  %a = keratin.add %h, %r : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  %apart = keratin.reshape %a : (tensor<5x8xf32>) -> tensor<5x4x2xf32>
  %two = keratin.slice %apart starts = <1, 0, 0> strides = [1, 1, 1] : (tensor<5x4x2xf32>) -> tensor<4x4x2xf32>
  %padded = keratin.pad %two low = <0, 0, 0> interior = [0, 0, 0] : (tensor<4x4x2xf32>) -> tensor<5x4x2xf32>
  %line = keratin.reshape %padded : (tensor<5x4x2xf32>) -> tensor<5x8xf32>
  %y = keratin.dot_general %line, %v batch = [] x [] contract = [1] x [0] : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}
