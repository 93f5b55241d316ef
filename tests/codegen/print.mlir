// RUN: keratin-check %s --compiled | FileCheck %s
// RUN: keratin-check %s --compiled --function=unread | FileCheck %s --check-prefix=UNREAD

// Compiled kernels print through the context: the message, the value, in the order of the program,
// equal messages from one constant. The interpreter, which keratin-check runs first, prints too.

// CHECK:      x [1. 2. 3.]
// CHECK-NEXT: sum [2. 4. 6.]
// CHECK-NEXT: x [2. 4. 6.]
// CHECK-NEXT: x [1. 2. 3.]
// CHECK-NEXT: sum [2. 4. 6.]
// CHECK-NEXT: x [2. 4. 6.]
// CHECK-NEXT: result #0: tensor<3xf32> [2, 4, 6]
// CHECK-NEXT: difference #0: 0.0e+00
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>})
    -> tensor<3xf32> {
  %p = keratin.print "x" %x : tensor<3xf32>
  %y = keratin.add %p, %p : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %q = keratin.print "sum" %y : tensor<3xf32>
  %r = keratin.print "x" %q : tensor<3xf32>
  return %r : tensor<3xf32>
}

// UNREAD-COUNT-2: alone [1. 2.]
// UNREAD-NEXT: result #0: tensor<2xf32> [1, 2]
func.func @unread(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  %p = keratin.print "alone" %x : tensor<2xf32>
  return %x : tensor<2xf32>
}
