#include "ir/dialect/GraphError.h"
#include "passes/Passes.h"
#include "passes/memory/ArenaLayout.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/KernelProgram.h"
#include "passes/memory/MemoryPlan.h"

#include <map>

namespace keratin::passes {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// Offsets of the whole arena, each once: they are evaluated when sizes change.
class OffsetTable {
public:
  int64_t indexOf(const DimExpr &offset) {
    auto [entry, isNew] = known.try_emplace(offset, offsets.size());
    if (isNew)
      offsets.push_back(offset);
    return entry->second;
  }
  ArrayRef<DimExpr> all() const { return offsets; }

private:
  std::vector<DimExpr> offsets;
  std::map<DimExpr, int64_t> known;
};

// Plans a block, after what is inside its nodes: their arenas are buffers of this one.
class Planner {
public:
  // `sizes` are those of the function.
  Planner(KernelProgram program, const ComputedSizes &sizes)
      : program(std::move(program)), sizes(sizes) {}

  // Decides everything. Fails with a diagnostic if sizes cannot be represented.
  LogicalResult decide();
  const DimExpr &arenaBytes() const { return layout.totalBytes; }
  // Writes it down for an arena that begins at `base`.
  LogicalResult write(const DimExpr &base, OffsetTable &table);
  void writeFunction(func::FuncOp function, OffsetTable &table);

private:
  // Where a node's result lives.
  struct Place {
    int64_t returned = -1; // the operand of the terminator, or
    int64_t buffer = -1;   // an index into `buffers`; neither: nowhere
    int64_t reuses = -1;   // the operand whose storage this was
  };
  // What a loop needs inside of its body's arena.
  struct LoopBuffers {
    int64_t step = -1;
    SmallVector<int64_t> second; // of each state, or -1
  };

  LogicalResult decideInside();
  void decideUpdates();
  void assignStorage();
  void addLoopBuffers(ScanOp scan);
  int64_t addBuffer(std::optional<DimExpr> bytes, Value value, LiveRange live);
  Place placeOf(int64_t node, OpResult result);
  Place placeInArena(int64_t node, OpResult result);
  int64_t findDyingOperand(int64_t node, OpResult result);
  LogicalResult layOut();
  LogicalResult writeLoop(ScanOp scan, const DimExpr &base, OffsetTable &table);
  std::optional<DimExpr> offsetOf(int64_t buffer, const DimExpr &base) const {
    return add(base, layout.offsets[buffer]);
  }

  KernelProgram program;
  const ComputedSizes &sizes;
  // Of each node: plans of its regions, and the buffer that their arena is.
  std::vector<std::vector<std::unique_ptr<Planner>>> inside;
  std::vector<int64_t> insideBuffer;
  llvm::DenseSet<unsigned> inPlace; // function results
  llvm::DenseMap<Value, Place> places;
  LoopBuffers loop; // if the block is a loop's body
  // Storage in the arena; several values one after the other.
  struct Buffer {
    std::optional<DimExpr> bytes;
    Value firstValue; // null: the arena of what is inside a node
    Value holder;     // the last of them so far
    LiveRange live;
  };
  std::vector<Buffer> buffers;
  ArenaLayout layout;
};

LogicalResult tooLarge(Operation *op) {
  return emitGraphError(op, GraphError::TooLarge)
         << "the memory that one call needs does not fit 64 bits";
}

LogicalResult Planner::decide() {
  if (failed(decideInside()))
    return failure();
  decideUpdates();
  assignStorage();
  if (auto scan = dyn_cast<ScanOp>(program.block().getParentOp()))
    addLoopBuffers(scan);
  return layOut();
}

LogicalResult Planner::decideInside() {
  inside.resize(program.nodes().size());
  for (auto [node, plans] : llvm::zip(program.nodes(), inside)) {
    if (isa<KernelOp>(node))
      continue;
    for (Region &region : node->getRegions()) {
      FailureOr<KernelProgram> within = KernelProgram::build(region.front());
      if (failed(within))
        return failure();
      plans.push_back(std::make_unique<Planner>(std::move(*within), sizes));
      if (failed(plans.back()->decide()))
        return failure();
    }
  }
  return success();
}

void Planner::decideUpdates() {
  int64_t lastFallible = -1;
  for (size_t node = 0; node < program.nodes().size(); ++node)
    if (program.isFallible(node))
      lastFallible = node;
  for (const UpdateResult &update : program.updates()) {
    if (!canUpdateInPlace(program, update))
      continue;
    int64_t node = updatingNode(program, update);
    ArrayRef<int64_t> readers = program.readers(update.variable);
    bool readBefore = readers.empty() || readers.back() <= node;
    if (readBefore && lastFallible < node)
      inPlace.insert(update.result);
  }
}

// The operand that `result` may take the storage of, or -1.
int64_t Planner::findDyingOperand(int64_t node, OpResult result) {
  Operation *op = program.nodes()[node];
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Value root = rootOf(operand);
    auto place = places.find(root);
    if (place == places.end() || place->second.buffer < 0)
      continue;
    // Still needed later, or taken by another result of this node.
    if (program.readers(root).back() != node || buffers[place->second.buffer].holder != root)
      continue;
    if (canWriteOver(op, result.getResultNumber(), root))
      return index;
  }
  return -1;
}

int64_t Planner::addBuffer(std::optional<DimExpr> bytes, Value value, LiveRange live) {
  // Asked for before any size is computed.
  if (bytes)
    bytes = sizes.atMost(*bytes);
  buffers.push_back({bytes, value, value, live});
  return buffers.size() - 1;
}

Planner::Place Planner::placeInArena(int64_t node, OpResult result) {
  ArrayRef<int64_t> readers = program.readers(result);
  int64_t last = readers.empty() ? node : readers.back();
  Place place;
  place.reuses = findDyingOperand(node, result);
  if (place.reuses >= 0) {
    Value operand = program.nodes()[node]->getOperand(place.reuses);
    place.buffer = places[rootOf(operand)].buffer;
    buffers[place.buffer].holder = result;
    buffers[place.buffer].live.last = last;
  } else {
    place.buffer = addBuffer(bytesOf(result), result, {node, last});
  }
  return place;
}

Planner::Place Planner::placeOf(int64_t node, OpResult result) {
  ArrayRef<unsigned> returned = program.returnedAs(result);
  Place place;
  if (returned.empty()) {
    auto scan = dyn_cast<ScanOp>(result.getOwner());
    unsigned state = result.getResultNumber();
    if (scan && state < scan.getNumStates() && homeOf(scan, state) == StateHome::InStack &&
        program.readers(result).empty())
      return place;
    return placeInArena(node, result);
  }
  // A state that shares its value with a stack lives there.
  place.returned = returned.back();
  const UpdateResult *update = program.updateAt(returned.back());
  if (update && inPlace.contains(update->result))
    if (std::optional<unsigned> operand = operandOf(result.getOwner(), update->variable))
      place.reuses = *operand;
  return place;
}

void Planner::assignStorage() {
  for (int64_t node = 0; node < int64_t(program.nodes().size()); ++node) {
    for (OpResult result : program.nodes()[node]->getResults())
      places[result] = placeOf(node, result);
    // Branches take turns.
    std::optional<DimExpr> bytes = DimExpr(0);
    for (const std::unique_ptr<Planner> &plan : inside[node])
      bytes = bytes ? max(*bytes, plan->arenaBytes()) : std::nullopt;
    insideBuffer.push_back(bytes == DimExpr(0) ? -1 : addBuffer(bytes, Value(), {node, node}));
  }
}

// What is there from step to step is alive all the time.
void Planner::addLoopBuffers(ScanOp scan) {
  LiveRange always{0, std::max<int64_t>(program.nodes().size(), 1) - 1};
  if (!program.readers(scan.getStepNumber()).empty())
    loop.step = addBuffer(bytesOf(scan.getStepNumber()), scan.getStepNumber(), always);
  for (unsigned state = 0; state < scan.getNumStates(); ++state) {
    Value argument = scan.getStateArguments()[state];
    loop.second.push_back(homeOf(scan, state) == StateHome::TwoBuffers
                              ? addBuffer(bytesOf(argument), argument, always)
                              : -1);
  }
}

LogicalResult Planner::layOut() {
  std::vector<ArenaBuffer> arena;
  for (const Buffer &buffer : buffers) {
    if (!buffer.bytes && !buffer.firstValue)
      return tooLarge(program.block().getParentOp());
    if (!buffer.bytes && sizes.mentions(bytesOf(buffer.firstValue).value_or(DimExpr(0))))
      return emitGraphError(buffer.firstValue.getLoc())
             << "no bound is known of the bytes of an intermediate value of type "
             << buffer.firstValue.getType() << ", whose size the call computes";
    if (!buffer.bytes)
      return emitGraphError(buffer.firstValue.getLoc(), GraphError::TooLarge)
             << "the bytes of an intermediate value of type " << buffer.firstValue.getType()
             << " do not fit 64 bits";
    arena.push_back({*buffer.bytes, buffer.live});
  }
  std::optional<ArenaLayout> found = layOutArena(arena);
  if (!found)
    return tooLarge(program.block().getParentOp());
  layout = std::move(*found);
  return success();
}

LogicalResult Planner::writeLoop(ScanOp scan, const DimExpr &base, OffsetTable &table) {
  auto indexOf = [&](int64_t buffer) {
    std::optional<DimExpr> offset = offsetOf(buffer, base);
    return offset ? std::optional<int64_t>(table.indexOf(*offset)) : std::nullopt;
  };
  Builder builder(scan.getContext());
  SmallVector<int64_t> states;
  for (unsigned state = 0; state < scan.getNumStates(); ++state) {
    std::optional<int64_t> code = kInPlace;
    if (loop.second[state] >= 0)
      code = indexOf(loop.second[state]);
    else if (homeOf(scan, state) == StateHome::InStack)
      code = kInStack - int64_t(stackOfState(scan, state));
    if (!code)
      return tooLarge(scan);
    states.push_back(*code);
  }
  std::optional<int64_t> step = loop.step < 0 ? -1 : indexOf(loop.step);
  if (!step)
    return tooLarge(scan);
  scan->setAttr(kStatesAttr, builder.getDenseI64ArrayAttr(states));
  scan->setAttr(kStepAttr, builder.getI64IntegerAttr(*step));
  return success();
}

LogicalResult Planner::write(const DimExpr &base, OffsetTable &table) {
  Builder builder(program.exit()->getContext());
  for (auto [position, node] : llvm::enumerate(program.nodes())) {
    SmallVector<int64_t> codes, reuses;
    for (Value result : node->getResults()) {
      const Place &place = places[result];
      int64_t code = place.returned >= 0 ? -1 - place.returned : kNowhere;
      if (place.buffer >= 0) {
        std::optional<DimExpr> offset = offsetOf(place.buffer, base);
        if (!offset)
          return tooLarge(node);
        code = table.indexOf(*offset);
      }
      codes.push_back(code);
      reuses.push_back(place.reuses);
    }
    node->setAttr(kResultsAttr, builder.getDenseI64ArrayAttr(codes));
    node->setAttr(kReusesAttr, builder.getDenseI64ArrayAttr(reuses));
    DimExpr within = base;
    if (int64_t buffer = insideBuffer[position]; buffer >= 0) {
      std::optional<DimExpr> offset = offsetOf(buffer, base);
      if (!offset)
        return tooLarge(node);
      within = *offset;
      node->setAttr(kArenaAttr, builder.getI64IntegerAttr(table.indexOf(within)));
      node->setAttr(kArenaBytesAttr, DimsAttr::get(node->getContext(), {*buffers[buffer].bytes}));
    }
    for (const std::unique_ptr<Planner> &plan : inside[position])
      if (failed(plan->write(within, table)))
        return failure();
  }
  if (auto scan = dyn_cast<ScanOp>(program.block().getParentOp()))
    return writeLoop(scan, base, table);
  return success();
}

void Planner::writeFunction(func::FuncOp function, OffsetTable &table) {
  Builder builder(function.getContext());
  SmallVector<int64_t> updatesInPlace;
  for (const UpdateResult &update : program.updates())
    updatesInPlace.push_back(inPlace.contains(update.result));
  MLIRContext *context = function.getContext();
  function->setAttr(kOffsetsAttr, DimsAttr::get(context, table.all()));
  function->setAttr(kArenaBytesAttr, DimsAttr::get(context, {layout.totalBytes}));
  function->setAttr(kInPlaceAttr, builder.getDenseI64ArrayAttr(updatesInPlace));
}

struct PlanMemoryPass : keratin::passes::impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    ComputedSizes sizes = program->sizes();
    Planner planner(std::move(*program), sizes);
    OffsetTable offsets;
    if (failed(planner.decide()) || failed(planner.write(DimExpr(0), offsets)))
      return signalPassFailure();
    planner.writeFunction(getOperation(), offsets);
  }
};

} // namespace
