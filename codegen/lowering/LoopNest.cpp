#include "codegen/lowering/LoopNest.h"

#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::Domain;
using keratin::ir::IterationSpace;
using keratin::ir::ReductionOpInterface;

static LoopNest::Form formOf(const IterationSpace &space) {
  if (space.hasReductions())
    return space.isInnermostReduced() ? LoopNest::Form::Rows : LoopNest::Form::Columns;
  if (space.groups.empty())
    return LoopNest::Form::Scalar;
  return space.groups.size() > 1 ? LoopNest::Form::Lines : LoopNest::Form::Flat;
}

LoopNest::LoopNest(ir::KernelOp kernel, IterationSpace analyzed)
    : form(formOf(analyzed)), space(std::move(analyzed)), kernel(kernel) {
  for (unsigned i = 0; i + 1 < space.groups.size(); ++i)
    (space.groups[i].reduced ? outerReduced : outerKept).push_back(i);
}

//===-- Stages --------------------------------------------------------------------------------===//

ArrayRef<ReductionOpInterface> LoopNest::reductions(unsigned stage) const {
  if (stage < space.stages.size())
    return space.stages[stage];
  return {};
}

bool LoopNest::isStagePresent(unsigned stage) const {
  return !reductions(stage).empty() || !fullOutputs(stage).empty();
}

SmallVector<LoopNest::Output> LoopNest::fullOutputs(unsigned stage) const {
  SmallVector<Output> outputs;
  for (auto [i, value] : llvm::enumerate(body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) != Domain::Row && space.stageOf.lookup(value) == stage)
      outputs.push_back({unsigned(i), value});
  return outputs;
}

SmallVector<LoopNest::Output> LoopNest::rowOutputs(unsigned stage) const {
  SmallVector<Output> outputs;
  for (auto [i, value] : llvm::enumerate(body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) == Domain::Row && space.stageOf.lookup(value) == stage + 1)
      outputs.push_back({unsigned(i), value});
  return outputs;
}

LoopNest::Operations LoopNest::computedFor(SmallVector<Value> wanted, Value inMemory) const {
  Operations found;
  while (!wanted.empty()) {
    Value value = wanted.pop_back_val();
    Operation *op = value.getDefiningOp();
    // What earlier stages have found is in registers, and what follows from it alone is there once
    // a row.
    if (!op || value == inMemory || isa<ReductionOpInterface>(op) ||
        space.domains.lookup(value) == Domain::Row || !found.insert(op).second)
      continue;
    wanted.append(op->operand_begin(), op->operand_end());
  }
  return found;
}

LoopNest::Operations LoopNest::computedIn(unsigned stage, Value inMemory) const {
  SmallVector<Value> wanted;
  for (ReductionOpInterface op : reductions(stage))
    wanted.push_back(op->getOperand(0));
  for (const Output &output : fullOutputs(stage))
    wanted.push_back(output.value);
  return computedFor(std::move(wanted), inMemory);
}

static int64_t sumOfInstructions(const llvm::SmallPtrSetImpl<Operation *> &ops) {
  int64_t instructions = 0;
  for (Operation *op : ops)
    instructions += ir::instructionsOf(op);
  return instructions;
}

int64_t LoopNest::instructions(unsigned stage, Value inMemory) const {
  int64_t wanted = int64_t(reductions(stage).size() + fullOutputs(stage).size());
  return wanted + sumOfInstructions(computedIn(stage, inMemory));
}

std::optional<LoopNest::Waiting> LoopNest::waiting() const {
  SmallVector<Operations> computed;
  for (unsigned stage = 0; stage < stages(); ++stage)
    computed.push_back(computedIn(stage, Value()));
  std::optional<Waiting> best;
  // What takes less is computed again as fast as it is stored and loaded.
  int64_t leastCost = 8;
  for (Operation &op : body().without_terminator()) {
    auto needs = [&](const Operations &ops) { return ops.contains(&op); };
    const size_t begin = llvm::find_if(computed, needs) - computed.begin();
    const size_t end =
        computed.size() - (llvm::find_if(llvm::reverse(computed), needs) - computed.rbegin());
    // One behind the last stage that needs it.
    if (end <= begin + 1 || op.getNumResults() != 1 ||
        !isa<Float32Type, Float64Type>(ir::getElementType(op.getResult(0))))
      continue;
    const Value value = op.getResult(0);
    const int64_t cost = sumOfInstructions(computedFor({value}, Value()));
    if (cost < leastCost)
      continue;
    for (unsigned stage = unsigned(end) - 1; stage < stages(); ++stage)
      for (const Output &output : fullOutputs(stage))
        if (output.value.getType() == value.getType()) {
          best = {value, output.number, unsigned(begin)};
          leastCost = cost + 1;
        }
  }
  return best;
}

SmallVector<Value> LoopNest::keptOfRows() const {
  llvm::SetVector<Value> kept;
  for (Operation &op : body().without_terminator())
    for (Value operand : op.getOperands())
      if (space.domains.lookup(op.getResult(0)) == Domain::Full &&
          space.domains.lookup(operand) == Domain::Row && space.stageOf.lookup(operand) > 0 &&
          !operand.getDefiningOp<ReductionOpInterface>())
        kept.insert(operand);
  return kept.takeVector();
}

//===-- Sizes ---------------------------------------------------------------------------------===//

static DimExpr times(const DimExpr &x, const DimExpr &y) {
  return mul(x, y).value_or(DimExpr(INT64_MAX));
}

DimExpr LoopNest::outerRows() const {
  DimExpr rows(1);
  for (unsigned group : outerKept)
    rows = times(rows, space.groups[group].extent);
  return rows;
}

DimExpr LoopNest::reducedElements() const {
  DimExpr elements(1);
  for (const IterationSpace::Group &group : space.groups)
    if (group.reduced)
      elements = times(elements, group.extent);
  return elements;
}

DimExpr LoopNest::elements() const { return product(space.shape).value_or(DimExpr(INT64_MAX)); }

void LoopNest::print(llvm::raw_ostream &out) const {
  out << "nest: ";
  llvm::interleaveComma(space.groups, out, [&](const IterationSpace::Group &group) {
    out << (group.reduced ? "reduced " : "kept ") << group.extent.str();
  });
  out << (space.groups.empty() ? "one element\n" : "\n");
  for (auto [stage, ops] : llvm::enumerate(space.stages)) {
    out << "stage " << stage << ": ";
    llvm::interleaveComma(ops, out,
                          [&](ReductionOpInterface op) { out << op->getName().stripDialect(); });
    out << "\n";
  }
}
