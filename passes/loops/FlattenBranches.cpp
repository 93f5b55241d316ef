#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"
#include "passes/simplify/Matchers.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FLATTENBRANCHES
#include "passes/Passes.h.inc"

namespace {

// Arithmetic on each element that costs less than a kernel of its own, which a branch is: to start
// it, and to write and read what fusion would keep in registers.
constexpr int kMostArithmetic = 8;

// Whether what the branch does may as well be done in vain: little arithmetic, element by element,
// without effects and errors.
bool isCheap(Region &branch) {
  int arithmetic = 0;
  for (Operation &op : branch.front().without_terminator()) {
    if (costsNothing(&op))
      continue;
    if (!isCheapArithmetic(&op) || ++arithmetic > kMostArithmetic)
      return false;
  }
  return true;
}

// The values that the branch yields, with its ops before the `if`.
SmallVector<Value> inlined(OpBuilder &builder, IfOp op, Region &branch) {
  IRMapping copies;
  copies.map(branch.front().getArguments(), op.getCaptures());
  for (Operation &inner : branch.front().without_terminator())
    builder.clone(inner, copies);
  SmallVector<Value> values;
  for (Value value : branch.front().getTerminator()->getOperands())
    values.push_back(copies.lookup(value));
  return values;
}

// Sizes that are no longer computed are required nothing of.
void dropChecks(func::FuncOp function, const llvm::DenseSet<int64_t> &sizes) {
  auto checks = function->getAttrOfType<ArrayAttr>("keratin.checks");
  if (!checks || sizes.empty())
    return;
  auto mentions = [&](const DimExpr &size) {
    return llvm::any_of(size.symbols(), [&](int64_t id) { return sizes.contains(id); });
  };
  Builder builder(function.getContext());
  SmallVector<Attribute> kept;
  for (auto check : checks.getAsRange<DictionaryAttr>()) {
    NamedAttrList entry(check);
    Shape left, right;
    for (auto [lhs, rhs] : llvm::zip(cast<DimsAttr>(check.get("lhs")).getDims(),
                                     cast<DimsAttr>(check.get("rhs")).getDims()))
      if (!mentions(lhs) && !mentions(rhs)) {
        left.push_back(lhs);
        right.push_back(rhs);
      }
    entry.set("lhs", DimsAttr::get(function.getContext(), left));
    entry.set("rhs", DimsAttr::get(function.getContext(), right));
    if (!left.empty())
      kept.push_back(entry.getDictionary(function.getContext()));
  }
  function->setAttr("keratin.checks", builder.getArrayAttr(kept));
}

void flatten(IfOp op, llvm::DenseSet<int64_t> &goneSizes) {
  OpBuilder builder(op);
  if (auto known = dyn_cast_or_null<IntegerAttr>(getSplat(op.getCondition()))) {
    bool isFirst = !known.getValue().isZero();
    Region &taken = isFirst ? op.getThenBody() : op.getElseBody();
    Region &other = isFirst ? op.getElseBody() : op.getThenBody();
    other.walk([&](Operation *inner) {
      if (std::optional<int64_t> symbol = symbolDefinedBy(inner))
        goneSizes.insert(*symbol);
    });
    op.replaceAllUsesWith(inlined(builder, op, taken));
  } else {
    if (!isCheap(op.getThenBody()) || !isCheap(op.getElseBody()))
      return;
    GraphMath g(builder, op.getLoc());
    SmallVector<Value> xs = inlined(builder, op, op.getThenBody()), chosen;
    for (auto [x, y] : llvm::zip(xs, inlined(builder, op, op.getElseBody())))
      chosen.push_back(x == y ? x
                              : g.select(g.broadcastScalar(op.getCondition(), getShape(x)), x, y));
    op.replaceAllUsesWith(chosen);
  }
  op.erase();
}

struct FlattenBranchesPass : impl::FlattenBranchesBase<FlattenBranchesPass> {
  void runOnOperation() override {
    // Inner branches first: what is flat may make the outer one cheap.
    llvm::DenseSet<int64_t> goneSizes;
    getOperation().walk([&](IfOp op) { flatten(op, goneSizes); });
    dropChecks(getOperation(), goneSizes);
  }
};

} // namespace
} // namespace keratin::passes
