#include "codegen/cpu/LoopSchedule.h"

#include "codegen/elements/Rounding.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::Domain;
using keratin::ir::getElementType;
using keratin::ir::getTensorType;
using keratin::ir::IterationSpace;
using keratin::ir::ReductionOpInterface;
using Form = LoopSchedule::Form;

// Elements of a chunk: enough to hide the cost of handing it to a thread, few enough to balance
// two.
static constexpr int64_t chunkElements = 16384;
// Blocks of long sums: elements of a row, rows of a column.
static constexpr int64_t laneBlock = 4096, rowBlock = 256;

// Lanes of a vector, the same for all vectors of a kernel: as many as a register has of the
// elements that most of the work is done on, but at least of 32 bits. Vectors of wider elements
// take several registers then.
static unsigned laneCount(Block &body, const MachineTarget &target) {
  auto widthOf = [](Value value) -> unsigned {
    bool isScalar = getTensorType(value).getShape().empty();
    return isScalar ? 0 : getElementType(value).getIntOrFloatBitWidth();
  };
  unsigned widest = 32;
  for (BlockArgument argument : body.getArguments())
    widest = std::max(widest, widthOf(argument));
  int64_t narrowWork = 0, wideWork = 0;
  for (Operation &op : body.without_terminator()) {
    unsigned width = 0;
    for (Value result : op.getResults())
      width = std::max(width, widthOf(result));
    widest = std::max(widest, width);
    for (Value operand : op.getOperands())
      width = std::max(width, widthOf(operand));
    (width > 32 ? wideWork : narrowWork) += ir::instructionsOf(&op);
  }
  return target.lanes(narrowWork > wideWork ? 32 : widest);
}

LoopPlan::LoopPlan(ir::KernelOp kernel, IterationSpace analyzed, const MachineTarget &target)
    : CpuKernelPlan(kernel), space(std::move(analyzed)) {
  schedule.lanes = laneCount(body(), target);
  if (!space.groups.empty())
    laneGroup = space.groups.size() - 1;
  for (unsigned i = 0; i + 1 < space.groups.size(); ++i)
    (space.groups[i].reduced ? reducedLoops : keptGroups).push_back(i);
  if (space.hasReductions())
    schedule.form = space.isInnermostReduced() ? Form::Rows : Form::Columns;
  else if (space.groups.size() > 1)
    schedule.form = Form::Lines;
  else if (laneGroup)
    schedule.form = Form::Flat;
  for (unsigned stage = 0; stage < stages(); ++stage)
    schedule.unroll.push_back(unrollFor(instructionsOfStage(stage)));
  chooseSums();
  splitWork();
}

SmallVector<std::pair<unsigned, Value>> LoopPlan::fullOutputs(unsigned stage) const {
  SmallVector<std::pair<unsigned, Value>> outputs;
  for (auto [i, value] : llvm::enumerate(body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) != Domain::Row && space.stageOf.lookup(value) == stage)
      outputs.push_back({unsigned(i), value});
  return outputs;
}

DimExpr LoopPlan::columnBlocks() const {
  return *ceildiv(innermost().extent, DimExpr(int64_t(schedule.lanes) * schedule.columnVectors));
}

// What one vector of the stage takes.
int64_t LoopPlan::instructionsOfStage(unsigned stage) const {
  SmallVector<Value> wanted;
  for (ReductionOpInterface op : reductions(stage))
    wanted.push_back(op->getOperand(0));
  for (auto [number, value] : fullOutputs(stage))
    wanted.push_back(value);
  int64_t instructions = wanted.size();
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!wanted.empty()) {
    Operation *op = wanted.pop_back_val().getDefiningOp();
    // What earlier stages have found is in registers.
    if (!op || isa<ReductionOpInterface>(op) || !seen.insert(op).second)
      continue;
    instructions += ir::instructionsOf(op);
    wanted.append(op->operand_begin(), op->operand_end());
  }
  return instructions;
}

// Short bodies are put side by side to hide latencies and the cost of the loop; long ones have
// enough independent work in neighbouring iterations, and would only take longer to compile.
unsigned LoopPlan::unrollFor(int64_t instructions) const {
  unsigned unroll = instructions <= 6 ? 4 : instructions <= 14 ? 2 : 1;
  if (laneGroup && innermost().extent.isConstant()) {
    int64_t vectors = ceilDiv(innermost().extent.constantValue(), schedule.lanes);
    while (unroll > 1 && int64_t(unroll) > vectors)
      unroll /= 2;
  }
  return unroll;
}

// Blocks of long sums, and vectors of a block of columns.
void LoopPlan::chooseSums() {
  // As many vectors as the longest stage has side by side.
  schedule.columnVectors = *llvm::min_element(schedule.unroll);
  DimExpr reducedElements(1);
  for (const IterationSpace::Group &group : space.groups)
    if (group.reduced)
      reducedElements = mul(reducedElements, group.extent).value_or(DimExpr(INT64_MAX));
  int64_t block = space.isInnermostReduced() ? laneBlock : rowBlock;
  bool isShort = reducedElements.isConstant() && reducedElements.constantValue() <= block;
  if (space.hasReductions() && !isShort)
    schedule.block = block;
  // Passes over more rows than caches hold read memory, which wants long pieces of them however
  // long the body is: a normalisation over 100,352 rows of 64, one vector of a row at a time, took
  // four times as long as one with four.
  if (schedule.isBlocked() && !space.isInnermostReduced())
    schedule.columnVectors = std::max(schedule.columnVectors, unrollFor(0));
}

void LoopPlan::splitWork() {
  size_t ops = std::distance(body().begin(), body().end());
  DimExpr elements = product(space.shape).value_or(DimExpr(INT64_MAX));
  work = mul(elements, DimExpr(int64_t(ops))).value_or(elements);
  if (schedule.form == Form::Scalar)
    return;
  if (schedule.form == Form::Flat) {
    units = innermost().extent;
    grain = chunkElements;
    return;
  }
  auto times = [](const DimExpr &x, const DimExpr &y) {
    return mul(x, y).value_or(DimExpr(INT64_MAX));
  };
  DimExpr perUnit(1);
  for (unsigned group : keptGroups)
    units = times(units, space.groups[group].extent);
  for (unsigned group : reducedLoops)
    perUnit = times(perUnit, space.groups[group].extent);
  if (schedule.form == Form::Columns) {
    units = times(units, columnBlocks());
    perUnit = times(perUnit, DimExpr(int64_t(schedule.lanes) * schedule.columnVectors));
  } else {
    perUnit = times(perUnit, innermost().extent);
  }
  grain = *max(DimExpr(1), *floordiv(DimExpr(chunkElements), *max(perUnit, DimExpr(1))));
}

//===-- For people ----------------------------------------------------------------------------===//

void LoopPlan::printNest(llvm::raw_ostream &out) const {
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

static const char *wordsFor(Form form) {
  switch (form) {
  case Form::Scalar:
    return "one element";
  case Form::Flat:
    return "one run of elements";
  case Form::Lines:
    return "lanes along lines of the innermost loop";
  case Form::Rows:
    return "lanes along rows that are reduced, which meet at their end";
  case Form::Columns:
    return "a sum for each lane, in blocks of columns";
  }
  llvm_unreachable("all forms are named");
}

void LoopPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: " << wordsFor(schedule.form);
  if (schedule.form == Form::Scalar) {
    out << "\n";
    return;
  }
  out << "; " << counted(schedule.lanes, "lane");
  for (unsigned stage = 0; stage < stages(); ++stage) {
    if (!isStagePresent(stage))
      continue;
    unsigned vectors =
        schedule.form == Form::Columns ? schedule.columnVectors : schedule.unroll[stage];
    out << "; " << counted(vectors, "vector") << " side by side";
    if (stages() > 1)
      out << " in stage " << stage;
  }
  if (schedule.isBlocked())
    out << "; long sums in blocks of " << schedule.block
        << (space.isInnermostReduced() ? " elements" : " rows");
  out << "\n";
}

CpuPlan keratin::codegen::planLoopKernel(ir::KernelOp kernel, const MachineTarget &target) {
  std::string why;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel, &why);
  if (!space) {
    kernel.emitError("not implemented: a kernel with ") << why;
    return nullptr;
  }
  return std::make_shared<LoopPlan>(kernel, std::move(*space), target);
}
