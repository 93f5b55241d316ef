// Every tool says in one line which it is.
// RUN: keratin-compile --version | FileCheck %s -DTOOL=keratin-compile
// RUN: keratin-dump --version | FileCheck %s -DTOOL=keratin-dump
// RUN: keratin-run --version | FileCheck %s -DTOOL=keratin-run
// RUN: keratin-opt --version | FileCheck %s -DTOOL=keratin-opt
// CHECK: {{^}}[[TOOL]] {{[0-9]+\.[0-9]+\.[0-9]+}} (LLVM 19.1.{{[0-9]+}}){{$}}
// CHECK-NOT: {{.}}
