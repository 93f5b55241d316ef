// Two layers, of which ranks along "model" have parts: h = tanh(x w + b) by columns of w, y = h v + c by rows of v. A
// step of descent on the sum of squares of y - t, w with momentum, which is in the parts of w; c, which is whole, too.
!x = tensor<?x4xf32, #keratin.dims<d0, 4>>
!h = tensor<?x6xf32, #keratin.dims<d0, 6>>
!y = tensor<?x3xf32, #keratin.dims<d0, 3>>
!w = tensor<4x6xf32>
!b = tensor<6xf32>
!v = tensor<6x3xf32>
!c = tensor<3xf32>

func.func @predict(%x: !x {keratin.kind = "input", keratin.name = "x"},
                   %w: !w {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model",
                       keratin.initial = dense<[[0.5, 0.25, 0.0, -0.25, 0.125, 1.0], [0.5, -0.25, 0.0, 0.75, -0.5, 0.25],
                                                [-0.5, 0.25, 1.0, 0.5, 0.375, -0.125], [0.0, 0.125, -1.0, 0.25, -0.75, 0.5]]> : !w},
                   %b: !b {keratin.kind = "variable", keratin.name = "b", keratin.sharded = 0 : i64, keratin.mesh_axis = "model",
                       keratin.initial = dense<[0.0, 0.125, -0.125, 0.25, 0.0, -0.25]> : !b},
                   %v: !v {keratin.kind = "variable", keratin.name = "v", keratin.sharded = 0 : i64, keratin.mesh_axis = "model",
                       keratin.initial = dense<[[0.5, 0.25, 0.0], [0.5, -0.25, 0.125], [-0.5, 0.25, 1.0], [0.0, 0.125, -1.0],
                                                [0.75, 0.0, -0.5], [-0.25, 0.5, 0.25]]> : !v},
                   %c: !c {keratin.kind = "variable", keratin.name = "c", keratin.initial = dense<[0.125, 0.0, -0.125]> : !c})
    -> (!h {keratin.kind = "output", keratin.name = "h"}, !y {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["batch"]} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (!x, !w) -> !h
  %1 = keratin.broadcast %b dims = [1] : (!b) -> !h
  %2 = keratin.add %0, %1 : (!h, !h) -> !h
  %h = keratin.tanh %2 : (!h) -> !h
  %3 = keratin.dot_general %h, %v batch = [] x [] contract = [1] x [0] : (!h, !v) -> !y
  %4 = keratin.broadcast %c dims = [1] : (!c) -> !y
  %y = keratin.add %3, %4 : (!y, !y) -> !y
  return %h, %y : !h, !y
}

func.func @train(%x: !x {keratin.kind = "input", keratin.name = "x", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
                 %t: !y {keratin.kind = "input", keratin.name = "target", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
                 %rate: tensor<f32> {keratin.kind = "input", keratin.name = "rate"},
                 %w: !w {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model"},
                 %b: !b {keratin.kind = "variable", keratin.name = "b", keratin.sharded = 0 : i64, keratin.mesh_axis = "model"},
                 %v: !v {keratin.kind = "variable", keratin.name = "v", keratin.sharded = 0 : i64, keratin.mesh_axis = "model"},
                 %c: !c {keratin.kind = "variable", keratin.name = "c"},
                 %m: !w {keratin.kind = "variable", keratin.name = "momentum_of_w"},
                 %n: !c {keratin.kind = "variable", keratin.name = "momentum_of_c"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, !w {keratin.kind = "update", keratin.variable = 0 : i64},
        !b {keratin.kind = "update", keratin.variable = 1 : i64}, !v {keratin.kind = "update", keratin.variable = 2 : i64},
        !c {keratin.kind = "update", keratin.variable = 3 : i64}, !w {keratin.kind = "update", keratin.variable = 4 : i64},
        !c {keratin.kind = "update", keratin.variable = 5 : i64})
    attributes {keratin.sizes = ["batch"]} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (!x, !w) -> !h
  %1 = keratin.broadcast %b dims = [1] : (!b) -> !h
  %2 = keratin.add %0, %1 : (!h, !h) -> !h
  %h = keratin.tanh %2 : (!h) -> !h
  %3 = keratin.dot_general %h, %v batch = [] x [] contract = [1] x [0] : (!h, !v) -> !y
  %4 = keratin.broadcast %c dims = [1] : (!c) -> !y
  %y = keratin.add %3, %4 : (!y, !y) -> !y
  %5 = keratin.sub %y, %t : (!y, !y) -> !y
  %6 = keratin.mul %5, %5 : (!y, !y) -> !y
  %loss = keratin.reduce_sum %6 axes = [0, 1] : (!y) -> tensor<f32>
  %d:4 = keratin.gradients %loss wrt %w, %b, %v, %c : (tensor<f32>, !w, !b, !v, !c) -> (!w, !b, !v, !c)
  %half = keratin.constant dense<0.5> : !w
  %old_m = keratin.mul %m, %half : (!w, !w) -> !w
  %new_m = keratin.add %old_m, %d#0 : (!w, !w) -> !w
  %rate_w = keratin.broadcast %rate dims = [] : (tensor<f32>) -> !w
  %step_w = keratin.mul %new_m, %rate_w : (!w, !w) -> !w
  %new_w = keratin.sub %w, %step_w : (!w, !w) -> !w
  %rate_b = keratin.broadcast %rate dims = [] : (tensor<f32>) -> !b
  %step_b = keratin.mul %d#1, %rate_b : (!b, !b) -> !b
  %new_b = keratin.sub %b, %step_b : (!b, !b) -> !b
  %rate_v = keratin.broadcast %rate dims = [] : (tensor<f32>) -> !v
  %step_v = keratin.mul %d#2, %rate_v : (!v, !v) -> !v
  %new_v = keratin.sub %v, %step_v : (!v, !v) -> !v
  %half_c = keratin.constant dense<0.5> : !c
  %old_n = keratin.mul %n, %half_c : (!c, !c) -> !c
  %new_n = keratin.add %old_n, %d#3 : (!c, !c) -> !c
  %rate_c = keratin.broadcast %rate dims = [] : (tensor<f32>) -> !c
  %step_c = keratin.mul %new_n, %rate_c : (!c, !c) -> !c
  %new_c = keratin.sub %c, %step_c : (!c, !c) -> !c
  return %loss, %new_w, %new_b, %new_v, %new_c, %new_m, %new_n : tensor<f32>, !w, !b, !v, !c, !w, !c
}
