// A processor whose third-level cache is far away has tiles of four vectors for many rows, which read A from there less often,
// and asks for the lines of the result before the tiles multiply that end there.

// RUN: keratin-dump %s --stage=kernels --mcpu=emeraldrapids | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: keratin-dump %s --stage=llvm --mcpu=emeraldrapids --function=square | FileCheck %s --check-prefix=CODE
// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v4 --function=square | FileCheck %s --check-prefix=FAST
// RUN: keratin-check %s --compiled --function=square --most=1e-3
// RUN: keratin-check %s --compiled --function=turned --most=1e-3

// CODE-LABEL: define {{.*}}@keratin_panel_f32_6x4x16_4_near_8(
// CODE-LABEL: define {{.*}}square.kernel_0(
// CODE:       call void @llvm.prefetch.p0({{.*}}, i32 1,
// CODE:       call {{.*}}@keratin_panel_f32_6x4x16_4_near_8(
// FAST-NOT:   llvm.prefetch

// CHECK-LABEL: function square
// CHECK:       schedule: tiles of 6 rows x 4 vectors x 16 lanes, of 4 rows for the rest; panels of depth 1024; units of up to 54 x 256 for 1024 deep,
// CHECK-SAME:  ; lines of results are asked for
// CHECK-NEXT:  A: in place
// V4-LABEL:    function square
// V4:          schedule: tiles of 14 rows x 2 vectors
// V4-NOT:      lines of results
func.func @square(%a: tensor<100x300xf32> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<300x512xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<100x512xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<100x300xf32>, tensor<300x512xf32>) -> tensor<100x512xf32>
  return %0 : tensor<100x512xf32>
}

// Packed columns of A have room for a vector of rows, of which six would be a part.
// CHECK-LABEL: function turned
// CHECK:       schedule: tiles of 14 rows x 2 vectors
func.func @turned(%a: tensor<300x100xf32> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<300x512xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<512x100xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 4 : i64} {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [0] x [0] : (tensor<300x100xf32>, tensor<300x512xf32>) -> tensor<100x512xf32>
  %1 = keratin.transpose %0 permutation = [1, 0] : (tensor<100x512xf32>) -> tensor<512x100xf32>
  return %1 : tensor<512x100xf32>
}

// CHECK-LABEL: function few
// CHECK:       schedule: tiles of 14 rows x 2 vectors
func.func @few(%a: tensor<42x300xf32> {keratin.kind = "input", keratin.name = "a"},
               %b: tensor<300x512xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<42x512xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<42x300xf32>, tensor<300x512xf32>) -> tensor<42x512xf32>
  return %0 : tensor<42x512xf32>
}

// Six vectors would be eight.
// CHECK-LABEL: function uneven
// CHECK:       schedule: tiles of 14 rows x 2 vectors
func.func @uneven(%a: tensor<100x300xf32> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<300x96xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<100x96xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<100x300xf32>, tensor<300x96xf32>) -> tensor<100x96xf32>
  return %0 : tensor<100x96xf32>
}
