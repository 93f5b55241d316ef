// Shallow sums of many rows, with B known and of whole vectors: tiles go through all columns before the next, and store
// out of registers, or in one loop where much is made of them. Deep sums, a large B, columns that fill no vector and B
// between other numbers have panels.
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefix=PLAN
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v3 --function=pixels | FileCheck %s --check-prefix=CODE
// RUN: keratin-check %s --compiled --function=pixels --symbol=0=1 | FileCheck %s
// RUN: keratin-check %s --compiled --function=pixels --symbol=0=17 | FileCheck %s
// RUN: keratin-check %s --compiled --function=pixels --symbol=0=130 | FileCheck %s
// RUN: keratin-check %s --compiled --function=much | FileCheck %s
// RUN: keratin-check %s --compiled --function=uneven | FileCheck %s

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CODE-NOT: keratin_pack
// CODE-NOT: keratin_panel

// PLAN-LABEL: function pixels
// PLAN:      nest: batch 1, m d0, n 72, k 24
// PLAN-NEXT: work: units 2*min(d0, 1) where d0 < 17, else floordiv(d0 + 59, 60),
// PLAN-NEXT: schedule: tiles of 6 rows x 2 vectors x 8 lanes over the whole depth, each through all columns, B in place; stored out of registers; units of 60 rows
// PLAN-NEXT: of few rows,
// V4-LABEL:  function pixels
// V4:        schedule: tiles of 14 rows
func.func @pixels(%x: tensor<?x24xf32, #keratin.dims<d0, 24>> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<24x72xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x72xf32, #keratin.dims<d0, 72>> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x24xf32, #keratin.dims<d0, 24>>, tensor<24x72xf32>) -> tensor<?x72xf32, #keratin.dims<d0, 72>>
  %1 = keratin.neg %0 : (tensor<?x72xf32, #keratin.dims<d0, 72>>) -> tensor<?x72xf32, #keratin.dims<d0, 72>>
  return %1 : tensor<?x72xf32, #keratin.dims<d0, 72>>
}

// PLAN-LABEL: function much
// PLAN:      B in place; stored in a loop;
// V4-LABEL:  function much
// V4:        schedule: tiles of 6 rows x 4 vectors x 16 lanes over the whole depth,
func.func @much(%x: tensor<62x16xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<16x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<62x64xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 6 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<62x16xf32>, tensor<16x64xf32>) -> tensor<62x64xf32>
  %1 = keratin.tanh %0 : (tensor<62x64xf32>) -> tensor<62x64xf32>
  return %1 : tensor<62x64xf32>
}

// Five vectors are three and two, where registers hold sums of four.
// V4-LABEL: function uneven
// V4:       schedule: tiles of 6 rows x 3 vectors x 16 lanes over the whole depth,
func.func @uneven(%x: tensor<65x16xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<16x80xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<65x80xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 7 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<65x16xf32>, tensor<16x80xf32>) -> tensor<65x80xf32>
  return %0 : tensor<65x80xf32>
}

// PLAN-LABEL: function deep
// PLAN:      schedule: tiles of 6 rows x 2 vectors x 8 lanes, of
func.func @deep(%x: tensor<62x200xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<200x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<62x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<62x200xf32>, tensor<200x64xf32>) -> tensor<62x64xf32>
  return %0 : tensor<62x64xf32>
}

// PLAN-LABEL: function large
// PLAN:      B: in place, packed
func.func @large(%x: tensor<62x100xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<100x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<62x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<62x100xf32>, tensor<100x512xf32>) -> tensor<62x512xf32>
  return %0 : tensor<62x512xf32>
}

// PLAN-LABEL: function parts
// PLAN:      B: in place, packed
func.func @parts(%x: tensor<62x16xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<16x60xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<62x60xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<62x16xf32>, tensor<16x60xf32>) -> tensor<62x60xf32>
  return %0 : tensor<62x60xf32>
}
