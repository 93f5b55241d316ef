// The page: all stages in one file, with nothing to load.
// RUN: keratin-dump %s --format=html -o %t.html
// RUN: FileCheck %s --input-file=%t.html
// RUN: FileCheck %s --input-file=%t.html --check-prefix=ALONE
// CHECK: <!DOCTYPE html>
// CHECK: default-src 'none'
// CHECK: id="data">
// CHECK-SAME: "title":"keratin-dump-html.mlir"
// CHECK-SAME: "stage":"input"
// CHECK-SAME: "stage":"grad"
// CHECK-SAME: "stage":"simplified"
// CHECK-SAME: "stage":"fused"
// CHECK-SAME: "stage":"plan"
// CHECK-SAME: "o":"keratin.tanh"
// CHECK-SAME: "text":"%0 = keratin.kernel
// CHECK-SAME: "function":"keratin.f.kernel_0"
// CHECK-SAME: "memory":{"arena":
// CHECK-SAME: "code":{"keratin.f.kernel_0":"keratin.f.kernel_0:
// CHECK-SAME: "sources":{}
// CHECK: showFunction(0);
// CHECK: </html>
// ALONE-NOT: {{src=|href=|@import|https?://[^w]}}

// Lines come from the folder that was named.
// RUN: rm -rf %t.src && mkdir -p %t.src/net && echo 'K::tanh(x); // <here>' > %t.src/net/model.cc && echo 'secret' > %t.secret
// RUN: keratin-dump %s --format=html --source=%t.src | FileCheck %s --check-prefix=SOURCE
// RUN: sed 's,/home/user/net/model.cc,%t.secret,' %s > %t.mlir && %{exits} 1 keratin-dump %t.mlir --format=html --source=%t.src 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sed 's,/home/user/net/model.cc,../%basename_t.tmp.secret,' %s > %t.mlir && %{exits} 1 keratin-dump %t.mlir --format=html --source=%t.src 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sed 's,/home/user/net/model.cc,%t.src/net/model.cc,' %s > %t.mlir && cd %t.src && keratin-dump %t.mlir --format=html --source=. | FileCheck %s --check-prefix=RELATIVE
// RELATIVE: "p":["net/model.cc:1:4"]
// RELATIVE: "sources":{"net/model.cc:1":
// SOURCE: "sources":{"/home/user/net/model.cc:1":"K::tanh(x); // \u003chere>"}
// OUTSIDE: --source: the model names {{.*}} of which none is in

// A neighbourhood is in the stages that have it; others are left out.
// RUN: keratin-dump %s --format=html --around=gradients --depth=0 | FileCheck %s --check-prefix=AROUND
// AROUND: "stage":"input"
// AROUND-NOT: "stage":"fused"
// AROUND: "sources"

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.tanh %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> loc("/home/user/net/model.cc":1:4)
  %1 = keratin.reduce_sum %0 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %2 = keratin.gradients %1 wrt %x : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %2 : tensor<?xf32, #keratin.dims<d0>>
}
