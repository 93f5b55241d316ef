// RUN: keratin-opt %s | keratin-opt | FileCheck %s

// Differences of symbols can be read back as they are printed.
// CHECK-LABEL: func.func private @differences
// CHECK-SAME: #keratin.dims<d0 - 1, d0 + -1*d1, 2*d0 - 3*d1, -1*d0 + 7>
func.func private @differences(tensor<?x?x?x?xf32, #keratin.dims<d0 - 1, d0 + -1 * d1, 2*d0 - 3*d1, 7 + -1*d0>>)

// Every function and the whole range of coefficients, too.
// CHECK-LABEL: func.func private @functions
// CHECK-SAME: #keratin.dims<floordiv(d0, 3), ceildiv(d0, d1), mod(d0, 4), max(d0, d1), min(d0, 5), broadcast(d0, d1)>
func.func private @functions(tensor<?x?x?x?x?x?xf32, #keratin.dims<floordiv(d0, 3), ceildiv(d0, d1), mod(d0, 4), max(d1, d0), min(5, d0), broadcast(d0, d1)>>)
// CHECK-LABEL: func.func private @extremes
// CHECK-SAME: #keratin.dims<9223372036854775807*d0, -9223372036854775808*d0, d0 - 9223372036854775807>
func.func private @extremes(tensor<?x?x?xf32, #keratin.dims<9223372036854775807*d0, -9223372036854775808*d0, d0 - 9223372036854775807>>)
// CHECK-LABEL: func.func private @nested
// CHECK-SAME: #keratin.dims<d0*d0 + 3*d0 + 2, floordiv(d0 + 2*d1 + 1, 3)>
func.func private @nested(tensor<?x?xf32, #keratin.dims<(d0 + 1) * (d0 + 2), floordiv((d0 + 2*d1) + 1, 3)>>)
