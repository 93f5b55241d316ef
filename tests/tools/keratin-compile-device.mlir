// What the header of a model for a device declares besides: calls on a stream, with views and, unless a size of an
// output is an element of an input, with pointers of the device.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s --target=cuda -o %t/m.so --header=%t/m.h --name=m
// RUN: FileCheck %s < %t/m.h
// RUN: keratin-compile %s -o %t/cpu.so --header=%t/cpu.h --name=m
// RUN: FileCheck %s --check-prefix=CPU < %t/cpu.h
// CHECK:      const struct keratin_device_t *m_state_device(const m_state_t *state);
// CHECK-LABEL: // --- twice
// CHECK:      // The same after all that is in a stream of the device (a CUstream, that is, a cudaStream_t) now;
// CHECK-NEXT: // returns when it is done. Tensors lie on the host, or on the device (m_state_device).
// CHECK-NEXT: m_twice_run_on_stream(m_state_t *state, const keratin_tensor_t inputs[1], const keratin_tensor_t outputs[1], void *stream, keratin_status_t *status);
// CHECK:      m_twice(m_state_t *state, int64_t x_dim0, const float *x, float *y, void *workspace, size_t workspace_bytes, keratin_status_t *status) {
// CHECK:      m_twice_on_stream(m_state_t *state, int64_t x_dim0, const float *x, float *y, void *stream, keratin_status_t *status) {
// CHECK-NEXT:   const struct keratin_device_t *keratin_device = m_state_device(state);
// CHECK:        keratin_inputs[] = {{[{][{]}}(void *)x, 12, 1, x_dims, NULL, keratin_device}};
// CHECK:        return m_twice_run_on_stream(state, keratin_inputs, keratin_outputs, stream, status);
// CHECK-LABEL: // --- up_to
// CHECK:      m_up_to_run_on_stream(
// CHECK:      m_up_to(
// CHECK-NOT:  m_up_to_on_stream
// CPU-NOT: stream

func.func @twice(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.add %x, %x : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @up_to(%n: tensor<i32> {keratin.kind = "input", keratin.name = "n", keratin.symbol = 0 : i64})
    -> (tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "numbers"}) {
  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d0>>
  return %0 : tensor<?xi32, #keratin.dims<d0>>
}
