// RUN: keratin-opt %s --keratin-pipeline=stop-after=fused | FileCheck %s

// Lazy updates of a table in parts: one kernel walks the rows that the indices name and the rank has, and checks no others, which are other ranks'.
// CHECK-LABEL: func.func @f
// CHECK:         keratin.check_range {{.*}} upper = <32> "gather: an index is outside the first axis of the reference"
// CHECK:         keratin.gather {{.*}} {keratin.own_rows} : (tensor<16x32xf32>, tensor<3xi32>)
// CHECK-NOT:     keratin.check_range
// CHECK:         keratin.kernel({{.*}}) {keratin.workspaces = 1 : i64}
// CHECK:         keratin.scatter_add {{.*}} {keratin.own_rows} : (tensor<3xi32>, tensor<3x32xf32>) -> tensor<16x32xf32>
// CHECK:         keratin.select
// CHECK:         keratin.select
// CHECK-NOT:     keratin.check_range
func.func @f(%i: tensor<3xi32> {keratin.kind = "input"}, %dy: tensor<3x32xf32> {keratin.kind = "input"},
    %w: tensor<32x32xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<16*d1, 16>},
    %v: tensor<32x32xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<16*d1, 16>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64})
    -> (tensor<3x32xf32> {keratin.kind = "output"}, tensor<32x32xf32> {keratin.kind = "update", keratin.variable = 1 : i64}, tensor<32x32xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) attributes {keratin.lazy_updates} {
  %y = keratin.gather %w, %i : (tensor<32x32xf32>, tensor<3xi32>) -> tensor<3x32xf32>
  %c = keratin.constant dense<0.9> : tensor<f32>
  %b = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<32x32xf32>
  %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x32xf32>) -> tensor<32x32xf32>
  %0 = keratin.mul %b, %v : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = keratin.sub %0, %g : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = keratin.add %w, %1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %y, %1, %2 : tensor<3x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
