// What the assembler says of products of warpgroups: products of a stage are in flight together, not
// one by one (C7510 and its neighbours), and no register is spilled.

// REQUIRES: ptxas
// RUN: for f in nn nt tn tt odd deep; do keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=$f > %t.ptx && grep -q wgmma %t.ptx && %{ptxas} -v -arch=sm_90a %t.ptx -o %t.cubin; done 2>&1 | FileCheck %s --implicit-check-not="(C75" --implicit-check-not=serialized
// RUN: for f in unknown_tf32 nn_tf32 nt_tf32 tn_tf32 tt_tf32 odd_tf32 deep_tf32; do keratin-dump %s --target=cuda:sm_90a --float32-products=tf32 --stage=ptx --function=$f > %t.ptx && grep -q wgmma %t.ptx && %{ptxas} -v -arch=sm_90a %t.ptx -o %t.cubin; done 2>&1 | FileCheck %s --check-prefix=TF32 --implicit-check-not="(C75" --implicit-check-not=serialized

// CHECK-COUNT-6: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// TF32-COUNT-7: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

// Each way in which A and B may lie.
func.func @nn(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
func.func @nt(%x: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
func.func @tn(%x: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
func.func @tt(%x: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xbf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [1] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
// Sizes that are no multiples of anything, and blocks that share a depth.
func.func @odd(%x: tensor<1023x1001xf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<1001x999xf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1023x999xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<1023x1001xf16>, tensor<1001x999xf16>) -> tensor<1023x999xf16>
  return %0 : tensor<1023x999xf16>
}
func.func @deep(%x: tensor<512x8192xbf16> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<8192x512xbf16> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<512x512xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<512x8192xbf16>, tensor<8192x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}

// In tf32: the same, rows that groups cannot be read of, and sizes that the call knows.
func.func @nn_tf32(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func @nt_tf32(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func @tn_tf32(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func @tt_tf32(%x: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4096x4096xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<4096x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [0] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func @odd_tf32(%x: tensor<1023x1001xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<1001x999xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1023x999xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<1023x1001xf32>, tensor<1001x999xf32>) -> tensor<1023x999xf32>
  return %0 : tensor<1023x999xf32>
}
func.func @deep_tf32(%x: tensor<512x8192xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<8192x512xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<512x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<512x8192xf32>, tensor<8192x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
func.func @unknown_tf32(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<?x?xf32, #keratin.dims<d1, d2>> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d2>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d2>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d2>>
}
