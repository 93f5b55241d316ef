#include "passes/memory/PlannedBuffers.h"

#include "ir/dialect/SizeLimits.h"
#include "passes/memory/KernelProgram.h"

#include <set>

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

SymbolValues keratin::passes::symbolValues(func::FuncOp function, const SymbolValues &sizes) {
  SymbolValues values = sizes;
  const LimitedSizes limited(function);
  for (const auto &[symbol, size] : limited.all()) {
    const int64_t most = size.limits.most();
    auto [value, isNew] = values.try_emplace(
        symbol, most == SizeLimits::kNoMax ? size.limits.nearest(kDefaultSize) : most);
    value->second /= size.unit;
  }
  return values;
}

std::string keratin::passes::makerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    return number ? "state " + std::to_string(number - 1) : "step number";
  }
  auto result = cast<OpResult>(value);
  std::string name = nameOf(result.getOwner()).str();
  return result.getOwner()->getNumResults() == 1
             ? name
             : name + ", result " + std::to_string(result.getResultNumber());
}

KernelNumbers::Range PlannedMemory::numbersOf(const LiveRange &live) const {
  return numbers.empty() ? KernelNumbers::Range{0, -1}
                         : KernelNumbers::Range{numbers[live.first].first, numbers[live.last].last};
}

namespace {

class PlanReader {
public:
  // Both are of the function.
  PlanReader(const ComputedSizes &sizes, const KernelNumbers &numbers)
      : sizes(sizes), numbers(numbers) {}

  // False if the plan does not fit the program.
  bool read(const KernelProgram &program, PlannedMemory &plan);

private:
  bool readNode(const KernelProgram &program, int64_t position, PlannedMemory &plan);
  bool readInside(Operation *node, int64_t position, PlannedMemory &plan);
  void join(Operation *node, PlannedMemory &plan);
  void addLasting(Value value, PlaceAttr place, PlannedMemory &plan);

  std::optional<DimExpr> mostBytes(Value value) const {
    std::optional<DimExpr> bytes = byteCount(value);
    return bytes ? sizes.atMost(*bytes) : bytes;
  }

  static bool isInArena(PlaceAttr place) { return place.isInMemory() && place.getNumber() == 0; }

  const ComputedSizes &sizes;
  const KernelNumbers &numbers;
  llvm::DenseMap<Value, size_t> bufferOf;
  std::set<size_t> merged; // buffers that are a part of another
};

bool PlanReader::read(const KernelProgram &program, PlannedMemory &plan) {
  plan.kernels = program.nodes().size();
  for (int64_t position = 0; position < plan.kernels; ++position)
    if (!readNode(program, position, plan))
      return false;
  for (size_t index : llvm::reverse(merged))
    plan.buffers.erase(plan.buffers.begin() + int64_t(index));
  auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp());
  if (!loop)
    return true;
  if (PlaceAttr step = placeOfStep(loop))
    addLasting(loop.getStepNumber(), step, plan);
  for (auto [number, state] : llvm::enumerate(loop.getStateArguments()))
    addLasting(state, placeOfState(loop, number), plan);
  return true;
}

// What is there from step to step is alive all the time.
void PlanReader::addLasting(Value value, PlaceAttr place, PlannedMemory &plan) {
  if (!isInArena(place))
    return;
  LiveRange always{0, std::max<int64_t>(plan.kernels, 1) - 1};
  plan.buffers.push_back({value, always, place.getOffset(), mostBytes(value)});
}

bool PlanReader::readNode(const KernelProgram &program, int64_t position, PlannedMemory &plan) {
  Operation *node = program.nodes()[position];
  plan.numbers.push_back(numbers.of(node));
  for (OpResult result : node->getResults()) {
    PlaceAttr place = placeOf(result);
    if (!isInArena(place))
      continue;
    ArrayRef<int64_t> readers = program.readers(result);
    int64_t last = readers.empty() ? position : readers.back();
    if (!place.getOver()) {
      bufferOf[result] = plan.buffers.size();
      plan.buffers.push_back({result, {position, last}, place.getOffset(), mostBytes(result)});
      continue;
    }
    auto found = bufferOf.find(rootOf(node->getOperand(*place.getOver())));
    if (found == bufferOf.end())
      return false;
    size_t index = found->second;
    bufferOf[result] = index;
    plan.buffers[index].live.last = last;
    ++plan.buffers[index].values;
  }
  if (isJoined(node))
    join(node, plan);
  return isa<KernelOp>(node) || readInside(node, position, plan);
}

// The buffers of the parts are one, there as long as any of them.
void PlanReader::join(Operation *node, PlannedMemory &plan) {
  size_t first = bufferOf[node->getResult(0)];
  PlannedBuffer whole = plan.buffers[first];
  merged.insert(first);
  for (Value operand : node->getOperands()) {
    size_t index = bufferOf[rootOf(operand)];
    whole.live.first = std::min(whole.live.first, plan.buffers[index].live.first);
    whole.live.last = std::max(whole.live.last, plan.buffers[index].live.last);
    whole.values += plan.buffers[index].values;
    merged.insert(index);
    first = std::min(first, index);
  }
  merged.erase(first);
  plan.buffers[first] = whole;
  bufferOf[node->getResult(0)] = first;
}

bool PlanReader::readInside(Operation *node, int64_t position, PlannedMemory &plan) {
  PlannedNode &inside = plan.inside.emplace_back(PlannedNode{node, position, {}});
  RoomAttr room = roomOf(node);
  for (Region &region : node->getRegions()) {
    FailureOr<KernelProgram> program = KernelProgram::build(region.front());
    if (failed(program) ||
        !PlanReader(sizes, numbers).read(*program, inside.programs.emplace_back()))
      return false;
    inside.programs.back().arenaBytes = room ? room.getBytes() : DimExpr(0);
  }
  if (!room)
    return true;
  PlannedBuffer buffer;
  buffer.live = {position, position};
  buffer.offset = room.getOffset();
  buffer.bytes = room.getBytes();
  buffer.inside = plan.inside.size() - 1;
  plan.buffers.push_back(buffer);
  return true;
}

} // namespace

std::optional<PlannedMemory> keratin::passes::readMemoryPlan(func::FuncOp function) {
  SmallVector<MemoryAttr> memories = memoriesOf(function);
  if (memories.empty())
    return std::nullopt;
  FailureOr<KernelProgram> program = KernelProgram::build(function);
  if (failed(program) || failed(verifyMemoryPlan(function)))
    return std::nullopt;
  PlannedMemory plan;
  plan.arenaBytes = memories.front().getBytes();
  if (!PlanReader(program->sizes(), KernelNumbers(function)).read(*program, plan))
    return std::nullopt;
  return plan;
}
