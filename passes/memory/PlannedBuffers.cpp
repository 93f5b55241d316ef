#include "passes/memory/PlannedBuffers.h"

#include "passes/memory/KernelProgram.h"
#include "passes/memory/MemoryPlan.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

std::optional<int64_t> keratin::passes::evaluate(const DimExpr &expression,
                                                 const SymbolValues &symbols, int64_t otherwise) {
  return expression.evaluate([&](int64_t id) -> std::optional<int64_t> {
    auto found = symbols.find(id);
    return found == symbols.end() ? otherwise : found->second;
  });
}

std::string keratin::passes::makerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    return number ? "state " + std::to_string(number - 1) : "step number";
  }
  auto result = cast<OpResult>(value);
  auto kernel = dyn_cast<KernelOp>(result.getOwner());
  if (!kernel)
    return result.getOwner()->getName().stripDialect().str();
  Block &body = kernel.getBody().front();
  Value made = cast<YieldOp>(body.getTerminator()).getValues()[result.getResultNumber()];
  Operation *op = made.getDefiningOp();
  if (!op)
    return "copy";
  size_t others = body.getOperations().size() - 2;
  std::string name = op->getName().stripDialect().str();
  return others ? name + " +" + std::to_string(others) : name;
}

namespace {

class PlanReader {
public:
  // `sizes` are those of the function.
  // `memories` are those that the places are in.
  PlanReader(const std::vector<DimExpr> &places, ArrayRef<int64_t> memories,
             const ComputedSizes &sizes)
      : places(places), memories(memories), sizes(sizes) {}

  // False if the plan does not fit the program.
  bool read(const KernelProgram &program, PlannedMemory &plan);

private:
  bool readNode(const KernelProgram &program, int64_t position, PlannedMemory &plan);
  bool readInside(Operation *node, int64_t position, PlannedMemory &plan);
  bool addLasting(Value value, int64_t place, PlannedMemory &plan);
  bool isPlace(int64_t code) const { return code >= 0 && code < int64_t(places.size()); }

  std::optional<DimExpr> mostBytes(Value value) const {
    std::optional<DimExpr> bytes = bytesOf(value);
    return bytes ? sizes.atMost(*bytes) : bytes;
  }

  bool isInArena(int64_t code) const { return memories.empty() || memories[code] == 0; }

  const std::vector<DimExpr> &places;
  ArrayRef<int64_t> memories; // empty: all places are in the arena
  const ComputedSizes &sizes;
  llvm::DenseMap<Value, size_t> bufferOf;
};

bool PlanReader::read(const KernelProgram &program, PlannedMemory &plan) {
  plan.kernels = program.nodes().size();
  for (int64_t position = 0; position < plan.kernels; ++position)
    if (!readNode(program, position, plan))
      return false;
  auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp());
  if (!loop)
    return true;
  auto states = loop->getAttrOfType<DenseI64ArrayAttr>(kStatesAttr);
  auto step = loop->getAttrOfType<IntegerAttr>(kStepAttr);
  if (!states || states.size() != loop.getNumStates() || !step)
    return false;
  if (step.getInt() >= 0 && !addLasting(loop.getStepNumber(), step.getInt(), plan))
    return false;
  for (auto [state, code] : llvm::zip(loop.getStateArguments(), states.asArrayRef()))
    if (code >= 0 && !addLasting(state, code, plan))
      return false;
  return true;
}

// What is there from step to step is alive all the time.
bool PlanReader::addLasting(Value value, int64_t place, PlannedMemory &plan) {
  if (!isPlace(place))
    return false;
  if (!isInArena(place))
    return true;
  LiveRange always{0, std::max<int64_t>(plan.kernels, 1) - 1};
  plan.buffers.push_back({value, always, places[place], mostBytes(value)});
  return true;
}

bool PlanReader::readNode(const KernelProgram &program, int64_t position, PlannedMemory &plan) {
  Operation *node = program.nodes()[position];
  auto codes = node->getAttrOfType<DenseI64ArrayAttr>(kResultsAttr);
  auto reuses = node->getAttrOfType<DenseI64ArrayAttr>(kReusesAttr);
  if (!codes || !reuses || codes.size() != node->getNumResults() ||
      reuses.size() != node->getNumResults())
    return false;
  for (OpResult result : node->getResults()) {
    int64_t code = codes[result.getResultNumber()];
    int64_t reused = reuses[result.getResultNumber()];
    if (code < 0)
      continue;
    if (isPlace(code) && !isInArena(code))
      continue;
    ArrayRef<int64_t> readers = program.readers(result);
    int64_t last = readers.empty() ? position : readers.back();
    if (reused < 0) {
      if (!isPlace(code))
        return false;
      bufferOf[result] = plan.buffers.size();
      plan.buffers.push_back({result, {position, last}, places[code], mostBytes(result)});
      continue;
    }
    auto found = reused < int64_t(node->getNumOperands())
                     ? bufferOf.find(rootOf(node->getOperand(reused)))
                     : bufferOf.end();
    if (found == bufferOf.end())
      return false;
    size_t index = found->second;
    bufferOf[result] = index;
    plan.buffers[index].live.last = last;
    ++plan.buffers[index].values;
  }
  return isa<KernelOp>(node) || readInside(node, position, plan);
}

bool PlanReader::readInside(Operation *node, int64_t position, PlannedMemory &plan) {
  PlannedNode &inside = plan.inside.emplace_back(PlannedNode{node, position, {}});
  auto bytes = node->getAttrOfType<DimsAttr>(kArenaBytesAttr);
  for (Region &region : node->getRegions()) {
    FailureOr<KernelProgram> program = KernelProgram::build(region.front());
    if (failed(program) ||
        !PlanReader(places, memories, sizes).read(*program, inside.programs.emplace_back()))
      return false;
    inside.programs.back().arenaBytes = bytes ? bytes.getDims().front() : DimExpr(0);
  }
  if (!bytes)
    return true;
  auto place = node->getAttrOfType<IntegerAttr>(kArenaAttr);
  if (!place || !isPlace(place.getInt()))
    return false;
  PlannedBuffer buffer;
  buffer.live = {position, position};
  buffer.offset = places[place.getInt()];
  buffer.bytes = bytes.getDims().front();
  buffer.inside = plan.inside.size() - 1;
  plan.buffers.push_back(buffer);
  return true;
}

} // namespace

std::optional<PlannedMemory> keratin::passes::readMemoryPlan(func::FuncOp function) {
  auto offsets = function->getAttrOfType<DimsAttr>(kOffsetsAttr);
  auto bytes = function->getAttrOfType<DimsAttr>(kArenaBytesAttr);
  if (!offsets || !bytes || bytes.getDims().empty())
    return std::nullopt;
  FailureOr<KernelProgram> program = KernelProgram::build(function);
  if (failed(program))
    return std::nullopt;
  std::vector<DimExpr> places = offsets.getDims();
  PlannedMemory plan;
  plan.arenaBytes = bytes.getDims().front();
  auto memories = function->getAttrOfType<DenseI64ArrayAttr>(kOffsetMemoriesAttr);
  if (memories && size_t(memories.size()) != places.size())
    return std::nullopt;
  if (!PlanReader(places, memories ? memories.asArrayRef() : ArrayRef<int64_t>(), program->sizes())
           .read(*program, plan))
    return std::nullopt;
  return plan;
}
