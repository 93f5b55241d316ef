// RUN: keratin-opt %s --keratin-divide-sizes --keratin-resolve-requirements --split-input-file | FileCheck %s

// The reshape holds for all lengths that there are, so nothing is checked.
// CHECK-LABEL: func.func @multiple
// CHECK-SAME:  (%{{.*}}: tensor<?x?xf32, #keratin.dims<d0, 8*d1>>) -> tensor<?x?x4xf32, #keratin.dims<d0, 2*d1, 4>>
// CHECK-SAME:  keratin.limits = {d1 = {max = 512 : i64, multiple_of = 8 : i64, unit = 8 : i64}}
// CHECK-NOT:   keratin.checks
// CHECK:       keratin.reshape %{{.*}} : (tensor<?x?xf32, #keratin.dims<d0, 8*d1>>) -> tensor<?x?x4xf32, #keratin.dims<d0, 2*d1, 4>>
func.func @multiple(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x4xf32, #keratin.dims<d0, floordiv(d1, 4), 4>>
    attributes {keratin.sizes = ["batch", "length"], keratin.limits = {d1 = {max = 512, multiple_of = 8}}} {
  %y = keratin.reshape %x : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x4xf32, #keratin.dims<d0, floordiv(d1, 4), 4>>
  return %y : tensor<?x?x4xf32, #keratin.dims<d0, floordiv(d1, 4), 4>>
}

// -----

// Bodies and requirements too.
// CHECK-LABEL: func.func @inside
// CHECK-NOT:   keratin.checks
// CHECK:       keratin.if
// CHECK:       keratin.neg %{{.*}} : (tensor<?xf32, #keratin.dims<6*d0>>)
func.func @inside(%x: tensor<?xf32, #keratin.dims<d0>>, %c: tensor<i1>) -> tensor<?xf32, #keratin.dims<d0>>
    attributes {keratin.limits = {d0 = {multiple_of = 6}}} {
  %0 = keratin.require equal #keratin.dims<mod(d0, 3)> #keratin.dims<0> "thirds" %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %y = keratin.if %c with(%0) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    %n = keratin.neg %a : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %n : tensor<?xf32, #keratin.dims<d0>>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    keratin.yield %a : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// What is known of a size answers what is required of it.
// CHECK-LABEL: func.func @limits_hold
// CHECK-NOT:   keratin.checks
// CHECK:       keratin.slice
func.func @limits_hold(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<5xf32>
    attributes {keratin.limits = {d0 = {min = 7, max = 100}}} {
  %0 = keratin.require at_least #keratin.dims<100> #keratin.dims<d0> "few" %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %y = keratin.slice %0 starts = <2> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Where a size would not fit 64 bits, all stays as it is.
// CHECK-LABEL: func.func @too_large
// CHECK-SAME:  #keratin.dims<d0>
// CHECK-NOT:   unit
func.func @too_large(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<8*d0*d0>>
    attributes {keratin.limits = {d0 = {multiple_of = 2147483648}}} {
  %s = keratin.constant dense<1.0> : tensor<f32>
  %y = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<8*d0*d0>>
  return %y : tensor<?xf32, #keratin.dims<8*d0*d0>>
}
