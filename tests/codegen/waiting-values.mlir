// Values that wait in the place of a result, in rows of a few vectors, of one block and of several. The second result has
// the place; the first is one a row.
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=16 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=5 --symbol=1=33 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=100 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=4096 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=4097 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=9000 | FileCheck %s

// RUN: keratin-check %s --compiled --function=columns --symbol=0=3 --symbol=1=1 | FileCheck %s --check-prefix=SCRATCH
// RUN: keratin-check %s --compiled --function=columns --symbol=0=2 --symbol=1=150 | FileCheck %s --check-prefix=SCRATCH
// RUN: keratin-check %s --compiled --function=batches --symbol=0=3,700 --most=9.9e-5
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=batches | FileCheck %s --check-prefix=BOTH
// BOTH: columns wait; exp waits in scratch
// RUN: keratin-check %s --compiled --function=narrow_rows --symbol=0=3 | FileCheck %s --check-prefix=SCRATCH

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
// CHECK: difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %y: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.exp %2 : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %6 = keratin.div %3, %5 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %7 = keratin.sub %6, %y : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %4, %7 : tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// In the thread's own memory: in columns, whose results lie far apart, and where no result has the type.
// SCRATCH: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[4-9]|[1-9][0-9]))}}
func.func @columns(%x: tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>> attributes {check.seed = 6 : i64} {
  %0 = keratin.reduce_max %x axes = [1, 2] : (tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %1 = keratin.broadcast %0 dims = [0, 3] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>, tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
  %3 = keratin.exp %2 : (tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
  %4 = keratin.reduce_sum %3 axes = [1, 2] : (tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %5 = keratin.broadcast %4 dims = [0, 3] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
  %6 = keratin.div %3, %5 : (tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>, tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>) -> tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
  return %6 : tensor<?x5x60x?xf32, #keratin.dims<d0, 5, 60, d1>>
}

// Few rows wait, many are walked in tiles.
func.func @batches(%x: tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>> attributes {check.seed = 8 : i64} {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  %1 = keratin.broadcast %0 dims = [0, 2] : (tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
  %2 = keratin.sub %x, %1 : (tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>, tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
  %3 = keratin.exp %2 : (tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  %5 = keratin.broadcast %4 dims = [0, 2] : (tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
  %6 = keratin.div %3, %5 : (tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>, tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>) -> tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
  return %6 : tensor<?x70x100xf32, #keratin.dims<d0, 70, 100>>
}

func.func @narrow_rows(%h: tensor<?x150xf16, #keratin.dims<d0, 150>>) -> tensor<?x150xf16, #keratin.dims<d0, 150>> attributes {check.seed = 7 : i64} {
  %x = keratin.cast %h : (tensor<?x150xf16, #keratin.dims<d0, 150>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %2 = keratin.sub %x, %1 : (tensor<?x150xf32, #keratin.dims<d0, 150>>, tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %3 = keratin.exp %2 : (tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %6 = keratin.div %3, %5 : (tensor<?x150xf32, #keratin.dims<d0, 150>>, tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?x150xf32, #keratin.dims<d0, 150>>
  %7 = keratin.cast %6 : (tensor<?x150xf32, #keratin.dims<d0, 150>>) -> tensor<?x150xf16, #keratin.dims<d0, 150>>
  return %7 : tensor<?x150xf16, #keratin.dims<d0, 150>>
}

// Rows that lie pages apart: what of them is read again is copied, and what waits takes its place. Of the last stage the
// logarithm needs the input itself.
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=pages_apart | FileCheck %s --check-prefix=COPIED
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=logarithm | FileCheck %s --check-prefix=LOGARITHM
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=two_inputs | FileCheck %s --check-prefix=TWO
// RUN: keratin-check %s --compiled --function=pages_apart | FileCheck %s --check-prefix=SCRATCH
// RUN: keratin-check %s --compiled --function=logarithm --most=9e-5
// RUN: keratin-check %s --compiled --function=two_inputs | FileCheck %s --check-prefix=SCRATCH
// COPIED:    in blocks of columns; 16 lanes; 8 vectors side by side in stage 0
// COPIED-NOT: columns wait
// COPIED:    input #0 is copied to scratch; exp waits in scratch
// LOGARITHM: input #0 is copied to scratch
// LOGARITHM-NOT: waits
// TWO-NOT:   copied
func.func @pages_apart(%x: tensor<300x1024xf32>) -> tensor<300x1024xf32> attributes {check.seed = 9 : i64} {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %1 = keratin.broadcast %0 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %2 = keratin.sub %x, %1 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %3 = keratin.exp %2 : (tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %4 = keratin.reduce_sum %3 axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %5 = keratin.broadcast %4 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %6 = keratin.div %3, %5 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  return %6 : tensor<300x1024xf32>
}

func.func @logarithm(%x: tensor<300x1024xf32>) -> tensor<300x1024xf32> attributes {check.seed = 10 : i64} {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %1 = keratin.broadcast %0 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %2 = keratin.sub %x, %1 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %3 = keratin.exp %2 : (tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %4 = keratin.reduce_sum %3 axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %5 = keratin.log %4 : (tensor<1024xf32>) -> tensor<1024xf32>
  %6 = keratin.broadcast %5 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %7 = keratin.sub %2, %6 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  return %7 : tensor<300x1024xf32>
}

func.func @two_inputs(%x: tensor<300x1024xf32>, %y: tensor<300x1024xf32>) -> tensor<300x1024xf32> attributes {check.seed = 11 : i64} {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %1 = keratin.broadcast %0 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %2 = keratin.sub %x, %1 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %3 = keratin.exp %2 : (tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %4 = keratin.reduce_sum %3 axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %5 = keratin.broadcast %4 dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %6 = keratin.div %y, %5 : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  return %6 : tensor<300x1024xf32>
}
