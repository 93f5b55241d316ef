// RUN: keratin-opt %s --keratin-shard | FileCheck %s
// RUN: keratin-opt %s --keratin-shard --keratin-shard | FileCheck %s
// RUN: keratin-opt %s --keratin-shard=bucket-bytes=8 | FileCheck %s --check-prefix=SMALL
// RUN: keratin-opt %s --keratin-shard=last-bucket-bytes=12 | FileCheck %s --check-prefix=LAST

// A sum over the sharded size is a share, and there is one message for it.
// CHECK-LABEL: func.func @a_sum_is_reduced
// CHECK-SAME:    keratin.part = 0 : i64}) -> tensor<4xf32> {
// CHECK-NOT:     sharded
// CHECK:         %[[SHARE:.*]] = keratin.reduce_sum
// CHECK:         %[[WHOLE:.*]] = keratin.all_reduce sum %[[SHARE]]
// CHECK:         return %[[WHOLE]]
func.func @a_sum_is_reduced(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> tensor<4xf32> {
  %y = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @elements_stay_where_they_are
// CHECK-SAME:    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.part = 0 : i64})
// CHECK-NOT:     all_reduce
func.func @elements_stay_where_they_are(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %w: tensor<4x3xf32>)
    -> tensor<?x3xf32, #keratin.dims<d0, 3>> {
  %y = keratin.tanh %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %z = keratin.dot_general %y, %w batch = [] x [] contract = [1] x [0]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %z : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

// CHECK-LABEL: func.func @without_a_sharded_argument
// CHECK-NOT:     all_reduce
func.func @without_a_sharded_argument(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32> {
  %y = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Shares are added and scaled as they are.
// CHECK-LABEL: func.func @one_message_behind_all_sums_of_shares
// CHECK:         keratin.add
// CHECK-NEXT:    keratin.mul
// CHECK-NEXT:    keratin.all_reduce sum
// CHECK-NOT:     all_reduce
func.func @one_message_behind_all_sums_of_shares(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %y: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %rate: tensor<4xf32>) -> tensor<4xf32> {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.reduce_sum %y axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %c = keratin.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = keratin.mul %c, %rate : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = keratin.tanh %d : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}

// The whole size, not the rank's own.
// CHECK-LABEL: func.func @a_mean_counts_all_ranks
// CHECK:         %[[OWN:.*]] = keratin.dim
// CHECK:         %[[SUM:.*]] = keratin.reduce_sum
// CHECK:         %[[ALL:.*]] = keratin.concatenate
// CHECK-NEXT:    keratin.all_reduce sum %[[ALL]] : tensor<2xf32>
// CHECK:         keratin.div
func.func @a_mean_counts_all_ranks(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.sharded = 0 : i64}) -> tensor<f32> {
  %n = keratin.dim %x {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %s = keratin.reduce_sum %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %m = keratin.div %s, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %m : tensor<f32>
}

// CHECK-LABEL: func.func @a_batch_is_contracted
// CHECK:         %[[G:.*]] = keratin.dot_general
// CHECK-NEXT:    keratin.all_reduce sum %[[G]]
func.func @a_batch_is_contracted(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %dy: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}) -> tensor<4x3xf32> {
  %g = keratin.dot_general %x, %dy batch = [] x [] contract = [0] x [0]
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @the_largest_of_all
// CHECK:         keratin.all_reduce max
// CHECK:         keratin.all_reduce min
func.func @the_largest_of_all(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.sharded = 0 : i64}) -> (tensor<f32>, tensor<f32>) {
  %a = keratin.reduce_max %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %b = keratin.reduce_min %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// What is ready before the first of it is needed goes in one; where that is too much, in several.
// CHECK-LABEL: func.func @gradients_share_a_message
// CHECK:         keratin.concatenate
// CHECK-NEXT:    keratin.all_reduce sum %{{.*}} : tensor<7xf32>
// CHECK-NOT:     all_reduce
// SMALL-LABEL: func.func @gradients_share_a_message
// SMALL-NOT:     concatenate
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<4xf32>
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<3xf32>
// LAST-LABEL:  func.func @gradients_share_a_message
// LAST-NOT:      concatenate
// LAST:          keratin.all_reduce sum %{{.*}} : tensor<4xf32>
// LAST:          keratin.all_reduce sum %{{.*}} : tensor<3xf32>
func.func @gradients_share_a_message(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %y: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}) -> (tensor<4xf32>, tensor<3xf32>) {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.reduce_sum %y axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  return %a, %b : tensor<4xf32>, tensor<3xf32>
}

// A gradient that a loop adds up is one message behind it.
// CHECK-LABEL: func.func @a_state_that_adds_up_is_a_share
// CHECK:         keratin.scan
// CHECK-NOT:     all_reduce
// CHECK:         keratin.yield
// CHECK:         keratin.all_reduce sum
func.func @a_state_that_adds_up_is_a_share(%x: tensor<5x?xf32, #keratin.dims<5, d0>> {keratin.sharded = 1 : i64}) -> tensor<f32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %total = keratin.scan length = #keratin.dims<5> init(%zero) over(%x) with()
      : (tensor<f32>, tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %sum: tensor<f32>, %row: tensor<?xf32, #keratin.dims<d0>>):
    %s = keratin.reduce_sum %row axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    %next = keratin.add %sum, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %next : tensor<f32>
  }
  return %total : tensor<f32>
}

// What each step needs whole is reduced in each.
// CHECK-LABEL: func.func @a_step_that_needs_the_whole
// CHECK:         keratin.scan
// CHECK:         keratin.all_reduce sum
// CHECK:         keratin.tanh
func.func @a_step_that_needs_the_whole(%x: tensor<5x?xf32, #keratin.dims<5, d0>> {keratin.sharded = 1 : i64}) -> tensor<f32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %total = keratin.scan length = #keratin.dims<5> init(%zero) over(%x) with()
      : (tensor<f32>, tensor<5x?xf32, #keratin.dims<5, d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %sum: tensor<f32>, %row: tensor<?xf32, #keratin.dims<d0>>):
    %s = keratin.reduce_sum %row axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    %next = keratin.add %sum, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %bounded = keratin.tanh %next : (tensor<f32>) -> tensor<f32>
    keratin.yield %bounded : tensor<f32>
  }
  return %total : tensor<f32>
}

// CHECK-LABEL: func.func @rows_of_a_table
// CHECK:         %[[G:.*]] = keratin.scatter_add
// CHECK-NEXT:    keratin.all_reduce sum %[[G]]
func.func @rows_of_a_table(%ids: tensor<?xi32, #keratin.dims<d0>> {keratin.sharded = 0 : i64},
    %dy: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.sharded = 0 : i64}) -> tensor<9x2xf32> {
  %g = keratin.scatter_add %ids, %dy : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<9x2xf32>
  return %g : tensor<9x2xf32>
}

// The rank's part of what one process draws: one message says where it begins, for both.
// CHECK-LABEL: func.func @random_bits_of_the_whole
// CHECK:         %[[BEFORE:.*]] = keratin.all_reduce before
// CHECK:         %[[LINE:.*]] = keratin.floor_div %[[BEFORE]]
// CHECK:         %[[BITS:.*]] = keratin.random_bits %{{.*}}, %[[LINE]]
// CHECK-SAME:      -> tensor<?xui32, #keratin.dims<4*d0 + 64>>
// CHECK:         keratin.dynamic_slice %[[BITS]]
// CHECK-NOT:     all_reduce
func.func @random_bits_of_the_whole(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %draw: tensor<i64>)
    -> (tensor<?x4xui32, #keratin.dims<d0, 4>>, tensor<?x4xui32, #keratin.dims<d0, 4>>) {
  %a = keratin.random_bits %draw {seed = 1 : i64} : (tensor<i64>) -> tensor<?x4xui32, #keratin.dims<d0, 4>>
  %b = keratin.random_bits %draw {seed = 2 : i64} : (tensor<i64>) -> tensor<?x4xui32, #keratin.dims<d0, 4>>
  return %a, %b : tensor<?x4xui32, #keratin.dims<d0, 4>>, tensor<?x4xui32, #keratin.dims<d0, 4>>
}

// CHECK-LABEL: func.func @a_batch_may_be_flattened
// CHECK:         keratin.reshape
// CHECK:         keratin.reduce_sum
// CHECK-NEXT:    keratin.all_reduce
func.func @a_batch_may_be_flattened(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> tensor<f32> {
  %flat = keratin.reshape %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xf32, #keratin.dims<4*d0>>
  %y = keratin.reduce_sum %flat axes = [0] : (tensor<?xf32, #keratin.dims<4*d0>>) -> tensor<f32>
  return %y : tensor<f32>
}

// What needs the elements of other ranks gets the whole, which stays whole as long as nothing else needs the rank's part.
// CHECK-LABEL: func.func @what_needs_all_ranks_elements
// CHECK:         %[[OWN:.*]] = keratin.dim
// CHECK:         %[[ALL:.*]] = keratin.all_reduce sum %[[OWN]] : tensor<i64>
// CHECK-NEXT:    keratin.define_size 1 %[[ALL]]
// CHECK-NEXT:    %[[BEFORE:.*]] = keratin.all_reduce before %[[OWN]] : tensor<i64>
// CHECK-NEXT:    keratin.define_size 2 %[[BEFORE]]
// CHECK-NEXT:    %[[X:.*]] = keratin.all_gather %arg0 : {{.*}}dims<d0, 4>> -> {{.*}}dims<d1, 4>>
// CHECK-NEXT:    %[[Y:.*]] = keratin.cumsum %[[X]]
// CHECK-NEXT:    %[[Z:.*]] = keratin.reverse %[[Y]]
// CHECK-NEXT:    keratin.slice %[[Z]] starts = <d2, 0>
// CHECK-NOT:     keratin.all_gather
// CHECK:         keratin.tanh %{{.*}}dims<d0, 4>>
func.func @what_needs_all_ranks_elements(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    attributes {keratin.gathers_parts} {
  %y = keratin.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %z = keratin.reverse %y axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %t = keratin.tanh %z : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %t : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// What does not follow from what ranks' own sizes are is checked of the whole, when that is known.
// CHECK-LABEL: func.func @checks_of_the_whole
// CHECK-SAME:    lhs = #keratin.dims<d1>, message = "slice", rhs = #keratin.dims<2>
// CHECK-SAME:    lhs = #keratin.dims<2*d0>, message = "reshape", rhs = #keratin.dims<d0>
// CHECK:         keratin.define_size 1
// CHECK:         keratin.all_gather
// CHECK-NEXT:    keratin.slice
func.func @checks_of_the_whole(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<2xf32>
    attributes {keratin.gathers_parts, keratin.checks = [{kind = 2 : i64, lhs = #keratin.dims<d0>, rhs = #keratin.dims<2>, message = "slice"},
                                                         {kind = 2 : i64, lhs = #keratin.dims<2*d0>, rhs = #keratin.dims<d0>, message = "reshape"}]} {
  %y = keratin.slice %x starts = <0> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Along another dimension it stands between transpositions.
// CHECK-LABEL: func.func @along_another_dimension
// CHECK:         keratin.transpose %arg0
// CHECK-NEXT:    keratin.all_gather
// CHECK-NEXT:    keratin.transpose
// CHECK-NEXT:    keratin.arg_max
func.func @along_another_dimension(%x: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.sharded = 1 : i64}) -> tensor<4xi64> attributes {keratin.gathers_parts} {
  %y = keratin.arg_max %x {axis = 1 : i64} : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// An update that stands behind its gradient waits for the message of both.
// CHECK-LABEL: func.func @updates_wait_for_a_message
// CHECK:         %[[A:.*]] = keratin.reduce_sum %arg0
// CHECK-NEXT:    %[[B:.*]] = keratin.reduce_sum %arg1
// CHECK:         keratin.all_reduce sum %{{.*}} : tensor<7xf32>
// CHECK-NOT:     all_reduce
// CHECK:         keratin.sub %arg2
// CHECK:         keratin.sub %arg3
// SMALL-LABEL: func.func @updates_wait_for_a_message
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<4xf32>
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<3xf32>
// SMALL:         keratin.sub %arg2
// SMALL:         keratin.sub %arg3
func.func @updates_wait_for_a_message(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %y: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}, %v: tensor<4xf32>, %w: tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %c = keratin.sub %v, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = keratin.reduce_sum %y axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %d = keratin.sub %w, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %c, %d : tensor<4xf32>, tensor<3xf32>
}

// Of what a share is part of all ranks have the whole, before they do with it what the function says.
// CHECK-LABEL: func.func @together_of_a_whole
// CHECK:         %[[SHARE:.*]] = keratin.reduce_sum
// CHECK:         %[[WHOLE:.*]] = keratin.all_reduce sum %[[SHARE]]
// CHECK:         %[[MAX:.*]] = keratin.all_reduce max %[[WHOLE]]
// CHECK:         keratin.all_gather %[[MAX]]
func.func @together_of_a_whole(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> tensor<8xf32> {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.all_reduce max %a : tensor<4xf32>
  %c = keratin.all_gather %b : tensor<4xf32> -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// A share that needs the whole of another one has a message of its own.
// CHECK-LABEL: func.func @a_share_of_a_whole
// CHECK:         keratin.all_reduce sum %{{.*}} : tensor<4xf32>
// CHECK:         keratin.all_reduce sum %{{.*}} : tensor<4xf32>
func.func @a_share_of_a_whole(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %e = keratin.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  %r = keratin.broadcast %e dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %p = keratin.mul %x, %r : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %b = keratin.reduce_sum %p axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// A gradient that stands behind all others goes when what it is made of is there.
// SMALL-LABEL: func.func @what_is_ready_first_goes_first
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<3xf32>
// SMALL:         keratin.reduce_sum %{{.*}} axes = [0] : {{.*}} -> tensor<4xf32>
// SMALL:         keratin.all_reduce sum %{{.*}} : tensor<4xf32>
func.func @what_is_ready_first_goes_first(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %y: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}) -> (tensor<4xf32>, tensor<3xf32>) {
  %t = keratin.tanh %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %a = keratin.reduce_sum %t axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.reduce_sum %y axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  return %a, %b : tensor<4xf32>, tensor<3xf32>
}

// What another share is made of does not wait for a gradient.
// CHECK-LABEL: func.func @statistics_go_at_once
// CHECK:         %[[OWN:.*]] = keratin.reduce_sum %arg0
// CHECK:         keratin.all_reduce sum %[[OWN]] : tensor<4xf32>
// CHECK:         keratin.concatenate
// CHECK:         keratin.all_reduce sum %{{.*}} : tensor<7xf32>
// CHECK-NOT:     all_reduce
func.func @statistics_go_at_once(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64},
    %y: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.sharded = 0 : i64}) -> (tensor<4xf32>, tensor<3xf32>) {
  %a = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %b = keratin.reduce_sum %y axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %rows = keratin.broadcast %a dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %m = keratin.mul %x, %rows : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %c = keratin.reduce_sum %m axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  return %c, %b : tensor<4xf32>, tensor<3xf32>
}

// What is scaled of a share that is needed whole as well is made of the whole: there is one message.
// CHECK-LABEL: func.func @a_gradient_in_two_ways
// CHECK:         %[[G:.*]] = keratin.reduce_sum
// CHECK-NEXT:    %[[WHOLE:.*]] = keratin.all_reduce sum %[[G]]
// CHECK-NOT:     all_reduce
// CHECK:         %[[LESS:.*]] = keratin.neg %[[WHOLE]]
// CHECK-DAG:     keratin.mul %[[LESS]], %arg1
// CHECK-DAG:     keratin.mul %[[WHOLE]], %[[WHOLE]]
func.func @a_gradient_in_two_ways(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %rate: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %g = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %n = keratin.neg %g : (tensor<4xf32>) -> tensor<4xf32>
  %m = keratin.mul %n, %rate : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = keratin.mul %g, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %m, %s : tensor<4xf32>, tensor<4xf32>
}

// Batches stand before rows and columns.
// CHECK-LABEL: func.func @factors_of_matrices_that_ranks_have
// CHECK-NOT:     keratin.all_
// CHECK:         keratin.cholesky
// CHECK-NEXT:    keratin.triangular_solve
// CHECK-NEXT:    return
func.func @factors_of_matrices_that_ranks_have(%x: tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>> {keratin.sharded = 0 : i64})
    -> tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>> {
  %l = keratin.cholesky %x : (tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>) -> tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>
  %y = keratin.triangular_solve %l, %x {lower} : (tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>, tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>) -> tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>
  return %y : tensor<?x4x4xf32, #keratin.dims<d0, 4, 4>>
}
