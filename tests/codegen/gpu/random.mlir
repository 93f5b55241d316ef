// Random bits on the device "cuda": four Philox blocks a thread, with what follows from their words.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=bits | FileCheck %s --check-prefix=PTX
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=dropout | FileCheck %s --check-prefix=DROPOUT
// RUN: keratin-run %s --function=bits --device=emulated --random=3 --repeat=2 --check --size=d0=1000 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=dropout --device=emulated --random=3 --repeat=2 --check --size=d0=23 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=odd_lines --device=emulated --random=3 --repeat=2 --check --size=d0=23 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=elsewhere --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=one_number --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS

// BITS: check: 2 calls agree with the reference interpreter

// CHECK-LABEL: function bits
// CHECK:      nest: kept d0
// CHECK-NEXT: work: units 4*floordiv(d0 + 63, 64), grain 1
// CHECK-NEXT: schedule: 4 Philox blocks a thread, whose words are used at once where addresses are multiples of 16 bytes
// PTX:        st.global.v4.u32
func.func @bits(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
                %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xui32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?xui32, #keratin.dims<d0>>
  return %0 : tensor<?xui32, #keratin.dims<d0>>
}

// A dropout with a bias is one kernel, which reads x and writes y.

// CHECK-LABEL: function dropout
// CHECK:       kernel 0: random_bits + 6
// CHECK-NEXT:  tensors: int64 (), float32 (100,), float32 (d0, 100) -> float32 (d0, 100)
// CHECK-NEXT:  nest: kept d0, kept 100
// CHECK-NEXT:  work:
// CHECK-NEXT:  schedule: 4 Philox blocks a thread, whose words are used at once where addresses are multiples of 16 bytes
// CHECK-NOT:   kernel 1
// DROPOUT:     ld.global{{.*}}v4.f32
// DROPOUT:     st.global.v4.f32
func.func @dropout(%x: tensor<?x100xf32, #keratin.dims<d0, 100>> {keratin.kind = "input", keratin.name = "x"},
                   %bias: tensor<100xf32> {keratin.kind = "input", keratin.name = "bias"},
                   %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?x100xf32, #keratin.dims<d0, 100>> {keratin.kind = "output", keratin.name = "y"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x100xui32, #keratin.dims<d0, 100>>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<?x100xui32, #keratin.dims<d0, 100>>
  %isKept = keratin.compare lt %bits, %halves : (tensor<?x100xui32, #keratin.dims<d0, 100>>, tensor<?x100xui32, #keratin.dims<d0, 100>>) -> tensor<?x100xi1, #keratin.dims<d0, 100>>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  %wide = keratin.broadcast %bias dims = [1] : (tensor<100xf32>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  %sum = keratin.add %x, %wide : (tensor<?x100xf32, #keratin.dims<d0, 100>>, tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  %y = keratin.select %isKept, %sum, %zeros : (tensor<?x100xi1, #keratin.dims<d0, 100>>, tensor<?x100xf32, #keratin.dims<d0, 100>>, tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?x100xf32, #keratin.dims<d0, 100>>
  return %y : tensor<?x100xf32, #keratin.dims<d0, 100>>
}

// CHECK-LABEL: function odd_lines
// CHECK:       schedule: 1 Philox block a thread, whose words are used one by one
func.func @odd_lines(%x: tensor<?x7xui32, #keratin.dims<d0, 7>> {keratin.kind = "input", keratin.name = "x"},
                     %bias: tensor<7xui32> {keratin.kind = "input", keratin.name = "bias"},
                     %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?x7xui32, #keratin.dims<d0, 7>> {keratin.kind = "output", keratin.name = "y"}) {
  %bits = keratin.random_bits %draw {seed = 4294967298 : i64} : (tensor<i64>) -> tensor<?x7xui32, #keratin.dims<d0, 7>>
  %wide = keratin.broadcast %bias dims = [1] : (tensor<7xui32>) -> tensor<?x7xui32, #keratin.dims<d0, 7>>
  %y = keratin.xor %bits, %wide : (tensor<?x7xui32, #keratin.dims<d0, 7>>, tensor<?x7xui32, #keratin.dims<d0, 7>>) -> tensor<?x7xui32, #keratin.dims<d0, 7>>
  return %y : tensor<?x7xui32, #keratin.dims<d0, 7>>
}

// Bits that are read where the loops do not stand are made element by element.

// CHECK-LABEL: function elsewhere
// CHECK:       kernel 0: random_bits + reverse
// CHECK:       schedule: 4 elements a thread
func.func @elsewhere(%draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<1000xui32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.random_bits %draw {seed = -1 : i64} : (tensor<i64>) -> tensor<1000xui32>
  %1 = keratin.reverse %0 axes = [0] : (tensor<1000xui32>) -> tensor<1000xui32>
  return %1 : tensor<1000xui32>
}

func.func @one_number(%draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.random_bits %draw {seed = 3 : i64} : (tensor<i64>) -> tensor<ui32>
  %1 = keratin.cast %0 : (tensor<ui32>) -> tensor<f32>
  return %1 : tensor<f32>
}
