// Convolutions of narrow integers, with sums in int32, by the instruction that multiplies pairs of 16 bits.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4+avx512vnni | FileCheck %s --check-prefix=FOURS
// RUN: keratin-dump %s --stage=asm --function=bytes --mcpu=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: keratin-dump %s --stage=asm --function=bytes --mcpu=x86-64-v4+avx512vnni | FileCheck %s --check-prefix=VNNI
// RUN: keratin-check %s --compiled --function=bytes --symbol=0=3 | FileCheck %s --check-prefix=EXACT
// RUN: keratin-check %s --compiled --function=centred | FileCheck %s --check-prefix=EXACT
// RUN: keratin-check %s --compiled --function=depthwise | FileCheck %s --check-prefix=EXACT

// EXACT: difference #0: 0.0e+00
// AVX2: vpmaddwd
// VNNI: vpdpbusd

// The casts are a part of the kernel, and so is what follows; nothing is copied before it.
// CHECK-LABEL: function bytes
// CHECK:       kernel 0
// CHECK:       schedule: {{.*}}, in pairs
// CHECK-NOT:   kernel 1
// FOURS-LABEL: function bytes
// FOURS:       schedule: {{.*}}, in fours
func.func @bytes(%x: tensor<?x9x11x7xui8, #keratin.dims<d0, 9, 11, 7>> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<3x3x7x20xi8> {keratin.kind = "input", keratin.name = "w"},
                 %b: tensor<20xi32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %x : (tensor<?x9x11x7xui8, #keratin.dims<d0, 9, 11, 7>>) -> tensor<?x9x11x7xi32, #keratin.dims<d0, 9, 11, 7>>
  %1 = keratin.cast %w : (tensor<3x3x7x20xi8>) -> tensor<3x3x7x20xi32>
  %2 = keratin.convolution %0, %1 dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x9x11x7xi32, #keratin.dims<d0, 9, 11, 7>>, tensor<3x3x7x20xi32>) -> tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>
  %3 = keratin.broadcast %b dims = [3] : (tensor<20xi32>) -> tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>
  %4 = keratin.add %2, %3 : (tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>, tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>) -> tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>
  return %4 : tensor<?x9x11x20xi32, #keratin.dims<d0, 9, 11, 20>>
}

// Less a zero point they have 16 bits. With channels first they are turned while they are short.
// CHECK-LABEL: function centred
// CHECK:       kernel 0
// CHECK-NEXT:  tensors: uint8 (2, 7, 9, 11), int16 () -> int16 (2, 9, 11, 7)
// CHECK:       kernel 1
// CHECK:       schedule: {{.*}}, in pairs
// FOURS-LABEL: function centred
// FOURS:       schedule: {{.*}}, in pairs
func.func @centred(%x: tensor<2x7x9x11xui8> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<3x3x7x20xi8> {keratin.kind = "input", keratin.name = "w"},
                   %p: tensor<i16> {keratin.kind = "input", keratin.name = "p"})
    -> (tensor<2x9x11x20xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %x : (tensor<2x7x9x11xui8>) -> tensor<2x7x9x11xi16>
  %1 = keratin.broadcast %p dims = [] : (tensor<i16>) -> tensor<2x7x9x11xi16>
  %2 = keratin.sub %0, %1 : (tensor<2x7x9x11xi16>, tensor<2x7x9x11xi16>) -> tensor<2x7x9x11xi16>
  %3 = keratin.transpose %2 permutation = [0, 2, 3, 1] : (tensor<2x7x9x11xi16>) -> tensor<2x9x11x7xi16>
  %4 = keratin.cast %3 : (tensor<2x9x11x7xi16>) -> tensor<2x9x11x7xi32>
  %5 = keratin.cast %w : (tensor<3x3x7x20xi8>) -> tensor<3x3x7x20xi32>
  %6 = keratin.convolution %4, %5 dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x9x11x7xi32>, tensor<3x3x7x20xi32>) -> tensor<2x9x11x20xi32>
  return %6 : tensor<2x9x11x20xi32>
}

// Groups of one channel have no neighbours: they are widened one by one, in the kernel all the same.
// CHECK-LABEL: function depthwise
// CHECK:       kernel 0
// CHECK-NOT:   in pairs
// CHECK-NOT:   kernel 1
func.func @depthwise(%x: tensor<2x9x11x40xui8> {keratin.kind = "input", keratin.name = "x"},
                     %w: tensor<3x3x40xi8> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<2x9x11x40xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %x : (tensor<2x9x11x40xui8>) -> tensor<2x9x11x40xi32>
  %1 = keratin.cast %w : (tensor<3x3x40xi8>) -> tensor<3x3x40xi32>
  %2 = keratin.convolution %0, %1 dims = "b01g,01g->b01g" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x9x11x40xi32>, tensor<3x3x40xi32>) -> tensor<2x9x11x40xi32>
  return %2 : tensor<2x9x11x40xi32>
}
