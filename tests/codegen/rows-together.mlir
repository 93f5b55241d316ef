// Stages under way at once, each along a row of its own: fewer rows than stages, as many, more, and chunks of them; rows of
// a few vectors, of one block and of several. What a stage has found of a row, and what follows from it, goes on with it.
// RUN: keratin-check %s --compiled --symbol=0=0,1,2,3,4,5,40,7,6,3,5,9 --symbol=1=50,50,100,33,64,65,70,48,4096,4097,9000,0 --most=9.9e-4
// RUN: keratin-check %s --compiled --threads=2 --symbol=0=300 --symbol=1=1000 --most=9.9e-4
// RUN: keratin-check %s --compiled --function=known --most=9.9e-5
// RUN: keratin-check %s --compiled --function=planes --most=9.9e-5
// RUN: keratin-check %s --compiled --function=narrow --symbol=0=1,2,5,37 --most=9.9e-4
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s

// CHECK-LABEL: function main
// CHECK:         stages along rows of their own, 2 vectors side by side
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %y: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.exp %2 : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.log %4 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %6 = keratin.broadcast %5 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %7 = keratin.sub %2, %6 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %8 = keratin.mul %7, %y : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %9 = keratin.reduce_sum %8 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %10 = keratin.sqrt %4 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %11 = keratin.mul %10, %9 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %12 = keratin.broadcast %11 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %13 = keratin.add %3, %12 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %0, %9, %7, %13 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// CHECK-LABEL: function known
// CHECK:         stages along rows of their own, 4 vectors side by side
func.func @known(%x: tensor<37x100xf32>)
    -> tensor<37x100xf32> attributes {check.seed = 6 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<37x100xf32>) -> tensor<37xf32>
  %1 = keratin.constant dense<0.01> : tensor<37xf32>
  %2 = keratin.mul %0, %1 : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xf32>
  %3 = keratin.broadcast %2 dims = [0] : (tensor<37xf32>) -> tensor<37x100xf32>
  %4 = keratin.sub %x, %3 : (tensor<37x100xf32>, tensor<37x100xf32>) -> tensor<37x100xf32>
  %5 = keratin.mul %4, %4 : (tensor<37x100xf32>, tensor<37x100xf32>) -> tensor<37x100xf32>
  %6 = keratin.reduce_sum %5 axes = [1] : (tensor<37x100xf32>) -> tensor<37xf32>
  %7 = keratin.mul %6, %1 : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xf32>
  %8 = keratin.sqrt %7 : (tensor<37xf32>) -> tensor<37xf32>
  %9 = keratin.broadcast %8 dims = [0] : (tensor<37xf32>) -> tensor<37x100xf32>
  %10 = keratin.div %4, %9 : (tensor<37x100xf32>, tensor<37x100xf32>) -> tensor<37x100xf32>
  return %10 : tensor<37x100xf32>
}

// Two loops count the rows.
// CHECK-LABEL: function planes
// CHECK:         stages along rows of their own, 4 vectors side by side
func.func @planes(%x: tensor<5x9x100xf32>)
    -> tensor<5x9x100xf32> attributes {check.seed = 6 : i64} {
  %0 = keratin.reduce_sum %x axes = [2] : (tensor<5x9x100xf32>) -> tensor<5x9xf32>
  %1 = keratin.constant dense<0.01> : tensor<5x9xf32>
  %2 = keratin.mul %0, %1 : (tensor<5x9xf32>, tensor<5x9xf32>) -> tensor<5x9xf32>
  %3 = keratin.broadcast %2 dims = [0, 1] : (tensor<5x9xf32>) -> tensor<5x9x100xf32>
  %4 = keratin.sub %x, %3 : (tensor<5x9x100xf32>, tensor<5x9x100xf32>) -> tensor<5x9x100xf32>
  %5 = keratin.mul %4, %4 : (tensor<5x9x100xf32>, tensor<5x9x100xf32>) -> tensor<5x9x100xf32>
  %6 = keratin.reduce_sum %5 axes = [2] : (tensor<5x9x100xf32>) -> tensor<5x9xf32>
  %7 = keratin.mul %6, %1 : (tensor<5x9xf32>, tensor<5x9xf32>) -> tensor<5x9xf32>
  %8 = keratin.sqrt %7 : (tensor<5x9xf32>) -> tensor<5x9xf32>
  %9 = keratin.broadcast %8 dims = [0, 1] : (tensor<5x9xf32>) -> tensor<5x9x100xf32>
  %10 = keratin.div %4, %9 : (tensor<5x9x100xf32>, tensor<5x9x100xf32>) -> tensor<5x9x100xf32>
  return %10 : tensor<5x9x100xf32>
}

// What waits in the thread's memory is read before that of the next row is written.
// CHECK-LABEL: function narrow
// CHECK:         stages along rows of their own, 2 vectors side by side; exp waits in scratch
func.func @narrow(%h: tensor<?x150xf16, #keratin.dims<d0, 150>>)
    -> tensor<?x150xf16, #keratin.dims<d0, 150>> attributes {check.seed = 7 : i64} {
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
