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

// What a loop's steps make of a rank's own rows is its own behind the loop, too, for the gradient's loop as well. What steps add up of it is one message behind them.
// CHECK-LABEL: func.func @own_statistics_of_steps
// CHECK:         keratin.scan
// CHECK-NOT:     all_reduce
// CHECK:         keratin.leave_rank
// CHECK:         keratin.scan {{.*}} reverse
// CHECK-NOT:     all_reduce
// CHECK:         keratin.leave_rank
// CHECK:         keratin.yield
// CHECK:         %[[G:.*]] = keratin.all_reduce sum %{{.*}} : tensor<4xf32>
// CHECK-NOT:     all_reduce
// CHECK:         return {{.*}}, %[[G]]
func.func @own_statistics_of_steps(%x: tensor<5x?x4xf32, #keratin.dims<5, d0, 4>> {keratin.sharded = 1 : i64}, %gamma: tensor<4xf32>)
    -> (tensor<5x?x4xf32, #keratin.dims<5, d0, 4>>, tensor<4xf32>) attributes {keratin.local_statistics} {
  %y = keratin.scan length = #keratin.dims<5> init() over(%x) with(%gamma) : (tensor<5x?x4xf32, #keratin.dims<5, d0, 4>>, tensor<4xf32>) -> tensor<5x?x4xf32, #keratin.dims<5, d0, 4>> {
  ^bb0(%t: tensor<i64>, %rows: tensor<?x4xf32, #keratin.dims<d0, 4>>, %g: tensor<4xf32>):
    %own = keratin.enter_rank %rows : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    %scale = keratin.enter_rank %g : (tensor<4xf32>) -> tensor<4xf32>
    %sum = keratin.reduce_sum %own axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
    %root = keratin.tanh %sum : (tensor<4xf32>) -> tensor<4xf32>
    %factor = keratin.mul %root, %scale : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %factors = keratin.broadcast %factor dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    %scaled = keratin.mul %own, %factors : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    %left = keratin.leave_rank %scaled : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    keratin.yield %left : tensor<?x4xf32, #keratin.dims<d0, 4>>
  }
  %dg = keratin.gradients %y wrt %gamma : (tensor<5x?x4xf32, #keratin.dims<5, d0, 4>>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %dg : tensor<5x?x4xf32, #keratin.dims<5, d0, 4>>, tensor<4xf32>
}

// Beside a variable in parts along another axis: all ranks that have its parts have the same rows, and columns of them have statistics where they are. What they add up of it does so among them.
// CHECK-LABEL: func.func @beside_a_variable_in_parts
// CHECK:         %[[H:.*]] = keratin.dot_general %arg0, %arg1 {{.*}} -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// CHECK-NEXT:    %[[OWN:.*]] = keratin.enter_rank %[[H]]
// CHECK-NOT:     all_reduce
// CHECK:         %[[CENTRED:.*]] = keratin.leave_rank
// CHECK-NEXT:    %[[SHARE:.*]] = keratin.dot_general %[[CENTRED]], %arg2
// CHECK-NEXT:    %[[Y:.*]] = keratin.all_reduce sum %[[SHARE]] along "model"
// CHECK:         keratin.all_reduce sum {{.*}} along "data"
// CHECK-NOT:     all_reduce
// CHECK:         return
func.func @beside_a_variable_in_parts(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %w: tensor<4x6xf32> {keratin.kind = "variable", keratin.sharded = 1 : i64, keratin.own_part = #keratin.dims<3*d1, 3>, keratin.mesh_axis = "model"},
    %v: tensor<6x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<3*d1, 3>, keratin.mesh_axis = "model"},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<2xf32> {keratin.kind = "output"}) attributes {keratin.local_statistics} {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x6xf32>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  %own = keratin.enter_rank %h : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  %n = keratin.dim %own {axis = 0 : i64} : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<f32>
  %ns = keratin.broadcast %n dims = [] : (tensor<f32>) -> tensor<6xf32>
  %sum = keratin.reduce_sum %own axes = [0] : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<6xf32>
  %mean = keratin.div %sum, %ns : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %means = keratin.broadcast %mean dims = [1] : (tensor<6xf32>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  %centred = keratin.sub %own, %means : (tensor<?x6xf32, #keratin.dims<d0, 6>>, tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  %left = keratin.leave_rank %centred : (tensor<?x6xf32, #keratin.dims<d0, 6>>) -> tensor<?x6xf32, #keratin.dims<d0, 6>>
  %y = keratin.dot_general %left, %v batch = [] x [] contract = [1] x [0] : (tensor<?x6xf32, #keratin.dims<d0, 6>>, tensor<6x2xf32>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %a = keratin.tanh %y : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %loss = keratin.reduce_sum %a axes = [0] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2xf32>
  return %loss : tensor<2xf32>
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

// Sizes along two axes: what enters has parts along one of them, so statistics are of the ranks along it. Along the other all make the same, and nothing is added up.
// CHECK-LABEL: func.func @along_one_of_two_axes
// CHECK-NOT:     all_reduce
// CHECK:         %[[Y:.*]] = keratin.leave_rank
// CHECK:         %[[SHARE:.*]] = keratin.leave_rank
// CHECK:         keratin.all_reduce sum %[[SHARE]] along "data"
// CHECK-NOT:     all_reduce
// CHECK:         return
func.func @along_one_of_two_axes(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %k: tensor<?x4xf32, #keratin.dims<d1, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "model"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "output"}) attributes {keratin.local_statistics} {
  %own = keratin.enter_rank %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %sum = keratin.reduce_sum %own axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %sums = keratin.broadcast %sum dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %centred = keratin.sub %own, %sums : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.leave_rank %centred : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %total = keratin.leave_rank %sum : (tensor<4xf32>) -> tensor<4xf32>
  %z = keratin.dot_general %y, %k batch = [] x [] contract = [1] x [1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %z, %total : tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<4xf32>
}

// What enters has parts along both.
// CHECK-LABEL: func.func @along_both_axes
// CHECK:         %[[SHARE:.*]] = keratin.leave_rank
// CHECK:         %[[ALONG_MODEL:.*]] = keratin.all_reduce sum %[[SHARE]] along "model"
// CHECK-NEXT:    keratin.all_reduce sum %[[ALONG_MODEL]] along "data"
// CHECK-NOT:     all_reduce
// CHECK:         return
func.func @along_both_axes(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
    %k: tensor<?xf32, #keratin.dims<d1>> {keratin.kind = "input", keratin.sharded = 0 : i64, keratin.mesh_axis = "model"})
    -> (tensor<f32> {keratin.kind = "output"}) attributes {keratin.local_statistics} {
  %z = keratin.dot_general %x, %k batch = [] x [] contract = [] x [] : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %own = keratin.enter_rank %z : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %sum = keratin.reduce_sum %own axes = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<f32>
  %root = keratin.tanh %sum : (tensor<f32>) -> tensor<f32>
  %y = keratin.leave_rank %root : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Of what has no part nobody has rows of its own.
// CHECK-LABEL: func.func @of_what_is_whole
// CHECK-NOT:     all_reduce
// CHECK:         return
func.func @of_what_is_whole(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.sharded = 0 : i64},
    %w: tensor<4xf32> {keratin.kind = "variable"})
    -> (tensor<4xf32> {keratin.kind = "output"}) attributes {keratin.local_statistics} {
  %own = keratin.enter_rank %w : (tensor<4xf32>) -> tensor<4xf32>
  %sum = keratin.reduce_sum %own axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %sums = keratin.broadcast %sum dims = [] : (tensor<f32>) -> tensor<4xf32>
  %centred = keratin.sub %own, %sums : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = keratin.leave_rank %centred : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_result_of_one_rank(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32> {
  %own = keratin.enter_rank %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %own axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  // expected-error @+1 {{not implemented: return of what a rank makes of its own rows along 'x_dim0', of which each rank has a part}}
  return %s : tensor<f32>
}

// -----

func.func @no_steps_as_a_rank_says(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}, %c: tensor<f32>) -> tensor<f32> {
  %own = keratin.enter_rank %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %s = keratin.reduce_sum %own axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %more = keratin.compare gt %s, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
  // expected-error @+1 {{not implemented: while of what a rank makes of its own rows along 'x_dim0', of which each rank has a part}}
  %r:3 = keratin.while at_most = #keratin.dims<5> init(%more, %s) with(%c) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %state: tensor<f32>, %limit: tensor<f32>):
    %next = keratin.tanh %state : (tensor<f32>) -> tensor<f32>
    %again = keratin.compare gt %next, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %again, %next : tensor<i1>, tensor<f32>
  }
  %y = keratin.leave_rank %r#1 : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Of another rank's rows it would find none.
func.func @no_rows_of_others(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "i", keratin.sharded = 0 : i64},
    %w: tensor<8x2xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<4*d1, 4>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output"}) {
  %own = keratin.enter_rank %i : (tensor<?xi32, #keratin.dims<d0>>) -> tensor<?xi32, #keratin.dims<d0>>
  // expected-error @+1 {{not implemented: gather of what a rank makes of its own rows along 'i_dim0', of which each rank has a part}}
  %r = keratin.gather %w, %own : (tensor<8x2xf32>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %y = keratin.leave_rank %r : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y : tensor<?x2xf32, #keratin.dims<d0, 2>>
}
