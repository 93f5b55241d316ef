// What the images of a function for the device "cuda" are, and how its kernels are called.
// Stand-alone C: nothing but the standard headers.
//
// The device "cuda" is the first that the driver tells of; "cuda:1" is the second. Images of
// keratin_device_code_t:
//  - "ptx": the text of one PTX module, with a NUL at its end. A kernel is a `.visible .entry`
//    of the name that keratin_device_code_t::kernels gives it.
//  - "ptx:sm_90a": another module with the same kernels, for that architecture alone. Optional.
//  - "cubin:sm_80" and so on: a module assembled for one architecture: that of its own, else that
//    for all. Optional.
//  - "cuda-kernels": an array of keratin_cuda_kernel_t, one for each of
//    keratin_device_code_t::kernels, in their order.
//  - "cuda-kernels:sm_90a": the same of the architecture's own module, beside that. Threads and
//    shared memory may be others; units, units_per_block and slots are not.
//
// Parameters of each kernel, all `.param .u64`, in this order: the slots of the launch's argv
// (pointers are addresses on the device, numbers are themselves), then the numbers of
// keratin_cuda_parameter_t. Addresses of memory are multiples of KERATIN_CUDA_ALIGNMENT.
#ifndef KERATIN_CUDA_ABI_H
#define KERATIN_CUDA_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERATIN_CUDA_DEVICE "cuda"
#define KERATIN_CUDA_IMAGE_PTX "ptx"
#define KERATIN_CUDA_IMAGE_CUBIN "cubin:" // before the architecture
#define KERATIN_CUDA_IMAGE_KERNELS "cuda-kernels"
// Between the kind of an image of one architecture and its name.
#define KERATIN_CUDA_IMAGE_OF ":"

#define KERATIN_CUDA_ALIGNMENT 256

// What kernels tell of a call, in device memory. Kernels take the minimum of failed_site with their
// site, and store 1 in has_suspect_numbers, atomically both.
typedef struct keratin_cuda_failure_t {
  uint32_t failed_site; // the lowest; KERATIN_CUDA_NO_FAILURE while nothing has failed
  // Of a function that checks its numbers: 1 once a kernel has come upon one that is not finite
  // (keratin_context_t::numbers_suspect). 0 when a call begins.
  uint32_t has_suspect_numbers;
} keratin_cuda_failure_t;

#define KERATIN_CUDA_NO_FAILURE UINT32_C(0xFFFFFFFF)

// The parameters of a kernel behind the slots of argv.
typedef enum keratin_cuda_parameter_t {
  KERATIN_CUDA_UNITS = 0,
  KERATIN_CUDA_GRAIN = 1,
  KERATIN_CUDA_FAILURE = 2, // the address of the call's keratin_cuda_failure_t
  // 1: the kernel was launched where nothing may change after a failure. It reads failed_site
  // first, and leaves at once unless that is KERATIN_CUDA_NO_FAILURE. Else 0.
  KERATIN_CUDA_GUARDED = 3,
  // The address of what units leave for each other, unit_bytes for each; 0: there is none.
  KERATIN_CUDA_PARTS = 4,
  // The address of KERATIN_CUDA_COUNTERS_OF_CALL words of 32 bits, all 0 when a kernel begins, and
  // when it ends, and behind them the words of keratin_cuda_barrier_t. Of kernels that are
  // cooperative or have unit_bytes; else 0.
  KERATIN_CUDA_COUNTERS = 5,
  KERATIN_CUDA_PARAMETERS = 6
} keratin_cuda_parameter_t;

#define KERATIN_CUDA_COUNTERS_OF_CALL 4096
// A parameter block holds 4 KiB.
#define KERATIN_CUDA_MOST_SLOTS (512 - KERATIN_CUDA_PARAMETERS)

// Words behind the counters, of 32 bits, by which all blocks of a cooperative kernel meet.
typedef enum keratin_cuda_barrier_t {
  KERATIN_CUDA_BARRIER_ARRIVED = 0, // blocks that wait: 0 when a kernel begins, and when it ends
  KERATIN_CUDA_BARRIER_GATE = 1,    // anything: when it changes, all have arrived
  KERATIN_CUDA_BARRIER_WORDS = 2
} keratin_cuda_barrier_t;

typedef enum keratin_cuda_kernel_flags_t {
  KERATIN_CUDA_COOPERATIVE = 1 // all blocks of the grid are resident at once
} keratin_cuda_kernel_flags_t;

// How a kernel is launched: one-dimensional blocks in a one-dimensional grid.
typedef struct keratin_cuda_kernel_t {
  uint32_t block_threads; // 1 to 1024
  // The grid is ceil(units / units_per_block). 0: units_per_block is block_threads * grain.
  uint32_t units_per_block;
  // Blocks of the grid at most; 0: 2^31 - 1. Where there are more units, a kernel walks over them
  // in strides of the grid.
  uint32_t max_blocks;
  uint32_t shared_bytes; // dynamic shared memory of a block
  uint32_t flags;        // keratin_cuda_kernel_flags_t
  uint32_t unit_bytes;   // of device memory, for each unit: parts of results, for other units
  uint32_t reserved[6];  // 0
} keratin_cuda_kernel_t;

#ifdef __cplusplus
}
static_assert(sizeof(keratin_cuda_failure_t) == 8, "layout is part of the ABI");
static_assert(sizeof(keratin_cuda_kernel_t) == 48, "layout is part of the ABI");
#endif

#endif // KERATIN_CUDA_ABI_H
