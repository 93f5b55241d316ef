#include "codegen/gpu/CudaTarget.h"

#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/DeviceForms.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/attention/AttentionTilesPlan.h"
#include "codegen/gpu/loops/LoopPlan.h"
#include "codegen/gpu/ptx/CubinCache.h"
#include "codegen/gpu/ptx/CudaArchitectures.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/lowering/RandomNest.h"
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
          .updatesRows = false,
          .attention = AttentionTilesPlan::kinds(device),
          .reducesColumnsBesideRows = false,
          .randomInKernels = true,
          .randomLine = RandomNest::groupElements,
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

namespace {
// All kernels of a function, for all architectures ("") or for one on which some have other forms.
struct DeviceCode {
  std::string architecture;
  MachineTarget machine;
  OwningOpRef<ModuleOp> module;
  std::vector<PtxKernel> kernels;
  std::string ptx;

  LogicalResult emit() {
    if (failed(lowerToLlvm(*module)))
      return failure();
    FailureOr<std::string> text = emitPtx(*module, kernels, machine);
    if (succeeded(text))
      ptx = std::move(*text);
    return text;
  }
};
} // namespace

static void addImages(EntryDescription &description, const DeviceCode &code) {
  std::vector<keratin_cuda_kernel_t> launches;
  for (const PtxKernel &kernel : code.kernels)
    launches.push_back(kernel.shape.launch);
  description.device = KERATIN_CUDA_DEVICE;
  std::string ending = code.architecture.empty() ? "" : ":" + code.architecture;
  description.images.push_back({KERATIN_CUDA_IMAGE_PTX + ending,
                                bytesOf(ArrayRef<char>(code.ptx.c_str(), code.ptx.size() + 1))});
  description.images.push_back(
      {KERATIN_CUDA_IMAGE_KERNELS + ending, bytesOf(ArrayRef<keratin_cuda_kernel_t>(launches))});
}

std::vector<std::string> CudaTarget::wanted() const {
  std::vector<std::string> result = architectures;
  if (result.empty() && !deviceArchitecture.empty())
    result.push_back(deviceArchitecture);
  return result;
}

LogicalResult
CudaTarget::addCubins(EntryDescription &description,
                      llvm::function_ref<const std::string &(StringRef architecture)> ptxFor,
                      Location location) const {
  const std::vector<std::string> wanted = this->wanted();
  std::string missing;
  if (wanted.empty() || description.deviceKernels.empty() || !canAssemble(&missing))
    return success();
  struct Result {
    std::optional<std::string> cubin;
    std::string error;
  };
  std::vector<std::future<Result>> results;
  for (const std::string &architecture : wanted)
    results.push_back(std::async(std::launch::async, [&ptx = ptxFor(architecture), &architecture] {
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
  DeviceForms forms;
  DeviceModule lowering = {
      *module,
      [&](ir::KernelOp kernel, OpBuilder &builder, StringRef name) -> FailureOr<KernelFunction> {
        auto plan = planDeviceKernel(kernel, device);
        if (!plan)
          return failure();
        description.plans[kernel] = plan;
        FailureOr<KernelFunction> made = plan->lower(builder, name, device.machine);
        if (succeeded(made))
          forms.add(name, *plan, *made);
        return made;
      },
      [&](host::LoopOp loop, ArrayRef<ir::KernelOp> kernels,
          StringRef name) -> FailureOr<LoopFunction> {
        auto plan = LoopPlan::make(loop, kernels, device);
        if (!plan)
          return failure();
        FailureOr<LoopFunction> made = plan->lower(*module, kernels, name, device.machine);
        if (succeeded(made) && made->function) {
          forms.add(name, plan->shape());
          describe(*plan, kernels, description);
        }
        return made;
      }};
  if (failed(lowerFunction(function, program, into, name, machine.target, description, &lowering)))
    return failure();
  if (description.onlyPlans)
    return success();
  std::vector<PtxKernel> kernels;
  for (const DeviceKernel &kernel : description.deviceKernels) {
    auto made = module->lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    kernels.push_back({kernel.name, forms.shapeOf(kernel.name), KernelBounds::of(made)});
    kernels.back().shape.slots = kernel.slots;
  }
  std::vector<DeviceCode> codes;
  for (const std::string &architecture : wanted()) {
    std::optional<DeviceTraits> own = device.on(architecture);
    if (!own)
      continue;
    std::vector<PtxKernel> launched = kernels;
    FailureOr<OwningOpRef<ModuleOp>> made = forms.onDevice(*own, *module, launched);
    if (failed(made))
      return failure();
    if (*made)
      codes.push_back({architecture, own->machine, std::move(*made), std::move(launched), ""});
  }
  codes.insert(codes.begin(),
               DeviceCode{"", device.machine, std::move(module), std::move(kernels), ""});
  for (DeviceCode &code : codes) {
    if (failed(code.emit()))
      return failure();
    addImages(description, code);
  }
  for (auto [described, kernel] : llvm::zip(description.deviceKernels, codes.front().kernels))
    described.name = kernel.name;
  auto ptxFor = [&](StringRef architecture) -> const std::string & {
    auto own = llvm::find_if(
        codes, [&](const DeviceCode &code) { return code.architecture == architecture; });
    return own == codes.end() ? codes.front().ptx : own->ptx;
  };
  return addCubins(description, ptxFor, function.getLoc());
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
