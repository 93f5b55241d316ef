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
