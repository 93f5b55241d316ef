#include "codegen/gpu/loops/LoopPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/loops/LoopKernel.h"
#include "codegen/gpu/threads/FirstThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;

// Of a block at least: many, since few blocks meet faster; few enough for any number of registers.
static constexpr unsigned fewestThreads = 256;

unsigned LoopPlan::threadsOfUnit(const DevicePlan &plan) {
  bool isOfBlock = plan.sharedBytes > 0 || plan.unitThreads > warpThreads;
  return isOfBlock ? plan.unitThreads : 0;
}

std::unique_ptr<LoopPlan> LoopPlan::make(host::LoopOp loop, ArrayRef<ir::KernelOp> kernels,
                                         const DeviceTraits &device) {
  auto result = std::make_unique<LoopPlan>();
  result->loop = loop;
  result->blockThreads = fewestThreads;
  loop->walk([&](host::LaunchOp launch) { result->plans[int64_t(launch.getKernel())]; });
  for (auto &[number, plan] : result->plans) {
    plan = planDeviceKernel(kernels[size_t(number)], device);
    if (!plan)
      return nullptr;
    // The launch has memory for as many parts as some kernel has units of blocks, and each kernel
    // uses it when the one before has done.
    assert((plan->partBytes == 0 || threadsOfUnit(*plan)) && "blocks leave parts");
    result->blockThreads = std::max(result->blockThreads, threadsOfUnit(*plan));
    result->sharedBytes = std::max(result->sharedBytes, plan->sharedBytes);
    result->partBytes = std::max(result->partBytes, plan->partBytes);
  }
  return result;
}

void LoopPlan::print(llvm::raw_ostream &out) const {
  out << "one launch of kernels ";
  llvm::interleaveComma(plans, out, [&](const auto &entry) { out << entry.first; });
  out << "; ";
  codegen::print(out, shape().launch);
}

// As many as the kernel wants that wants most.
static decltype(LoopFunction::countBlocks)
blockCount(const LoopPlan &plan, const KernelLibrary &library, ArrayRef<ir::KernelOp> kernels) {
  std::vector<std::pair<KernelFunction, unsigned>> counted;
  for (const auto &[number, form] : plan.plans)
    counted.emplace_back(library.get(kernels[size_t(number)]),
                         LoopPlan::threadsOfUnit(*form) ? 1
                                                        : plan.blockThreads / form->unitThreads);
  return [counted](OpBuilder &b, Location loc, SizeOf sizeOf) -> Value {
    auto i64 = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIntOp>(loc, value, 64);
    };
    Value most = i64(1);
    for (const auto &[kernel, perBlock] : counted) {
      Value units = kernel.countUnits ? kernel.countUnits(b, loc, sizeOf) : sizeOf(kernel.units);
      Value room = b.create<arith::AddIOp>(loc, units, i64(int64_t(perBlock) - 1));
      Value blocks = b.create<arith::DivSIOp>(loc, room, i64(perBlock));
      most = b.create<arith::MaxSIOp>(loc, most, blocks);
    }
    return most;
  };
}

FailureOr<LoopFunction> LoopPlan::lower(ModuleOp into, ArrayRef<ir::KernelOp> kernels,
                                        StringRef name, const MachineTarget &machine) const {
  llvm::DenseMap<Operation *, DevicePlanPtr> plansOf;
  SmallVector<KernelLibrary::Numbered> own;
  for (const auto &[number, form] : plans) {
    own.push_back({number, kernels[size_t(number)]});
    plansOf[own.back().second] = form;
  }
  auto lowerOne = [&](ir::KernelOp kernel, OpBuilder &builder, StringRef kernelName) {
    DevicePlanPtr form = plansOf.lookup(kernel);
    KernelFunction made = form->lower(builder, kernelName, machine);
    unsigned ofBlock = threadsOfUnit(*form);
    if (ofBlock != 0 && ofBlock < blockThreads)
      meetAsFirstThreads(made.function, ofBlock);
    return FailureOr(std::move(made));
  };
  KernelLibrary library(into, name, lowerOne);
  if (failed(library.lower(own)))
    return failure();
  LoopFunction made = LoopKernel(*this, library, kernels, into).emit(name);
  made.countBlocks = blockCount(*this, library, kernels);
  if (made.arguments.size() > KERATIN_CUDA_MOST_SLOTS)
    made.function = nullptr;
  return made;
}
