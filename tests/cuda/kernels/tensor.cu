// Products on tensor cores, for nvcc.
// y = a b^T for f16: a is m x k, b is n x k, both a multiple of the tile; y in f32. A block of 128 threads makes 64 x 64 in
// three stages of depth 32, with cp.async, ldmatrix and mma.sync.
typedef unsigned u32;
typedef unsigned short half_t;

constexpr int depth = 32, stages = 3, tile = 64;

// A row of 32 halves is four chunks of 16 bytes; they are swizzled so that ldmatrix meets no bank twice.
__device__ u32 place(int row, int chunk) { return (row * 4 + (chunk ^ ((row >> 1) & 3))) * 16; }

__device__ void copyTile(u32 to, const half_t *from, int pitch) {
  for (int e = threadIdx.x; e < tile * 4; e += 128) {
    int row = e / 4, chunk = e % 4;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + place(row, chunk)),
                 "l"(from + row * pitch + chunk * 8));
  }
}
__device__ void load4(u32 (&r)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

extern "C" __global__ __launch_bounds__(128) void productF16(float *y, const half_t *a, const half_t *b, int n, int k) {
  __shared__ __align__(128) half_t left[stages][tile * depth], right[stages][tile * depth];
  u32 leftAt = (u32)__cvta_generic_to_shared(left), rightAt = (u32)__cvta_generic_to_shared(right);
  constexpr u32 stageBytes = tile * depth * 2;
  a += blockIdx.y * tile * k;
  b += blockIdx.x * tile * k;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rowOf = (warp / 2) * 32, columnOf = (warp % 2) * 32;
  float sums[2][4][4] = {};
  int steps = k / depth;
  for (int s = 0; s < stages - 1; ++s) {
    if (s < steps) {
      copyTile(leftAt + s * stageBytes, a + s * depth, k);
      copyTile(rightAt + s * stageBytes, b + s * depth, k);
    }
    asm volatile("cp.async.commit_group;");
  }
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    int ahead = step + stages - 1;
    if (ahead < steps) {
      copyTile(leftAt + ahead % stages * stageBytes, a + ahead * depth, k);
      copyTile(rightAt + ahead % stages * stageBytes, b + ahead * depth, k);
    }
    asm volatile("cp.async.commit_group;");
    u32 leftStage = leftAt + step % stages * stageBytes, rightStage = rightAt + step % stages * stageBytes;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      u32 x[2][4], z[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        load4(x[i], leftStage + place(rowOf + i * 16 + lane % 16, half * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load4(z[j], rightStage + place(columnOf + j * 16 + lane % 8 + lane / 16 * 8, half * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          float *c = sums[i][j];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                       "{%0,%1,%2,%3};"
                       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                       : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(z[j / 2][j % 2 * 2]),
                         "r"(z[j / 2][j % 2 * 2 + 1]));
        }
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int s = 0; s < 4; ++s) {
        int row = blockIdx.y * tile + rowOf + i * 16 + lane / 4 + s / 2 * 8;
        int column = blockIdx.x * tile + columnOf + j * 8 + lane % 4 * 2 + s % 2;
        y[row * n + column] = sums[i][j][s];
      }
}

// One warp: 16 x 8 of f32 as tf32, a is 16 x k, b is k x 8.
extern "C" __global__ void productTf32(float *y, const float *a, const float *b, int k) {
  int group = threadIdx.x / 4, place = threadIdx.x % 4;
  float c[4] = {};
  for (int step = 0; step < k; step += 8) {
    u32 x[4], z[2];
    for (int r = 0; r < 4; ++r)
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[r]) : "f"(a[(group + r % 2 * 8) * k + step + place + r / 2 * 4]));
    for (int r = 0; r < 2; ++r)
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(z[r]) : "f"(b[(step + place + r * 4) * 8 + group]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(z[0]), "r"(z[1]));
  }
  for (int s = 0; s < 4; ++s)
    y[(group + s / 2 * 8) * 8 + place * 2 + s % 2] = c[s];
}

// One warp: 8 x 8 of f64.
extern "C" __global__ void productF64(double *y, const double *a, const double *b, int k) {
  int group = threadIdx.x / 4, place = threadIdx.x % 4;
  double c0 = 0, c1 = 0;
  for (int step = 0; step < k; step += 4)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(a[group * k + step + place]), "d"(b[(step + place) * 8 + group]));
  y[group * 8 + place * 2] = c0;
  y[group * 8 + place * 2 + 1] = c1;
}
