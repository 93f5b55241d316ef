// Updates of some rows of a variable: what it is after several calls, in place and where the old
// value is kept; of rows that are named often, of a few columns more or less than vectors
// have, of no rows at all; by a rate that only the call knows, finite or not; of as many rows as the
// call has; of narrow floats, whose sums are rounded in each step; of Adam's moments and the variable
// in one kernel, where updates are lazy.

// RUN: keratin-run %s --function=repeated --random --repeat=3 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=kept --random --repeat=3 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=many --random --repeat=2 --threads=4 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=doubles --random --repeat=3 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=none --random --repeat=2 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=rate --random --repeat=3 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=infinite_rate --random --repeat=2 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=unknown --random --repeat=3 --size=d0=0 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=unknown --random --repeat=3 --size=d0=30 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=unknown --random --repeat=2 --size=d0=9000 --threads=4 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=narrow --random --repeat=3 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=adam --random --repeat=3 --size=d0=0 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=adam --random --repeat=3 --size=d0=7 --check --quiet | FileCheck %s
// RUN: keratin-run %s --function=adam --random --repeat=2 --size=d0=5000 --threads=4 --check --quiet | FileCheck %s
// CHECK: calls agree with the reference interpreter

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: function repeated
// KERNELS:         nest: 6 rows of 20 elements added to 64
// KERNELS:         schedule: 8 lanes; rows in blocks of 2 vectors, none but those that are added to; units of 6 indices
// KERNELS-LABEL: function many
// KERNELS:         work: units 2,
// KERNELS:         units of 2048 indices
// KERNELS-LABEL: function unknown
// KERNELS:         work: units min(max(floordiv(d0, 2048), 1), 8),
// KERNELS-LABEL: function adam
// KERNELS:         float32 (64, 20), float32 (64, 20) -> float32 (64, 20), float32 (64, 20), float32 (64, 20),
// KERNELS:         none but those that are added to

// RUN: keratin-dump %s --stage=plan | FileCheck %s --check-prefix=PLAN
// PLAN-LABEL: func.func @repeated
// PLAN:         keratin.place<variable 0, over 2>
// PLAN-LABEL: func.func @kept
// PLAN-NOT:     keratin.place<variable
// PLAN:         keratin.place<returned 1>
// PLAN-NOT:     keratin.place<variable
// PLAN-LABEL: func.func @many
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 49152>]
// PLAN:         keratin.place<variable 0, over 2>
// PLAN-LABEL: func.func @rate
// PLAN:         keratin.place<variable 0, over 3>
// PLAN-LABEL: func.func @unknown
// PLAN:         keratin.place<variable 0, over 2>
// PLAN-LABEL: func.func @adam
// PLAN:         keratin.place<variable 0, over 3>, #keratin.place<variable 1, over 5>, #keratin.place<variable 2, over 6>

func.func @repeated(%i: tensor<2x3xi32> {keratin.kind = "input"}, %g: tensor<2x3x20xf32> {keratin.kind = "input"},
                    %w: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "repeated_w", check.value = dense<1.3> : tensor<64x20xf32>})
    -> (tensor<2x3x20xf32> {keratin.kind = "output"}, tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<0.01> : tensor<f32>
  %y = keratin.gather %w, %i : (tensor<64x20xf32>, tensor<2x3xi32>) -> tensor<2x3x20xf32>
  %0 = keratin.scatter_add %i, %g : (tensor<2x3xi32>, tensor<2x3x20xf32>) -> tensor<64x20xf32>
  %1 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  return %y, %3 : tensor<2x3x20xf32>, tensor<64x20xf32>
}

// To read the old value first would take more memory than to keep it: the table is copied.
func.func @kept(%x: tensor<200x128xf32> {keratin.kind = "input"}, %i: tensor<200xi64> {keratin.kind = "input"},
                %w: tensor<20x128xf32> {keratin.kind = "variable", keratin.name = "kept_w", check.value = dense<1.5> : tensor<20x128xf32>})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<20x128xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %g = keratin.mul %x, %x : (tensor<200x128xf32>, tensor<200x128xf32>) -> tensor<200x128xf32>
  %r = keratin.reduce_sum %g axes = [1] : (tensor<200x128xf32>) -> tensor<200xf32>
  %t = keratin.cumsum %r {axis = 0 : i64} : (tensor<200xf32>) -> tensor<200xf32>
  %s = keratin.reduce_max %t axes = [0] : (tensor<200xf32>) -> tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<200xi64>, tensor<200x128xf32>) -> tensor<20x128xf32>
  %1 = keratin.sub %w, %0 : (tensor<20x128xf32>, tensor<20x128xf32>) -> tensor<20x128xf32>
  %2 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<200x128xf32>
  %3 = keratin.mul %2, %x : (tensor<200x128xf32>, tensor<200x128xf32>) -> tensor<200x128xf32>
  %4 = keratin.cumsum %3 {axis = 0 : i64} : (tensor<200x128xf32>) -> tensor<200x128xf32>
  %5 = keratin.gather %w, %i : (tensor<20x128xf32>, tensor<200xi64>) -> tensor<200x128xf32>
  %6 = keratin.mul %4, %5 : (tensor<200x128xf32>, tensor<200x128xf32>) -> tensor<200x128xf32>
  %7 = keratin.arg_max %6 {axis = 0 : i64} : (tensor<200x128xf32>) -> tensor<128xi64>
  %8 = keratin.cast %7 : (tensor<128xi64>) -> tensor<128xf32>
  %9 = keratin.broadcast %8 dims = [1] : (tensor<128xf32>) -> tensor<200x128xf32>
  %10 = keratin.add %4, %9 : (tensor<200x128xf32>, tensor<200x128xf32>) -> tensor<200x128xf32>
  %11 = keratin.reduce_max %10 axes = [0, 1] : (tensor<200x128xf32>) -> tensor<f32>
  return %11, %1 : tensor<f32>, tensor<20x128xf32>
}

func.func @many(%i: tensor<4096xi32> {keratin.kind = "input"}, %g: tensor<4096x33xf32> {keratin.kind = "input"},
                %w: tensor<5000x33xf32> {keratin.kind = "variable", keratin.name = "many_w", check.value = dense<0.0> : tensor<5000x33xf32>})
    -> (tensor<5000x33xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %n = keratin.iota {axis = 0 : i64} : tensor<4096xi32>
  %p = keratin.mul %n, %i : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
  %0 = keratin.scatter_add %p, %g : (tensor<4096xi32>, tensor<4096x33xf32>) -> tensor<5000x33xf32>
  %1 = keratin.sub %w, %0 : (tensor<5000x33xf32>, tensor<5000x33xf32>) -> tensor<5000x33xf32>
  return %1 : tensor<5000x33xf32>
}

func.func @doubles(%i: tensor<3xi32> {keratin.kind = "input"}, %g: tensor<3x17xf64> {keratin.kind = "input"},
                   %w: tensor<17x17xf64> {keratin.kind = "variable", keratin.name = "doubles_w", check.value = dense<2.0> : tensor<17x17xf64>})
    -> (tensor<17x17xf64> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<-0.25> : tensor<f64>
  %0 = keratin.scatter_add %i, %g : (tensor<3xi32>, tensor<3x17xf64>) -> tensor<17x17xf64>
  %1 = keratin.broadcast %c dims = [] : (tensor<f64>) -> tensor<17x17xf64>
  %2 = keratin.mul %0, %1 : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  %3 = keratin.add %2, %w : (tensor<17x17xf64>, tensor<17x17xf64>) -> tensor<17x17xf64>
  return %3 : tensor<17x17xf64>
}

func.func @none(%i: tensor<0xi32> {keratin.kind = "input"}, %g: tensor<0x9xf32> {keratin.kind = "input"},
                %w: tensor<17x9xf32> {keratin.kind = "variable", keratin.name = "none_w", check.value = dense<2.0> : tensor<17x9xf32>})
    -> (tensor<17x9xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<0xi32>, tensor<0x9xf32>) -> tensor<17x9xf32>
  %1 = keratin.sub %w, %0 : (tensor<17x9xf32>, tensor<17x9xf32>) -> tensor<17x9xf32>
  return %1 : tensor<17x9xf32>
}

func.func @rate(%i: tensor<6xi32> {keratin.kind = "input"}, %g: tensor<6x20xf32> {keratin.kind = "input"}, %c: tensor<f32> {keratin.kind = "input"},
                %w: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "rate_w", check.value = dense<1.3> : tensor<64x20xf32>})
    -> (tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<6xi32>, tensor<6x20xf32>) -> tensor<64x20xf32>
  %1 = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  return %3 : tensor<64x20xf32>
}

// No row is what it was.
func.func @infinite_rate(%i: tensor<6xi32> {keratin.kind = "input"}, %g: tensor<6x20xf32> {keratin.kind = "input"}, %c: tensor<f32> {keratin.kind = "input"},
                         %w: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "infinite_w", check.value = dense<1.3> : tensor<64x20xf32>})
    -> (tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %rate = keratin.div %c, %zero : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = keratin.scatter_add %i, %g : (tensor<6xi32>, tensor<6x20xf32>) -> tensor<64x20xf32>
  %1 = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %2 = keratin.mul %1, %0 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %3 = keratin.sub %w, %2 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  return %3 : tensor<64x20xf32>
}

func.func @unknown(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input"}, %g: tensor<?x20xf32, #keratin.dims<d0, 20>> {keratin.kind = "input"},
                   %w: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "unknown_w", check.value = dense<1.3> : tensor<64x20xf32>})
    -> (tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.scatter_add %i, %g : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x20xf32, #keratin.dims<d0, 20>>) -> tensor<64x20xf32>
  %1 = keratin.sub %w, %0 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  return %1 : tensor<64x20xf32>
}

func.func @narrow(%i: tensor<30xi32> {keratin.kind = "input"}, %g: tensor<30x40xf16> {keratin.kind = "input"}, %h: tensor<30x40xbf16> {keratin.kind = "input"},
                  %w: tensor<17x40xf16> {keratin.kind = "variable", keratin.name = "half_w", check.value = dense<2.0> : tensor<17x40xf16>},
                  %v: tensor<17x40xbf16> {keratin.kind = "variable", keratin.name = "bfloat_w", check.value = dense<2.0> : tensor<17x40xbf16>})
    -> (tensor<17x40xf16> {keratin.kind = "update", keratin.variable = 0}, tensor<17x40xbf16> {keratin.kind = "update", keratin.variable = 1}) {
  %0 = keratin.scatter_add %i, %g : (tensor<30xi32>, tensor<30x40xf16>) -> tensor<17x40xf16>
  %1 = keratin.sub %w, %0 : (tensor<17x40xf16>, tensor<17x40xf16>) -> tensor<17x40xf16>
  %2 = keratin.scatter_add %i, %h : (tensor<30xi32>, tensor<30x40xbf16>) -> tensor<17x40xbf16>
  %3 = keratin.sub %v, %2 : (tensor<17x40xbf16>, tensor<17x40xbf16>) -> tensor<17x40xbf16>
  return %1, %3 : tensor<17x40xf16>, tensor<17x40xbf16>
}

// Adam's step on rows that are named, with moments that wait in the others.
func.func @adam(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input"}, %dy: tensor<?x20xf32, #keratin.dims<d0, 20>> {keratin.kind = "input"},
                %rate: tensor<f32> {keratin.kind = "input"},
                %m: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "adam_m", check.value = dense<0.5> : tensor<64x20xf32>},
                %v: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "adam_v", check.value = dense<0.25> : tensor<64x20xf32>},
                %w: tensor<64x20xf32> {keratin.kind = "variable", keratin.name = "adam_w", check.value = dense<1.3> : tensor<64x20xf32>})
    -> (tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 0}, tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 1},
        tensor<64x20xf32> {keratin.kind = "update", keratin.variable = 2})
    attributes {keratin.lazy_updates} {
  %b1 = keratin.constant dense<0.9> : tensor<f32>
  %c1 = keratin.constant dense<0.1> : tensor<f32>
  %b2 = keratin.constant dense<0.999> : tensor<f32>
  %c2 = keratin.constant dense<0.001> : tensor<f32>
  %e = keratin.constant dense<1.0e-7> : tensor<f32>
  %B1 = keratin.broadcast %b1 dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %C1 = keratin.broadcast %c1 dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %B2 = keratin.broadcast %b2 dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %C2 = keratin.broadcast %c2 dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %E = keratin.broadcast %e dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %R = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<64x20xf32>
  %g = keratin.scatter_add %i, %dy : (tensor<?xi32, #keratin.dims<d0>>, tensor<?x20xf32, #keratin.dims<d0, 20>>) -> tensor<64x20xf32>
  %0 = keratin.mul %B1, %m : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %1 = keratin.mul %C1, %g : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %new_m = keratin.add %0, %1 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %2 = keratin.mul %B2, %v : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %3 = keratin.mul %g, %g : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %4 = keratin.mul %C2, %3 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %new_v = keratin.add %2, %4 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %5 = keratin.sqrt %new_v : (tensor<64x20xf32>) -> tensor<64x20xf32>
  %6 = keratin.add %5, %E : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %7 = keratin.mul %R, %new_m : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %8 = keratin.div %7, %6 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  %new_w = keratin.sub %w, %8 : (tensor<64x20xf32>, tensor<64x20xf32>) -> tensor<64x20xf32>
  return %new_m, %new_v, %new_w : tensor<64x20xf32>, tensor<64x20xf32>, tensor<64x20xf32>
}
