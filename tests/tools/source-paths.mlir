// What objects and messages say of source files: --strip-locations, --file-prefix-map.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s -o %t/m.so --header=%t/m.h --metadata=%t/m.json --profile --check-numbers
// RUN: cat %t/m.so %t/m.h | FileCheck %s --check-prefix=WITH
// WITH: /home/me/secret/net.cc:7
// RUN: keratin-compile %s -o %t/m.so --header=%t/m.h --metadata=%t/m.json --profile --check-numbers --strip-locations
// RUN: cat %t/m.so %t/m.h %t/m.json | FileCheck %s --check-prefix=WITHOUT
// RUN: keratin-compile %s -o - --emit=asm --profile --check-numbers --strip-locations | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: {{secret|source-paths|net\.cc}}
// RUN: keratin-compile %s -o %t/m.so --header=%t/m.h --metadata=%t/m.json --profile --check-numbers --file-prefix-map=/home/me/secret/=src/ --file-prefix-map=%s=
// RUN: cat %t/m.so %t/m.h %t/m.json | FileCheck %s --check-prefix=WITHOUT-FOLDER
// RUN: cat %t/m.so %t/m.h | FileCheck %s --check-prefix=MAPPED
// WITHOUT-FOLDER-NOT: {{secret|source-paths}}
// MAPPED: src/net.cc:7

// Of two that fit, the last.
// RUN: keratin-compile %s -o - --file-prefix-map=/home=a --file-prefix-map=/home/me=b | FileCheck %s --check-prefix=LAST
// LAST: b/secret/net.cc:7

// A size that does not fit names the call no more.
// RUN: keratin-compile %s -o %t/m.so && %{exits} 1 keratin-run %t/m.so --random --size=a_dim0=2 --size=b_dim0=3 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: at /home/me/secret/net.cc:7
// RUN: keratin-compile %s -o %t/m.so --strip-locations && %{exits} 1 keratin-run %t/m.so --random --size=a_dim0=2 --size=b_dim0=3 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID-NOT: net.cc

// RUN: %{exits} 2 keratin-compile %s --file-prefix-map=/home 2>&1 | FileCheck %s --check-prefix=PAIR
// PAIR: keratin-compile: error: --file-prefix-map needs OLD=NEW, found '/home'

!a = tensor<?xf32, #keratin.dims<d0>>
!b = tensor<?xf32, #keratin.dims<d1>>
#call = loc("/home/me/secret/net.cc":7:0)
func.func @f(%a: !a {keratin.name = "a"}, %b: !b {keratin.name = "b"}) -> (!a, !b) {
  %r = keratin.require equal #keratin.dims<d0> #keratin.dims<d1> "add: sizes" %a : (!a) -> !a loc(#call)
  %y = keratin.exp %r : (!a) -> !a loc(#call)
  return %y, %b : !a, !b
}
