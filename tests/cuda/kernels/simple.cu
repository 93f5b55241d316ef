// Kernels that a GPU's programmers know by heart, for nvcc and for clang. Without headers, so that clang compiles them
// where no CUDA is installed.
#include "device.h"

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

// Sums of blocks of 256 elements.
extern "C" __global__ void sum(float *sums, const float *x, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0];
}

template <int pitch> __device__ void transposeTile(float *y, const float *x, int n) {
  __shared__ float tile[32 * pitch];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    tile[(threadIdx.y + r) * pitch + threadIdx.x] = x[(row + r) * n + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    y[(row + r) * n + column] = tile[threadIdx.x * pitch + threadIdx.y + r];
}
extern "C" __global__ void transpose32(float *y, const float *x, int n) { transposeTile<32>(y, x, n); }
extern "C" __global__ void transpose33(float *y, const float *x, int n) { transposeTile<33>(y, x, n); }

// Inclusive sums within blocks of 256, in shared memory of the launch's choosing.
extern "C" __global__ void scan(int *y, const int *x, int n) {
  extern __shared__ int dynamic[];
  int i = blockIdx.x * 256 + threadIdx.x;
  dynamic[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    int before = threadIdx.x >= step ? dynamic[threadIdx.x - step] : 0;
    __syncthreads();
    dynamic[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n)
    y[i] = dynamic[threadIdx.x];
}

extern "C" __global__ void histogram(unsigned *counts, const unsigned char *x, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAddOf(&mine[x[i]], 1u);
  __syncthreads();
  atomicAddOf(&counts[threadIdx.x], mine[threadIdx.x]);
}

// y = a b for square matrices of a multiple of 64: 64 x 64 a block, 4 x 4 a thread.
extern "C" __global__ __launch_bounds__(256) void product(float *__restrict__ y, const float *__restrict__ a,
                                                         const float *__restrict__ b, int n) {
  __shared__ __align__(16) float left[16][68], right[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = threadIdx.x; e < 1024; e += 256) {
      left[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + k + e % 16];
      right[e / 64][e % 64] = b[(k + e / 64) * n + blockIdx.x * 64 + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 16; ++step) {
      float x[4], z[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[i] = left[step][ty * 4 + i];
        z[i] = right[step][tx * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          sums[i][j] += x[i] * z[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      y[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = sums[i][j];
}

// A function that is called, a loop of its own length in each lane, and early returns within it.
__device__ __noinline__ int collatz(int x) {
  int steps = 0;
  while (x != 1) {
    if (steps > 200)
      return -1;
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  return steps;
}
extern "C" __global__ void steps(int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = collatz(i + 1);
}

extern "C" __global__ void choose(int *y, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int v = x[i];
  switch (v) {
  case 0: v = 7 * i; break;
  case 1: v = i * i; break;
  case 2: v = i - 3; break;
  case 3: v = i ^ 55; break;
  case 4: v = 1 << (i & 7); break;
  case 5: v = -i; break;
  default: v = 0;
  }
  y[i] = v;
}

__device__ float scale = 2.0f;
__device__ int visits[4] = {1, 2, 3, 4};
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
extern "C" __global__ void smooth(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1 && i < n - 1)
    y[i] = scale * (weights[0] * x[i - 1] + weights[1] * x[i] + weights[2] * x[i + 1]);
  if (i < 4)
    visits[i] += 10;
}

// One kernel that stays on the device: `rounds` times each block adds its neighbour's value, with a barrier of the grid.
extern "C" __global__ void relax(volatile float *x, float *next, unsigned *arrived, int rounds) {
  unsigned target = 0;
  for (int r = 0; r < rounds; ++r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float value = x[i] + x[(i + 1) % n];
    for (int phase = 0; phase < 2; ++phase) {
      if (phase)
        x[i] = value;
      __syncthreads();
      target += gridDim.x;
      if (threadIdx.x == 0) {
        memoryFence();
        atomicAddOf(arrived, 1u);
        while (*(volatile unsigned *)arrived < target)
          ;
        memoryFence();
      }
      __syncthreads();
    }
    if (r == rounds - 1)
      next[i] = value;
  }
}
