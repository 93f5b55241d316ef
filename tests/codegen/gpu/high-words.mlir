// Divisions by constants take the high word of a product by a shift: ptxas is wrong where numbers of
// 64 bits are subtracted from what mul.hi.u32 gives (codegen/gpu/ptx/HighWords.h).
// RUN: keratin-dump %s --stage=ptx --target=cuda | FileCheck %s
// CHECK-NOT: mul.hi.u32
// CHECK:     mul.wide.u32 [[BOTH:%high[0-9]+]], %r{{[0-9]+}}, 1431655766;
// CHECK-NEXT: shr.u64 [[BOTH]], [[BOTH]], 32;
// CHECK-NEXT: cvt.u32.u64 %r{{[0-9]+}}, [[BOTH]];
// CHECK-NOT: mul.hi.u32

// The elements that each window covers, of which x has each third: their number is a difference of
// two quotients, of which the second may be 0.
func.func @main(%x: tensor<2x5xf64>) -> tensor<2x4xf64> {
  %y = keratin.window_sum %x window = [2, 4] strides = [1, 2] low = <1, 3> x_dilation = [2, 3] : (tensor<2x5xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}
