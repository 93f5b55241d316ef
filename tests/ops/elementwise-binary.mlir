// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefixes=VALUE,NEAR
// RUN: keratin-check %s --function=integers --compiled | FileCheck %s --check-prefix=INTEGERS
// RUN: keratin-check %s --function=unsigned --compiled | FileCheck %s --check-prefix=UNSIGNED
// RUN: keratin-check %s --function=bools --compiled | FileCheck %s --check-prefix=BOOLS
// RUN: keratin-check %s --function=nans --compiled | FileCheck %s --check-prefix=NANS

// CHECK-LABEL: func.func @main
// CHECK:         keratin.add %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.sub %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.mul %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.div %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.floor_div %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.mod %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.pow %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.maximum %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.minimum %{{.*}}, %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// VALUE:      result #0: tensor<3xf32> [9, -4.5, 2]
// NEAR:       difference #0: 0.0e+00
// VALUE:      result #1: tensor<3xf32> [5, -10.5, 2]
// NEAR:       difference #1: 0.0e+00
// VALUE:      result #2: tensor<3xf32> [14, -22.5, 0]
// NEAR:       difference #2: 0.0e+00
// VALUE:      result #3: tensor<3xf32> [3.5, -2.5, inf]
// NEAR:       difference #3: 0.0e+00
// VALUE:      result #4: tensor<3xf32> [3, -3, inf]
// NEAR:       difference #4: 0.0e+00
// VALUE:      result #5: tensor<3xf32> [1, 1.5, nan]
// NEAR:       difference #5: 0.0e+00
// VALUE:      result #6: tensor<3xf32> [49, -421.875, 1]
// NEAR:       difference #6: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #7: tensor<3xf32> [7, 3, 2]
// NEAR:       difference #7: 0.0e+00
// VALUE:      result #8: tensor<3xf32> [2, -7.5, 0]
// NEAR:       difference #8: 0.0e+00
func.func @main(%a: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[7.0, -7.5, 2.0]> : tensor<3xf32>},
                %b: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[2.0, 3.0, 0.0]> : tensor<3xf32>})
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.add %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.sub %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.mul %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %3 = keratin.div %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.floor_div %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.mod %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %6 = keratin.pow %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %7 = keratin.maximum %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %8 = keratin.minimum %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}

// Sums wrap; a division rounds down, by 0 it gives 0, and the smallest by -1 itself; a shift that leaves the
// width gives 0; a negative exponent gives 0.
// INTEGERS:   result #0: tensor<6xi32> [9, -5, 5, 2147483647, 36, -2147483647]
// INTEGERS:   difference #0: 0.0e+00
// INTEGERS:   result #1: tensor<6xi32> [5, -9, 5, -2147483647, -30, 2147483647]
// INTEGERS:   difference #1: 0.0e+00
// INTEGERS:   result #2: tensor<6xi32> [14, -14, 0, -2147483648, 99, -2147483648]
// INTEGERS:   difference #2: 0.0e+00
// INTEGERS:   result #3: tensor<6xi32> [3, -4, 0, -2147483648, 0, -2147483648]
// INTEGERS:   difference #3: 0.0e+00
// INTEGERS:   result #4: tensor<6xi32> [1, 1, 0, 0, 3, 0]
// INTEGERS:   difference #4: 0.0e+00
// INTEGERS:   result #5: tensor<6xi32> [49, 49, 1, 0, -1504003197, -2147483648]
// INTEGERS:   difference #5: 0.0e+00
// INTEGERS:   result #6: tensor<6xi32> [7, 2, 5, -1, 33, 1]
// INTEGERS:   difference #6: 0.0e+00
// INTEGERS:   result #7: tensor<6xi32> [2, -7, 0, -2147483648, 3, -2147483648]
// INTEGERS:   difference #7: 0.0e+00
// INTEGERS:   result #8: tensor<6xi32> [2, 0, 0, -2147483648, 1, 0]
// INTEGERS:   difference #8: 0.0e+00
// INTEGERS:   result #9: tensor<6xi32> [7, -5, 5, -1, 35, -2147483647]
// INTEGERS:   difference #9: 0.0e+00
// INTEGERS:   result #10: tensor<6xi32> [5, -5, 5, 2147483647, 34, -2147483647]
// INTEGERS:   difference #10: 0.0e+00
// INTEGERS:   result #11: tensor<6xi32> [28, -28, 5, 0, 0, 0]
// INTEGERS:   difference #11: 0.0e+00
// INTEGERS:   result #12: tensor<6xi32> [1, 1073741822, 5, 0, 0, 1073741824]
// INTEGERS:   difference #12: 0.0e+00
func.func @integers(%a: tensor<6xi32> {check.value = dense<[7, -7, 5, -2147483648, 3, -2147483648]> : tensor<6xi32>},
                    %b: tensor<6xi32> {check.value = dense<[2, 2, 0, -1, 33, 1]> : tensor<6xi32>})
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  %0 = keratin.add %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %1 = keratin.sub %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %2 = keratin.mul %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %3 = keratin.floor_div %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %4 = keratin.mod %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %5 = keratin.pow %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %6 = keratin.maximum %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %7 = keratin.minimum %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %8 = keratin.and %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %9 = keratin.or %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %10 = keratin.xor %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %11 = keratin.shift_left %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %12 = keratin.shift_right %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}

// What looks negative to a signed type is large.
// UNSIGNED:   result #0: tensor<3xui8> [44, 255, 4]
// UNSIGNED:   result #1: tensor<3xui8> [100, 1, 254]
// UNSIGNED:   result #2: tensor<3xui8> [32, 128, 3]
// UNSIGNED:   result #3: tensor<3xui8> [2, 1, 0]
// UNSIGNED:   result #4: tensor<3xui8> [0, 1, 1]
// UNSIGNED:   result #5: tensor<3xui8> [200, 128, 3]
// UNSIGNED:   result #6: tensor<3xui8> [100, 127, 1]
func.func @unsigned(%a: tensor<3xui8> {check.value = dense<[200, 128, 1]> : tensor<3xui8>},
                    %b: tensor<3xui8> {check.value = dense<[100, 127, 3]> : tensor<3xui8>})
    -> (tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>) {
  %0 = keratin.add %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %1 = keratin.sub %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %2 = keratin.mul %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %3 = keratin.floor_div %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %4 = keratin.mod %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %5 = keratin.maximum %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %6 = keratin.minimum %a, %b : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>
}

// BOOLS:      result #0: tensor<4xi1> [0, 0, 0, 1]
// BOOLS:      result #1: tensor<4xi1> [0, 1, 1, 1]
// BOOLS:      result #2: tensor<4xi1> [0, 1, 1, 0]
func.func @bools(%a: tensor<4xi1> {check.value = dense<[false, false, true, true]> : tensor<4xi1>},
                 %b: tensor<4xi1> {check.value = dense<[false, true, false, true]> : tensor<4xi1>}) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = keratin.and %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = keratin.or %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = keratin.xor %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// The larger and the smaller of a NaN and a number are NaN.
// NANS:       result #0: tensor<3xf16> [nan, nan, inf]
// NANS:       result #1: tensor<3xf16> [nan, nan, 1]
func.func @nans(%a: tensor<3xf16> {check.value = dense<[0x7e00, 1.0, 0x7c00]> : tensor<3xf16>},
                %b: tensor<3xf16> {check.value = dense<[1.0, 0x7e00, 1.0]> : tensor<3xf16>}) -> (tensor<3xf16>, tensor<3xf16>) {
  %0 = keratin.maximum %a, %b : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  %1 = keratin.minimum %a, %b : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  return %0, %1 : tensor<3xf16>, tensor<3xf16>
}
