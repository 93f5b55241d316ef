// RUN: keratin-check %s --compiled | FileCheck %s
// RUN: keratin-check %s --compiled --function=empty | FileCheck %s --check-prefix=EMPTY
// RUN: keratin-check %s --compiled --function=size_one | FileCheck %s --check-prefix=ONE
// RUN: keratin-check %s --compiled --function=unknown --symbol=0=0 --symbol=1=5 | FileCheck %s --check-prefix=NOROWS
// RUN: keratin-check %s --compiled --function=unknown --symbol=0=3 --symbol=1=0 | FileCheck %s --check-prefix=NOCOLUMNS
// Less than a vector and tails; rows of up to 1, 2 and 4 vectors, and of more; of one block, as long as one, and of two.
// RUN: keratin-check %s --compiled --function=unknown --symbol=0=1,7,130,5,5,5,5,5,3,3,3,3 --symbol=1=1,17,33,16,32,50,64,65,4095,4096,4097,5000 --most=9.9e-7
// RUN: keratin-check %s --compiled --function=middle --symbol=0=19 | FileCheck %s --check-prefix=MIDDLE
// RUN: keratin-check %s --compiled --function=long | FileCheck %s --check-prefix=LONG
// RUN: keratin-check %s --compiled --function=narrow | FileCheck %s --check-prefix=NARROW

// Rows, columns and all of it; every kind.
// CHECK:      result #0: tensor<2xf32> [6, 60]
// CHECK:      difference #0: 0.0e+00
// CHECK:      result #1: tensor<3xf32> [11, 22, 33]
// CHECK:      difference #1: 0.0e+00
// CHECK:      result #2: tensor<f32> 66
// CHECK:      difference #2: 0.0e+00
// CHECK:      result #3: tensor<3xf32> [10, 40, 90]
// CHECK:      result #4: tensor<2xf32> [3, 30]
// CHECK:      result #5: tensor<f32> 1
func.func @main(%x: tensor<2x3xf32> {check.value = dense<[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]> : tensor<2x3xf32>})
    -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = keratin.reduce_sum %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %2 = keratin.reduce_sum %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %3 = keratin.reduce_prod %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %4 = keratin.reduce_max %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %5 = keratin.reduce_min %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>
}

// Over nothing every reduction gives what changes nothing.
// EMPTY:      result #0: tensor<2xf32> [0, 0]
// EMPTY:      result #1: tensor<2xf32> [1, 1]
// EMPTY:      result #2: tensor<2xf32> [-inf, -inf]
// EMPTY:      result #3: tensor<2xf32> [inf, inf]
// EMPTY:      result #4: tensor<0xf32> []
// EMPTY:      result #5: tensor<f32> 0
// EMPTY:      result #6: tensor<2xi16> [-32768, -32768]
// EMPTY:      result #7: tensor<2xi16> [32767, 32767]
func.func @empty(%x: tensor<2x0xf32> {check.value = dense<> : tensor<2x0xf32>}, %i: tensor<0x2xi16> {check.value = dense<> : tensor<0x2xi16>})
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>, tensor<f32>, tensor<2xi16>, tensor<2xi16>) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %1 = keratin.reduce_prod %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %2 = keratin.reduce_max %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %3 = keratin.reduce_min %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %4 = keratin.reduce_sum %x axes = [0] : (tensor<2x0xf32>) -> tensor<0xf32>
  %5 = keratin.reduce_sum %x axes = [0, 1] : (tensor<2x0xf32>) -> tensor<f32>
  %6 = keratin.reduce_max %i axes = [0] : (tensor<0x2xi16>) -> tensor<2xi16>
  %7 = keratin.reduce_min %i axes = [0] : (tensor<0x2xi16>) -> tensor<2xi16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>, tensor<f32>, tensor<2xi16>, tensor<2xi16>
}

// Axes of size one, and no axes at all.
// ONE:        result #0: tensor<3xf32> [1, 2, 3]
// ONE:        result #1: tensor<1xf32> [6]
// ONE:        result #2: tensor<1x3xf32> {{\[}}[1, 2, 3]]
// ONE:        result #3: tensor<f32> 7
func.func @size_one(%x: tensor<1x3xf32> {check.value = dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>}, %y: tensor<1x1xf32> {check.value = dense<7.0> : tensor<1x1xf32>})
    -> (tensor<3xf32>, tensor<1xf32>, tensor<1x3xf32>, tensor<f32>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<1x3xf32>) -> tensor<3xf32>
  %1 = keratin.reduce_sum %x axes = [1] : (tensor<1x3xf32>) -> tensor<1xf32>
  %2 = keratin.reduce_sum %x axes = [] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %3 = keratin.reduce_max %y axes = [0, 1] : (tensor<1x1xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<1xf32>, tensor<1x3xf32>, tensor<f32>
}

// One compilation serves every size: with none, with less than a vector, with tails.
// NOROWS:     result #0: tensor<0xf32> []
// NOROWS:     result #1: tensor<5xf32> [0, 0, 0, 0, 0]
// NOROWS:     result #2: tensor<f32> 0
// NOROWS:     result #3: tensor<0x5xf32>
// NOCOLUMNS:  result #0: tensor<3xf32> [0, 0, 0]
// NOCOLUMNS:  result #1: tensor<0xf32> []
// NOCOLUMNS:  result #2: tensor<f32> 0
// NOCOLUMNS:  result #3: tensor<3x0xf32>
func.func @unknown(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>)
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>, tensor<?x?xf32, #keratin.dims<d0, d1>>)
    attributes {check.seed = 13 : i64} {
  %s = keratin.mul %x, %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %0 = keratin.reduce_sum %s axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.reduce_sum %s axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  %2 = keratin.reduce_sum %s axes = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<f32>
  %m = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %d = keratin.sub %x, %mb : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %e = keratin.exp %d : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %t = keratin.reduce_sum %e axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %tb = keratin.broadcast %t dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.div %e, %tb : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %0, %1, %2, %3 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// Outer and inner axes reduced, the one between kept; and the other way round.
// MIDDLE:     difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// MIDDLE:     difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
func.func @middle(%x: tensor<3x?x5xf32, #keratin.dims<3, d0, 5>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<3x5xf32>) {
  %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<3x?x5xf32, #keratin.dims<3, d0, 5>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.reduce_max %x axes = [1] : (tensor<3x?x5xf32, #keratin.dims<3, d0, 5>>) -> tensor<3x5xf32>
  return %0, %1 : tensor<?xf32, #keratin.dims<d0>>, tensor<3x5xf32>
}

// 2^20 tenths: added one by one in float32 they would be wrong by more than a hundredth part, here by less than a millionth.
// 2^24 + 2^20 ones need more than the 24 bits that counting one by one has.
// LONG:       result #0: tensor<f32> 104858
// LONG-NEXT:  difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// LONG:       result #1: tensor<f32> 1.78258e+07
// LONG-NEXT:  difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[89]|[1-9][0-9]))}}
// LONG:       result #2: tensor<f16> 2056
// LONG-NEXT:  difference #2: 0.0e+00
func.func @long(%x: tensor<1048576xf32> {check.value = dense<0.1> : tensor<1048576xf32>},
                %y: tensor<17825792xi8> {check.value = dense<1> : tensor<17825792xi8>},
                %h: tensor<2056xf16> {check.value = dense<1.0> : tensor<2056xf16>}) -> (tensor<f32>, tensor<f32>, tensor<f16>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<1048576xf32>) -> tensor<f32>
  %f = keratin.cast %y : (tensor<17825792xi8>) -> tensor<17825792xf32>
  %1 = keratin.reduce_sum %f axes = [0] : (tensor<17825792xf32>) -> tensor<f32>
  %2 = keratin.reduce_sum %h axes = [0] : (tensor<2056xf16>) -> tensor<f16>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f16>
}

// Narrow sums wrap; bytes that are read in vectors have tails too.
// NARROW:     result #0: tensor<i8> 44
// NARROW:     result #1: tensor<ui8> 44
// NARROW:     result #2: tensor<bf16> 300
// NARROW:     result #3: tensor<i1> 1
// NARROW:     result #4: tensor<i1> 0
func.func @narrow(%x: tensor<300xi8> {check.value = dense<1> : tensor<300xi8>}, %u: tensor<300xui8> {check.value = dense<1> : tensor<300xui8>},
                  %h: tensor<300xbf16> {check.value = dense<1.0> : tensor<300xbf16>}) -> (tensor<i8>, tensor<ui8>, tensor<bf16>, tensor<i1>, tensor<i1>) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<300xi8>) -> tensor<i8>
  %1 = keratin.reduce_sum %u axes = [0] : (tensor<300xui8>) -> tensor<ui8>
  %2 = keratin.reduce_sum %h axes = [0] : (tensor<300xbf16>) -> tensor<bf16>
  %i = keratin.iota {axis = 0 : i64} : tensor<300xi32>
  %c = keratin.constant dense<299> : tensor<300xi32>
  %e = keratin.compare eq %i, %c : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
  %3 = keratin.reduce_any %e axes = [0] : (tensor<300xi1>) -> tensor<i1>
  %4 = keratin.reduce_all %e axes = [0] : (tensor<300xi1>) -> tensor<i1>
  return %0, %1, %2, %3, %4 : tensor<i8>, tensor<ui8>, tensor<bf16>, tensor<i1>, tensor<i1>
}
