// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels=fuse=false | FileCheck %s --check-prefix=APART
// RUN: keratin-opt %s --keratin-form-kernels=max-ops=2 | FileCheck %s --check-prefix=SMALL
// RUN: keratin-opt %s --keratin-form-kernels="max-moves=0 max-recomputed=0 max-tile-tensors=0" | FileCheck %s --check-prefix=NONE
// RUN: keratin-opt %s --keratin-form-kernels=max-tile-tensors=1 | FileCheck %s --check-prefix=STREAMS

// CHECK-LABEL: func.func @elementwise_chain_with_two_results
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @elementwise_chain_with_two_results(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %bb = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %0 = keratin.add %x, %bb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.tanh %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @shared_producer_is_computed_once
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.sin
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// APART-LABEL: func.func @shared_producer_is_computed_once
// APART-COUNT-3: keratin.kernel(
// APART-NOT:     keratin.kernel(
// SMALL-LABEL: func.func @shared_producer_is_computed_once
// SMALL-COUNT-2: keratin.kernel(
// SMALL-NOT:     keratin.kernel(
func.func @shared_producer_is_computed_once(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = keratin.exp %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.tanh %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.sin %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @softmax_is_one_kernel
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_max
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.sub
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.div
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// APART-LABEL: func.func @softmax_is_one_kernel
// SMALL-LABEL: func.func @softmax_is_one_kernel
func.func @softmax_is_one_kernel(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %m = keratin.reduce_max %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %mb = keratin.broadcast %m dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %d = keratin.sub %x, %mb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = keratin.exp %d : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %sb = keratin.broadcast %s dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %y = keratin.div %e, %sb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A producer of unknown size is read by both reductions and written by nobody.
// CHECK-LABEL: func.func @two_reductions_of_one_producer
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.reduce_max
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @two_reductions_of_one_producer(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.tanh %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %r = keratin.reduce_sum %0 axes = [1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xf32, #keratin.dims<d0>>
  %c = keratin.reduce_max %0 axes = [1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %r, %c : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}

// Reductions of what one of them reads anyway.
// CHECK-LABEL: func.func @reductions_of_an_argument
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.reduce_max
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @reductions_of_an_argument(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = keratin.reduce_sum %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %c = keratin.reduce_max %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  return %r, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @columns_with_producer_and_consumer
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.mul
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.sqrt
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @columns_with_producer_and_consumer(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = keratin.mul %x, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = keratin.reduce_sum %0 axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %d = keratin.sqrt %c : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: func.func @columns_come_back_as_rows
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.sub
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @columns_come_back_as_rows(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = keratin.reduce_sum %x axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %cb = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %d = keratin.sub %x, %cb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// The first reduction takes the producer in; the other reads what it wrote.
// CHECK-LABEL: func.func @no_fusion_of_different_axes
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_fusion_of_different_axes(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %c = keratin.reduce_sum %0 axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  return %r, %c : tensor<8xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_fusion_of_a_reduction_of_a_reduction
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_max
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_fusion_of_a_reduction_of_a_reduction(%x: tensor<8x4x2xf32>) -> tensor<8xf32> {
  %0 = keratin.reduce_max %x axes = [2] : (tensor<8x4x2xf32>) -> tensor<8x4xf32>
  %1 = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @bias_and_activation_follow_a_contraction
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.dot_general
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// NONE-LABEL: func.func @bias_and_activation_follow_a_contraction
// NONE-COUNT-2: keratin.kernel(
func.func @bias_and_activation_follow_a_contraction(%a: tensor<8x3xf32>, %b: tensor<3x4xf32>, %c: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %cb = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = keratin.add %0, %cb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.tanh %1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// The kernel reads short integers; who else reads the cast has one of its own.
// CHECK-LABEL: func.func @contraction_widens_short_integers
// CHECK-DAG:     keratin.kernel(%arg0) : (tensor<8x3xui8>) -> tensor<8xi32>
// CHECK-DAG:     keratin.kernel(%arg0, %arg1) : (tensor<8x3xui8>, tensor<3x4xi8>) -> tensor<8x4xi32>
// CHECK-NOT:     keratin.kernel
func.func @contraction_widens_short_integers(%a: tensor<8x3xui8>, %b: tensor<3x4xi8>) -> (tensor<8x4xi32>, tensor<8xi32>) {
  %0 = keratin.cast %a : (tensor<8x3xui8>) -> tensor<8x3xi32>
  %1 = keratin.cast %b : (tensor<3x4xi8>) -> tensor<3x4xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<8x3xi32>, tensor<3x4xi32>) -> tensor<8x4xi32>
  %3 = keratin.neg %2 : (tensor<8x4xi32>) -> tensor<8x4xi32>
  %4 = keratin.reduce_sum %0 axes = [1] : (tensor<8x3xi32>) -> tensor<8xi32>
  return %3, %4 : tensor<8x4xi32>, tensor<8xi32>
}

// Neither what makes the integers is in the kernel, nor a cast that is a result.
// CHECK-LABEL: func.func @casts_in_memory_stay
// CHECK-COUNT-3: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
func.func @casts_in_memory_stay(%a: tensor<8x3xi8>, %b: tensor<3x4xi8>) -> (tensor<8x4xi32>, tensor<3x4xi32>) {
  %n = keratin.neg %a : (tensor<8x3xi8>) -> tensor<8x3xi8>
  %0 = keratin.cast %n : (tensor<8x3xi8>) -> tensor<8x3xi32>
  %1 = keratin.cast %b : (tensor<3x4xi8>) -> tensor<3x4xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<8x3xi32>, tensor<3x4xi32>) -> tensor<8x4xi32>
  return %2, %1 : tensor<8x4xi32>, tensor<3x4xi32>
}

// CHECK-LABEL: func.func @bias_and_activation_follow_a_convolution
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.convolution
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @bias_and_activation_follow_a_convolution(%x: tensor<2x8x3xf32>, %w: tensor<3x3x4xf32>, %c: tensor<4xf32>) -> tensor<2x6x4xf32> {
  %0 = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x8x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
  %cb = keratin.broadcast %c dims = [2] : (tensor<4xf32>) -> tensor<2x6x4xf32>
  %1 = keratin.add %0, %cb : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %2 = keratin.tanh %1 : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %2 : tensor<2x6x4xf32>
}

// CHECK-LABEL: func.func @no_prologue_of_a_convolution
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.convolution
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_prologue_of_a_convolution(%x: tensor<2x8x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x6x4xf32> {
  %t = keratin.tanh %x : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  %0 = keratin.convolution %t, %w dims = "b0c,0cf->b0f" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x8x3xf32>, tensor<3x3x4xf32>) -> tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}

// CHECK-LABEL: func.func @no_prologue_of_a_contraction
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.dot_general
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_prologue_of_a_contraction(%a: tensor<8x3xf32>, %b: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %t = keratin.tanh %a : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %0 = keratin.dot_general %t, %b batch = [] x [] contract = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @no_reduction_of_a_contraction
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.dot_general
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_reduction_of_a_contraction(%a: tensor<8x3xf32>, %b: tensor<3x4xf32>) -> tensor<8xf32> {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @one_contraction_a_kernel
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.dot_general
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.dot_general
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @one_contraction_a_kernel(%a: tensor<8x3xf32>, %b: tensor<3x4xf32>, %c: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.dot_general %a, %c batch = [] x [] contract = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.add %0, %1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// An index that is out of range makes the whole kernel fail.
// CHECK-LABEL: func.func @gather_into_elementwise
// CHECK:         keratin.kernel({{.*}}) {keratin.fallible = 0 : i64}
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.gather
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @gather_into_elementwise(%x: tensor<8x4xf32>, %i: tensor<5xi32>) -> tensor<5x4xf32> {
  %0 = keratin.gather %x, %i : (tensor<8x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  %1 = keratin.tanh %0 : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @transpose_between_elementwise
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.transpose
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// NONE-LABEL: func.func @transpose_between_elementwise
// NONE-COUNT-2: keratin.kernel(
func.func @transpose_between_elementwise(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.transpose %0 permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = keratin.tanh %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @no_fusion_of_a_move_of_a_reduction
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reverse
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_fusion_of_a_move_of_a_reduction(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %1 = keratin.reverse %0 axes = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @scatter_add_stays_alone
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) {keratin.fallible = 0 : i64}
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.scatter_add
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @scatter_add_stays_alone(%i: tensor<5xi32>, %x: tensor<5x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %x : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %1 = keratin.scatter_add %i, %0 : (tensor<5xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.tanh %1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// The sum of a window is divided, and the bias added, while it is in registers.
// CHECK-LABEL: func.func @what_follows_from_windows_joins_them
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK:           keratin.window_sum
// CHECK:           keratin.div
// CHECK:           keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @what_follows_from_windows_joins_them(%x: tensor<2x8x8x4xf32>, %b: tensor<4xf32>) -> tensor<2x4x4x4xf32> {
  %four = keratin.constant dense<4.0> : tensor<f32>
  %0 = keratin.window_sum %x window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> x_dilation = [1, 1, 1, 1] : (tensor<2x8x8x4xf32>) -> tensor<2x4x4x4xf32>
  %1 = keratin.broadcast %four dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
  %2 = keratin.div %0, %1 : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %3 = keratin.broadcast %b dims = [3] : (tensor<4xf32>) -> tensor<2x4x4x4xf32>
  %4 = keratin.add %2, %3 : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %4 : tensor<2x4x4x4xf32>
}

// Windows overlap: what they read is computed once, before.
// CHECK-LABEL: func.func @no_fusion_of_what_windows_read
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.window_max
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.window_scatter
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_fusion_of_what_windows_read(%x: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %0 = keratin.exp %x : (tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = keratin.window_max %0 window = [3, 1] strides = [1, 1] low = <0, 0> : (tensor<9x4xf32>) -> tensor<7x4xf32>
  %2 = keratin.window_scatter %0, %1 window = [3, 1] strides = [1, 1] low = <0, 0> : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x4xf32>
  %3 = keratin.tanh %2 : (tensor<9x4xf32>) -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// CHECK-LABEL: func.func @print_stays_alone
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) {keratin.effect}
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.print
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @print_stays_alone(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.print "x" %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Broadcasts and scalar constants are made anew where they are read.
// CHECK-LABEL: func.func @constants_belong_to_their_readers
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.constant
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel() :
// CHECK-NEXT:      %{{.*}} = keratin.constant
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.cumsum
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.constant
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.sub
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @constants_belong_to_their_readers(%x: tensor<8x4xf32>, %i: tensor<2xi32>) -> (tensor<8x4xf32>, tensor<f32>) {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %b = keratin.broadcast %one dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %0 = keratin.add %x, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.cumsum %0 {axis = 0 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.sub %1, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = keratin.reduce_sum %b axes = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %2, %n : tensor<8x4xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @scalars_are_computed_in_the_kernel
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.mul
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @scalars_are_computed_in_the_kernel(%x: tensor<8x4xf32>, %s: tensor<f32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %s : (tensor<f32>) -> tensor<f32>
  %1 = keratin.tanh %0 : (tensor<f32>) -> tensor<f32>
  %2 = keratin.exp %1 : (tensor<f32>) -> tensor<f32>
  %3 = keratin.tanh %2 : (tensor<f32>) -> tensor<f32>
  %b = keratin.broadcast %3 dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %y = keratin.mul %x, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @a_few_ops_are_recomputed_for_each_row
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.mul
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// NONE-LABEL: func.func @a_few_ops_are_recomputed_for_each_row
// NONE-COUNT-2: keratin.kernel(
func.func @a_few_ops_are_recomputed_for_each_row(%b: tensor<4xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  %bb = keratin.broadcast %2 dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = keratin.mul %x, %bb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @many_ops_are_not_recomputed_for_each_row
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.mul
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @many_ops_are_not_recomputed_for_each_row(%b: tensor<4xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.tanh %2 : (tensor<4xf32>) -> tensor<4xf32>
  %bb = keratin.broadcast %3 dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %y = keratin.mul %x, %bb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @dimensions_of_size_one_do_not_matter
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      %{{.*}} = keratin.reshape
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @dimensions_of_size_one_do_not_matter(%x: tensor<8x4xf32>) -> tensor<8x1x4xf32> {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.reshape %0 : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
  %2 = keratin.tanh %1 : (tensor<8x1x4xf32>) -> tensor<8x1x4xf32>
  return %2 : tensor<8x1x4xf32>
}

// It is a view of memory.
// CHECK-LABEL: func.func @no_fusion_through_a_reshape
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_fusion_through_a_reshape(%x: tensor<8x4xf32>) -> tensor<32xf32> {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = keratin.tanh %1 : (tensor<32xf32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}

// exp and add would both wait for cumsum and be waited for by it.
// CHECK-LABEL: func.func @no_cycle_through_a_kernel_of_its_own
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.cumsum
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_cycle_through_a_kernel_of_its_own(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = keratin.cumsum %0 {axis = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.add %0, %1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// A view shows what a kernel before has written: the sum joins the slice, not what the view is of.
// CHECK-LABEL: func.func @no_cycle_through_a_view
// CHECK:         %[[EXP:.*]] = keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.exp
// CHECK-NEXT:      keratin.yield
// CHECK:         %[[VIEW:.*]] = keratin.reshape %[[EXP]]
// CHECK:         keratin.kernel(%[[VIEW]], %[[EXP]]) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.slice
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_cycle_through_a_view(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = keratin.exp %x : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %1 = keratin.reshape %0 : (tensor<3x8xf32>) -> tensor<24xf32>
  %2 = keratin.slice %1 starts = <3> strides = [1] : (tensor<24xf32>) -> tensor<3xf32>
  %3 = keratin.broadcast %2 dims = [0] : (tensor<3xf32>) -> tensor<3x8xf32>
  %4 = keratin.add %0, %3 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %4 : tensor<3x8xf32>
}

// What reads both reductions goes with one of them.
// CHECK-LABEL: func.func @no_cycle_between_reductions
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.tanh
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.sub
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.reduce_sum
// CHECK-NEXT:      %{{.*}} = keratin.broadcast
// CHECK-NEXT:      %{{.*}} = keratin.sub
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @no_cycle_between_reductions(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.tanh %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = keratin.reduce_sum %0 axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %r = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %cb = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %rb = keratin.broadcast %r dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %1 = keratin.sub %0, %cb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = keratin.sub %1, %rb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// What follows a contraction reads and writes so many tensors of its shape, and no more: two here.

// CHECK-LABEL:   func.func @streams_of_a_tile
// CHECK-COUNT-1: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
// STREAMS-LABEL:   func.func @streams_of_a_tile
// STREAMS-COUNT-2: keratin.kernel(
func.func @streams_of_a_tile(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %z: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = keratin.add %0, %z : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// Single elements are read where they are needed, by each kernel that needs them, and are none of the ops of a kernel
// that count; rows that lie in one piece are no moves.
// CHECK-LABEL: func.func @elements_of_a_matrix
// CHECK:         keratin.kernel(%arg0, %arg1)
// CHECK-COUNT-6:   keratin.slice
// CHECK:         keratin.kernel(
// CHECK:           keratin.slice
// CHECK-NOT:     keratin.kernel
func.func @elements_of_a_matrix(%a: tensor<4x4xf32>, %b: tensor<5x64xf32>) -> (tensor<1x64xf32>, tensor<32xf32>) {
  %e = keratin.slice %a starts = <1, 2> strides = [1, 1] : (tensor<4x4xf32>) -> tensor<1x1xf32>
  %s = keratin.reshape %e : (tensor<1x1xf32>) -> tensor<f32>
  %w = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<1x64xf32>
  %b0 = keratin.slice %b starts = <0, 0> strides = [1, 1] : (tensor<5x64xf32>) -> tensor<1x64xf32>
  %b1 = keratin.slice %b starts = <1, 0> strides = [1, 1] : (tensor<5x64xf32>) -> tensor<1x64xf32>
  %b2 = keratin.slice %b starts = <2, 0> strides = [1, 1] : (tensor<5x64xf32>) -> tensor<1x64xf32>
  %b3 = keratin.slice %b starts = <3, 0> strides = [1, 1] : (tensor<5x64xf32>) -> tensor<1x64xf32>
  %b4 = keratin.slice %b starts = <4, 0> strides = [1, 1] : (tensor<5x64xf32>) -> tensor<1x64xf32>
  %0 = keratin.mul %w, %b0 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %1 = keratin.add %0, %b1 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %2 = keratin.add %1, %b2 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %3 = keratin.add %2, %b3 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %4 = keratin.add %3, %b4 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %v = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<32xf32>
  %5 = keratin.exp %v : (tensor<32xf32>) -> tensor<32xf32>
  return %4, %5 : tensor<1x64xf32>, tensor<32xf32>
}
