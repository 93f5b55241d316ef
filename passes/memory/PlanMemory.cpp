#include "ir/dialect/GraphError.h"
#include "passes/Passes.h"
#include "passes/memory/ArenaLayout.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/JoinedParts.h"
#include "passes/memory/KernelProgram.h"

#include <map>

namespace keratin::passes {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// What a call asks for: the arena, which is memory 0; what is prepared, if anything is; and during
// the call what depends on sizes without bound: an arena for each such size, and tapes.
class Memories {
public:
  Memories(const ComputedSizes &sizes, MemorySpace space, bool prepares)
      : sizes(sizes), space(space) {
    if (prepares)
      memories.push_back({MemoryTime::Call, -1, DimExpr(0)});
  }
  static constexpr unsigned prepared = 1; // if there is one

  // The one for a buffer of so many bytes.
  unsigned arenaFor(const DimExpr &bytes) {
    int64_t last = sizes.lastUnbounded(bytes);
    if (last < 0)
      return 0;
    auto [entry, isNew] = arenas.try_emplace(last, memories.size());
    if (isNew)
      memories.push_back({MemoryTime::Size, last, DimExpr(0)});
    return entry->second;
  }
  unsigned addTape(const DimExpr &steps, const DimExpr &bytesOfStep) {
    memories.push_back({MemoryTime::Steps, sizes.lastUnbounded(steps), bytesOfStep});
    return memories.size() - 1;
  }
  void setBytes(unsigned memory, const DimExpr &bytes) { memories[memory].bytes = bytes; }

  SmallVector<MemoryAttr> attributes(MLIRContext *context) const {
    SmallVector<MemoryAttr> result;
    for (const Memory &memory : memories) {
      int64_t symbol = 0;
      if (memory.time != MemoryTime::Call)
        symbol = DefineSizeOp(sizes.ops()[memory.definition]).getSymbol();
      result.push_back(MemoryAttr::get(context, space, memory.bytes, memory.time, symbol));
    }
    return result;
  }

private:
  struct Memory {
    MemoryTime time;
    int64_t definition; // among `sizes`, if it waits for one
    DimExpr bytes;
  };

  const ComputedSizes &sizes;
  const MemorySpace space;
  std::map<int64_t, unsigned> arenas; // by the number of the definition
  std::vector<Memory> memories{{MemoryTime::Call, -1, DimExpr(0)}};
};

// For each memory where something begins.
using Bases = std::map<unsigned, DimExpr>;

// Plans a block, after what is inside its nodes: their arenas are buffers of this one.
class Planner {
public:
  // `sizes` are those of the function.
  Planner(KernelProgram program, const ComputedSizes &sizes, int64_t alignment, Memories &memories)
      : program(std::move(program)), sizes(sizes), alignment(alignment), memories(memories),
        parts(this->program) {}

  // Decides everything. Fails with a diagnostic if sizes cannot be represented.
  LogicalResult decide();
  // Bytes needed of each memory.
  const Bases &memoryBytes() const { return totals; }
  // Writes it down for what begins at `bases`.
  LogicalResult write(const Bases &bases);
  void writeFunction(func::FuncOp function);

private:
  // Where a node's result lives.
  struct Place {
    int64_t returned = -1;        // the operand of the terminator, or
    int64_t buffer = -1;          // an index into `buffers`; neither: nowhere
    DimExpr within;               // where in the buffer it begins
    int64_t reuses = -1;          // the operand whose storage this was
    std::optional<unsigned> tape; // a memory of its own
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
  int64_t lastPosition() const { return std::max<int64_t>(program.nodes().size(), 1) - 1; }
  int64_t addBuffer(std::optional<DimExpr> bytes, Value value, LiveRange live);
  Place placeOf(int64_t node, OpResult result);
  Place placeInArena(int64_t node, OpResult result);
  Place placeOfPart(int64_t node, OpResult result, const JoinedParts::Part &part);
  bool isKept(OpResult result) const;
  bool isLastReader(int64_t node, Value root) const;
  int64_t findDyingOperand(int64_t node, OpResult result);
  LogicalResult layOut();
  bool isTape(OpResult result) const;
  LogicalResult writeLoop(LoopOpInterface loop, const Bases &bases);
  // nullopt if it does not fit 64 bits.
  std::optional<DimExpr> offsetOf(int64_t buffer, const Bases &bases,
                                  const DimExpr &within = DimExpr(0)) const {
    std::optional<DimExpr> offset = add(bases.at(buffers[buffer].memory), buffers[buffer].offset);
    return offset ? add(*offset, within) : std::nullopt;
  }
  // Null if it does not fit 64 bits.
  PlaceAttr placeOfBuffer(int64_t buffer, const Bases &bases,
                          const DimExpr &within = DimExpr(0)) const {
    std::optional<DimExpr> offset = offsetOf(buffer, bases, within);
    return offset ? PlaceAttr::inMemory(context(), buffers[buffer].memory, *offset) : PlaceAttr();
  }
  PlaceAttr placeAttrOf(const Place &place, const Bases &bases) const;
  MLIRContext *context() const { return program.exit()->getContext(); }

  KernelProgram program;
  const ComputedSizes &sizes;
  const int64_t alignment;
  Memories &memories;
  const JoinedParts parts;
  llvm::DenseMap<Value, int64_t> buffersOfWholes;
  // Of each node: plans of its regions, and the buffers that what they need is, by memory.
  std::vector<std::vector<std::unique_ptr<Planner>>> inside;
  std::vector<std::map<unsigned, int64_t>> insideBuffers;
  llvm::DenseSet<unsigned> inPlace; // function results
  llvm::DenseMap<Value, Place> places;
  LoopBuffers loopBuffers; // if the block is a loop's body
  // Storage in a memory; several values one after the other.
  struct Buffer {
    std::optional<DimExpr> bytes;
    Value firstValue; // null: the arena of what is inside a node
    Value holder;     // the last of them so far
    LiveRange live;
    unsigned memory = 0;
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
      plans.push_back(std::make_unique<Planner>(std::move(*within), sizes, alignment, memories));
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

// Whether nothing needs the root behind the node, which reads it. What is behind a message is what
// comes after its start.
bool Planner::isLastReader(int64_t node, Value root) const {
  Operation *op = program.nodes()[node];
  if (!isMessage(op))
    return program.readers(root).back() == node;
  return llvm::all_of(readersOf(root), [&](Operation *reader) {
    Operation *last =
        reader != op && isMessage(reader) ? waiterFor(cast<KernelOp>(reader)) : reader;
    return last == op || last->isBeforeInBlock(op);
  });
}

// The operand that `result` may take the storage of, or -1.
int64_t Planner::findDyingOperand(int64_t node, OpResult result) {
  Operation *op = program.nodes()[node];
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Value root = rootOf(operand);
    auto place = places.find(root);
    if (place == places.end() || place->second.buffer < 0)
      continue;
    // Still needed later, itself or a part of it, or taken by another result of this node.
    const Buffer &buffer = buffers[place->second.buffer];
    if (!isLastReader(node, root) || buffer.holder != root || isKept(cast<OpResult>(root)) ||
        (parts.find(root) && !isMessage(op) && buffer.live.last > node))
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
  buffers.push_back({bytes, value, value, live, bytes ? memories.arenaFor(*bytes) : 0u, {}});
  return buffers.size() - 1;
}

// Whether calls read the result that do not make it.
bool Planner::isKept(OpResult result) const {
  return isPrepared(result.getOwner()) &&
         llvm::any_of(program.readers(result),
                      [&](int64_t reader) { return !isPrepared(program.nodes()[reader]); });
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
    place.buffer = addBuffer(byteCount(result), result, {node, last});
  }
  return place;
}

// The first part that is made brings the buffer, which is there as long as any is read.
Planner::Place Planner::placeOfPart(int64_t node, OpResult result, const JoinedParts::Part &part) {
  auto [known, isNew] = buffersOfWholes.try_emplace(part.whole, -1);
  if (isNew)
    known->second =
        addBuffer(byteCount(part.whole), part.whole, {node, program.readers(part.whole).back()});
  Place place;
  place.buffer = known->second;
  place.within = part.offset;
  int64_t &last = buffers[place.buffer].live.last;
  last = std::max(last, program.readers(result).back());
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
      std::optional<DimExpr> bytes = byteCount(yield->getOperand(state - 1));
      // More than 64 bits hold, there is not.
      place.tape = memories.addTape(loop.getSteps(), bytes.value_or(DimExpr(INT64_MAX)));
      return place;
    }
    if (const JoinedParts::Part *part = parts.find(result))
      return placeOfPart(node, result, *part);
    if (!isKept(result))
      return placeInArena(node, result);
    place.buffer = addBuffer(byteCount(result), result, {0, lastPosition()});
    buffers.back().memory = Memories::prepared;
    return place;
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
    std::map<unsigned, std::optional<DimExpr>> needed;
    for (const std::unique_ptr<Planner> &plan : inside[node])
      for (const auto &[memory, bytes] : plan->memoryBytes()) {
        std::optional<DimExpr> &most = needed.try_emplace(memory, DimExpr(0)).first->second;
        most = most ? max(*most, bytes) : std::nullopt;
      }
    std::map<unsigned, int64_t> &found = insideBuffers.emplace_back();
    for (const auto &[memory, bytes] : needed)
      if (bytes != DimExpr(0)) {
        found[memory] = addBuffer(bytes, Value(), {node, node});
        buffers.back().memory = memory;
      }
  }
}

// What is there from step to step is alive all the time.
void Planner::addLoopBuffers(LoopOpInterface loop) {
  LiveRange always{0, lastPosition()};
  bool isSize = llvm::any_of(program.block().getOps<DefineSizeOp>(), [&](DefineSizeOp define) {
    return rootOf(define.getSize()) == loop.getStepNumber();
  });
  if (isSize || !program.readers(loop.getStepNumber()).empty())
    loopBuffers.step = addBuffer(byteCount(loop.getStepNumber()), loop.getStepNumber(), always);
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    Value argument = loop.getStateArguments()[state];
    loopBuffers.second.push_back(homeOf(loop, state) == StateHome::TwoBuffers
                                     ? addBuffer(byteCount(argument), argument, always)
                                     : -1);
  }
}

LogicalResult Planner::layOut() {
  std::map<unsigned, std::vector<ArenaBuffer>> arenas;
  for (const Buffer &buffer : buffers) {
    if (!buffer.bytes && !buffer.firstValue)
      return tooLarge(program.block().getParentOp());
    if (!buffer.bytes && sizes.mentions(byteCount(buffer.firstValue).value_or(DimExpr(0))))
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
    std::optional<ArenaLayout> layout = layOutArena(arena, alignment);
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

LogicalResult Planner::writeLoop(LoopOpInterface loop, const Bases &bases) {
  SmallVector<PlaceAttr> states;
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    PlaceAttr place = PlaceAttr::of(context(), PlaceKind::Result);
    if (loopBuffers.second[state] >= 0)
      place = placeOfBuffer(loopBuffers.second[state], bases);
    else if (homeOf(loop, state) == StateHome::InStack)
      place = PlaceAttr::of(context(), PlaceKind::Stack, stackOfState(loop, state));
    if (!place)
      return tooLarge(loop);
    states.push_back(place);
  }
  PlaceAttr step;
  if (loopBuffers.step >= 0 && !(step = placeOfBuffer(loopBuffers.step, bases)))
    return tooLarge(loop);
  setLoopPlaces(loop, states, step);
  return success();
}

PlaceAttr Planner::placeAttrOf(const Place &place, const Bases &bases) const {
  if (place.tape)
    return PlaceAttr::inMemory(context(), *place.tape, DimExpr(0));
  if (place.buffer >= 0)
    return placeOfBuffer(place.buffer, bases, place.within);
  if (place.returned < 0)
    return PlaceAttr::of(context(), PlaceKind::Nowhere);
  const UpdateResult *update = program.updateAt(place.returned);
  if (update && inPlace.contains(update->result))
    return PlaceAttr::of(context(), PlaceKind::Variable, update->number);
  return PlaceAttr::of(context(), PlaceKind::Returned, place.returned);
}

LogicalResult Planner::write(const Bases &bases) {
  for (auto [position, node] : llvm::enumerate(program.nodes())) {
    removePlan(node);
    SmallVector<PlaceAttr> results;
    for (Value result : node->getResults()) {
      const Place &place = places[result];
      PlaceAttr attribute = placeAttrOf(place, bases);
      if (!attribute)
        return tooLarge(node);
      if (place.reuses >= 0)
        attribute = attribute.withOver(place.reuses);
      results.push_back(attribute);
    }
    setPlaces(node, results);
    if (parts.isJoined(node))
      setJoined(cast<KernelOp>(node));
    Bases within = bases;
    for (auto [memory, buffer] : insideBuffers[position]) {
      std::optional<DimExpr> offset = offsetOf(buffer, bases);
      if (!offset)
        return tooLarge(node);
      within[memory] = *offset;
      if (memory == 0)
        setRoom(node, RoomAttr::get(context(), *buffers[buffer].bytes, *offset));
    }
    for (const std::unique_ptr<Planner> &plan : inside[position])
      if (failed(plan->write(within)))
        return failure();
  }
  if (auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp()))
    return writeLoop(loop, bases);
  return success();
}

void Planner::writeFunction(func::FuncOp function) {
  for (const auto &[memory, bytes] : totals)
    memories.setBytes(memory, bytes);
  setMemories(function, memories.attributes(context()));
}

struct PlanMemoryPass : keratin::passes::impl::PlanMemoryBase<PlanMemoryPass> {
  using PlanMemoryBase::PlanMemoryBase;
  void runOnOperation() override {
    std::optional<MemorySpace> where = memorySpaceByName(space);
    if (!where || alignment < 1 || (alignment & (alignment - 1)) != 0) {
      emitGraphError(getOperation())
          << "keratin-plan-memory needs an alignment that is a power of two, and host or device "
             "as the space; found "
          << int64_t(alignment) << " and '" << space << "'";
      return signalPassFailure();
    }
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    ComputedSizes sizes = program->sizes();
    Memories memories(sizes, *where, llvm::any_of(program->nodes(), isPrepared));
    Planner planner(std::move(*program), sizes, alignment, memories);
    if (failed(planner.decide()))
      return signalPassFailure();
    Bases bases;
    for (const auto &[memory, bytes] : planner.memoryBytes())
      bases.try_emplace(memory, DimExpr(0));
    if (failed(planner.write(bases)))
      return signalPassFailure();
    planner.writeFunction(getOperation());
  }
};

} // namespace
