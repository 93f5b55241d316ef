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

// Offsets in the arena and in other memories, each once: they are evaluated when sizes change.
class OffsetTable {
public:
  int64_t indexOf(int64_t memory, const DimExpr &offset) {
    auto [entry, isNew] = known.try_emplace(std::pair(memory, offset), offsets.size());
    if (isNew) {
      offsets.push_back(offset);
      memories.push_back(memory);
    }
    return entry->second;
  }
  ArrayRef<DimExpr> all() const { return offsets; }
  ArrayRef<int64_t> memoryOfEach() const { return memories; }

private:
  std::vector<DimExpr> offsets;
  std::vector<int64_t> memories;
  std::map<std::pair<int64_t, DimExpr>, int64_t> known;
};

// What is asked for during the call, since it depends on sizes without bound: an arena for each
// such size, and tapes. Number 0 is the arena of the call.
class Memories {
public:
  explicit Memories(const ComputedSizes &sizes) : sizes(sizes) {}

  // The one for a buffer of so many bytes.
  int64_t arenaFor(const DimExpr &bytes) {
    int64_t last = sizes.lastUnbounded(bytes);
    if (last < 0)
      return 0;
    auto [entry, isNew] = arenas.try_emplace(last, kinds.size() + 1);
    if (isNew)
      add(last, DimExpr(0));
    return entry->second;
  }
  int64_t addTape(const DimExpr &steps, const DimExpr &bytesOfStep) {
    add(-1 - sizes.lastUnbounded(steps), bytesOfStep);
    return kinds.size();
  }
  void setBytes(int64_t memory, const DimExpr &size) { bytes[memory - 1] = size; }
  // As keratin.memories and keratin.memory_sizes say.
  ArrayRef<DimExpr> sizesOfEach() const { return bytes; }
  ArrayRef<int64_t> kindOfEach() const { return kinds; }

private:
  void add(int64_t kind, const DimExpr &size) {
    kinds.push_back(kind);
    bytes.push_back(size);
  }

  const ComputedSizes &sizes;
  std::map<int64_t, int64_t> arenas; // by the number of the definition
  std::vector<int64_t> kinds;
  std::vector<DimExpr> bytes;
};

// For each memory where something begins.
using Bases = std::map<int64_t, DimExpr>;

// Plans a block, after what is inside its nodes: their arenas are buffers of this one.
class Planner {
public:
  // `sizes` are those of the function.
  Planner(KernelProgram program, const ComputedSizes &sizes, Memories &memories)
      : program(std::move(program)), sizes(sizes), memories(memories) {}

  // Decides everything. Fails with a diagnostic if sizes cannot be represented.
  LogicalResult decide();
  // Bytes needed of each memory.
  const Bases &memoryBytes() const { return totals; }
  // Writes it down for what begins at `bases`.
  LogicalResult write(const Bases &bases, OffsetTable &table);
  void writeFunction(func::FuncOp function, OffsetTable &table);

private:
  // Where a node's result lives.
  struct Place {
    int64_t returned = -1; // the operand of the terminator, or
    int64_t buffer = -1;   // an index into `buffers`; neither: nowhere
    int64_t reuses = -1;   // the operand whose storage this was
    int64_t tape = -1;     // a memory of its own
  };
  // What a loop needs inside of its body's arena.
  struct LoopBuffers {
    int64_t step = -1;
    SmallVector<int64_t> second; // of each state, or -1
  };

  LogicalResult decideInside();
  void decideUpdates();
  void assignStorage();
  void addLoopBuffers(LoopOpInterface loop);
  int64_t addBuffer(std::optional<DimExpr> bytes, Value value, LiveRange live);
  Place placeOf(int64_t node, OpResult result);
  Place placeInArena(int64_t node, OpResult result);
  int64_t findDyingOperand(int64_t node, OpResult result);
  LogicalResult layOut();
  bool isTape(OpResult result) const;
  LogicalResult writeLoop(LoopOpInterface loop, const Bases &bases, OffsetTable &table);
  // An index into keratin.offsets.
  std::optional<int64_t> codeOf(int64_t buffer, const Bases &bases, OffsetTable &table) const {
    int64_t memory = buffers[buffer].memory;
    std::optional<DimExpr> offset = add(bases.at(memory), buffers[buffer].offset);
    return offset ? std::optional(table.indexOf(memory, *offset)) : std::nullopt;
  }

  KernelProgram program;
  const ComputedSizes &sizes;
  Memories &memories;
  // Of each node: plans of its regions, and the buffers that what they need is, by memory.
  std::vector<std::vector<std::unique_ptr<Planner>>> inside;
  std::vector<std::map<int64_t, int64_t>> insideBuffers;
  llvm::DenseSet<unsigned> inPlace; // function results
  llvm::DenseMap<Value, Place> places;
  LoopBuffers loopBuffers; // if the block is a loop's body
  // Storage in a memory; several values one after the other.
  struct Buffer {
    std::optional<DimExpr> bytes;
    Value firstValue; // null: the arena of what is inside a node
    Value holder;     // the last of them so far
    LiveRange live;
    int64_t memory = 0;
    DimExpr offset;
  };
  std::vector<Buffer> buffers;
  Bases totals{{0, DimExpr(0)}};
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
  if (auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp()))
    addLoopBuffers(loop);
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
      plans.push_back(std::make_unique<Planner>(std::move(*within), sizes, memories));
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
  buffers.push_back({bytes, value, value, live, bytes ? memories.arenaFor(*bytes) : 0, {}});
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

// A stack of a loop of which nobody knows how many steps it makes.
bool Planner::isTape(OpResult result) const {
  auto loop = dyn_cast<WhileOp>(result.getOwner());
  return loop && result.getResultNumber() > loop.getNumStates() &&
         sizes.lastUnbounded(loop.getSteps()) >= 0;
}

Planner::Place Planner::placeOf(int64_t node, OpResult result) {
  ArrayRef<unsigned> returned = program.returnedAs(result);
  Place place;
  if (returned.empty()) {
    auto loop = dyn_cast<LoopOpInterface>(result.getOwner());
    unsigned state = result.getResultNumber();
    if (loop && state < loop.getNumStates() && homeOf(loop, state) == StateHome::InStack &&
        program.readers(result).empty())
      return place;
    if (isTape(result)) {
      Operation *yield = loop.getBody().front().getTerminator();
      std::optional<DimExpr> bytes = bytesOf(yield->getOperand(state - 1));
      // More than 64 bits hold, there is not.
      place.tape = memories.addTape(loop.getSteps(), bytes.value_or(DimExpr(INT64_MAX)));
      return place;
    }
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
    std::map<int64_t, std::optional<DimExpr>> needed;
    for (const std::unique_ptr<Planner> &plan : inside[node])
      for (const auto &[memory, bytes] : plan->memoryBytes()) {
        std::optional<DimExpr> &most = needed.try_emplace(memory, DimExpr(0)).first->second;
        most = most ? max(*most, bytes) : std::nullopt;
      }
    std::map<int64_t, int64_t> &found = insideBuffers.emplace_back();
    for (const auto &[memory, bytes] : needed)
      if (bytes != DimExpr(0)) {
        found[memory] = addBuffer(bytes, Value(), {node, node});
        buffers.back().memory = memory;
      }
  }
}

// What is there from step to step is alive all the time.
void Planner::addLoopBuffers(LoopOpInterface loop) {
  LiveRange always{0, std::max<int64_t>(program.nodes().size(), 1) - 1};
  bool isSize = llvm::any_of(program.block().getOps<DefineSizeOp>(), [&](DefineSizeOp define) {
    return rootOf(define.getSize()) == loop.getStepNumber();
  });
  if (isSize || !program.readers(loop.getStepNumber()).empty())
    loopBuffers.step = addBuffer(bytesOf(loop.getStepNumber()), loop.getStepNumber(), always);
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    Value argument = loop.getStateArguments()[state];
    loopBuffers.second.push_back(homeOf(loop, state) == StateHome::TwoBuffers
                                     ? addBuffer(bytesOf(argument), argument, always)
                                     : -1);
  }
}

LogicalResult Planner::layOut() {
  std::map<int64_t, std::vector<ArenaBuffer>> arenas;
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
    arenas[buffer.memory].push_back({*buffer.bytes, buffer.live});
  }
  for (const auto &[memory, arena] : arenas) {
    std::optional<ArenaLayout> layout = layOutArena(arena);
    if (!layout)
      return tooLarge(program.block().getParentOp());
    totals[memory] = layout->totalBytes;
    auto offset = layout->offsets.begin();
    for (Buffer &buffer : buffers)
      if (buffer.memory == memory)
        buffer.offset = *offset++;
  }
  return success();
}

LogicalResult Planner::writeLoop(LoopOpInterface loop, const Bases &bases, OffsetTable &table) {
  Builder builder(loop.getContext());
  SmallVector<int64_t> states;
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    std::optional<int64_t> code = kInPlace;
    if (loopBuffers.second[state] >= 0)
      code = codeOf(loopBuffers.second[state], bases, table);
    else if (homeOf(loop, state) == StateHome::InStack)
      code = kInStack - int64_t(stackOfState(loop, state));
    if (!code)
      return tooLarge(loop);
    states.push_back(*code);
  }
  std::optional<int64_t> step = -1;
  if (loopBuffers.step >= 0)
    step = codeOf(loopBuffers.step, bases, table);
  if (!step)
    return tooLarge(loop);
  loop->setAttr(kStatesAttr, builder.getDenseI64ArrayAttr(states));
  loop->setAttr(kStepAttr, builder.getI64IntegerAttr(*step));
  return success();
}

LogicalResult Planner::write(const Bases &bases, OffsetTable &table) {
  Builder builder(program.exit()->getContext());
  for (auto [position, node] : llvm::enumerate(program.nodes())) {
    SmallVector<int64_t> codes, reuses;
    for (Value result : node->getResults()) {
      const Place &place = places[result];
      std::optional<int64_t> code = place.returned >= 0 ? -1 - place.returned : kNowhere;
      if (place.tape >= 0)
        code = table.indexOf(place.tape, DimExpr(0));
      else if (place.buffer >= 0)
        code = codeOf(place.buffer, bases, table);
      if (!code)
        return tooLarge(node);
      codes.push_back(*code);
      reuses.push_back(place.reuses);
    }
    node->setAttr(kResultsAttr, builder.getDenseI64ArrayAttr(codes));
    node->setAttr(kReusesAttr, builder.getDenseI64ArrayAttr(reuses));
    Bases within = bases;
    for (auto [memory, buffer] : insideBuffers[position]) {
      std::optional<int64_t> code = codeOf(buffer, bases, table);
      if (!code)
        return tooLarge(node);
      within[memory] = table.all()[*code];
      if (memory != 0)
        continue;
      node->setAttr(kArenaAttr, builder.getI64IntegerAttr(*code));
      node->setAttr(kArenaBytesAttr, DimsAttr::get(node->getContext(), {*buffers[buffer].bytes}));
    }
    for (const std::unique_ptr<Planner> &plan : inside[position])
      if (failed(plan->write(within, table)))
        return failure();
  }
  if (auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp()))
    return writeLoop(loop, bases, table);
  return success();
}

void Planner::writeFunction(func::FuncOp function, OffsetTable &table) {
  Builder builder(function.getContext());
  SmallVector<int64_t> updatesInPlace;
  for (const UpdateResult &update : program.updates())
    updatesInPlace.push_back(inPlace.contains(update.result));
  MLIRContext *context = function.getContext();
  function->setAttr(kOffsetsAttr, DimsAttr::get(context, table.all()));
  function->setAttr(kArenaBytesAttr, DimsAttr::get(context, {totals.at(0)}));
  function->setAttr(kInPlaceAttr, builder.getDenseI64ArrayAttr(updatesInPlace));
  for (const auto &[memory, bytes] : totals)
    if (memory != 0)
      memories.setBytes(memory, bytes);
  if (memories.kindOfEach().empty())
    return;
  function->setAttr(kMemoriesAttr, DimsAttr::get(context, memories.sizesOfEach()));
  function->setAttr(kMemorySizesAttr, builder.getDenseI64ArrayAttr(memories.kindOfEach()));
  function->setAttr(kOffsetMemoriesAttr, builder.getDenseI64ArrayAttr(table.memoryOfEach()));
}

struct PlanMemoryPass : keratin::passes::impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    ComputedSizes sizes = program->sizes();
    Memories memories(sizes);
    Planner planner(std::move(*program), sizes, memories);
    OffsetTable offsets;
    if (failed(planner.decide()))
      return signalPassFailure();
    Bases bases;
    for (const auto &[memory, bytes] : planner.memoryBytes())
      bases.try_emplace(memory, DimExpr(0));
    if (failed(planner.write(bases, offsets)))
      return signalPassFailure();
    planner.writeFunction(getOperation(), offsets);
  }
};

} // namespace
