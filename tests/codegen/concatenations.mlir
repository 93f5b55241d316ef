// A concatenation alone copies runs: rows of one block or of several, of any types and sizes, without a row, and of operands without elements.
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=29 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=0 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=0 --symbol=1=5 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=17000 --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS

// CHECK-COUNT-6: difference #{{[0-5]}}: 0.0e+00

// KERNELS: concatenate {{.*}}
// KERNELS: nest: d0 rows of 3*d1 + 7 elements
// KERNELS: schedule: runs copied, 8 lanes; blocks of 16384
// KERNELS: schedule: runs copied, 16 lanes; blocks of 16384
// KERNELS: schedule: runs copied, 4 lanes; blocks of 16384
// KERNELS: schedule: runs copied, 32 lanes; blocks of 16384
// KERNELS: nest: 1 rows of 6*d1 elements
// KERNELS: abs + concatenate
// KERNELS-NOT: runs copied
func.func @main(%a: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x7xf32, #keratin.dims<d0, 7>> {keratin.kind = "input", keratin.name = "b"},
                %c: tensor<?x5xf16, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "c"}, %d: tensor<?x32xf16, #keratin.dims<d0, 32>> {keratin.kind = "input", keratin.name = "d"},
                %e: tensor<?x?x3xi64, #keratin.dims<d0, d1, 3>> {keratin.kind = "input", keratin.name = "e"}, %f: tensor<?x33xi1, #keratin.dims<d0, 33>> {keratin.kind = "input", keratin.name = "f"},
                %g: tensor<?x2xf32, #keratin.dims<d1, 2>> {keratin.kind = "input", keratin.name = "g"})
    -> (tensor<?x?xf32, #keratin.dims<d0, 3 * d1 + 7>> {keratin.kind = "output"}, tensor<?x37xf16, #keratin.dims<d0, 37>> {keratin.kind = "output"},
        tensor<?x?x3xi64, #keratin.dims<d0, 2 * d1, 3>> {keratin.kind = "output"}, tensor<?x66xi1, #keratin.dims<d0, 66>> {keratin.kind = "output"},
        tensor<?x2xf32, #keratin.dims<3 * d1, 2>> {keratin.kind = "output"}, tensor<?x14xf32, #keratin.dims<d0, 14>> {keratin.kind = "output"}) {
  %0 = keratin.concatenate %a, %b, %a, %a {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x7xf32, #keratin.dims<d0, 7>>, tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, 3 * d1 + 7>>
  %1 = keratin.concatenate %c, %d {axis = 1 : i64} : (tensor<?x5xf16, #keratin.dims<d0, 5>>, tensor<?x32xf16, #keratin.dims<d0, 32>>) -> tensor<?x37xf16, #keratin.dims<d0, 37>>
  %2 = keratin.concatenate %e, %e {axis = 1 : i64} : (tensor<?x?x3xi64, #keratin.dims<d0, d1, 3>>, tensor<?x?x3xi64, #keratin.dims<d0, d1, 3>>) -> tensor<?x?x3xi64, #keratin.dims<d0, 2 * d1, 3>>
  %3 = keratin.concatenate %f, %f {axis = 1 : i64} : (tensor<?x33xi1, #keratin.dims<d0, 33>>, tensor<?x33xi1, #keratin.dims<d0, 33>>) -> tensor<?x66xi1, #keratin.dims<d0, 66>>
  %4 = keratin.concatenate %g, %g, %g {axis = 0 : i64} : (tensor<?x2xf32, #keratin.dims<d1, 2>>, tensor<?x2xf32, #keratin.dims<d1, 2>>, tensor<?x2xf32, #keratin.dims<d1, 2>>) -> tensor<?x2xf32, #keratin.dims<3 * d1, 2>>
  %5 = keratin.concatenate %b, %b {axis = 1 : i64} : (tensor<?x7xf32, #keratin.dims<d0, 7>>, tensor<?x7xf32, #keratin.dims<d0, 7>>) -> tensor<?x14xf32, #keratin.dims<d0, 14>>
  %6 = keratin.abs %5 : (tensor<?x14xf32, #keratin.dims<d0, 14>>) -> tensor<?x14xf32, #keratin.dims<d0, 14>>
  return %0, %1, %2, %3, %4, %6 : tensor<?x?xf32, #keratin.dims<d0, 3 * d1 + 7>>, tensor<?x37xf16, #keratin.dims<d0, 37>>, tensor<?x?x3xi64, #keratin.dims<d0, 2 * d1, 3>>, tensor<?x66xi1, #keratin.dims<d0, 66>>,
      tensor<?x2xf32, #keratin.dims<3 * d1, 2>>, tensor<?x14xf32, #keratin.dims<d0, 14>>
}
