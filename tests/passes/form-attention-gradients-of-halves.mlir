// Gradients of attention in halves as one kernel, where tensor cores make them.

// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | keratin-opt --keratin-form-kernels=attention=halves+gradients | FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | keratin-opt --keratin-form-kernels=attention=exact+gradients | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | keratin-opt --keratin-form-kernels=attention=halves | FileCheck %s --check-prefixes=CHECK,HOST

// Attention hands on two numbers of each row, in float32 as softmax has them. The sum over keys is that of dy * y, in
// float32, too, of what y is before it is rounded. A few scores are made anew as well as many.
// CHECK-LABEL: func.func @by_all
// DEVICE:        %[[Y:.*]]:4 = keratin.kernel(%arg0, %arg1, %arg2, %arg3)
// DEVICE:          %[[M:.*]] = keratin.reduce_max
// DEVICE:          %[[Z:.*]] = keratin.reduce_sum
// DEVICE:          keratin.yield %[[M]], %[[Z]],
// DEVICE:        %[[D:.*]] = keratin.kernel(%[[Y]]#3) : (tensor<4x64x8xf32>) -> tensor<4x64xf32>
// DEVICE:          keratin.reduce_sum
// DEVICE:        keratin.kernel(
// DEVICE-SAME:     -> (tensor<4x32x8xf16>, tensor<4x64x8xf16>, tensor<4x32x8xf16>)
// DEVICE-COUNT-5:  keratin.dot_general
// DEVICE-NOT:    keratin.kernel
// HOST:          -> tensor<4x64x32xf16>
func.func @by_all(%q: tensor<4x64x8xf16>, %k: tensor<4x32x8xf16>,
    %v: tensor<4x32x8xf16>, %c: tensor<4x64x8xf16>) -> (tensor<4x64x8xf16>, tensor<4x64x8xf16>, tensor<4x32x8xf16>, tensor<4x32x8xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x64x8xf16>, tensor<4x32x8xf16>) -> tensor<4x64x32xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<4x64x32xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<4x64x32xf16>, tensor<4x64x32xf16>) -> tensor<4x64x32xf16>
  %x = keratin.cast %scaled : (tensor<4x64x32xf16>) -> tensor<4x64x32xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x64x32xf32>) -> tensor<4x64xf32>
  %f = keratin.stop_gradient %m : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x32xf32>
  %d = keratin.sub %x, %mb : (tensor<4x64x32xf32>, tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %e = keratin.exp %d : (tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x64x32xf32>) -> tensor<4x64xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x32xf32>
  %w32 = keratin.div %e, %zb : (tensor<4x64x32xf32>, tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %w = keratin.cast %w32 : (tensor<4x64x32xf32>) -> tensor<4x64x32xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x64x32xf16>, tensor<4x32x8xf16>) -> tensor<4x64x8xf16>
  %p = keratin.mul %y, %c : (tensor<4x64x8xf16>, tensor<4x64x8xf16>) -> tensor<4x64x8xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x64x8xf16>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<4x64x8xf16>, tensor<4x32x8xf16>, tensor<4x32x8xf16>) -> (tensor<4x64x8xf16>, tensor<4x32x8xf16>, tensor<4x32x8xf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<4x64x8xf16>, tensor<4x64x8xf16>, tensor<4x32x8xf16>, tensor<4x32x8xf16>
}

// Rows of more than 256 bytes have no room.
// CHECK-LABEL: func.func @not_of_wide_queries
// CHECK:         -> tensor<4x256x256xbf16>
func.func @not_of_wide_queries(%q: tensor<4x256x136xbf16>, %k: tensor<4x256x136xbf16>,
    %v: tensor<4x256x8xbf16>, %c: tensor<4x256x8xbf16>) -> (tensor<4x256x8xbf16>, tensor<4x256x136xbf16>, tensor<4x256x136xbf16>, tensor<4x256x8xbf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<4x256x136xbf16>, tensor<4x256x136xbf16>) -> tensor<4x256x256xbf16>
  %e0 = keratin.constant dense<0.125> : tensor<bf16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<bf16>) -> tensor<4x256x256xbf16>
  %scaled = keratin.mul %s, %e1 : (tensor<4x256x256xbf16>, tensor<4x256x256xbf16>) -> tensor<4x256x256xbf16>
  %x = keratin.cast %scaled : (tensor<4x256x256xbf16>) -> tensor<4x256x256xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<4x256x256xf32>) -> tensor<4x256xf32>
  %f = keratin.stop_gradient %m : (tensor<4x256xf32>) -> tensor<4x256xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<4x256xf32>) -> tensor<4x256x256xf32>
  %d = keratin.sub %x, %mb : (tensor<4x256x256xf32>, tensor<4x256x256xf32>) -> tensor<4x256x256xf32>
  %e = keratin.exp %d : (tensor<4x256x256xf32>) -> tensor<4x256x256xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<4x256x256xf32>) -> tensor<4x256xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<4x256xf32>) -> tensor<4x256x256xf32>
  %w32 = keratin.div %e, %zb : (tensor<4x256x256xf32>, tensor<4x256x256xf32>) -> tensor<4x256x256xf32>
  %w = keratin.cast %w32 : (tensor<4x256x256xf32>) -> tensor<4x256x256xbf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<4x256x256xbf16>, tensor<4x256x8xbf16>) -> tensor<4x256x8xbf16>
  %p = keratin.mul %y, %c : (tensor<4x256x8xbf16>, tensor<4x256x8xbf16>) -> tensor<4x256x8xbf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<4x256x8xbf16>) -> tensor<bf16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<bf16>, tensor<4x256x136xbf16>, tensor<4x256x136xbf16>, tensor<4x256x8xbf16>) -> (tensor<4x256x136xbf16>, tensor<4x256x136xbf16>, tensor<4x256x8xbf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<4x256x8xbf16>, tensor<4x256x136xbf16>, tensor<4x256x136xbf16>, tensor<4x256x8xbf16>
}

// A few blocks of keys would walk over all queries.
// CHECK-LABEL: func.func @not_of_few_blocks
// CHECK:         -> tensor<1x8192x64xf16>
func.func @not_of_few_blocks(%q: tensor<1x8192x8xf16>, %k: tensor<1x64x8xf16>,
    %v: tensor<1x64x8xf16>, %c: tensor<1x8192x8xf16>) -> (tensor<1x8192x8xf16>, tensor<1x8192x8xf16>, tensor<1x64x8xf16>, tensor<1x64x8xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<1x8192x8xf16>, tensor<1x64x8xf16>) -> tensor<1x8192x64xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<1x8192x64xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<1x8192x64xf16>, tensor<1x8192x64xf16>) -> tensor<1x8192x64xf16>
  %x = keratin.cast %scaled : (tensor<1x8192x64xf16>) -> tensor<1x8192x64xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<1x8192x64xf32>) -> tensor<1x8192xf32>
  %f = keratin.stop_gradient %m : (tensor<1x8192xf32>) -> tensor<1x8192xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<1x8192xf32>) -> tensor<1x8192x64xf32>
  %d = keratin.sub %x, %mb : (tensor<1x8192x64xf32>, tensor<1x8192x64xf32>) -> tensor<1x8192x64xf32>
  %e = keratin.exp %d : (tensor<1x8192x64xf32>) -> tensor<1x8192x64xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<1x8192x64xf32>) -> tensor<1x8192xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<1x8192xf32>) -> tensor<1x8192x64xf32>
  %w32 = keratin.div %e, %zb : (tensor<1x8192x64xf32>, tensor<1x8192x64xf32>) -> tensor<1x8192x64xf32>
  %w = keratin.cast %w32 : (tensor<1x8192x64xf32>) -> tensor<1x8192x64xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<1x8192x64xf16>, tensor<1x64x8xf16>) -> tensor<1x8192x8xf16>
  %p = keratin.mul %y, %c : (tensor<1x8192x8xf16>, tensor<1x8192x8xf16>) -> tensor<1x8192x8xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<1x8192x8xf16>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<1x8192x8xf16>, tensor<1x64x8xf16>, tensor<1x64x8xf16>) -> (tensor<1x8192x8xf16>, tensor<1x64x8xf16>, tensor<1x64x8xf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<1x8192x8xf16>, tensor<1x8192x8xf16>, tensor<1x64x8xf16>, tensor<1x64x8xf16>
}
