// Functions on the device "cuda", by the library that looks like the driver (docs/cuda-runtime.md).
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-run %s --device=emulated --random=3 --repeat=3 --check --save-state=%t/state | FileCheck %s
// RUN: keratin-run %s --random=3 --repeat=3 --check --save-state=%t/other | FileCheck %s
// RUN: cmp %t/state %t/other
// RUN: keratin-run %s --device=emulated --target=cuda --random=3 --repeat=3 --state=%t/other --time | FileCheck %s --check-prefix=TIME
// RUN: env KERATIN_EMULATOR=seed=5 keratin-run %s --device=emulated --random=3 --repeat=3 --check --save-state=%t/seeded | FileCheck %s
// RUN: cmp %t/state %t/seeded

// When kernels ran on the device, with their names and lines as on the CPU.
// RUN: keratin-run %s --device=emulated --random=3 --repeat=2 --profile=%t/profile.json
// RUN: FileCheck %s --check-prefix=PROFILE --input-file=%t/profile.json
// PROFILE-DAG: "name":"mul + add","cat":"kernel"
// PROFILE-DAG: "name":"step","cat":"call"
// PROFILE-DAG: "source":"{{.*}}cuda-device.mlir:{{[0-9]+}}"

// What is not there, or does not fit.
// RUN: env KERATIN_CUDA_DRIVER=/nowhere.so %{exits} 1 keratin-run %s --device=cuda --random=3 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %{exits} 1 keratin-run %s --device=emulated --target=cpu --random=3 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %{exits} 1 keratin-run %s --device=../abacus --random=3 2>&1 | FileCheck %s --check-prefix=ABACUS
// RUN: cp $(which keratin-run) %t && %{exits} 1 %t/keratin-run %s --device=emulated --random=3 2>&1 | FileCheck %s --check-prefix=BUILT

// CHECK: y: float32 (3,)
// CHECK: check: 3 calls agree with the reference interpreter
// TIME: time: {{.*}} ms least
// NONE: error: --device=cuda: CUDA: the driver cannot be opened (/nowhere.so: {{.*}}); needed is libcuda.so.1 of NVIDIA's driver, version 12.0 or later
// OTHER: error: --device=emulated needs --target=cuda; found --target=cpu
// ABACUS: error: --device=../abacus: unknown device '../abacus'; known devices: cpu
// BUILT: error: --device=emulated needs '{{.*}}libkeratin_cuda_emulator.so', which is built with the tests
func.func @step(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"},
                %v: tensor<3xf32> {keratin.kind = "variable", keratin.name = "v", keratin.initial = dense<1.0> : tensor<3xf32>})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.mul %x, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %n = keratin.add %v, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %n : tensor<3xf32>, tensor<3xf32>
}
