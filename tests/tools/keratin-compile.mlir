// The kinds of output.
// RUN: keratin-compile %s --emit=input | FileCheck %s --check-prefix=GRAPH
// RUN: keratin-compile %s --emit=input | keratin-opt | FileCheck %s --check-prefix=GRAPH
// RUN: keratin-compile %s --emit=grad | FileCheck %s --check-prefix=GRAD
// RUN: keratin-compile %s --emit=fused | FileCheck %s --check-prefix=FUSED
// RUN: keratin-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: keratin-compile %s --emit=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// RUN: keratin-compile %s --emit=asm --mcpu=x86-64-v3 --function=square | FileCheck %s --check-prefix=ASM
// RUN: keratin-compile %s --emit=asm --target=aarch64-linux-gnu --function=square | FileCheck %s --check-prefix=ARM

// GRAPH: keratin.gradients
// GRAD-NOT: keratin.gradients
// FUSED: keratin.kernel
// PLAN: arena
// LLVM: define void @keratin.square(
// LLVM: "target-cpu"="x86-64"{{.*}}"tune-cpu"="x86-64-v3"
// ASM-LABEL: keratin.square:
// ASM-NOT: keratin.slope:
// ARM: fmul v{{[0-9]+}}.4s

// The header, and a name for the symbols.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s -o %t/m.o --emit=obj --name=mine --header=%t/m.h --function=square
// RUN: FileCheck %s --check-prefix=HEADER < %t/m.h
// HEADER: // Model 'mine', compiled for
// HEADER:   square
// HEADER-NEXT: input 0 x: float32 (x_dim0,)
// HEADER-NEXT: output 0 y: float32 (x_dim0,)
// HEADER-NOT: slope
// HEADER: mine_square_run(

// What happened on the way.
// RUN: keratin-compile %s -o %t/l.so --timing --verify 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: square: {{[0-9.]+}} ms, 1 kernels
// TIMING: {{[0-9.]+}} ms  passes
// TIMING: {{[0-9.]+}} ms    keratin-{{[a-z-]+}}
// TIMING: {{[0-9.]+}} ms  machine code
// TIMING: {{[0-9.]+}} ms    kernel 0: {{.+}}
// RUN: keratin-compile %s -o %t/l.so --print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After {{.*}}(keratin-form-kernels)
// RUN: keratin-compile %s -o %t/l.so --dump-dir=%t --time-trace=%t/trace.json
// RUN: FileCheck %s --check-prefix=TRACE < %t/trace.json
// TRACE: "traceEvents"
// RUN: FileCheck %s --check-prefix=FUSED < %t/square.4-fused.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t/square.6-host.mlir
// HOST: host.program of @square

func.func @square(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.name = "y"}) {
  %0 = keratin.mul %x, %x : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

func.func @slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.gradients %0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
