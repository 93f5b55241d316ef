// What keratin-compile refuses: exit code 2 for the command line, 1 for the input.
// RUN: %{exits} 2 keratin-compile 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: keratin-compile: error: an argument is missing; usage: keratin-compile <model.ktg, .onnx, .h5 or .mlir> [options]
// RUN: %{exits} 2 keratin-compile a b 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: keratin-compile: error: 'b' is one argument too many
// RUN: %{exits} 2 keratin-compile a --emti=so 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: keratin-compile: error: there is no option '--emti'; --help lists them
// RUN: %{exits} 2 keratin-compile a --emit=exe 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: keratin-compile: error: --emit needs one of input|graph|grad|simplified|fused|plan|host|kernels|llvm|asm|ptx|cubin|onnx|c|obj|so, found 'exe'
// RUN: %{exits} 2 keratin-compile a --threads=-1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: keratin-compile: error: --threads needs a number of at least 0, found '-1'
// RUN: %{exits} 2 keratin-compile a --timing=yes 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: keratin-compile: error: --timing takes no value
// RUN: %{exits} 2 keratin-compile a -o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: keratin-compile: error: -o needs a value

// RUN: %{exits} 1 keratin-compile /nowhere/model.ktg 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: /nowhere/model.ktg: error: No such file or directory
// RUN: rm -rf %t && split-file %s %t
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --mcpu=pentium9 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: keratin-compile: error: unknown cpu 'pentium9' of target
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --mcpu=x86-64-v4+abacus 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: keratin-compile: error: unknown cpu 'x86-64-v4+abacus' of target
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --target=riscv64-linux-gnu 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: keratin-compile: error: not implemented: target 'riscv64-linux-gnu'; there are x86_64-linux and aarch64-linux
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --target=abacus 2>&1 | FileCheck %s --check-prefix=ABACUS
// ABACUS: keratin-compile: error: unknown target 'abacus'; known targets: cpu, cuda, and of CPUs triples such as x86_64-linux-gnu
// RUN: %{exits} 2 keratin-compile %t/good.mlir -o %t/x.so --name=a-b 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: keratin-compile: error: the model's name 'a-b' cannot begin names in C; needed letters, digits and single _ between them, a letter first, and not keratin
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o /nowhere/x.so 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: keratin-compile: error: cannot write '/nowhere/x.so': No such file or directory
// RUN: %{exits} 1 keratin-compile %t/good.mlir --function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: good.mlir: error: there is no function 'g'; there are f
// RUN: %{exits} 2 keratin-compile %t/good.mlir --emit=asm --header=%t/h 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: keratin-compile: error: --header goes with --emit=obj, --emit=so and --emit=c
// RUN: %{exits} 1 keratin-compile %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:2:{{[0-9]+}}: error:
// RUN: %{exits} 1 keratin-compile %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir: error: there is no function
// RUN: %{exits} 1 keratin-compile %t/external.mlir 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: external.mlir: error: function 'f' has no body
// RUN: %{exits} 1 keratin-compile %t/kind.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: kind.mlir:1:1: error: argument 0: keratin.kind must be "input" or "variable"
// RUN: %{exits} 1 keratin-compile %t/shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: shape.mlir: error: variable 'w' of function 'f' must be a tensor of known shape
// RUN: %{exits} 1 keratin-compile %t/shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: shared.mlir: error: variable 'w' has another dtype or shape in function 'g'
// RUN: %{exits} 1 keratin-compile %t/initial.mlir 2>&1 | FileCheck %s --check-prefix=INITIAL
// INITIAL: initial.mlir: error: the initial value of variable 'w' has another type
// RUN: %{exits} 1 keratin-compile %t/control-function.mlir 2>&1 | FileCheck %s --check-prefix=CONTROL-FUNCTION
// CONTROL-FUNCTION: control-function.mlir: error: a function's name has control characters
// RUN: %{exits} 1 keratin-compile %t/control-argument.mlir 2>&1 | FileCheck %s --check-prefix=CONTROL-ARGUMENT
// CONTROL-ARGUMENT: control-argument.mlir: error: an argument's name has control characters
// RUN: %{exits} 1 keratin-compile %t/control-output.mlir 2>&1 | FileCheck %s --check-prefix=CONTROL-OUTPUT
// CONTROL-OUTPUT: control-output.mlir: error: an output's name has control characters
// RUN: %{exits} 1 keratin-compile %t/size.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: size.mlir:{{[0-9]+}}: error: nothing gives size 'd0' a value; needed an input that has it
// RUN: %{exits} 4 keratin-compile %t/deep.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: deep.mlir:{{.*}}error: a size is too long an expression
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --shard=rows 2>&1 | FileCheck %s --check-prefix=SHARD
// SHARD: keratin-compile: error: --shard: no input has a size 'rows'; they have no unknown sizes
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --sysroot=/nowhere 2>&1 | FileCheck %s --check-prefix=SYSROOT
// SYSROOT: keratin-compile: error: --sysroot='/nowhere' is not a folder
// RUN: %{exits} 1 keratin-compile %t/good.mlir -o %t/x.so --sysroot=%t 2>&1 | FileCheck %s --check-prefix=LIBC
// LIBC: keratin-compile: error: --sysroot='{{.*}}' has no C library for x86_64{{.*}}; needed libc.so or libc.so.6 in its lib or usr/lib
// RUN: mkdir -p %t/lib && touch %t/lib/libc.so.6
// RUN: %{exits} 3 keratin-compile %t/good.mlir -o %t/x.so --sysroot=%t 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: keratin-compile: error: linking failed:
// RUN: %{exits} 2 keratin-opt %t/good.mlir --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t/tree -cse 2>&1 | FileCheck %s --check-prefix=TREE
// TREE: error: --mlir-print-ir-tree-dir makes paths of the names of functions
// Nothing is left behind.
// RUN: ls %t | FileCheck %s --check-prefix=LEFT
// LEFT-NOT: x.so
// LEFT-NOT: tree
// LEFT-NOT: tmp

//--- good.mlir
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- syntax.mlir
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
//--- empty.mlir
//--- external.mlir
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
//--- kind.mlir
func.func @f(%x: tensor<2xf32> {keratin.kind = "output"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- shape.mlir
func.func @f(%w: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "variable", keratin.name = "w"}) -> tensor<?xf32, #keratin.dims<d0>> {
  return %w : tensor<?xf32, #keratin.dims<d0>>
}
//--- shared.mlir
func.func @f(%w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
func.func @g(%w: tensor<3xf32> {keratin.kind = "variable", keratin.name = "w"}) -> tensor<3xf32> {
  return %w : tensor<3xf32>
}
//--- initial.mlir
func.func @f(%w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<0.0> : tensor<3xf32>}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
//--- control-function.mlir
func.func @"f\0A"(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- control-argument.mlir
func.func @f(%x: tensor<2xf32> {keratin.name = "x\1B"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- control-output.mlir
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32> {keratin.name = "y\7F"}) {
  return %x : tensor<2xf32>
}
//--- size.mlir
func.func @f() -> tensor<?xi64, #keratin.dims<d0>> {
  %y = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}
//--- deep.mlir
func.func @deep(%x: tensor<?xf32, #keratin.dims<8*d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(max(d0, 5) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3)>> {keratin.kind = "output"})
    attributes {keratin.limits = {d0 = {multiple_of = 8, unit = 8}}} {
  %s = keratin.constant dense<1.0> : tensor<f32>
  %y = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(max(d0, 5) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3)>>
  return %y : tensor<?xf32, #keratin.dims<floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(floordiv(max(d0, 5) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3) + d0, 3)>>
}
