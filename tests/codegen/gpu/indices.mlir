// Widths of indices on the device "cuda": 32 bits where tensors are known to have fewer than 2^31
// bytes (less what constants in addresses may be), 64 bits otherwise.

// RUN: keratin-dump %s --target=cuda --stage=ptx --function=small | FileCheck %s --check-prefix=NARROW --implicit-check-not=mul.lo.s64
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=below | FileCheck %s --check-prefix=NARROW
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=above | FileCheck %s --check-prefix=WIDE --implicit-check-not=mul.wide.s32
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=any | FileCheck %s --check-prefix=WIDE --implicit-check-not=mul.wide.s32
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=limited | FileCheck %s --check-prefix=NARROW
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=limited_above | FileCheck %s --check-prefix=WIDE --implicit-check-not=mul.wide.s32
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=wide_to_narrow | FileCheck %s --check-prefix=BOTH
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=product | FileCheck %s --check-prefix=PRODUCT --implicit-check-not=mul.lo.s64
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=pieces_of_rows | FileCheck %s --check-prefix=LANES --implicit-check-not=mul.hi.u64

// NARROW:      setp.ge.s32
// NARROW:      {{mul.wide.s32|cvt.s64.s32}}
// NARROW-NEXT: add.s64
// NARROW:      ld.global
// NARROW:      st.global
func.func @small(%x: tensor<300x700xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<300x700xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.neg %x : (tensor<300x700xf32>) -> tensor<300x700xf32>
  return %0 : tensor<300x700xf32>
}

// 2^31 - 2^21 - 16 bytes.
func.func @below(%x: tensor<536346620xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<536346620xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.neg %x : (tensor<536346620xf32>) -> tensor<536346620xf32>
  return %0 : tensor<536346620xf32>
}

// 2^31 - 2^21 bytes.
// WIDE: {{shl.b64|shl.b32}}
// WIDE: add.s64
// WIDE: ld.global
// WIDE: st.global
func.func @above(%x: tensor<536346624xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<536346624xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.neg %x : (tensor<536346624xf32>) -> tensor<536346624xf32>
  return %0 : tensor<536346624xf32>
}

func.func @any(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.neg %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// 2^31 - 2^21 - 16 bytes at most.
func.func @limited(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.limits = {d0 = {max = 536346620}}} {
  %0 = keratin.neg %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// 2^31 - 2^21 bytes at most.
func.func @limited_above(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.limits = {d0 = {max = 536346624}}} {
  %0 = keratin.neg %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// The same offset in elements: of 2^32 bytes of the operand, of 2^30 of the result.
// BOTH:     ld.global
// BOTH:     {{mul.wide.s32|cvt.s64.s32}}
// BOTH:     st.global
func.func @wide_to_narrow(%x: tensor<1073741824xf32> {keratin.kind = "input", keratin.name = "x"},
                          %z: tensor<1073741824xf32> {keratin.kind = "input", keratin.name = "z"})
    -> (tensor<1073741824xi1> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.compare lt %x, %z : (tensor<1073741824xf32>, tensor<1073741824xf32>) -> tensor<1073741824xi1>
  return %0 : tensor<1073741824xi1>
}

// What a thread reads of either operand, and where it leaves that in shared memory.
// PRODUCT-NOT: {{(shr|bfe|rem|div)\.[su]64}}
// PRODUCT:     ld.global.v4.f32
// PRODUCT:     st.shared
// PRODUCT:     fma.rn.f32
func.func @product(%a: tensor<256x512xf32> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<512x256xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<256x256xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// A row is a warp's, whose lanes are known to be 32: so where its pieces are is divided in 32 bits,
// whatever the tensors have.
// LANES:         mov.u32 {{%r[0-9]+}}, %laneid;
// LANES-COUNT-4: shr.u64 {{%high[0-9]+, %high[0-9]+}}, 32;
func.func @pieces_of_rows(%x: tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>> {keratin.kind = "input", keratin.name = "x"},
                          %b: tensor<15xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>> {keratin.kind = "output", keratin.name = "y"},
        tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "s"}) {
  %0 = keratin.broadcast %b dims = [2] : (tensor<15xf32>) -> tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>
  %1 = keratin.mul %x, %0 : (tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>, tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>) -> tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>
  %2 = keratin.reduce_sum %1 axes = [1, 2] : (tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %1, %2 : tensor<?x8x15xf32, #keratin.dims<d0, 8, 15>>, tensor<?xf32, #keratin.dims<d0>>
}
