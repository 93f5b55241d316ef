// A training step of four layers that share values: constants and zeros that stand in the scope of a later layer, the optimiser's
// rate that gradients are multiplied by where kernels do both, weights (dump_page.py).
func.func @train(%x: tensor<64x24xf32> {keratin.kind = "input", keratin.name = "x"},
                 %t: tensor<f32> {keratin.kind = "variable", keratin.name = "sgd/steps"},
                 %w0: tensor<24x48xf32> {keratin.kind = "variable", keratin.name = "dense_0/kernel"},
                 %mw0: tensor<24x48xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_0/kernel"},
                 %b0: tensor<48xf32> {keratin.kind = "variable", keratin.name = "dense_0/bias"},
                 %mb0: tensor<48xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_0/bias"},
                 %w1: tensor<48x48xf32> {keratin.kind = "variable", keratin.name = "dense_1/kernel"},
                 %mw1: tensor<48x48xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_1/kernel"},
                 %b1: tensor<48xf32> {keratin.kind = "variable", keratin.name = "dense_1/bias"},
                 %mb1: tensor<48xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_1/bias"},
                 %w2: tensor<48x32xf32> {keratin.kind = "variable", keratin.name = "dense_2/kernel"},
                 %mw2: tensor<48x32xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_2/kernel"},
                 %b2: tensor<32xf32> {keratin.kind = "variable", keratin.name = "dense_2/bias"},
                 %mb2: tensor<32xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_2/bias"},
                 %w3: tensor<32x16xf32> {keratin.kind = "variable", keratin.name = "dense_3/kernel"},
                 %mw3: tensor<32x16xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_3/kernel"},
                 %b3: tensor<16xf32> {keratin.kind = "variable", keratin.name = "dense_3/bias"},
                 %mb3: tensor<16xf32> {keratin.kind = "variable", keratin.name = "sgd/dense_3/bias"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"},
        tensor<f32> {keratin.kind = "update", keratin.variable = 0},
        tensor<24x48xf32> {keratin.kind = "update", keratin.variable = 1},
        tensor<24x48xf32> {keratin.kind = "update", keratin.variable = 2},
        tensor<48xf32> {keratin.kind = "update", keratin.variable = 3},
        tensor<48xf32> {keratin.kind = "update", keratin.variable = 4},
        tensor<48x48xf32> {keratin.kind = "update", keratin.variable = 5},
        tensor<48x48xf32> {keratin.kind = "update", keratin.variable = 6},
        tensor<48xf32> {keratin.kind = "update", keratin.variable = 7},
        tensor<48xf32> {keratin.kind = "update", keratin.variable = 8},
        tensor<48x32xf32> {keratin.kind = "update", keratin.variable = 9},
        tensor<48x32xf32> {keratin.kind = "update", keratin.variable = 10},
        tensor<32xf32> {keratin.kind = "update", keratin.variable = 11},
        tensor<32xf32> {keratin.kind = "update", keratin.variable = 12},
        tensor<32x16xf32> {keratin.kind = "update", keratin.variable = 13},
        tensor<32x16xf32> {keratin.kind = "update", keratin.variable = 14},
        tensor<16xf32> {keratin.kind = "update", keratin.variable = 15},
        tensor<16xf32> {keratin.kind = "update", keratin.variable = 16}) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %one = keratin.constant dense<1.0> : tensor<f32>
  %beta = keratin.constant dense<0.9> : tensor<f32>
  %next = keratin.add %t, %one : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("sgd/"("net.cc":10:3))
  %root = keratin.sqrt %next : (tensor<f32>) -> tensor<f32> loc("sgd/"("net.cc":11:3))
  %rate = keratin.div %one, %root : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("sgd/"("net.cc":12:3))
  %zeros3 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<64x16xf32> loc("dense_3/"("net.cc":19:3))
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<64x48xf32> loc("dense_1/"("net.cc":19:3))
  %zeros2 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<64x32xf32> loc("dense_2/"("net.cc":19:3))
  %p0 = keratin.dot_general %x, %w0 batch = [] x [] contract = [1] x [0] : (tensor<64x24xf32>, tensor<24x48xf32>) -> tensor<64x48xf32> loc("dense_0/"("net.cc":20:3))
  %c0 = keratin.broadcast %b0 dims = [1] : (tensor<48xf32>) -> tensor<64x48xf32> loc("dense_0/"("net.cc":21:3))
  %s0 = keratin.add %p0, %c0 : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32> loc("dense_0/"("net.cc":21:3))
  %y0 = keratin.maximum %s0, %zeros : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32> loc("dense_0/"("net.cc":22:3))
  %p1 = keratin.dot_general %y0, %w1 batch = [] x [] contract = [1] x [0] : (tensor<64x48xf32>, tensor<48x48xf32>) -> tensor<64x48xf32> loc("dense_1/"("net.cc":30:3))
  %c1 = keratin.broadcast %b1 dims = [1] : (tensor<48xf32>) -> tensor<64x48xf32> loc("dense_1/"("net.cc":31:3))
  %s1 = keratin.add %p1, %c1 : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32> loc("dense_1/"("net.cc":31:3))
  %y1 = keratin.maximum %s1, %zeros : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32> loc("dense_1/"("net.cc":32:3))
  %p2 = keratin.dot_general %y1, %w2 batch = [] x [] contract = [1] x [0] : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> loc("dense_2/"("net.cc":40:3))
  %c2 = keratin.broadcast %b2 dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32> loc("dense_2/"("net.cc":41:3))
  %s2 = keratin.add %p2, %c2 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("dense_2/"("net.cc":41:3))
  %y2 = keratin.maximum %s2, %zeros2 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("dense_2/"("net.cc":42:3))
  %p3 = keratin.dot_general %y2, %w3 batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32> loc("dense_3/"("net.cc":50:3))
  %c3 = keratin.broadcast %b3 dims = [1] : (tensor<16xf32>) -> tensor<64x16xf32> loc("dense_3/"("net.cc":51:3))
  %s3 = keratin.add %p3, %c3 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32> loc("dense_3/"("net.cc":51:3))
  %y3 = keratin.maximum %s3, %zeros3 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32> loc("dense_3/"("net.cc":52:3))
  %sq = keratin.mul %y3, %y3 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32> loc("net.cc":60:3)
  %loss = keratin.reduce_sum %sq axes = [0, 1] : (tensor<64x16xf32>) -> tensor<f32> loc("net.cc":60:3)
  %g:8 = keratin.gradients %loss wrt %w0, %b0, %w1, %b1, %w2, %b2, %w3, %b3 : (tensor<f32>, tensor<24x48xf32>, tensor<48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<16xf32>) -> (tensor<24x48xf32>, tensor<48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<16xf32>) loc("net.cc":70:3)
  %beta_w0 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":80:3))
  %kept_w0 = keratin.mul %mw0, %beta_w0 : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":80:3))
  %sum_w0 = keratin.add %kept_w0, %g#0 : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":81:3))
  %rate_w0 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":82:3))
  %step_w0 = keratin.mul %sum_w0, %rate_w0 : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":82:3))
  %new_w0 = keratin.sub %w0, %step_w0 : (tensor<24x48xf32>, tensor<24x48xf32>) -> tensor<24x48xf32> loc("sgd/"("net.cc":83:3))
  %beta_b0 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<48xf32> loc("sgd/"("net.cc":80:3))
  %kept_b0 = keratin.mul %mb0, %beta_b0 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":80:3))
  %sum_b0 = keratin.add %kept_b0, %g#1 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":81:3))
  %rate_b0 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<48xf32> loc("sgd/"("net.cc":82:3))
  %step_b0 = keratin.mul %sum_b0, %rate_b0 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":82:3))
  %new_b0 = keratin.sub %b0, %step_b0 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":83:3))
  %beta_w1 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":80:3))
  %kept_w1 = keratin.mul %mw1, %beta_w1 : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":80:3))
  %sum_w1 = keratin.add %kept_w1, %g#2 : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":81:3))
  %rate_w1 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":82:3))
  %step_w1 = keratin.mul %sum_w1, %rate_w1 : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":82:3))
  %new_w1 = keratin.sub %w1, %step_w1 : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32> loc("sgd/"("net.cc":83:3))
  %beta_b1 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<48xf32> loc("sgd/"("net.cc":80:3))
  %kept_b1 = keratin.mul %mb1, %beta_b1 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":80:3))
  %sum_b1 = keratin.add %kept_b1, %g#3 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":81:3))
  %rate_b1 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<48xf32> loc("sgd/"("net.cc":82:3))
  %step_b1 = keratin.mul %sum_b1, %rate_b1 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":82:3))
  %new_b1 = keratin.sub %b1, %step_b1 : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32> loc("sgd/"("net.cc":83:3))
  %beta_w2 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":80:3))
  %kept_w2 = keratin.mul %mw2, %beta_w2 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":80:3))
  %sum_w2 = keratin.add %kept_w2, %g#4 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":81:3))
  %rate_w2 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":82:3))
  %step_w2 = keratin.mul %sum_w2, %rate_w2 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":82:3))
  %new_w2 = keratin.sub %w2, %step_w2 : (tensor<48x32xf32>, tensor<48x32xf32>) -> tensor<48x32xf32> loc("sgd/"("net.cc":83:3))
  %beta_b2 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<32xf32> loc("sgd/"("net.cc":80:3))
  %kept_b2 = keratin.mul %mb2, %beta_b2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> loc("sgd/"("net.cc":80:3))
  %sum_b2 = keratin.add %kept_b2, %g#5 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> loc("sgd/"("net.cc":81:3))
  %rate_b2 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<32xf32> loc("sgd/"("net.cc":82:3))
  %step_b2 = keratin.mul %sum_b2, %rate_b2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> loc("sgd/"("net.cc":82:3))
  %new_b2 = keratin.sub %b2, %step_b2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> loc("sgd/"("net.cc":83:3))
  %beta_w3 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":80:3))
  %kept_w3 = keratin.mul %mw3, %beta_w3 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":80:3))
  %sum_w3 = keratin.add %kept_w3, %g#6 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":81:3))
  %rate_w3 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":82:3))
  %step_w3 = keratin.mul %sum_w3, %rate_w3 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":82:3))
  %new_w3 = keratin.sub %w3, %step_w3 : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32> loc("sgd/"("net.cc":83:3))
  %beta_b3 = keratin.broadcast %beta dims = [] : (tensor<f32>) -> tensor<16xf32> loc("sgd/"("net.cc":80:3))
  %kept_b3 = keratin.mul %mb3, %beta_b3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> loc("sgd/"("net.cc":80:3))
  %sum_b3 = keratin.add %kept_b3, %g#7 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> loc("sgd/"("net.cc":81:3))
  %rate_b3 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<16xf32> loc("sgd/"("net.cc":82:3))
  %step_b3 = keratin.mul %sum_b3, %rate_b3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> loc("sgd/"("net.cc":82:3))
  %new_b3 = keratin.sub %b3, %step_b3 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> loc("sgd/"("net.cc":83:3))
  return %loss, %next, %new_w0, %sum_w0, %new_b0, %sum_b0, %new_w1, %sum_w1, %new_b1, %sum_b1, %new_w2, %sum_w2, %new_b2, %sum_b2, %new_w3, %sum_w3, %new_b3, %sum_b3 : tensor<f32>, tensor<f32>, tensor<24x48xf32>, tensor<24x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48x32xf32>, tensor<48x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>
}
