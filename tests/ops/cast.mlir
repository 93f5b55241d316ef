// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --function=integers --compiled | FileCheck %s --check-prefix=INTEGERS
// RUN: keratin-check %s --function=halves --compiled | FileCheck %s --check-prefix=HALVES

// Float to integer truncates, saturates, and makes NaN 0; to bool: not zero.
// CHECK-LABEL: func.func @main
// CHECK:         keratin.cast %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xi8, #keratin.dims<d0>>
// VALUE:      result #0: tensor<6xi8> [2, -2, 127, -128, 0, 127]
// VALUE:      result #1: tensor<6xui8> [2, 0, 255, 0, 0, 255]
// VALUE:      result #2: tensor<6xi64> [2, -2, 300, -300, 0, 9223372036854775807]
// VALUE:      result #3: tensor<6xi1> [1, 1, 1, 1, 1, 1]
// VALUE:      result #4: tensor<6xf64> [2.75, -2.75, 300, -300, nan, inf]
func.func @main(%x: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[2.75, -2.75, 300.0, -300.0, 0x7fc00000, 0x7f800000]> : tensor<6xf32>})
    -> (tensor<?xi8, #keratin.dims<d0>>, tensor<?xui8, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<?xi1, #keratin.dims<d0>>, tensor<?xf64, #keratin.dims<d0>>) {
  %0 = keratin.cast %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xi8, #keratin.dims<d0>>
  %1 = keratin.cast %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xui8, #keratin.dims<d0>>
  %2 = keratin.cast %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xi64, #keratin.dims<d0>>
  %3 = keratin.cast %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xi1, #keratin.dims<d0>>
  %4 = keratin.cast %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf64, #keratin.dims<d0>>
  return %0, %1, %2, %3, %4 : tensor<?xi8, #keratin.dims<d0>>, tensor<?xui8, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<?xi1, #keratin.dims<d0>>, tensor<?xf64, #keratin.dims<d0>>
}

// Between integers the low bits stay; from bool come 0 and 1; unsigned numbers grow without a sign.
// INTEGERS:   result #0: tensor<3xi8> [-1, 0, 44]
// INTEGERS:   result #1: tensor<3xui32> [4294967295, 256, 300]
// INTEGERS:   result #2: tensor<3xi1> [1, 1, 1]
// INTEGERS:   result #3: tensor<2xi16> [255, 1]
// INTEGERS:   result #4: tensor<2xf32> [255, 1]
// INTEGERS:   result #5: tensor<2xf16> [1, 0]
func.func @integers(%x: tensor<3xi32> {check.value = dense<[-1, 256, 300]> : tensor<3xi32>},
                    %u: tensor<2xui8> {check.value = dense<[255, 1]> : tensor<2xui8>},
                    %b: tensor<2xi1> {check.value = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<3xi8>, tensor<3xui32>, tensor<3xi1>, tensor<2xi16>, tensor<2xf32>, tensor<2xf16>) {
  %0 = keratin.cast %x : (tensor<3xi32>) -> tensor<3xi8>
  %1 = keratin.cast %x : (tensor<3xi32>) -> tensor<3xui32>
  %2 = keratin.cast %x : (tensor<3xi32>) -> tensor<3xi1>
  %3 = keratin.cast %u : (tensor<2xui8>) -> tensor<2xi16>
  %4 = keratin.cast %u : (tensor<2xui8>) -> tensor<2xf32>
  %5 = keratin.cast %b : (tensor<2xi1>) -> tensor<2xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi8>, tensor<3xui32>, tensor<3xi1>, tensor<2xi16>, tensor<2xf32>, tensor<2xf16>
}

// Rounded to nearest, ties to even: 2049 lies between 2048 and 2050 in float16.
// HALVES:     result #0: tensor<3xf16> [2048, inf, 5.96046e-08]
// HALVES:     result #1: tensor<3xbf16> [2048, 65536, 5.96046e-08]
func.func @halves(%x: tensor<3xf32> {check.value = dense<[2049.0, 65536.0, 5.9604645e-08]> : tensor<3xf32>}) -> (tensor<3xf16>, tensor<3xbf16>) {
  %0 = keratin.cast %x : (tensor<3xf32>) -> tensor<3xf16>
  %1 = keratin.cast %x : (tensor<3xf32>) -> tensor<3xbf16>
  return %0, %1 : tensor<3xf16>, tensor<3xbf16>
}
