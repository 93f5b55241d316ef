// The driver's functions about modules, functions and launches.
#include "tests/cuda/driver/Machine.h"

#include <cstring>

using namespace keratin;
using namespace keratin::emulator;

//===-- Modules -------------------------------------------------------------------------------===//

// The log that the caller gives room for.
struct Log {
  char *text = nullptr;
  size_t room = 0;

  void write(const std::string &message) const {
    if (!text || room == 0)
      return;
    size_t length = std::min(room - 1, message.size());
    std::memcpy(text, message.data(), length);
    text[length] = 0;
  }
};

static bool readOptions(unsigned count, const CUjit_option *options, void *const *values,
                        Log &log) {
  if (count && (!options || !values))
    return false;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log.text = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      log.room = reinterpret_cast<size_t>(values[i]);
    else if (options[i] < 0 || options[i] > 40)
      return false;
  log.write("");
  return true;
}

// The number behind a directive at the start of a line: ".version 8.0" is 80, ".target sm_90a" 90.
static int directive(std::string_view ptx, std::string_view name) {
  for (size_t at = ptx.find(name); at != std::string_view::npos; at = ptx.find(name, at + 1)) {
    if (at > 0 && ptx[at - 1] != '\n')
      continue;
    int number = 0;
    for (char character : ptx.substr(at + name.size(), 8)) {
      if (character >= '0' && character <= '9')
        number = 10 * number + (character - '0');
      else if (character != '.')
        break;
    }
    return number;
  }
  return 0;
}

static CUresult loadPtx(Machine &machine, Context &context, CUmodule *module, std::string_view text,
                        const Log &log) {
  // PTX 8.0 came with drivers of 12.0, and a minor version of one with one of the other.
  int newest = (machine.options.version / 1000 - 4) * 10 + machine.options.version % 1000 / 10;
  if (int version = directive(text, ".version "); version > newest) {
    log.write("ptxas application ptx input: unsupported .version " + std::to_string(version / 10) +
              "." + std::to_string(version % 10));
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  int target = directive(text, ".target sm_");
  if (target > machine.options.capability) {
    log.write("ptxas fatal: SM version specified by .target is higher than default SM version "
              "assumed: sm_" +
              std::to_string(target));
    return CUDA_ERROR_INVALID_PTX;
  }
  std::string exact = ".target sm_" + std::to_string(target) + "a";
  if (target < machine.options.capability && text.find(exact) != text.npos) {
    log.write("ptxas fatal: code for sm_" + std::to_string(target) + "a is for no other device");
    return CUDA_ERROR_INVALID_PTX;
  }
  std::string error;
  std::shared_ptr<ptx::Module> code = ptx::Module::parse(text, &error);
  if (!code) {
    log.write(error);
    return CUDA_ERROR_INVALID_PTX;
  }
  if (!code->load(*context.memory))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *module = machine.modules.add(std::make_unique<Module>(Module{&context, std::move(code)}));
  return CUDA_SUCCESS;
}

static CUresult load(Machine &machine, Context &context, CUmodule *module, const void *image,
                     unsigned numOptions, const CUjit_option *options, void *const *values) {
  Log log;
  if (!module || !image || !readOptions(numOptions, options, values, log))
    return CUDA_ERROR_INVALID_VALUE;
  // Machine code is for machines.
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  std::string_view text = static_cast<const char *>(image);
  if (directive(text, ".version ") == 0)
    return CUDA_ERROR_INVALID_IMAGE;
  return loadPtx(machine, context, module, text, log);
}

//===-- Functions -----------------------------------------------------------------------------===//

static int maxThreads(const ptx::Kernel &kernel) {
  return kernel.maxThreads() ? int(kernel.maxThreads()) : 1024;
}

static bool attributeOf(const Function &function, CUfunction_attribute attribute, int &value) {
  const ptx::Kernel &kernel = *function.kernel;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    value = maxThreads(kernel);
    return true;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    value = int(kernel.staticShared());
    return true;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    value = int(kernel.localBytes());
    return true;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    value = int(std::min<uint32_t>(kernel.registers(), 255));
    return true;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    value = function.dynamicShared;
    return true;
  default:
    return false;
  }
}

// By threads and shared memory: virtual registers say nothing about the real ones.
static int activeBlocks(const Function &function, int threads, size_t dynamicShared) {
  if (threads > maxThreads(*function.kernel))
    return 0;
  size_t shared = function.kernel->staticShared() + dynamicShared + 1024;
  return std::min({2048 / std::max((threads + 31) / 32 * 32, 32), 32,
                   int(size_t(sharedPerMultiprocessor) / shared)});
}

//===-- Launches ------------------------------------------------------------------------------===//

struct Shape {
  ptx::Dim3 grid, block;
  unsigned shared = 0;
  bool isCooperative = false;
};

static CUresult resultOf(ptx::FaultKind kind) {
  switch (kind) {
  case ptx::FaultKind::BadLaunch:
    return CUDA_ERROR_INVALID_VALUE;
  case ptx::FaultKind::OutOfBounds:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case ptx::FaultKind::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case ptx::FaultKind::InfiniteLoop:
  case ptx::FaultKind::Deadlock:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case ptx::FaultKind::Unsupported:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

static CUresult check(const Machine &machine, const Function &function, const Shape &shape) {
  if (shape.grid.count() == 0 || shape.block.count() == 0 || shape.grid.x > 0x7fffffffu ||
      shape.grid.y > 65535 || shape.grid.z > 65535 || shape.block.count() > 1024 ||
      shape.block.z > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (int(shape.shared) > function.dynamicShared ||
      shape.shared + function.kernel->staticShared() > sharedPerBlock)
    return CUDA_ERROR_INVALID_VALUE;
  if (int(shape.block.count()) > maxThreads(*function.kernel))
    return CUDA_ERROR_INVALID_VALUE;
  ptx::Dim3 required = function.kernel->requiredThreads();
  if (required.count() && !(required == shape.block))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t resident = uint64_t(activeBlocks(function, int(shape.block.count()), shape.shared)) *
                      uint64_t(machine.options.multiprocessors);
  return shape.isCooperative && shape.grid.count() > resident
             ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
             : CUDA_SUCCESS;
}

// The parameter block, from a pointer to each parameter; or as it is, from `extra`.
static bool packParameters(const ptx::Kernel &kernel, void **parameters, void **extra,
                           std::vector<std::byte> &block) {
  block.resize(kernel.parameterBytes());
  if (extra)
    return false;
  if (kernel.parameters().empty())
    return true;
  if (!parameters)
    return false;
  for (size_t i = 0; i < kernel.parameters().size(); ++i) {
    const ptx::Parameter &parameter = kernel.parameters()[i];
    if (!parameters[i])
      return false;
    std::memcpy(block.data() + parameter.offset, parameters[i], parameter.bytes);
  }
  return true;
}

static CUresult launch(Machine &machine, Context &context, CUfunction handle, const Shape &shape,
                       CUstream streamHandle, void **parameters, void **extra) {
  Function *function = machine.functions.find(handle);
  Stream *stream = machine.streamOf(streamHandle, context);
  if (!function || !stream || function->module->context != &context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = check(machine, *function, shape))
    return result;
  auto block = std::make_shared<std::vector<std::byte>>();
  if (!packParameters(*function->kernel, parameters, extra, *block))
    return CUDA_ERROR_INVALID_VALUE;
  ++machine.counts.launches;
  auto run = [&machine, &context, shape, block, code = function->module->code,
              kernel = function->kernel]() -> CUresult {
    ptx::LaunchOptions options = machine.options.launch;
    options.cooperative = shape.isCooperative;
    auto fault =
        ptx::launch(*kernel, shape.grid, shape.block, shape.shared, block->data(), block->size(),
                    *context.memory, options, &machine.counters[kernel->name()]);
    if (!fault)
      return CUDA_SUCCESS;
    machine.noteFault(*fault, context);
    return resultOf(fault->kind);
  };
  return machine.submit(*stream, {Operation::Kind::Launch, std::move(run)});
}

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned numOptions,
                            CUjit_option *options, void **values) {
  return call("cuModuleLoadDataEx", Needs::Quiet, [&](Machine &machine, Context *now) {
    return load(machine, *now, module, image, numOptions, options, values);
  });
}
KERATIN_EMULATED(cuModuleLoadDataEx);

CUresult cuModuleUnload(CUmodule module) {
  return call("cuModuleUnload", Needs::Quiet, [&](Machine &machine, Context *now) -> CUresult {
    Module *found = machine.modules.find(module);
    if (!found || found->context != now)
      return CUDA_ERROR_INVALID_HANDLE;
    machine.schedules.finishAll(now, machine.options);
    found->code->unload();
    machine.functions.eraseIf([&](const Function &function) { return function.module == found; });
    machine.modules.erase(module);
    return now->lost;
  });
}
KERATIN_EMULATED(cuModuleUnload);

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return call(
      "cuModuleGetFunction", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
        Module *found = machine.modules.find(module);
        if (!found || found->context != now)
          return CUDA_ERROR_INVALID_HANDLE;
        if (!function || !name)
          return CUDA_ERROR_INVALID_VALUE;
        const ptx::Kernel *kernel = found->code->kernel(name);
        if (!kernel)
          return CUDA_ERROR_NOT_FOUND;
        *function = machine.functions.add(std::make_unique<Function>(Function{found, kernel}));
        return CUDA_SUCCESS;
      });
}
KERATIN_EMULATED(cuModuleGetFunction);

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return call("cuFuncGetAttribute", Needs::Context, [&](Machine &machine, Context *) -> CUresult {
    Function *found = machine.functions.find(function);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    return value && attributeOf(*found, attribute, *value) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_VALUE;
  });
}
KERATIN_EMULATED(cuFuncGetAttribute);

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return call("cuFuncSetAttribute", Needs::Context, [&](Machine &machine, Context *) -> CUresult {
    Function *found = machine.functions.find(function);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        value > sharedPerBlock - int(found->kernel->staticShared()))
      return CUDA_ERROR_INVALID_VALUE;
    found->dynamicShared = value;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuFuncSetAttribute);

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int blockThreads, size_t dynamicShared) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::Context,
              [&](Machine &machine, Context *) -> CUresult {
                Function *found = machine.functions.find(function);
                if (!found)
                  return CUDA_ERROR_INVALID_HANDLE;
                if (!blocks || blockThreads < 1)
                  return CUDA_ERROR_INVALID_VALUE;
                *blocks = activeBlocks(*found, blockThreads, dynamicShared);
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuOccupancyMaxActiveBlocksPerMultiprocessor);

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                        CUstream stream, void **parameters, void **extra) {
  return call("cuLaunchKernel", Needs::Context, [&](Machine &machine, Context *now) {
    Shape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, false};
    return launch(machine, *now, function, shape, stream, parameters, extra);
  });
}
KERATIN_EMULATED(cuLaunchKernel);

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                   unsigned gridZ, unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                   void **parameters) {
  return call("cuLaunchCooperativeKernel", Needs::Context, [&](Machine &machine, Context *now) {
    Shape shape = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, true};
    return launch(machine, *now, function, shape, stream, parameters, nullptr);
  });
}
KERATIN_EMULATED(cuLaunchCooperativeKernel);

} // extern "C"
