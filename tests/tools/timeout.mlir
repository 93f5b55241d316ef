// --timeout ends each tool with exit code 4, wherever it is.
// RUN: rm -rf %t && mkdir %t

// Calls that would take years.
// RUN: %{exits} 4 keratin-run %s --random --repeat=1000000000000000 --timeout=300ms --output=%t/y.npz 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: keratin-compile %s -o %t/model.so
// RUN: %{exits} 4 keratin-run %t/model.so --random --repeat=1000000000000000 --timeout=0.3 --output-dir=%t/y 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: %{exits} 4 keratin-run %s --random --repeat=1000000000000000 --timeout=0.005min --check 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: %{exits} 4 keratin-run %s --function=f --random --timeout 300ms --threads=2 --repeat=1000000000000000 --profile=%t/p 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: ls %t | FileCheck %s --check-prefix=LEFT
// LEFT: model.so
// LEFT-NOT: {{.}}
// CALLS: {{^[^ ]*(timeout.mlir|model.so): error: not done after 0.3 s: }}

// Too little time for 30,000 ops.
// RUN: awk 'BEGIN { print "func.func @f(%%v0: tensor<4xf32>) -> tensor<4xf32> {"; for (i = 0; i < 30000; ++i) printf "  %%%%v%%d = keratin.tanh %%%%v%%d : (tensor<4xf32>) -> tensor<4xf32>\n", i + 1, i; print "  return %%v30000 : tensor<4xf32>\n}" }' > %t/chain.mlir
// RUN: %{exits} 4 keratin-compile %t/chain.mlir -o %t/x.so --timeout=1ms 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: %{exits} 4 keratin-dump %t/chain.mlir --stage=asm -o %t/x.s --timeout=1ms 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: %{exits} 4 keratin-opt %t/chain.mlir --keratin-pipeline -o %t/x.mlir --timeout=1ms 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not ls %t/x.so
// RUN: not ls %t/x.s
// RUN: not ls %t/x.mlir
// CHAIN: {{^[^ ]*}}chain.mlir: error: not done after 0.001 s: {{(starting|reading|parsing|compiling|pass)}}

// Text that never comes. Two seconds are more than it takes to begin, but on a very busy machine.
// RUN: mkfifo %t/pipe
// RUN: %{exits} 4 keratin-opt %t/pipe --timeout=2s 3<>%t/pipe 2>&1 | FileCheck %s --check-prefix=PIPE
// PIPE: pipe: error: not done after 2 s: {{(starting|reading)}}

// Enough time.
// RUN: keratin-compile %s -o %t/x.so --timeout=100
// RUN: keratin-run %t/x.so --random --quiet --timeout=100s
// RUN: keratin-dump %s --timeout=2min | keratin-opt --timeout=100s

// RUN: %{exits} 2 keratin-compile %s --timeout=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: keratin-compile: error: --timeout needs a time as 10, 10s, 500ms or 2min, found '0'
// RUN: %{exits} 2 keratin-run %s --timeout=5h 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: keratin-run: error: --timeout needs a time as 10, 10s, 500ms or 2min, found '5h'
// RUN: %{exits} 2 keratin-dump %s --timeout=-1 2>&1 | FileCheck %s --check-prefix=MINUS
// MINUS: keratin-dump: error: --timeout needs a time as 10, 10s, 500ms or 2min, found '-1'
// RUN: %{exits} 2 keratin-opt %s --timeout=nan 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: keratin-opt: error: --timeout needs a time as 10, 10s, 500ms or 2min, found 'nan'

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
