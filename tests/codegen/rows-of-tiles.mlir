// Rows of a few tiles: as many a tile as leave least time to the tile that finishes them, or as make all tiles alike, the
// last of which repeats a row, or has one fewer, as others before it may. Of many tiles it counts nothing.
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s --check-prefix=NARROW

// NARROW-LABEL: function sixteen
// NARROW:      schedule: tiles of 6 rows x 2 vectors x 8 lanes, of 5 rows evened out; panels

// CHECK-LABEL: function sixteen
// CHECK:       schedule: tiles of 8 rows x 2 vectors x 16 lanes; panels
func.func @sixteen(%x: tensor<16x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<16x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<16x64xf32>, tensor<64x512xf32>) -> tensor<16x512xf32>
  return %0 : tensor<16x512xf32>
}

// CHECK-LABEL: function seventeen
// CHECK:       schedule: tiles of 9 rows x 2 vectors x 16 lanes, of 8 rows evened out; panels
func.func @seventeen(%x: tensor<17x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<17x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<17x64xf32>, tensor<64x512xf32>) -> tensor<17x512xf32>
  return %0 : tensor<17x512xf32>
}

// CHECK-LABEL: function nineteen
// CHECK:       schedule: tiles of 10 rows x 2 vectors x 16 lanes, of 9 rows evened out; panels
func.func @nineteen(%x: tensor<19x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<19x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<19x64xf32>, tensor<64x512xf32>) -> tensor<19x512xf32>
  return %0 : tensor<19x512xf32>
}

// CHECK-LABEL: function twenty_eight
// CHECK:       schedule: tiles of 14 rows x 2 vectors x 16 lanes; panels
func.func @twenty_eight(%x: tensor<28x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<28x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<28x64xf32>, tensor<64x512xf32>) -> tensor<28x512xf32>
  return %0 : tensor<28x512xf32>
}

// CHECK-LABEL: function forty_eight
// CHECK:       schedule: tiles of 12 rows x 2 vectors x 16 lanes; panels
func.func @forty_eight(%x: tensor<48x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<64x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<48x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<48x64xf32>, tensor<64x512xf32>) -> tensor<48x512xf32>
  return %0 : tensor<48x512xf32>
}

// CHECK-LABEL: function fifty_eight
// CHECK:       schedule: tiles of 14 rows x 2 vectors x 16 lanes, of 4 rows for the rest
func.func @fifty_eight(%x: tensor<58x640xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<640x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<58x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<58x640xf32>, tensor<640x512xf32>) -> tensor<58x512xf32>
  return %0 : tensor<58x512xf32>
}

// Lines of a convolution are rows likewise: 14 are 5 + 5 + 4, and of any number the last tiles have 6, 5 or 3.
// NARROW-LABEL: function lines
// NARROW:       schedule: tiles of 5 rows x 2 vectors x 8 lanes, of 4 rows evened out
func.func @lines(%x: tensor<1x14x14x64xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x64x128xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1x14x14x128xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<1x14x14x64xf32>, tensor<3x3x64x128xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
}

// NARROW-LABEL: function any_lines
// NARROW:       schedule: tiles of 6 rows x 2 vectors x 8 lanes, of 5 or 3 rows for the rest; the last of the largest may lack 1 row
// CHECK-LABEL: function any_lines
// CHECK:       schedule: tiles of 14 rows x 2 vectors x 16 lanes, of 12 or 8 or 4 rows for the rest; the last of the largest may lack 1 row
func.func @any_lines(%x: tensor<1x14x?x64xf32, #keratin.dims<1, 14, d0, 64>> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x64x128xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1x14x?x128xf32, #keratin.dims<1, 14, d0, 128>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<1x14x?x64xf32, #keratin.dims<1, 14, d0, 64>>, tensor<3x3x64x128xf32>) -> tensor<1x14x?x128xf32, #keratin.dims<1, 14, d0, 128>>
  return %0 : tensor<1x14x?x128xf32, #keratin.dims<1, 14, d0, 128>>
}
