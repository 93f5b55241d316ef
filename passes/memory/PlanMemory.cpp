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

class Planner {
public:
  explicit Planner(const KernelProgram &program) : program(program) {}

  // Decides everything, then writes it down. Fails with a diagnostic if sizes cannot be
  // represented.
  LogicalResult run() {
    decideUpdates();
    assignStorage();
    return writePlan();
  }

private:
  // Where a kernel result lives.
  struct Place {
    int64_t functionResult = -1; // its index, or
    int64_t buffer = -1;         // an index into `buffers`
    int64_t reuses = -1;         // the operand whose storage this was
  };

  void decideUpdates();
  void assignStorage();
  Place placeInArena(int64_t kernel, OpResult result);
  int64_t findDyingOperand(int64_t kernel, OpResult result);
  LogicalResult writePlan();

  const KernelProgram &program;
  llvm::DenseSet<unsigned> inPlace; // function results
  llvm::DenseMap<Value, Place> places;
  // Storage in the arena; several values one after the other.
  struct Buffer {
    Value firstValue;
    Value holder; // the last of them so far
    LiveRange live;
  };
  std::vector<Buffer> buffers;
};

void Planner::decideUpdates() {
  int64_t lastFallible = -1;
  for (size_t kernel = 0; kernel < program.kernels().size(); ++kernel)
    if (program.isFallible(kernel))
      lastFallible = kernel;
  for (const UpdateResult &update : program.updates()) {
    if (!canUpdateInPlace(program, update))
      continue;
    int64_t kernel = updatingKernel(program, update);
    ArrayRef<int64_t> readers = program.readers(update.variable);
    bool readBefore = readers.empty() || readers.back() <= kernel;
    if (readBefore && lastFallible < kernel)
      inPlace.insert(update.result);
  }
}

// The operand that `result` may take the storage of, or -1.
int64_t Planner::findDyingOperand(int64_t kernel, OpResult result) {
  KernelOp op = program.kernels()[kernel];
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Value root = rootOf(input);
    auto place = places.find(root);
    if (place == places.end() || place->second.buffer < 0)
      continue;
    // Still needed later, or taken by another result of this kernel.
    if (program.readers(root).back() != kernel || buffers[place->second.buffer].holder != root)
      continue;
    if (canWriteOver(op, result.getResultNumber(), root))
      return index;
  }
  return -1;
}

Planner::Place Planner::placeInArena(int64_t kernel, OpResult result) {
  ArrayRef<int64_t> readers = program.readers(result);
  int64_t last = readers.empty() ? kernel : readers.back();
  Place place;
  place.reuses = findDyingOperand(kernel, result);
  if (place.reuses >= 0) {
    Value operand = KernelOp(program.kernels()[kernel]).getInputs()[place.reuses];
    place.buffer = places[rootOf(operand)].buffer;
    buffers[place.buffer].holder = result;
    buffers[place.buffer].live.last = last;
  } else {
    place.buffer = buffers.size();
    buffers.push_back({result, result, {kernel, last}});
  }
  return place;
}

void Planner::assignStorage() {
  for (size_t kernel = 0; kernel < program.kernels().size(); ++kernel) {
    KernelOp op = program.kernels()[kernel];
    for (OpResult result : op->getResults()) {
      ArrayRef<unsigned> returned = program.returnedAs(result);
      if (returned.empty()) {
        places[result] = placeInArena(kernel, result);
        continue;
      }
      Place place;
      place.functionResult = returned.front();
      const UpdateResult *update = program.updateAt(returned.front());
      if (update && inPlace.contains(update->result))
        if (std::optional<unsigned> operand = operandOf(op, update->variable))
          place.reuses = *operand;
      places[result] = place;
    }
  }
}

LogicalResult Planner::writePlan() {
  func::FuncOp function = program.function();
  std::vector<ArenaBuffer> arena;
  for (const Buffer &buffer : buffers) {
    std::optional<DimExpr> bytes = bytesOf(buffer.firstValue);
    if (!bytes)
      return emitGraphError(buffer.firstValue.getLoc(), GraphError::TooLarge)
             << "the bytes of an intermediate value of type " << buffer.firstValue.getType()
             << " do not fit 64 bits";
    arena.push_back({*bytes, buffer.live});
  }
  std::optional<ArenaLayout> layout = layOutArena(arena);
  if (!layout)
    return emitGraphError(function, GraphError::TooLarge)
           << "the memory that one call needs does not fit 64 bits";

  // Each offset once: they are evaluated when sizes change.
  std::vector<DimExpr> offsets;
  std::map<DimExpr, int64_t> known;
  std::vector<int64_t> offsetOf;
  for (const DimExpr &offset : layout->offsets) {
    auto [entry, isNew] = known.try_emplace(offset, offsets.size());
    if (isNew)
      offsets.push_back(offset);
    offsetOf.push_back(entry->second);
  }
  Builder builder(function.getContext());
  for (KernelOp kernel : program.kernels()) {
    SmallVector<int64_t> codes, reuses;
    for (Value result : kernel.getResults()) {
      const Place &place = places[result];
      codes.push_back(place.buffer >= 0 ? offsetOf[place.buffer] : -1 - place.functionResult);
      reuses.push_back(place.reuses);
    }
    kernel->setAttr(kResultsAttr, builder.getDenseI64ArrayAttr(codes));
    kernel->setAttr(kReusesAttr, builder.getDenseI64ArrayAttr(reuses));
  }
  SmallVector<int64_t> updatesInPlace;
  for (const UpdateResult &update : program.updates())
    updatesInPlace.push_back(inPlace.contains(update.result));
  MLIRContext *context = function.getContext();
  function->setAttr(kOffsetsAttr, DimsAttr::get(context, offsets));
  function->setAttr(kArenaBytesAttr, DimsAttr::get(context, {layout->totalBytes}));
  function->setAttr(kInPlaceAttr, builder.getDenseI64ArrayAttr(updatesInPlace));
  return success();
}

struct PlanMemoryPass : keratin::passes::impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program) || failed(Planner(*program).run()))
      signalPassFailure();
  }
};

} // namespace
