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

// Whether nodes read the root, and nothing else does.
static bool isReadByNodes(Value root) {
  SmallVector<Operation *> readers = readersOf(root);
  return !readers.empty() && llvm::all_of(readers, isNode);
}

static bool isSent(Value root) { return llvm::any_of(readersOf(root), isMessage); }

// Whether the root may lie in the whole, which the kernel makes. What is sent is written while the
// message is under way, so nobody else reads it.
static bool mayBePart(Value root, KernelOp kernel, Value whole) {
  if (isSent(whole) || isSent(root))
    return llvm::all_of(readersOf(root), [&](Operation *reader) { return reader == kernel; });
  return isReadByNodes(root);
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
    std::optional<DimExpr> bytes = byteCount(result);
    if (!isReadByNodes(result) || !bytes || program.sizes().mentions(*bytes))
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
    if (!maker || isPrepared(maker) || find(root) || !next || byteCount(root) != bytes ||
        !mayBePart(root, kernel, joins.whole) || !found.insert({root, own}).second)
      return;
    own.offset = *next;
  }
  parts.insert({result, joins});
  for (const auto &[root, part] : found)
    parts.insert({root, part});
  joined.insert(kernel);
}
