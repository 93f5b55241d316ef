// RUN: keratin-opt %s --keratin-shard | FileCheck %s
// RUN: keratin-opt %s --keratin-shard --keratin-shard | FileCheck %s
// RUN: keratin-opt %s --keratin-shard=bucket-bytes=8 | FileCheck %s --check-prefix=SMALL

// The gradients of both come in one message, what becomes of the variables goes in one; a square is
// made of the part.
// CHECK-LABEL: func.func @two_variables
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {keratin.kind = "variable"}, %[[V:.*]]: tensor<3xf32>
// CHECK-SAME:    %[[M:.*]]: tensor<?xf32, #keratin.dims<ceildiv(4, d2)>> {keratin.kind = "variable"}
// CHECK-SAME:    %[[N:.*]]: tensor<?xf32, #keratin.dims<ceildiv(3, d2)>> {keratin.kind = "variable"}
// CHECK-NOT:     all_reduce
// CHECK-DAG:     keratin.slice %{{.*}} starts = <d1*ceildiv(4, d2)>
// CHECK-DAG:     keratin.slice %{{.*}} starts = <d1*ceildiv(3, d2)>
// CHECK:         %[[ROWS:.*]] = keratin.concatenate %{{.*}}, %{{.*}} {axis = 1 : i64} : {{.*}}<d2, ceildiv(3, d2) + ceildiv(4, d2)>>
// CHECK-NEXT:    %[[OWN:.*]] = keratin.reduce_scatter sum %[[ROWS]] : {{.*}}dims<1, ceildiv(3, d2) + ceildiv(4, d2)>>
// CHECK:         %[[GROW:.*]] = keratin.slice %[[OWN]] starts = <0, 0>
// CHECK-NEXT:    %[[G:.*]] = keratin.reshape %[[GROW]]
// CHECK:         %[[SQUARE:.*]] = keratin.mul %[[G]], %[[G]] : {{.*}} -> tensor<?xf32, #keratin.dims<ceildiv(4, d2)>>
// CHECK:         %[[NM:.*]] = keratin.add %[[M]], %[[SQUARE]]
// CHECK-NOT:     reduce_scatter
// CHECK:         keratin.all_gather %{{.*}} -> tensor<?x?xf32, #keratin.dims<d2, ceildiv(3, d2) + ceildiv(4, d2)>>
// CHECK-NOT:     all_gather
// CHECK:         return %{{.*}}, %{{.*}}, %[[NM]], %{{.*}} : tensor<4xf32>, tensor<3xf32>, {{.*}}ceildiv(4, d2)>>, {{.*}}ceildiv(3, d2)>>
// SMALL-LABEL: func.func @two_variables
// SMALL-COUNT-2: keratin.reduce_scatter
// SMALL-COUNT-2: keratin.all_gather
func.func @two_variables(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %y: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %w: tensor<4xf32> {keratin.kind = "variable"}, %v: tensor<3xf32> {keratin.kind = "variable"},
    %m: tensor<4xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %n: tensor<3xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %ranks: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 1 : i64},
        tensor<4xf32> {keratin.kind = "update", keratin.variable = 2 : i64}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 3 : i64}) {
  %g = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %square = keratin.mul %g, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nm = keratin.add %m, %square : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nw = keratin.sub %w, %nm : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = keratin.reduce_sum %y axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %nn = keratin.add %n, %h : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %nv = keratin.sub %v, %nn : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %nw, %nv, %nm, %nn : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>
}

// Who reads the state gets it from all ranks; a gradient that is needed whole comes whole.
// CHECK-LABEL: func.func @a_state_that_is_read
// CHECK:         keratin.all_gather
// CHECK:         keratin.reduce_prod
// CHECK:         keratin.all_reduce sum
// CHECK-NOT:     reduce_scatter
// CHECK:         keratin.reduce_max
func.func @a_state_that_is_read(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %m: tensor<4xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d1, d2>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %ranks: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %p = keratin.reduce_prod %m axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %g = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %largest = keratin.reduce_max %g axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %nm = keratin.add %m, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %p, %largest, %nm : tensor<f32>, tensor<f32>, tensor<4xf32>
}
