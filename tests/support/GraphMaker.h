// Makes one random graph in a function that may hold others; makeRandomFunction() uses it.
#ifndef KERATIN_TESTS_SUPPORT_GRAPHMAKER_H
#define KERATIN_TESTS_SUPPORT_GRAPHMAKER_H

#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/EvaluationContext.h"
#include "tests/support/RandomTensor.h"

#include <optional>
#include <utility>

namespace keratin::tests {

using Axes = llvm::SmallVector<int64_t>;

// The steps take what they need from the pool of values made so far, and add what they make.
class GraphMaker {
public:
  // nextSymbol: the first number that no symbol has, counted on for all graphs of a function.
  GraphMaker(mlir::OpBuilder &builder, mlir::Block *body, uint64_t seed, int64_t &nextSymbol)
      : b(builder), loc(builder.getUnknownLoc()), math(builder, loc), body(body), state(seed),
        nextSymbol(nextSymbol) {
    for (int64_t id : {0, 1, 2})
      sizes.symbols[id] = 33; // the largest of randomSymbols
  }

  void makeArguments();
  void makeOps(int count);
  llvm::SmallVector<mlir::Value> takeOutputs();

private:
  // Random choices.
  int64_t below(int64_t n) { return int64_t(nextRandom(state) % uint64_t(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename List> auto oneOf(const List &list) {
    return *(std::begin(list) + below(std::size(list)));
  }
  mlir::Value anyValue() { return recent(pool); }
  mlir::Value recent(llvm::ArrayRef<mlir::Value> values) {
    // Chains come from taking mostly what was made last.
    size_t window = chance(60) ? std::min<size_t>(values.size(), 5) : values.size();
    return values[values.size() - 1 - below(window)];
  }
  mlir::Value anyFloat();
  mlir::Type anyElementType();
  ir::DimExpr anyDim();
  llvm::SmallVector<mlir::Value> ofType(mlir::Type type) {
    llvm::SmallVector<mlir::Value> found;
    for (mlir::Value value : pool)
      if (value.getType() == type)
        found.push_back(value);
    return found;
  }

  bool isSmall(const ir::Shape &shape);
  void add(mlir::Value value) {
    if (isSmall(ir::getShape(value)))
      pool.push_back(value);
  }
  mlir::Value like(mlir::Value x); // a value of the type of x
  mlir::Value commonConstant(mlir::Value x);
  mlir::Value intoDomain(mlir::Value x, llvm::StringRef domain);
  mlir::Value compareWith(mlir::Value x) {
    return math.compare(ir::Comparison(below(6)), x, like(x));
  }
  int64_t anyAxis(mlir::Value x) { return below(ir::getTensorType(x).getRank()); }
  Axes someAxes(mlir::Value x);

  void elementwise();
  void shape();
  void broadcast();
  void slice();
  void truncate();
  void pad();
  void concatenate();
  void gather();
  void scatter();
  void dynamicSlice();
  void besideItself();
  void reduce();
  void scan();
  void normalize();
  void contract();
  void windows();
  void convolution();
  void gradients();
  void jvp();
  void vjp();
  void leaf();
  void loop();
  void openLoop();
  void branch();
  mlir::Value condition();
  // A size that the region computes, which nothing outside of it may have.
  bool hasOwnSize(mlir::Type type) {
    for (const ir::DimExpr &dim : ir::getShape(mlir::cast<mlir::RankedTensorType>(type)))
      for (int64_t id : dim.symbols())
        if (id >= firstOwnSymbol)
          return true;
    return false;
  }
  // RandomMathematics.cpp
  void sort();
  void matrices();
  void orthogonalFactors();
  void fourier();
  void complexNumbers();

  // Integers below n, of this shape: data if there is some.
  mlir::Value placesBelow(const ir::Shape &shape, int64_t n);
  mlir::Value conditioned(mlir::Value x, bool isSymmetric);
  llvm::SmallVector<mlir::Value> floatArguments();
  llvm::SmallVector<mlir::Value> differentiated(int64_t most);
  mlir::Value countBelow(mlir::Value numbers);
  std::optional<std::pair<mlir::Value, mlir::Value>> handOut(mlir::Value x, int64_t &axis);
  llvm::SmallVector<mlir::Value>
  fill(mlir::Block &region, llvm::function_ref<llvm::SmallVector<mlir::Value>(GraphMaker &)> yield,
       std::optional<ir::DimExpr> steps = {}, bool isMap = false);
  llvm::SmallVector<mlir::Value> someValues(int64_t most);

  mlir::OpBuilder &b;
  mlir::Location loc;
  ir::GraphMath math;
  mlir::Block *body;
  uint64_t state;
  int64_t &nextSymbol;
  ir::EvaluationContext sizes; // the largest that there can be
  llvm::SmallVector<mlir::Value> pool, arguments;
  unsigned derivativesLeft = 3;
  unsigned depth = 0;                       // regions around the block
  int64_t firstOwnSymbol = INT64_MAX;       // of a region
  std::optional<ir::DimExpr> stepsOfRegion; // of the body of a scan
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_GRAPHMAKER_H
