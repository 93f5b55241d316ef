// What the assembler says of products of warpgroups: products of a stage are in flight together, not
// one by one (C7510 and its neighbours), and no register is spilled.

// REQUIRES: ptxas
// RUN: for f in nn nt tn tt odd deep; do keratin-dump %s --target=cuda:sm_90a --stage=ptx --function=$f > %t.ptx && grep -q wgmma %t.ptx && %{ptxas} -v -arch=sm_90a %t.ptx -o %t.cubin; done 2>&1 | FileCheck %s --implicit-check-not="(C75" --implicit-check-not=serialized

// CHECK-COUNT-6: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

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
