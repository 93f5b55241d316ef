// Filters that nobody writes are read from panels where a call would pack them, and where they are so large that rows which lie apart would not stay near.
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-compile %s --emit=kernels -o - --target=x86_64-linux-gnu --mcpu=x86-64-v3 --prepare-weights=no | FileCheck %s --check-prefix=EACH
// RUN: keratin-run %s --function=large --random --check --quiet

// CHECK-LABEL: function large
// CHECK:       convolution
// CHECK:         filter: in panels
// EACH:          filter: in place
func.func @large(%x: tensor<1x14x14x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x64x128xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<1x14x14x128xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<1x14x14x64xf32>, tensor<3x3x64x128xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
}

// CHECK-LABEL: function small
// CHECK:         filter: in place
// EACH:          filter: in place
func.func @small(%x: tensor<1x14x14x32xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x32x128xf32> {keratin.kind = "variable", keratin.name = "v"})
    -> (tensor<1x14x14x128xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<1x14x14x32xf32>, tensor<3x3x32x128xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
}

// CHECK-LABEL: function far
// CHECK:       convolution
// CHECK:         filter: in panels
// EACH:          filter: packed once for several units
func.func @far(%x: tensor<2x14x14x32xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x32x192xf32> {keratin.kind = "variable", keratin.name = "u"})
    -> (tensor<2x14x14x192xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x14x14x32xf32>, tensor<3x3x32x192xf32>) -> tensor<2x14x14x192xf32>
  return %0 : tensor<2x14x14x192xf32>
}
