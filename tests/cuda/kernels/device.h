// What the kernels need of CUDA's headers, for clang without them.
#pragma once

#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define KERATIN_INDEX(NAME, WHAT)                                                                                      \
  struct NAME {                                                                                                        \
    struct X {                                                                                                         \
      __device__ operator int() const { return __nvvm_read_ptx_sreg_##WHAT##_x(); }                                    \
    };                                                                                                                 \
    struct Y {                                                                                                         \
      __device__ operator int() const { return __nvvm_read_ptx_sreg_##WHAT##_y(); }                                    \
    };                                                                                                                 \
    X x;                                                                                                               \
    Y y;                                                                                                               \
  };
KERATIN_INDEX(ThreadIndex, tid)
KERATIN_INDEX(BlockIndex, ctaid)
KERATIN_INDEX(BlockSize, ntid)
KERATIN_INDEX(GridSize, nctaid)
#define threadIdx ThreadIndex()
#define blockIdx BlockIndex()
#define blockDim BlockSize()
#define gridDim GridSize()
#endif

__device__ inline unsigned atomicAddOf(unsigned *to, unsigned value) {
#ifdef __clang__
  return __nvvm_atom_add_gen_i(reinterpret_cast<int *>(to), value);
#else
  return atomicAdd(to, value);
#endif
}
__device__ inline void memoryFence() { asm volatile("membar.gl;" ::: "memory"); }
