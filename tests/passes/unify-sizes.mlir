// RUN: keratin-opt %s --keratin-resolve-requirements --keratin-unify-sizes=assume --canonicalize --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-resolve-requirements --keratin-unify-sizes --split-input-file | FileCheck %s --check-prefix=REQUIRE
// RUN: keratin-opt %s --keratin-resolve-requirements --keratin-unify-sizes --keratin-differentiate --keratin-define-sizes --split-input-file | FileCheck %s --check-prefix=GRADIENT

// As K::function leaves x + y: an operand of size d is repeated by what the result has times that, if d is 1.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d0, 4>>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.stated = #keratin.dims<d1, 4>}
// CHECK-SAME:    -> tensor<?x4xf32, #keratin.dims<d0, 4>>
// CHECK-SAME:    keratin.checks = [{assumed, kind = 0 : i64, lhs = #keratin.dims<d1>, message = "sizes are assumed to be equal", rhs = #keratin.dims<d0>}]
// CHECK-NEXT:    %[[SUM:.*]] = keratin.add %[[X]], %[[Y]]
// CHECK-NEXT:    return %[[SUM]]
// Without the assumption all stays.
// REQUIRE-LABEL: func.func @broadcast
// REQUIRE-NOT:     keratin.stated
// REQUIRE:         keratin.dims<broadcast(d0, d1), 4>
func.func @broadcast(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>, %y: tensor<?x4xf32, #keratin.dims<d1, 4>>)
    -> tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>> {
  %0 = keratin.require broadcast #keratin.dims<d0> #keratin.dims<broadcast(d0, d1)> "add: sizes" %x
      : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %1 = keratin.broadcast %0 dims = [0, 2] : (tensor<?x4xf32, #keratin.dims<d0, 4>>)
      -> tensor<?x?x4xf32, #keratin.dims<d0, floordiv(broadcast(d0, d1), max(d0, 1)), 4>>
  %2 = keratin.reshape %1 : (tensor<?x?x4xf32, #keratin.dims<d0, floordiv(broadcast(d0, d1), max(d0, 1)), 4>>)
      -> tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>
  %3 = keratin.require broadcast #keratin.dims<d1> #keratin.dims<broadcast(d0, d1)> "add: sizes" %y
      : (tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
  %4 = keratin.broadcast %3 dims = [0, 2] : (tensor<?x4xf32, #keratin.dims<d1, 4>>)
      -> tensor<?x?x4xf32, #keratin.dims<d1, floordiv(broadcast(d0, d1), max(d1, 1)), 4>>
  %5 = keratin.reshape %4 : (tensor<?x?x4xf32, #keratin.dims<d1, floordiv(broadcast(d0, d1), max(d1, 1)), 4>>)
      -> tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>
  %6 = keratin.add %2, %5 : (tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>, tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>) -> tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>
  return %6 : tensor<?x4xf32, #keratin.dims<broadcast(d0, d1), 4>>
}

// -----

// What is required needs no assumption: the check, in the names that the caller knows, sees to it.
// REQUIRE-LABEL: func.func @required
// REQUIRE-SAME:    %arg0: tensor<?xf32, #keratin.dims<d0>>, %arg1: tensor<?x784xf32, #keratin.dims<d0, 784>> {keratin.stated = #keratin.dims<d1, d2>}
// REQUIRE-SAME:    -> tensor<?xf32, #keratin.dims<d0>>
// REQUIRE-SAME:    keratin.checks = [{kind = 0 : i64, lhs = #keratin.dims<d1>, location = {{[^,]*}}, message = "sum: sizes", rhs = #keratin.dims<d0>},
// REQUIRE-SAME:                      {kind = 0 : i64, lhs = #keratin.dims<d2>, location = {{[^,]*}}, message = "dot: sizes", rhs = #keratin.dims<784>}]
func.func @required(%x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?x?xf32, #keratin.dims<d1, d2>>)
    -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.require equal #keratin.dims<d1> #keratin.dims<d0> "sum: sizes" %y
      : (tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d1, d2>>
  %1 = keratin.require equal #keratin.dims<d2> #keratin.dims<784> "dot: sizes" %0
      : (tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d1, d2>>
  %2 = keratin.reduce_sum %1 axes = [1] : (tensor<?x?xf32, #keratin.dims<d1, d2>>) -> tensor<?xf32, #keratin.dims<d1>>
  %3 = keratin.reshape %2 : (tensor<?xf32, #keratin.dims<d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.add %x, %3 : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %4 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// The user's name stays; of two such names neither is assumed to be the other.
// CHECK-LABEL: func.func @named
// CHECK-SAME:    %arg0: tensor<?xf32, #keratin.dims<d1>> {keratin.stated = #keratin.dims<d0>}
// CHECK-SAME:    %arg1: tensor<?xf32, #keratin.dims<d1>>, %arg2: tensor<?xf32, #keratin.dims<d2>>
// CHECK-SAME:    [{assumed, kind = 0 : i64, lhs = #keratin.dims<d0>, {{.*}}, rhs = #keratin.dims<d1>},
// CHECK-SAME:     {kind = 1 : i64, lhs = #keratin.dims<d1>, {{.*}}, rhs = #keratin.dims<d2>}]
func.func @named(%x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?xf32, #keratin.dims<d1>>, %z: tensor<?xf32, #keratin.dims<d2>>)
    -> tensor<?xf32, #keratin.dims<d0>> attributes {keratin.sizes = ["", "batch", "length"]} {
  %0 = keratin.require broadcast #keratin.dims<d0> #keratin.dims<d1> "add: sizes" %x
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.require broadcast #keratin.dims<d1> #keratin.dims<d2> "add: sizes" %0
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %1 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// Numbers, expressions of other sizes, and what is the same of two sizes.
// CHECK-LABEL: func.func @expressions
// CHECK-SAME:    %arg0: tensor<5xf32> {keratin.stated = #keratin.dims<d0>}
// CHECK-SAME:    %arg1: tensor<?xf32, #keratin.dims<2*d2>> {keratin.stated = #keratin.dims<d1>}
// CHECK-SAME:    %arg2: tensor<?xf32, #keratin.dims<d2>>,
// CHECK-SAME:    %arg3: tensor<?xf32, #keratin.dims<d2>> {keratin.stated = #keratin.dims<d3>}
func.func @expressions(%x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?xf32, #keratin.dims<d1>>, %z: tensor<?xf32, #keratin.dims<d2>>,
                       %w: tensor<?xf32, #keratin.dims<d3>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.require broadcast #keratin.dims<d0, d1, floordiv(d2, 3)> #keratin.dims<5, 2*d2, floordiv(d3, 3)> "add: sizes" %x
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// Sizes that a call computes are not known before it, and a size is no other one and more.
// CHECK-LABEL: func.func @not_assumed
// CHECK-NOT:     assumed
// CHECK:         return
func.func @not_assumed(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>> {
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %0 = keratin.require broadcast #keratin.dims<d3, 2*d0> #keratin.dims<d0, d0> "add: sizes" %x
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// A size that is halved, rounded up, and doubled is assumed to be even; as what is left is halved and doubled once more, it is a multiple of 4.
// CHECK-LABEL: func.func @multiple
// CHECK-SAME:    %arg0: tensor<?xf32, #keratin.dims<4*floordiv(d0 + 3, 4)>> {keratin.stated = #keratin.dims<d0>})
// CHECK-SAME:    -> tensor<?xf32, #keratin.dims<4*floordiv(d0 + 3, 4)>>
// CHECK-SAME:    keratin.checks = [{assumed, kind = 0 : i64, lhs = #keratin.dims<d0>, message = "sizes are assumed to be equal", rhs = #keratin.dims<2*floordiv(d0 + 1, 2)>},
// CHECK-SAME:                      {kind = 0 : i64, lhs = #keratin.dims<floordiv(d0 + 1, 2)>, location = {{[^,]*}}, message = "concatenate: sizes", rhs = #keratin.dims<2*floordiv(d0 + 3, 4)>}]
// Without the assumption all stays.
// REQUIRE-LABEL: func.func @multiple
// REQUIRE-NOT:     keratin.stated
// REQUIRE:         return
func.func @multiple(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<2*floordiv(d0 + 1, 2)>> {
  %0 = keratin.require equal #keratin.dims<floordiv(d0 + 1, 2)> #keratin.dims<2*floordiv(d0 + 3, 4)> "concatenate: sizes" %x
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.require broadcast #keratin.dims<d0, 2*floordiv(d0 + 1, 2)>
      #keratin.dims<broadcast(d0, 2*floordiv(d0 + 1, 2)), broadcast(d0, 2*floordiv(d0 + 1, 2))> "add: sizes" %0
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.reduce_sum %1 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %3 = keratin.broadcast %2 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<2*floordiv(d0 + 1, 2)>>
  return %3 : tensor<?xf32, #keratin.dims<2*floordiv(d0 + 1, 2)>>
}

// -----

// Sizes that never agree leave the function as it is: the call says so.
// CHECK-LABEL: func.func @contradiction
// CHECK-SAME:    %arg0: tensor<?xf32, #keratin.dims<d0>>)
// CHECK-NOT:     assumed
// CHECK:         return
func.func @contradiction(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.require equal #keratin.dims<d0> #keratin.dims<4> "dot: sizes" %x
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.require broadcast #keratin.dims<d0> #keratin.dims<5> "add: sizes" %0
      : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %1 : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// The symbol of an argument stays taken: the loop's gradient gets another one for its steps.
// GRADIENT-LABEL: func.func @taken
// GRADIENT-SAME:    {keratin.stated = #keratin.dims<d1>}
// GRADIENT:         keratin.while
// GRADIENT-NOT:     define_size 1
// GRADIENT:         define_size 2
func.func @taken(%x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?xf32, #keratin.dims<d1>>, %first: tensor<i1>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.require equal #keratin.dims<d1> #keratin.dims<d0> "sizes" %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1:3 = keratin.while init(%first, %0) with() : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) {
  ^bb0(%step: tensor<i64>, %more: tensor<i1>, %state: tensor<?xf32, #keratin.dims<d0>>):
    %2 = keratin.constant dense<3> : tensor<i64>
    %3 = keratin.compare lt %step, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = keratin.tanh %state : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %3, %4 : tensor<i1>, tensor<?xf32, #keratin.dims<d0>>
  }
  %5 = keratin.reduce_sum %1#1 axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %6 = keratin.gradients %5 wrt %0 : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %6 : tensor<?xf32, #keratin.dims<d0>>
}
