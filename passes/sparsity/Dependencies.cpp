#include "passes/sparsity/Dependencies.h"

#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/GraphError.h"
#include "ir/reference/HostConversions.h"
#include "passes/sparsity/DependencyRules.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// The sets of the values that are still needed, each with the number of its uses to come.
class DependencyWalk {
public:
  DependencyWalk(int64_t elements, int64_t mostMembers, StringRef function)
      : sets(elements, mostMembers), rules(sets, known), function(function) {}

  LogicalResult run(Block &block, BlockArgument argument) {
    HostTensor each =
        *makeHostTensor(KERATIN_DTYPE_INT64, getTensorType(argument).getShape().vec());
    for (auto [i, id] : llvm::enumerate(each.ints))
      id = IndexSets::single(int64_t(i));
    define(argument, std::make_shared<HostTensor>(std::move(each)));
    for (Operation &op : block.without_terminator())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  SetTensor setsOf(Value value) const {
    auto found = live.find(value);
    return found == live.end() ? nullptr : found->second.sets;
  }
  const IndexSets &all() const { return sets; }

private:
  void define(Value value, SetTensor ids) {
    if (ids && !value.use_empty())
      live[value] = {std::move(ids), unsigned(llvm::range_size(value.getUses()))};
  }

  void used(Value value) {
    auto found = live.find(value);
    if (found != live.end() && --found->second.uses == 0)
      live.erase(found);
  }

  LogicalResult visit(Operation *op) {
    SmallVector<SetTensor> operands;
    bool depends = false;
    for (OpOperand &operand : op->getOpOperands()) {
      operands.push_back(isDifferentiableOperand(operand) ? setsOf(operand.get()) : nullptr);
      depends |= operands.back() != nullptr;
    }
    for (Value result : op->getResults()) {
      if (!depends || !isa<FloatType>(getElementType(result)))
        continue;
      if (failed(checkSizes(op)))
        return failure();
      define(result, op->getNumResults() == 1 ? rules.apply(op, operands)
                                              : rules.ofAnything(result, operands));
      if (sets.isFull())
        return emitGraphError(op, GraphError::TooLarge)
               << function << ": the structure has too many entries to hold; needed a sparser "
               << "function, or its dense derivative";
    }
    for (Value operand : op->getOperands())
      used(operand);
    return success();
  }

  LogicalResult checkSizes(Operation *op) const {
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values) {
        std::optional<DimExpr> count = elementCount(getShape(value));
        if (!getTensorType(value).hasStaticShape() || !count)
          return emitGraphError(op)
                 << function << ": a size between the two depends on the call; needed known sizes, "
                 << "since the structure is found when the graph is built";
        if (count->constantValue() > kMaxHostElements)
          return emitGraphError(op, GraphError::TooLarge)
                 << function << ": a value between the two has " << count->constantValue()
                 << " elements; needed at most " << kMaxHostElements;
      }
    return success();
  }

  IndexSets sets;
  KnownValues known;
  DependencyRules rules;
  StringRef function;
  struct Live {
    SetTensor sets;
    unsigned uses;
  };
  llvm::DenseMap<Value, Live> live;
};

// Entries that the caller's arrays hold.
constexpr int64_t kMostEntries = int64_t(1) << 28;

} // namespace

FailureOr<SparsityPattern> keratin::passes::structureOf(func::FuncOp of, unsigned argument,
                                                        unsigned result, StringRef function,
                                                        int64_t mostMembers) {
  Block &block = of.front();
  BlockArgument x = block.getArgument(argument);
  Value y = block.getTerminator()->getOperand(result);
  const int64_t columns = getTensorType(x).getNumElements(),
                rows = getTensorType(y).getNumElements();
  DependencyWalk walk(columns, mostMembers, function);
  if (failed(walk.run(block, x)))
    return failure();
  SparsityPattern pattern{rows, columns, {0}, {}};
  pattern.starts.reserve(rows + 1);
  SetTensor ids = walk.setsOf(y);
  int64_t entries = 0;
  for (int64_t i = 0; ids && i < rows; ++i)
    entries += int64_t(walk.all().members(ids->ints[i]).size());
  if (entries > kMostEntries)
    return emitGraphError(of, GraphError::TooLarge) << function << ": the structure has " << entries
                                                    << " entries; needed at most " << kMostEntries;
  pattern.indices.reserve(entries);
  for (int64_t i = 0; i < rows; ++i) {
    if (ids)
      for (uint32_t member : walk.all().members(ids->ints[i]))
        pattern.indices.push_back(member);
    pattern.starts.push_back(pattern.entries());
  }
  return pattern;
}
