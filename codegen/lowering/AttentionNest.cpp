#include "codegen/lowering/AttentionNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

std::optional<AttentionNest> AttentionNest::of(ir::KernelOp kernel) {
  std::optional<ir::Attention> attention = ir::attentionOf(kernel);
  if (!attention)
    return std::nullopt;
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs, rowResults;
  for (Value output : body.getTerminator()->getOperands())
    (attention->isOfRows(output) ? rowResults : outputs).push_back(output);
  std::optional<ir::IterationSpace> space =
      ir::analyzeIterationSpace(attention->opsBehind(ops, outputs), outputs);
  if (!space)
    return std::nullopt;
  ContractionNest scores{attention->scores, attention->scoresShape, ir::IterationSpace()};
  ContractionNest mix{attention->mix, attention->mixShape, std::move(*space)};
  return AttentionNest{std::move(*attention), std::move(scores), std::move(mix),
                       std::move(rowResults)};
}

DimExpr AttentionNest::operations() const {
  return add(scores.operations(), mix.operations()).value_or(DimExpr(INT64_MAX));
}

void AttentionNest::print(llvm::raw_ostream &out) const {
  out << "nest: attention, batch " << mix.shape.batch.str() << ", queries " << mix.shape.m.str()
      << " of " << scores.shape.k.str() << ", keys " << mix.shape.k.str() << ", values of "
      << mix.shape.n.str() << "\n";
}
