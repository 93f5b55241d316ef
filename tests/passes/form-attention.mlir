// Attention as one kernel: where it is formed, and where it is not.

// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels=attention=none | FileCheck %s --check-prefix=APART
// RUN: keratin-opt %s --keratin-form-kernels=attention=halves | FileCheck %s --check-prefixes=APART,HALVES

// CHECK-LABEL: func.func @scaled_with_what_follows
// CHECK:         keratin.kernel(%arg0, %arg1, %arg2, %arg3)
// CHECK:           keratin.dot_general
// CHECK:           keratin.reduce_max
// CHECK:           keratin.reduce_sum
// CHECK:           keratin.dot_general
// CHECK-NEXT:      keratin.add
// CHECK-NOT:     keratin.kernel
// APART-LABEL: func.func @scaled_with_what_follows
// APART-COUNT-3: keratin.kernel(
func.func @scaled_with_what_follows(%q: tensor<4x32x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>,
    %r: tensor<4x32x8xf32>) -> tensor<4x32x8xf32> {
  %c = keratin.constant dense<0.25> : tensor<f32>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xf32>, tensor<4x16x8xf32>) -> tensor<4x32x16xf32>
  %cb = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
  %x = keratin.mul %s, %cb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %e = keratin.exp %d : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  %y = keratin.add %o, %r : (tensor<4x32x8xf32>, tensor<4x32x8xf32>) -> tensor<4x32x8xf32>
  return %y : tensor<4x32x8xf32>
}

// A reshape of the heads stands between, and a mask of unknown sizes is made from two lines: no tensor of queries and
// keys is left.
// CHECK-LABEL: func.func @heads_with_causal_mask
// CHECK:         keratin.kernel(%arg0, %arg1, %arg2) :
// CHECK:           keratin.iota
// CHECK:           keratin.compare ge
// CHECK:           keratin.reshape
// CHECK:           keratin.select
// CHECK:           keratin.reshape
// CHECK:           keratin.dot_general
// CHECK-NOT:     keratin.kernel
func.func @heads_with_causal_mask(%q: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>, %k: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>,
    %v: tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>> {
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
  %mb = keratin.broadcast %m dims = [0, 1, 2] : (tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %d = keratin.sub %x, %mb : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %e = keratin.exp %d : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %z = keratin.reduce_sum %e axes = [3] : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>
  %zb = keratin.broadcast %z dims = [0, 1, 2] : (tensor<?x2x?xf32, #keratin.dims<d0, 2, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %w = keratin.div %e, %zb : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>, tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>
  %wr = keratin.reshape %w : (tensor<?x2x?x?xf32, #keratin.dims<d0, 2, d1, d1>>) -> tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>
  %o = keratin.dot_general %wr, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf32, #keratin.dims<2*d0, d1, d1>>, tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>) -> tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>
  return %o : tensor<?x?x8xf32, #keratin.dims<2*d0, d1, 8>>
}

// CHECK-LABEL: func.func @not_where_others_read_weights
// CHECK-COUNT-3: keratin.kernel(
func.func @not_where_others_read_weights(%q: tensor<4x32x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>)
    -> (tensor<4x32x8xf32>, tensor<4x32x16xf32>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xf32>, tensor<4x16x8xf32>) -> tensor<4x32x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %e = keratin.exp %d : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  return %o, %w : tensor<4x32x8xf32>, tensor<4x32x16xf32>
}

// Along queries.
// CHECK-LABEL: func.func @not_for_softmax_along_another_axis
// CHECK-COUNT-3: keratin.kernel(
func.func @not_for_softmax_along_another_axis(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x16x8xf32>, tensor<4x16x8xf32>) -> tensor<4x16x16xf32>
  %m = keratin.reduce_max %x axes = [1] : (tensor<4x16x16xf32>) -> tensor<4x16xf32>
  %mb = keratin.broadcast %m dims = [0, 2] : (tensor<4x16xf32>) -> tensor<4x16x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x16x16xf32>, tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %e = keratin.exp %d : (tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %z = keratin.reduce_sum %e axes = [1] : (tensor<4x16x16xf32>) -> tensor<4x16xf32>
  %zb = keratin.broadcast %z dims = [0, 2] : (tensor<4x16xf32>) -> tensor<4x16x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x16x16xf32>, tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x16x16xf32>, tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %o : tensor<4x16x8xf32>
}

// So few rows do not pay for the order that keys are brought into.
// CHECK-LABEL: func.func @not_for_a_row
// CHECK-COUNT-3: keratin.kernel(
func.func @not_for_a_row(%q: tensor<4x1x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x1x8xf32> {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x1x8xf32>, tensor<4x16x8xf32>) -> tensor<4x1x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x1x16xf32>) -> tensor<4x1xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x1x16xf32>, tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  %e = keratin.exp %d : (tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x1x16xf32>) -> tensor<4x1xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x1x16xf32>, tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x1x16xf32>, tensor<4x16x8xf32>) -> tensor<4x1x8xf32>
  return %o : tensor<4x1x8xf32>
}

// A mask that others read, too, is in memory.
// CHECK-LABEL: func.func @mask_with_another_reader
// CHECK:         %[[MASK:.*]] = keratin.kernel() : () -> tensor<32x16xi1>
// CHECK:         keratin.kernel(%arg0, %arg1, %[[MASK]], %arg2)
// CHECK:           keratin.dot_general
// CHECK:           keratin.select
// CHECK:           keratin.dot_general
// CHECK-NOT:     keratin.kernel
func.func @mask_with_another_reader(%q: tensor<4x32x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>)
    -> (tensor<4x32x8xf32>, tensor<32x16xi1>) {
  %low = keratin.constant dense<-1.0e9> : tensor<f32>
  %row = keratin.iota {axis = 0 : i64} : tensor<32x16xi64>
  %column = keratin.iota {axis = 1 : i64} : tensor<32x16xi64>
  %seen = keratin.compare ge %row, %column : (tensor<32x16xi64>, tensor<32x16xi64>) -> tensor<32x16xi1>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xf32>, tensor<4x16x8xf32>) -> tensor<4x32x16xf32>
  %sb = keratin.broadcast %seen dims = [1, 2] : (tensor<32x16xi1>) -> tensor<4x32x16xi1>
  %lb = keratin.broadcast %low dims = [] : (tensor<f32>) -> tensor<4x32x16xf32>
  %x = keratin.select %sb, %s, %lb : (tensor<4x32x16xi1>, tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %e = keratin.exp %d : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xf32>, tensor<4x16x8xf32>) -> tensor<4x32x8xf32>
  return %o, %seen : tensor<4x32x8xf32>, tensor<32x16xi1>
}

// Weights that are rounded for the product need their whole sum first, but where they may be rounded before.
// CHECK-LABEL:  func.func @rounded_weights
// CHECK-COUNT-3: keratin.kernel(
// HALVES-LABEL: func.func @rounded_weights
// HALVES:         keratin.kernel(%arg0, %arg1, %arg2)
// HALVES:           keratin.reduce_max
// HALVES:           keratin.cast
// HALVES:           keratin.dot_general
// HALVES-NOT:     keratin.kernel(
func.func @rounded_weights(%q: tensor<4x32x8xbf16>, %k: tensor<4x16x8xbf16>, %v: tensor<4x16x8xbf16>) -> tensor<4x32x8xbf16> {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xbf16>, tensor<4x16x8xbf16>) -> tensor<4x32x16xbf16>
  %x = keratin.cast %s : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %e = keratin.exp %d : (tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xf32>) -> tensor<4x32xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16xf32>
  %w = keratin.div %e, %zb : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %p = keratin.cast %w : (tensor<4x32x16xf32>) -> tensor<4x32x16xbf16>
  %o = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xbf16>, tensor<4x16x8xbf16>) -> tensor<4x32x8xbf16>
  return %o : tensor<4x32x8xbf16>
}

// Kernels hand on numbers of rows.
// CHECK-LABEL: func.func @numbers_of_rows_for_others
// CHECK:         keratin.kernel(%arg0, %arg1, %arg2)
// CHECK-SAME:      -> (tensor<4x32xbf16>, tensor<4x32x8xbf16>)
// CHECK-NOT:     keratin.kernel(
// HALVES-LABEL: func.func @numbers_of_rows_for_others
// HALVES:        keratin.kernel(%arg0, %arg1, %arg2)
// HALVES-SAME:     -> (tensor<4x32xbf16>, tensor<4x32x8xbf16>)
// HALVES-NOT:    keratin.kernel(
func.func @numbers_of_rows_for_others(%q: tensor<4x32x8xbf16>, %k: tensor<4x16x8xbf16>, %v: tensor<4x16x8xbf16>) -> (tensor<4x32x8xbf16>, tensor<4x32xbf16>) {
  %x = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x32x8xbf16>, tensor<4x16x8xbf16>) -> tensor<4x32x16xbf16>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x32x16xbf16>) -> tensor<4x32xbf16>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<4x32xbf16>) -> tensor<4x32x16xbf16>
  %d = keratin.sub %x, %mb : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %e = keratin.exp %d : (tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x32x16xbf16>) -> tensor<4x32xbf16>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x32xbf16>) -> tensor<4x32x16xbf16>
  %w = keratin.div %e, %zb : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %o = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x32x16xbf16>, tensor<4x16x8xbf16>) -> tensor<4x32x8xbf16>
  return %o, %m : tensor<4x32x8xbf16>, tensor<4x32xbf16>
}
