#include "codegen/gpu/CudaTarget.h"

#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/loops/LoopPlan.h"
#include "codegen/gpu/ptx/CubinCache.h"
#include "codegen/gpu/ptx/CudaArchitectures.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "runtime/abi/keratin_cuda_abi.h"

#include "llvm/ADT/StringExtras.h"

#include <future>
#include <map>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

CudaTarget::CudaTarget(PortableMachine machine, DeviceTraits device,
                       std::vector<std::string> architectures, std::string deviceArchitecture)
    : machine(std::move(machine)), device(std::move(device)),
      architectures(std::move(architectures)), deviceArchitecture(std::move(deviceArchitecture)) {}

// A launch costs about two microseconds, in which a device does some tens of millions of elementary
// operations at best: of kernels of more than these most time is not that of launches.
static constexpr int64_t mostResidentWork = int64_t(1) << 25;

StringRef CudaTarget::name() const { return KERATIN_CUDA_DEVICE; }

TargetLimits CudaTarget::limits() const {
  return {.kernelOps = 64,
          .tileTensors = 4,
          .randomInKernels = true,
          .alignment = KERATIN_CUDA_ALIGNMENT,
          .hasOwnMemory = true,
          .residentWork = mostResidentWork};
}

std::string CudaTarget::warning() const {
  std::string missing;
  if (architectures.empty() || canAssemble(&missing))
    return "";
  return "only PTX, which the driver compiles, and no cubin for " +
         llvm::join(architectures, ", ") + ": " + missing;
}

template <typename T> static std::vector<char> bytesOf(ArrayRef<T> values) {
  auto *begin = reinterpret_cast<const char *>(values.data());
  return std::vector<char>(begin, begin + values.size() * sizeof(T));
}

static void addImages(EntryDescription &description, const std::string &ptx,
                      ArrayRef<PtxKernel> kernels) {
  std::vector<keratin_cuda_kernel_t> launches;
  for (const PtxKernel &kernel : kernels)
    launches.push_back(kernel.shape.launch);
  description.device = KERATIN_CUDA_DEVICE;
  description.images.push_back(
      {KERATIN_CUDA_IMAGE_PTX, bytesOf(ArrayRef<char>(ptx.c_str(), ptx.size() + 1))});
  description.images.push_back(
      {KERATIN_CUDA_IMAGE_KERNELS, bytesOf(ArrayRef<keratin_cuda_kernel_t>(launches))});
}

LogicalResult CudaTarget::addCubins(EntryDescription &description, const std::string &ptx,
                                    Location location) const {
  std::vector<std::string> wanted = architectures;
  if (wanted.empty() && !deviceArchitecture.empty())
    wanted.push_back(deviceArchitecture);
  std::string missing;
  if (wanted.empty() || description.deviceKernels.empty() || !canAssemble(&missing))
    return success();
  struct Result {
    std::optional<std::string> cubin;
    std::string error;
  };
  std::vector<std::future<Result>> results;
  for (const std::string &architecture : wanted)
    results.push_back(std::async(std::launch::async, [&ptx, &architecture] {
      Result result;
      result.cubin = cubinOf(ptx, architecture, &result.error);
      return result;
    }));
  for (auto [architecture, pending] : llvm::zip(wanted, results)) {
    Result result = pending.get();
    if (result.cubin)
      description.images.push_back({KERATIN_CUDA_IMAGE_CUBIN + architecture,
                                    std::vector<char>(result.cubin->begin(), result.cubin->end())});
    else if (!architectures.empty())
      return emitError(location) << result.error;
  }
  return success();
}

static void describe(const LoopPlan &plan, ArrayRef<ir::KernelOp> kernels,
                     EntryDescription &description) {
  for (const auto &[number, form] : plan.plans)
    description.plans[kernels[size_t(number)]] = form;
  llvm::raw_string_ostream stream(description.loops.emplace_back());
  plan.print(stream);
}

LogicalResult CudaTarget::lower(func::FuncOp function, host::ProgramOp program, ModuleOp into,
                                StringRef name, EntryDescription &description) const {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  std::map<std::string, LaunchShape> shapes;
  DeviceModule lowering = {
      *module,
      [&](ir::KernelOp kernel, OpBuilder &builder, StringRef name) -> FailureOr<KernelFunction> {
        auto plan = planDeviceKernel(kernel, device);
        if (!plan)
          return failure();
        // Of kernels of this name the last stays.
        shapes[name.str()] = plan->shape();
        description.plans[kernel] = plan;
        return plan->lower(builder, name, device.machine);
      },
      [&](host::LoopOp loop, ArrayRef<ir::KernelOp> kernels,
          StringRef name) -> FailureOr<LoopFunction> {
        auto plan = LoopPlan::make(loop, kernels, device);
        if (!plan)
          return failure();
        FailureOr<LoopFunction> made = plan->lower(*module, kernels, name, device.machine);
        if (succeeded(made) && made->function) {
          shapes[name.str()] = plan->shape();
          describe(*plan, kernels, description);
        }
        return made;
      }};
  if (failed(lowerFunction(function, program, into, name, machine.target, description, &lowering)))
    return failure();
  std::vector<PtxKernel> kernels;
  for (const DeviceKernel &kernel : description.deviceKernels) {
    auto made = module->lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    kernels.push_back({kernel.name, shapes.at(kernel.name), KernelBounds::of(made)});
    kernels.back().shape.slots = kernel.slots;
  }
  if (failed(lowerToLlvm(*module)))
    return failure();
  FailureOr<std::string> ptx = emitPtx(*module, kernels);
  if (failed(ptx))
    return failure();
  for (auto [described, kernel] : llvm::zip(description.deviceKernels, kernels))
    described.name = kernel.name;
  addImages(description, *ptx, kernels);
  return addCubins(description, *ptx, function.getLoc());
}

std::unique_ptr<Target> keratin::codegen::makeCudaTarget(const TargetChoice &choice,
                                                         std::string *error) {
  std::optional<PortableMachine> machine = hostMachineOf(choice, error);
  std::optional<std::vector<std::string>> architectures = std::vector<std::string>();
  if (!choice.architectures.empty())
    architectures = cudaArchitecturesOf(choice.architectures, error);
  if (!machine || !architectures)
    return nullptr;
  DeviceTraits device;
  device.float32Products = choice.float32Products;
  return std::make_unique<CudaTarget>(std::move(*machine), std::move(device),
                                      std::move(*architectures),
                                      cudaArchitectureFor(choice.deviceArchitecture).str());
}
