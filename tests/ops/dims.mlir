// RUN: keratin-opt %s | keratin-opt | FileCheck %s

// Differences of symbols can be read back as they are printed.
// CHECK-LABEL: func.func private @differences
// CHECK-SAME: #keratin.dims<d0 - 1, d0 + -1*d1, 2*d0 - 3*d1, -1*d0 + 7>
func.func private @differences(tensor<?x?x?x?xf32, #keratin.dims<d0 - 1, d0 + -1 * d1, 2*d0 - 3*d1, 7 + -1*d0>>)
