// RUN: rm -rf %t && mkdir %t
// RUN: keratin-run %s --function=values --output-dir=%t/out --output=%t/all.npz | FileCheck %s --check-prefix=VALUES
// RUN: keratin-run %s --function=predict --input=x=%t/out/x.npy --check | FileCheck %s --check-prefix=PREDICT
// RUN: keratin-run %s --function=both --input=%t/all.npz --check | FileCheck %s --check-prefix=BOTH
// RUN: keratin-run %s --function=train --input x=%t/out/x.npy --repeat=3 --check --save-state=%t/state | FileCheck %s --check-prefix=TRAIN
// RUN: keratin-run %s --function=predict --input=x=%t/out/x.npy --state=%t/state | FileCheck %s --check-prefix=TRAINED
// RUN: keratin-run %s --function=predict --random=7 --size=d0=3 --check | FileCheck %s --check-prefix=RANDOM
// RUN: keratin-run %s --function=predict --random=7 --size=x_dim0=3 | FileCheck %s --check-prefix=RANDOM
// RUN: keratin-run %s --function=predict --random | FileCheck %s --check-prefix=FOUR
// RUN: keratin-run %s --function=both --random --input=x=%t/out/x.npy --check | FileCheck %s --check-prefix=FOLLOW
// RUN: keratin-run %s --function=signed --random --check | FileCheck %s --check-prefix=UP
// RUN: keratin-run %s --function=signed --random --size=n_negative_part=3 --check | FileCheck %s --check-prefix=DOWN
// RUN: keratin-run %s --function=predict --random --quiet --time --threads=1 | FileCheck %s --check-prefix=TIME
// RUN: keratin-run %s --function=names --output-dir=%t/names --quiet | count 0
// RUN: ls %t/names | FileCheck %s --check-prefix=NAMES

// The same from an object.
// RUN: keratin-compile %s -o %t/model.so
// RUN: keratin-run %t/model.so --function=predict --input=x=%t/out/x.npy --check --model=%s | FileCheck %s --check-prefix=PREDICT
// RUN: cd %t && keratin-run model.so --function=train --input=x=%t/out/x.npy --repeat=3 --save-state=other | FileCheck %s --check-prefix=TRAIN-OBJECT
// RUN: keratin-run %t/model.so --function=predict --input=x=%t/out/x.npy --state=%t/other | FileCheck %s --check-prefix=TRAINED
// A state of either goes with the other.
// RUN: cmp %t/state %t/other
// The object's sum is not this model's difference.
// RUN: not keratin-run %t/model.so --function=changed --input=x=%t/out/x.npy --check --model=%S/Inputs/changed.mlir 2>&1 | FileCheck %s --check-prefix=MISMATCH

// VALUES:      x: float32 (2, 2)
// VALUES-NEXT: {{\[\[}}1. 2.]
// VALUES-NEXT:  [3. 4.]]
// VALUES-NEXT: n: int64 (2,)
// VALUES-NEXT: [5 6]
func.func @values() -> (tensor<2x2xf32> {keratin.kind = "output", keratin.name = "x"}, tensor<2xi64> {keratin.kind = "output", keratin.name = "n"}) {
  %0 = keratin.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = keratin.constant dense<[5, 6]> : tensor<2xi64>
  return %0, %1 : tensor<2x2xf32>, tensor<2xi64>
}

// PREDICT:      y: float32 (2, 2)
// PREDICT-NEXT: {{\[\[}}10. 40.]
// PREDICT-NEXT:  [30. 80.]]
// PREDICT-NEXT: check: 1 call agrees
// TRAINED:      y: float32 (2, 2)
// TRAINED-NEXT: {{\[\[}} 22.  76.]
// TRAINED-NEXT:  [ 66. 152.]]
// RANDOM:       y: float32 (3, 2)
// RANDOM-NEXT:  {{\[\[.*\]}}
// FOUR:         y: float32 (4, 2)
// TIME-NOT:     y: float32
// TIME:         time: {{[0-9.]+}} ms least, {{[0-9.]+}} ms median of {{[0-9]+}} batches of {{[0-9]+}} calls, 1 threads
func.func @predict(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<[10.0, 20.0]> : tensor<2xf32>})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.broadcast %w dims = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %1 = keratin.mul %x, %0 : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %1 : tensor<?x2xf32, #keratin.dims<d0, 2>>
}

// Adds the sums of the columns to the variable, which no other function sees until it was saved.
// TRAIN:        w0: float32 (2,)
// TRAIN-NEXT:   [18. 32.]
// TRAIN-NEXT:   check: 3 calls agree
// TRAIN-OBJECT: [18. 32.]
func.func @train(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2xf32> {keratin.kind = "output", keratin.name = "w0"}, tensor<2xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2xf32>
  %1 = keratin.add %w, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %w, %1 : tensor<2xf32>, tensor<2xf32>
}

// BOTH:        sum: float32 ()
// BOTH-NEXT:   10.0
// BOTH-NEXT:   m: int64 (2,)
// BOTH-NEXT:   [5 6]
// BOTH-NEXT:   check: 1 call agrees
// FOLLOW:      m: int64 (2,)
func.func @both(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "x"},
                %n: tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "n"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "sum"}, tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "m"}) {
  %0 = keratin.reduce_sum %x axes = [0, 1] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<f32>
  return %0, %n : tensor<f32>, tensor<?xi64, #keratin.dims<d0>>
}

// Names of outputs are no paths.
// NAMES:      {{^}}%2E.%2Fa%2Fb.npy
// NAMES-NEXT: {{^}}%2E.-a.b.npy
// NAMES-NOT:  npy
func.func @names() -> (tensor<f32> {keratin.kind = "output", keratin.name = "../a/b"}, tensor<f32> {keratin.kind = "output", keratin.name = "..-a.b"}) {
  %0 = keratin.constant dense<1.0> : tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}

// MISMATCH: keratin-run: error: output 'z': element [0, 0] is 2; it must be 0, from {{[-0-9.e]+}} to {{[-0-9.e]+}}; 4 of 4 elements are wrong
func.func @changed(%x: tensor<2x2xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<2x2xf32> {keratin.kind = "output", keratin.name = "z"}) {
  %0 = keratin.add %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// An input of any sign gives two sizes.
// UP:        up: int64 (4,)
// UP-NEXT:   [0 1 2 3]
// UP-NEXT:   down: int64 (0,)
// UP:        check: 1 call agrees
// DOWN:      up: int64 (0,)
// DOWN:      down: int64 (3,)
// DOWN-NEXT: [0 1 2]
// DOWN-NEXT: check: 1 call agrees
func.func @signed(%n: tensor<i64> {keratin.kind = "input", keratin.name = "n", keratin.positive_part = 0 : i64, keratin.negative_part = 1 : i64})
    -> (tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "up"},
        tensor<?xi64, #keratin.dims<d1>> {keratin.kind = "output", keratin.name = "down"}) {
  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
  %1 = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d1>>
  return %0, %1 : tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d1>>
}
