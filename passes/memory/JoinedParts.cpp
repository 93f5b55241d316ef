#include "passes/memory/JoinedParts.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

// The operands that the kernel puts one behind the other, in their order; empty: it does anything
// else.
static SmallVector<Value> joinedOperands(KernelOp kernel) {
  if (kernel->getNumResults() != 1)
    return {};
  Block &body = kernel.getBody().front();
  auto join = throughReshapes(body.getTerminator()->getOperand(0)).getDefiningOp<ConcatenateOp>();
  if (!join)
    return {};
  for (Operation &op : body)
    if (!isa<ReshapeOp, YieldOp>(op) && &op != join)
      return {};
  const Shape shape = getShape(join.getY());
  for (const DimExpr &size : ArrayRef(shape).take_front(join.getAxis()))
    if (size != DimExpr(1))
      return {};
  SmallVector<Value> operands;
  for (Value x : join.getXs()) {
    auto argument = dyn_cast<BlockArgument>(throughReshapes(x));
    if (!argument)
      return {};
    operands.push_back(kernel.getInputs()[argument.getArgNumber()]);
  }
  return operands;
}

// The one node that reads the root; null: there are others.
static Operation *onlyReader(Value root) {
  SmallVector<Operation *> readers = readersOf(root);
  return !readers.empty() && llvm::all_equal(readers) && isNode(readers.front()) ? readers.front()
                                                                                 : nullptr;
}

JoinedParts::JoinedParts(const KernelProgram &program) {
  // What is joined last comes first: its parts may be joined themselves.
  for (Operation *node : llvm::reverse(program.nodes()))
    if (auto kernel = dyn_cast<KernelOp>(node))
      add(program, kernel);
}

void JoinedParts::add(const KernelProgram &program, KernelOp kernel) {
  SmallVector<Value> operands = joinedOperands(kernel);
  if (operands.empty() || isPrepared(kernel))
    return;
  Value result = kernel.getResult(0);
  if (!find(result)) {
    Operation *reader = onlyReader(result);
    std::optional<DimExpr> bytes = byteCount(result);
    if (!reader || !isMessage(reader) || !bytes || program.sizes().mentions(*bytes))
      return;
  }
  const Part joins = find(result) ? *find(result) : Part{result, DimExpr(0)};
  Part own = joins;
  llvm::SmallMapVector<Value, Part, 8> found;
  for (Value operand : operands) {
    Value root = rootOf(operand);
    auto maker = dyn_cast_or_null<KernelOp>(root.getDefiningOp());
    std::optional<DimExpr> bytes = byteCount(operand);
    std::optional<DimExpr> next = bytes ? ir::add(own.offset, *bytes) : std::nullopt;
    if (!maker || isPrepared(maker) || onlyReader(root) != kernel || !next ||
        byteCount(root) != bytes || !found.insert({root, own}).second)
      return;
    own.offset = *next;
  }
  parts.insert({result, joins});
  for (const auto &[root, part] : found)
    parts.insert({root, part});
  joined.insert(kernel);
}
