// Products of sizes that only the call knows: few rows of weights that stream, one and two past any, columns that one
// vector holds.
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=520 --symbol=2=512 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=520 --symbol=2=300 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=300 --symbol=2=200 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=5 --symbol=1=520 --symbol=2=600 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=12 --symbol=1=300 --symbol=2=1000 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=40 --symbol=1=30 --symbol=2=10 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=30 --symbol=2=10 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=70 --symbol=2=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=57 --symbol=1=300 --symbol=2=530 | FileCheck %s

// Few rows of weights that are near read them where they are: tiles of four rows, and of what is left.
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=7 --symbol=2=5 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=30 --symbol=2=64 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=7 --symbol=1=65 --symbol=2=100 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=13 --symbol=1=9 --symbol=2=300 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=63 --symbol=1=50 --symbol=2=70 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=4 --symbol=1=0 --symbol=2=20 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=0 --symbol=1=5 --symbol=2=20 | FileCheck %s

// These come first, then few columns.
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefix=PLAN
// PLAN:      schedule: tiles of 6 rows x 2 vectors x 8 lanes
// PLAN:      of few rows, schedule: tiles of up to 4 rows x 2 vectors x 8 lanes over the whole depth, B in place; units of 64 columns
// PLAN-NEXT: of at most 8 columns, schedule: tiles of 6 rows x 1 vectors x 8 lanes
// PLAN-NOT:  of one row
// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=CASES
// CASES-LABEL: define {{.*}}@keratin.main.kernel_0(
// CASES-DAG:     icmp slt i64 %{{.*}}, 131073
// CASES-DAG:     icmp slt i64 %[[COLUMNS:.*]], 129
// CASES-DAG:     %[[VECTOR:.*]] = icmp slt i64 %[[COLUMNS]], 9
// CASES-DAG:     icmp slt i64 %[[ROWS:.*]], 3
// CASES-DAG:     icmp slt i64 %[[ROWS]], 17
// CASES-DAG:     icmp slt i64 %[[ROWS]], 65
// CASES:         br i1
// CASES:         call void @keratin_few_rows_f32_f32_f32_4x8_1_2(
// CASES:         switch i64
// CASES-DAG:     call void @keratin_few_rows_f32_f32_f32_1x8_8_1_2_3_4(
// CASES-DAG:     call void @keratin_few_rows_f32_f32_f32_2x8_1_2_3_4(
// CASES-DAG:     call void @keratin_few_rows_f32_f32_f32_3x8_1_2(
// CASES:         br i1 %[[VECTOR]]

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %w: tensor<?x?xf32, #keratin.dims<d1, d2>>)
    -> tensor<?x?xf32, #keratin.dims<d0, d2>> attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d2>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d2>>
}
