#include "ir/ops/InlinedBody.h"

#include "ir/interfaces/ComputedSizes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

static FunctionOpInterface functionAround(Block *block) {
  Operation *parent = block->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(parent);
  return function ? function : parent->getParentOfType<FunctionOpInterface>();
}

SmallVector<Value> keratin::ir::inlineBody(OpBuilder &builder, Block &body, ValueRange arguments) {
  DenseMap<int64_t, int64_t> names;
  for (Operation &op : body)
    if (std::optional<int64_t> symbol = symbolDefinedBy(&op))
      names.try_emplace(*symbol);
  if (!names.empty()) {
    int64_t next = firstUnusedSymbol(functionAround(builder.getInsertionBlock()));
    for (auto &[symbol, name] : names)
      name = next++;
  }
  IRMapping copies;
  copies.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, copies);
    if (!names.empty())
      renameSymbols(copy, names);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return copies.lookup(value); });
}
