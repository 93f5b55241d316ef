// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefixes=VALUE,NEAR
// RUN: keratin-check %s --function=positive --compiled | FileCheck %s --check-prefix=POSITIVE
// RUN: keratin-check %s --function=integers --compiled | FileCheck %s --check-prefix=INTEGERS
// RUN: keratin-check %s --function=special --compiled | FileCheck %s --check-prefix=SPECIAL

// The result has the operand's shape, known or not; ops that compute nothing but a choice or a sign are exact.
// CHECK-LABEL: func.func @main
// CHECK:         keratin.neg %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.abs %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.sign %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.round %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.floor %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.ceil %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.exp %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.expm1 %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.sin %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.cos %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.tanh %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.logistic %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.softplus %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.identity %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// CHECK:         keratin.stop_gradient %{{.*}} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
// VALUE:      result #0: tensor<3xf32> [1.5, 0, -2.5]
// NEAR:       difference #0: 0.0e+00
// VALUE:      result #1: tensor<3xf32> [1.5, 0, 2.5]
// NEAR:       difference #1: 0.0e+00
// VALUE:      result #2: tensor<3xf32> [-1, 0, 1]
// NEAR:       difference #2: 0.0e+00
// VALUE:      result #3: tensor<3xf32> [-2, 0, 2]
// NEAR:       difference #3: 0.0e+00
// VALUE:      result #4: tensor<3xf32> [-2, 0, 2]
// NEAR:       difference #4: 0.0e+00
// VALUE:      result #5: tensor<3xf32> [-1, 0, 3]
// NEAR:       difference #5: 0.0e+00
// VALUE:      result #6: tensor<3xf32> [0.22313, 1, 12.1825]
// NEAR:       difference #6: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #7: tensor<3xf32> [-0.77687, 0, 11.1825]
// NEAR:       difference #7: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #8: tensor<3xf32> [-0.997495, 0, 0.598472]
// NEAR:       difference #8: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #9: tensor<3xf32> [0.0707372, 1, -0.801144]
// NEAR:       difference #9: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #10: tensor<3xf32> [-0.905148, 0, 0.986614]
// NEAR:       difference #10: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #11: tensor<3xf32> [0.182426, 0.5, 0.924142]
// NEAR:       difference #11: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #12: tensor<3xf32> [0.201413, 0.693147, 2.57889]
// NEAR:       difference #12: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
// VALUE:      result #13: tensor<3xf32> [-1.5, 0, 2.5]
// NEAR:       difference #13: 0.0e+00
// VALUE:      result #14: tensor<3xf32> [-1.5, 0, 2.5]
// NEAR:       difference #14: 0.0e+00
func.func @main(%x: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[-1.5, 0.0, 2.5]> : tensor<3xf32>})
    -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %0 = keratin.neg %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.abs %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.sign %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %3 = keratin.round %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.floor %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.ceil %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %6 = keratin.exp %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %7 = keratin.expm1 %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %8 = keratin.sin %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %9 = keratin.cos %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %10 = keratin.tanh %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %11 = keratin.logistic %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %12 = keratin.softplus %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %13 = keratin.identity %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %14 = keratin.stop_gradient %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}

// POSITIVE:   result #0: tensor<3xf64> [-1.38629, 0, 2.07944]
// POSITIVE:   difference #0: {{(0.0e.00|[1-9].[0-9]e-1[5-9])}}
// POSITIVE:   result #1: tensor<3xf64> [0.223144, 0.693147, 2.19722]
// POSITIVE:   difference #1: {{(0.0e.00|[1-9].[0-9]e-1[5-9])}}
// POSITIVE:   result #2: tensor<3xf64> [0.5, 1, 2.82843]
// POSITIVE:   difference #2: {{(0.0e.00|[1-9].[0-9]e-1[5-9])}}
// POSITIVE:   result #3: tensor<3xf64> [2, 1, 0.353553]
// POSITIVE:   difference #3: {{(0.0e.00|[1-9].[0-9]e-1[5-9])}}
func.func @positive(%x: tensor<3xf64> {check.value = dense<[0.25, 1.0, 8.0]> : tensor<3xf64>}) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %0 = keratin.log %x : (tensor<3xf64>) -> tensor<3xf64>
  %1 = keratin.log1p %x : (tensor<3xf64>) -> tensor<3xf64>
  %2 = keratin.sqrt %x : (tensor<3xf64>) -> tensor<3xf64>
  %3 = keratin.rsqrt %x : (tensor<3xf64>) -> tensor<3xf64>
  return %0, %1, %2, %3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// Integers wrap: the smallest has no negative. Complement is logical on bool, bitwise on integers.
// INTEGERS:   result #0: tensor<3xi8> [-128, 1, -127]
// INTEGERS:   result #1: tensor<3xi8> [-128, 1, 127]
// INTEGERS:   result #2: tensor<3xi8> [-1, -1, 1]
// INTEGERS:   result #3: tensor<3xi8> [-128, -1, 127]
// INTEGERS:   result #4: tensor<3xi8> [127, 0, -128]
// INTEGERS:   result #5: tensor<2xi1> [0, 1]
// INTEGERS:   result #6: tensor<2xui16> [65535, 1]
// INTEGERS:   result #7: tensor<2xui16> [65534, 0]
func.func @integers(%x: tensor<3xi8> {check.value = dense<[-128, -1, 127]> : tensor<3xi8>},
                    %b: tensor<2xi1> {check.value = dense<[true, false]> : tensor<2xi1>},
                    %u: tensor<2xui16> {check.value = dense<[1, 65535]> : tensor<2xui16>})
    -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xi1>, tensor<2xui16>, tensor<2xui16>) {
  %0 = keratin.neg %x : (tensor<3xi8>) -> tensor<3xi8>
  %1 = keratin.abs %x : (tensor<3xi8>) -> tensor<3xi8>
  %2 = keratin.sign %x : (tensor<3xi8>) -> tensor<3xi8>
  %3 = keratin.round %x : (tensor<3xi8>) -> tensor<3xi8>
  %4 = keratin.not %x : (tensor<3xi8>) -> tensor<3xi8>
  %5 = keratin.not %b : (tensor<2xi1>) -> tensor<2xi1>
  %6 = keratin.neg %u : (tensor<2xui16>) -> tensor<2xui16>
  %7 = keratin.not %u : (tensor<2xui16>) -> tensor<2xui16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xi1>, tensor<2xui16>, tensor<2xui16>
}

// NaN stays NaN, infinities go where the function goes; 100 saturates without overflow on the way.
// SPECIAL:    result #0: tensor<5xi1> [0, 0, 0, 1, 1]
// SPECIAL:    result #1: tensor<5xf32> [nan, 1, -1, 1, -1]
// SPECIAL:    result #2: tensor<5xf32> [nan, inf, -inf, 100, -100]
// SPECIAL:    result #3: tensor<5xf32> [nan, inf, 0, inf, 3.78351e-44]
// SPECIAL:    result #4: tensor<5xf32> [nan, 1, 0, 1, 3.78351e-44]
// SPECIAL:    result #5: tensor<5xf32> [nan, inf, 0, 100, 3.78351e-44]
// SPECIAL:    result #6: tensor<5xf32> [nan, inf, nan, 4.60517, nan]
// SPECIAL:    result #7: tensor<5xf32> [nan, nan, nan, -0.506366, 0.506366]
func.func @special(%x: tensor<5xf32> {check.value = dense<[0x7fc00000, 0x7f800000, 0xff800000, 100.0, -100.0]> : tensor<5xf32>})
    -> (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = keratin.is_finite %x : (tensor<5xf32>) -> tensor<5xi1>
  %1 = keratin.sign %x : (tensor<5xf32>) -> tensor<5xf32>
  %2 = keratin.round %x : (tensor<5xf32>) -> tensor<5xf32>
  %3 = keratin.exp %x : (tensor<5xf32>) -> tensor<5xf32>
  %4 = keratin.logistic %x : (tensor<5xf32>) -> tensor<5xf32>
  %5 = keratin.softplus %x : (tensor<5xf32>) -> tensor<5xf32>
  %6 = keratin.log %x : (tensor<5xf32>) -> tensor<5xf32>
  %7 = keratin.sin %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<5xi1>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
