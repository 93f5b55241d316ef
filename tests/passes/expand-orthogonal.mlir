// RUN: keratin-opt %s --keratin-expand-factorizations --cse | FileCheck %s

// The reflections of all columns, then their triangle by which both factors follow.
// CHECK-LABEL: func.func @a_panel_of_reflections_is_a_loop_over_columns
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<6x4xf32>)
// CHECK:         %[[T:.*]] = keratin.transpose %[[X]]
// CHECK:         keratin.scan length = <4> init(%[[T]])
// CHECK:           keratin.sqrt
// CHECK:         keratin.dot_general
// CHECK:         keratin.scan length = <4>
// CHECK-NOT:     keratin.scan
// CHECK:         return
func.func @a_panel_of_reflections_is_a_loop_over_columns(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x4xf32>) {
  %y:2 = keratin.qr %x : (tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x4xf32>)
  return %y#0, %y#1 : tensor<6x4xf32>, tensor<4x4xf32>
}

// As many of its columns as there are rows are reflected; the others take part.
// CHECK-LABEL: func.func @more_columns_than_rows
// CHECK:         keratin.scan length = <4> init(%{{.*}}) {{.*}} : (tensor<4x4xf32>, tensor<i64>)
// CHECK:         -> tensor<6x4xf32>
// CHECK:         return
func.func @more_columns_than_rows(%x: tensor<4x6xf32>) -> (tensor<4x4xf32>, tensor<4x6xf32>) {
  %y:2 = keratin.qr %x : (tensor<4x6xf32>) -> (tensor<4x4xf32>, tensor<4x6xf32>)
  return %y#0, %y#1 : tensor<4x4xf32>, tensor<4x6xf32>
}

// Three panels, the last of which has columns that the matrix has not.
// CHECK-LABEL: func.func @panels_are_a_loop_of_loops
// CHECK:         keratin.pad %{{.*}} -> tensor<96x80xf32>
// CHECK:         keratin.scan length = <3>
// CHECK:           keratin.dynamic_slice {{.*}} -> tensor<32x80xf32>
// CHECK:           keratin.scan length = <32>
// CHECK:           keratin.dot_general
// CHECK:         keratin.scan length = <3> reverse
// CHECK-NOT:     keratin.scan
func.func @panels_are_a_loop_of_loops(%x: tensor<80x70xf32>) -> (tensor<80x70xf32>, tensor<70x70xf32>) {
  %y:2 = keratin.qr %x : (tensor<80x70xf32>) -> (tensor<80x70xf32>, tensor<70x70xf32>)
  return %y#0, %y#1 : tensor<80x70xf32>, tensor<70x70xf32>
}

// CHECK-LABEL: func.func @panels_of_unknown_sizes
// CHECK:         keratin.scan length = <floordiv(min(d0, d1) + 31, 32)>
func.func @panels_of_unknown_sizes(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?x?xf32, #keratin.dims<d0, min(d0, d1)>>, tensor<?x?xf32, #keratin.dims<min(d0, d1), d1>>) {
  %y:2 = keratin.qr %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>)
      -> (tensor<?x?xf32, #keratin.dims<d0, min(d0, d1)>>, tensor<?x?xf32, #keratin.dims<min(d0, d1), d1>>)
  return %y#0, %y#1 : tensor<?x?xf32, #keratin.dims<d0, min(d0, d1)>>, tensor<?x?xf32, #keratin.dims<min(d0, d1), d1>>
}

// A sweep has as many rounds as a row meets others: three pairs of five rows and one of zeros.
// CHECK-LABEL: func.func @eigenvectors_are_rows_that_are_turned
// CHECK:         keratin.pad %{{.*}} -> tensor<2x6x5xf32>
// CHECK:         keratin.while at_most = <30>
// CHECK:           keratin.scan length = <5>
// CHECK:             keratin.concatenate
// CHECK:         keratin.top_k
func.func @eigenvectors_are_rows_that_are_turned(%x: tensor<2x5x5xf32>) -> (tensor<2x5xf32>, tensor<2x5x5xf32>) {
  %y:2 = keratin.eigh %x : (tensor<2x5x5xf32>) -> (tensor<2x5xf32>, tensor<2x5x5xf32>)
  return %y#0, %y#1 : tensor<2x5xf32>, tensor<2x5x5xf32>
}

// Panels of reflections from both sides, the second on what the first leaves; then three levels of
// nodes, of which the first has eight.
// CHECK-LABEL: func.func @many_rows_become_tridiagonal
// CHECK:         keratin.scan length = <16> init({{.*}}) {{.*}} : (tensor<40x40xf32>, tensor<40xf32>, tensor<40xf32>)
// CHECK:         keratin.scan length = <16> init({{.*}}) {{.*}} : (tensor<24x24xf32>, tensor<24xf32>, tensor<24xf32>)
// CHECK:         keratin.scan length = <8> init({{.*}}) {{.*}} : (tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK:         keratin.while at_most = <30> {{.*}} tensor<8x3x5xf32>
// CHECK:         keratin.while at_most = <128> {{.*}} tensor<4x10xf32>
// CHECK:         keratin.while at_most = <128> {{.*}} tensor<2x20xf32>
// CHECK:         keratin.while at_most = <128> {{.*}} tensor<1x40xf32>
// CHECK-NOT:     keratin.while
// CHECK:         return
func.func @many_rows_become_tridiagonal(%x: tensor<40x40xf32>) -> (tensor<40xf32>, tensor<40x40xf32>) {
  %y:2 = keratin.eigh %x : (tensor<40x40xf32>) -> (tensor<40xf32>, tensor<40x40xf32>)
  return %y#0, %y#1 : tensor<40xf32>, tensor<40x40xf32>
}

// CHECK-LABEL: func.func @eigenvalues_alone_multiply_no_reflections
// CHECK-NOT:     reverse
// CHECK:         return
func.func @eigenvalues_alone_multiply_no_reflections(%x: tensor<20x20xf32>) -> tensor<20xf32> {
  %y:2 = keratin.eigh %x : (tensor<20x20xf32>) -> (tensor<20xf32>, tensor<20x20xf32>)
  return %y#0 : tensor<20xf32>
}

// CHECK-LABEL: func.func @singular_values_alone_need_no_vectors
// CHECK:         keratin.while {{.*}} : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>)
func.func @singular_values_alone_need_no_vectors(%x: tensor<7x4xf32>) -> tensor<4xf32> {
  %y:3 = keratin.svd %x : (tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<4xf32>, tensor<4x4xf32>)
  return %y#1 : tensor<4xf32>
}

// The rows that are turned have the unit matrix beside them, which becomes u.
// CHECK-LABEL: func.func @singular_vectors
// CHECK:         keratin.while {{.*}} : (tensor<i1>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<f32>)
func.func @singular_vectors(%x: tensor<4x7xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x7xf32>) {
  %y:3 = keratin.svd %x : (tensor<4x7xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x7xf32>)
  return %y#0, %y#1, %y#2 : tensor<4x4xf32>, tensor<4xf32>, tensor<4x7xf32>
}

// Bidiagonal, which is tridiagonal with twice as many rows; of the last level half are wanted. The
// vectors become two bases.
// CHECK-LABEL: func.func @many_rows_become_bidiagonal
// CHECK:         keratin.scan length = <16> init({{.*}}) {{.*}} : (tensor<20x20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>)
// CHECK:         keratin.scan length = <4> init({{.*}}) {{.*}} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:         keratin.while at_most = <128> {{.*}} tensor<1x40xf32>
// CHECK:         -> tensor<1x20x40xf32>
// CHECK:         keratin.scan length = <20> init(
// CHECK:         keratin.scan length = <20> init(
// CHECK:         return
func.func @many_rows_become_bidiagonal(%x: tensor<20x20xf32>) -> (tensor<20x20xf32>, tensor<20xf32>, tensor<20x20xf32>) {
  %y:3 = keratin.svd %x : (tensor<20x20xf32>) -> (tensor<20x20xf32>, tensor<20xf32>, tensor<20x20xf32>)
  return %y#0, %y#1, %y#2 : tensor<20x20xf32>, tensor<20xf32>, tensor<20x20xf32>
}

// CHECK-LABEL: func.func @nothing_needs_no_loop
// CHECK-NOT:     keratin.scan
// CHECK-NOT:     keratin.while
// CHECK:         return
func.func @nothing_needs_no_loop(%x: tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0xf32>, tensor<0x3xf32>, tensor<0x3xf32>) {
  %y:3 = keratin.svd %x : (tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0xf32>, tensor<0x3xf32>)
  %z:2 = keratin.qr %x : (tensor<0x3xf32>) -> (tensor<0x0xf32>, tensor<0x3xf32>)
  return %y#0, %y#1, %y#2, %z#1 : tensor<0x0xf32>, tensor<0xf32>, tensor<0x3xf32>, tensor<0x3xf32>
}
