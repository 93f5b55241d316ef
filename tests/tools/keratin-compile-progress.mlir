// A line a stage, when it ends; code for several processors is generated for one after the other.
// RUN: keratin-compile %S/Inputs/net.mlir --function=train --progress -o %t.so 2>&1 | FileCheck %s --match-full-lines
// RUN: keratin-compile %S/Inputs/net.mlir --function=train --progress --emit=plan -o %t.txt 2>&1 | FileCheck %s --check-prefix=PLAN --match-full-lines
// RUN: keratin-compile %S/Inputs/net.mlir --function=train --progress --mcpu=multi -o %t.so 2>&1 | FileCheck %s --check-prefix=MULTI

//      CHECK: train: graph [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: grad [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: simplified [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: fused [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: plan [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: host 1/1
// CHECK-NEXT: train: kernels [[OF:[0-9]+]]/[[OF]]
// CHECK-NEXT: train: llvm [[OF:[0-9]+]]/[[OF]]
//  CHECK-NOT: train

//      PLAN: train: plan {{.*}}
// PLAN-NEXT: train: host 1/1
//  PLAN-NOT: train

// MULTI-COUNT-3: train: llvm
//     MULTI-NOT: train: llvm
