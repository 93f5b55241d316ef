#include "ir/interfaces/OpCost.h"

#include "ir/interfaces/ConvolutionShape.h"

using namespace keratin::ir;
using namespace mlir;

namespace {

// Runs through the body of an op and emits nothing.
class OperationCounter : public ScalarBuilder {
public:
  int64_t operations = 0;

  Value constant(double) override { return {}; }
  Value integerConstant(int64_t) override { return {}; }

#define KERATIN_SCALAR_FUNCTION(name, parameters)                                                  \
  Value name parameters override { return count(operationsOf(#name)); }
#include "ir/interfaces/ScalarFunctions.inc"

  Value compare(Comparison, Value, Value) override { return count(); }
  Value cast(Value, Type) override { return count(); }

private:
  // A product and a sum are two operations, whether or not one instruction does both.
  static int64_t operationsOf(StringRef function) { return function == "multiplyAdd" ? 2 : 1; }
  Value count(int64_t number = 1) {
    operations += number;
    return {};
  }
};

// Ten rounds of two wide products, four exclusive ors and two additions make four words.
constexpr int64_t kPhiloxOperationsPerWord = 20;

std::optional<DimExpr> perElement(int64_t operations, Value value) {
  std::optional<DimExpr> elements = elementCount(getShape(value));
  return elements ? mul(*elements, operations) : std::nullopt;
}

std::optional<DimExpr> contraction(DotGeneralOp op) {
  Shape shape = getShape(op.getA()), depth;
  for (int64_t axis : op.getAContract())
    depth.push_back(shape[axis]);
  std::optional<DimExpr> sums = perElement(2, op.getY()), terms = product(depth);
  return sums && terms ? mul(*sums, *terms) : std::nullopt;
}

// How often windows along a dimension meet an element of x. Places beside x count too: their share
// is small and has no formula. Zeros between elements are most of what windows cover, and do not
// count: there each element meets each tap at most once.
std::optional<DimExpr> meetings(const DimExpr &x, int64_t xDilation, const DimExpr &window,
                                const DimExpr &y) {
  std::optional<DimExpr> places = xDilation == 1 ? y : min(x, y);
  return places ? mul(*places, window) : std::nullopt;
}

std::optional<DimExpr> convolution(ConvolutionOp op) {
  ConvolutionShape shape = getConvolutionShape(op);
  Shape factors = {2, shape.batch, shape.groups, shape.contracted, shape.filters};
  for (const ConvolutionShape::Window &window : shape.windows) {
    std::optional<DimExpr> count =
        meetings(window.xSize, window.xDilation, window.filterSize, window.ySize);
    if (!count)
      return std::nullopt;
    factors.push_back(*count);
  }
  return product(factors);
}

std::optional<DimExpr> windowSum(WindowSumOp op) {
  Shape x = getShape(op.getX()), y = getShape(op.getY()), factors;
  for (size_t i = 0; i < x.size(); ++i) {
    std::optional<DimExpr> count = meetings(x[i], op.getXDilation()[i], op.getWindow()[i], y[i]);
    if (!count)
      return std::nullopt;
    factors.push_back(*count);
  }
  return product(factors);
}

// A comparison for each element of each window.
std::optional<DimExpr> windowChoice(ArrayRef<int64_t> window, Value windows) {
  std::optional<DimExpr> count = perElement(1, windows);
  for (int64_t size : window)
    count = count ? mul(*count, size) : std::nullopt;
  return count;
}

std::optional<DimExpr> sparseDot(SparseDotOp op) {
  std::optional<DimExpr> products = mul(getShape(op.getValues())[0], getShape(op.getX())[1]);
  return products ? mul(*products, 2) : std::nullopt;
}

Count sumOf(Block &block) {
  Count operations = DimExpr(0);
  for (Operation &inner : block)
    operations = sum(operations, operationCount(&inner));
  return operations;
}

} // namespace

Count keratin::ir::sum(const Count &a, const Count &b) {
  return a && b ? add(*a, *b) : std::nullopt;
}

Count keratin::ir::larger(const Count &a, const Count &b) {
  return a && b ? max(*a, *b) : std::nullopt;
}

Count keratin::ir::times(const Count &a, const DimExpr &b) { return a ? mul(*a, b) : std::nullopt; }

Count keratin::ir::operationCount(Operation *operation) {
  if (auto kernel = dyn_cast<KernelOp>(operation))
    return sumOf(kernel.getBody().front());
  if (std::optional<Count> regions = costOfRegions<Count>(operation, sumOf))
    return *regions;
  OperationCounter counter;
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(operation)) {
    elementwise.buildScalar(counter, operation->getOperands());
    return perElement(counter.operations, operation->getResult(0));
  }
  if (auto reduction = dyn_cast<ReductionOpInterface>(operation)) {
    reduction.buildCombine(counter, {}, {});
    return perElement(counter.operations, operation->getOperand(0));
  }
  // Ops that no interface describes element by element say it in their records.
#include "ir/interfaces/OpOperations.cpp.inc"
  return DimExpr(0);
}
