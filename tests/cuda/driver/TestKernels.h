// Kernels by hand, with the parameters that runtime/abi/keratin_cuda_abi.h fixes.
#ifndef KERATIN_TESTS_CUDA_DRIVER_TESTKERNELS_H
#define KERATIN_TESTS_CUDA_DRIVER_TESTKERNELS_H

namespace keratin::tests {

// add(x, y, z): z[i] = x[i] + y[i] in f32.
// increment(v, by): v[i] += by, an i32; does nothing behind a guard after a failure.
// check(x, limit, site): the site has failed if an x[i], an i32, is limit or more.
// store(address): writes there.
inline constexpr const char *testKernels = R"(.version 8.0
.target sm_80
.address_size 64

.visible .entry add(.param .u64 add_x, .param .u64 add_y, .param .u64 add_z,
                    .param .u64 add_units, .param .u64 add_grain, .param .u64 add_failure,
                    .param .u64 add_guarded)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<14>;
  ld.param.u64 %rd1, [add_x];
  ld.param.u64 %rd2, [add_y];
  ld.param.u64 %rd3, [add_z];
  ld.param.u64 %rd4, [add_units];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  cvt.u64.u32 %rd5, %r3;
  mul.wide.u32 %rd6, %r1, %r2;
  add.s64 %rd6, %rd6, %rd5;
  mul.wide.u32 %rd7, %r4, %r2;
LOOP:
  setp.ge.u64 %p1, %rd6, %rd4;
  @%p1 bra DONE;
  shl.b64 %rd8, %rd6, 2;
  add.s64 %rd9, %rd1, %rd8;
  add.s64 %rd10, %rd2, %rd8;
  add.s64 %rd11, %rd3, %rd8;
  ld.global.f32 %f1, [%rd9];
  ld.global.f32 %f2, [%rd10];
  add.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd11], %f3;
  add.s64 %rd6, %rd6, %rd7;
  bra LOOP;
DONE:
  ret;
}

.visible .entry increment(.param .u64 increment_v, .param .u64 increment_by,
                          .param .u64 increment_units, .param .u64 increment_grain,
                          .param .u64 increment_failure, .param .u64 increment_guarded)
{
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [increment_v];
  ld.param.u32 %r7, [increment_by];
  ld.param.u64 %rd2, [increment_units];
  ld.param.u64 %rd3, [increment_failure];
  ld.param.u64 %rd4, [increment_guarded];
  setp.eq.u64 %p1, %rd4, 0;
  @%p1 bra GO;
  cvta.to.global.u64 %rd3, %rd3;
  ld.global.u32 %r5, [%rd3];
  setp.ne.u32 %p2, %r5, 4294967295;
  @%p2 bra DONE;
GO:
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd5, %r4;
  setp.ge.u64 %p3, %rd5, %rd2;
  @%p3 bra DONE;
  shl.b64 %rd6, %rd5, 2;
  add.s64 %rd7, %rd1, %rd6;
  ld.global.u32 %r6, [%rd7];
  add.s32 %r8, %r6, %r7;
  st.global.u32 [%rd7], %r8;
DONE:
  ret;
}

.visible .entry check(.param .u64 check_x, .param .u64 check_limit, .param .u64 check_site,
                      .param .u64 check_units, .param .u64 check_grain,
                      .param .u64 check_failure, .param .u64 check_guarded)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [check_x];
  ld.param.u32 %r5, [check_limit];
  ld.param.u32 %r6, [check_site];
  ld.param.u64 %rd2, [check_units];
  ld.param.u64 %rd3, [check_failure];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd4, %r4;
  setp.ge.u64 %p1, %rd4, %rd2;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd1, %rd1;
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.u32 %r7, [%rd6];
  setp.lt.s32 %p2, %r7, %r5;
  @%p2 bra DONE;
  cvta.to.global.u64 %rd7, %rd3;
  atom.global.min.u32 %r8, [%rd7], %r6;
DONE:
  ret;
}

.visible .entry store(.param .u64 store_address, .param .u64 store_units,
                      .param .u64 store_grain, .param .u64 store_failure,
                      .param .u64 store_guarded)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [store_address];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, 7;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

} // namespace keratin::tests

#endif // KERATIN_TESTS_CUDA_DRIVER_TESTKERNELS_H
