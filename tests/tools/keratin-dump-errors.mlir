// What is refused, and how.
// RUN: %{exits} 0 keratin-dump --help | FileCheck %s --check-prefix=HELP
// RUN: keratin-dump --help | wc -l | FileCheck %s --check-prefix=LINES
// RUN: %{exits} 2 keratin-dump 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %{exits} 2 keratin-dump %s --format=svg 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: %{exits} 2 keratin-dump %s --stage=asm --format=dot 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: %{exits} 2 keratin-dump %s --stage=plan --format=html 2>&1 | FileCheck %s --check-prefix=HTML
// RUN: %{exits} 2 keratin-dump %s --around=tanh --format=stats 2>&1 | FileCheck %s --check-prefix=AROUND
// RUN: %{exits} 1 keratin-dump %s --around=dot_general 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: %{exits} 1 keratin-dump %s --format=stats --size=n=4 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: %{exits} 2 keratin-dump %s --format=stats --size=d0 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %{exits} 1 keratin-dump %s --format=stats --size=d0=4 --size=x_dim0=5 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %{exits} 2 keratin-dump %s --stage=memory 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: %{exits} 1 keratin-dump %s --format=html --source=%t.none 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: mkdir -p %t.empty && %{exits} 1 keratin-dump %s --format=html --source=%t.empty 2>&1 | FileCheck %s --check-prefix=NOSOURCE
// RUN: env KERATIN_DUMP_DIR=%s %{exits} 1 keratin-dump %s 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: %{exits} 1 keratin-dump %t.none 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %{exits} 1 keratin-dump %s --function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: %{exits} 1 keratin-dump %s --stage=asm --mcpu=z80 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: %{exits} 1 keratin-dump %s --stage=ptx 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: %{exits} 1 keratin-dump %s --stage=ptx --target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: echo 'func.func @f(%%x: tensor<2xf33>) { return }' | %{exits} 1 keratin-dump - 2>&1 | FileCheck %s --check-prefix=SYNTAX
// HELP: usage: keratin-dump
// LINES: {{^ *[1-5]?[0-9]$}}
// MISSING: keratin-dump: error: an argument is missing
// FORMAT: keratin-dump: error: --format needs one of text|dot|html|json|stats, found 'svg'
// ASM: keratin-dump: error: --stage=asm is text only
// HTML: keratin-dump: error: --format=html shows all stages
// AROUND: keratin-dump: error: --around goes with
// NOTHING: keratin-dump: error: no op matches --around=dot_general
// SYMBOL: keratin-dump: error: --size: the function has no size 'n'; there are x_dim0 (d0)
// SIZE: keratin-dump: error: --size needs NAME=N, found 'd0'
// TWICE: keratin-dump: error: --size: 'x_dim0' is given twice
// STAGE: keratin-dump: error: --stage needs one of input|graph|grad|simplified|fused|plan|host|kernels|llvm|asm|ptx|sass, found 'memory'
// SOURCE: keratin-dump: error: --source: there is no folder '{{.*}}.none'
// NOSOURCE: keratin-dump: error: --source: the model names '{{.*}}keratin-dump-errors.mlir', of which none is in '{{.*}}.empty'
// FOLDER: keratin-dump: error: cannot write '{{.*}}keratin-dump-errors.mlir': Not a directory
// FILE: none: error:
// FUNCTION: error: there is no function 'g'; there are f
// CPU: keratin-dump: error:
// PTX: keratin-dump: error: --stage=ptx: the target 'cpu' makes no PTX; needed --target=cuda
// TARGET: keratin-dump: error: unknown target 'abacus'
// SYNTAX: -:1:{{[0-9]+}}: error:

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"}) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.tanh %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}
