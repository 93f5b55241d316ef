// Gradients of attention as one kernel: where it is formed, and where it is not.

// RUN: keratin-opt %s --keratin-pipeline=stop-after=fused | FileCheck %s

// Attention hands on two numbers of each row, from which the gradients' kernel makes the weights again. The product of
// the result and its gradient is made where it is summed.
// CHECK-LABEL: func.func @by_all
// CHECK:         %[[Y:.*]]:3 = keratin.kernel(%arg0, %arg1, %arg2)
// CHECK:           %[[M:.*]] = keratin.reduce_max
// CHECK:           %[[Z:.*]] = keratin.reduce_sum
// CHECK:           keratin.yield %[[M]], %[[Z]],
// CHECK:         %[[D:.*]] = keratin.kernel({{%.*}}#2
// CHECK:           keratin.reduce_sum
// CHECK:         keratin.kernel(%[[D]], %arg0, %arg1, %[[Y]]#0, %[[Y]]#1, %arg3, %arg2)
// CHECK-SAME:      -> (tensor<4x128x8xf32>, tensor<4x192x8xf32>, tensor<4x128x8xf32>)
// CHECK:           keratin.dot_general
// CHECK:           keratin.exp
// CHECK:           keratin.div
// CHECK-COUNT-4:   keratin.dot_general
// CHECK-NOT:     keratin.kernel
func.func @by_all(%q: tensor<4x192x8xf32>, %k: tensor<4x128x8xf32>, %v: tensor<4x128x8xf32>, %c: tensor<4x192x8xf32>) -> (tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<4x128x8xf32>, tensor<4x128x8xf32>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x192x8xf32>, tensor<4x128x8xf32>) -> tensor<4x192x128xf32>
  %half = keratin.constant dense<0.5> : tensor<f32>
  %hb = keratin.broadcast %half dims = [] : (tensor<f32>) -> tensor<4x192x128xf32>
  %x = keratin.mul %s, %hb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %f = keratin.stop_gradient %m : (tensor<4x192xf32>) -> tensor<4x192xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %d = keratin.sub %x, %mb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %e = keratin.exp %d : (tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %w = keratin.div %e, %zb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x192x128xf32>, tensor<4x128x8xf32>) -> tensor<4x192x8xf32>
  %p = keratin.mul %o, %c : (tensor<4x192x8xf32>, tensor<4x192x8xf32>) -> tensor<4x192x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x192x8xf32>) -> tensor<f32>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f32>, tensor<4x192x8xf32>, tensor<4x128x8xf32>, tensor<4x128x8xf32>) -> (tensor<4x192x8xf32>, tensor<4x128x8xf32>, tensor<4x128x8xf32>)
  return %o, %g#0, %g#1, %g#2 : tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<4x128x8xf32>, tensor<4x128x8xf32>
}

// The values' gradient alone needs no product of the result's gradient and values.
// CHECK-LABEL: func.func @by_values
// CHECK:         keratin.kernel
// CHECK:         keratin.kernel
// CHECK-COUNT-2:   keratin.dot_general
// CHECK-NOT:     keratin.kernel
func.func @by_values(%q: tensor<4x192x8xf32>, %k: tensor<4x128x8xf32>, %v: tensor<4x128x8xf32>, %c: tensor<4x192x8xf32>) -> (tensor<4x192x8xf32>, tensor<4x128x8xf32>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x192x8xf32>, tensor<4x128x8xf32>) -> tensor<4x192x128xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %f = keratin.stop_gradient %m : (tensor<4x192xf32>) -> tensor<4x192xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %d = keratin.sub %x, %mb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %e = keratin.exp %d : (tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %w = keratin.div %e, %zb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x192x128xf32>, tensor<4x128x8xf32>) -> tensor<4x192x8xf32>
  %p = keratin.mul %o, %c : (tensor<4x192x8xf32>, tensor<4x192x8xf32>) -> tensor<4x192x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x192x8xf32>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %v : (tensor<f32>, tensor<4x128x8xf32>) -> tensor<4x128x8xf32>
  return %o, %g : tensor<4x192x8xf32>, tensor<4x128x8xf32>
}

// A mask of unknown sizes, made of two lines, is made anew in both kernels.
// CHECK-LABEL: func.func @heads_with_causal_mask
// CHECK-NOT:     keratin.kernel() : () -> tensor<?x?xi1
// CHECK:         keratin.kernel(
// CHECK:           keratin.compare ge
// CHECK:         keratin.kernel(
// CHECK:           keratin.reduce_sum
// CHECK:         keratin.kernel(
// CHECK-SAME:      -> (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>)
// CHECK:           keratin.compare ge
// CHECK-NOT:     keratin.kernel
func.func @heads_with_causal_mask(%q: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, %k: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>,
    %v: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, %c: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>)
    -> (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) {
  %low = keratin.constant dense<-1.0e9> : tensor<f32>
  %line = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d1>>
  %row = keratin.broadcast %line dims = [0] : (tensor<?xi64, #keratin.dims<d1>>) -> tensor<?x?xi64, #keratin.dims<d1, d1>>
  %column = keratin.broadcast %line dims = [1] : (tensor<?xi64, #keratin.dims<d1>>) -> tensor<?x?xi64, #keratin.dims<d1, d1>>
  %seen = keratin.compare ge %row, %column : (tensor<?x?xi64, #keratin.dims<d1, d1>>, tensor<?x?xi64, #keratin.dims<d1, d1>>) -> tensor<?x?xi1, #keratin.dims<d1, d1>>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>
  %h = keratin.reshape %s : (tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %sb = keratin.broadcast %seen dims = [2, 3] : (tensor<?x?xi1, #keratin.dims<d1, d1>>) -> tensor<?x2x?x?xi1, #keratin.dims<d0, 2, d1, d1>>
  %lb = keratin.broadcast %low dims = [] : (tensor<f32>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %x = keratin.select %sb, %h, %lb : (tensor<?x2x?x?xi1, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %m = keratin.reduce_max %x axes = [3] : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>
  %f = keratin.stop_gradient %m : (tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>) -> tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>
  %mb = keratin.broadcast %f dims = [0, 1, 2] : (tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %d = keratin.sub %x, %mb : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %e = keratin.exp %d : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %z = keratin.reduce_sum %e axes = [3] : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>
  %zb = keratin.broadcast %z dims = [0, 1, 2] : (tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %w = keratin.div %e, %zb : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %wr = keratin.reshape %w : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>
  %o = keratin.dot_general %wr, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>
  %p = keratin.mul %o, %c : (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<f32>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f32>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> (tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>)
  return %o, %g#0, %g#1, %g#2 : tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>
}

// An output keeps the weights in memory.
// CHECK-LABEL: func.func @not_where_others_read_weights
// CHECK:         -> tensor<4x192x128xf32>
func.func @not_where_others_read_weights(%q: tensor<4x192x8xf32>, %k: tensor<4x128x8xf32>, %v: tensor<4x128x8xf32>, %c: tensor<4x192x8xf32>) -> (tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<4x192x128xf32>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x192x8xf32>, tensor<4x128x8xf32>) -> tensor<4x192x128xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %f = keratin.stop_gradient %m : (tensor<4x192xf32>) -> tensor<4x192xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %d = keratin.sub %x, %mb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %e = keratin.exp %d : (tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %w = keratin.div %e, %zb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x192x128xf32>, tensor<4x128x8xf32>) -> tensor<4x192x8xf32>
  %p = keratin.mul %o, %c : (tensor<4x192x8xf32>, tensor<4x192x8xf32>) -> tensor<4x192x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x192x8xf32>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %q : (tensor<f32>, tensor<4x192x8xf32>) -> tensor<4x192x8xf32>
  return %o, %g, %w : tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<4x192x128xf32>
}

// The gradient by a mask is a sum over rows of what is as large as the scores.
// CHECK-LABEL: func.func @not_for_gradients_by_a_mask
// CHECK:         -> tensor<4x192x128xf32>
func.func @not_for_gradients_by_a_mask(%q: tensor<4x192x8xf32>, %k: tensor<4x128x8xf32>, %v: tensor<4x128x8xf32>, %c: tensor<4x192x8xf32>, %b: tensor<128xf32>) -> (tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<128xf32>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x192x8xf32>, tensor<4x128x8xf32>) -> tensor<4x192x128xf32>
  %bb = keratin.broadcast %b dims = [2] : (tensor<128xf32>) -> tensor<4x192x128xf32>
  %x = keratin.add %s, %bb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %f = keratin.stop_gradient %m : (tensor<4x192xf32>) -> tensor<4x192xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %d = keratin.sub %x, %mb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %e = keratin.exp %d : (tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x192x128xf32>) -> tensor<4x192xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x192xf32>) -> tensor<4x192x128xf32>
  %w = keratin.div %e, %zb : (tensor<4x192x128xf32>, tensor<4x192x128xf32>) -> tensor<4x192x128xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x192x128xf32>, tensor<4x128x8xf32>) -> tensor<4x192x8xf32>
  %p = keratin.mul %o, %c : (tensor<4x192x8xf32>, tensor<4x192x8xf32>) -> tensor<4x192x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x192x8xf32>) -> tensor<f32>
  %g:2 = keratin.gradients %loss wrt %q, %b : (tensor<f32>, tensor<4x192x8xf32>, tensor<128xf32>) -> (tensor<4x192x8xf32>, tensor<128xf32>)
  return %o, %g#0, %g#1 : tensor<4x192x8xf32>, tensor<4x192x8xf32>, tensor<128xf32>
}

// So few scores stay near.
// CHECK-LABEL: func.func @not_of_few_scores
// CHECK:         -> tensor<4x32x16xf32>
func.func @not_of_few_scores(%q: tensor<4x32x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %c: tensor<4x32x8xf32>) -> (tensor<4x32x8xf32>, tensor<4x16x8xf32>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xf32>, tensor<4x16x8xf32>) -> tensor<4x32x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %f = keratin.stop_gradient %m : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %e = keratin.exp %d : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  %p = keratin.mul %o, %c : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x32x8xf32>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %v : (tensor<f32>, tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %o, %g : tensor<4x32x8xf32>, tensor<4x16x8xf32>
}
