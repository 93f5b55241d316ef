// RUN: keratin-opt %s --keratin-normalize-contractions | FileCheck %s
// RUN: keratin-opt %s --keratin-normalize-contractions | keratin-check --function=columns_between_depths | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --function=columns_between_depths | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --function=columns_between_depths --compiled | FileCheck %s --check-prefix=VALUE

// Rows, depth and columns each have one stride, wherever they stand: a transposed operand is only walked differently.
// CHECK-LABEL: func.func @transposed_operands_stay
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [0] x [1]
func.func @transposed_operands_stay(%a: tensor<?x2xf32, #keratin.dims<d0, 2>>, %b: tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<2x4xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [0] x [1] : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Heads inside: batch, rows and depth stand apart, but each is one dimension.
// CHECK-LABEL: func.func @inner_batch_stays
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @inner_batch_stays(%a: tensor<5x3x4xf32>, %b: tensor<7x3x4xf32>) -> tensor<3x5x7xf32> {
  %y = keratin.dot_general %a, %b batch = [1] x [1] contract = [2] x [2] : (tensor<5x3x4xf32>, tensor<7x3x4xf32>) -> tensor<3x5x7xf32>
  return %y : tensor<3x5x7xf32>
}

// Two contracted dimensions that follow each other in both operands are one.
// CHECK-LABEL: func.func @neighbouring_depths_stay
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @neighbouring_depths_stay(%a: tensor<2x3x5xf32>, %b: tensor<3x5x7xf32>) -> tensor<2x7xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1, 2] x [0, 1] : (tensor<2x3x5xf32>, tensor<3x5x7xf32>) -> tensor<2x7xf32>
  return %y : tensor<2x7xf32>
}

// A dimension of size one takes no steps.
// CHECK-LABEL: func.func @size_one_between_depths_stays
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @size_one_between_depths_stays(%a: tensor<2x3x5xf32>, %b: tensor<3x1x5xf32>) -> tensor<2x1xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1, 2] x [0, 2] : (tensor<2x3x5xf32>, tensor<3x1x5xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// The depth of b steps over the columns between: b is copied with them first, since its rows are of the depth.
// CHECK-LABEL: func.func @columns_between_depths
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x3x2xf32>{{.*}}, %[[B:[^:]*]]: tensor<3x2x2xf32>
// CHECK:         %[[T:.*]] = keratin.transpose %[[B]] permutation = [1, 0, 2]
// CHECK:         keratin.dot_general %[[A]], %[[T]] batch = [] x [] contract = [1, 2] x [1, 2]
// VALUE:      result #0: tensor<2x2xf32> {{\[}}[101, 131], [128, 170]]
func.func @columns_between_depths(%a: tensor<2x3x2xf32> {check.value = dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<2x3x2xf32>},
                                  %b: tensor<3x2x2xf32> {check.value = dense<[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]], [[8.0, 9.0], [10.0, 11.0]]]> : tensor<3x2x2xf32>}) -> tensor<2x2xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1, 2] x [0, 2] : (tensor<2x3x2xf32>, tensor<3x2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Rows of memory stay rows here, too.
// CHECK-LABEL: func.func @rows_around_the_depth
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x3x5xf32>, %[[B:[^:]*]]: tensor<3x4xf32>
// CHECK:         %[[T:.*]] = keratin.transpose %[[A]] permutation = [1, 0, 2]
// CHECK:         keratin.dot_general %[[T]], %[[B]] batch = [] x [] contract = [0] x [0]
func.func @rows_around_the_depth(%a: tensor<2x3x5xf32>, %b: tensor<3x4xf32>) -> tensor<2x5x4xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x3x5xf32>, tensor<3x4xf32>) -> tensor<2x5x4xf32>
  return %y : tensor<2x5x4xf32>
}

// The kernel would transpose the weights at each step. A single row reads them as they are; so does a product of what changes from step to step.
// CHECK-LABEL: func.func @weights_of_a_loop
// CHECK:         ^bb0(%{{[a-z0-9]+}}: tensor<i64>, %[[S:[a-z0-9]+]]: tensor<2x4xf32>, %[[R:[a-z0-9]+]]: tensor<1x4xf32>, %[[V:[a-z0-9]+]]: tensor<4x4xf32>)
// CHECK-NEXT:      %[[T:.*]] = keratin.transpose %[[V]] permutation = [1, 0]
// CHECK-NEXT:      keratin.dot_general %[[S]], %[[T]] batch = [] x [] contract = [1] x [0]
// CHECK-NEXT:      keratin.dot_general %[[R]], %[[V]] batch = [] x [] contract = [1] x [1]
// CHECK-NEXT:      keratin.dot_general %[[S]], %[[S]] batch = [] x [] contract = [1] x [1]
// CHECK-NOT:     keratin.transpose
func.func @weights_of_a_loop(%h: tensor<2x4xf32>, %r: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<1x4xf32>, tensor<?x2x2xf32, #keratin.dims<d0, 2, 2>>) {
  %0:3 = keratin.scan length = #keratin.dims<d0> init(%h, %r) over() with(%w) : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<1x4xf32>, tensor<?x2x2xf32, #keratin.dims<d0, 2, 2>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %row: tensor<1x4xf32>, %v: tensor<4x4xf32>):
    %1 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [1] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.dot_general %row, %v batch = [] x [] contract = [1] x [1] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %3 = keratin.dot_general %s, %s batch = [] x [] contract = [1] x [1] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
    keratin.yield %1, %2, %3 : tensor<2x4xf32>, tensor<1x4xf32>, tensor<2x2xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<2x4xf32>, tensor<1x4xf32>, tensor<?x2x2xf32, #keratin.dims<d0, 2, 2>>
}
