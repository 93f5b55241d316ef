// A kernel has one name and one number in everything that speaks of it: the scope and line of the op that computes most,
// of which gradient it is, and how many ops there are besides.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// KERNELS:      kernel 0: head: dot_general + 4  net.cc:10
// KERNELS:      kernel 1: reduce_sum  net.cc:12
// KERNELS:      kernel 2: head: gradient of dot_general + sub  net.cc:10

// One line in comments, whatever a path holds.
// RUN: sed 's,"net.cc":12,"net\\0A.globl x":12,' %s | keratin-dump - --stage=asm | FileCheck %s --check-prefix=LINE
// LINE: # kernel 1: reduce_sum  net\0A.globl x:12

// RUN: keratin-dump %s --format=stats | FileCheck %s --check-prefix=STATS
// STATS:      0 {{.*}} head: dot_general + 4 net.cc:10
// STATS-NEXT: 1 {{.*}} reduce_sum net.cc:12
// STATS-NEXT: 2 {{.*}} head: gradient of dot_general + sub net.cc:10

// RUN: keratin-dump %s --stage=plan --format=json | python3 -m json.tool | FileCheck %s --check-prefix=JSON
// JSON:      "number": 2,
// JSON-NEXT: "last_number": 2,
// JSON-NEXT: "result"
// JSON-NEXT: "title": "head: gradient of dot_general + sub",
// JSON-NEXT: "location": "net.cc:10"

// RUN: keratin-dump %s --stage=host | FileCheck %s --check-prefix=HOST
// HOST: host.launch kernel 0({{.*}} on 0 {name = "head: dot_general + 4"}
// HOST: host.launch kernel 2({{.*}} on 0 {name = "head: gradient of dot_general + sub"}

// RUN: keratin-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: head: dot_general + 4, result 0 net.cc:10  0-1

// RUN: keratin-dump %s --stage=asm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=ASM
// ASM:      # kernel 0: head: dot_general + 4  net.cc:10
// ASM-NEXT: keratin.step.kernel_0:
// ASM:      # kernel 2: head: gradient of dot_general + sub  net.cc:10
// ASM-NEXT: keratin.step.kernel_2:

// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// LLVM:      ; kernel 2: head: gradient of dot_general + sub  net.cc:10
// LLVM-NEXT: define {{.*}}@keratin.step.kernel_2(

// RUN: keratin-dump %s --stage=ptx --target=cuda | FileCheck %s --check-prefix=PTX
// PTX:      // kernel 2: head: gradient of dot_general + sub  net.cc:10
// PTX:      .visible .entry model_kernel_2(

// The profile says the same, and its times stand beside the kernels.
// RUN: keratin-run %s --random --quiet --repeat=3 --profile=%t.json && FileCheck %s --check-prefix=PROFILE --input-file=%t.json
// PROFILE-DAG: "name":"head: dot_general + 4","cat":"kernel"{{.*}}"function":"step","kernel":0,"source":"net.cc:10"
// PROFILE-DAG: "name":"head: gradient of dot_general + sub","cat":"kernel"{{.*}}"kernel":2
// RUN: keratin-dump %s --format=stats --profile=%t.json | FileCheck %s --check-prefix=TIMES
// TIMES: us a call {{ *[0-9]+\.[0-9]$}}
// TIMES: kernel FLOPs read written us live timeline
// TIMES: 2 {{.*}} {{[0-9]+\.[0-9]}} {{.*}} head: gradient of dot_general + sub net.cc:10
// RUN: keratin-dump %s --format=html --profile=%t.json | FileCheck %s --check-prefix=PAGE
// PAGE: "title":"head: gradient of dot_general + sub"{{.*}}"us":{{[0-9.]+}},{{.*}}"function":"keratin.step.kernel_2"

// A profile of something else is refused.
// RUN: sed 's/dot_general + 4/dot_general + 3/g' %t.json > %t.other && %{exits} 1 keratin-dump %s --format=stats --profile=%t.other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/"name":"step"/"name":"stop"/g; s/"function":"step"/"function":"stop"/g' %t.json > %t.stop && %{exits} 1 keratin-dump %s --format=stats --profile=%t.stop 2>&1 | FileCheck %s --check-prefix=STOP
// RUN: sed 's/"function":"step",//g' %t.json > %t.old && %{exits} 1 keratin-dump %s --format=stats --profile=%t.old 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: echo '{}' > %t.empty && %{exits} 1 keratin-dump %s --format=stats --profile=%t.empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %{exits} 1 keratin-dump %s --format=stats --profile=%s 2>&1 | FileCheck %s --check-prefix=NOJSON
// RUN: %{exits} 2 keratin-dump %s --profile=%t.json 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %{exits} 2 keratin-dump %s --source=. 2>&1 | FileCheck %s --check-prefix=SOURCE
// OTHER: .other: error: kernel {{[0-2]}} of 'step' is {{.*}} in the profile and {{.*}} here; needed the profile of this model
// STOP: .stop: error: this is a profile of stop; needed one of step
// OLD: .old: error: a kernel of the profile has no function or no number
// EMPTY: .empty: error: this is no profile: it has no traceEvents
// NOJSON: kernel-names.mlir: error: this is no JSON
// TEXT: keratin-dump: error: --profile goes with the stage plan
// SOURCE: keratin-dump: error: --source goes with --format=html

// Planning may change the order: before it there are no numbers.
// RUN: keratin-dump %s --stage=fused --format=dot | FileCheck %s --check-prefix=FUSED
// FUSED: label="kernel\nhead: dot_general + 4"

func.func @step(%x: tensor<16x8xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"},
        tensor<8x4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32> loc("head/"("net.cc":10:3))
  %1 = keratin.tanh %0 : (tensor<16x4xf32>) -> tensor<16x4xf32> loc("head/"("net.cc":11:3))
  %loss = keratin.reduce_sum %1 axes = [0, 1] : (tensor<16x4xf32>) -> tensor<f32> loc("net.cc":12:3)
  %g = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %new = keratin.sub %w, %g : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("net.cc":13:3)
  return %loss, %new : tensor<f32>, tensor<8x4xf32>
}
