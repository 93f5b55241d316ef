#include "codegen/cpu/LoopSchedule.h"

#include "codegen/lowering/Rounding.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getTensorType;
using keratin::ir::IterationSpace;
using Form = LoopNest::Form;

// Elements of a chunk: enough to hide the cost of handing it to a thread, few enough to balance
// two.
static constexpr int64_t chunkElements = 16384;
// Blocks of long sums: elements of a row, rows of a column.
static constexpr int64_t laneBlock = 4096, rowBlock = 256;
// Of tiles: what the numbers of a stage take at most, of columns in the first level cache, of rows
// in the second; columns, which are 8 KiB of a row of float32 (shorter pieces of rows are read more
// slowly from memory, longer ones no faster); rows that are taken together, for which accumulators
// are loaded and stored once; units that a thread takes at once.
static constexpr int64_t columnBytes = 24 << 10, rowBytes = 64 << 10, mostColumns = 2048;
static constexpr int64_t mostRows = 8, chunkUnits = 16;
// Operands that caches hold, and blocks of columns of which a row is a few lines of them only.
static constexpr int64_t ofFirstLevel = 32 << 10, ofSecondLevel = MemoryTraits::nearBytes,
                         ofThirdLevel = 16 << 20, narrowBytes = 256;
// Elements of rows of which the next one is asked for: the processor sees shorter ones itself, and
// of longer ones a cache does not hold two. Those of one pass are asked for so far ahead.
static constexpr int64_t fewestAhead = 256, mostAhead = 65536, bytesAhead = 8192, rowsAhead = 4;
// Instructions of a stage with one function of elements (ir/dialect/KeratinBase.td) and what stands
// around it.
static constexpr int64_t oneFunction = 45;
// Instructions in the vectors side by side of all stages, up to which rows of one block have code
// of their own: longer bodies hide what else a row takes, and take long to compile twice. A layer
// norm and a softmax, each with its gradient, have fewer than 80.
static constexpr int64_t mostInstructions = 96;
// Fewer are done before it counts how, and more code for them takes longer to compile.
static constexpr int64_t manyElements = 4096;
// Vectors of a block of columns at most; and where something waits and rows lie apart, so that they
// are not written in pieces of a few lines: on a Zen 5 to store 4 MiB in pieces of 256 bytes that
// lie a page apart takes 2.4 times as long as in those of 512, and these as long as one behind the
// other.
static constexpr unsigned mostColumnVectors = 4, wideColumnVectors = 8;
// Rows along which stages are under way at once, of fewer hardly any are; vectors of a row where
// there are only two short stages; steps along a row where there are many vectors side by side.
static constexpr int64_t fewestTogether = 4, fewestVectorsTogether = 8, fewestStepsTogether = 8;
// Elements that wait at once.
static constexpr int64_t mostWaiting = 1 << 17;

static int64_t bytesOf(Value tensor) { // of an element
  return ir::dtypeBytes(ir::dtypeOf(getElementType(tensor)));
}

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

// Bytes of the operands that are read at every index, of one index.
static int64_t bytesOfElement(Block &body, const DimExpr &elements) {
  int64_t bytes = 0;
  for (BlockArgument argument : body.getArguments())
    if (ir::product(ir::getShape(argument)) == elements)
      bytes += std::max(1u, getElementType(argument).getIntOrFloatBitWidth() / 8);
  return bytes;
}

LoopPlan::LoopPlan(ir::KernelOp kernel, IterationSpace space, const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(kernel, std::move(space)), memory(target.memory) {
  schedule.lanes = laneCount(body(), target);
  chooseWaiting();
  for (unsigned stage = 0; stage < nest.stages(); ++stage)
    schedule.unroll.push_back(unrollFor(instructions(stage)));
  chooseSums(target);
  chooseRowLengths();
  chooseTogether();
  chooseTile();
  chooseAhead();
  splitWork();
}

// Lines at multiples of a page apart evict each other from the caches, with what waits there; of
// half a page, half of them.
bool LoopPlan::areRowsApart(int64_t bytes) const {
  const DimExpr &line = nest.innermost().extent;
  return line.isConstant() && llvm::any_of(body().getArguments(), [&](Value input) {
           return ir::squeezed(ir::getShape(input)) == nest.space.shape &&
                  line.constantValue() % (bytes / bytesOf(input)) == 0;
         });
}

// Values wait in memory of the thread's own where the second level cache is known to hold it. In
// the results of columns lie far apart, and often in the same lines of the cache: where all of them
// do, the input is copied there, too, as it is read. Where there are no lanes there is no thread's
// memory either.
void LoopPlan::chooseWaiting() {
  if (nest.form != Form::Rows && nest.form != Form::Columns)
    return;
  const bool isRow = nest.form == Form::Rows;
  int64_t elements = INT64_MAX;
  if (DimExpr reduced = nest.reducedElements();
      schedule.lanes > 1 && reduced.isConstant() && reduced.constantValue() <= mostWaiting)
    elements = roundUp(std::max<int64_t>(1, reduced.constantValue()), schedule.lanes);
  if (!isRow && elements < INT64_MAX) {
    const int64_t wide = int64_t(schedule.lanes) * wideColumnVectors;
    const bool isWide = areRowsApart(MemoryTraits::pageBytes / 2) &&
                        nest.innermost().extent.constantValue() >= wide &&
                        elements * wide <= mostWaiting;
    waitingVectors = isWide ? wideColumnVectors : mostColumnVectors;
    elements *= int64_t(schedule.lanes) * waitingVectors;
  }
  const bool isApart = !isRow && areRowsApart(MemoryTraits::pageBytes),
             mayBeOwn = elements <= mostWaiting;
  if (isApart && (!mayBeOwn || waitingVectors < wideColumnVectors))
    return;
  schedule.waiting = nest.waiting(/*inResults=*/isRow, /*inOwnMemory=*/mayBeOwn);
  if (isApart) {
    schedule.copied = inputToCopy();
    if (!schedule.copied)
      schedule.waiting.reset();
  }
  if (schedule.copied)
    scratchBytes = elements * bytesOf(body().getArgument(*schedule.copied));
  else if (schedule.waiting && !schedule.waiting->output)
    scratchBytes = elements * (getElementType(schedule.waiting->value).getIntOrFloatBitWidth() / 8);
}

// The input of the full shape, if there is one and stages behind the first read it: what waits
// takes its place, and nobody reads it behind that.
std::optional<unsigned> LoopPlan::inputToCopy() const {
  std::optional<unsigned> input;
  for (BlockArgument argument : body().getArguments())
    if (ir::squeezed(ir::getShape(argument)) == nest.space.shape) {
      if (input)
        return std::nullopt;
      input = argument.getArgNumber();
    }
  if (!input)
    return std::nullopt;
  const Value argument = body().getArgument(*input);
  const Value waiting = schedule.waiting ? schedule.waiting->value : Value();
  const bool isNumber = isa<Float32Type, Float64Type>(getElementType(argument));
  if (!isNumber || (waiting && getElementType(waiting) != getElementType(argument)) ||
      !nest.reads(0, argument))
    return std::nullopt;
  // At its own index alone.
  for (Operation *user : argument.getUsers())
    if (!isa<ir::ElementwiseOpInterface, ir::ReductionOpInterface>(user))
      return std::nullopt;
  bool isReadAgain = false;
  for (unsigned stage = 1; stage < nest.stages(); ++stage) {
    const bool isBehind = waiting && stage > schedule.waiting->stage;
    if (isBehind && nest.reads(stage, argument, waiting))
      return std::nullopt;
    isReadAgain |= !isBehind && nest.reads(stage, argument);
  }
  return isReadAgain ? input : std::nullopt;
}

int64_t LoopPlan::instructions(unsigned stage) const {
  const std::optional<LoopNest::Waiting> &waiting = schedule.waiting;
  return nest.instructions(stage, waiting && stage > waiting->stage ? waiting->value : Value());
}

DimExpr LoopPlan::columnBlocks() const {
  return *ceildiv(nest.innermost().extent, DimExpr(schedule.blockColumns()));
}

DimExpr LoopPlan::rowBlocks() const {
  return *ceildiv(nest.space.rows(), nest.space.rowsOfBlock());
}

DimExpr LoopPlan::rowDistance() const {
  DimExpr distance = 1;
  for (const IterationSpace::Group &group :
       ArrayRef(nest.space.groups).drop_front(nest.outerReduced.back() + 1))
    distance = mul(distance, group.extent).value_or(DimExpr(INT64_MAX));
  return distance;
}

// Short bodies are put side by side to hide latencies and the cost of the loop.
static unsigned vectorsSideBySide(int64_t instructions) {
  return instructions <= 6 ? 4 : instructions <= 14 ? 2 : 1;
}

// Long ones, each a chain of up to hundreds of cycles: of the shorter functions a processor sees
// most of the next iteration while it waits, of longer ones, or of several, one behind the other,
// little (SideBySide.h). What does not fit the registers costs less. Of far more the code would
// take too long to compile.
static unsigned longVectorsSideBySide(int64_t instructions) {
  return instructions <= 31 ? 2 : instructions <= 300 ? 4 : 1;
}

unsigned LoopPlan::unrollFor(int64_t instructions) const {
  unsigned unroll = vectorsSideBySide(instructions);
  const DimExpr elements = nest.elements();
  const bool isMuch = !elements.isConstant() || elements.constantValue() >= manyElements;
  if (unroll == 1 && isMuch)
    unroll = longVectorsSideBySide(instructions);
  if (nest.form != Form::Scalar && nest.innermost().extent.isConstant()) {
    int64_t vectors = ceilDiv(nest.innermost().extent.constantValue(), schedule.lanes);
    while (unroll > 1 && int64_t(unroll) > vectors)
      unroll /= 2;
  }
  return unroll;
}

// Blocks of long sums, and vectors of a block of columns.
void LoopPlan::chooseSums(const MachineTarget &target) {
  // As many vectors as the longest stage has side by side.
  schedule.columnVectors = *llvm::min_element(schedule.unroll);
  DimExpr reduced = nest.reducedElements();
  int64_t block = nest.form == Form::Rows ? laneBlock : rowBlock;
  bool isShort = reduced.isConstant() && reduced.constantValue() <= block;
  if (nest.space.hasReductions() && !isShort)
    schedule.block = block;
  // Passes over more rows than caches hold read memory, which wants long pieces of them however
  // long the body is: a normalisation over 100,352 rows of 64, one vector of a row at a time, took
  // four times as long as one with four.
  if (schedule.isBlocked() && nest.form == Form::Columns)
    schedule.columnVectors = std::max(schedule.columnVectors, unrollFor(0));
  const bool isOwn = schedule.copied || (schedule.waiting && !schedule.waiting->output);
  if (nest.form == Form::Columns && isOwn && schedule.columnVectors > 1)
    schedule.columnVectors = std::max(schedule.columnVectors, waitingVectors);
  // Rows whose sums fit the registers are read from one end to the other.
  if (nest.form == Form::Columns && nest.innermost().extent.isConstant() && isOneStage()) {
    const int64_t vectors = ceilDiv(nest.innermost().extent.constantValue(), schedule.lanes);
    const int64_t most = std::min<int64_t>(target.vectorRegisters / 2, 4 * schedule.unroll[0]);
    areWholeRows =
        vectors > schedule.columnVectors && vectors * int64_t(nest.reductions(0).size()) <= most;
    if (areWholeRows)
      schedule.columnVectors = unsigned(vectors);
  }
}

// Lengths that have code of their own. Of a row of a few vectors most of the time went into loops
// that are not gone through, blocks of which there is one, and accumulators that are not used; of
// one that several stages pass over, each time through its one block, a tenth.
void LoopPlan::chooseRowLengths() {
  if (nest.form != Form::Rows || !nest.outerReduced.empty())
    return;
  unsigned stages = 0;
  int64_t instructions = 0;
  for (unsigned stage = 0; stage < nest.stages(); ++stage)
    if (nest.isStagePresent(stage)) {
      ++stages;
      instructions += this->instructions(stage) * schedule.unroll[stage];
    }
  // Of long bodies one vector hides what else a row takes.
  const unsigned shortest = stages == 1 ? 2 * vectorsSideBySide(nest.instructions(0)) - 1 : 2;
  if (const DimExpr &extent = nest.innermost().extent; extent.isConstant()) {
    const int64_t vectors = ceilDiv(extent.constantValue(), schedule.lanes);
    if (vectors <= shortest)
      schedule.knownVectors = unsigned(vectors);
    return;
  }
  if (!schedule.isBlocked())
    return;
  schedule.isOneBlockApart = instructions <= mostInstructions;
  schedule.shortVectors = shortest;
  schedule.areWholeBlocksApart = stages == 1;
}

// The end of a row, where lanes and vectors side by side meet and the next stage waits for the
// result, takes as long as some ten vectors, and each stage keeps other parts of the processor
// busy: one is under way along a row while the one behind it goes along the row before. A softmax
// takes 0.75 of what it took. That needs more rows in the first level cache; where they are not
// there, or come from memory, only a stage that computes for long gains by it, and of one with
// several functions the end is little.
void LoopPlan::chooseTogether() {
  const SmallVector<unsigned> stages = stagesPresent();
  const DimExpr rows = nest.outerRows(), row = nest.reducedElements(), elements = nest.elements();
  if (nest.form != Form::Rows || !nest.outerReduced.empty() || !nest.columns.empty() ||
      stages.size() == 1 || schedule.lanes == 1 || schedule.knownVectors ||
      (rows.isConstant() && rows.constantValue() < fewestTogether))
    return;
  // One row waits in the thread's memory, from a stage to the next.
  if (schedule.waiting && !schedule.waiting->output && schedule.waiting->stage + 1 < stages.back())
    return;
  int64_t bytes = 0;
  for (const LoopSchedule::Ahead &tensor : tensorsOfRows())
    bytes += tensor.elementBytes;
  auto fits = [&](const DimExpr &count, int64_t size, int64_t cache) {
    return count.isConstant() && count.constantValue() <= cache / std::max<int64_t>(1, size);
  };
  const int64_t rowBytes = bytes * int64_t(stages.size());
  const unsigned longest = *llvm::max_element(
      stages, [&](unsigned a, unsigned b) { return instructions(a) < instructions(b); });
  const bool isLong = vectorsSideBySide(instructions(longest)) == 1;
  const int64_t cache = instructions(longest) <= oneFunction ? ofSecondLevel : ofFirstLevel;
  const bool isTooLarge =
      isLong ? row.isConstant() && !fits(row, rowBytes, cache)
             : !fits(row, rowBytes, ofFirstLevel) || !fits(elements, bytes, ofThirdLevel);
  // Of two short stages over a few vectors the tests of who is there take longer than the end.
  if (isTooLarge || (!isLong && stages.size() == 2 &&
                     row.constantValue() < fewestVectorsTogether * int64_t(schedule.lanes)))
    return;
  // As many as the longest has by itself. Of a short row too many would be left over.
  schedule.vectorsTogether = schedule.unroll[longest];
  if (schedule.vectorsTogether > 2 && isLong && row.isConstant() &&
      row.constantValue() < fewestStepsTogether * schedule.vectorsTogether * schedule.lanes)
    schedule.vectorsTogether = 2;
}

bool LoopSchedule::Tile::suits(int64_t columns, int64_t elements) const {
  const bool areApart = columns * elementBytes % MemoryTraits::pageBytes == 0;
  return elements > (areApart ? leastApart : leastBytes) / elementBytes;
}

unsigned LoopPlan::tileSlots() const {
  size_t slots = 0;
  for (auto &ops : nest.space.stages) {
    size_t ofStage = 0;
    for (ir::ReductionOpInterface op : ops) {
      const size_t parts = schedule.isBlocked() && op.isCompensated() ? 2 : 1;
      ofStage += nest.form == Form::Rows ? parts : hasParts() ? 1 + parts : 1;
    }
    slots = std::max(slots, ofStage);
  }
  return unsigned(slots);
}

// Of the widest number in registers.
static int64_t bytesOfNumber(Block &body) {
  int64_t bytes = 4;
  body.walk([&](Operation *op) {
    for (Value value : op->getOperands())
      bytes = std::max(bytes, int64_t(getElementType(value).getIntOrFloatBitWidth() / 8));
  });
  return bytes;
}

// How many columns, or lanes of units, have their numbers in so many bytes.
int64_t LoopPlan::numbersIn(int64_t bytes) const {
  return bytes / (tileSlots() * bytesOfNumber(body()));
}

// A unit has so many columns or lanes, and a tile at most so many.
void LoopPlan::setTile(LoopSchedule::Tile tile, int64_t ofUnit, int64_t most, unsigned slots) {
  tile.units = std::max<int64_t>(1, most / ofUnit);
  // Slots begin at different lines of a cache.
  tile.slotBytes = tile.units * ofUnit * bytesOfNumber(body()) + BlockAhead::lineBytes;
  scratchBytes = std::max(scratchBytes, slots * tile.slotBytes);
  schedule.tile = std::move(tile);
}

void LoopPlan::chooseTile() {
  if (schedule.lanes == 1)
    return;
  if (nest.form == Form::Columns)
    chooseTileOfColumns();
  // Stages after the first would find nothing of a row in the caches.
  // Columns beside rows are one row after the other.
  if (nest.form == Form::Rows && isOneStage() && nest.columns.empty() &&
      !nest.outerReduced.empty() && !nest.outerKept.empty())
    setTile({}, schedule.lanes, numbersIn(rowBytes), tileSlots());
}

// Caches serve blocks of columns as well as rows, but for narrow blocks, and for rows that lie
// pages apart, of which the second level holds few.
void LoopPlan::chooseTileOfColumns() {
  LoopSchedule::Tile tile;
  const DimExpr &columns = nest.innermost().extent, elements = nest.elements();
  const DimExpr &rows = nest.space.groups[nest.outerReduced.back()].extent;
  tile.elementBytes = bytesOfElement(body(), elements);
  for (unsigned stage = 0; stage < nest.stages(); ++stage) {
    LoopSchedule::Tile::Step step;
    step.vectors = vectorsSideBySide(nest.instructions(stage));
    step.isLong = step.vectors == 1;
    // What only stores has no accumulators to spare, and goes through memory in its order.
    if (!nest.reductions(stage).empty())
      step.rows = tile.elementBytes < 4 || elements.isConstant() ? mostRows : mostRows / 2;
    if (rows.isConstant())
      step.rows = unsigned(std::clamp<int64_t>(rows.constantValue(), 1, step.rows));
    const int64_t inputs = llvm::count_if(body().getArguments(), [&](BlockArgument input) {
      return ir::squeezed(ir::getShape(input)) == nest.space.shape && nest.reads(stage, input);
    });
    step.mayLieApart = step.rows > 1 && inputs == 1 && !step.isLong;
    tile.steps.push_back(step);
  }
  tile.isOneStage = isOneStage();
  tile.leastApart = ofSecondLevel;
  const bool areNarrow = schedule.blockColumns() * bytesOfNumber(body()) < narrowBytes;
  tile.leastBytes = tile.isOneStage || areNarrow ? ofSecondLevel : ofThirdLevel;
  // What is put together of blocks has more code for that than for all rows of a block.
  if (areWholeRows && schedule.isBlocked()) {
    tile.areInRegisters = true;
    return setTile(std::move(tile), schedule.blockColumns(), schedule.blockColumns(), tileSlots());
  }
  if (tile.elementBytes == 0 || schedule.copied ||
      (columns.isConstant() && columns.constantValue() <= schedule.blockColumns()))
    return;
  if (columns.isConstant() && elements.isConstant() &&
      !tile.suits(columns.constantValue(), elements.constantValue()))
    return;
  unsigned slots = tileSlots();
  if (!tile.isOneStage) {
    for (auto &ops : nest.space.stages)
      slots += unsigned(ops.size());
    tile.kept = nest.keptOfRows();
    slots += unsigned(tile.kept.size());
  }
  // Stages of a tile compute again what would wait for those of a block of columns.
  if (columns.isConstant() && elements.isConstant()) {
    schedule.waiting.reset();
    scratchBytes = 0;
  }
  setTile(std::move(tile), schedule.blockColumns(), std::min(numbersIn(columnBytes), mostColumns),
          slots);
}

SmallVector<unsigned> LoopPlan::stagesPresent() const {
  SmallVector<unsigned> stages;
  for (unsigned stage = 0; stage < nest.stages(); ++stage)
    if (nest.isStagePresent(stage))
      stages.push_back(stage);
  return stages;
}

// Inputs of the full shape, then results.
SmallVector<LoopSchedule::Ahead> LoopPlan::tensorsOfRows() const {
  SmallVector<LoopSchedule::Ahead> tensors;
  auto add = [&](Value value, bool isOutput, unsigned number) {
    if (ir::squeezed(ir::getShape(value)) == nest.space.shape)
      tensors.push_back({/*stage=*/0, isOutput, number, bytesOf(value)});
  };
  for (auto [i, value] : llvm::enumerate(body().getArguments()))
    add(value, /*isOutput=*/false, unsigned(i));
  for (auto [i, value] : llvm::enumerate(ir::valuesOf(kernel)))
    add(value, /*isOutput=*/true, unsigned(i));
  return tensors;
}

// What is asked for before it is needed.
void LoopPlan::chooseAhead() {
  SmallVector<LoopSchedule::Ahead> tensors = tensorsOfRows();
  switch (nest.form) {
  case Form::Scalar:
    return;
  case Form::Flat:
  case Form::Lines:
    return askForResults(tensors);
  case Form::Columns:
    if (!memory.isFar)
      return;
    // Whole rows are one walk as well.
    if (const DimExpr &columns = nest.innermost().extent;
        columns.isConstant() && columns.constantValue() <= schedule.blockColumns())
      break;
    return askForRows(tensors);
  case Form::Rows:
    if (schedule.vectorsTogether)
      return askTogether(tensors);
    if (askForNextRow(tensors))
      return;
  }
  llvm::erase_if(tensors, [](const LoopSchedule::Ahead &tensor) { return tensor.isOutput; });
  SmallVector<unsigned> stages = stagesPresent();
  // A row is in a cache behind the first; columns are not.
  if (nest.form == Form::Rows)
    stages.truncate(1);
  askForLater(tensors, stages);
}

// Of rows that are passed over several times the processor fetches by itself only what it sees a
// pass walk along, and passes behind the first find their row in a cache: each of them has time for
// one tensor of the next row. All at once, or in the last pass, are half as good; a layer norm with
// its gradients, whose passes ask for x, its cotangent and both results, takes 0.65 of what it
// took.
bool LoopPlan::askForNextRow(ArrayRef<LoopSchedule::Ahead> tensors) {
  const DimExpr row = nest.reducedElements();
  const SmallVector<unsigned> stages = stagesPresent();
  if (stages.size() == 1 || nest.outerKept.empty() ||
      (row.isConstant() && (row.constantValue() < fewestAhead || row.constantValue() > mostAhead)))
    return false;
  for (auto [tensor, stage] : llvm::zip(tensors, ArrayRef(stages).drop_front())) {
    schedule.ahead.push_back(tensor);
    schedule.ahead.back().stage = stage;
  }
  // Loops that are reduced further out than kept ones stay where they are.
  DimExpr distance = 1;
  for (const IterationSpace::Group &group : llvm::reverse(nest.space.groups)) {
    if (!group.reduced)
      break;
    distance = mul(distance, group.extent).value_or(DimExpr(mostAhead));
  }
  schedule.aheadElements = *min(distance, DimExpr(mostAhead));
  return true;
}

// The one that reads or writes the tensor first, if it is one of those that are there.
std::optional<unsigned> LoopPlan::firstStageAt(const LoopSchedule::Ahead &tensor) const {
  auto touches = [&](unsigned stage) {
    if (!tensor.isOutput)
      return nest.reads(stage, body().getArgument(tensor.number));
    if (const auto &waiting = schedule.waiting;
        waiting && waiting->output == tensor.number && waiting->stage == stage)
      return true;
    return llvm::any_of(nest.fullOutputs(stage), [&](const LoopNest::Output &output) {
      return output.number == tensor.number;
    });
  };
  for (unsigned stage : stagesPresent())
    if (touches(stage))
      return stage;
  return std::nullopt;
}

static int64_t bytesOf(ArrayRef<LoopSchedule::Ahead> tensors) { // at an index
  int64_t bytes = 0;
  for (const LoopSchedule::Ahead &tensor : tensors)
    bytes += tensor.elementBytes;
  return bytes;
}

// Of stages that are under way at once each walks along what it reads or writes as the first one
// without a pause. One that computes for long does so slowly: memory, not a cache, has to be asked
// early, but for one that is as far away.
void LoopPlan::askTogether(ArrayRef<LoopSchedule::Ahead> tensors) {
  const DimExpr elements = nest.elements();
  const int64_t bytes = bytesOf(tensors);
  const bool isLong = llvm::any_of(
      stagesPresent(), [&](unsigned stage) { return vectorsSideBySide(instructions(stage)) == 1; });
  const int64_t cache = isLong && !memory.isFar ? ofThirdLevel : ofSecondLevel;
  if (bytes == 0 || (elements.isConstant() && elements.constantValue() <= cache / bytes))
    return;
  for (const LoopSchedule::Ahead &tensor : tensors)
    if (const std::optional<unsigned> stage = firstStageAt(tensor)) {
      schedule.ahead.push_back(tensor);
      schedule.ahead.back().stage = *stage;
    }
  schedule.aheadElements = bytesAhead / bytes;
}

// Whether the second level is known to be too small for all that lies at the indices, and what is
// behind it far away.
bool LoopPlan::isFarAway(ArrayRef<LoopSchedule::Ahead> tensors) const {
  const DimExpr elements = nest.elements();
  return memory.isFar && !tensors.empty() && elements.isConstant() &&
         elements.constantValue() > ofSecondLevel / bytesOf(tensors);
}

// Of what nobody has read a core begins to fetch a line when it is stored to.
void LoopPlan::askForResults(ArrayRef<LoopSchedule::Ahead> tensors) {
  if (!isFarAway(tensors))
    return;
  int64_t widest = 1;
  for (const LoopSchedule::Ahead &tensor : tensors)
    if (tensor.isOutput) {
      schedule.ahead.push_back(tensor);
      widest = std::max(widest, tensor.elementBytes);
    }
  schedule.aheadElements = MemoryTraits::pageBytes / widest;
}

// Blocks of columns are read and written in short pieces, each in another page than the one before.
// Those of tiles are long, and several rows are read at once, but results are stored one by one.
void LoopPlan::askForRows(ArrayRef<LoopSchedule::Ahead> tensors) {
  if (!isFarAway(tensors) || !areRowsApart(MemoryTraits::pageBytes))
    return;
  for (const LoopSchedule::Ahead &tensor : tensors) {
    const std::optional<unsigned> stage = firstStageAt(tensor);
    if (!stage || (schedule.tile && (!tensor.isOutput || schedule.tile->steps[*stage].rows > 1)))
      continue;
    schedule.ahead.push_back(tensor);
    schedule.ahead.back().stage = *stage;
  }
  schedule.aheadElements = mul(rowDistance(), DimExpr(schedule.tile ? 1 : rowsAhead)).value_or(0);
}

// The processor sees by itself that rows follow each other, but not so far ahead as it would take:
// of what waits for elements only so much is under way, and of one page at a time less than of two.
// Short stages behind the first leave it no time to spare.
void LoopPlan::askForLater(ArrayRef<LoopSchedule::Ahead> inputs, ArrayRef<unsigned> stages) {
  const bool isRow = nest.form == Form::Rows;
  const bool areInOrder =
      nest.outerReduced.empty() || (isRow && schedule.tile) ||
      (!isRow && (nest.outerKept.empty() || nest.outerKept.back() < nest.outerReduced.front()));
  const bool areLong = llvm::is_contained(schedule.unroll, 1u);
  if (!areInOrder || (isRow && !isOneStage() && !areLong))
    return;
  schedule.aheadBlock =
      BlockAhead::of(int64_t(inputs.size()), bytesOf(inputs), nest.elements(), memory);
  if (!schedule.aheadBlock)
    return;
  for (const LoopSchedule::Ahead &input : inputs)
    for (unsigned stage : stages)
      if (isRow || nest.reads(stage, body().getArgument(input.number))) {
        schedule.ahead.push_back(input);
        schedule.ahead.back().stage = stage;
      }
}

void LoopPlan::splitWork() {
  size_t ops = std::distance(body().begin(), body().end());
  DimExpr elements = nest.elements();
  work = mul(elements, DimExpr(int64_t(ops))).value_or(elements);
  if (nest.form == Form::Scalar)
    return;
  if (nest.form == Form::Flat) {
    units = nest.innermost().extent;
    grain = chunkElements;
    return;
  }
  auto times = [](const DimExpr &x, const DimExpr &y) {
    return mul(x, y).value_or(DimExpr(INT64_MAX));
  };
  units = nest.outerRows();
  DimExpr perUnit = nest.reducedElements();
  if (nest.form == Form::Columns) {
    units = times(units, columnBlocks());
    perUnit = times(perUnit, DimExpr(schedule.blockColumns()));
  } else if (nest.form == Form::Lines) {
    perUnit = nest.innermost().extent;
  } else if (!nest.columns.empty()) {
    units = rowBlocks();
    perUnit = times(perUnit, nest.space.rowsOfBlock());
    hasLastUnit = true;
  }
  grain = *max(DimExpr(1), *floordiv(DimExpr(chunkElements), *max(perUnit, DimExpr(1))));
  // Neighbours in one chunk, where there are enough for threads.
  if (schedule.tile)
    grain = *max(grain, *min(DimExpr(chunkUnits), *floordiv(units, DimExpr(chunkUnits))));
}

//===-- For people ----------------------------------------------------------------------------===//

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

void LoopPlan::printTile(llvm::raw_ostream &out) const {
  const LoopSchedule::Tile &tile = *schedule.tile;
  if (tile.areInRegisters) {
    out << "; sums of blocks wait";
    return;
  }
  if (nest.form == Form::Rows) {
    out << "; sums of up to " << tile.units << " rows wait for each other";
    return;
  }
  out << "; sums of up to " << tile.units * schedule.blockColumns() << " columns wait";
}

void LoopPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: " << wordsFor(nest.form);
  if (nest.form == Form::Scalar) {
    out << "\n";
    return;
  }
  out << "; " << counted(schedule.lanes, "lane");
  for (unsigned stage = 0; stage < nest.stages(); ++stage) {
    if (!nest.isStagePresent(stage))
      continue;
    unsigned vectors = nest.form == Form::Columns ? schedule.columnVectors : schedule.unroll[stage];
    out << "; " << counted(vectors, "vector") << " side by side";
    if (nest.form == Form::Columns && schedule.tile && !schedule.tile->areInRegisters)
      out << " (" << counted(schedule.tile->steps[stage].rows, "row")
          << (schedule.tile->steps[stage].mayLieApart ? ", pages apart, of " : " of ")
          << schedule.tile->steps[stage].vectors << " in tiles)";
    if (nest.stages() > 1)
      out << " in stage " << stage;
  }
  if (schedule.vectorsTogether)
    out << "; stages along rows of their own, " << counted(schedule.vectorsTogether, "vector")
        << " side by side";
  if (schedule.isBlocked())
    out << "; long sums in blocks of " << schedule.block
        << (nest.form == Form::Rows ? " elements" : " rows");
  if (schedule.tile)
    printTile(out);
  if (schedule.copied)
    out << "; input #" << *schedule.copied << " is copied to scratch";
  if (schedule.waiting) {
    out << "; " << schedule.waiting->value.getDefiningOp()->getName().stripDialect()
        << " waits in ";
    if (schedule.waiting->output)
      out << "the place of result #" << *schedule.waiting->output;
    else
      out << "scratch";
  }
  if (schedule.knownVectors)
    out << "; rows of " << counted(schedule.knownVectors, "vector") << " without a loop";
  if (schedule.shortVectors)
    out << "; own code for rows of up to " << counted(schedule.shortVectors, "vector");
  if (schedule.isOneBlockApart)
    out << "; own code for rows of one block";
  if (!schedule.ahead.empty()) {
    out << "; asks for " << counted(int64_t(schedule.ahead.size()), "tensor") << " ";
    if (schedule.aheadBlock)
      out << *schedule.aheadBlock;
    else
      out << schedule.aheadElements.str() << " elements ahead";
  }
  if (!nest.columns.empty())
    out << "; columns in blocks of " << nest.space.rowsOfBlock().str() << " rows";
  out << "\n";
}

CpuPlan keratin::codegen::planLoopKernel(ir::KernelOp kernel, const MachineTarget &target) {
  std::optional<IterationSpace> space = iterationSpaceOf(kernel);
  return space ? std::make_shared<LoopPlan>(kernel, std::move(*space), target) : nullptr;
}
