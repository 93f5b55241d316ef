// RUN: keratin-opt %s --split-input-file --keratin-differentiate --keratin-shard --verify-diagnostics | FileCheck %s
// RUN: keratin-opt %s --split-input-file --keratin-differentiate --keratin-shard --keratin-erase-markers --verify-diagnostics | FileCheck %s --check-prefix=ERASED

// What a rank makes of its own rows takes no message, gradients through it none either.
// CHECK-LABEL: func.func @own_statistics
// CHECK:         %[[OWN:.*]] = keratin.enter_rank %arg0
// CHECK:         %[[SUM:.*]] = keratin.reduce_sum %[[OWN]] axes = [0]
// CHECK-NOT:     all_reduce
// CHECK:         return
// ERASED-LABEL: func.func @own_statistics
// ERASED-NOT:    local_statistics
// ERASED-NOT:    rank
// ERASED:        keratin.dim %arg0
func.func @own_statistics(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64})
    -> (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) attributes {keratin.local_statistics} {
  %own = keratin.enter_rank %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %n = keratin.dim %own {axis = 0 : i64} : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<f32>
  %ns = keratin.broadcast %n dims = [] : (tensor<f32>) -> tensor<4xf32>
  %sum = keratin.reduce_sum %own axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %mean = keratin.div %sum, %ns : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %means = keratin.broadcast %mean dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %centred = keratin.sub %own, %means : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %cubes = keratin.tanh %centred : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.leave_rank %cubes : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %g = keratin.gradients %y wrt %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %y, %g : tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// The gradient of what is the same on all ranks is the sum of what each makes of it, if it has rows.
// CHECK-LABEL: func.func @a_parameter_among_what_is_own
// CHECK:         keratin.dim %arg0
// CHECK:         %[[HAS_ROWS:.*]] = keratin.compare gt
// CHECK:         %[[OWN:.*]] = keratin.select %[[HAS_ROWS]]
// CHECK:         %[[SHARE:.*]] = keratin.leave_rank %[[OWN]]
// CHECK:         %[[WHOLE:.*]] = keratin.all_reduce sum %[[SHARE]]
// CHECK-NOT:     all_reduce
// CHECK:         return %[[WHOLE]]
func.func @a_parameter_among_what_is_own(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %gamma: tensor<4xf32>)
    -> tensor<4xf32> attributes {keratin.local_statistics} {
  %own = keratin.enter_rank %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %sum = keratin.reduce_sum %own axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %scale = keratin.enter_rank %gamma : (tensor<4xf32>) -> tensor<4xf32>
  %factor = keratin.mul %sum, %scale : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %factors = keratin.broadcast %factor dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %scaled = keratin.mul %own, %factors : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.leave_rank %scaled : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %g = keratin.gradients %y wrt %gamma : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// What one branch makes of a rank's own rows is own behind both.
// CHECK-LABEL: func.func @a_branch_of_own_rows
// CHECK-NOT:     all_reduce
// CHECK:         return
func.func @a_branch_of_own_rows(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}, %c: tensor<i1>, %m: tensor<4xf32>)
    -> tensor<?x4xf32, #keratin.dims<d0, 4>> attributes {keratin.local_statistics} {
  %own = keratin.enter_rank %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %s = keratin.if %c with(%own, %m) : (tensor<i1>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%rows: tensor<?x4xf32, #keratin.dims<d0, 4>>, %moving: tensor<4xf32>):
    %sum = keratin.reduce_sum %rows axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
    keratin.yield %sum : tensor<4xf32>
  } else {
  ^bb0(%rows: tensor<?x4xf32, #keratin.dims<d0, 4>>, %moving: tensor<4xf32>):
    keratin.yield %moving : tensor<4xf32>
  }
  %sums = keratin.broadcast %s dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %centred = keratin.sub %own, %sums : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.leave_rank %centred : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %y : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// -----

func.func @no_result_of_one_rank(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32> {
  %own = keratin.enter_rank %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %own axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  // expected-error @+1 {{not implemented: return of what a rank makes of its own rows along 'x_dim0', of which each rank has a part}}
  return %s : tensor<f32>
}

// -----

func.func @no_loop_over_what_is_own(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32> {
  %own = keratin.enter_rank %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %own axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  // expected-error @+1 {{not implemented: scan of what a rank makes of its own rows along 'x_dim0', of which each rank has a part}}
  %r = keratin.scan length = #keratin.dims<3> init(%s) over() with() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %state: tensor<f32>):
    %next = keratin.tanh %state : (tensor<f32>) -> tensor<f32>
    keratin.yield %next : tensor<f32>
  }
  %y = keratin.leave_rank %r : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
