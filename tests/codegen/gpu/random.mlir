// Random bits on the device "cuda": four Philox blocks a thread, whose words are neighbours.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx | FileCheck %s --check-prefix=PTX
// RUN: keratin-run %s --device=emulated --random=3 --repeat=2 --check --size=d0=1000 --quiet | FileCheck %s --check-prefix=BITS

// CHECK:     nest: d0 elements in groups of 64
// CHECK-NEXT: work: units 4*floordiv(d0 + 63, 64), grain 1
// CHECK-NEXT: schedule: 4 Philox blocks a thread, words of neighbours in accesses of 16 bytes
// PTX-COUNT-4: st.global.v4.u32
// BITS: check: 2 calls agree with the reference interpreter
func.func @bits(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
                %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xui32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?xui32, #keratin.dims<d0>>
  return %0 : tensor<?xui32, #keratin.dims<d0>>
}
