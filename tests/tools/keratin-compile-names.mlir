// How names that are no identifiers, or are taken, appear in a header. tests/aot/names.py has many more.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s -o %t/m.so --header=%t/m.h --name=m
// RUN: FileCheck %s < %t/m.h
// CHECK:      //   f
// CHECK-NEXT: //     input 0   default_2: float32 (2,), in the graph 'default'
// CHECK-NEXT: //     output 0  y: float32 (2,)
// CHECK:      //   f_run_2, in the graph 'f_run'
// CHECK:      //   a_b_2, in the graph 'a.b'
// CHECK-NEXT: //     input 0   a_b: float32 (2,)
// CHECK-NEXT: //     output 0  a_b_2: float32 (2,), in the graph 'a/b'
// CHECK:      //   a_b{{$}}
// CHECK:      //   function_state_copy, in the graph 'state_copy'
// CHECK: #ifndef KERATIN_MODEL_m
// CHECK: m_f(m_state_t *state, const float *default_2, float *y, void *workspace
// CHECK: m_f_run_2_run(
// CHECK: m_a_b_2(m_state_t *state, const float *a_b, float *a_b_2, void
// CHECK: m_a_b(
// CHECK: m_function_state_copy(

func.func @f(%x: tensor<2xf32> {keratin.name = "default"}) -> (tensor<2xf32> {keratin.name = "y"}) {
  return %x : tensor<2xf32>
}
func.func @f_run(%x: tensor<2xf32> {keratin.name = "x"}) -> (tensor<2xf32> {keratin.name = "y"}) {
  return %x : tensor<2xf32>
}
func.func @"a.b"(%x: tensor<2xf32> {keratin.name = "a_b"}) -> (tensor<2xf32> {keratin.name = "a/b"}) {
  return %x : tensor<2xf32>
}
func.func @a_b(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @state_copy(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
