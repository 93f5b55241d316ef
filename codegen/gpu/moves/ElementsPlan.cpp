#include "codegen/gpu/moves/ElementsPlan.h"

#include "codegen/gpu/moves/ElementGroups.h"
#include "codegen/gpu/threads/AccessWidth.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

// More would be held in registers than hides anything.
static constexpr unsigned mostElements = 8;

static unsigned elementsOfGroup(Block &body, const IterationSpace &space) {
  unsigned elements = elementsOfAccess(body, mostElements);
  // Lines of other lengths would begin anywhere.
  const DimExpr &line = space.groups.back().extent;
  if (space.groups.size() > 1 && line.isConstant())
    while (line.constantValue() % elements != 0)
      elements /= 2;
  return elements;
}

DevicePlanPtr ElementsPlan::make(ir::KernelOp kernel) {
  KernelKind kind = kindOf(kernel);
  if (kind != KernelKind::Loop && kind != KernelKind::Transpose)
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || space->hasReductions())
    return nullptr;
  return std::make_shared<ElementsPlan>(kernel, LoopNest(kernel, std::move(*space)));
}

ElementsPlan::ElementsPlan(ir::KernelOp kernel, LoopNest neutral)
    : FormPlan(kernel), nest(std::move(neutral)) {
  if (nest.form != LoopNest::Form::Scalar)
    elements = elementsOfGroup(body(), nest.space);
  int64_t ops = std::distance(body().begin(), body().end());
  setWork(mul(lines(), groups()).value_or(DimExpr(INT64_MAX)), DimExpr(ops * int64_t(elements)));
}

DimExpr ElementsPlan::lineElements() const { return ElementGroups::elementsOfLine(nest); }

DimExpr ElementsPlan::groups() const {
  return *ceildiv(lineElements(), DimExpr(int64_t(elements)));
}

void ElementsPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(elements, "element") << " a thread";
  if (elements > 1)
    out << ", at once where addresses are multiples of " << accessBytes << " bytes";
  out << "\n";
}
