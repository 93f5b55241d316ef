// Two or three channels: their lines are mixed or taken apart in registers. Four fill a block, and lines that are not next to each other stay in blocks, too.
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=1029 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=7 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=0 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=50 --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS

// CHECK-COUNT-7: difference #{{[0-6]}}: 0.0e+00

// KERNELS: schedule: lines of 3 channels mixed; 8 lanes; strips of 1024 places
// KERNELS: schedule: lines of 2 channels mixed; 4 lanes; strips of 1024 places
// KERNELS: schedule: lines of 3 channels taken apart; 8 lanes; strips of 1024 places
// KERNELS: schedule: lines of 2 channels taken apart; 8 lanes; strips of 1024 places
// KERNELS: schedule: blocks of 4 x 4 transposed in registers
// KERNELS: schedule: blocks of 4 x 4 transposed in registers
// KERNELS: schedule: lines of 3 channels mixed; 4 lanes; strips of 1024 places
func.func @main(%a: tensor<?x3x?xf32, #keratin.dims<d0, 3, d1>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<2x?xf64, #keratin.dims<2, d1>> {keratin.kind = "input", keratin.name = "b"},
                %c: tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>> {keratin.kind = "input", keratin.name = "c"}, %d: tensor<?x2xi32, #keratin.dims<d1, 2>> {keratin.kind = "input", keratin.name = "d"},
                %e: tensor<4x?xf32, #keratin.dims<4, d1>> {keratin.kind = "input", keratin.name = "e"}, %f: tensor<3x5x?xf32, #keratin.dims<3, 5, d1>> {keratin.kind = "input", keratin.name = "f"},
                %g: tensor<3x?xi64, #keratin.dims<3, d1>> {keratin.kind = "input", keratin.name = "g"})
    -> (tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>> {keratin.kind = "output"}, tensor<?x2xf64, #keratin.dims<d1, 2>> {keratin.kind = "output"}, tensor<?x3x?xf32, #keratin.dims<d0, 3, d1>> {keratin.kind = "output"},
        tensor<2x?xi32, #keratin.dims<2, d1>> {keratin.kind = "output"}, tensor<?x4xf32, #keratin.dims<d1, 4>> {keratin.kind = "output"}, tensor<?x5x3xf32, #keratin.dims<d1, 5, 3>> {keratin.kind = "output"},
        tensor<?x3xi64, #keratin.dims<d1, 3>> {keratin.kind = "output"}) {
  %0 = keratin.transpose %a permutation = [0, 2, 1] : (tensor<?x3x?xf32, #keratin.dims<d0, 3, d1>>) -> tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>
  %1 = keratin.transpose %b permutation = [1, 0] : (tensor<2x?xf64, #keratin.dims<2, d1>>) -> tensor<?x2xf64, #keratin.dims<d1, 2>>
  %2 = keratin.transpose %c permutation = [0, 2, 1] : (tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>) -> tensor<?x3x?xf32, #keratin.dims<d0, 3, d1>>
  %3 = keratin.transpose %d permutation = [1, 0] : (tensor<?x2xi32, #keratin.dims<d1, 2>>) -> tensor<2x?xi32, #keratin.dims<2, d1>>
  %4 = keratin.transpose %e permutation = [1, 0] : (tensor<4x?xf32, #keratin.dims<4, d1>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
  %5 = keratin.transpose %f permutation = [2, 1, 0] : (tensor<3x5x?xf32, #keratin.dims<3, 5, d1>>) -> tensor<?x5x3xf32, #keratin.dims<d1, 5, 3>>
  %6 = keratin.transpose %g permutation = [1, 0] : (tensor<3x?xi64, #keratin.dims<3, d1>>) -> tensor<?x3xi64, #keratin.dims<d1, 3>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, tensor<?x2xf64, #keratin.dims<d1, 2>>, tensor<?x3x?xf32, #keratin.dims<d0, 3, d1>>, tensor<2x?xi32, #keratin.dims<2, d1>>,
      tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x5x3xf32, #keratin.dims<d1, 5, 3>>, tensor<?x3xi64, #keratin.dims<d1, 3>>
}
