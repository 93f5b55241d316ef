// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s
// RUN: keratin-check %s --function=many_long_operands_are_copied --compiled | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @many_long_operands_are_copied
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.neg
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.concatenate
// CHECK-NEXT:      keratin.yield
// CHECK-NOT:     keratin.kernel
// VALUE:       result #0: tensor<144xf32> [-2, -2, {{.*}}2, 2]
func.func @many_long_operands_are_copied(%x: tensor<16xf32> {check.value = dense<2.0> : tensor<16xf32>}) -> tensor<144xf32> {
  %a = keratin.neg %x : (tensor<16xf32>) -> tensor<16xf32>
  %y = keratin.concatenate %a, %x, %a, %x, %a, %x, %a, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<144xf32>
  return %y : tensor<144xf32>
}

// CHECK-LABEL: func.func @short_operands_are_found
// CHECK:         keratin.kernel({{.*}}) :
// CHECK:           keratin.neg
// CHECK:           keratin.concatenate
// CHECK-NOT:     keratin.kernel
func.func @short_operands_are_found(%x: tensor<4xf32>) -> tensor<36xf32> {
  %a = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %y = keratin.concatenate %a, %x, %a, %x, %a, %x, %a, %x, %x {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<36xf32>
  return %y : tensor<36xf32>
}

// CHECK-LABEL: func.func @short_runs_of_rows_are_found
// CHECK:         keratin.kernel({{.*}}) :
// CHECK:           keratin.neg
// CHECK:           keratin.concatenate
// CHECK-NOT:     keratin.kernel
func.func @short_runs_of_rows_are_found(%x: tensor<64x1xf32>) -> tensor<64x9xf32> {
  %a = keratin.neg %x : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %y = keratin.concatenate %a, %x, %a, %x, %a, %x, %a, %x, %x {axis = 1 : i64} : (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x9xf32>
  return %y : tensor<64x9xf32>
}

// CHECK-LABEL: func.func @all_of_it_gathered
// CHECK:         keratin.kernel({{.*}}) {{.*}}:
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.concatenate
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) {{.*}}:
// CHECK:           keratin.gather
// CHECK-NOT:     keratin.kernel
func.func @all_of_it_gathered(%x: tensor<16xf32>, %indices: tensor<48xi32>) -> tensor<48xf32> {
  %t = keratin.concatenate %x, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<48xf32>
  %y = keratin.gather %t, %indices : (tensor<48xf32>, tensor<48xi32>) -> tensor<48xf32>
  return %y : tensor<48xf32>
}

// CHECK-LABEL: func.func @a_few_gathered
// CHECK:         keratin.kernel({{.*}}) {{.*}}:
// CHECK:           keratin.concatenate
// CHECK:           keratin.gather
// CHECK-NOT:     keratin.kernel
func.func @a_few_gathered(%x: tensor<16xf32>, %indices: tensor<4xi32>) -> tensor<4xf32> {
  %t = keratin.concatenate %x, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<48xf32>
  %y = keratin.gather %t, %indices : (tensor<48xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @transposed
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.concatenate
// CHECK-NEXT:      keratin.yield
// CHECK:         keratin.kernel({{.*}}) :
// CHECK:           keratin.transpose
// CHECK-NOT:     keratin.kernel
func.func @transposed(%x: tensor<16xf32>) -> tensor<16x3xf32> {
  %t = keratin.concatenate %x, %x, %x {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<48xf32>
  %m = keratin.reshape %t : (tensor<48xf32>) -> tensor<3x16xf32>
  %y = keratin.transpose %m permutation = [1, 0] : (tensor<3x16xf32>) -> tensor<16x3xf32>
  return %y : tensor<16x3xf32>
}

// Eight that lie one behind the other are mostly made there.
// CHECK-LABEL: func.func @eight_rows
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.neg
// CHECK:         keratin.kernel({{.*}}) :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %{{.*}} = keratin.concatenate
// CHECK-NEXT:      keratin.yield
func.func @eight_rows(%x: tensor<1x16xf32>) -> tensor<8x16xf32> {
  %a = keratin.neg %x : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = keratin.concatenate %a, %x, %a, %x, %a, %x, %a, %x {axis = 0 : i64} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
