// Convolutions on the device "cuda": products of matrices that are nowhere in memory, outputs made directly where filters are few, and sums that
// blocks share where outputs are.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=depthwise | FileCheck %s --check-prefix=DEPTHWISE
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=depthwise_filter_gradient | FileCheck %s --check-prefix=SUMS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=forward | FileCheck %s --check-prefix=FORWARD

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

// The gradient of the filter: each element of x and of dy is read once a block.
// CHECK-LABEL: function depthwise_filter_gradient{{$}}
// CHECK:         schedule: sums; a thread makes 3 rows x 3 outputs x 2 taps of window 1 x 4 lanes along groups; 8 x 1 x 32 threads
// CHECK-NEXT:    depth: lines of 32 taps; 256 blocks that meet a result
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, {{[0-9]+}} bytes of shared memory, 1152 bytes a unit for the others
// SUMS-NOT: .local
// SUMS-DAG: ld.global.v4.f32
// SUMS-DAG: st.shared.v4.f32
// SUMS-DAG: bar.sync 0;
// SUMS-DAG: atom.global.inc.u32
func.func @depthwise_filter_gradient(%x: tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>> {keratin.kind = "input", keratin.name = "x"},
                                     %dy: tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>> {keratin.kind = "input", keratin.name = "dy"})
    -> (tensor<3x3x32xf32> {keratin.kind = "output", keratin.name = "dw"}) {
  %y = keratin.convolution %x, %dy dims = "c01g,c01g->01g" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>>, tensor<?x112x112x32xf32, #keratin.dims<d0, 112, 112, 32>>) -> tensor<3x3x32xf32>
  return %y : tensor<3x3x32xf32>
}

// Channels first: neighbouring threads read neighbours of a line.
// CHECK-LABEL: function depthwise_filter_gradient_channels_first
// CHECK:         schedule: sums; a thread makes 3 rows x 3 outputs x 1 tap of window 1; 1 x 32 x 8 threads
// CHECK-NEXT:    depth: lines of 512 taps; 16 blocks that meet a result
func.func @depthwise_filter_gradient_channels_first(%x: tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>> {keratin.kind = "input", keratin.name = "x"},
                                                    %dy: tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>> {keratin.kind = "input", keratin.name = "dy"})
    -> (tensor<3x3x32xf32> {keratin.kind = "output", keratin.name = "dw"}) {
  %y = keratin.convolution %x, %dy dims = "cg01,cg01->01g" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>>, tensor<?x32x56x56xf32, #keratin.dims<d0, 32, 56, 56>>) -> tensor<3x3x32xf32>
  return %y : tensor<3x3x32xf32>
}

// Places by depth, taps and then channels, sixteen bytes of channels at once.
// CHECK-LABEL: function forward{{$}}
// CHECK:         schedule: an implicit product, in tiles of {{.*}}; rows are places, columns filters
// FORWARD-NOT: .local
// FORWARD-DAG: ld.global.v4.f32
// FORWARD-DAG: st.shared
// FORWARD-DAG: bar.sync 0;
// FORWARD-DAG: ld.shared.v4.f32
// FORWARD-DAG: st.global.v4.f32
func.func @forward(%x: tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<3x3x64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>, tensor<3x3x64x64xf32>) -> tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>
  return %y : tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>
}

// Channels first: columns are what is innermost in the result.
// CHECK-LABEL: function forward_channels_first
// CHECK:         schedule: an implicit product, in tiles of {{.*}}; rows are filters, columns places
func.func @forward_channels_first(%x: tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>> {keratin.kind = "input", keratin.name = "x"},
                                  %w: tensor<3x3x64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.convolution %x, %w dims = "bc01,01cf->bf01" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>>, tensor<3x3x64x64xf32>) -> tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>>
  return %y : tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>>
}

// The gradient of x by two: a product for each of the four phases.
// CHECK-LABEL: function by_two_gradient
// CHECK:         schedule: an implicit product
// CHECK-NEXT:    phases: 4
func.func @by_two_gradient(%dy: tensor<?x28x28x64xf32, #keratin.dims<d0, 28, 28, 64>> {keratin.kind = "input", keratin.name = "dy"},
                           %w: tensor<3x3x64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>> {keratin.kind = "output", keratin.name = "dx"}) {
  %y = keratin.convolution %dy, %w dims = "b01c,01fc->b01f" strides = [1, 1] low = <1, 1> x_dilation = [2, 2] dilation = [1, 1] reversed = [true, true]
      : (tensor<?x28x28x64xf32, #keratin.dims<d0, 28, 28, 64>>, tensor<3x3x64x64xf32>) -> tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>
  return %y : tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>
}

// The gradient of the filter: few tiles, whose depth blocks share.
// CHECK-LABEL: function filter_gradient
// CHECK:         schedule: an implicit product
// CHECK-NEXT:    depth: in {{.*}} parts, which meet
func.func @filter_gradient(%x: tensor<32x28x28x64xf32> {keratin.kind = "input", keratin.name = "x"},
                           %dy: tensor<32x28x28x64xf32> {keratin.kind = "input", keratin.name = "dy"})
    -> (tensor<3x3x64x64xf32> {keratin.kind = "output", keratin.name = "dw"}) {
  %y = keratin.convolution %x, %dy dims = "c01b,c01f->01bf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<32x28x28x64xf32>, tensor<32x28x28x64xf32>) -> tensor<3x3x64x64xf32>
  return %y : tensor<3x3x64x64xf32>
}
