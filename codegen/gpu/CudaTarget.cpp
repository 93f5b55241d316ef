#include "codegen/gpu/CudaTarget.h"

#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/LoopPlan.h"
#include "codegen/gpu/PtxModule.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "runtime/abi/keratin_cuda_abi.h"

#include <map>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

CudaTarget::CudaTarget(PortableMachine machine)
    : machine(std::move(machine)), device(cudaMachine()) {}

// A launch costs about two microseconds, in which a device does some tens of millions of elementary
// operations at best: of kernels of more than these most time is not that of launches.
static constexpr int64_t mostResidentWork = int64_t(1) << 25;

StringRef CudaTarget::name() const { return KERATIN_CUDA_DEVICE; }

TargetLimits CudaTarget::limits() const {
  return {.kernelOps = 64,
          .tileTensors = 4,
          .alignment = KERATIN_CUDA_ALIGNMENT,
          .hasOwnMemory = true,
          .residentWork = mostResidentWork};
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

LogicalResult CudaTarget::lower(func::FuncOp function, host::ProgramOp program, ModuleOp into,
                                StringRef name, EntryDescription &description) const {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  std::map<std::string, LaunchShape> shapes;
  DeviceModule lowering = {
      *module,
      [&](ir::KernelOp kernel, OpBuilder &builder, StringRef name) -> FailureOr<KernelFunction> {
        auto plan = planDeviceKernel(kernel, device, warpThreads);
        if (!plan)
          return failure();
        // Of kernels of this name the last stays.
        shapes[name.str()] = plan->shape();
        return plan->lower(builder, name, device);
      },
      [&](host::LoopOp loop, ArrayRef<ir::KernelOp> kernels,
          StringRef name) -> FailureOr<LoopFunction> {
        auto plan = LoopPlan::make(loop, kernels, device);
        if (!plan)
          return failure();
        if (!plan->hasRoom())
          return LoopFunction();
        shapes[name.str()] = plan->shape();
        return plan->lower(*module, kernels, name, device);
      }};
  if (failed(
          lowerFunction(function, program, into, name, machine.target, description, &lowering)) ||
      failed(lowerToLlvm(*module)))
    return failure();
  std::vector<PtxKernel> kernels;
  for (const DeviceKernel &kernel : description.deviceKernels) {
    kernels.push_back({kernel.name, shapes.at(kernel.name)});
    kernels.back().shape.slots = kernel.slots;
  }
  FailureOr<std::string> ptx = emitPtx(*module, kernels);
  if (failed(ptx))
    return failure();
  for (auto [described, kernel] : llvm::zip(description.deviceKernels, kernels))
    described.name = kernel.name;
  addImages(description, *ptx, kernels);
  return success();
}

// Kernels of resident loops as they are in these.
LogicalResult CudaTarget::printKernels(llvm::raw_ostream &out, func::FuncOp function) const {
  SmallVector<ir::KernelOp> kernels = host::numberedOpsOf(function).kernels;
  std::vector<std::unique_ptr<LoopPlan>> loops;
  if (host::ProgramOp program = host::programOf(function)) {
    WalkResult walk = program.walk([&](host::LoopOp loop) -> WalkResult {
      if (loop.getResident())
        loops.push_back(LoopPlan::make(loop, kernels, device));
      return success(!loop.getResident() || loops.back());
    });
    if (walk.wasInterrupted())
      return failure();
  }
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    DevicePlanPtr plan;
    for (const auto &loop : loops)
      if (DevicePlanPtr inLoop = loop->plans.lookup(int64_t(number)))
        plan = inLoop;
    if (!plan)
      plan = planDeviceKernel(kernel, device, warpThreads);
    if (!plan)
      return failure();
    out << "kernel " << number << ": ";
    print(out, *plan);
  }
  for (auto [number, loop] : llvm::enumerate(loops)) {
    out << "loop " << number << ": ";
    loop->print(out);
  }
  return success();
}

std::unique_ptr<Target> keratin::codegen::makeCudaTarget(const TargetChoice &choice,
                                                         std::string *error) {
  std::optional<PortableMachine> machine = hostMachineOf(choice, error);
  return machine ? std::make_unique<CudaTarget>(std::move(*machine)) : nullptr;
}
