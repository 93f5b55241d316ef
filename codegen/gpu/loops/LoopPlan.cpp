#include "codegen/gpu/loops/LoopPlan.h"

#include "codegen/gpu/CudaMachine.h"

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
                                         const MachineTarget &machine) {
  auto result = std::make_unique<LoopPlan>();
  result->loop = loop;
  result->blockThreads = fewestThreads;
  loop->walk([&](host::LaunchOp launch) { result->plans[int64_t(launch.getKernel())]; });
  for (auto &[number, plan] : result->plans) {
    plan = planDeviceKernel(kernels[size_t(number)], machine, warpThreads);
    if (!plan)
      return nullptr;
    // The launch has memory for as many parts as some kernel has units of blocks, and each kernel
    // uses it when the one before has done.
    assert((plan->partBytes == 0 || threadsOfUnit(*plan)) && "blocks leave parts");
    result->blockThreads = std::max(result->blockThreads, threadsOfUnit(*plan));
    result->scratchBytes = std::max(result->scratchBytes, plan->scratchBytes);
    result->sharedBytes = std::max(result->sharedBytes, plan->sharedBytes);
    result->partBytes = std::max(result->partBytes, plan->partBytes);
  }
  return result;
}

bool LoopPlan::hasRoom() const { return scratchBytes == 0 || shape().launch.max_blocks > 0; }

void LoopPlan::print(llvm::raw_ostream &out) const {
  out << "one launch of kernels ";
  llvm::interleaveComma(plans, out, [&](const auto &entry) { out << entry.first; });
  out << "; ";
  codegen::print(out, shape().launch);
}
