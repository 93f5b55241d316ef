// RUN: keratin-opt %s --keratin-form-kernels=fuse-random | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels="fuse-random random-line=4" | FileCheck %s --check-prefix=LINE
// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s --check-prefix=APART

// Random bits are a kernel of their own, or a part of the one that reads them, with the number of
// their draw; of a reduction or a contraction where their lines are multiples of some length.

// APART-LABEL:    func.func @random_bits_in_an_elementwise_kernel
// APART:          keratin.kernel
// APART-NEXT:     ^bb0
// APART-NEXT:       %{{.*}} = keratin.add
// APART:          keratin.kernel
// APART-NEXT:     ^bb0
// APART-NEXT:       %{{.*}} = keratin.random_bits
// APART-NEXT:       keratin.yield
// APART:          keratin.kernel
// APART:          return
// CHECK-LABEL:   func.func @random_bits_in_an_elementwise_kernel
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.add
// CHECK-NEXT:      %{{.*}} = keratin.random_bits
// CHECK-NEXT:      %{{.*}} = keratin.cast
// CHECK-NEXT:      %{{.*}} = keratin.mul
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
func.func @random_bits_in_an_elementwise_kernel(%x: tensor<8x4xf32>, %call: tensor<i64>) -> tensor<8x4xf32> {
  %draw = keratin.add %call, %call : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<8x4xui32>
  %1 = keratin.cast %0 : (tensor<8x4xui32>) -> tensor<8x4xf32>
  %2 = keratin.mul %1, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Not where each would be made several times.

// CHECK-LABEL:   func.func @random_bits_are_not_repeated
// CHECK-COUNT-2: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
func.func @random_bits_are_not_repeated(%x: tensor<8x4xui32>, %draw: tensor<i64>) -> tensor<8x4xui32> {
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<4xui32>
  %1 = keratin.broadcast %0 dims = [1] : (tensor<4xui32>) -> tensor<8x4xui32>
  %2 = keratin.mul %1, %x : (tensor<8x4xui32>, tensor<8x4xui32>) -> tensor<8x4xui32>
  return %2 : tensor<8x4xui32>
}

// LINE-LABEL:    func.func @random_bits_are_not_repeated
// LINE-COUNT-2:  keratin.kernel(
// LINE-LABEL:    func.func @random_bits_are_not_in_rows
// LINE:          keratin.kernel(
// LINE-NEXT:     ^bb0
// LINE-NEXT:       %{{.*}} = keratin.random_bits
// LINE-NEXT:       %{{.*}} = keratin.cast
// LINE-NEXT:       %{{.*}} = keratin.reduce_sum
// LINE-NOT:      keratin.kernel(
// LINE-LABEL:    func.func @random_bits_are_not_in_tiles
// LINE:          keratin.kernel(
// LINE-NEXT:     ^bb0
// LINE-NEXT:       %{{.*}} = keratin.dot_general
// LINE-NEXT:       %{{.*}} = keratin.random_bits
// LINE-NOT:      keratin.kernel(
// LINE-LABEL:    func.func @random_bits_are_not_in_other_rows
// LINE-COUNT-2:  keratin.kernel(

// CHECK-LABEL:   func.func @random_bits_are_not_in_rows
// CHECK-COUNT-2: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
func.func @random_bits_are_not_in_rows(%draw: tensor<i64>) -> tensor<8xf32> {
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<8x4xui32>
  %1 = keratin.cast %0 : (tensor<8x4xui32>) -> tensor<8x4xf32>
  %2 = keratin.reduce_sum %1 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL:   func.func @random_bits_are_not_in_tiles
// CHECK-COUNT-2: keratin.kernel(
// CHECK-NOT:     keratin.kernel(
func.func @random_bits_are_not_in_tiles(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %draw: tensor<i64>) -> tensor<8x16xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<8x16xui32>
  %2 = keratin.cast %1 : (tensor<8x16xui32>) -> tensor<8x16xf32>
  %3 = keratin.mul %0, %2 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// CHECK-LABEL:   func.func @random_bits_are_not_in_other_rows
func.func @random_bits_are_not_in_other_rows(%draw: tensor<i64>) -> tensor<8xf32> {
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<8x6xui32>
  %1 = keratin.cast %0 : (tensor<8x6xui32>) -> tensor<8x6xf32>
  %2 = keratin.reduce_sum %1 axes = [1] : (tensor<8x6xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
