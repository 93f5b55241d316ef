// Sizes that are multiples of a vector's lanes: no vector is partly filled, so nothing is masked.
// RUN: keratin-dump %s --function=divided --stage=llvm --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --function=other --stage=llvm --mcpu=x86-64-v3 | FileCheck %s --check-prefix=MASKED
// RUN: keratin-dump %s --function=divided --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// CHECK-NOT: masked
// CHECK:     define void @keratin.divided(
// CHECK-NOT: masked
// MASKED:    masked

// What stands for names in plans is said once.
// KERNELS: sizes: d0 is batch, 32*d1 is length

// Rows that are walked, columns that are, and one run.
func.func @divided(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"},
                   %y: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"}, tensor<?xf32, #keratin.dims<d1>> {keratin.kind = "output"},
        tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output"})
    attributes {keratin.sizes = ["batch", "length"], keratin.limits = {d1 = {multiple_of = 32}}} {
  %rows = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %columns = keratin.reduce_sum %y axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  %sums = keratin.add %x, %y : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %rows, %columns, %sums : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}

func.func @other(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output"})
    attributes {keratin.limits = {d1 = {multiple_of = 4}}} {
  %y = keratin.neg %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %y : tensor<?x?xf32, #keratin.dims<d0, d1>>
}
