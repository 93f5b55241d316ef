// The CUDA driver's interface, as far as it is used here: types, constants, and a table of the
// functions. The names are the driver's. The library is opened when a device is asked for the
// first time; nothing of the CUDA Toolkit is needed, neither here nor where a program runs.
#ifndef KERATIN_RUNTIME_CUDA_DRIVER_H
#define KERATIN_RUNTIME_CUDA_DRIVER_H

#include "runtime/core/Status.h"

namespace keratin::cuda {

//===-- Types ---------------------------------------------------------------------------------===//

using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUgraphNode = struct CUgraphNode_st *;

// The driver's constants are enumerators of C, whose type is int or unsigned int: here they are
// numbers, so that a result this file does not name is one, too.
using CUresult = int;
enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
  CUDA_ERROR_UNKNOWN = 999
};

using CUdevice_attribute = int;
enum : CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

using CUfunction_attribute = int;
enum : CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

using CUpointer_attribute = int;
enum : CUpointer_attribute {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
};
enum : unsigned { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

// Options of cuModuleLoadDataEx; a value is a pointer, or a number in the place of one.
using CUjit_option = int;
enum : CUjit_option { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

using CUstreamCaptureMode = int;
enum : CUstreamCaptureMode {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2
};

enum : unsigned { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum : unsigned { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };

using CUgraphExecUpdateResult = int;
enum : CUgraphExecUpdateResult {
  CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
  CU_GRAPH_EXEC_UPDATE_ERROR = 1,
  CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
  CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3
};
struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode;
  CUgraphNode errorFromNode;
};

//===-- Functions -----------------------------------------------------------------------------===//

// Each function with its parameters, by the name of its symbol.
#define KERATIN_CUDA_DRIVER_FUNCTIONS(F)                                                           \
  F(cuInit, (unsigned flags))                                                                      \
  F(cuDriverGetVersion, (int *version))                                                            \
  F(cuGetErrorName, (CUresult result, const char **name))                                          \
  F(cuGetErrorString, (CUresult result, const char **text))                                        \
  F(cuDeviceGetCount, (int *count))                                                                \
  F(cuDeviceGet, (CUdevice * device, int ordinal))                                                 \
  F(cuDeviceGetName, (char *name, int length, CUdevice device))                                    \
  F(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))             \
  F(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device))                                         \
  F(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                              \
  F(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                               \
  F(cuCtxSetCurrent, (CUcontext context))                                                          \
  F(cuCtxGetCurrent, (CUcontext * context))                                                        \
  F(cuCtxSynchronize, ())                                                                          \
  F(cuModuleLoadDataEx, (CUmodule * module, const void *image, unsigned numOptions,                \
                         CUjit_option *options, void **values))                                    \
  F(cuModuleUnload, (CUmodule module))                                                             \
  F(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))               \
  F(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function))         \
  F(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))          \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                   \
    (int *blocks, CUfunction function, int blockThreads, size_t dynamicShared))                    \
  F(cuLaunchKernel, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,          \
                     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,      \
                     CUstream stream, void **parameters, void **extra))                            \
  F(cuLaunchCooperativeKernel,                                                                     \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,         \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters))  \
  F(cuMemGetInfo_v2, (size_t *unused, size_t *total))                                              \
  F(cuPointerGetAttributes,                                                                        \
    (unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr address))         \
  F(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                          \
  F(cuMemFree_v2, (CUdeviceptr address))                                                           \
  F(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream))                       \
  F(cuMemFreeAsync, (CUdeviceptr address, CUstream stream))                                        \
  F(cuMemHostAlloc, (void **data, size_t bytes, unsigned flags))                                   \
  F(cuMemFreeHost, (void *data))                                                                   \
  F(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                             \
  F(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                                   \
  F(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes))                             \
  F(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))       \
  F(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))             \
  F(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))       \
  F(cuMemsetD8_v2, (CUdeviceptr to, unsigned char byte, size_t count))                             \
  F(cuMemsetD32_v2, (CUdeviceptr to, unsigned word, size_t count))                                 \
  F(cuMemsetD8Async, (CUdeviceptr to, unsigned char byte, size_t count, CUstream stream))          \
  F(cuMemsetD32Async, (CUdeviceptr to, unsigned word, size_t count, CUstream stream))              \
  F(cuStreamCreate, (CUstream * stream, unsigned flags))                                           \
  F(cuStreamDestroy_v2, (CUstream stream))                                                         \
  F(cuStreamSynchronize, (CUstream stream))                                                        \
  F(cuStreamQuery, (CUstream stream))                                                              \
  F(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                           \
  F(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                          \
  F(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                        \
  F(cuEventCreate, (CUevent * event, unsigned flags))                                              \
  F(cuEventDestroy_v2, (CUevent event))                                                            \
  F(cuEventRecord, (CUevent event, CUstream stream))                                               \
  F(cuEventSynchronize, (CUevent event))                                                           \
  F(cuEventQuery, (CUevent event))                                                                 \
  F(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))                         \
  F(cuGraphInstantiateWithFlags,                                                                   \
    (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                           \
  F(cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                      \
  F(cuGraphExecUpdate_v2,                                                                          \
    (CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo * info))                   \
  F(cuGraphExecDestroy, (CUgraphExec executable))                                                  \
  F(cuGraphDestroy, (CUgraph graph))

struct Driver {
#define KERATIN_CUDA_FUNCTION(name, parameters) CUresult(*name) parameters = nullptr;
  KERATIN_CUDA_DRIVER_FUNCTIONS(KERATIN_CUDA_FUNCTION)
#undef KERATIN_CUDA_FUNCTION
  int version = 0; // 1000 * major + 10 * minor

  // "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
  runtime::ShortText describe(CUresult result) const;
};

// The first that takes PTX of version 8.0.
inline constexpr int oldestDriver = 12000;

// The driver, opened and initialised at the first call. A failure where there is none, where it is
// too old or lacks a function, or where it does not start; the next call tries again. The library
// is libcuda.so.1, or the one that the environment's KERATIN_CUDA_DRIVER names.
runtime::Code findDriver(const Driver **driver, keratin_status_t *status);

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_DRIVER_H
