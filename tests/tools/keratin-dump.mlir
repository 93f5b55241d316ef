// A training step in each format.

// Text is what keratin-opt reads and prints, at every stage.
// RUN: keratin-dump %s > %t.graph.mlir && keratin-opt --mlir-print-debuginfo %t.graph.mlir | diff - %t.graph.mlir
// RUN: keratin-dump %s --stage=grad > %t.grad.mlir && keratin-opt --mlir-print-debuginfo %t.grad.mlir | diff - %t.grad.mlir
// RUN: keratin-dump %s --stage=simplified > %t.simple.mlir && keratin-opt --mlir-print-debuginfo %t.simple.mlir | diff - %t.simple.mlir
// RUN: keratin-dump %s --stage=fused > %t.fused.mlir && keratin-opt --mlir-print-debuginfo %t.fused.mlir | diff - %t.fused.mlir
// RUN: keratin-dump %s --stage=plan -o %t.plan.mlir && keratin-opt --mlir-print-debuginfo %t.plan.mlir | diff - %t.plan.mlir
// RUN: keratin-dump %s --stage=host -o %t.host.mlir && keratin-opt --mlir-print-debuginfo %t.host.mlir | diff - %t.host.mlir
// RUN: FileCheck %s --check-prefix=GRAPH --input-file=%t.graph.mlir
// RUN: FileCheck %s --check-prefix=GRAD --input-file=%t.grad.mlir
// RUN: FileCheck %s --check-prefix=SIMPLE --input-file=%t.simple.mlir
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.fused.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.plan.mlir
// GRAPH: keratin.gradients
// GRAPH: loc("net.cc":13:3)
// GRAD-NOT: keratin.gradients
// GRAD: keratin.broadcast
// SIMPLE-NOT: keratin.kernel
// FUSED: keratin.kernel
// FUSED-NOT: keratin.memories
// PLAN: keratin.memories
// PLAN-NOT: host.program
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t.host.mlir
// HOST: func.func @step
// HOST: host.program of @step

// RUN: keratin-dump %s --stage=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// RUN: keratin-dump %s --stage=asm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=ASM
// LLVM: define void @keratin.step(
// ASM: keratin.step:

// Products and sums: forward d0*8*4*2; backward the same; tanh, its square, its subtraction and the sum
// d0*4 each; the update 8*4 twice. A product that is subtracted has its sign changed: d0*4 and 8*4.
// RUN: keratin-dump %s --format=stats --size=d0=64 | FileCheck %s --check-prefix=STATS
// STATS: function step, plan, x_dim0 = 64
// STATS: ops{{ +}}{{[0-9]+}}, kernels [[KERNELS:[0-9]+]]
// STATS: 2 keratin.dot_general
// STATS: FLOPs{{ +}}9568 = 148*x_dim0 + 96
// STATS: bytes read{{ +}}{{[0-9]+}} = {{.*}}x_dim0
// STATS: arena bytes{{ +}}{{[0-9]+}} = 64*floordiv(x_dim0 + 1, 2)
// STATS: live at most
// STATS: kernel FLOPs read written live timeline
// STATS: 0 5120 2176 2048 2048 #{{#+\.*}} dot_general + 4 net.cc:10

// Before kernels are formed, each op counts as one.
// RUN: keratin-dump %s --format=stats --stage=simplified | FileCheck %s --check-prefix=EARLY
// EARLY: function step, simplified, x_dim0 = 32
// EARLY: FLOPs{{ +}}4672 = 144*x_dim0 + 64
// EARLY-NOT: arena

// RUN: keratin-dump %s --format=json --stage=plan | python3 -m json.tool | FileCheck %s --check-prefix=JSON
// JSON: "version": 1
// JSON: "name": "step"
// JSON: "stage": "plan"
// JSON: "flops_formula": "148*x_dim0 + 96"
// JSON: "kind": "input"
// JSON-NEXT: "name": "x"
// JSON-NEXT: "result": "%arg0"
// JSON: "kind": "variable"
// JSON: "op": "keratin.dot_general"
// JSON: "a_contract": "array<i64: 1>"
// JSON: "net.cc:10:3"
// JSON: "kernel": 0
// JSON: "kind": "update"
// JSON-NEXT: "name": "w"
// JSON: "kernels": [
// JSON: "memory": {
// JSON: "arena":
// JSON: "buffers": [
// JSON: "first": 0

// RUN: keratin-dump %s --format=dot --stage=fused | FileCheck %s --check-prefix=DOT
// DOT: digraph keratin {
// DOT: label="step (fused)"
// DOT: [[X:f0_[0-9]+]] [shape=invhouse, {{.*}}label="%arg0 x\nfloat32 (x_dim0, 8)\nnet.cc:3"
// DOT: shape=cylinder
// DOT: subgraph cluster_f0_k0 {
// DOT: shape=note
// DOT: [[DOT:f0_[0-9]+]] [{{.*}}dot_general\nfloat32 (x_dim0, 4)\nnet.cc:10"
// DOT: [[X]] -> [[DOT]];

// Neighbourhoods: by op, by place, by number.
// RUN: keratin-dump %s --stage=simplified --around=tanh --depth=0 > %t.near.mlir && keratin-opt --mlir-print-debuginfo %t.near.mlir | diff - %t.near.mlir
// RUN: FileCheck %s --check-prefix=NEAR --input-file=%t.near.mlir
// RUN: keratin-dump %s --stage=simplified --around=net.cc:12 | FileCheck %s --check-prefix=PLACE
// RUN: keratin-dump %s --around=%%2 --depth=0 --format=json | FileCheck %s --check-prefix=NUMBER
// RUN: keratin-dump %s --around=keratin.tanh --depth=0 --format=dot --stage=fused | FileCheck %s --check-prefix=KERNEL
// NEAR: func.func @step(%arg0: tensor<?x4xf32
// NEAR-NEXT: keratin.tanh %arg0
// NEAR-NEXT: return
// PLACE: keratin.tanh
// PLACE-NEXT: keratin.reduce_sum
// PLACE-NEXT: return
// NUMBER: "kind": "outside"
// NUMBER: "op": "keratin.tanh"
// NUMBER-NOT: keratin.mul
// KERNEL: subgraph cluster_f0_k0
// KERNEL-NOT: subgraph
// KERNEL: shape=plaintext

func.func @step(%x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"} loc("net.cc":3:7),
                %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"} loc("net.cc":4:7))
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"},
        tensor<8x4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %rate = keratin.constant dense<0.1> : tensor<8x4xf32>
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<8x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> loc("net.cc":10:3)
  %1 = keratin.tanh %0 : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> loc("net.cc":11:3)
  %loss = keratin.reduce_sum %1 axes = [0, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<f32> loc("net.cc":12:3)
  %g = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("net.cc":13:3)
  %s = keratin.mul %g, %rate : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("net.cc":14:3)
  %new = keratin.sub %w, %s : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("net.cc":14:9)
  return %loss, %new : tensor<f32>, tensor<8x4xf32>
}
