// Convolutions on the device "cuda": outputs made directly.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=depthwise | FileCheck %s --check-prefix=DEPTHWISE

// A thread makes four neighbouring outputs of four neighbouring channels: nine elements of the filter and eighteen of x, sixteen bytes each, in three
// lines. What is behind the borders is not read.
// CHECK-LABEL: function depthwise{{$}}
// CHECK:         work: units 25088*d0, grain 1
// CHECK-NEXT:    schedule: direct; a thread makes 4 outputs x 3 taps of window 1 x 4 lanes along groups
// CHECK-NEXT:    launch: a unit a thread; 128 threads a block
// DEPTHWISE-NOT: .local
// DEPTHWISE-DAG: ld.global.v4.f32
// DEPTHWISE-DAG: st.global.v4.f32
func.func @depthwise(%x: tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>> {keratin.kind = "input", keratin.name = "x"},
                     %w: tensor<3x3x32x1xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x112x112x32x1xf32, #keratin.dims<d0, 112, 112, 32, 1>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.convolution %x, %w dims = "b01g,01gf->b01gf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>>, tensor<3x3x32x1xf32>) -> tensor<?x112x112x32x1xf32, #keratin.dims<d0, 112, 112, 32, 1>>
  return %y : tensor<?x112x112x32x1xf32, #keratin.dims<d0, 112, 112, 32, 1>>
}

// Channels first: neighbouring threads have neighbouring places of a line, and a thread outputs below each other.
// CHECK-LABEL: function depthwise_channels_first
// CHECK:         schedule: direct; a thread makes 4 outputs x 3 taps of window 0
func.func @depthwise_channels_first(%x: tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>> {keratin.kind = "input", keratin.name = "x"},
                                    %w: tensor<3x3x32x1xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x32x1x56x56xf32, #keratin.dims<d0, 32, 1, 56, 56>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.convolution %x, %w dims = "bg01,01gf->bgf01" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>>, tensor<3x3x32x1xf32>) -> tensor<?x32x1x56x56xf32, #keratin.dims<d0, 32, 1, 56, 56>>
  return %y : tensor<?x32x1x56x56xf32, #keratin.dims<d0, 32, 1, 56, 56>>
}

// The gradient of x by two: outputs of a phase, whose taps are one or two.
// CHECK-LABEL: function depthwise_by_two_gradient
// CHECK:         schedule: direct; a thread makes 4 outputs x 1 tap of window 1 x 4 lanes along groups
func.func @depthwise_by_two_gradient(%dy: tensor<?x56x56x32xf32, #keratin.dims<d0, 56, 56, 32>> {keratin.kind = "input", keratin.name = "dy"},
                                     %w: tensor<3x3x32xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>> {keratin.kind = "output", keratin.name = "dx"}) {
  %y = keratin.convolution %dy, %w dims = "b01g,01g->b01g" strides = [1, 1] low = <1, 1> x_dilation = [2, 2] dilation = [1, 1] reversed = [true, true]
      : (tensor<?x56x56x32xf32, #keratin.dims<d0, 56, 56, 32>>, tensor<3x3x32xf32>) -> tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>>
  return %y : tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>>
}
