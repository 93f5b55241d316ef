// Columns that do not fill their few panels are read through masks where they are. Nothing packs fewer than a vector
// has lanes, for however many rows, unless their rows lie far apart. Machines without such masks pack the last panel.
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefixes=PLAN,V4
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefixes=PLAN,V3
// RUN: keratin-check %s --compiled --function=classes --symbol=0=1 | FileCheck %s
// RUN: keratin-check %s --compiled --function=classes --symbol=0=2 | FileCheck %s
// RUN: keratin-check %s --compiled --function=classes --symbol=0=37 | FileCheck %s
// RUN: keratin-check %s --compiled --function=classes --symbol=0=130 | FileCheck %s
// RUN: keratin-check %s --compiled --function=hundred --symbol=0=37 | FileCheck %s

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}

// PLAN-LABEL: function classes
// PLAN:      nest: batch 1, m d0, n 10, k 520
// V4:        schedule: tiles of 16 rows x 1 vectors x 16 lanes, of 8 or 4 rows for the rest
// V4-NEXT:   A: in place
// V4-NEXT:   B: in place{{$}}
// V4-NEXT:   of few rows, schedule: tiles of up to 4 rows x 4 vectors x 16 lanes over the whole depth, B in place; units of 256 columns
// V3:        B: in place, packed for more than 24 rows, its last panel always
// V3-NEXT:   of few rows, schedule: tiles of up to 4 rows x 2 vectors x 8 lanes over the whole depth, B in place; units of 64 columns
func.func @classes(%x: tensor<?x520xf32, #keratin.dims<d0, 520>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<520x10xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x10xf32, #keratin.dims<d0, 10>> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x520xf32, #keratin.dims<d0, 520>>, tensor<520x10xf32>) -> tensor<?x10xf32, #keratin.dims<d0, 10>>
  return %0 : tensor<?x10xf32, #keratin.dims<d0, 10>>
}

// PLAN-LABEL: function apart
// PLAN:      nest: batch 3, m d0, n 10, k 64
// V4:        B: in place, packed for more than 64 rows{{$}}
func.func @apart(%x: tensor<3x?x64xf32, #keratin.dims<3, d0, 64>> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<64x3x10xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<3x?x10xf32, #keratin.dims<3, d0, 10>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [0] x [1] contract = [2] x [0] : (tensor<3x?x64xf32, #keratin.dims<3, d0, 64>>, tensor<64x3x10xf32>) -> tensor<3x?x10xf32, #keratin.dims<3, d0, 10>>
  return %0 : tensor<3x?x10xf32, #keratin.dims<3, d0, 10>>
}

// PLAN-LABEL: function hundred
// V4:        B: in place, packed for more than 56 rows{{$}}
// V3:        B: in place, packed for more than 24 rows, its last panel always
func.func @hundred(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<64x100xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x100xf32, #keratin.dims<d0, 100>> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 4 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<64x100xf32>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  return %0 : tensor<?x100xf32, #keratin.dims<d0, 100>>
}

// PLAN-LABEL: function thousand
// PLAN:      B: in place, packed for more than {{[0-9]+}} rows, its last panel always
func.func @thousand(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
                    %w: tensor<64x1000xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<64x1000xf32>) -> tensor<?x1000xf32, #keratin.dims<d0, 1000>>
  return %0 : tensor<?x1000xf32, #keratin.dims<d0, 1000>>
}
