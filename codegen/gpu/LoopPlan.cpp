#include "codegen/gpu/LoopPlan.h"

#include "codegen/gpu/CudaMachine.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;

// Of a block in which threads do units by themselves or by warps: many, since few blocks meet
// faster; few enough for any number of registers.
static constexpr unsigned plainThreads = 256;

// Threads that a block must have for the plan's units; 0: any number of warps.
static unsigned wantedThreads(const DevicePlan &plan) {
  bool isWhole = plan.sharedBytes > 0 || plan.unitThreads > warpThreads;
  return isWhole ? plan.unitThreads : 0;
}

// The number that most work wants.
static unsigned chooseThreads(ArrayRef<DevicePlanPtr> plans) {
  std::map<unsigned, double> work;
  auto usual = [](int64_t) { return std::optional<int64_t>(32); };
  for (const DevicePlanPtr &plan : plans)
    if (unsigned threads = wantedThreads(*plan))
      work[threads] += double(plan->work.evaluate(usual).value_or(INT64_MAX));
  auto most = std::max_element(work.begin(), work.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == work.end() ? plainThreads : most->first;
}

std::unique_ptr<LoopPlan> LoopPlan::make(host::LoopOp loop, ArrayRef<ir::KernelOp> kernels,
                                         const MachineTarget &machine) {
  auto result = std::make_unique<LoopPlan>();
  result->loop = loop;
  loop->walk([&](host::LaunchOp launch) { result->plans[int64_t(launch.getKernel())]; });
  SmallVector<DevicePlanPtr> usual;
  for (auto &[number, plan] : result->plans) {
    plan = planDeviceKernel(kernels[size_t(number)], machine, warpThreads);
    if (!plan)
      return nullptr;
    if (plan->partBytes == 0)
      usual.push_back(plan);
  }
  result->blockThreads = chooseThreads(usual);
  for (auto &[number, plan] : result->plans) {
    unsigned wanted = wantedThreads(*plan);
    if (plan->partBytes > 0 || (wanted != 0 && wanted != result->blockThreads))
      plan = planDeviceKernel(kernels[size_t(number)], machine, /*warpThreads=*/1);
    if (!plan)
      return nullptr;
    result->scratchBytes = std::max(result->scratchBytes, plan->scratchBytes);
    result->sharedBytes = std::max(result->sharedBytes, plan->sharedBytes);
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
