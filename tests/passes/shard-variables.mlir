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

// Each rank looks up the rows that it has, among zeros: one message. What is added up by the same indices, into as many rows, is in the table's parts.
// CHECK-LABEL: func.func @rows_of_a_table
// CHECK-SAME:    %[[I:.*]]: tensor<3xi32> {keratin.kind = "input"}
// CHECK-SAME:    %[[W:.*]]: tensor<4x2xf32> {keratin.kind = "variable"}
// CHECK-SAME:    %[[RANK:.*]]: tensor<i64>
// CHECK-DAG:     %[[CHECKED:.*]] = keratin.check_range %[[I]] lower = <0> upper = <8> "gather: an index is outside the first axis of the reference"
// CHECK-DAG:     %[[BEGIN:.*]] = keratin.mul %[[RANK]]
// CHECK:         %[[OWN:.*]] = keratin.sub %[[CHECKED]]
// CHECK-NEXT:    %[[ROWS:.*]] = keratin.gather %[[W]], %[[OWN]] {keratin.own_rows} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[ALL:.*]] = keratin.all_reduce sum %[[ROWS]] : tensor<3x2xf32>
// CHECK-NOT:     all_reduce
// CHECK:         %[[G:.*]] = keratin.scatter_add %[[OWN]], {{.*}} {keratin.own_rows} : (tensor<3xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
// CHECK:         keratin.sub %[[W]], %[[G]]
func.func @rows_of_a_table(%i: tensor<3xi32> {keratin.kind = "input"},
    %w: tensor<8x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<8x2xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.gather %w, %i : (tensor<8x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  %z = keratin.tanh %y : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %g = keratin.scatter_add %i, %z : (tensor<3xi32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  %n = keratin.sub %w, %g : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  return %n : tensor<8x2xf32>
}

// Indices in parts along the table's axis come to all ranks, each finds its rows of them, and what all have found is added up where it is asked for. What is to be added to rows comes to all, too.
// CHECK-LABEL: func.func @rows_for_parts_of_indices
// CHECK-SAME:    %[[I:.*]]: tensor<?x3xi32, #keratin.dims<d0, 3>>
// CHECK-DAG:     %[[CHECKED:.*]] = keratin.check_range %[[I]] lower = <0> upper = <8> "gather: an index is outside the first axis of the reference"
// CHECK-DAG:     keratin.define_size [[ALL:.*]] %{{.*}} : tensor<i64>
// CHECK:         %[[INDICES:.*]] = keratin.all_gather %[[CHECKED]] : tensor<?x3xi32, #keratin.dims<d0, 3>> -> tensor<?x3xi32, #keratin.dims<d[[ALL]], 3>>
// CHECK:         %[[OWN:.*]] = keratin.sub %[[INDICES]]
// CHECK:         %[[ROWS:.*]] = keratin.gather %{{.*}}, %[[OWN]] {keratin.own_rows} : (tensor<4x2xf32>, tensor<?x3xi32, #keratin.dims<d[[ALL]], 3>>)
// CHECK-NEXT:    %[[Y:.*]] = keratin.reduce_scatter sum %[[ROWS]] : tensor<?x3x2xf32, #keratin.dims<d[[ALL]], 3, 2>> -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
// CHECK:         %[[Z:.*]] = keratin.tanh %[[Y]]
// CHECK:         %[[UPDATES:.*]] = keratin.all_gather %[[Z]]
// CHECK:         %[[G:.*]] = keratin.scatter_add %[[OWN]], %[[UPDATES]] {keratin.own_rows} : {{.*}} -> tensor<4x2xf32>
// CHECK-NOT:     all_
// CHECK:         return
func.func @rows_for_parts_of_indices(%i: tensor<?x3xi32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %w: tensor<8x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<8x2xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.gather %w, %i : (tensor<8x2xf32>, tensor<?x3xi32, #keratin.dims<d0, 3>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %z = keratin.tanh %y : (tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>) -> tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>
  %g = keratin.scatter_add %i, %z : (tensor<?x3xi32, #keratin.dims<d0, 3>>, tensor<?x3x2xf32, #keratin.dims<d0, 3, 2>>) -> tensor<8x2xf32>
  %n = keratin.sub %w, %g : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  return %n : tensor<8x2xf32>
}

// Filters by output channels make channels, by input channels shares.
// CHECK-LABEL: func.func @channels
// CHECK:         %[[H:.*]] = keratin.convolution %arg0, %arg1 {{.*}} : (tensor<2x6x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
// CHECK-NEXT:    %[[P:.*]] = keratin.window_max %[[H]] {{.*}} -> tensor<2x3x4xf32>
// CHECK-NEXT:    %[[Y:.*]] = keratin.convolution %[[P]], %arg2 {{.*}} : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    keratin.all_reduce sum %[[Y]] : tensor<2x3x5xf32>
func.func @channels(%x: tensor<2x6x3xf32> {keratin.kind = "input"},
    %w: tensor<3x3x8xf32> {keratin.kind = "variable", keratin.sharded = 2 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %v: tensor<3x8x5xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<2x3x5xf32> {keratin.kind = "output"}) {
  %h = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <1> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x6x3xf32>, tensor<3x3x8xf32>) -> tensor<2x6x8xf32>
  %p = keratin.window_max %h window = [1, 2, 1] strides = [1, 2, 1] low = <0, 0, 0> : (tensor<2x6x8xf32>) -> tensor<2x3x8xf32>
  %y = keratin.convolution %p, %v dims = "b0c,0cf->b0f" strides = [1] low = <1> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<2x3x8xf32>, tensor<3x8x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// Indices in another order than that of ranks: what is found comes back in theirs.
// CHECK-LABEL: func.func @indices_in_another_order
// CHECK:         %[[LINE:.*]] = keratin.reshape %arg0
// CHECK:         %[[ALL:.*]] = keratin.all_gather %{{.*}} -> tensor<?xi32
// CHECK-NOT:     reshape
// CHECK:         keratin.gather %arg1
// CHECK:         %[[FOUND:.*]] = keratin.reduce_scatter
// CHECK-NEXT:    keratin.reshape %[[FOUND]] {{.*}} -> tensor<3x?x2xf32
// CHECK:         return
func.func @indices_in_another_order(%i: tensor<3x?xi32, #keratin.dims<3, d0>> {keratin.kind = "input", keratin.name = "i", keratin.sharded = 1 : i64},
    %w: tensor<8x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<3x?x2xf32, #keratin.dims<3, d0, 2>> {keratin.kind = "output"}) attributes {keratin.sizes = ["batch"]} {
  %line = keratin.reshape %i : (tensor<3x?xi32, #keratin.dims<3, d0>>) -> tensor<?xi32, #keratin.dims<3*d0>>
  %y = keratin.gather %w, %line : (tensor<8x2xf32>, tensor<?xi32, #keratin.dims<3*d0>>) -> tensor<?x2xf32, #keratin.dims<3*d0, 2>>
  %z = keratin.reshape %y : (tensor<?x2xf32, #keratin.dims<3*d0, 2>>) -> tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>
  return %z : tensor<3x?x2xf32, #keratin.dims<3, d0, 2>>
}
