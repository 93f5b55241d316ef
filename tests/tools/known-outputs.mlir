// RUN: keratin-compile %s --name=m -o %t.so --header=%t.h
// RUN: FileCheck %s --input-file=%t.h
// RUN: keratin-compile %s --name=m --freestanding --emit=obj -o %t.o --header=%t.free.h
// RUN: FileCheck %s --input-file=%t.free.h --check-prefix=FREE

// The header has outputs that are constants of the graph, if they are integers: a sparse Jacobian's structure, say.
// CHECK:      output 0  starts: int64 (3,), always m_f_OUTPUT_0_VALUES
// CHECK:      output 1  y: float32 (2,){{$}}
// CHECK:      output 2  again: int32 (60,), always m_f_OUTPUT_2_VALUES
// CHECK:      output 3  half: float32 (){{$}}
// CHECK:      // Outputs that are the same in every call, as initializers of arrays.
// CHECK-NEXT: #define m_f_OUTPUT_0_VALUES \{{$}}
// CHECK-NEXT:   {-9223372036854775807 - 1, 2, 3}
// CHECK-NEXT: #define m_f_OUTPUT_2_VALUES \{{$}}
// CHECK-NEXT:   {7, 7, 7,{{.*}} 7, \{{$}}
// CHECK-NEXT:   7, 7,{{.*}} 7}

// FREE:       output 0  starts: int64 (3,), always m_f_OUTPUT_0_VALUES
// FREE:       #define m_f_OUTPUT_0_VALUES \{{$}}
// FREE-NEXT:    {-9223372036854775807 - 1, 2, 3}
func.func @f(%x: tensor<2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3xi64> {keratin.kind = "output", keratin.name = "starts"}, tensor<2xf32> {keratin.kind = "output", keratin.name = "y"},
        tensor<60xi32> {keratin.kind = "output", keratin.name = "again"}, tensor<f32> {keratin.kind = "output", keratin.name = "half"}) {
  %0 = keratin.constant dense<[-9223372036854775808, 2, 3]> : tensor<3xi64>
  %1 = keratin.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %2 = keratin.constant dense<7> : tensor<60xi32>
  %3 = keratin.constant dense<0.5> : tensor<f32>
  return %0, %1, %2, %3 : tensor<3xi64>, tensor<2xf32>, tensor<60xi32>, tensor<f32>
}
