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
  postponeReductions();
  findColumns();
}

//===-- Stages --------------------------------------------------------------------------------===//

ArrayRef<ReductionOpInterface> LoopNest::reductions(unsigned stage) const {
  if (stage < space.stages.size())
    return space.stages[stage];
  return {};
}

bool LoopNest::isStagePresent(unsigned stage) const {
  return !reductions(stage).empty() || !fullOutputs(stage).empty() ||
         llvm::any_of(columns, [&](const Column &column) { return column.stage == stage; });
}

SmallVector<LoopNest::Output> LoopNest::fullOutputs(unsigned stage) const {
  SmallVector<Output> outputs;
  for (auto [i, value] : llvm::enumerate(ir::valuesOf(kernel)))
    if (const Domain domain = space.domains.lookup(value);
        domain != Domain::Row && domain != Domain::Column && space.stageOf.lookup(value) == stage)
      outputs.push_back({unsigned(i), value});
  return outputs;
}

SmallVector<LoopNest::Output> LoopNest::rowOutputs(unsigned stage) const {
  SmallVector<Output> outputs;
  for (auto [i, value] : llvm::enumerate(ir::valuesOf(kernel)))
    if (space.domains.lookup(value) == Domain::Row && space.stageOf.lookup(value) == stage + 1)
      outputs.push_back({unsigned(i), value});
  return outputs;
}

SmallVector<Value> LoopNest::wantedIn(unsigned stage) const {
  SmallVector<Value> wanted;
  for (ReductionOpInterface op : reductions(stage))
    wanted.push_back(op->getOperand(0));
  for (const Column &column : columns)
    if (column.stage == stage)
      wanted.push_back(column.op->getOperand(0));
  for (const Output &output : fullOutputs(stage))
    wanted.push_back(output.value);
  return wanted;
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
  return computedFor(wantedIn(stage), inMemory);
}

//===-- Stages that suit others ---------------------------------------------------------------===//

// The tensors of the full shape that are read for the values.
LoopNest::Inputs LoopNest::fullInputsOf(SmallVector<Value> wanted, Value inMemory) const {
  Inputs inputs;
  const Operations ops = computedFor(wanted, inMemory);
  for (Operation *op : ops)
    wanted.append(op->operand_begin(), op->operand_end());
  for (Value value : wanted)
    if (isa<BlockArgument>(value) && ir::squeezed(ir::getShape(value)) == space.shape)
      inputs.insert(value);
  return inputs;
}

bool LoopNest::reads(unsigned stage, Value input, Value inMemory) const {
  return fullInputsOf(wantedIn(stage), inMemory).contains(input);
}

// From a stage on, the first one that reads anyway, for others than this op, what the value is
// computed from.
std::optional<unsigned> LoopNest::stageThatReads(Value value, unsigned from,
                                                 Operation *without) const {
  const Inputs needed = fullInputsOf({value});
  for (unsigned stage = from; stage < stages(); ++stage) {
    SmallVector<Value> wanted = wantedIn(stage);
    if (stage == from && without)
      wanted.erase(llvm::find(wanted, value));
    const Inputs read = fullInputsOf(std::move(wanted));
    if (llvm::all_of(needed, [&](Value input) { return read.contains(input); }))
      return stage;
  }
  return std::nullopt;
}

// What follows from the result for rows; nullopt if elements follow from it.
static std::optional<SmallVector<Value>> rowValuesOf(Value result, const IterationSpace &space) {
  SmallVector<Value> values{result};
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (isa<ir::YieldOp>(user))
        continue;
      if (space.domains.lookup(user->getResult(0)) != Domain::Row)
        return std::nullopt;
      if (!llvm::is_contained(values, user->getResult(0)))
        values.push_back(user->getResult(0));
    }
  return values;
}

// Reductions for whose results no stage waits, and which would read alone what a later one reads
// anyway, move there.
void LoopNest::postponeReductions() {
  for (unsigned stage = 0; stage + 1 < space.stages.size(); ++stage)
    for (ReductionOpInterface op : SmallVector<ReductionOpInterface>(space.stages[stage])) {
      std::optional<SmallVector<Value>> values = rowValuesOf(op->getResult(0), space);
      if (!values)
        continue;
      const std::optional<unsigned> later = stageThatReads(op->getOperand(0), stage, op);
      if (!later || *later == stage || *later >= space.stages.size())
        continue;
      llvm::erase(space.stages[stage], op);
      space.stages[*later].push_back(op);
      for (Value value : *values)
        space.stageOf[value] = std::max(space.stageOf[value], *later + 1);
    }
}

void LoopNest::findColumns() {
  const OperandRange values = ir::valuesOf(kernel);
  for (auto [i, op] : llvm::enumerate(space.columnReductions)) {
    const Value result = op->getResult(0);
    const unsigned stage = space.stageOf.lookup(result);
    columns.push_back({op, unsigned(llvm::find(values, result) - values.begin()),
                       unsigned(values.size() + i),
                       stageThatReads(op->getOperand(0), stage, nullptr).value_or(stage)});
  }
}

//===-- Costs ---------------------------------------------------------------------------------===//

static int64_t sumOfInstructions(const llvm::SmallPtrSetImpl<Operation *> &ops) {
  int64_t instructions = 0;
  for (Operation *op : ops)
    instructions += ir::instructionsOf(op);
  return instructions;
}

int64_t LoopNest::instructions(unsigned stage, Value inMemory) const {
  int64_t wanted = int64_t(reductions(stage).size() + fullOutputs(stage).size()) +
                   llvm::count_if(columns, [&](const Column &c) { return c.stage == stage; });
  return wanted + sumOfInstructions(computedIn(stage, inMemory));
}

std::optional<LoopNest::Waiting> LoopNest::waiting(bool inResults, bool inOwnMemory) const {
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
    std::optional<unsigned> place;
    for (unsigned stage = unsigned(end) - 1; stage < stages(); ++stage)
      for (const Output &output : fullOutputs(stage))
        if (inResults && output.value.getType() == value.getType())
          place = output.number;
    if (cost < leastCost || (!place && !inOwnMemory))
      continue;
    best = {value, place, unsigned(begin)};
    leastCost = cost + 1;
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
  for (const Column &column : columns)
    out << "in stage " << column.stage << ": " << column.op->getName().stripDialect()
        << " of columns\n";
}
