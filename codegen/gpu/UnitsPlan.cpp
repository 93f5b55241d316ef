#include "codegen/gpu/UnitsPlan.h"

#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/ElementsPlan.h"
#include "codegen/gpu/RowsPlan.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

std::shared_ptr<const UnitsPlan> UnitsPlan::make(ir::KernelOp kernel, const MachineTarget &machine,
                                                 unsigned warpThreads) {
  unsigned threads = 1;
  CpuPlan plan = ElementsPlan::make(kernel);
  if (auto rows = plan ? nullptr : RowsPlan::make(kernel, warpThreads)) {
    threads = rows->threads;
    plan = std::move(rows);
  }
  if (!plan)
    plan = planKernel(kernel, machine);
  return plan ? std::make_shared<UnitsPlan>(kernel, std::move(plan), threads, machine) : nullptr;
}

UnitsPlan::UnitsPlan(ir::KernelOp kernel, CpuPlan cpuPlan, unsigned threads,
                     const MachineTarget &machine)
    : KernelPlan(kernel), plan(std::move(cpuPlan)), threads(threads), machine(machine) {
  units = plan->units;
  work = plan->work;
  scratchBytes = plan->scratchBytes;
}

void UnitsPlan::printSchedule(llvm::raw_ostream &out) const {
  plan->printSchedule(out);
  out << "launch: a unit " << (threads == 1 ? "a thread" : counted(threads, "thread")) << "; ";
  print(out, shape().launch);
}

KernelFunction UnitsPlan::emit(OpBuilder &builder, StringRef name) const {
  CpuKernelBuilder k(kernel, builder, name, machine);
  plan->emit(k);
  k.tellNotes();
  k.result.units = units;
  if (countsUnits())
    k.result.countUnits = [plan = plan](OpBuilder &b, Location loc, SizeOf sizeOf) {
      return plan->countUnits(b, loc, sizeOf);
    };
  k.result.grain = grain;
  k.result.work = work;
  k.result.scratchBytes = scratchBytes;
  return std::move(k.result);
}
