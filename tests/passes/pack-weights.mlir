// RUN: keratin-opt %s --keratin-pack-weights=columns=16 --split-input-file | FileCheck %s

// Columns next to each other: cut into panels, whose rows follow one another.
// CHECK-LABEL: func.func @rows_of_the_depth
// CHECK:         %[[CUT:.*]] = keratin.reshape %arg1 : (tensor<64x32xf32>) -> tensor<64x2x16xf32>
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%[[CUT]])
// CHECK:           keratin.transpose %{{.*}} permutation = [1, 0, 2]
// CHECK:         keratin.kernel(%arg0, %arg1, %[[PANELS]]) {keratin.panels}
func.func @rows_of_the_depth(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x32xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x32xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x32xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    keratin.yield %0 : tensor<8x32xf32>
  }
  return %y : tensor<8x32xf32>
}

// -----

// CHECK-LABEL: func.func @depth_next_to_each_other
// CHECK:         %[[CUT:.*]] = keratin.reshape %arg1 : (tensor<32x64xf32>) -> tensor<2x16x64xf32>
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%[[CUT]])
// CHECK:           keratin.transpose %{{.*}} permutation = [0, 2, 1]
// CHECK:         keratin.kernel(%arg0, %arg1, %[[PANELS]]) {keratin.panels}
func.func @depth_next_to_each_other(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<32x64xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x32xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<8x64xf32>, tensor<32x64xf32>) -> tensor<8x32xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<32x64xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [1] : (tensor<8x64xf32>, tensor<32x64xf32>) -> tensor<8x32xf32>
    keratin.yield %0 : tensor<8x32xf32>
  }
  return %y : tensor<8x32xf32>
}

// -----

// Filters of PyTorch's: windows are the outer depth, channels the inner one.
// CHECK-LABEL: func.func @filters_outermost
// CHECK:         %[[CUT:.*]] = keratin.reshape %arg1 : (tensor<32x8x3x3xf32>) -> tensor<2x16x8x3x3xf32>
// CHECK:         %[[TURNED:.*]] = keratin.kernel(%[[CUT]])
// CHECK:           keratin.transpose %{{.*}} permutation = [0, 3, 4, 2, 1]
// CHECK:         %[[PANELS:.*]] = keratin.reshape %[[TURNED]] : (tensor<2x3x3x8x16xf32>) -> tensor<2x72x16xf32>
// CHECK:         keratin.kernel(%arg0, %arg1, %[[PANELS]]) {keratin.panels}
func.func @filters_outermost(%x: tensor<1x9x9x8xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<32x8x3x3xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<1x7x7x32xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<1x9x9x8xf32>, tensor<32x8x3x3xf32>) -> tensor<1x7x7x32xf32> {
  ^bb0(%p: tensor<1x9x9x8xf32>, %q: tensor<32x8x3x3xf32>):
    %0 = keratin.convolution %p, %q dims = "b01c,fc01->b01f" strides = [1, 1] low = <0, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
        : (tensor<1x9x9x8xf32>, tensor<32x8x3x3xf32>) -> tensor<1x7x7x32xf32>
    keratin.yield %0 : tensor<1x7x7x32xf32>
  }
  return %y : tensor<1x7x7x32xf32>
}

// -----

// CHECK-LABEL: func.func @two_products
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%{{.*}}) : (tensor<64x4x16xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      keratin.transpose
// CHECK:         keratin.kernel(%arg0, %arg1, %[[PANELS]]) {keratin.panels}
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.kernel(%{{.*}}, %arg1, %[[PANELS]]) {keratin.panels}
func.func @two_products(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x64xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x64xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x64xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    keratin.yield %0 : tensor<8x64xf32>
  }
  %z = keratin.kernel (%y, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x64xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    keratin.yield %0 : tensor<8x64xf32>
  }
  return %z : tensor<8x64xf32>
}

// -----

// Loops capture the panels, too: packed in front of the outermost.
// CHECK-LABEL: func.func @of_steps
// CHECK:         %[[CUT:.*]] = keratin.reshape %arg1 : (tensor<64x32xf32>) -> tensor<64x2x16xf32>
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%[[CUT]])
// CHECK:         keratin.scan length = <5> init(%arg0) over() with(%arg1, %[[PANELS]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[STATE:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<64x32xf32>, %[[IN:.*]]: tensor<2x64x16xf32>):
// CHECK:           keratin.scan length = <3> init(%[[STATE]]) over() with(%[[W]], %[[IN]])
// CHECK-NEXT:      ^bb0(%{{.*}}: tensor<i64>, %[[STATE:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<64x32xf32>, %[[IN:.*]]: tensor<2x64x16xf32>):
// CHECK:             keratin.kernel(%[[STATE]], %[[W]], %[[IN]]) {keratin.panels}
func.func @of_steps(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x32xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x64xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = <5> init(%x) over() with(%w) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<i64>, %state: tensor<8x64xf32>, %v: tensor<64x32xf32>):
    %z = keratin.scan length = <3> init(%state) over() with(%v) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x64xf32> {
    ^bb0(%s: tensor<i64>, %inner: tensor<8x64xf32>, %u: tensor<64x32xf32>):
      %k = keratin.kernel (%inner, %u) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x64xf32> {
      ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x32xf32>):
        %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
        %1 = keratin.concatenate %0, %0 {axis = 1 : i64} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
        keratin.yield %1 : tensor<8x64xf32>
      }
      keratin.yield %k : tensor<8x64xf32>
    }
    keratin.yield %z : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}

// -----

// What a loop's body reshapes is packed from where it is outside.
// CHECK-LABEL: func.func @by_another_shape
// CHECK:         %[[CUT:.*]] = keratin.reshape %arg1 : (tensor<1x64x32xf32>) -> tensor<64x2x16xf32>
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%[[CUT]])
// CHECK:         keratin.scan length = <5> init(%arg0) over() with(%arg1, %[[PANELS]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[STATE:.*]]: tensor<8x64xf32>, %[[V:.*]]: tensor<1x64x32xf32>, %[[IN:.*]]: tensor<2x64x16xf32>):
// CHECK:           %[[W:.*]] = keratin.reshape %[[V]]
// CHECK:           keratin.kernel(%[[STATE]], %[[W]], %[[IN]]) {keratin.panels}
func.func @by_another_shape(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<1x64x32xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x64xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = <5> init(%x) over() with(%w) : (tensor<8x64xf32>, tensor<1x64x32xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<i64>, %state: tensor<8x64xf32>, %v: tensor<1x64x32xf32>):
    %u = keratin.reshape %v : (tensor<1x64x32xf32>) -> tensor<64x32xf32>
    %k = keratin.kernel (%state, %u) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x64xf32> {
    ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x32xf32>):
      %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
      %1 = keratin.concatenate %0, %0 {axis = 1 : i64} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
      keratin.yield %1 : tensor<8x64xf32>
    }
    keratin.yield %k : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}

// -----

// A state of a loop changes from step to step.
// CHECK-LABEL: func.func @not_what_steps_change
// CHECK-NOT:     keratin.panels
func.func @not_what_steps_change(%x: tensor<64x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x32xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<64x32xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = <5> init(%w) over() with(%x) : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<64x32xf32> {
  ^bb0(%t: tensor<i64>, %state: tensor<64x32xf32>, %v: tensor<64x64xf32>):
    %k = keratin.kernel (%v, %state) : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> {
    ^bb0(%p: tensor<64x64xf32>, %q: tensor<64x32xf32>):
      %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      keratin.yield %0 : tensor<64x32xf32>
    }
    keratin.yield %k : tensor<64x32xf32>
  }
  return %y : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: func.func @not_what_the_call_brings
// CHECK-NOT:     keratin.panels
func.func @not_what_the_call_brings(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x32xf32> {keratin.kind = "input", keratin.name = "w"}) -> (tensor<8x32xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x32xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    keratin.yield %0 : tensor<8x32xf32>
  }
  return %y : tensor<8x32xf32>
}

// -----

// The last panel is filled up.
// CHECK-LABEL: func.func @columns_that_fill_a_part
// CHECK:         %[[FILLED:.*]] = keratin.kernel(%arg1)
// CHECK:           keratin.pad %{{.*}} low = <0, 0> interior = [0, 0] : (tensor<64x33xf32>) -> tensor<64x48xf32>
// CHECK:         %[[CUT:.*]] = keratin.reshape %[[FILLED]] : (tensor<64x48xf32>) -> tensor<64x3x16xf32>
// CHECK:         %[[PANELS:.*]] = keratin.kernel(%[[CUT]])
// CHECK:         keratin.kernel(%arg0, %arg1, %[[PANELS]]) {keratin.panels}
func.func @columns_that_fill_a_part(%x: tensor<8x64xf32> {keratin.kind = "input", keratin.name = "x"},
      %w: tensor<64x33xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<8x33xf32> {keratin.kind = "output"}) {
  %y = keratin.kernel (%x, %w) : (tensor<8x64xf32>, tensor<64x33xf32>) -> tensor<8x33xf32> {
  ^bb0(%p: tensor<8x64xf32>, %q: tensor<64x33xf32>):
    %0 = keratin.dot_general %p, %q batch = [] x [] contract = [1] x [0] : (tensor<8x64xf32>, tensor<64x33xf32>) -> tensor<8x33xf32>
    keratin.yield %0 : tensor<8x33xf32>
  }
  return %y : tensor<8x33xf32>
}
