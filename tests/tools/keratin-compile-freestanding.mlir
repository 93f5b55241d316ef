// Code for machines without an operating system: what its header says, and what it cannot have.
// RUN: rm -rf %t && split-file %s %t
// RUN: keratin-compile %t/net.mlir --freestanding --emit=obj --size=batch=3 --mcpu=x86-64 -o %t/net.o --header=%t/net.h
// RUN: FileCheck %s --input-file=%t/net.h --check-prefixes=HEADER,OBJECT
// RUN: keratin-compile %t/net.mlir --emit=c --size=d0=3 -o %t/net.c --header=%t/net-c.h
// RUN: FileCheck %s --input-file=%t/net-c.h --check-prefixes=HEADER,SOURCE
// RUN: FileCheck %s --input-file=%t/net.c --check-prefix=C

// OBJECT:      // Model 'net', compiled for x86_64{{.*}} (x86-64) by Keratin
// SOURCE:      // Model 'net', compiled for any processor, in C99 by Keratin
// OBJECT:      #define net_ALIGNMENT 64
// SOURCE:      #define net_ALIGNMENT 8
// HEADER:      //   0  w: float32 (4, 3)
// OBJECT-NEXT: #define net_STATE_BYTES 64
// SOURCE-NEXT: #define net_STATE_BYTES 48
// HEADER:      int32_t net_state_init(void *state);
// HEADER:      // Variables that no function updates are constants of the code:
// HEADER-NEXT: //   b: float32 (3,)
// HEADER:      // step
// HEADER-NEXT: //   input 0   x: float32 (3, 4)
// HEADER-NEXT: //   output 0  y: float32 (3, 3)
// HEADER-NEXT: //   updates   w
// HEADER-NEXT: #define net_step_WORKSPACE_BYTES {{[0-9]+}}
// OBJECT:      #define net_step_STACK_BYTES {{[0-9]+}}
// SOURCE-NOT:  STACK_BYTES
// HEADER:      #define net_step_OPERATIONS {{[0-9]+}}
// HEADER-NEXT: int32_t net_step(void *state, const float *x, float *y, void *workspace);
// HEADER-NEXT: const char *net_step_message(int32_t result);

// C-NOT:  #include {{[^<]}}
// C:      #pragma STDC FP_CONTRACT OFF
// C:      static const float keratin_data_0[] = {0x1p0f, 0x1p0f, 0x1p0f, };
// C:      int32_t net_step(void *p0, const float *p1, float *p2, void *p3) {

// RUN: %{exits} 2 keratin-compile %t/net.mlir --freestanding 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: keratin-compile: error: --freestanding goes with --emit=obj and --emit=c
// RUN: %{exits} 2 keratin-compile %t/net.mlir --freestanding --emit=obj --mcpu=multi 2>&1 | FileCheck %s --check-prefix=MULTI
// MULTI: keratin-compile: error: --freestanding is for one processor; --mcpu=multi names several
// RUN: %{exits} 2 keratin-compile %t/net.mlir --freestanding --emit=obj --check-numbers 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: keratin-compile: error: --check-numbers does not go with --freestanding
// RUN: %{exits} 2 keratin-compile %t/net.mlir --emit=c --mcpu=x86-64 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: keratin-compile: error: --mcpu does not go with --emit=c, which is for any processor
// RUN: %{exits} 2 keratin-compile %t/net.mlir --emit=c --target=aarch64-linux-gnu 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: keratin-compile: error: --target does not go with --emit=c, which is for any processor
// RUN: %{exits} 2 keratin-compile %t/net.mlir --size=batch=3 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: keratin-compile: error: --size goes with --freestanding and --emit=c
// RUN: %{exits} 1 keratin-compile %t/net.mlir --freestanding --emit=obj --target=cuda -o %t/x.o 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: keratin-compile: error: a freestanding model is for a CPU; found the target 'cuda'

// RUN: %{exits} 1 keratin-compile %t/net.mlir --emit=c -o %t/x.c 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: net.mlir:2: error: function 'step': size 'batch' of input 'x' is not known; a freestanding model needs --size=batch=N
// RUN: %{exits} 1 keratin-compile %t/net.mlir --emit=c --size=rows=3 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: keratin-compile: error: --size: no size is named 'rows'; the model has batch
// RUN: %{exits} 1 keratin-compile %t/net.mlir --emit=c --size=batch=3 --size=d0=4 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: keratin-compile: error: --size: 'batch' is given twice
// RUN: %{exits} 1 keratin-compile %t/net.mlir --emit=c --size=batch=9 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=LIMITS
// LIMITS: keratin-compile: error: function 'step': size 'batch' is to be 9; needed at most 8
// RUN: %{exits} 1 keratin-compile %t/print.mlir --emit=c --size=rows=3 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: keratin-compile: error: --size: no size is named 'rows'; the model has none that is not known
// RUN: %{exits} 1 keratin-compile %t/quotient.mlir --emit=c --size=d0=0 -o %t/x.c 2>&1 | FileCheck %s --check-prefix=QUOTIENT
// QUOTIENT: keratin-compile: error: function 'parts': a size cannot be computed from those that are given
// RUN: %{exits} 1 keratin-compile %t/value.mlir --emit=c -o %t/x.c 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: value.mlir:1: error: function 'up_to': the value of input 'n' is a size; a freestanding model has sizes that are known when it is compiled
// RUN: %{exits} 1 keratin-compile %t/while.mlir --emit=c --function=unbounded -o %t/x.c 2>&1 | FileCheck %s --check-prefix=UNBOUNDED
// UNBOUNDED: while.mlir:5: error: function 'unbounded': a freestanding model cannot have while: nothing bounds the number of steps; give the most that there may be
// RUN: %{exits} 1 keratin-compile %t/while.mlir --emit=c --function=kept -o %t/x.c 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: while.mlir:15: error: function 'kept': a freestanding model cannot have while: what the steps keep has a size that only the call knows
// RUN: %{exits} 1 keratin-compile %t/truncate.mlir --emit=c -o %t/x.c 2>&1 | FileCheck %s --check-prefix=TRUNCATE
// TRUNCATE: truncate.mlir:3: error: function 'shorter': a freestanding model cannot have truncate: the size is known only to the call
// RUN: %{exits} 1 keratin-compile %t/print.mlir --emit=c -o %t/x.c 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: print.mlir:2: error: function 'shown': a freestanding model cannot have print: there is nothing to print to
// RUN: %{exits} 1 keratin-compile %t/ranks.mlir --emit=c -o %t/x.c 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: ranks.mlir:2: error: function 'all': a freestanding model cannot have all_reduce: there is one process

//--- net.mlir
func.func @step(
    %x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<0.5> : tensor<4x3xf32>},
    %b: tensor<3xf32> {keratin.kind = "variable", keratin.name = "b", keratin.initial = dense<1.0> : tensor<3xf32>})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 0 : i64})
    attributes {keratin.sizes = ["batch"], keratin.limits = {d0 = {max = 8 : i64}}} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %1 = keratin.broadcast %b dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.add %0, %1 : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %half = keratin.constant dense<0.5> : tensor<4x3xf32>
  %new = keratin.mul %w, %half : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y, %new : tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<4x3xf32>
}
//--- value.mlir
func.func @up_to(%n: tensor<i32> {keratin.kind = "input", keratin.name = "n", keratin.symbol = 0 : i64})
    -> (tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "numbers"}) {
  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d0>>
  return %0 : tensor<?xi32, #keratin.dims<d0>>
}
//--- quotient.mlir
func.func @parts(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<floordiv(8, d0)>> {keratin.kind = "output", keratin.name = "y"}) {
  %s = keratin.constant dense<1.0> : tensor<f32>
  %y = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<floordiv(8, d0)>>
  return %y : tensor<?xf32, #keratin.dims<floordiv(8, d0)>>
}
//--- while.mlir
func.func @unbounded(%x: tensor<f32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "y"}) {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %first = keratin.compare gt %x, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %last:3 = keratin.while init(%first, %x) with(%one) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>, %limit: tensor<f32>):
    %n = keratin.sub %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %more = keratin.compare gt %n, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %n : tensor<i1>, tensor<f32>
  }
  return %last#1 : tensor<f32>
}
func.func @kept(%x: tensor<f32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<f32> {keratin.kind = "output", keratin.name = "y"}) {
  %first = keratin.constant dense<true> : tensor<i1>
  %last:4 = keratin.while length = <d5> at_most = <9> init(%first, %x) with() : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>, tensor<?xf32, #keratin.dims<d5>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>):
    %n = keratin.exp %s : (tensor<f32>) -> tensor<f32>
    %more = keratin.compare lt %n, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %n, %n : tensor<i1>, tensor<f32>, tensor<f32>
  }
  %sum = keratin.reduce_max %last#3 axes = [0] : (tensor<?xf32, #keratin.dims<d5>>) -> tensor<f32>
  return %sum : tensor<f32>
}
//--- truncate.mlir
func.func @shorter(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}, %n: tensor<i64> {keratin.kind = "input", keratin.name = "n"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
//--- print.mlir
func.func @shown(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.print "x is" %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- ranks.mlir
func.func @all(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.all_reduce sum %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
