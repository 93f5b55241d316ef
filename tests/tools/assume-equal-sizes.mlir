// x + y with an unknown size each, of which either may be 1: in process and ahead of time, with both codes, with one, with the other.
// RUN: keratin-run %s --random=1 --size=d0=3 --size=d1=3 --check --profile=%t.json | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: FileCheck %s --check-prefix=PROFILE --input-file=%t.json
// RUN: keratin-run %s --random=1 --size=d0=3 --size=d1=1 --check --profile=%t.json | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: FileCheck %s --check-prefix=GENERAL --input-file=%t.json
// RUN: keratin-run %s --random=1 --size=d0=3 --size=d1=3 --assume-equal-sizes=no --check --profile=%t.json | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: FileCheck %s --check-prefix=GENERAL --input-file=%t.json

// RUN: keratin-compile %s -o %t.so --header=%t.h --metadata=%t.meta
// RUN: keratin-run %t.so --model=%s --random=1 --size=d0=3 --size=d1=3 --check | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: keratin-run %t.so --model=%s --random=1 --size=d0=3 --size=d1=1 --check | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: keratin-run %t.so --model=%s --random=1 --size=d0=1 --size=d1=5 --check | FileCheck %s --check-prefixes=AGREES
// RUN: %{exits} 1 keratin-run %t.so --random=1 --size=d0=3 --size=d1=2 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.h
// RUN: FileCheck %s --check-prefix=METADATA --input-file=%t.meta

// RUN: keratin-compile %s --assume-equal-sizes=only -o %t.only.so --header=%t.only.h
// RUN: keratin-run %t.only.so --model=%s --random=1 --size=d0=3 --size=d1=3 --check | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: %{exits} 1 keratin-run %t.only.so --random=1 --size=d0=3 --size=d1=1 2>&1 | FileCheck %s --check-prefix=ONLY
// RUN: FileCheck %s --check-prefix=ONLY-HEADER --input-file=%t.only.h

// RUN: keratin-compile %s --assume-equal-sizes=no -o %t.no.so --header=%t.no.h
// RUN: keratin-run %t.no.so --model=%s --random=1 --size=d0=3 --size=d1=1 --check | FileCheck %s --check-prefixes=AGREES,EQUAL
// RUN: FileCheck %s --check-prefix=NO-HEADER --input-file=%t.no.h

// RUN: keratin-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: keratin-compile %s --emit=plan --assume-equal-sizes=no | FileCheck %s --check-prefix=NO-PLAN
// RUN: keratin-dump %s --stage=simplified | FileCheck %s --check-prefix=DUMP
// RUN: keratin-dump %s --stage=simplified --assume-equal-sizes=no | FileCheck %s --check-prefix=NO-DUMP
// RUN: %{exits} 1 keratin-run %t.so --assume-equal-sizes=no 2>&1 | FileCheck %s --check-prefix=OBJECT

// EQUAL:   sum: float32 (3, 2)
// AGREES:  check: 1 call agrees with the reference interpreter
// PROFILE: "name":"sum_of"{{.*}}"sizes":"assumed to be equal"
// GENERAL-NOT: assumed
// NEITHER: add; at {{.*}}: found sizes 3 and 2
// HEADER:       output 0  sum: float32 (broadcast(x_dim0, y_dim0), 2)
// HEADER:       requires  x_dim0 == 1 or broadcast(x_dim0, y_dim0)
// HEADER:       fastest   y_dim0 == x_dim0
// METADATA:     "fastest":
// METADATA-NEXT:  "y_dim0 == x_dim0"
// ONLY:         function 'sum_of': sizes are assumed to be equal: sizes 1 and 3 must be equal; input 'y' ({{.*}}) has 1 on axis 0, input 'x' ({{.*}}) has 3 on axis 0
// ONLY-HEADER:  output 0  sum: float32 (x_dim0, 2)
// ONLY-HEADER:  requires  y_dim0 == x_dim0
// ONLY-HEADER-NOT: broadcast
// NO-HEADER:    output 0  sum: float32 (broadcast(x_dim0, y_dim0), 2)
// NO-HEADER-NOT: fastest
// PLAN:         assumes       y_dim0 = x_dim0
// PLAN-NOT:     broadcast
// NO-PLAN:      broadcast(x_dim0, y_dim0)
// DUMP-NOT:     broadcast(
// NO-DUMP:      broadcast(d0, d1)
// OBJECT:       keratin-run: error: --assume-equal-sizes goes with a model, not a shared object: keratin-compile --assume-equal-sizes

func.func @sum_of(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "x"},
                  %y: tensor<?x2xf32, #keratin.dims<d1, 2>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>> {keratin.kind = "output", keratin.name = "sum"}) {
  %0 = keratin.require broadcast #keratin.dims<d0> #keratin.dims<broadcast(d0, d1)> "add" %x
      : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %1 = keratin.broadcast %0 dims = [0, 2] : (tensor<?x2xf32, #keratin.dims<d0, 2>>)
      -> tensor<?x?x2xf32, #keratin.dims<d0, floordiv(broadcast(d0, d1), max(d0, 1)), 2>>
  %2 = keratin.reshape %1 : (tensor<?x?x2xf32, #keratin.dims<d0, floordiv(broadcast(d0, d1), max(d0, 1)), 2>>)
      -> tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>
  %3 = keratin.require broadcast #keratin.dims<d1> #keratin.dims<broadcast(d0, d1)> "add" %y
      : (tensor<?x2xf32, #keratin.dims<d1, 2>>) -> tensor<?x2xf32, #keratin.dims<d1, 2>>
  %4 = keratin.broadcast %3 dims = [0, 2] : (tensor<?x2xf32, #keratin.dims<d1, 2>>)
      -> tensor<?x?x2xf32, #keratin.dims<d1, floordiv(broadcast(d0, d1), max(d1, 1)), 2>>
  %5 = keratin.reshape %4 : (tensor<?x?x2xf32, #keratin.dims<d1, floordiv(broadcast(d0, d1), max(d1, 1)), 2>>)
      -> tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>
  %6 = keratin.tanh %5 : (tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>) -> tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>
  %7 = keratin.add %2, %6
      : (tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>, tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>)
      -> tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>
  return %7 : tensor<?x2xf32, #keratin.dims<broadcast(d0, d1), 2>>
}
