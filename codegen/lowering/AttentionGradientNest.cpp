#include "codegen/lowering/AttentionGradientNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

std::optional<AttentionGradientNest> AttentionGradientNest::of(ir::KernelOp kernel) {
  std::optional<ir::AttentionGradient> gradient = ir::attentionGradientOf(kernel);
  if (!gradient)
    return std::nullopt;
  AttentionGradientNest nest;
  for (const ir::AttentionGradient::Made &made : gradient->made)
    nest.made.push_back({made.dot, made.shape, ir::IterationSpace()});
  for (const ir::AttentionGradient::Sum &sum : gradient->sums) {
    ir::DotGeneralOp dot = sum.dot;
    std::optional<ir::IterationSpace> space = ir::analyzeIterationSpace({dot}, {dot.getY()});
    if (!space)
      return std::nullopt;
    nest.sums.push_back({dot, sum.shape, std::move(*space)});
  }
  nest.gradient = std::move(*gradient);
  return nest;
}

DimExpr AttentionGradientNest::operations() const {
  DimExpr all = 0;
  for (const auto *products : {&made, &sums})
    for (const ContractionNest &product : *products)
      all = add(all, product.operations()).value_or(DimExpr(INT64_MAX));
  return all;
}

llvm::SetVector<Operation *> AttentionGradientNest::opsBehind(ArrayRef<Value> values) const {
  llvm::SetVector<Operation *> behind;
  auto insert = [&](ValueRange read) {
    for (Value value : read)
      if (Operation *op = value.getDefiningOp())
        behind.insert(op);
  };
  insert(values);
  for (size_t i = 0; i < behind.size(); ++i)
    if (!isa<ir::DotGeneralOp>(behind[i]))
      insert(behind[i]->getOperands());
  return behind;
}

void AttentionGradientNest::print(llvm::raw_ostream &out) const {
  out << "nest: gradients of attention, batch " << gradient.batch.str() << ", queries "
      << gradient.queries.str() << ", keys " << gradient.keys.str() << "; made of widths ";
  llvm::interleaveComma(gradient.made, out, [&](const auto &made) { out << made.shape.k.str(); });
  for (bool isOverKeys : {true, false}) {
    SmallVector<std::string> widths;
    for (const ir::AttentionGradient::Sum &sum : gradient.sums)
      if (sum.isOverKeys == isOverKeys)
        widths.push_back(sum.shape.n.str());
    if (!widths.empty())
      out << "; sums over " << (isOverKeys ? "keys" : "queries") << " of "
          << llvm::join(widths, ", ");
  }
  out << "\n";
}
