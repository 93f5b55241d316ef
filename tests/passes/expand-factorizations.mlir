// RUN: keratin-opt %s --keratin-expand-factorizations --cse | FileCheck %s
// RUN: keratin-opt %s --keratin-expand-factorizations=bytes-at-once=0 --cse | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @a_block_is_a_loop_over_rows
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<4x4xf32>)
// CHECK:         %[[T:.*]] = keratin.transpose %[[X]]
// CHECK:         keratin.scan length = <4> init(%[[T]]) over() with()
// CHECK:           keratin.sqrt
// CHECK-NOT:     keratin.dot_general
// CHECK:         %[[FAILS:.*]] = keratin.reduce_any
// CHECK:         %[[EACH:.*]] = keratin.broadcast %[[FAILS]]
// CHECK:         %[[Y:.*]] = keratin.select %[[EACH]], %{{.*}}, %{{.*}}
// CHECK-NEXT:    return %[[Y]]
func.func @a_block_is_a_loop_over_rows(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = keratin.cholesky %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @many_small_matrices_have_the_batch_last
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<8x4x5x5xf32>)
// CHECK:         %[[T:.*]] = keratin.transpose %[[X]] {{.*}}tensor<5x5x8x4xf32>
// CHECK:         keratin.scan length = <5> init(%[[T]]) over() with()
// CHECK:         keratin.transpose {{.*}} : (tensor<5x5x8x4xf32>) -> tensor<8x4x5x5xf32>
func.func @many_small_matrices_have_the_batch_last(%x: tensor<8x4x5x5xf32>) -> tensor<8x4x5x5xf32> {
  %y = keratin.cholesky %x : (tensor<8x4x5x5xf32>) -> tensor<8x4x5x5xf32>
  return %y : tensor<8x4x5x5xf32>
}

// CHECK-LABEL: func.func @few_small_matrices_do_not
// CHECK:         keratin.scan length = <5> init(%{{.*}}) over() with() : (tensor<7x5x5xf32>)
func.func @few_small_matrices_do_not(%x: tensor<7x5x5xf32>) -> tensor<7x5x5xf32> {
  %y = keratin.cholesky %x : (tensor<7x5x5xf32>) -> tensor<7x5x5xf32>
  return %y : tensor<7x5x5xf32>
}

// CHECK-LABEL: func.func @rows_before_a_panel_are_taken_from_it_at_once
// CHECK-COUNT-1: keratin.scan length = <32>
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [0] x [0] contract = [1] x [1] : (tensor<2x32x32xf32>, tensor<2x32x48xf32>)
// CHECK:         keratin.scan length = <32>
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [0] x [0] contract = [1] x [1] : (tensor<2x64x16xf32>, tensor<2x64x16xf32>)
// CHECK:         keratin.scan length = <16>
// CHECK-NOT:     keratin.scan
func.func @rows_before_a_panel_are_taken_from_it_at_once(%x: tensor<2x80x80xf32>) -> tensor<2x80x80xf32> {
  %y = keratin.cholesky %x : (tensor<2x80x80xf32>) -> tensor<2x80x80xf32>
  return %y : tensor<2x80x80xf32>
}

// CHECK-LABEL: func.func @an_unknown_size_is_one_block
// CHECK-COUNT-1: keratin.scan length = <d0>
// CHECK-NOT:     keratin.scan
func.func @an_unknown_size_is_one_block(%x: tensor<?x?xf32, #keratin.dims<d0, d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>> {
  %y = keratin.cholesky %x : (tensor<?x?xf32, #keratin.dims<d0, d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>>
  return %y : tensor<?x?xf32, #keratin.dims<d0, d0>>
}

// CHECK-LABEL: func.func @nothing_needs_no_loop
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<3x0x0xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @nothing_needs_no_loop(%x: tensor<3x0x0xf32>) -> tensor<3x0x0xf32> {
  %y = keratin.cholesky %x : (tensor<3x0x0xf32>) -> tensor<3x0x0xf32>
  return %y : tensor<3x0x0xf32>
}

// CHECK-LABEL: func.func @narrow_floats_are_widened
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<4x4xf16>)
// CHECK-NEXT:    keratin.cast %[[X]] : (tensor<4x4xf16>) -> tensor<4x4xf32>
// CHECK:         %[[Y:.*]] = keratin.cast %{{.*}} : (tensor<4x4xf32>) -> tensor<4x4xf16>
// CHECK-NEXT:    return %[[Y]]
func.func @narrow_floats_are_widened(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %y = keratin.cholesky %x : (tensor<4x4xf16>) -> tensor<4x4xf16>
  return %y : tensor<4x4xf16>
}

// A column is an element of the loop; rows are divided by their pivots, from the first or from the
// last one.
// CHECK-LABEL: func.func @substitution
// CHECK-SAME:  (%[[A:[a-z0-9]+]]: tensor<4x4xf32>, %[[B:[a-z0-9]+]]: tensor<4x2xf32>)
// CHECK:         %[[C:.*]] = keratin.transpose %[[A]]
// CHECK:         keratin.scan length = <4> init(%[[B]]) over(%[[C]]) with()
// CHECK:           keratin.div
// CHECK:         keratin.scan length = <4> reverse init(%[[B]]) over(%[[A]]) with()
// CHECK:           keratin.div
// CHECK:         keratin.scan length = <4> reverse init(%[[B]]) over(%[[C]]) with()
// CHECK-NOT:       keratin.div
// CHECK:         return
func.func @substitution(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = keratin.triangular_solve %a, %b {lower} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = keratin.triangular_solve %a, %b {lower, transposed} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = keratin.triangular_solve %a, %b {unit_diagonal} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @halves_of_many_rows_meet_in_a_contraction
// CHECK:         keratin.scan length = <32> init
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [1] x [0] : (tensor<8x32xf32>, tensor<32x2xf32>)
// CHECK:         keratin.scan length = <8> init
// CHECK:         keratin.concatenate
func.func @halves_of_many_rows_meet_in_a_contraction(%a: tensor<40x40xf32>, %b: tensor<40x2xf32>) -> tensor<40x2xf32> {
  %0 = keratin.triangular_solve %a, %b {lower} : (tensor<40x40xf32>, tensor<40x2xf32>) -> tensor<40x2xf32>
  return %0 : tensor<40x2xf32>
}

// CHECK-LABEL: func.func @elimination_exchanges_rows
// CHECK:         keratin.scan length = <min(d0, d1)> init
// CHECK:           keratin.arg_max
// CHECK:         return
func.func @elimination_exchanges_rows(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>) -> (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?xi64, #keratin.dims<d0>>) {
  %0:2 = keratin.lu %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?xi64, #keratin.dims<d0>>)
  return %0#0, %0#1 : tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?xi64, #keratin.dims<d0>>
}

// What a panel exchanges the rest exchanges afterwards; then it is solved with, and taken away.
// CHECK-LABEL: func.func @elimination_by_panels
// CHECK:         keratin.scan length = <16> init
// CHECK:           keratin.arg_max
// CHECK:           keratin.gather
// CHECK:         keratin.gather
// CHECK:         keratin.scan length = <16> init
// CHECK-NOT:       keratin.arg_max
// CHECK:         keratin.dot_general
// CHECK:         keratin.scan length = <8> init
// CHECK:           keratin.arg_max
// CHECK:         return
func.func @elimination_by_panels(%x: tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xi64>) {
  %0:2 = keratin.lu %x : (tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xi64>)
  return %0#0, %0#1 : tensor<24x24xf32>, tensor<24xi64>
}

// CHECK-LABEL: func.func @more_rows_in_wider_panels
// CHECK:         keratin.scan length = <32> init
// CHECK:           keratin.arg_max
func.func @more_rows_in_wider_panels(%x: tensor<160x160xf32>) -> (tensor<160x160xf32>, tensor<160xi64>) {
  %0:2 = keratin.lu %x : (tensor<160x160xf32>) -> (tensor<160x160xf32>, tensor<160xi64>)
  return %0#0, %0#1 : tensor<160x160xf32>, tensor<160xi64>
}

// More than caches hold: 8 of 32 KiB are done at once.
// CHECK-LABEL: func.func @many_matrices_in_groups
// CHECK:         keratin.reshape {{.*}} -> tensor<125x8x64x64xf32>
// CHECK:         keratin.scan length = <125> init() over({{.*}}) {{.*}} -> tensor<125x8x64x64xf32>
// CHECK:           keratin.scan length = <32>
// CHECK:         return
// WHOLE-LABEL: func.func @many_matrices_in_groups
// WHOLE-NOT:     keratin.scan length = <125>
// WHOLE:         keratin.scan length = <32> init(%{{.*}}) {{.*}} : (tensor<50x20x32x64xf32>)
func.func @many_matrices_in_groups(%x: tensor<50x20x64x64xf32>) -> tensor<50x20x64x64xf32> {
  %0 = keratin.cholesky %x : (tensor<50x20x64x64xf32>) -> tensor<50x20x64x64xf32>
  return %0 : tensor<50x20x64x64xf32>
}

// A prime number of them: seven are left over.
// CHECK-LABEL: func.func @what_groups_leave_over
// CHECK:         keratin.scan length = <6> init() over({{.*}}) {{.*}} -> tensor<6x15x64x1xf32>
// CHECK:         keratin.concatenate {{.*}} : (tensor<90x64x1xf32>, tensor<7x64x1xf32>) -> tensor<97x64x1xf32>
func.func @what_groups_leave_over(%a: tensor<97x64x64xf32>, %b: tensor<97x64x1xf32>) -> tensor<97x64x1xf32> {
  %0 = keratin.triangular_solve %a, %b : (tensor<97x64x64xf32>, tensor<97x64x1xf32>) -> tensor<97x64x1xf32>
  return %0 : tensor<97x64x1xf32>
}

// CHECK-LABEL: func.func @a_batch_of_unknown_size_stays_together
// CHECK-NOT:     init()
// CHECK:         return
func.func @a_batch_of_unknown_size_stays_together(%x: tensor<?x64x64xf32, #keratin.dims<d0, 64, 64>>) -> tensor<?x64x64xf32, #keratin.dims<d0, 64, 64>> {
  %0 = keratin.cholesky %x : (tensor<?x64x64xf32, #keratin.dims<d0, 64, 64>>) -> tensor<?x64x64xf32, #keratin.dims<d0, 64, 64>>
  return %0 : tensor<?x64x64xf32, #keratin.dims<d0, 64, 64>>
}
