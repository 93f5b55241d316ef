// The driver's functions about itself, devices and contexts.
#include "tests/cuda/driver/Machine.h"

#include <cstring>

using namespace keratin;
using namespace keratin::emulator;

static CUresult copyText(char *to, size_t room, const std::string &text) {
  if (!to || room == 0)
    return CUDA_ERROR_INVALID_VALUE;
  size_t length = std::min(room - 1, text.size());
  std::memcpy(to, text.data(), length);
  to[length] = 0;
  return CUDA_SUCCESS;
}

static const std::map<CUresult, std::pair<const char *, const char *>> &results() {
  static const std::map<CUresult, std::pair<const char *, const char *>> table = {
#define RESULT(name, text)                                                                         \
  {                                                                                                \
    name, { #name, text }                                                                          \
  }
      RESULT(CUDA_SUCCESS, "no error"),
      RESULT(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
      RESULT(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
      RESULT(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
      RESULT(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
      RESULT(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
      RESULT(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
      RESULT(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
      RESULT(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
      RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU,
             "no kernel image is available for execution on the device"),
      RESULT(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
      RESULT(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
      RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
             "the provided PTX was compiled with an unsupported toolchain."),
      RESULT(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
      RESULT(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
      RESULT(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
      RESULT(CUDA_ERROR_NOT_READY, "device not ready"),
      RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
      RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
      RESULT(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
      RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
      RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
      RESULT(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
      RESULT(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
      RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
      RESULT(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             "operation not permitted when stream is capturing"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
             "operation failed due to a previous error during capture"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
             "operation would result in a merge of separate capture sequences"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it "
                                                  "began"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
             "dependency created on uncaptured work in another stream"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
             "operation would make the legacy stream depend on a capturing blocking stream"),
      RESULT(CUDA_ERROR_CAPTURED_EVENT,
             "operation not permitted on an event last recorded in a capturing stream"),
      RESULT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
             "attempt to terminate a thread-local capture sequence from another thread"),
      RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
             "the graph update was not performed because it included changes which violated "
             "constraints specific to instantiated graph update"),
      RESULT(CUDA_ERROR_UNKNOWN, "unknown error")
#undef RESULT
  };
  return table;
}

static CUresult textOf(CUresult result, const char **text, bool isName) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = results().find(result);
  *text = found == results().end() ? nullptr : isName ? found->second.first : found->second.second;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool attributeOf(const Options &options, CUdevice_attribute attribute, int &value) {
  static const std::map<CUdevice_attribute, int> fixed = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, sharedPerMultiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, sharedPerBlock},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1}};
  if (auto found = fixed.find(attribute); found != fixed.end())
    value = found->second;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    value = options.multiprocessors;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    value = options.capability / 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    value = options.capability % 10;
  else
    return false;
  return true;
}

static bool isDevice(const Machine &machine, CUdevice device) {
  return device >= 0 && size_t(device) < machine.contexts.size();
}

extern "C" {

CUresult cuInit(unsigned flags) {
  return call("cuInit", Needs::Nothing, [&](Machine &machine, Context *) -> CUresult {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    if (machine.contexts.empty() || !machine.optionsError.empty())
      return CUDA_ERROR_NO_DEVICE;
    machine.isInitialised = true;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuInit);

CUresult cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", Needs::Nothing, [&](Machine &machine, Context *) -> CUresult {
    if (!version)
      return CUDA_ERROR_INVALID_VALUE;
    *version = machine.options.version;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuDriverGetVersion);

CUresult cuGetErrorName(CUresult result, const char **name) { return textOf(result, name, true); }
KERATIN_EMULATED(cuGetErrorName);

CUresult cuGetErrorString(CUresult result, const char **text) {
  return textOf(result, text, false);
}
KERATIN_EMULATED(cuGetErrorString);

CUresult cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", Needs::Initialised, [&](Machine &machine, Context *) -> CUresult {
    if (!count)
      return CUDA_ERROR_INVALID_VALUE;
    *count = int(machine.contexts.size());
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuDeviceGetCount);

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return call("cuDeviceGet", Needs::Initialised, [&](Machine &machine, Context *) -> CUresult {
    if (!device)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(machine, ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuDeviceGet);

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return call("cuDeviceGetName", Needs::Initialised, [&](Machine &machine, Context *) -> CUresult {
    if (!isDevice(machine, device))
      return CUDA_ERROR_INVALID_DEVICE;
    return copyText(name, size_t(std::max(length, 0)),
                    "Keratin's emulator of sm_" + std::to_string(machine.options.capability));
  });
}
KERATIN_EMULATED(cuDeviceGetName);

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return call("cuDeviceGetAttribute", Needs::Initialised,
              [&](Machine &machine, Context *) -> CUresult {
                if (!isDevice(machine, device))
                  return CUDA_ERROR_INVALID_DEVICE;
                if (!value || !attributeOf(machine.options, attribute, *value))
                  return CUDA_ERROR_INVALID_VALUE;
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuDeviceGetAttribute);

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return call("cuDeviceTotalMem_v2", Needs::Initialised,
              [&](Machine &machine, Context *) -> CUresult {
                if (!isDevice(machine, device))
                  return CUDA_ERROR_INVALID_DEVICE;
                if (!bytes)
                  return CUDA_ERROR_INVALID_VALUE;
                *bytes = machine.contexts[size_t(device)]->memory->capacity();
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuDeviceTotalMem_v2);

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return call("cuDevicePrimaryCtxRetain", Needs::Initialised,
              [&](Machine &machine, Context *) -> CUresult {
                if (!context)
                  return CUDA_ERROR_INVALID_VALUE;
                if (!isDevice(machine, device))
                  return CUDA_ERROR_INVALID_DEVICE;
                Context &primary = *machine.contexts[size_t(device)];
                ++primary.references;
                *context = reinterpret_cast<CUcontext>(&primary);
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuDevicePrimaryCtxRetain);

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call("cuDevicePrimaryCtxRelease_v2", Needs::Initialised,
              [&](Machine &machine, Context *) -> CUresult {
                if (!isDevice(machine, device))
                  return CUDA_ERROR_INVALID_DEVICE;
                Context &primary = *machine.contexts[size_t(device)];
                if (primary.references == 0)
                  return CUDA_ERROR_INVALID_CONTEXT;
                if (--primary.references == 0)
                  machine.destroy(primary);
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuDevicePrimaryCtxRelease_v2);

CUresult cuCtxSetCurrent(CUcontext context) {
  return call("cuCtxSetCurrent", Needs::Initialised, [&](Machine &machine, Context *) -> CUresult {
    auto *wanted = reinterpret_cast<Context *>(context);
    for (const auto &primary : machine.contexts)
      if (primary.get() == wanted && primary->references) {
        current = wanted;
        return CUDA_SUCCESS;
      }
    if (wanted)
      return CUDA_ERROR_INVALID_CONTEXT;
    current = nullptr;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuCtxSetCurrent);

CUresult cuCtxGetCurrent(CUcontext *context) {
  return call("cuCtxGetCurrent", Needs::Initialised, [&](Machine &, Context *now) -> CUresult {
    if (!context)
      return CUDA_ERROR_INVALID_VALUE;
    *context = reinterpret_cast<CUcontext>(now);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuCtxGetCurrent);

CUresult cuCtxSynchronize() {
  return call("cuCtxSynchronize", Needs::Quiet, [&](Machine &machine, Context *now) -> CUresult {
    ++machine.counts.waits;
    machine.schedules.finishAll(now, machine.options);
    return now->lost;
  });
}
KERATIN_EMULATED(cuCtxSynchronize);

} // extern "C"
