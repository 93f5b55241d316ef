#include "runtime/cuda/GuardedCopies.h"

#include "runtime/cuda/CudaDevice.h"

namespace keratin::cuda {

// Threads walk over the bytes in strides of the grid: sixteen at a time where both places lie on
// such a boundary, and the rest one by one.
static const char ptx[] = R"(.version 8.0
.target sm_80
.address_size 64

.visible .entry keratin_guarded_copy(.param .u64 copy_to, .param .u64 copy_from,
                                     .param .u64 copy_bytes, .param .u64 copy_failure)
{
  .reg .pred %p<6>;
  .reg .b32 %r<10>;
  .reg .b16 %h<2>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [copy_failure];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 0xFFFFFFFF;
  @%p1 bra DONE;
  ld.param.u64 %rd2, [copy_to];
  ld.param.u64 %rd3, [copy_from];
  ld.param.u64 %rd4, [copy_bytes];
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, %nctaid.x;
  cvt.u64.u32 %rd5, %r4;
  mul.wide.u32 %rd6, %r2, %r3;
  add.u64 %rd5, %rd5, %rd6;
  mul.wide.u32 %rd6, %r5, %r3;
  mov.u64 %rd7, 0;
  or.b64 %rd8, %rd2, %rd3;
  and.b64 %rd8, %rd8, 15;
  setp.ne.u64 %p2, %rd8, 0;
  @%p2 bra REST;
  and.b64 %rd7, %rd4, -16;
  shl.b64 %rd9, %rd5, 4;
  shl.b64 %rd10, %rd6, 4;
WIDE:
  setp.ge.u64 %p3, %rd9, %rd7;
  @%p3 bra REST;
  add.u64 %rd11, %rd3, %rd9;
  add.u64 %rd12, %rd2, %rd9;
  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd11];
  st.global.v4.u32 [%rd12], {%r6, %r7, %r8, %r9};
  add.u64 %rd9, %rd9, %rd10;
  bra WIDE;
REST:
  add.u64 %rd13, %rd7, %rd5;
BYTES:
  setp.ge.u64 %p4, %rd13, %rd4;
  @%p4 bra DONE;
  add.u64 %rd14, %rd3, %rd13;
  add.u64 %rd15, %rd2, %rd13;
  ld.global.u8 %h1, [%rd14];
  st.global.u8 [%rd15], %h1;
  add.u64 %rd13, %rd13, %rd6;
  bra BYTES;
DONE:
  ret;
}

.visible .entry keratin_guarded_fill(.param .u64 fill_to, .param .u64 fill_byte,
                                     .param .u64 fill_bytes, .param .u64 fill_failure)
{
  .reg .pred %p<6>;
  .reg .b32 %r<8>;
  .reg .b16 %h<2>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [fill_failure];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 0xFFFFFFFF;
  @%p1 bra DONE;
  ld.param.u64 %rd2, [fill_to];
  ld.param.u64 %rd3, [fill_byte];
  ld.param.u64 %rd4, [fill_bytes];
  cvta.to.global.u64 %rd2, %rd2;
  cvt.u16.u64 %h1, %rd3;
  cvt.u32.u64 %r6, %rd3;
  mul.lo.u32 %r7, %r6, 0x01010101;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, %nctaid.x;
  cvt.u64.u32 %rd5, %r4;
  mul.wide.u32 %rd6, %r2, %r3;
  add.u64 %rd5, %rd5, %rd6;
  mul.wide.u32 %rd6, %r5, %r3;
  mov.u64 %rd7, 0;
  and.b64 %rd8, %rd2, 15;
  setp.ne.u64 %p2, %rd8, 0;
  @%p2 bra REST;
  and.b64 %rd7, %rd4, -16;
  shl.b64 %rd9, %rd5, 4;
  shl.b64 %rd10, %rd6, 4;
WIDE:
  setp.ge.u64 %p3, %rd9, %rd7;
  @%p3 bra REST;
  add.u64 %rd12, %rd2, %rd9;
  st.global.v4.u32 [%rd12], {%r7, %r7, %r7, %r7};
  add.u64 %rd9, %rd9, %rd10;
  bra WIDE;
REST:
  add.u64 %rd13, %rd7, %rd5;
BYTES:
  setp.ge.u64 %p4, %rd13, %rd4;
  @%p4 bra DONE;
  add.u64 %rd15, %rd2, %rd13;
  st.global.u8 [%rd15], %h1;
  add.u64 %rd13, %rd13, %rd6;
  bra BYTES;
DONE:
  ret;
}
)";

static constexpr uint32_t blockThreads = 256;

Code GuardedCopies::load(CudaDevice &device, keratin_status_t *status) {
  if (isLoaded.load(std::memory_order_acquire))
    return KERATIN_OK;
  MutexGuard guard(mutex);
  if (isLoaded.load(std::memory_order_relaxed))
    return KERATIN_OK;
  const Driver &driver = device.driver;
  static constexpr const char *about = " of the guarded copies";
  if (!module)
    if (Code code = device.check(driver.cuModuleLoadDataEx(&module, ptx, 0, nullptr, nullptr),
                                 "cuModuleLoadDataEx", status, about))
      return code;
  static constexpr const char *names[] = {"keratin_guarded_copy", "keratin_guarded_fill"};
  for (int i = 0; i < 2; ++i) {
    kernels[i].name = names[i];
    kernels[i].shape.block_threads = blockThreads;
    if (Code code = device.check(driver.cuModuleGetFunction(&kernels[i].function, module, names[i]),
                                 "cuModuleGetFunction", status, about))
      return code;
  }
  isLoaded.store(true, std::memory_order_release);
  return KERATIN_OK;
}

void GuardedCopies::unload(CudaDevice &device) {
  if (module)
    (void)device.driver.cuModuleUnload(module);
  module = nullptr;
}

// A few for each multiprocessor at most.
unsigned GuardedCopies::blocksFor(const CudaDevice &device, size_t bytes) {
  size_t wanted = (bytes + 16 * blockThreads - 1) / (16 * blockThreads);
  size_t most = 8 * size_t(device.multiprocessors);
  return unsigned(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

} // namespace keratin::cuda
