// What runtime/cuda/Driver.h states against the Toolkit's header, where there is one.
#include "runtime/cuda/Driver.h"

#include <catch2/catch.hpp>

#ifndef KERATIN_HAS_CUDA_H

TEST_CASE("the driver's constants are compared with cuda.h") {
  WARN("skipped: the CUDA Toolkit's cuda.h was not found when this was built");
}

#else

// Macros of the Toolkit's header.
namespace ours {
constexpr unsigned streamDefault = keratin::cuda::CU_STREAM_DEFAULT;
constexpr unsigned streamNonBlocking = keratin::cuda::CU_STREAM_NON_BLOCKING;
} // namespace ours

// The symbols' names, not the macros that lead to them.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

template <typename> struct Signature;
template <typename Result, typename... Parameters> struct Signature<Result (*)(Parameters...)> {
  // Handles are other types here; what counts is how they are passed.
  static constexpr size_t count = sizeof...(Parameters);
  static constexpr size_t bytes[count + 1] = {sizeof(Parameters)..., sizeof(Result)};
};

template <typename Theirs, typename Ours> static bool isSame() {
  using A = Signature<Theirs>;
  using B = Signature<Ours>;
  if (A::count != B::count)
    return false;
  for (size_t i = 0; i <= A::count; ++i)
    if (A::bytes[i] != B::bytes[i])
      return false;
  return true;
}

TEST_CASE("functions take what cuda.h says"){
#define KERATIN_CUDA_FUNCTION(name, parameters)                                                    \
  {                                                                                                \
    INFO(#name);                                                                                   \
    CHECK(isSame<decltype(&::name), decltype(keratin::cuda::Driver::name)>());                     \
  }
    KERATIN_CUDA_DRIVER_FUNCTIONS(KERATIN_CUDA_FUNCTION)
#undef KERATIN_CUDA_FUNCTION
}

TEST_CASE("constants are those of cuda.h") {
#define SAME(name) CHECK(int(::name) == int(keratin::cuda::name))
  SAME(CUDA_SUCCESS);
  SAME(CUDA_ERROR_INVALID_VALUE);
  SAME(CUDA_ERROR_OUT_OF_MEMORY);
  SAME(CUDA_ERROR_NOT_INITIALIZED);
  SAME(CUDA_ERROR_DEINITIALIZED);
  SAME(CUDA_ERROR_NO_DEVICE);
  SAME(CUDA_ERROR_INVALID_DEVICE);
  SAME(CUDA_ERROR_INVALID_IMAGE);
  SAME(CUDA_ERROR_INVALID_CONTEXT);
  SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
  SAME(CUDA_ERROR_ECC_UNCORRECTABLE);
  SAME(CUDA_ERROR_INVALID_PTX);
  SAME(CUDA_ERROR_NVLINK_UNCORRECTABLE);
  SAME(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  SAME(CUDA_ERROR_INVALID_HANDLE);
  SAME(CUDA_ERROR_ILLEGAL_STATE);
  SAME(CUDA_ERROR_NOT_FOUND);
  SAME(CUDA_ERROR_NOT_READY);
  SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
  SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
  SAME(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  SAME(CUDA_ERROR_ASSERT);
  SAME(CUDA_ERROR_HARDWARE_STACK_ERROR);
  SAME(CUDA_ERROR_ILLEGAL_INSTRUCTION);
  SAME(CUDA_ERROR_MISALIGNED_ADDRESS);
  SAME(CUDA_ERROR_INVALID_ADDRESS_SPACE);
  SAME(CUDA_ERROR_INVALID_PC);
  SAME(CUDA_ERROR_LAUNCH_FAILED);
  SAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  SAME(CUDA_ERROR_NOT_SUPPORTED);
  SAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  SAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  SAME(CUDA_ERROR_STREAM_CAPTURE_MERGE);
  SAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  SAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  SAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  SAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  SAME(CUDA_ERROR_CAPTURED_EVENT);
  SAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  SAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  SAME(CUDA_ERROR_UNKNOWN);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  SAME(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  SAME(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  SAME(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  SAME(CU_FUNC_ATTRIBUTE_NUM_REGS);
  SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  SAME(CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  SAME(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  SAME(CU_MEMORYTYPE_HOST);
  SAME(CU_MEMORYTYPE_DEVICE);
  SAME(CU_JIT_ERROR_LOG_BUFFER);
  SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  SAME(CU_STREAM_CAPTURE_MODE_GLOBAL);
  SAME(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  SAME(CU_STREAM_CAPTURE_MODE_RELAXED);
  SAME(CU_EVENT_DEFAULT);
  SAME(CU_EVENT_BLOCKING_SYNC);
  SAME(CU_EVENT_DISABLE_TIMING);
  SAME(CU_GRAPH_EXEC_UPDATE_SUCCESS);
  SAME(CU_GRAPH_EXEC_UPDATE_ERROR);
  SAME(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  SAME(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
#undef SAME
  CHECK(unsigned(CU_STREAM_DEFAULT) == ours::streamDefault);
  CHECK(unsigned(CU_STREAM_NON_BLOCKING) == ours::streamNonBlocking);
}

TEST_CASE("structs are those of cuda.h") {
  using Ours = keratin::cuda::CUgraphExecUpdateResultInfo;
  using Theirs = ::CUgraphExecUpdateResultInfo;
  CHECK(sizeof(Theirs) == sizeof(Ours));
  CHECK(offsetof(Theirs, errorNode) == offsetof(Ours, errorNode));
  CHECK(offsetof(Theirs, errorFromNode) == offsetof(Ours, errorFromNode));
  CHECK(sizeof(::CUdeviceptr) == sizeof(keratin::cuda::CUdeviceptr));
  CHECK(sizeof(::CUdevice) == sizeof(keratin::cuda::CUdevice));
  CHECK(sizeof(::CUresult) == sizeof(keratin::cuda::CUresult));
}

#endif
