// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --function=unsigned --compiled | FileCheck %s --check-prefix=UNSIGNED

// Every comparison with NaN is false, except ne. The result is bool in the operands' shape.
// CHECK:      keratin.compare eq %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK:      keratin.compare ne
// CHECK:      keratin.compare lt
// CHECK:      keratin.compare le
// CHECK:      keratin.compare gt
// CHECK:      keratin.compare ge
// VALUE:      result #0: tensor<4xi1> [0, 1, 0, 0]
// VALUE:      result #1: tensor<4xi1> [1, 0, 1, 1]
// VALUE:      result #2: tensor<4xi1> [1, 0, 0, 0]
// VALUE:      result #3: tensor<4xi1> [1, 1, 0, 0]
// VALUE:      result #4: tensor<4xi1> [0, 0, 1, 0]
// VALUE:      result #5: tensor<4xi1> [0, 1, 1, 0]
func.func @main(%a: tensor<4xf32> {check.value = dense<[1.0, 2.0, 3.0, 0x7fc00000]> : tensor<4xf32>},
                %b: tensor<4xf32> {check.value = dense<2.0> : tensor<4xf32>})
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = keratin.compare eq %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = keratin.compare ne %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = keratin.compare lt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = keratin.compare le %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = keratin.compare gt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = keratin.compare ge %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// UNSIGNED:   result #0: tensor<2xi1> [0, 1]
// UNSIGNED:   result #1: tensor<2xi1> [1, 0]
// UNSIGNED:   result #2: tensor<2xi1> [0, 1]
func.func @unsigned(%u: tensor<2xui8> {check.value = dense<[255, 1]> : tensor<2xui8>},
                    %v: tensor<2xui8> {check.value = dense<[1, 255]> : tensor<2xui8>},
                    %s: tensor<2xi8> {check.value = dense<[-1, 1]> : tensor<2xi8>},
                    %t: tensor<2xi8> {check.value = dense<[1, -1]> : tensor<2xi8>},
                    %p: tensor<2xi1> {check.value = dense<[true, false]> : tensor<2xi1>},
                    %q: tensor<2xi1> {check.value = dense<[false, true]> : tensor<2xi1>}) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %0 = keratin.compare lt %u, %v : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %1 = keratin.compare lt %s, %t : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  %2 = keratin.compare lt %p, %q : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
