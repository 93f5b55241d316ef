// With AVX2 a store under a mask asks first whether all lanes are stored, or none: the instruction under a mask is slow. AVX-512 has masks.
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: keratin-check %s --compiled --symbol=0=13 --symbol=1=9 | FileCheck %s --check-prefix=SAME
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=31 --mcpu=x86-64-v3 | FileCheck %s --check-prefix=SAME

// CHECK:      %[[BITS:.*]] = bitcast <8 x i1> %[[MASK:.*]] to i8
// CHECK-NEXT: %[[WHOLE:.*]] = icmp eq i8 %[[BITS]], -1
// CHECK-NEXT: br i1 %[[WHOLE]], label %[[PLAIN:.*]], label %[[PART:.*]]
// CHECK:      [[PLAIN]]:
// CHECK-NEXT:   store <8 x float> %[[X:.*]], ptr %[[AT:.*]], align 4
// CHECK:      [[PART]]:
// CHECK-NEXT:   %[[ANY:.*]] = icmp ne i8 %[[BITS]], 0
// CHECK-NEXT:   br i1 %[[ANY]]
// CHECK:        call void @llvm.masked.store.v8f32.p0(<8 x float> %[[X]], ptr %[[AT]], i32 4, <8 x i1> %[[MASK]])
// WIDE-NOT:  bitcast <{{8|16}} x i1>
// SAME:      difference #0: 0.0e+00
// SAME:      difference #1: {{(0.0e.00|[1-9].[0-9]e-(0[7-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %w: tensor<?x20xf32, #keratin.dims<d1, 20>>)
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x20xf32, #keratin.dims<d0, 20>>) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.maximum %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x20xf32, #keratin.dims<d1, 20>>) -> tensor<?x20xf32, #keratin.dims<d0, 20>>
  return %2, %3 : tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x20xf32, #keratin.dims<d0, 20>>
}
