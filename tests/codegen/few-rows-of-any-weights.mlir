// Products of sizes that only the call knows: few rows of weights that stream, one and two past wide panels, columns
// that one vector holds.
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=520 --symbol=2=512 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=2 --symbol=1=520 --symbol=2=300 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=300 --symbol=2=200 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=5 --symbol=1=520 --symbol=2=600 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=12 --symbol=1=300 --symbol=2=1000 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=40 --symbol=1=30 --symbol=2=10 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=1 --symbol=1=30 --symbol=2=10 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=3 --symbol=1=70 --symbol=2=1 | FileCheck %s
// RUN: keratin-check %s --compiled --symbol=0=57 --symbol=1=300 --symbol=2=530 | FileCheck %s

// Few columns first, then one row and two past wide panels.
// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=CASES
// CASES-LABEL: @keratin.main.kernel_0(
// CASES:         %[[FEW:.*]] = icmp slt i64 %[[COLUMNS:.*]], 9
// CASES-NEXT:    br i1 %[[FEW]]
// CASES:         %[[WIDE:.*]] = icmp sgt i64 %[[COLUMNS]], 63
// CASES-NEXT:    %[[ONE:.*]] = icmp eq i64 %[[ROWS:.*]], 1
// CASES-NEXT:    %[[BOTH:.*]] = and i1 %[[WIDE]], %[[ONE]]
// CASES-NEXT:    br i1 %[[BOTH]]
// CASES:         %[[WIDE:.*]] = icmp sgt i64 %[[COLUMNS]], 31
// CASES-NEXT:    %[[TWO:.*]] = icmp eq i64 %[[ROWS]], 2
// CASES-NEXT:    %[[BOTH:.*]] = and i1 %[[WIDE]], %[[TWO]]
// CASES-NEXT:    br i1 %[[BOTH]]

// CHECK: difference #0: {{(0.0e.00|[1-9].[0-9]e-(0[5-9]|[1-9][0-9]))}}
func.func @main(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %w: tensor<?x?xf32, #keratin.dims<d1, d2>>)
    -> tensor<?x?xf32, #keratin.dims<d0, d2>> attributes {check.seed = 3 : i64} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d2>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d2>>
}
