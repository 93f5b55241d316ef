// Name scopes fold the page and are clusters of the graph for GraphViz; gradients have a tree of their own.

// RUN: keratin-dump %s --stage=grad --format=dot | FileCheck %s --check-prefix=DOT
// DOT:      label="f (grad)"
// DOT:        label="stage0"
// DOT:          label="block1"
// DOT:            label="{{.*}} tanh\n
// DOT:        label="gradient"
// DOT:          label="stage0"
// DOT:            label="block1"

// RUN: keratin-dump %s --stage=grad --format=json | python3 -m json.tool | FileCheck %s --check-prefix=JSON
// JSON: "scope": "stage0/block1"
// JSON: "scope": "gradient/stage0/block1"

// A variable stands where it is used; kind, side, index and place of each box, and lines between them.
// RUN: keratin-dump %s --format=html | FileCheck %s --check-prefix=PAGE
// PAGE: "stage":"input"{{.*}}"scopes":[{"name":"","parent":-1,"ops":{{[0-9]+}},{{[^{]*}}"items":{{\[\[2,0,1}},{{[^{]*}}{"name":"stage0","parent":0,{{[^{]*}}{"name":"block1","parent":1,"ops":2,

// More than GraphViz ends with is drawn scope by scope: what a line comes from elsewhere is a stub.
// RUN: python3 %S/Inputs/many-ops.py 900 > %t.many.mlir && keratin-dump %t.many.mlir --format=dot | FileCheck %s --check-prefix=MANY
// MANY:      pack=16; packmode="graph"
// MANY:      label="f (input): layer0"
// MANY-NOT:  subgraph{{.*}}subgraph
// MANY:      label="f (input): layer1"
// MANY:      f0_s[[USER:[0-9]+]]_[[MAKER:[0-9]+]] [shape=plaintext, {{.*}} label="tanh %{{[0-9]+}}"]
// MANY:      f0_s[[USER]]_[[MAKER]] -> f0_[[USER]];

func.func @f(%x: tensor<8x4xf32> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<8x4xf32> {keratin.kind = "output"}) {
  %0 = keratin.mul %x, %w : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("stage0/block1/"("net.cc":10:3))
  %1 = keratin.tanh %0 : (tensor<8x4xf32>) -> tensor<8x4xf32> loc("stage0/block1/"("net.cc":11:3))
  %2 = keratin.reduce_sum %1 axes = [0, 1] : (tensor<8x4xf32>) -> tensor<f32> loc("net.cc":12:3)
  %3 = keratin.gradients %2 wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2, %3 : tensor<f32>, tensor<8x4xf32>
}
