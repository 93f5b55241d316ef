// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE
// RUN: %{exits} 1 keratin-check %s --function=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: %{exits} 1 keratin-check %s --function=outside --compiled 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[R:[^:]*]]: tensor<3xi64>{{.*}}, %[[C:[^:]*]]: tensor<3xi64>{{.*}}, %[[V:[^:]*]]: tensor<3xf32>{{.*}}, %[[X:[^:]*]]: tensor<3x2xf32>
// GRAD:         keratin.sparse_dot %[[R]], %[[C]], %[[V]], %[[X]]
// GRAD-DAG:     keratin.gather %{{.*}}, %[[R]]
// GRAD-DAG:     keratin.gather %[[X]], %[[C]]
// GRAD-DAG:     keratin.sparse_dot %[[C]], %[[R]], %[[V]], %{{.*}} : (tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
// VALUE:      result #0: tensor<2x2xf32> {{\[\[}}6, 8], [-3.5, -3]]
// VALUE:      result #1: tensor<3xf32> [100, -19, -71]
// VALUE:      result #2: tensor<3x2xf32> {{\[\[}}-10.5, -9], [24, 32], [7, 6]]
func.func @main(%r: tensor<3xi64> {check.value = dense<[0, 1, 1]> : tensor<3xi64>},
                %c: tensor<3xi64> {check.value = dense<[1, 0, 2]> : tensor<3xi64>},
                %v: tensor<3xf32> {check.value = dense<[2.0, 1.5, -1.0]> : tensor<3xf32>},
                %x: tensor<3x2xf32> {check.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>})
    -> (tensor<2x2xf32>, tensor<3xf32>, tensor<3x2xf32>) {
  %y = keratin.sparse_dot %r, %c, %v, %x : (tensor<3xi64>, tensor<3xi64>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %z = keratin.mul %y, %y : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %g:2 = keratin.gradients %z wrt %v, %x : (tensor<2x2xf32>, tensor<3xf32>, tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3x2xf32>)
  return %y, %g#0, %g#1 : tensor<2x2xf32>, tensor<3xf32>, tensor<3x2xf32>
}

// OUTSIDE: sparse_dot: {{.*}} outside
func.func @outside(%r: tensor<1xi64> {check.value = dense<2> : tensor<1xi64>},
                   %c: tensor<1xi64> {check.value = dense<0> : tensor<1xi64>},
                   %v: tensor<1xf32> {check.value = dense<2.0> : tensor<1xf32>},
                   %x: tensor<1x2xf32> {check.value = dense<1.0> : tensor<1x2xf32>}) -> tensor<2x2xf32> {
  %y = keratin.sparse_dot %r, %c, %v, %x : (tensor<1xi64>, tensor<1xi64>, tensor<1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
