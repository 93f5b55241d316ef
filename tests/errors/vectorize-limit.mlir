// RUN: keratin-opt %s --keratin-vectorize=max-ops=8 --verify-diagnostics

// expected-error @+1 {{vectorized_map: the function grows beyond 8 ops}}
func.func @main(%x: tensor<8x5x2xf32>, %i: tensor<8x3xi32>) -> tensor<8x3x2xf32> {
  %y = keratin.scan length = #keratin.dims<8> init() over(%x, %i) with() {keratin.vectorized} : (tensor<8x5x2xf32>, tensor<8x3xi32>) -> tensor<8x3x2xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<5x2xf32>, %j: tensor<3xi32>):
    %0 = keratin.gather %e, %j : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    keratin.yield %0 : tensor<3x2xf32>
  }
  return %y : tensor<8x3x2xf32>
}
