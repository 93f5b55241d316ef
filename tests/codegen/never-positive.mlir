// The exponential of what is never positive has neither an upper bound nor a sign to look at: of x without its largest, also
// where sizes of 1 come and go, and of the exponent of a bell curve. The largest of other rows, or of another x, says nothing.
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-check %s --compiled --function=rows --most=9.9e-4
// RUN: keratin-check %s --compiled --function=other_rows --most=9.9e-4
// RUN: keratin-check %s --compiled --function=other_x --most=9.9e-4
// RUN: keratin-check %s --compiled --function=bell --most=9.9e-4

// CHECK-LABEL: define internal void @keratin.rows.kernel_0
// CHECK:         float -1.055
// CHECK-NOT:     float 8.900000e+01
// CHECK-LABEL: define {{.*}}@keratin.rows(
func.func @rows(%x: tensor<50x1x50xf32>) -> tensor<50x1x50xf32> attributes {check.seed = 1 : i64} {
  %0 = keratin.reduce_max %x axes = [2] : (tensor<50x1x50xf32>) -> tensor<50x1xf32>
  %1 = keratin.reshape %0 : (tensor<50x1xf32>) -> tensor<50xf32>
  %2 = keratin.broadcast %1 dims = [0] : (tensor<50xf32>) -> tensor<50x1x50xf32>
  %3 = keratin.sub %x, %2 : (tensor<50x1x50xf32>, tensor<50x1x50xf32>) -> tensor<50x1x50xf32>
  %4 = keratin.exp %3 : (tensor<50x1x50xf32>) -> tensor<50x1x50xf32>
  return %4 : tensor<50x1x50xf32>
}

// CHECK-LABEL: @keratin.other_rows.kernel_0
// CHECK:         float 8.900000e+01
func.func @other_rows(%x: tensor<50x50xf32>) -> tensor<50x50xf32> attributes {check.seed = 2 : i64} {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<50x50xf32>) -> tensor<50xf32>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<50xf32>) -> tensor<50x50xf32>
  %2 = keratin.sub %x, %1 : (tensor<50x50xf32>, tensor<50x50xf32>) -> tensor<50x50xf32>
  %3 = keratin.exp %2 : (tensor<50x50xf32>) -> tensor<50x50xf32>
  return %3 : tensor<50x50xf32>
}

// CHECK-LABEL: @keratin.other_x.kernel_0
// CHECK:         float 8.900000e+01
func.func @other_x(%x: tensor<50x50xf32>, %y: tensor<50x50xf32>) -> tensor<50x50xf32> attributes {check.seed = 3 : i64} {
  %0 = keratin.reduce_max %y axes = [1] : (tensor<50x50xf32>) -> tensor<50xf32>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<50xf32>) -> tensor<50x50xf32>
  %2 = keratin.sub %x, %1 : (tensor<50x50xf32>, tensor<50x50xf32>) -> tensor<50x50xf32>
  %3 = keratin.exp %2 : (tensor<50x50xf32>) -> tensor<50x50xf32>
  return %3 : tensor<50x50xf32>
}

// CHECK-LABEL: define internal void @keratin.bell.kernel_0
// CHECK:         float -1.055
// CHECK-NOT:     float 8.900000e+01
// CHECK-LABEL: define {{.*}}@keratin.bell(
func.func @bell(%x: tensor<100xf32>) -> tensor<100xf32> attributes {check.seed = 4 : i64} {
  %0 = keratin.mul %x, %x : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
  %1 = keratin.neg %0 : (tensor<100xf32>) -> tensor<100xf32>
  %2 = keratin.exp %1 : (tensor<100xf32>) -> tensor<100xf32>
  return %2 : tensor<100xf32>
}
