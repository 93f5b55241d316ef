// RUN: keratin-opt %s --keratin-shard | FileCheck %s

// What ranks have shares of along an axis is added up along it.
// CHECK-LABEL: func.func @along_an_axis
// CHECK-SAME:    {keratin.mesh_axis = "data", keratin.part = 0 : i64}) -> (tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.mesh_axis = "data", keratin.part = 0 : i64})
// CHECK:         %[[OWN:.*]] = keratin.dim
// CHECK:         keratin.all_reduce sum %[[OWN]] along "data" : tensor<i64>
// CHECK:         keratin.all_reduce before %[[OWN]] along "data" : tensor<i64>
// CHECK:         keratin.all_gather %arg0 along "data"
func.func @along_an_axis(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64, keratin.mesh_axis = "data"}) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    attributes {keratin.gathers_parts} {
  %y = keratin.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %y : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// Rows along one axis, a variable along another: each adds up what it has shares of, and what is in parts along the other is no line of a message with anything else.
// CHECK-LABEL: func.func @two_axes
// CHECK:         %[[Y:.*]] = keratin.dot_general {{.*}} -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// CHECK-NEXT:    %[[ALL:.*]] = keratin.all_reduce sum %[[Y]] along "model" : tensor<?x3xf32, #keratin.dims<d0, 3>>
// CHECK-NEXT:    %[[Z:.*]] = keratin.tanh %[[ALL]]
// CHECK-NEXT:    %[[SUM:.*]] = keratin.reduce_sum %[[Z]]
// CHECK-NEXT:    %[[LOSS:.*]] = keratin.all_reduce sum %[[SUM]] along "data" : tensor<3xf32>
// CHECK-NOT:     all_reduce
// CHECK:         return %[[LOSS]]
func.func @two_axes(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %v: tensor<4x3xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>, keratin.mesh_axis = "model"},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<3xf32> {keratin.kind = "output"}) {
  %y = keratin.dot_general %x, %v batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %z = keratin.tanh %y : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %loss = keratin.reduce_sum %z axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  return %loss : tensor<3xf32>
}

// What a program has ranks do along another axis all ranks along this one do with their parts: those are added up behind it.
// CHECK-LABEL: func.func @parts_go_along_another_axis
// CHECK:         %[[ALL:.*]] = keratin.all_reduce sum %arg0 along "model" : tensor<?x4xf32, #keratin.dims<d0, 4>>
// CHECK:         %[[SUM:.*]] = keratin.reduce_sum %[[ALL]]
// CHECK:         %[[WHOLE:.*]] = keratin.all_reduce sum %[[SUM]] along "data" : tensor<4xf32>
// CHECK:         keratin.all_gather %[[WHOLE]] along "model" : tensor<4xf32> -> tensor<8xf32>
// CHECK:         keratin.all_gather %arg1 along "model" : tensor<2x?xf32, #keratin.dims<2, d0>> -> tensor<4x?xf32, #keratin.dims<4, d0>>
func.func @parts_go_along_another_axis(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %t: tensor<2x?xf32, #keratin.dims<2, d0>> {keratin.sharded = 1 : i64, keratin.mesh_axis = "data"}) -> (tensor<8xf32>, tensor<4x?xf32, #keratin.dims<4, d0>>) {
  %all = keratin.all_reduce sum %x along "model" : tensor<?x4xf32, #keratin.dims<d0, 4>>
  %sum = keratin.reduce_sum %all axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %wide = keratin.all_gather %sum along "model" : tensor<4xf32> -> tensor<8xf32>
  %tall = keratin.all_gather %t along "model" : tensor<2x?xf32, #keratin.dims<2, d0>> -> tensor<4x?xf32, #keratin.dims<4, d0>>
  return %wide, %tall : tensor<8xf32>, tensor<4x?xf32, #keratin.dims<4, d0>>
}

// The same for all that have rows of one batch; one symbol for each axis, and one for how many ranks there are along it.
// CHECK-LABEL: func.func @place_along_another_axis
// CHECK:         keratin.rank along "model" {keratin.size = #keratin.dims<d1>} : tensor<i64>
// CHECK:         keratin.rank along "model" {keratin.size = #keratin.dims<d1>} : tensor<i64>
// CHECK:         keratin.rank along "other" {keratin.size = #keratin.dims<d2>} : tensor<i64>
// CHECK:         keratin.rank_count along "model" {keratin.size = #keratin.dims<d3>} : tensor<i64>
// CHECK:         keratin.rank_count along "model" {keratin.size = #keratin.dims<d3>} : tensor<i64>
// CHECK:         keratin.rank_count {keratin.size = #keratin.dims<d4>} : tensor<i64>
// CHECK-NOT:     all_reduce
func.func @place_along_another_axis(%x: tensor<?xi64, #keratin.dims<d0>> {keratin.sharded = 0 : i64, keratin.mesh_axis = "data"})
    -> (tensor<?xi64, #keratin.dims<d0>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %place = keratin.rank along "model" : tensor<i64>
  %again = keratin.rank along "model" : tensor<i64>
  %other = keratin.rank along "other" : tensor<i64>
  %count = keratin.rank_count along "model" : tensor<i64>
  %recount = keratin.rank_count along "model" : tensor<i64>
  %all = keratin.rank_count : tensor<i64>
  %places = keratin.broadcast %place dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.add %x, %places : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  return %y, %again, %other, %count, %recount, %all : tensor<?xi64, #keratin.dims<d0>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}

// A result that is in parts along both has, on each rank, the rows of one axis and the columns of the other. What is said of it is the dimension that inputs have, and the other beside it.
// CHECK-LABEL: func.func @result_along_two_axes
// CHECK-SAME:    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.further_parts = [1, "model"], keratin.kind = "output", keratin.mesh_axis = "data", keratin.part = 0 : i64})
// CHECK:         %[[Y:.*]] = keratin.dot_general {{.*}} -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// CHECK-NEXT:    return %[[Y]]
func.func @result_along_two_axes(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %w: tensor<4x6xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<3*d1, 3>, keratin.mesh_axis = "model"},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<?x6xf32, #keratin.dims<d0, 6>> {keratin.kind = "output"}) {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x6xf32>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  return %y : tensor<?x6xf32, #keratin.dims<d0, 6>>
}
