// A product by a warpgroup, for nvcc.
// y = a b^T for f16: a is m x k, b is n x k; or b is k x n for productByRows. All are multiples of the tile; y in f32. A block
// of 128 threads makes 64 x 128 in three stages of depth 64, with cp.async and wgmma.
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short half_t;

constexpr int rows = 64, columns = 128, depth = 64, stages = 3;
constexpr u32 leftBytes = rows * depth * 2, stageBytes = leftBytes + columns * depth * 2;

// Rows of 128 bytes, whose chunks of 16 are swizzled over eight rows.
__device__ u32 place(int row, int chunk) { return row * 128 + ((chunk ^ row) & 7) * 16; }

__device__ void copyChunk(u32 to, const half_t *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ void copyLines(u32 to, const half_t *from, int lines, int pitch) {
  for (int e = threadIdx.x; e < lines * 8; e += 128)
    copyChunk(to + place(e / 8, e % 8), from + e / 8 * pitch + e % 8 * 8);
}
// Rows are depths; panels of 64 columns follow each other.
__device__ void copyDepths(u32 to, const half_t *from, int pitch) {
  for (int e = threadIdx.x; e < depth * columns / 8; e += 128) {
    int row = e / (columns / 8), chunk = e % (columns / 8);
    copyChunk(to + chunk / 8 * (depth * 128) + place(row, chunk % 8), from + row * pitch + chunk * 8);
  }
}

__device__ u64 descriptor(u32 address, u32 leading) {
  return u64(1) << 62 | u64(1024 / 16) << 32 | u64(leading / 16) << 16 | address / 16;
}

#define SUM4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM16(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12)
template <int byRows> __device__ void multiply(float (&d)[64], u64 left, u64 right) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
               "%64, %65, p, 1, 1, 0, %67;\n}"
               : SUM16(0), SUM16(16), SUM16(32), SUM16(48)
               : "l"(left), "l"(right), "r"(1), "n"(byRows));
}

template <int byRows> __device__ void product(float *y, const half_t *a, const half_t *b, int n, int k) {
  extern __shared__ __align__(1024) half_t memory[];
  u32 at = (u32)__cvta_generic_to_shared(memory);
  a += blockIdx.y * rows * k;
  b += byRows ? blockIdx.x * columns : blockIdx.x * columns * k;
  float d[64] = {};
  int steps = k / depth;
  auto start = [&](int step) {
    if (step < steps) {
      u32 stage = at + step % stages * stageBytes;
      copyLines(stage, a + step * depth, rows, k);
      if (byRows)
        copyDepths(stage + leftBytes, b + step * depth * n, n);
      else
        copyLines(stage + leftBytes, b + step * depth, columns, k);
    }
    asm volatile("cp.async.commit_group;");
  };
  start(0);
  start(1);
  int step = 0;
  do {
    asm volatile("cp.async.wait_group 1;");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    u32 stage = at + step % stages * stageBytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < depth / 16; ++i)
      multiply<byRows>(d, descriptor(stage + i * 32, 16),
                       byRows ? descriptor(stage + leftBytes + i * 2048, depth * 128)
                              : descriptor(stage + leftBytes + i * 32, 16));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    __syncthreads();
    start(step + 2);
  } while (++step < steps);
  asm volatile("wgmma.wait_group.sync.aligned 0;" : SUM16(0), SUM16(16), SUM16(32), SUM16(48)::"memory");
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int j = 0; j < 16; ++j)
    for (int s = 0; s < 4; ++s) {
      int row = blockIdx.y * rows + warp * 16 + lane / 4 + s / 2 * 8;
      int column = blockIdx.x * columns + j * 8 + lane % 4 * 2 + s % 2;
      y[row * n + column] = d[j * 4 + s];
    }
}

extern "C" __global__ __launch_bounds__(128) void productByLines(float *y, const half_t *a, const half_t *b, int n, int k) {
  product<0>(y, a, b, n, k);
}
extern "C" __global__ __launch_bounds__(128) void productByRows(float *y, const half_t *a, const half_t *b, int n, int k) {
  product<1>(y, a, b, n, k);
}
