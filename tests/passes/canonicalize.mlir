// RUN: keratin-opt %s --keratin-canonicalize | FileCheck %s

//===-- Algebra -----------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @signs_cancel
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[S:.*]] = keratin.sub %[[X]], %[[Y]]
// CHECK-NEXT:    return %[[S]]
func.func @signs_cancel(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.neg %y : (tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -x of an unsigned integer is as large as it is written: not |x|.
// CHECK-LABEL: func.func @absolute_values
// CHECK-SAME:    %[[X:.*]]: tensor<i32>, %[[Y:.*]]: tensor<ui32>
// CHECK-DAG:     keratin.abs %[[X]]
// CHECK-DAG:     %[[NEG:.*]] = keratin.neg %[[Y]]
// CHECK-DAG:     keratin.abs %[[NEG]]
func.func @absolute_values(%x: tensor<i32>, %y: tensor<ui32>) -> (tensor<i32>, tensor<ui32>) {
  %0 = keratin.neg %x : (tensor<i32>) -> tensor<i32>
  %1 = keratin.abs %0 : (tensor<i32>) -> tensor<i32>
  %2 = keratin.neg %y : (tensor<ui32>) -> tensor<ui32>
  %3 = keratin.abs %2 : (tensor<ui32>) -> tensor<ui32>
  return %1, %3 : tensor<i32>, tensor<ui32>
}

// -(0 * x) would not be 0 * x; x * 0 is NaN for infinite x; x - x for NaN.
// CHECK-LABEL: func.func @no_folding_where_nan_or_signed_zero_differs
// CHECK:         keratin.mul
// CHECK:         keratin.sub
// CHECK:         keratin.add
func.func @no_folding_where_nan_or_signed_zero_differs(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %0 = keratin.mul %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.sub %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.add %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @integers_fold
// CHECK-NEXT:    %[[Z:.*]] = keratin.constant dense<0> : tensor<i32>
// CHECK-NEXT:    return %[[Z]], %[[Z]], %arg0
func.func @integers_fold(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = keratin.constant dense<0> : tensor<i32>
  %0 = keratin.mul %zero, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = keratin.sub %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = keratin.add %x, %zero : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
}

// CHECK-LABEL: func.func @factors_merge
// CHECK:         %[[C:.*]] = keratin.constant dense<-1.250000e-01> : tensor<f32>
// CHECK:         %[[B:.*]] = keratin.broadcast %[[C]]
// CHECK:         %[[Y:.*]] = keratin.mul %arg0, %[[B]]
// CHECK-NEXT:    return %[[Y]]
func.func @factors_merge(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = keratin.constant dense<0.5> : tensor<4xf32>
  %four = keratin.constant dense<4.0> : tensor<4xf32>
  %0 = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.mul %half, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.div %1, %four : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// (1e30 * x) * 1e-30 overflows for large x, and 1 / 3 is not exact.
// CHECK-LABEL: func.func @factors_that_pull_apart_stay
// CHECK-COUNT-2: keratin.mul
// CHECK:         keratin.div
func.func @factors_that_pull_apart_stay(%x: tensor<f32>) -> tensor<f32> {
  %large = keratin.constant dense<1.0e30> : tensor<f32>
  %small = keratin.constant dense<1.0e-30> : tensor<f32>
  %three = keratin.constant dense<3.0> : tensor<f32>
  %0 = keratin.mul %x, %large : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.mul %0, %small : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.div %1, %three : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: func.func @logic_folds
// CHECK-SAME:  (%[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[S:.*]] = keratin.select %[[C]], %[[Y]], %[[X]]
// CHECK-NEXT:    return %[[S]], %[[C]]
func.func @logic_folds(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %true = keratin.constant dense<true> : tensor<4xi1>
  %false = keratin.constant dense<false> : tensor<4xi1>
  %0 = keratin.not %c : (tensor<4xi1>) -> tensor<4xi1>
  %1 = keratin.select %c, %y, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.select %0, %x, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.select %c, %true, %false : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %4 = keratin.and %3, %true : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %2, %4 : tensor<4xf32>, tensor<4xi1>
}

// not (a < b) is not a >= b, because of NaN; not (a == b) is a != b.
// CHECK-LABEL: func.func @not_of_comparison
// CHECK:         keratin.compare ne
// CHECK:         keratin.compare lt
// CHECK:         keratin.not
// CHECK:         keratin.compare ge
func.func @not_of_comparison(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<i1>, tensor<i1>, tensor<i1>) {
  %0 = keratin.compare eq %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = keratin.not %0 : (tensor<i1>) -> tensor<i1>
  %2 = keratin.compare lt %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = keratin.not %2 : (tensor<i1>) -> tensor<i1>
  %4 = keratin.compare lt %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %5 = keratin.not %4 : (tensor<i1>) -> tensor<i1>
  return %1, %3, %5 : tensor<i1>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: func.func @casts_that_lose_nothing_merge
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf16>, %[[I:.*]]: tensor<4xi8>)
// CHECK-NEXT:    %[[A:.*]] = keratin.cast %[[X]] : (tensor<4xf16>) -> tensor<4xi32>
// CHECK-NEXT:    %[[B:.*]] = keratin.cast %[[I]] : (tensor<4xi8>) -> tensor<4xf32>
// CHECK-NEXT:    return %[[X]], %[[A]], %[[B]]
func.func @casts_that_lose_nothing_merge(%x: tensor<4xf16>, %i: tensor<4xi8>) -> (tensor<4xf16>, tensor<4xi32>, tensor<4xf32>) {
  %0 = keratin.cast %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = keratin.cast %0 : (tensor<4xf32>) -> tensor<4xf16>
  %2 = keratin.cast %0 : (tensor<4xf32>) -> tensor<4xi32>
  %3 = keratin.cast %i : (tensor<4xi8>) -> tensor<4xi64>
  %4 = keratin.cast %3 : (tensor<4xi64>) -> tensor<4xf32>
  return %1, %2, %4 : tensor<4xf16>, tensor<4xi32>, tensor<4xf32>
}

// To float and to a smaller integer saturates; straight it would wrap. A smaller float loses digits.
// CHECK-LABEL: func.func @casts_that_lose_stay
// CHECK-COUNT-4: keratin.cast
func.func @casts_that_lose_stay(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi8>) {
  %0 = keratin.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = keratin.cast %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = keratin.cast %i : (tensor<4xi32>) -> tensor<4xf64>
  %3 = keratin.cast %2 : (tensor<4xf64>) -> tensor<4xi8>
  return %1, %3 : tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @size_needs_no_computed_value
// CHECK-SAME:  (%[[X:[a-z0-9]*]]:
// CHECK-NEXT:    %[[D:.*]] = keratin.dim %[[X]] {axis = 0 : i64}
// CHECK-NEXT:    return %[[D]]
func.func @size_needs_no_computed_value(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<i64> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4x?xf32, #keratin.dims<4, d0>>
  %1 = keratin.dim %0 {axis = 1 : i64} : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<i64>
  return %1 : tensor<i64>
}

//===-- Broadcasts --------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @work_is_done_on_the_small_shape
// CHECK-SAME:  (%[[S:.*]]: tensor<f32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[R:.*]] = keratin.broadcast %[[S]] dims = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[M:.*]] = keratin.mul %[[R]], %[[B]]
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[M]]
// CHECK-NEXT:    %[[Y:.*]] = keratin.broadcast %[[E]] dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @work_is_done_on_the_small_shape(%s: tensor<f32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<2x4xf32>
  %1 = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = keratin.mul %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = keratin.exp %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @outer_sum_stays_large
// CHECK-COUNT-2: keratin.broadcast
// CHECK:         keratin.add {{.*}} -> tensor<2x4xf32>
func.func @outer_sum_stays_large(%a: tensor<2xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = keratin.broadcast %a dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %1 = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = keratin.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @keepdims_reshape_goes_into_broadcast
// CHECK-NEXT:    %[[Y:.*]] = keratin.broadcast %arg0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
// CHECK-NEXT:    return %[[Y]]
func.func @keepdims_reshape_goes_into_broadcast(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> {
  %0 = keratin.reshape %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1xf32, #keratin.dims<d0, 1>>
  %1 = keratin.broadcast %0 dims = [0, 1] : (tensor<?x1xf32, #keratin.dims<d0, 1>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %1 : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

//===-- Moves -------------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @transposes_cancel_through_elementwise_ops
// CHECK-SAME:  (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[S:.*]] = keratin.add %[[X]], %[[Y]]
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[S]]
// CHECK-NEXT:    return %[[E]]
func.func @transposes_cancel_through_elementwise_ops(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = keratin.transpose %y permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = keratin.add %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = keratin.exp %2 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = keratin.transpose %3 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @slices_merge
// CHECK-NEXT:    %[[S:.*]] = keratin.slice %arg0 starts = <7> strides = [6] : (tensor<40xf32>) -> tensor<3xf32>
// CHECK-NEXT:    return %[[S]]
func.func @slices_merge(%x: tensor<40xf32>) -> tensor<3xf32> {
  %0 = keratin.slice %x starts = <1> strides = [2] : (tensor<40xf32>) -> tensor<15xf32>
  %1 = keratin.slice %0 starts = <3> strides = [3] : (tensor<15xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Rows that stand twice are gathered from where they stand first.
// CHECK-LABEL: func.func @gather_of_repeated
// CHECK-DAG:     %[[I:.*]] = keratin.constant dense<[4, 0, 1, 2, 1]> : tensor<5xi32>
// CHECK-DAG:     %[[XY:.*]] = keratin.concatenate %arg0, %arg1
// CHECK:         keratin.gather %[[XY]], %[[I]]
func.func @gather_of_repeated(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<5x3xf32> {
  %i = keratin.constant dense<[4, 5, 6, 2, 1]> : tensor<5xi32>
  %0 = keratin.concatenate %x, %y, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<7x3xf32>
  %1 = keratin.gather %0, %i : (tensor<7x3xf32>, tensor<5xi32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// Not where a place is beyond the last row, which is said of the rows as they are; nor where places are not known.
// CHECK-LABEL: func.func @gather_beyond_repeated
// CHECK-COUNT-2: keratin.concatenate %arg0, %arg0
func.func @gather_beyond_repeated(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %far = keratin.constant dense<[1, 4]> : tensor<2xi32>
  %0 = keratin.concatenate %x, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = keratin.gather %0, %far : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  %2 = keratin.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %3 = keratin.concatenate %x, %x, %2 {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  %4 = keratin.gather %3, %i : (tensor<6xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %1, %4 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @slice_picks_one_of_concatenated
// CHECK-NEXT:    %[[S:.*]] = keratin.slice %arg1 starts = <1, 0> strides = [1, 1] : (tensor<4x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT:    return %[[S]], %arg0
func.func @slice_picks_one_of_concatenated(%x: tensor<3x2xf32>, %y: tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<3x2xf32>) {
  %0 = keratin.concatenate %x, %y {axis = 0 : i64} : (tensor<3x2xf32>, tensor<4x2xf32>) -> tensor<7x2xf32>
  %1 = keratin.slice %0 starts = <4, 0> strides = [1, 1] : (tensor<7x2xf32>) -> tensor<2x2xf32>
  %2 = keratin.slice %0 starts = <0, 0> strides = [1, 1] : (tensor<7x2xf32>) -> tensor<3x2xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @slice_undoes_pad
// CHECK-NEXT:    return %arg0
func.func @slice_undoes_pad(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = keratin.pad %x low = <2> interior = [1] : (tensor<3xf32>) -> tensor<9xf32>
  %1 = keratin.slice %0 starts = <2> strides = [2] : (tensor<9xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

//===-- Reductions --------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @reductions_merge
// CHECK-NEXT:    %[[S:.*]] = keratin.reduce_sum %arg0 axes = [0, 2] : (tensor<2x3x4xf32>) -> tensor<3xf32>
// CHECK-NEXT:    return %[[S]]
func.func @reductions_merge(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %0 = keratin.reduce_sum %x axes = [2] : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %1 = keratin.reduce_sum %0 axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func.func @sum_of_repeated_is_a_product
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = keratin.reduce_sum %[[X]] axes = [0] : (tensor<4xf32>) -> tensor<f32>
// CHECK:         %[[Y:.*]] = keratin.mul %[[R]], %{{.*}}
// CHECK-NEXT:    return %[[Y]]
func.func @sum_of_repeated_is_a_product(%x: tensor<4xf32>) -> tensor<f32> {
  %0 = keratin.broadcast %x dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = keratin.reduce_sum %0 axes = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// Over nothing the sum is 0, even of infinities.
// CHECK-LABEL: func.func @sum_of_perhaps_nothing_stays
// CHECK:         keratin.reduce_sum
// CHECK-NOT:     keratin.mul
// CHECK:         return
func.func @sum_of_perhaps_nothing_stays(%x: tensor<f32>) -> tensor<f32> {
  %0 = keratin.broadcast %x dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.reduce_sum %0 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @max_of_transposed_needs_no_transpose
// CHECK-NEXT:    %[[M:.*]] = keratin.reduce_max %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return %[[M]]
func.func @max_of_transposed_needs_no_transpose(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = keratin.reduce_max %0 axes = [0] : (tensor<3x2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

//===-- Contractions ------------------------------------------------------------------------------===//

// x^T w^T, transposed: w x with other numbers.
// CHECK-LABEL: func.func @contraction_absorbs_transposes
// CHECK-SAME:  (%[[X:.*]]: tensor<3x2xf32>, %[[W:.*]]: tensor<5x3xf32>)
// CHECK-NEXT:    %[[Y:.*]] = keratin.dot_general %[[W]], %[[X]] batch = [] x [] contract = [1] x [0]
// CHECK-NEXT:    return %[[Y]]
func.func @contraction_absorbs_transposes(%x: tensor<3x2xf32>, %w: tensor<5x3xf32>) -> tensor<5x2xf32> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %1 = keratin.transpose %w permutation = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %3 = keratin.transpose %2 permutation = [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>
  return %3 : tensor<5x2xf32>
}

// The order of a's free dimensions is the order of the result's.
// CHECK-LABEL: func.func @contraction_keeps_transpose_of_free_dimensions
// CHECK:         keratin.transpose
// CHECK:         keratin.dot_general
func.func @contraction_keeps_transpose_of_free_dimensions(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<3x2x5xf32> {
  %0 = keratin.transpose %x permutation = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = keratin.dot_general %0, %w batch = [] x [] contract = [2] x [0] : (tensor<3x2x4xf32>, tensor<4x5xf32>) -> tensor<3x2x5xf32>
  return %1 : tensor<3x2x5xf32>
}

// CHECK-LABEL: func.func @batch_dimensions_take_any_order
// CHECK-NEXT:    %[[Y:.*]] = keratin.dot_general %arg0, %arg1 batch = [1] x [0] contract = [2] x [1]
// CHECK-NEXT:    return %[[Y]]
func.func @batch_dimensions_take_any_order(%x: tensor<2x7x3xf32>, %y: tensor<7x3x5xf32>) -> tensor<7x2x5xf32> {
  %0 = keratin.transpose %x permutation = [1, 0, 2] : (tensor<2x7x3xf32>) -> tensor<7x2x3xf32>
  %1 = keratin.dot_general %0, %y batch = [0] x [0] contract = [2] x [1] : (tensor<7x2x3xf32>, tensor<7x3x5xf32>) -> tensor<7x2x5xf32>
  return %1 : tensor<7x2x5xf32>
}

//===-- Gradients ---------------------------------------------------------------------------------===//

// %0 is %x, but only one of its uses is what the gradient asks for.
// CHECK-LABEL: func.func @value_that_gradients_are_taken_of_stays_apart
// CHECK-NEXT:    %[[I:.*]] = keratin.identity %arg0
// CHECK-NEXT:    %[[M:.*]] = keratin.mul %[[I]], %arg0
// CHECK-NEXT:    %[[G:.*]] = keratin.gradients %[[M]] wrt %[[I]]
// CHECK-NEXT:    return %[[G]]
func.func @value_that_gradients_are_taken_of_stays_apart(%x: tensor<f32>) -> tensor<f32> {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %0 = keratin.mul %x, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.mul %0, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.gradients %1 wrt %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// With d0 = 0 the gradient of %s is a sum of nothing; log(%s) by itself would make it 0 / %s.
// CHECK-LABEL: func.func @broadcast_that_may_be_empty_stays_until_gradients_are_expanded
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %arg0
// CHECK-NEXT:    %[[L:.*]] = keratin.log %[[B]]
// CHECK:         keratin.gradients
func.func @broadcast_that_may_be_empty_stays_until_gradients_are_expanded(%s: tensor<f32>, %n: tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32> {
  %0 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.log %0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.mul %1, %n : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %3 = keratin.gradients %2 wrt %s : (tensor<?xf32, #keratin.dims<d0>>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// CHECK-LABEL: func.func @broadcast_that_is_never_empty_moves_before_gradients
// CHECK-NEXT:    %[[L:.*]] = keratin.log %arg0
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[L]]
// CHECK:         keratin.gradients
func.func @broadcast_that_is_never_empty_moves_before_gradients(%s: tensor<f32>, %n: tensor<4xf32>) -> tensor<f32> {
  %0 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.mul %1, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.gradients %2 wrt %s : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// Of a table that was gathered from twice: rows that follow each other.
// CHECK-LABEL: func.func @scatters_together
// CHECK-DAG:     %[[J:.*]] = keratin.reshape %arg2 : (tensor<2x2xi32>) -> tensor<4xi32>
// CHECK-DAG:     %[[V:.*]] = keratin.reshape %arg3 : (tensor<2x2x8xf32>) -> tensor<4x8xf32>
// CHECK-DAG:     %[[I:.*]] = keratin.concatenate %arg0, %[[J]]
// CHECK-DAG:     %[[U:.*]] = keratin.concatenate %arg1, %[[V]]
// CHECK:         %[[SUM:.*]] = keratin.scatter_add %[[I]], %[[U]]
// CHECK:         return %[[SUM]]
func.func @scatters_together(%i: tensor<3xi32>, %u: tensor<3x8xf32>, %j: tensor<2x2xi32>, %v: tensor<2x2x8xf32>) -> tensor<9x8xf32> {
  %0 = keratin.scatter_add %i, %u : (tensor<3xi32>, tensor<3x8xf32>) -> tensor<9x8xf32>
  %1 = keratin.scatter_add %j, %v : (tensor<2x2xi32>, tensor<2x2x8xf32>) -> tensor<9x8xf32>
  %2 = keratin.add %0, %1 : (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
  return %2 : tensor<9x8xf32>
}

// To copy the rows would take longer than to add the tables.
// CHECK-LABEL: func.func @no_scatters_together_of_more_rows_than_the_table_has
// CHECK:         keratin.scatter_add
// CHECK:         keratin.scatter_add
// CHECK:         keratin.add
func.func @no_scatters_together_of_more_rows_than_the_table_has(%i: tensor<3xi32>, %u: tensor<3x8xf32>, %j: tensor<4xi32>, %v: tensor<4x8xf32>) -> tensor<6x8xf32> {
  %0 = keratin.scatter_add %i, %u : (tensor<3xi32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  %1 = keratin.scatter_add %j, %v : (tensor<4xi32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %2 = keratin.add %0, %1 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
