#include "passes/memory/LastingValues.h"

#include "ir/dialect/Signature.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

LastingValues::LastingValues(func::FuncOp function, const KernelProgram &program) {
  const Signature signature(function);
  for (BlockArgument argument : function.getArguments().drop_front(signature.firstVariable()))
    roots.insert(argument);
  for (const UpdateResult &update : program.updates())
    roots.erase(update.variable);
  for (int64_t position = 0; position < int64_t(program.nodes().size()); ++position)
    if (isLasting(program, position)) {
      Operation *node = program.nodes()[position];
      roots.insert(node->result_begin(), node->result_end());
      lastingNodes.push_back(position);
    }
}

bool LastingValues::isLasting(Value root) const {
  return roots.contains(root) || isa_and_nonnull<ConstantOp>(root.getDefiningOp());
}

// Repeated elements, and nothing else, are made as quickly as they are read.
static bool onlyRepeats(Operation *node) {
  auto kernel = dyn_cast<KernelOp>(node);
  return kernel && llvm::all_of(kernel.getBody().front().without_terminator(),
                                [](Operation &op) { return costsNothing(&op); });
}

bool LastingValues::isLasting(const KernelProgram &program, int64_t position) const {
  Operation *node = program.nodes()[position];
  // What may end a call, or can be seen, is done in each. So is what has other sizes in each.
  if (program.isFallible(position) || program.hasEffect(position) || onlyRepeats(node))
    return false;
  bool hasSymbols = false;
  forEachSymbol(node, [&](int64_t) { hasSymbols = true; });
  // What is returned is the caller's, in each call another's.
  return !hasSymbols && llvm::all_of(node->getOperands(), [&](Value x) { return contains(x); }) &&
         llvm::all_of(node->getResults(), [&](Value y) { return program.returnedAs(y).empty(); });
}
